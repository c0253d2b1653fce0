"""Choose the scale on which a column is moved, by rows that the mean has not seen."""

import numpy as np

from causalaug.densities._mean import fit_smooth_mean
from causalaug.densities._noise_density import transformed_density
from causalaug.densities._spread import spread
from causalaug.densities._student import fit_student_scale, student_quantile
from causalaug.densities._transform import (
    LogitTransform,
    LogTransform,
    PlainTransform,
    Transform,
)
from causalaug.typing import FloatArray

LEAST_SKEWNESS = 0.5
"""A column with a shorter tail looks much the same on a logarithmic scale: none is tried."""

FREEDOM = 3.0
"""Degrees of freedom of the noise: with tails this heavy a few outliers do not choose."""

NOISE_POINTS = 25
"""Quantiles of the noise over which an expected value is averaged."""


def choose_transform(
    inputs: FloatArray,
    target: FloatArray,
    weights: FloatArray,
    limits: tuple[float, float],
    *,
    is_integer: bool = False,
) -> Transform:
    """Return another scale than the column's own if rows that were left out speak for it twice.

    On that scale they must be likelier, and their squared distance to what is expected of them, in
    units of the column, must not be larger: a scale may describe most rows better and still give
    means that nobody should be told.

    Shapes: inputs (n_rows, n_inputs), target and weights (n_rows,). A column that is not close
    to a limit, or has no long tail away from it, stays as it is, and nothing is fitted.
    """
    plain = PlainTransform.of(limits, is_integer=is_integer)
    other = _other_scale(target, weights, plain.low, plain.high)
    if other is None:
        return plain
    likelihood, error = judge_scale(plain, inputs, target, weights)
    other_likelihood, other_error = judge_scale(other, inputs, target, weights)
    return other if other_likelihood > likelihood and other_error <= error else plain


def _other_scale(
    target: FloatArray, weights: FloatArray, low: float, high: float
) -> Transform | None:
    """Return the scale that the limits allow, if it differs enough from none."""
    least, largest = float(target.min()), float(target.max())
    # From a limit that is further away than the column is wide, logarithms are nearly straight.
    is_near_low = least > low and least - low < largest - least
    is_near_high = largest < high and high - largest < largest - least
    if is_near_low and is_near_high:
        return LogitTransform(low, high)
    tail = _skewness(target, weights)
    if is_near_low and tail > LEAST_SKEWNESS:
        return LogTransform.of(low, target)
    if is_near_high and tail < -LEAST_SKEWNESS:
        return LogTransform.of(high, target, sign=-1)
    return None


def _skewness(values: FloatArray, weights: FloatArray) -> float:
    """Return the third moment of the values, in standard deviations."""
    share = weights / weights.sum()
    width = float(spread(values, weights))
    # Values that differ by the smallest floats there are have a spread of zero.
    if width == 0.0:
        return 0.0
    # If one row has nearly all weight, the others are so far out that cubes overflow.
    return float(share @ np.clip((values - share @ values) / width, -1e100, 1e100) ** 3)


def judge_scale(
    transform: Transform, inputs: FloatArray, target: FloatArray, weights: FloatArray
) -> tuple[float, float]:
    """Return the mean log-density of left-out rows on a scale, and their mean squared error.

    Each row is judged under the mean fitted to all the others. Its expected value is that of the
    noise around that mean, on the scale of the column.
    """
    scaled = transform.forward(target)
    smooth = fit_smooth_mean(inputs, scaled, weights)
    left_out = smooth.residuals / np.maximum(1.0 - smooth.leverages, 1e-6)
    share = weights / weights.sum()
    size = max(fit_student_scale(left_out, share, FREEDOM), np.finfo(np.float64).tiny)
    centre = scaled - left_out
    logs = transformed_density(transform, target, centre, np.full(len(target), size), FREEDOM)
    levels = (np.arange(NOISE_POINTS) + 0.5) / NOISE_POINTS
    around = centre[:, np.newaxis] + size * student_quantile(levels, FREEDOM)
    expected = transform.inverse(around).mean(axis=1)
    return float(share @ logs), float(share @ np.square(expected - target))
