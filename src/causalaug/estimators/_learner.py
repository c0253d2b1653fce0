"""What we ask of the learner inside: that it takes weights, and a seed."""

from inspect import Parameter, signature
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object

from causalaug._random import new_seed
from causalaug.estimators._encoding import columns_of_times, columns_without_numbers
from causalaug.exceptions import ParameterError
from causalaug.typing import FloatArray

INNER = ("estimator", "regressor", "classifier", "base_estimator")
"""Where meta-estimators keep the learner that their keywords go to."""


def fit_learner(learner: Any, features: Any, target: Any, weights: FloatArray) -> Any:
    """Return a clone of the learner, fitted to weighted rows."""
    keyword = weight_keyword(learner)
    try:
        return clone(learner).fit(features, target, **{keyword: weights})
    except (TypeError, ValueError) as error:
        odd = [*columns_without_numbers(features), *columns_of_times(features)]
        if not odd:
            raise
        raise ParameterError(
            f"The learner must take the columns as they are. Found {odd}, which hold no numbers, "
            f"and a {type(learner).__name__} that failed on them: {error} Encode them inside: "
            "`make_pipeline(make_column_transformer((OneHotEncoder(handle_unknown='ignore'), "
            f"{odd}), remainder='passthrough'), {type(learner).__name__}())`."
        ) from error


def check_learner(learner: Any) -> None:
    """Raise unless the learner can be cloned, fitted and given weights."""
    if isinstance(learner, type) or not all(
        callable(getattr(learner, verb, None)) for verb in ("fit", "predict", "get_params")
    ):
        raise ParameterError(
            "`estimator` must be a scikit-learn estimator with `fit` and `predict`. "
            f"Found {learner!r}."
        )
    weight_keyword(learner)


def weight_keyword(learner: Any) -> str:
    """Return the keyword of `fit` under which the learner takes weights, or raise.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> weight_keyword(make_pipeline(StandardScaler(), Ridge()))
    'ridge__sample_weight'
    """
    keyword = _find_keyword(learner)
    if keyword is None:
        raise ParameterError(
            "The learner must take instance weights: `fit(X, y, sample_weight=...)`. "
            f"Found {learner!r}, which does not. Use another learner, or put CausalAugmenter "
            "before it in a pipeline of imbalanced-learn: it draws rows instead of weighing them."
        )
    return keyword


def _find_keyword(learner: Any) -> str | None:
    if isinstance(learner, Pipeline):
        return _keyword_of_pipeline(learner)
    parameters = signature(learner.fit).parameters
    if "sample_weight" in parameters:
        return "sample_weight"
    if any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values()):
        inner = next((getattr(learner, name) for name in INNER if hasattr(learner, name)), None)
        return None if inner is None else _find_keyword(inner)
    return None


def _keyword_of_pipeline(pipeline: Pipeline) -> str | None:
    if get_config()["enable_metadata_routing"]:
        consumed = get_routing_for_object(pipeline).consumes("fit", ["sample_weight"])
        return "sample_weight" if consumed else None
    name, last = pipeline.steps[-1]
    keyword = None if last in (None, "passthrough") else _find_keyword(last)
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
