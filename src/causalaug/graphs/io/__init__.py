"""Reading and writing graphs, one module per notation."""

from causalaug.graphs._admg import register_reader
from causalaug.graphs.io._read import read_graph, write_graph

__all__ = ["read_graph", "write_graph"]

register_reader(read_graph)
