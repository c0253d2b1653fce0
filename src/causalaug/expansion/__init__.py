"""How the probability tree is grown."""

from causalaug.expansion._paths import Paths
from causalaug.expansion._pruned import PrunedExpansion

__all__ = ["Paths", "PrunedExpansion"]
