"""Regression."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from causalaug.estimators._base import AugmentedEstimator
from causalaug.estimators._cross_fit import FEWEST_ROWS
from causalaug.estimators._folds import Regression
from causalaug.estimators._input import regression_target
from causalaug.estimators._intervals import HeldOutErrors, OnlyOfBlends, checked_levels, ends_of
from causalaug.estimators._predictors import numbers_in
from causalaug.estimators._preprocessing import default_booster
from causalaug.exceptions import TableError
from causalaug.table import are_whole


class AugmentedRegressor(RegressorMixin, AugmentedEstimator):
    """Regressor trained on the weighted rows that its causal graph makes plausible.

    Parameters
    ----------
    estimator : estimator, optional
        The learner: any regressor, or a pipeline that ends in one. Where `fit` takes no
        ``sample_weight``, it gets rows of equal weight, drawn from the mixture. By default
        scikit-learn's gradient boosting, sized to the table, behind an encoder of the columns that
        hold no numbers.
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads, optional
        The causal graph of the features and the target. Without one nothing is known, and
        the learner gets the rows as they are.
    target : str, optional
        The target's node in the graph; by default the name of `y`, or the only node that is
        no feature.
    conditional : Conditional or "auto", optional
        How one factor is modelled; by default, and with ``"auto"``, chosen for each factor by
        how likely it makes held-out rows (`AutoConditional`).
    expansion : Expansion, optional
        How new rows are made; by default ``BudgetExpansion`` with five rows per observed
        row, but at least 1,000, and at most 5,000 or as many as there are observed rows.
    augmented_share : float, Gate, Blend or "auto", default="auto"
        How much of the weight the new rows hold. ``"auto"`` is ``Blend()``: the plain learner,
        learners with new rows, and the graph's model are weighed by how they predict held-out
        observed rows, and their predictions averaged. ``Gate()`` takes one learner instead.
    new_targets : {"auto", "drawn", "expected"}, default="auto"
        What target a new row has: the one that was drawn with it, or what the graph's model
        expects given its features (its mean). ``"auto"`` takes expected targets if the learner's
        loss is squared error or log-loss; with features outside the graph, of which the model
        expects nothing, drawn ones.
    trust : {"auto", "full"}, float or mapping to float, default="auto"
        How far the graph is believed, factor by factor, as in `fit_model`: by default as far as
        left-out rows let it be; ``model_.trust`` says how far that is.
    extra : {"ignore", "error"}, default="ignore"
        What becomes of features that are no node: the learner sees them, the graph's model does
        not, and a warning names them; or they are an error. A new row has those cells of the
        observed row that its target came from.
    feature_names : sequence of str, optional
        The names of the columns, where `X` is an array. A frame has its own.
    kinds : mapping of str to {"continuous", "ordered", "nominal"}, optional
        Kinds of columns that differ from the default. The target is continuous.
    limits : mapping of str to (float or None, float or None), optional
        The least and the largest value that a continuous column may hold, as in `augment`.
    keep_holes : bool, default=False
        Whether the learner takes missing features itself. By default it never sees one: with a
        graph, rows with holes are completed several times by the graph's model, and the copies
        share the weight of their row; what is predicted for copies of a row is averaged.
    n_jobs : int, optional
        How many processes share the folds and candidates. The result is the same.
    random_state : int, RandomState, Generator or None, optional
        One seed gives one result. It also seeds the learner, where that has no seed.

    Attributes
    ----------
    blend_ : DataFrame
        With a blend: one row per candidate, with the share of new rows that it learns from, its
        mean loss on held-out rows, and its weight.
    judged_rows_ : int
        With a blend: on how many held-out rows the candidates were judged. In tables of more than
        5,000 rows that is part of them (`Blend`).
    held_out_loss_ : float
        With a blend: its own mean loss on these rows, beside the candidates' in `blend_`. Its
        weights were chosen on the same rows, so that it is a little too low. NaN without rows.
    estimators_ : list
        With a blend: the fitted members that have weight, in the order of `blend_`.
    estimator_ : estimator
        With a fixed share, a gate, or no graph: the fitted learner. Its ``coef_``, ``intercept_``
        and ``feature_importances_`` are passed on.
    augmented_ : AugmentedTable or None
        The new rows of the graph, whatever their weight; None without a graph.
    model_ : GraphModel or None
        The graph's model of the observed rows; None without a graph.
    augmented_share_ : float
        The share of the weight that new rows got; with a blend the share averaged by weight,
        where the graph's model counts as 1.
    gate_ : GateResult or None
        What the gate tried; None if there was none, or nothing to choose.
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
    >>> model.blend_[["candidate", "share"]]
                    candidate  share
    0                   plain    0.0
    1  control, expected, 0.5    0.5
    2    graph, expected, 0.9    0.9
    3           control model    1.0
    4             graph model    1.0
    >>> bool(model.blend_["weight"][[2, 4]].sum() > 0.5)
    True

    A graph that denies any relation is not believed: for most gauges the data want another
    variable.

    >>> wrong = model.set_params(graph=ADMG(nodes)).fit(X, y)
    >>> bool((wrong.model_.trust["wanted"] != "").mean() > 0.5)
    True
    """

    _kind_of_target = "continuous"

    @OnlyOfBlends
    def predict_quantile(self, X, levels):
        """Return quantiles of the target given each row: shape (n, n_levels).

        They are conformal: the blend's prediction, plus the quantiles of the blend's errors on
        rows that were held out, in units of how far off the graph's model expects the prediction
        to be. Of n held-out rows the error of rank ``(n + 1) * level`` is taken, rounded away from
        the median; with too few rows for an extreme level, the extreme error. So an interval of
        two levels holds about what it says, whether the graph is right or wrong, as long as new
        rows are like the observed ones. The weights of the blend were chosen on the same rows,
        which is measured to cost little.

        Quantiles ascend with their levels and stay within the target's limits; those of whole
        targets are whole. Only with a blend of at least ten labelled rows.

        Parameters
        ----------
        X : frame or array
            The features; cells may be missing.
        levels : sequence of float
            Probabilities, such as ``[0.05, 0.95]`` for an interval that holds nine in ten.

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> from sklearn.linear_model import Ridge
        >>> from causalaug import AugmentedRegressor
        >>> rng = np.random.default_rng(0)
        >>> y = pd.Series(rng.normal(20.0, 5.0, 60), name="temperature")
        >>> X = pd.DataFrame({"good": y + rng.normal(size=60), "poor": y + 4 * rng.normal(size=60)})
        >>> model = AugmentedRegressor(Ridge(), graph="good <- temperature -> poor", random_state=0)
        >>> asked = pd.DataFrame({"good": [18.0, None], "poor": [18.0, 18.0]})
        >>> quantiles = model.fit(X, y).predict_quantile(asked, [0.05, 0.5, 0.95])
        >>> quantiles[0].round()
        array([16., 18., 20.])

        A gauge that is missing widens the interval:

        >>> bool(np.diff(quantiles[1, [0, 2]]) > 2 * np.diff(quantiles[0, [0, 2]]))
        True
        """
        levels = checked_levels(levels)
        check_is_fitted(self)
        if self._errors is None:
            raise TableError(
                f"Quantiles need held-out rows, which take at least {FEWEST_ROWS} rows that have a "
                "target. Found fewer at the fit. Get more rows, or use `GraphRegressor`, whose "
                "quantiles are those of the graph's own model."
            )
        return self._ask(
            lambda fitted, rows: self._errors.quantiles(fitted.predict_mean(rows), rows, levels),
            X,
            lambda: np.empty((0, len(levels))),
        )

    @OnlyOfBlends
    def predict_interval(self, X, level=0.9):
        """Return both ends of an interval that holds the target with a probability: shape (n, 2).

        As much lies beyond one end as beyond the other: the ends are `predict_quantile` of
        ``(1 - level) / 2`` and ``(1 + level) / 2``, and hold about what they say under the same
        conditions. An interval of a higher level contains that of a lower one.

        Parameters
        ----------
        X : frame or array
            The features; cells may be missing.
        level : float, default=0.9
            The probability, between 0 and 1.

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> from sklearn.linear_model import Ridge
        >>> from causalaug import AugmentedRegressor
        >>> rng = np.random.default_rng(0)
        >>> X = pd.DataFrame({"load": rng.normal(size=60)})
        >>> y = pd.Series(2.0 * X["load"] + rng.normal(size=60), name="wear")
        >>> model = AugmentedRegressor(Ridge(), graph="load -> wear", random_state=0).fit(X, y)
        >>> low, high = model.predict_interval(X, level=0.8).T
        >>> bool(((low <= y) & (y <= high)).mean() > 0.7)
        True
        """
        return self.predict_quantile(X, ends_of(level))

    def _keep_errors(self, observed, judged, weights, model):
        self._errors = None
        if len(judged.target):
            limits = observed.table.limits_of_numbers(observed.table.index(observed.target))
            is_whole = are_whole(numbers_in(observed.table, observed.target)[0])
            self._errors = HeldOutErrors.of(judged, weights, model, limits, is_whole=is_whole)

    def _default_learner(self, n_rows):
        has_graph = self.graph is not None
        return default_booster(n_rows, classification=False, has_graph=has_graph)

    def _no_targets(self):
        return np.empty(0)

    def _check_target(self, target):
        return regression_target(target)

    def _task(self, learner):
        return Regression()
