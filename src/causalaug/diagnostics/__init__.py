"""Does the graph fit the data? Tests of the independences that the method uses."""

from causalaug.diagnostics._check import check_graph
from causalaug.diagnostics._result import CANNOT_TELL, NOT_REJECTED, VIOLATED, GraphCheck

__all__ = ["CANNOT_TELL", "NOT_REJECTED", "VIOLATED", "GraphCheck", "check_graph"]
