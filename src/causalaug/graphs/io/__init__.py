"""Reading and writing graphs, one module per foreign format."""

from causalaug.graphs.io._read import as_graph, read_graph
from causalaug.graphs.io._write import write_graph

__all__ = ["as_graph", "read_graph", "write_graph"]
