"""Reading and writing graphs, one module per foreign format."""

from causalaug.graphs._admg import register_reader
from causalaug.graphs.io._read import read_graph
from causalaug.graphs.io._write import write_graph

__all__ = ["read_graph", "write_graph"]

register_reader(read_graph)
