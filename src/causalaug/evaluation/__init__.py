"""Honest comparison: what augmentation brings, and how much of it is the graph."""

from causalaug.evaluation._compare import compare
from causalaug.evaluation._comparison import CLEAR, Comparison, Gain

__all__ = ["CLEAR", "Comparison", "Gain", "compare"]
