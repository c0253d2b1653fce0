"""Honest comparison: what augmentation brings, and how much of it is the graph."""

from causalaug.evaluation._compare import compare
from causalaug.evaluation._comparison import CLEAR, Comparison, Gain
from causalaug.evaluation._named import LEARNERS, named_learner

__all__ = ["CLEAR", "LEARNERS", "Comparison", "Gain", "compare", "named_learner"]
