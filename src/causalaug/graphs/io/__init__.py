"""Reading and writing graphs, one module per notation."""

from causalaug.graphs.io._read import read_graph, write_graph

__all__ = ["read_graph", "write_graph"]
