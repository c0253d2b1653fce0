"""The default learner: gradient boosting, sized to the table."""

from typing import Any

from sklearn import get_config
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.pipeline import make_pipeline

from causalaug.estimators._bins import QuantileBins

TINY_TABLE = 40
"""Below so many rows a leaf holds a tenth of the weight, 2.5 rows of 25. Leaves of 20 rows, which
histograms have, leave the plain learner a mean, against which everything is a gain. Without a graph
it is that mean still: there a row of weight two must be the same as two rows, to the last digit,
and trees of small leaves depend on how ties are broken."""

SMALL_TABLE = 500
"""Up to so many rows plain gradient boosting is the better default. With the weighted new rows of
60 observed ones it takes 0.18 s and histograms (31 leaves, 100 rounds) 0.58 s, most of it for bins
of weighted quantiles; its errors are lower by 37% without new rows and by 2% with them. Beyond, it
is histograms, whose bins are found beforehand: a default fit to 800 rows of 9 columns takes 7
instead of 17 s, with the same test error (-0.0 ± 0.0%, eight models of seeds 500,000 and up; -0.1 ±
0.1% on eight more of seeds 520,000 and up)."""


def default_booster(n_rows: int, *, classification: bool, has_graph: bool = True) -> Any:
    """Return the learner that is used where none is given.

    Leaves hold a share of the weight, not a number of rows: new rows are many and light.

    >>> default_booster(60, classification=False)
    GradientBoostingRegressor(min_weight_fraction_leaf=0.02, n_estimators=60)
    >>> default_booster(1_000, classification=False)
    Pipeline(steps=[('quantilebins', QuantileBins()),
                    ('histgradientboostingregressor',
                     HistGradientBoostingRegressor(early_stopping=False))])
    """
    hist = HistGradientBoostingClassifier if classification else HistGradientBoostingRegressor
    if n_rows > SMALL_TABLE:
        return make_pipeline(QuantileBins(), _asking_for_weights(hist(early_stopping=False)))
    if n_rows < TINY_TABLE and not has_graph:
        return hist(max_leaf_nodes=8, max_iter=60, early_stopping=False)
    small = GradientBoostingClassifier if classification else GradientBoostingRegressor
    least = 0.1 if n_rows < TINY_TABLE else 0.02
    return small(n_estimators=60, min_weight_fraction_leaf=least)


def _asking_for_weights(learner: Any) -> Any:
    """Return the last step of a pipeline; with metadata routing on, it must ask for weights."""
    routing = get_config()["enable_metadata_routing"]
    return learner.set_fit_request(sample_weight=True) if routing else learner
