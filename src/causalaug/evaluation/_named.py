"""Learners by name, for those who have no estimator at hand."""

from typing import Any

from sklearn.linear_model import LogisticRegression, Ridge

from causalaug._optional import import_optional
from causalaug._validation import check_choice
from causalaug.estimators import with_encoding
from causalaug.evaluation._plain import default_learner, plain_learners
from causalaug.exceptions import ParameterError

LEARNERS = ("boosting", "forest", "logistic", "ridge", "xgboost")
LINEAR = {"logistic": True, "ridge": False}
"""The linear learners, and whether they classify."""


def named_learner(name: str, features: Any, *, classification: bool) -> Any:
    """Return a learner for columns of any kind, ready to be compared or augmented.

    Parameters
    ----------
    name : {"boosting", "forest", "logistic", "ridge", "xgboost"}
        Histogram gradient boosting and a random forest of scikit-learn; logistic and ridge
        regression on scaled columns, with the penalty 1; XGBoost with its defaults, if it is
        installed.
    features : pandas or polars DataFrame
        The columns to predict from; those without numbers are encoded.
    classification : bool
        Whether classes are predicted, not numbers.

    Returns
    -------
    estimator
        A scikit-learn estimator or pipeline whose `fit` takes weights.

    Examples
    --------
    >>> import pandas as pd
    >>> parts = pd.DataFrame({"alloy": ["brass", "steel"], "load": [0.5, 2.0]})
    >>> list(named_learner("ridge", parts, classification=False).named_steps)
    ['columntransformer', 'standardscaler', 'ridge']
    """
    check_choice("estimator", name, LEARNERS)
    if LINEAR.get(name, classification) != classification:
        other = next(linear for linear, classifies in LINEAR.items() if classifies != LINEAR[name])
        raise ParameterError(
            f"The learner {name!r} must predict {'classes' if LINEAR[name] else 'numbers'}. "
            f"Found the task {'classification' if classification else 'regression'}. "
            f"Use {other!r}, or another task."
        )
    if name == "xgboost":
        return _xgboost(features, classification=classification)
    if name in LINEAR:
        linear = LogisticRegression(max_iter=1000) if classification else Ridge()
        return with_encoding(linear, features, scale=True)
    if name == "boosting":
        return default_learner(features, classification=classification)
    return plain_learners(features, classification=classification)[name]


def _xgboost(features: Any, *, classification: bool) -> Any:
    """Return XGBoost, one thread: the rows are few."""
    package = import_optional("xgboost", extra="xgboost", purpose="The learner 'xgboost'")
    kind = package.XGBClassifier if classification else package.XGBRegressor
    return with_encoding(kind(n_jobs=1), features, one_hot=False)
