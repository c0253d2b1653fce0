"""Regression."""

import numpy as np
from sklearn.base import RegressorMixin

from causalaug.estimators._base import AugmentedEstimator
from causalaug.estimators._defaults import default_booster
from causalaug.estimators._tasks import Regression


class AugmentedRegressor(RegressorMixin, AugmentedEstimator):
    """Regressor trained on the weighted rows that its causal graph makes plausible.

    Parameters
    ----------
    estimator : estimator, optional
        The learner: any regressor whose `fit` takes ``sample_weight``, or a pipeline that
        passes it on. By default scikit-learn's histogram gradient boosting.
    graph : ADMG, optional
        The causal graph of the features and the target. Without one nothing is known, and
        the learner gets the rows as they are.
    target : str, optional
        The target's node in the graph; by default the name of `y`, or the only node that is
        no feature.
    conditional : Conditional or "auto", optional
        How one factor is modelled; by default ``ResidualConditional()``. With ``"auto"``
        the gate chooses among that, the same at infinite temperature, and
        ``KernelConditional()``.
    expansion : Expansion, optional
        How new rows are made; by default ``BudgetExpansion`` with five rows per observed
        row, but at least 1,000.
    augmented_share : float, Gate or "auto", default="auto"
        How much of the weight the new rows hold. ``"auto"`` is the gate: it tries 0, .25,
        .5 and .75 on held-out observed rows, and takes the smallest that is as good as the
        best within one standard error.
    kinds : mapping of str to {"continuous", "discrete"}, optional
        Kinds of columns that differ from the default. The target is continuous.
    random_state : int, RandomState, Generator or None, optional
        One seed gives one result. It also seeds the learner, where that has no seed.

    Attributes
    ----------
    estimator_ : estimator
        The fitted learner.
    augmented_ : AugmentedTable or None
        The new rows; None without a graph.
    augmented_share_ : float
        The share of the weight that they got.
    gate_ : GateResult or None
        What the gate tried; None if it had nothing to choose.
    feature_names_in_ : array of str
        The names of the features, if they have any.
    n_features_in_ : int
        The number of features.

    Examples
    --------
    Twelve gauges read one temperature, each with an error of its own. Forty rows do not say
    that the errors are independent; the graph does, and held-out rows agree:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn.linear_model import Ridge
    >>> from causalaug import ADMG, AugmentedRegressor
    >>> rng = np.random.default_rng(3)
    >>> y = pd.Series(rng.normal(size=40), name="temperature")
    >>> X = pd.DataFrame({f"gauge{i}": 0.5 * y + rng.normal(size=40) for i in range(12)})
    >>> nodes = ["temperature", *X.columns]
    >>> graph = ADMG(nodes, directed=[("temperature", gauge) for gauge in X.columns])
    >>> model = AugmentedRegressor(Ridge(5.0), graph=graph, random_state=0).fit(X, y)
    >>> model.gate_.frame[["share", "loss", "chosen"]].round(2)
       share  loss  chosen
    0   0.00  0.27   False
    1   0.25  0.24    True
    2   0.50  0.24   False
    3   0.75  0.23   False

    A graph that denies any relation is wrong, and gets no say:

    >>> model.set_params(graph=ADMG(nodes)).fit(X, y).augmented_share_
    0.0
    """

    _kind_of_target = "continuous"

    def _default_learner(self, n_rows):
        return default_booster(n_rows, classification=False)

    def _check_target(self, target):
        return np.asarray(target, dtype=np.float64)

    def _task(self, learner):
        return Regression()
