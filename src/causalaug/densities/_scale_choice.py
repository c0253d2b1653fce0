"""Choose the scale on which a column is moved, by rows that the mean has not seen."""

import numpy as np

from causalaug.densities._mean import fit_smooth_mean
from causalaug.densities._noise_density import transformed_density
from causalaug.densities._spread import spread
from causalaug.densities._student import fit_student_scale
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


def choose_transform(
    inputs: FloatArray,
    target: FloatArray,
    weights: FloatArray,
    limits: tuple[float, float],
    *,
    is_integer: bool = False,
) -> Transform:
    """Return the scale on which rows that were left out are most likely.

    Shapes: inputs (n_rows, n_inputs), target and weights (n_rows,). A column that is not close
    to a limit, or has no long tail away from it, stays as it is, and nothing is fitted.
    """
    plain = PlainTransform.of(limits, is_integer=is_integer)
    candidates = _candidates(target, weights, plain.low, plain.high)
    if not candidates:
        return plain
    fits = [
        held_out_likelihood(transform, inputs, target, weights)
        for transform in (plain, *candidates)
    ]
    return (plain, *candidates)[int(np.argmax(fits))]


def _candidates(
    target: FloatArray, weights: FloatArray, low: float, high: float
) -> tuple[Transform, ...]:
    """Return the scales that the limits allow and that differ enough from none."""
    least, largest = float(target.min()), float(target.max())
    # From a limit that is further away than the column is wide, logarithms are nearly straight.
    is_near_low = least > low and least - low < largest - least
    is_near_high = largest < high and high - largest < largest - least
    if is_near_low and is_near_high:
        return (LogitTransform(low, high),)
    tail = _skewness(target, weights)
    if is_near_low and tail > LEAST_SKEWNESS:
        return (LogTransform(low),)
    if is_near_high and tail < -LEAST_SKEWNESS:
        return (LogTransform(high, sign=-1),)
    return ()


def _skewness(values: FloatArray, weights: FloatArray) -> float:
    """Return the third moment of the values, in standard deviations."""
    share = weights / weights.sum()
    width = float(spread(values, weights))
    # Values that differ by the smallest floats there are have a spread of zero.
    if width == 0.0:
        return 0.0
    # If one row has nearly all weight, the others are so far out that cubes overflow.
    return float(share @ np.clip((values - share @ values) / width, -1e100, 1e100) ** 3)


def held_out_likelihood(
    transform: Transform, inputs: FloatArray, target: FloatArray, weights: FloatArray
) -> float:
    """Return the mean log-density of rows, each under the mean fitted to all the others."""
    scaled = transform.forward(target)
    smooth = fit_smooth_mean(inputs, scaled, weights)
    left_out = smooth.residuals / np.maximum(1.0 - smooth.leverages, 1e-6)
    share = weights / weights.sum()
    size = max(fit_student_scale(left_out, share, FREEDOM), np.finfo(np.float64).tiny)
    logs = transformed_density(
        transform, target, scaled - left_out, np.full(len(target), size), FREEDOM
    )
    return float(share @ logs)
