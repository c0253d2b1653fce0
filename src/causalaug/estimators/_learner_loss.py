"""Which loss a learner minimises, as far as its class and its parameters tell.

New rows may carry an expected target instead of a drawn one only where that leaves the
learner's objective the same. Squared error is linear in the target but for a constant, so the
target can be replaced by its expectation; log-loss is linear in the classes' probabilities, so
each class can stand in the rows with its probability as weight. For any other loss the
replacement changes what is learnt: the mean of a logarithm is not the logarithm of a mean.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sklearn.pipeline import Pipeline

SQUARED_ERROR, LOG_LOSS, QUANTILE, OTHER = "squared error", "log-loss", "quantile", "other"

EXPECTED_LOSSES = frozenset({SQUARED_ERROR, LOG_LOSS})
"""Losses under which an expected target means the same as drawn ones."""

_PACKAGES = frozenset({"sklearn", "xgboost", "lightgbm"})

_WRAPPERS = frozenset(
    {
        "GridSearchCV",
        "RandomizedSearchCV",
        "HalvingGridSearchCV",
        "HalvingRandomSearchCV",
        "BaggingRegressor",
        "BaggingClassifier",
        "RFE",
        "RFECV",
    }
)
"""Estimators that fit the learner they hold to the target as it is."""

_LOSSES_BY_NAME = {
    # The parameters `loss`, `criterion` and `objective` of the three packages.
    "squared_error": SQUARED_ERROR,
    "friedman_mse": SQUARED_ERROR,
    # Gini impurity is squared error on the indicators of the classes.
    "gini": SQUARED_ERROR,
    "entropy": LOG_LOSS,
    "log_loss": LOG_LOSS,
    "absolute_error": QUANTILE,
    "quantile": QUANTILE,
    "reg:squarederror": SQUARED_ERROR,
    "binary:logistic": LOG_LOSS,
    "multi:softprob": LOG_LOSS,
    "multi:softmax": LOG_LOSS,
    "reg:absoluteerror": QUANTILE,
    "reg:quantileerror": QUANTILE,
    "regression": SQUARED_ERROR,
    "regression_l2": SQUARED_ERROR,
    "l2": SQUARED_ERROR,
    "mse": SQUARED_ERROR,
    "mean_squared_error": SQUARED_ERROR,
    "binary": LOG_LOSS,
    "multiclass": LOG_LOSS,
    "softmax": LOG_LOSS,
    "regression_l1": QUANTILE,
    "l1": QUANTILE,
    "mae": QUANTILE,
    "mean_absolute_error": QUANTILE,
}


def _always(loss: str) -> Callable[[Any], str]:
    return lambda learner: loss


def _named_by(parameter: str, default: str = OTHER) -> Callable[[Any], str]:
    """Return a function that looks the loss up by a parameter; `default` if that is None."""

    def find(learner: Any) -> str:
        value = getattr(learner, parameter, None)
        return default if value is None else _LOSSES_BY_NAME.get(value, OTHER)

    return find


_KNOWN: Mapping[str, Callable[[Any], str]] = {
    **dict.fromkeys(
        (
            "LinearRegression",
            "Ridge",
            "RidgeCV",
            "Lasso",
            "LassoCV",
            "ElasticNet",
            "ElasticNetCV",
            "Lars",
            "LarsCV",
            "LassoLars",
            "LassoLarsCV",
            "LassoLarsIC",
            "OrthogonalMatchingPursuit",
            "BayesianRidge",
            "ARDRegression",
            "KernelRidge",
            "GaussianProcessRegressor",
            "KNeighborsRegressor",
            "RadiusNeighborsRegressor",
        ),
        _always(SQUARED_ERROR),
    ),
    **dict.fromkeys(
        (
            "HistGradientBoostingRegressor",
            "GradientBoostingRegressor",
            "SGDRegressor",
        ),
        _named_by("loss"),
    ),
    # Older versions of scikit-learn have no choice of loss here.
    "MLPRegressor": _named_by("loss", default=SQUARED_ERROR),
    **dict.fromkeys(
        (
            "RandomForestRegressor",
            "RandomForestClassifier",
            "ExtraTreesRegressor",
            "ExtraTreesClassifier",
            "DecisionTreeRegressor",
            "DecisionTreeClassifier",
            "ExtraTreeRegressor",
            "ExtraTreeClassifier",
        ),
        _named_by("criterion"),
    ),
    **dict.fromkeys(
        ("LogisticRegression", "LogisticRegressionCV", "MLPClassifier"), _always(LOG_LOSS)
    ),
    **dict.fromkeys(
        ("HistGradientBoostingClassifier", "GradientBoostingClassifier", "SGDClassifier"),
        _named_by("loss"),
    ),
    **dict.fromkeys(("XGBRegressor", "XGBRFRegressor"), _named_by("objective", SQUARED_ERROR)),
    **dict.fromkeys(("XGBClassifier", "XGBRFClassifier"), _named_by("objective", LOG_LOSS)),
    "LGBMRegressor": _named_by("objective", SQUARED_ERROR),
    "LGBMClassifier": _named_by("objective", LOG_LOSS),
    "QuantileRegressor": _always(QUANTILE),
    # It learns a function of the target, whose mean is not that function of the mean.
    **dict.fromkeys(
        (
            "TransformedTargetRegressor",
            "HuberRegressor",
            "SVR",
            "NuSVR",
            "LinearSVR",
            "SVC",
            "NuSVC",
            "LinearSVC",
            "PoissonRegressor",
            "GammaRegressor",
            "TweedieRegressor",
            "TheilSenRegressor",
            "RANSACRegressor",
            "AdaBoostRegressor",
            "AdaBoostClassifier",
        ),
        _always(OTHER),
    ),
}


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
    return _KNOWN[name](learner)


def _known_class(learner: Any) -> str | None:
    """Return the name of the first class of a learner's ancestry that is known, or None.

    The ancestry ends where another package begins to define the fit: a subclass of Ridge with
    a `fit` of its own may minimise anything.
    """
    for kind in type(learner).__mro__:
        own = kind.__module__.partition(".")[0] in _PACKAGES
        if own and (kind.__name__ in _KNOWN or kind.__name__ in _WRAPPERS):
            return kind.__name__
        if not own and "fit" in vars(kind):
            return None
    return None
