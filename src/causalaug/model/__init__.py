"""A table and a graph, fitted once: the one thing in the middle that everything else asks.

`fit_model` cuts the joint distribution into factors, Eq. (1) of the paper, and fits one
conditional to each. The `GraphModel` that comes back makes new rows, and says how likely rows
are:

>>> import pandas as pd
>>> from causalaug import fit_model
>>> days = pd.DataFrame({"sun": [True, True, False, False], "ice": [9.0, 7.0, 2.0, 4.0]})
>>> model = fit_model(days, "sun -> ice")
>>> print(*model.factors)
p(sun) p(ice | sun)
>>> len(model.expand(random_state=0))
4

Nothing is fitted when a question is asked, so that ten questions cost one fit. A model pickles,
and answers the same after.
"""

from causalaug.model._blocks import BlockJob
from causalaug.model._bounds import MeanBounds, Range, reach_of
from causalaug.model._completion import Completion
from causalaug.model._factor import FittedFactor
from causalaug.model._loss import MOST_LOST, describe_loss, warn_of_loss
from causalaug.model._model import (
    BLOCK_ROWS,
    GraphModel,
    augment,
    check_strategies,
    count_blocks,
    fit_model,
    fit_table,
    resolve_conditional,
)
from causalaug.model._prediction import Prediction
from causalaug.model._size import check_size
from causalaug.model._target import Target, mix_predictions

__all__ = [
    "BLOCK_ROWS",
    "MOST_LOST",
    "BlockJob",
    "Completion",
    "FittedFactor",
    "GraphModel",
    "MeanBounds",
    "Prediction",
    "Range",
    "Target",
    "augment",
    "check_size",
    "check_strategies",
    "count_blocks",
    "describe_loss",
    "fit_model",
    "fit_table",
    "mix_predictions",
    "reach_of",
    "resolve_conditional",
    "warn_of_loss",
]
