"""Honest comparison: what a graph brings, and which of its knowledge does."""

from causalaug.evaluation._compare import compare
from causalaug.evaluation._comparison import CLEAR, Comparison, Gain
from causalaug.evaluation._rivals import LEARNERS, named_learner
from causalaug.evaluation._task import note_on_task, task_of

__all__ = [
    "CLEAR",
    "LEARNERS",
    "Comparison",
    "Gain",
    "compare",
    "named_learner",
    "note_on_task",
    "task_of",
]
