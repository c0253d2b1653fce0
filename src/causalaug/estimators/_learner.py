"""The learner inside: which loss it minimises, how it takes weights, a seed, and parameters.

New rows may carry an expected target instead of a drawn one only where that leaves the
learner's objective the same. Squared error is linear in the target but for a constant, so the
target can be replaced by its expectation; log-loss is linear in the classes' probabilities, so
each class can stand in the rows with its probability as weight. For any other loss the
replacement changes what is learnt: the mean of a logarithm is not the logarithm of a mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object

from causalaug._random import new_seed
from causalaug._threads import one_thread
from causalaug.estimators._learner_errors import learner_failed, says_to_be
from causalaug.exceptions import ParameterError
from causalaug.typing import FloatArray, IntArray

SQUARED_ERROR, LOG_LOSS, QUANTILE, OTHER = "squared error", "log-loss", "quantile", "other"

EXPECTED_LOSSES = frozenset({SQUARED_ERROR, LOG_LOSS})
"""Losses under which an expected target means the same as drawn ones."""

_PACKAGES = ("sklearn", "xgboost", "lightgbm")

_WRAPPERS = (
    *("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"),
    *("BaggingRegressor", "BaggingClassifier", "RFE", "RFECV"),
)
"""Estimators that fit the learner they hold to the target as it is."""

_LOSSES: Mapping[str, Mapping[str, str]] = {
    # Gini impurity is squared error on the indicators of the classes.
    SQUARED_ERROR: {
        "parameter": "squared_error friedman_mse gini reg:squarederror regression regression_l2 l2 "
        "mse mean_squared_error",
        "class": "LinearRegression Ridge RidgeCV Lasso LassoCV ElasticNet ElasticNetCV Lars LarsCV "
        "LassoLars LassoLarsCV LassoLarsIC OrthogonalMatchingPursuit BayesianRidge ARDRegression "
        "KernelRidge GaussianProcessRegressor KNeighborsRegressor RadiusNeighborsRegressor",
        # Older versions of scikit-learn have no choice of loss in a perceptron.
        "default": "MLPRegressor XGBRegressor XGBRFRegressor LGBMRegressor",
    },
    LOG_LOSS: {
        "parameter": "entropy log_loss binary:logistic multi:softprob multi:softmax binary "
        "multiclass softmax",
        "class": "LogisticRegression LogisticRegressionCV MLPClassifier",
        "default": "XGBClassifier XGBRFClassifier LGBMClassifier",
    },
    QUANTILE: {
        "parameter": "absolute_error quantile reg:absoluteerror reg:quantileerror regression_l1 l1 "
        "mae mean_absolute_error",
        "class": "QuantileRegressor",
        "default": "",
    },
    # One of them learns a function of the target, whose mean is not that function of the mean.
    OTHER: {
        "parameter": "",
        "class": "TransformedTargetRegressor HuberRegressor SVR NuSVR LinearSVR SVC NuSVC "
        "LinearSVC PoissonRegressor GammaRegressor TweedieRegressor TheilSenRegressor "
        "RANSACRegressor AdaBoostRegressor AdaBoostClassifier",
        "default": "HistGradientBoostingRegressor GradientBoostingRegressor SGDRegressor "
        "HistGradientBoostingClassifier GradientBoostingClassifier SGDClassifier "
        "RandomForestRegressor RandomForestClassifier ExtraTreesRegressor ExtraTreesClassifier "
        "DecisionTreeRegressor DecisionTreeClassifier ExtraTreeRegressor ExtraTreeClassifier",
    },
}
"""By loss: values of a learner's parameter that name it, classes that always have it, and classes
that have it unless a parameter names another."""


def _losses_by(column: str) -> dict[str, str]:
    return {name: loss for loss, names in _LOSSES.items() for name in names[column].split()}


_OF_PARAMETER, _OF_CLASS, _BY_DEFAULT = map(_losses_by, ("parameter", "class", "default"))


def loss_of(learner: Any) -> str | None:
    """Return the loss that a learner minimises, or None where its class does not tell.

    Examples
    --------
    >>> from sklearn.compose import TransformedTargetRegressor
    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> loss_of(make_pipeline(Ridge()))
    'squared error'
    >>> loss_of(HistGradientBoostingRegressor(loss="poisson"))
    'other'
    >>> loss_of(TransformedTargetRegressor(Ridge()))
    'other'
    """
    if isinstance(learner, Pipeline):
        return loss_of(learner.steps[-1][1])
    name = _known_class(learner)
    if name in _WRAPPERS:
        inner = learner.estimator
        return None if inner is None else loss_of(inner)
    if name is None:
        return None
    if getattr(learner, "class_weight", None) == "balanced":
        # Classes are balanced by counting rows, and expected rows hold every class.
        return OTHER
    if name in _OF_CLASS:
        return _OF_CLASS[name]
    for parameter in ("loss", "criterion", "objective"):
        value = getattr(learner, parameter, None)
        if value is not None:
            return _OF_PARAMETER.get(value, OTHER)
    return _BY_DEFAULT[name]


def _known_class(learner: Any) -> str | None:
    """Return the name of the first class of a learner's ancestry that is known, or None.

    The ancestry ends where another package begins to define the fit: a subclass of Ridge with
    a `fit` of its own may minimise anything.
    """
    for kind in type(learner).__mro__:
        own = kind.__module__.partition(".")[0] in _PACKAGES
        if own and kind.__name__ in (*_OF_CLASS, *_BY_DEFAULT, *_WRAPPERS):
            return kind.__name__
        if not own and "fit" in vars(kind):
            return None
    return None


INNER = ("estimator", "regressor", "classifier", "base_estimator")
"""Where meta-estimators keep the learner that their keywords go to."""

MOST_DRAWN_ROWS = 2000
"""A learner without weights gets no more rows than this, or than twice the observed ones if those
are more: Gaussian processes need the cube of it in time, foundation models have such limits."""


@dataclass(frozen=True, eq=False)
class Training:
    """Weighted rows as a learner takes them; the first `n_original` are observed ones."""

    features: Any
    target: Any
    weights: FloatArray
    n_original: int


@dataclass(frozen=True, eq=False)
class OfColumns:
    """A fitted learner that sees some of the features only."""

    learner: Any
    columns: tuple[int, ...]

    @property
    def classes_(self) -> Any:
        """The classes of the learner."""
        return self.learner.classes_

    def predict(self, X: Any) -> Any:
        """Predict with the learner."""
        return self.learner.predict(take_columns(X, self.columns))

    def predict_proba(self, X: Any) -> Any:
        """Return the learner's probabilities."""
        return self.learner.predict_proba(take_columns(X, self.columns))


@dataclass(frozen=True, eq=False)
class Learner:
    """The user's learner with what its `fit` needs: a value that other processes can have."""

    estimator: Any
    fit_params: Mapping[str, Any] = field(default_factory=dict)

    def fit(self, rows: Training, seed: int) -> Any:
        """Return a clone, fitted to weighted rows, or to equal ones where it takes no weights."""
        learner = clone(self.estimator)
        keyword = weight_keyword(learner)
        features, target, options = rows.features, rows.target, dict(self.fit_params)
        if keyword is not None:
            options[keyword] = rows.weights
        else:
            chosen = draw_equal_rows(rows.weights, rows.n_original, np.random.default_rng(seed))
            if len(chosen) != len(rows.weights) or (np.diff(chosen) != 1).any():
                features, target = take_rows(features, chosen), target[chosen]
        with one_thread(len(rows.weights)):
            try:
                return learner.fit(features, target, **options)
            except (TypeError, ValueError) as error:
                raise learner_failed(learner, features, target, error) from error


def draw_equal_rows(weights: FloatArray, n_original: int, rng: np.random.Generator) -> IntArray:
    """Return which rows stand for a weighted mixture if each counts the same, in their order.

    Each row comes as often as its weight asks for, up to rounding at random (systematic
    resampling, so that the expected number is exact). There are so many rows that observed ones
    of equal weight come once each, within the limit of `MOST_DRAWN_ROWS`.

    >>> draw_equal_rows(np.array([0.5, 0.5, 0.2, 0.3, 0.5]), 2, np.random.default_rng(0))
    array([0, 1, 3, 4])
    """
    total, observed = float(weights.sum()), float(weights[:n_original].sum())
    rows_wanted = n_original * total / observed if observed > 0.0 else float(n_original)
    unit = total / min(rows_wanted, max(2 * n_original, MOST_DRAWN_ROWS))
    parts = [weights[:n_original] / unit, weights[n_original:] / unit]
    # Rounded, so that a sum of equal parts is not just below a whole number.
    steps = [np.floor(np.round(np.cumsum(part), 9) + rng.random()) for part in parts]
    times = np.concatenate([np.diff(step, prepend=0.0) for step in steps])
    return np.repeat(np.arange(len(weights)), times.astype(np.int64))


def take_rows(features: Any, rows: IntArray) -> Any:
    """Return some rows of an array or a frame, by number."""
    if isinstance(features, np.ndarray):
        return features[rows]
    return nw.from_native(features, eager_only=True)[rows].to_native()


def check_learner(learner: Any) -> None:
    """Raise unless the learner can be cloned and fitted."""
    if isinstance(learner, type) or not all(
        callable(getattr(learner, verb, None)) for verb in ("fit", "predict", "get_params")
    ):
        raise ParameterError(
            "`estimator` must be a scikit-learn estimator with `fit` and `predict`. "
            f"Found {learner!r}. {_learner_to_write(learner)}".rstrip()
        )


def check_task(learner: Any, *, classification: bool) -> None:
    """Raise if a learner of classes is to learn numbers, or the other way round."""
    is_wrong, found, wanted, other, of_what = (
        (is_regressor, "regressor", "classifier", "AugmentedRegressor", "numbers")
        if classification
        else (is_classifier, "classifier", "regressor", "AugmentedClassifier", "classes")
    )
    if says_to_be(is_wrong, learner):
        raise ParameterError(
            f"The learner inside must be a {wanted}. Found the {found} {type(learner).__name__}. "
            f"Use {other} for {of_what}, or a {wanted}."
        )


def _learner_to_write(learner: object) -> str:
    """Return what to write instead of a class, or of a name."""
    if isinstance(learner, type):
        return f"Write {learner.__name__}(), with parentheses."
    if isinstance(learner, str):
        return (
            "Write the learner itself, such as sklearn.linear_model.Ridge(); learners by name come "
            f"from causalaug.evaluation.named_learner({learner!r}, X, classification=False)."
        )
    return ""


def check_fit_params(fit_params: Mapping[str, Any], n_rows: int) -> None:
    """Raise if a parameter of `fit` has one value per row: new rows would have none."""
    for name, value in fit_params.items():
        if isinstance(value, np.ndarray) or hasattr(value, "iloc"):
            per_row = len(np.shape(value)) > 0 and len(value) == n_rows
            if per_row:
                raise ParameterError(
                    "Parameters of the learner's `fit` must not hold one value per row: new rows "
                    f"would have none. Found {name!r} of length {n_rows}. Weights go in as "
                    "`sample_weight`, groups as `groups`."
                )


def weight_keyword(learner: Any) -> str | None:
    """Return the keyword of `fit` under which the learner takes weights, or None.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> weight_keyword(make_pipeline(StandardScaler(), Ridge()))
    'ridge__sample_weight'
    """
    if isinstance(learner, Pipeline):
        return _keyword_of_pipeline(learner)
    parameters = signature(learner.fit).parameters
    if "sample_weight" in parameters:
        return "sample_weight"
    if any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values()):
        inner = next((getattr(learner, name) for name in INNER if hasattr(learner, name)), None)
        return None if inner is None else weight_keyword(inner)
    return None


def _keyword_of_pipeline(pipeline: Pipeline) -> str | None:
    if get_config()["enable_metadata_routing"]:
        consumed = get_routing_for_object(pipeline).consumes("fit", ["sample_weight"])
        return "sample_weight" if consumed else None
    name, last = pipeline.steps[-1]
    keyword = None if last in (None, "passthrough") else weight_keyword(last)
    return None if keyword is None else f"{name}__{keyword}"


def seeded(learner: Any, rng: np.random.Generator) -> Any:
    """Return a clone of the learner whose open random states are set."""
    learner = clone(learner)
    names = sorted(
        name
        for name, value in learner.get_params().items()
        if value is None and name.rpartition("__")[2] == "random_state"
    )
    return learner.set_params(**{name: new_seed(rng) for name in names})


def take_columns(features: Any, positions: Sequence[int]) -> Any:
    """Return some columns of an array or a frame, by position."""
    if isinstance(features, np.ndarray):
        return features[:, list(positions)]
    opened = nw.from_native(features, eager_only=True)
    return opened.select(*(opened.columns[position] for position in positions)).to_native()
