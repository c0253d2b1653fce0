"""A mean fitted by somebody else's regressor."""

import copy
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from causalaug.exceptions import ParameterError
from causalaug.typing import FloatArray, IntArray

N_FOLDS = 5
"""Folds from which the residuals are taken."""


def check_regressor(regressor: object) -> None:
    """Raise unless it is nothing, or an object that can be fitted and asked."""
    if regressor is None:
        return
    verbs = ("fit", "predict")
    if isinstance(regressor, type) or not all(
        callable(getattr(regressor, verb, None)) for verb in verbs
    ):
        raise ParameterError(
            "`regressor` must be an object with methods `fit` and `predict`, such as "
            f"sklearn.linear_model.LinearRegression(), or None. Found {regressor!r}."
        )


@dataclass(frozen=True, eq=False)
class RegressorMean:
    """The mean as a fitted regressor predicts it; a value, so that it pickles."""

    fitted: Any

    def predict(self, inputs: FloatArray) -> FloatArray:
        """Return the mean at each row of inputs."""
        return np.asarray(self.fitted.predict(inputs), dtype=np.float64).reshape(-1)


def fit_regressor(
    regressor: Any, inputs: FloatArray, target: FloatArray, weights: FloatArray | None
) -> tuple["RegressorMean", FloatArray]:
    """Return the mean fitted to all rows, and residuals of rows that a fit has not seen.

    A flexible regressor leaves next to nothing of the rows that it was fitted to, and we
    cannot ask it how many degrees of freedom it used. Row `i` is in fold ``i % N_FOLDS``.
    """
    if weights is not None and not _takes_weights(regressor):
        raise ParameterError(
            "With `sample_weight` the regressor of a ResidualConditional must take it too. "
            f"Found {regressor!r}, whose `fit` does not. Use another, or the default."
        )

    def fit(rows: IntArray) -> RegressorMean:
        keywords = {} if weights is None else {"sample_weight": weights[rows]}
        return RegressorMean(copy.deepcopy(regressor).fit(inputs[rows], target[rows], **keywords))

    every = np.arange(len(target))
    mean = fit(every)
    if len(target) < N_FOLDS:
        return mean, target - mean.predict(inputs)
    residuals = np.empty(len(target))
    for fold in range(N_FOLDS):
        held_out = every % N_FOLDS == fold
        residuals[held_out] = target[held_out] - fit(every[~held_out]).predict(inputs[held_out])
    return mean, residuals


def _takes_weights(regressor: Any) -> bool:
    return "sample_weight" in signature(regressor.fit).parameters
