"""The default mean of a residual conditional: kernel ridge plus a linear part.

The smooth part lives on a fixed number of landmarks, so that the cost of fitting and of
predicting is linear in the rows.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist

from causalaug.typing import FloatArray

MOST_LANDMARKS = 64
"""Centres of the smooth part."""

LENGTHS = (0.7, 1.5)
"""Length scales that are tried, in standard deviations of the pillow."""

LINEAR_SHARE = 4.0
"""Prior variance of the linear part, relative to the smooth part."""

PENALTIES = np.logspace(-6, 1, 15)
"""Penalties that are tried, relative to the variance of the features."""

JITTER = 1e-10
"""Directions of the landmarks with less than this share of the variance are left out."""


@dataclass(frozen=True, eq=False)
class _Features:
    """Standardised inputs, and Gaussian bumps at the landmarks unless there are none."""

    centre: FloatArray
    scale: FloatArray
    length: float
    landmarks: FloatArray
    whitening: FloatArray

    def __call__(self, inputs: FloatArray) -> FloatArray:
        standard = (inputs - self.centre) / self.scale
        n_inputs = max(standard.shape[1], 1)
        linear: FloatArray = standard * np.sqrt(LINEAR_SHARE / n_inputs)
        if not len(self.landmarks):
            return linear
        smooth = _bumps(standard, self.landmarks, self.length) @ self.whitening
        return np.hstack([linear, smooth])


@dataclass(frozen=True, eq=False)
class SmoothMean:
    """A fitted mean, the leave-one-out error that chose it, and what it owes to each row.

    `leverages` say how much each row pulls its own fitted value, between 0 and 1. `error` is
    a share of the variance.
    """

    features: _Features
    coefficients: FloatArray
    intercept: float
    leverages: FloatArray
    error: float

    def predict(self, inputs: FloatArray) -> FloatArray:
        """Return the mean at each row of inputs."""
        predicted: FloatArray = self.features(inputs) @ self.coefficients + self.intercept
        return predicted


def fit_smooth_mean(inputs: FloatArray, target: FloatArray, weights: FloatArray) -> SmoothMean:
    """Return the mean whose leave-one-out error is least: linear, or with a smooth part.

    Shapes: inputs (n_rows, n_inputs), target and weights (n_rows,). The weights count rows;
    only their ratios matter.
    """
    share = weights / weights.sum()
    centre, scale = share @ inputs, spread(inputs, weights)
    scale[scale == 0.0] = 1.0
    landmarks = _choose_landmarks((inputs - centre) / scale)
    nowhere = np.empty((0, inputs.shape[1]))
    candidates = [_Features(centre, scale, 1.0, nowhere, nowhere)]
    for length in LENGTHS:
        whitening = _whiten(_bumps(landmarks, landmarks, length))
        candidates.append(_Features(centre, scale, length, landmarks, whitening))
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
    variances, directions = linalg.eigh(rows.T @ rows)
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
    return SmoothMean(
        features,
        coefficients,
        mean - float(middle @ coefficients),
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


def _whiten(gram: FloatArray) -> FloatArray:
    """Return the matrix that turns bumps into features whose products are the kernel."""
    variances, directions = linalg.eigh(gram)
    keep = variances > JITTER * variances.max()
    whitening: FloatArray = directions[:, keep] / np.sqrt(variances[keep])
    return whitening
