"""Whether the graph fits the data, and what the new rows change."""

from causalaug.diagnostics._changes import moved_mass
from causalaug.diagnostics._check import check_graph
from causalaug.diagnostics._result import (
    CANNOT_TELL,
    NOT_REJECTED,
    VIOLATED,
    GraphCheck,
    Trust,
    trust_in_words,
)

__all__ = [
    "CANNOT_TELL",
    "NOT_REJECTED",
    "VIOLATED",
    "GraphCheck",
    "Trust",
    "check_graph",
    "moved_mass",
    "trust_in_words",
]
