"""How the probability tree is grown: all of it, the heaviest part, or an unbiased part.

A new row is a path: choose an observed row for the first variable, then one for the second given
what is chosen, and so on. Its weight is the product of the edge weights, Eq. (3) of the paper. All
``n^D`` paths form the probability tree. An expansion takes a fitted model and a generator, and
returns some of the paths:

>>> import numpy as np
>>> import pandas as pd
>>> from causalaug import fit_model
>>> days = pd.DataFrame({"sun": [True, True, False], "ice": [9.0, 7.0, 2.0]})
>>> paths = PrunedExpansion(0).expand(fit_model(days, "sun -> ice"), np.random.default_rng(0))
>>> paths.rows.tolist(), paths.weights.round(3)
([[0, 0], [0, 1], [2, 2]], array([0.333, 0.333, 0.333]))

`PrunedExpansion` is Algorithm 1 of the paper, `BudgetExpansion` keeps a given number of paths
without bias, `SampledExpansion` draws them, `BeamExpansion` keeps the heaviest.
"""

from causalaug.expansion._base import (
    LOST_TO_ROUNDING,
    Blocks,
    BlockwiseExpansion,
    Expansion,
    FittedModel,
    Paths,
    SizedExpansion,
    join_paths,
)
from causalaug.expansion._beam import BeamExpansion
from causalaug.expansion._budget import BudgetExpansion
from causalaug.expansion._pruned import Node, PrunedExpansion, fill_tree
from causalaug.expansion._sampled import SampledExpansion
from causalaug.expansion._trellis import TooManyNodesError

__all__ = [
    "LOST_TO_ROUNDING",
    "BeamExpansion",
    "Blocks",
    "BlockwiseExpansion",
    "BudgetExpansion",
    "Expansion",
    "FittedModel",
    "Node",
    "Paths",
    "PrunedExpansion",
    "SampledExpansion",
    "SizedExpansion",
    "TooManyNodesError",
    "fill_tree",
    "join_paths",
]
