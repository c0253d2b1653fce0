"""How the probability tree is grown: all of it, the heaviest part, or an unbiased part."""

from causalaug.expansion._base import Blocks, BlockwiseExpansion, Expansion
from causalaug.expansion._beam import BeamExpansion
from causalaug.expansion._budget import BudgetExpansion
from causalaug.expansion._job import BLOCK_ROWS, BlockJob, count_blocks
from causalaug.expansion._paths import ROUNDING, Paths, join_paths
from causalaug.expansion._pruned import PrunedExpansion
from causalaug.expansion._sampled import SampledExpansion
from causalaug.expansion._tree import FittedModel

__all__ = [
    "BLOCK_ROWS",
    "BeamExpansion",
    "BlockJob",
    "Blocks",
    "BlockwiseExpansion",
    "BudgetExpansion",
    "Expansion",
    "FittedModel",
    "ROUNDING",
    "Paths",
    "PrunedExpansion",
    "SampledExpansion",
    "count_blocks",
    "join_paths",
]
