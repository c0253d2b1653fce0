"""Learners that are the graph's own model: the target given the rest, by Bayes' rule."""

import warnings

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from causalaug._random import as_generator, new_seed
from causalaug.conditionals import AutoConditional, check_belief
from causalaug.estimators._folds import Classification, Regression
from causalaug.estimators._input import (
    as_numbers,
    classes_of,
    is_frame,
    labels_of,
    names_at_fit,
    read_asked,
    read_rows,
    warn_of_no_labels,
)
from causalaug.estimators._intervals import checked_levels
from causalaug.estimators._names import name_of_target, named
from causalaug.estimators._observed_rows import observe
from causalaug.estimators._predictors import probabilities_of
from causalaug.estimators._two_models import TwoModels
from causalaug.exceptions import CausalAugWarning
from causalaug.graphs import as_graph, complete_graph
from causalaug.model import resolve_conditional
from causalaug.table import are_whole


class GraphEstimator(BaseEstimator):
    """What the regressor and the classifier share."""

    keep_holes = False
    _uses_extra = False

    def __init__(
        self,
        graph=None,
        *,
        target=None,
        conditional=None,
        trust="auto",
        kinds=None,
        limits=None,
        extra="ignore",
        feature_names=None,
        random_state=None,
    ):
        self.graph = graph
        self.target = target
        self.conditional = conditional
        self.trust = trust
        self.kinds = kinds
        self.limits = limits
        self.extra = extra
        self.feature_names = feature_names
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fit every factor of the graph to the rows.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array of shape (n, d)
            The features. The columns of an array are named by `feature_names`. Cells may be
            missing.
        y : series or array of shape (n,)
            The target; it may be missing (NaN, None) in some rows. What is missing is drawn and
            all factors are fitted anew, a few times (stochastic EM).
        sample_weight : array of shape (n,), optional
            How much each row counts. A weight of 2 is the same as the row twice.

        Returns
        -------
        self
            The fitted estimator.
        """
        check_belief(self.trust)
        conditional = resolve_conditional(self.conditional, AutoConditional())
        named_y = y
        X, y, weights = read_rows(self, X, y, sample_weight, holes=True)
        if self.graph is None:
            X = self._named(X) if self.feature_names is None else named(self, X)
            graph, name = self._complete_graph(X, named_y)
        else:
            X, graph = named(self, X), as_graph(self.graph)
            name = name_of_target(self, named_y, X, graph)
        observed = observe(self, X, y, weights, graph, name=name)
        warn_of_no_labels(pd.isna(y)[weights > 0.0])
        self.target_, self._labels = name, labels_of(X)
        self._nodes = dict(observed.names)
        self.columns_ = tuple(column for column in observed.table.columns if column != name)
        seed = new_seed(as_generator(self.random_state))
        self._models = TwoModels.fit(observed, conditional, self._task(), seed)
        self.model_, self.graph_weight_ = self._models.models[0], float(self._models.weights[0])
        return self

    def _complete_graph(self, X, y):
        """Return the graph that claims nothing, and the name of the target in it."""
        columns = nw.from_native(X, eager_only=True).columns
        name = self.target or getattr(y, "name", None) or "y"
        while name in columns:
            name = f"{name}_"
        warnings.warn(
            f"{type(self).__name__} has no graph: it takes the complete one, which knows nothing, "
            "and any other learner may do better. Write graph=...",
            CausalAugWarning,
            stacklevel=3,
        )
        return complete_graph([*columns, name]), name

    def _named(self, X):
        """Return a frame whose columns are named x0, x1, ... unless all of them have names."""
        names = [f"x{number}" for number in range(X.shape[1])]
        if not is_frame(X):
            return pd.DataFrame(X, columns=names_at_fit(self) or names)
        is_named = not isinstance(X, pd.DataFrame) or all(isinstance(each, str) for each in X)
        return X if is_named else X.set_axis(names, axis=1)

    def _known_features(self, X):
        """Return the features that are nodes, as the models know them."""
        check_is_fitted(self, "model_")
        features = read_asked(self, X, stacklevel=4, used=self._used)
        return nw.from_native(features, eager_only=True).rename(self._nodes).to_native()

    def _used(self, X):
        """Return the features that are nodes, under their own names."""
        return nw.from_native(self._named(X), eager_only=True).select(*self._nodes).to_native()

    def __sklearn_tags__(self):
        """Say that features may be missing."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class GraphRegressor(RegressorMixin, GraphEstimator):
    """Predict the target by all that its graph knows: causes, effects, and causes of effects.

    Every factor of the graph is fitted to the rows; the prediction is the mean of the target
    given the other cells of a row, by Bayes' rule. See `GraphModel.predict`. As far as held-out
    rows ask for it, it is averaged with that of a model which needs no causal knowledge.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads, optional
        The causal graph of the features and the target. Without one nothing is known: the
        complete graph is taken, with a warning.
    target : str, optional
        The target's node; by default the name of `y`, or the only node that is no feature.
    conditional : Conditional or "auto", optional
        How one factor is modelled; by default for each factor what makes left-out rows most
        likely (`AutoConditional`).
    trust : {"auto", "full"}, float or mapping to float, default="auto"
        How far the graph is believed, factor by factor, as in `fit_model`: by default as far as
        left-out rows let it be; ``model_.trust`` says how far that is. With the default the graph
        as a whole is weighed as well (`graph_weight_`), since factors cannot tell that an order is
        wrong.
    kinds : mapping of str to str, optional
        Kinds of columns that differ from the default. The target is continuous.
    limits : mapping of str to (float or None, float or None), optional
        Limits of columns.
    extra : {"ignore", "error"}, default="ignore"
        What to do with columns that are no node: leave them out and say so, or refuse them.
    feature_names : sequence of str, optional
        The names of the columns of an array.
    random_state : int, RandomState, Generator or None, optional
        The seed of the fit, where cells are missing. Predictions are not random.

    Attributes
    ----------
    model_ : GraphModel
        The graph's fitted model.
    graph_weight_ : float
        How far it is believed, from 0 to 1; the rest of a prediction is that of the model which
        needs no causal knowledge. 1 unless ``trust="auto"``.
    target_ : str
        The name of the target.
    columns_ : tuple of str
        The features that are nodes.
    feature_names_in_ : array of str
        The names of the features, if they have any.
    n_features_in_ : int
        The number of features.

    Examples
    --------
    Two gauges read one temperature. Where they disagree, the mean is near the better one:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from causalaug import GraphRegressor
    >>> rng = np.random.default_rng(0)
    >>> y = pd.Series(rng.normal(20.0, 5.0, 60), name="temperature")
    >>> X = pd.DataFrame({"good": y + rng.normal(size=60), "poor": y + 4 * rng.normal(size=60)})
    >>> model = GraphRegressor("good <- temperature -> poor").fit(X, y)
    >>> model.predict(pd.DataFrame({"good": [18.0], "poor": [26.0]})).round()
    array([18.])

    A gauge that is missing is no obstacle, and widens the interval:

    >>> holes = pd.DataFrame({"good": [18.0, None], "poor": [18.0, 18.0]})
    >>> narrow, wide = np.diff(model.predict_quantile(holes, [0.05, 0.95]))[:, 0]
    >>> bool(wide > 2.5 * narrow)
    True
    """

    _kind_of_target = "continuous"

    def predict(self, X):
        """Return the mean of the target given each row."""
        known = self._known_features(X)
        return self._models.mean(known)

    def predict_quantile(self, X, levels):
        """Return quantiles of the target given each row: shape (n, n_levels).

        Those of whole targets are whole. With fewer than some 25 rows to learn from, intervals are
        too narrow: of an easy linear graph of four columns nine in ten held 66% at 10 rows, 78% at
        15 and 85% at 25.

        Parameters
        ----------
        X : frame or array
            The features.
        levels : sequence of float
            Probabilities, such as ``[0.05, 0.95]`` for an interval that holds nine in ten.
        """
        levels = checked_levels(levels)
        known = self._known_features(X)
        parts = [
            np.column_stack([part.quantile(level) for level in levels])
            for part in self._models.distributions(known)
        ]
        return np.concatenate(parts)

    def _task(self):
        return Regression()

    def _check_target(self, target):
        numbers = as_numbers(target)
        # Counts have whole quantiles, be they stored as integers or, as scikit-learn does, floats.
        return numbers.astype(np.int64) if are_whole(numbers) else numbers


class GraphClassifier(ClassifierMixin, GraphEstimator):
    """Classify by all that the graph knows: causes, effects, and causes of effects.

    Every factor of the graph is fitted to the rows; the probabilities are those of the classes
    given the other cells of a row, by Bayes' rule. See `GraphModel.predict`. As far as held-out
    rows ask for it, they are averaged with those of a model which needs no causal knowledge.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads, optional
        The causal graph of the features and the target. Without one nothing is known: the
        complete graph is taken, with a warning.
    target : str, optional
        The target's node; by default the name of `y`, or the only node that is no feature.
    conditional : Conditional or "auto", optional
        How one factor is modelled; by default for each factor what makes left-out rows most
        likely (`AutoConditional`).
    trust : {"auto", "full"}, float or mapping to float, default="auto"
        How far the graph is believed, factor by factor, as in `fit_model`: by default as far as
        left-out rows let it be; ``model_.trust`` says how far that is. With the default the graph
        as a whole is weighed as well (`graph_weight_`), since factors cannot tell that an order is
        wrong.
    kinds : mapping of str to str, optional
        Kinds of columns that differ from the default. The target is discrete.
    limits : mapping of str to (float or None, float or None), optional
        Limits of columns.
    extra : {"ignore", "error"}, default="ignore"
        What to do with columns that are no node: leave them out and say so, or refuse them.
    feature_names : sequence of str, optional
        The names of the columns of an array.
    random_state : int, RandomState, Generator or None, optional
        The seed of the fit, where cells are missing. Predictions are not random.

    Attributes
    ----------
    model_ : GraphModel
        The graph's fitted model.
    graph_weight_ : float
        How far it is believed, from 0 to 1; the rest of a prediction is that of the model which
        needs no causal knowledge. 1 unless ``trust="auto"``.
    classes_ : array
        The classes, sorted.
    target_ : str
        The name of the target.
    columns_ : tuple of str
        The features that are nodes.
    feature_names_in_ : array of str
        The names of the features, if they have any.
    n_features_in_ : int
        The number of features.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from causalaug import GraphClassifier
    >>> rng = np.random.default_rng(0)
    >>> state = pd.Series(["sick", "well"] * 20, name="state")
    >>> raised = np.where(state == "sick", 2.0, 0.0)
    >>> X = pd.DataFrame({"fever": rng.normal(raised), "cough": rng.normal(raised)})
    >>> model = GraphClassifier("fever <- state -> cough").fit(X, state)
    >>> model.predict(pd.DataFrame({"fever": [3.0, None], "cough": [2.0, -1.0]}))
    array(['sick', 'well'], dtype=object)
    """

    _kind_of_target = "discrete"

    def predict(self, X):
        """Return the most probable class of each row."""
        most_probable = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[most_probable]

    def predict_proba(self, X):
        """Return the probability of each class, in the order of `classes_`."""
        known = self._known_features(X)
        parts = [
            probabilities_of(part, self.classes_) for part in self._models.distributions(known)
        ]
        return np.concatenate(parts)

    def predict_log_proba(self, X):
        """Return the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _task(self):
        return Classification(self.classes_, has_probabilities=True)

    def _check_target(self, target):
        self.classes_ = classes_of(target)
        return target
