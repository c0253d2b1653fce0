"""Learners that are the graph's own model: the target given the rest, by Bayes' rule."""

import warnings

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from causalaug._random import as_generator, new_seed
from causalaug._validation import check_choice, check_same_variables, some
from causalaug.conditionals import AutoConditional, check_belief
from causalaug.estimators._base import _check_weights
from causalaug.estimators._features_and_target import (
    check_named,
    check_rows,
    is_frame,
    kinds_with_target,
    labels_there,
    name_of_target,
    names_of_array,
    observe,
)
from causalaug.estimators._folds import Classification, Regression
from causalaug.estimators._intervals import checked_levels
from causalaug.estimators._numeric_target import are_whole, as_numbers
from causalaug.estimators._predictors import probabilities_of
from causalaug.estimators._two_models import TwoModels
from causalaug.estimators._validation import (
    classes_of,
    labels_of,
    validated,
    warn_of_new_labels,
    warn_of_no_labels,
)
from causalaug.exceptions import CausalAugWarning
from causalaug.graphs import as_graph, complete_graph
from causalaug.model import resolve_conditional
from causalaug.table import check_names


class GraphEstimator(BaseEstimator):
    """What the regressor and the classifier share."""

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
        check_choice("extra", self.extra, ("ignore", "error"))
        check_belief(self.trust)
        conditional = resolve_conditional(self.conditional, AutoConditional())
        named_y = y
        is_number = self._kind_of_target == "continuous"
        X, y = check_rows(self, X, y, y_numeric=is_number, holes=True)
        missing = pd.isna(y)
        labels = self._check_target(labels_there(y, missing) if missing.any() else y)
        if not missing.any():
            y = labels
        elif is_number and labels.dtype.kind == "i":
            y = _with_gaps(labels, missing)
        graph = None if self.graph is None else as_graph(self.graph)
        features = self._named_features(X, graph)
        graph, name = self._graph_and_target(graph, named_y, features)
        features = self._known_columns(features, graph, name)
        weights = _check_weights(sample_weight, len(y))
        observed = observe(
            features,
            y,
            graph=graph,
            name=name,
            kinds=kinds_with_target(name, self._kind_of_target, self.kinds),
            sample_weight=weights,
            limits=self.limits,
            trust=self.trust,
        )
        warn_of_no_labels(missing[weights > 0.0])
        self.target_, self._labels = name, labels_of(features)
        self.columns_ = tuple(column for column in observed.table.columns if column != name)
        seed = new_seed(as_generator(self.random_state))
        self._models = TwoModels.fit(observed, conditional, self._task(), seed)
        self.model_, self.graph_weight_ = self._models.models[0], float(self._models.weights[0])
        return self

    def _named_features(self, X, graph):
        """Return the features as a frame whose names are strings, if they may be any."""
        if is_frame(X):
            check_named(X, self.feature_names)
            features = X if graph is not None else _with_string_names(X)
        elif graph is None and self.feature_names is None:
            features = pd.DataFrame(X, columns=[f"x{number}" for number in range(X.shape[1])])
        else:
            features = pd.DataFrame(X, columns=names_of_array(X, self.feature_names))
        check_names(nw.from_native(features, eager_only=True).columns)
        return features

    def _graph_and_target(self, graph, y, features):
        """Return the graph and the name of the target; the complete graph if nothing is known."""
        if graph is not None:
            return graph, name_of_target(self.target, y, features, graph)
        columns = list(nw.from_native(features, eager_only=True).columns)
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

    def _known_columns(self, features, graph, name):
        """Return the features that are nodes; others are named once, or refused."""
        opened = nw.from_native(features, eager_only=True)
        extra = [column for column in opened.columns if column not in graph.nodes]
        columns = [*opened.columns, name]
        if not extra or self.extra == "error" or not set(graph.nodes) <= set(columns):
            check_same_variables(graph.nodes, columns)
            return features
        warnings.warn(
            f"Columns that are no node of the graph are not used: {some(extra)}. Add them to the "
            'graph, drop them, or write extra="error".',
            CausalAugWarning,
            stacklevel=3,
        )
        return opened.drop(extra).to_native()

    def _known_features(self, X):
        """Return the features that are nodes, as the models know them."""
        check_is_fitted(self, "model_")
        if is_frame(X):
            validated(self, X, skip_check_array=True, reset=False)
            opened = nw.from_native(_with_string_names(X), eager_only=True)
            frame = opened.select(list(self.columns_)).to_native()
            warn_of_new_labels(self._labels, frame, stacklevel=4)
            return frame
        options = {"ensure_all_finite": "allow-nan", "ensure_min_samples": 0}
        X = validated(self, X, reset=False, **options)
        names = getattr(self, "feature_names_in_", self.feature_names)
        names = [f"x{number}" for number in range(X.shape[1])] if names is None else list(names)
        return pd.DataFrame(X, columns=names)[list(self.columns_)]

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
    >>> np.diff(model.predict_quantile(holes, [0.05, 0.95]))[:, 0].round()
    array([3., 9.])
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


def _with_string_names(frame):
    """Return a frame, its columns named x0, x1, ... unless they all have names."""
    if not isinstance(frame, pd.DataFrame) or all(isinstance(name, str) for name in frame.columns):
        return frame
    return frame.set_axis([f"x{number}" for number in range(frame.shape[1])], axis=1)


def _with_gaps(labels, missing):
    """Return whole numbers at the places that have one, and a missing cell elsewhere."""
    target = pd.array(np.zeros(len(missing), dtype=np.int64), dtype="Int64")
    target[~missing], target[missing] = labels, pd.NA
    return pd.Series(target)
