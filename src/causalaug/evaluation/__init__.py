"""Honest comparison: what augmentation brings, and how much of it is the graph."""

from causalaug.evaluation._compare import compare
from causalaug.evaluation._comparison import Comparison, Gain

__all__ = ["Comparison", "Gain", "compare"]
