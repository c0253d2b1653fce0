"""How the probability tree is grown: all of it, the heaviest part, or an unbiased part."""

from causalaug.expansion._base import Expansion
from causalaug.expansion._beam import BeamExpansion
from causalaug.expansion._budget import BudgetExpansion
from causalaug.expansion._paths import Paths
from causalaug.expansion._pruned import PrunedExpansion
from causalaug.expansion._sampled import SampledExpansion

__all__ = [
    "BeamExpansion",
    "BudgetExpansion",
    "Expansion",
    "Paths",
    "PrunedExpansion",
    "SampledExpansion",
]
