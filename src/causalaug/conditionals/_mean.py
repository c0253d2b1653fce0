"""The mean of a variable given its pillow.

By default it is kernel ridge regression plus a linear part, tuned by its exact leave-one-out
error. The smooth part lives on a fixed number of landmarks, so that the cost of fitting and of
predicting is linear in the rows. Any regressor with `fit` and `predict` can take its place.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from scipy.linalg import eigh, lapack
from scipy.spatial.distance import cdist

from causalaug.exceptions import ParameterError
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

MOST_LANDMARKS = 64
"""Centres of the smooth part, before those are left out that the others span."""

LENGTHS = (0.7, 1.5)
"""Length scales that are tried, in standard deviations of the pillow."""

LINEAR_SHARE = 4.0
"""Prior variance of the linear part, relative to the smooth part."""

PENALTIES = np.logspace(-6, 1, 15)
"""Penalties that are tried, relative to the variance of the features."""

JITTER = 1e-10
"""Landmarks of whose bump less than this is new beside the others are left out, and penalties
are no smaller where no feature varies by more."""

N_FOLDS = 5
"""Folds from which the residuals are taken."""


@dataclass(frozen=True, eq=False)
class Design:
    """Numbers as they are, and one indicator per value of what has no scale.

    `levels` holds, for each column of the pillow, the values that get an indicator, or None
    for a number. The first value needs none, unless it is the only one: it is where all the
    others are zero.
    """

    columns: list[int]
    levels: tuple[FloatArray | None, ...]

    @classmethod
    def of(cls, table: Table, pillow: Sequence[str]) -> "Design":
        """Return the design of some columns of a table."""
        columns = [table.index(name) for name in pillow]
        levels = (
            None if table.numeric[column] else _indicated(table.values[:, column])
            for column in columns
        )
        return cls(columns, tuple(levels))

    def __call__(self, pillow: FloatArray) -> FloatArray:
        """Return the inputs, one row per row of pillow values."""
        blocks = [
            values[:, np.newaxis]
            if levels is None
            else (values[:, np.newaxis] == levels).astype(np.float64)
            for values, levels in zip(pillow.T, self.levels, strict=True)
        ]
        return np.hstack(blocks)


def _indicated(values: FloatArray) -> FloatArray:
    distinct = np.unique(values)
    return distinct[1:] if len(distinct) > 1 else distinct


@dataclass(frozen=True, eq=False)
class _Features:
    """Standardised inputs, and Gaussian bumps at the landmarks unless there are none."""

    centre: FloatArray
    scale: FloatArray
    length: float
    landmarks: FloatArray
    whitening: FloatArray

    def __call__(self, inputs: FloatArray) -> FloatArray:
        """Return the features of each row of inputs."""
        linear, bumps = self._parts(inputs)
        return np.hstack([linear, bumps @ self.whitening])

    def weighted_sum(self, inputs: FloatArray, coefficients: FloatArray) -> FloatArray:
        """Return the features of each row times the coefficients, without their matrix."""
        linear, bumps = self._parts(inputs)
        n_inputs = inputs.shape[1]
        heights = self.whitening @ coefficients[n_inputs:]
        total: FloatArray = np.einsum("ij,j->i", linear, coefficients[:n_inputs])
        total += np.einsum("ij,j->i", bumps, heights)
        return total

    def _parts(self, inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
        standard = (inputs - self.centre) / self.scale
        share = LINEAR_SHARE / max(inputs.shape[1], 1)
        return standard * np.sqrt(share), _bumps(standard, self.landmarks, self.length)


@dataclass(frozen=True, eq=False)
class SmoothMean:
    """A fitted mean, the leave-one-out error that chose it, and what it owes to each row.

    `residuals` are what it leaves of the target. `leverages` say how much each row pulls its
    own fitted value, between 0 and 1. `error` is a share of the variance.
    """

    features: _Features
    coefficients: FloatArray
    intercept: float
    residuals: FloatArray
    leverages: FloatArray
    error: float

    def predict(self, inputs: FloatArray) -> FloatArray:
        """Return the mean at each row of inputs."""
        return self.features.weighted_sum(inputs, self.coefficients) + self.intercept


def fit_smooth_mean(inputs: FloatArray, target: FloatArray, weights: FloatArray) -> SmoothMean:
    """Return the mean whose leave-one-out error is least: linear, or with a smooth part.

    Shapes: inputs (n_rows, n_inputs), target and weights (n_rows,). The weights count rows;
    only their ratios matter.
    """
    share = weights / weights.sum()
    centre, scale = share @ inputs, spread(inputs, weights)
    scale[scale == 0.0] = 1.0
    landmarks = _choose_landmarks((inputs - centre) / scale)
    candidates = [_Features(centre, scale, 1.0, landmarks[:0], np.empty((0, 0)))]
    for length in LENGTHS:
        chosen, whitening = _whiten(_bumps(landmarks, landmarks, length))
        candidates.append(_Features(centre, scale, length, landmarks[chosen], whitening))
    fits = [_fit_ridge(features, inputs, target, share) for features in candidates]
    return min(fits, key=lambda fit: fit.error)


def _fit_ridge(
    features: _Features, inputs: FloatArray, target: FloatArray, share: FloatArray
) -> SmoothMean:
    """Fit at every penalty at once; the intercept is free."""
    design = features(inputs)
    root = np.sqrt(share)
    middle, mean = share @ design, float(share @ target)
    rows = root[:, np.newaxis] * (design - middle)
    unit = _power_of_two(target - mean)
    response = root * ((target - mean) / unit)
    variances, directions = eigh(rows.T @ rows)
    variances = np.maximum(variances, 0.0)
    scores = rows @ directions
    projected = scores.T @ response
    largest = max(float(variances.max(initial=0.0)), JITTER)
    shrunk = 1.0 / (variances[:, np.newaxis] + PENALTIES * largest)
    leverages = share[:, np.newaxis] + np.square(scores) @ shrunk
    left_out = response[:, np.newaxis] - scores @ (projected[:, np.newaxis] * shrunk)
    left_out /= np.maximum(1.0 - leverages, 1e-6)
    errors = np.square(left_out).sum(axis=0)
    best = len(errors) - 1 - int(np.argmin(errors[::-1]))
    coefficients = unit * (directions @ (projected * shrunk[:, best]))
    intercept = mean - float(middle @ coefficients)
    return SmoothMean(
        features,
        coefficients,
        intercept,
        target - (design @ coefficients + intercept),
        np.clip(leverages[:, best], 0.0, 1.0),
        float(errors[best] / max(np.square(response).sum(), np.finfo(float).tiny)),
    )


def spread(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the standard deviation of weighted rows, whatever the unit: 1e300 or 1e-300."""
    share = weights / weights.sum()
    away = values - share @ values
    unit = _power_of_two(away)
    deviation: FloatArray = unit * np.sqrt(share @ np.square(away / unit))
    return deviation


def _power_of_two(values: FloatArray) -> FloatArray:
    """Return a unit in which values are about one; to divide by it rounds nothing."""
    unit: FloatArray = np.ldexp(1.0, np.frexp(np.abs(values).max(axis=0))[1] - 1)
    return unit


def _choose_landmarks(inputs: FloatArray) -> FloatArray:
    """Return distinct rows, evenly spaced in sorted order: the order of the rows is nothing."""
    distinct = np.unique(inputs, axis=0)
    chosen = np.linspace(0, len(distinct) - 1, min(len(distinct), MOST_LANDMARKS))
    return distinct[np.round(chosen).astype(np.int64)]


def _bumps(inputs: FloatArray, landmarks: FloatArray, length: float) -> FloatArray:
    width = length * np.sqrt(max(inputs.shape[1], 1))
    bumps: FloatArray = np.exp(-0.5 * cdist(inputs / width, landmarks / width, "sqeuclidean"))
    return bumps


def _whiten(gram: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return bumps that span all, and what turns them into features whose products are `gram`.

    A Cholesky factorisation takes the bump that is worst explained by those before it, until
    all are explained. Wide bumps close together need few: predicting then costs less.
    """
    factor, order, rank, _ = lapack.dpstrf(gram, tol=JITTER, lower=1)
    inverse, _ = lapack.dtrtri(factor[:rank, :rank], lower=1)
    whitening: FloatArray = np.ascontiguousarray(np.tril(inverse).T)
    return order[:rank] - 1, whitening


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
