"""Does the graph fit the data? Tests of the independences that the method uses."""

from causalaug.diagnostics._check import check_graph
from causalaug.diagnostics._result import GraphCheck

__all__ = ["GraphCheck", "check_graph"]
