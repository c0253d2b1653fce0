"""Student's t, the law of noise and of broad tails; the scale of values, whatever their unit."""

import math
from functools import lru_cache

import numpy as np
from scipy.special import gammaln, ndtri, stdtrit

from causalaug.typing import FloatArray

DEFAULT_FREEDOM = 3.0
"""Degrees of freedom of broad tails, and of noise where too few rows tell: a few outliers do not
choose then."""


def log_student(distance: FloatArray, log_scale: FloatArray | float, freedom: float) -> FloatArray:
    """Return the log-density of Student's t at a distance in scales; ``inf`` is the Gaussian.

    >>> bool(np.isclose(np.exp(log_student(np.zeros(1), 0.0, 1.0))[0], 1.0 / np.pi))
    True
    """
    with np.errstate(over="ignore"):  # so far out that nothing is left of the density
        squares = np.square(distance)
    if np.isinf(freedom):
        gaussian: FloatArray = -0.5 * squares - 0.5 * np.log(2.0 * np.pi) - log_scale
        return gaussian
    log_density: FloatArray = (
        _log_height(freedom) - log_scale - 0.5 * (freedom + 1.0) * np.log1p(squares / freedom)
    )
    return log_density


@lru_cache(maxsize=128)
def _log_height(freedom: float) -> float:
    """Return the log-density of Student's t at its centre, of scale 1."""
    ratio = gammaln(0.5 * (freedom + 1.0)) - gammaln(0.5 * freedom)
    return float(ratio - 0.5 * np.log(freedom * np.pi))


def student_levels(n_points: int, freedom: float) -> FloatArray:
    """Return points that cover Student's t, dense where its mass is.

    Levels are even on the scale of the logistic: half of the points are in the tails, which a
    posterior may need.
    """
    edge = np.log(1e4)  # from one part in ten thousand of the mass to all but one
    levels = 1.0 / (1.0 + np.exp(-np.linspace(-edge, edge, n_points)))
    return np.asarray(stdtrit(min(freedom, 1e10), levels), dtype=np.float64)


def student_quantile(level: FloatArray, freedom: float) -> FloatArray:
    """Return the quantile of Student's t, or of the Gaussian; never infinite."""
    inside = np.clip(level, 1e-9, 1.0 - 1e-9)
    quantile = ndtri(inside) if np.isinf(freedom) else stdtrit(freedom, inside)
    return np.asarray(quantile, dtype=np.float64)


def fit_student_scale(
    residuals: FloatArray, share: FloatArray, freedom: float, start: float = 0.0
) -> float:
    """Return the scale of Student's t that makes weighted residuals most likely.

    Each residual counts the less, the farther it is out, and at the best scale they count one on
    average. Newton's method finds it on the logarithm of the scale; the Gaussian needs no step. A
    `start` that is known to be close saves steps.
    """
    unit = _unit_of(residuals)
    squares = np.square(residuals / unit)
    scale = float(share @ squares)
    if not np.isfinite(freedom) or scale <= 0.0:
        return unit * math.sqrt(scale)
    scale = (start / unit) ** 2 if start > 0.0 else scale
    for _ in range(60):
        far = squares / (squares + freedom * scale)
        counts = share * far
        slope = float(counts @ (1.0 - far))
        # If one row has nearly all weight the scale shrinks for ever; it must not become zero.
        if slope <= 0.0 or scale < 1e-290:
            break
        excess = float(counts.sum()) - 1.0 / (freedom + 1.0)
        step = min(max(excess / slope, -2.0), 2.0)
        scale *= math.exp(step)
        if abs(step) <= 1e-6:  # the next would be smaller than rounding: its square
            break
    return unit * math.sqrt(scale)


def _unit_of(residuals: FloatArray) -> float:
    """Return the power of two above the largest residual; to divide by it rounds nothing."""
    return math.ldexp(1.0, math.frexp(float(np.abs(residuals).max(initial=0.0)))[1])


def floor_of_scale(values: FloatArray) -> float:
    """Return the least scale of a noise: deterministic columns exist, infinite densities do not.

    A millionth of the spread, and what a double can resolve at the size of the values.
    """
    width = float(np.ptp(values)) if len(values) else 0.0
    size = float(np.abs(values).max(initial=0.0))
    return max(1e-6 * width, 1e-12 * size, float(np.finfo(float).tiny) * 1e10)


def spread(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the standard deviation of weighted rows, of each column if there are several."""
    share = weights / weights.sum()
    return _deviation(values - share @ values, share)


def unit_of(away: FloatArray, share: FloatArray) -> float:
    """Return the standard deviation of centred values, or 1 if they do not vary."""
    return float(_deviation(away, share)) or 1.0


def _deviation(away: FloatArray, share: FloatArray) -> FloatArray:
    """Return the root of the mean square, in a unit that makes values about one.

    The unit is a power of two: to divide by it rounds nothing.
    """
    unit = np.ldexp(1.0, np.frexp(np.abs(away).max(axis=0))[1] - 1)
    deviation: FloatArray = unit * np.sqrt(share @ np.square(away / unit))
    return deviation
