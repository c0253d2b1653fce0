"""Student's t: the law of noise and of broad tails, and the scale that fits residuals best."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.special import gammaln, ndtri, stdtrit

from causalaug._ragged import blocks_by_size
from causalaug.typing import FloatArray, IntArray

SMALLEST_SCALE = 1e-290
"""Squared scales are not made smaller than that, in units of the largest residual."""

FARTHEST_STEP = 2.0
"""By how much the logarithm of a squared scale changes at a time, at most."""

LEAST_STEP = 1e-6
"""After a step as small as this, the next would be smaller than rounding: its square."""

MOST_STEPS = 60

TOGETHER = 1 << 14
"""Rows of several variables that are fitted together."""

FARTHEST_LEVEL = 1e-4
"""Points of a quadrature start and end at this share of the mass."""


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
    edge = np.log(1.0 / FARTHEST_LEVEL)
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
    for _ in range(MOST_STEPS):
        far = squares / (squares + freedom * scale)
        counts = share * far
        slope = float(counts @ (1.0 - far))
        # If one row has nearly all weight the scale shrinks for ever; it must not become zero.
        if slope <= 0.0 or scale < SMALLEST_SCALE:
            break
        excess = float(counts.sum()) - 1.0 / (freedom + 1.0)
        step = min(max(excess / slope, -FARTHEST_STEP), FARTHEST_STEP)
        scale *= math.exp(step)
        if abs(step) <= LEAST_STEP:
            break
    return unit * math.sqrt(scale)


def fit_student_scales(
    residuals: Sequence[FloatArray], shares: Sequence[FloatArray], freedoms: Sequence[float]
) -> tuple[FloatArray, FloatArray]:
    """Return the same for several variables at several degrees of freedom, and how likely each is.

    Shapes: (n_freedoms, n_variables) twice. The second is the mean log-density of the residuals,
    0 where none differs from 0. Variables are fitted together, as far as they fit into the
    processor's cache: of 100 rows each, that takes a fifth of the time.
    """
    lengths = np.array([len(each) for each in residuals])
    parts = [
        _fit_together(residuals[part], shares[part], freedoms)
        for part in blocks_by_size(lengths, TOGETHER)
    ]
    scales, logs = (np.concatenate(each, axis=1) for each in zip(*parts, strict=True))
    return scales, logs


def _fit_together(
    residuals: Sequence[FloatArray], shares: Sequence[FloatArray], freedoms: Sequence[float]
) -> tuple[FloatArray, FloatArray]:
    """Return scales and mean log-densities of a few variables, whose rows are laid end to end."""
    lengths = np.array([len(each) for each in residuals])
    starts, share = np.cumsum(lengths) - lengths, np.concatenate(shares)
    units = np.array([_unit_of(each) for each in residuals])
    squares = np.square(np.concatenate(residuals) / np.repeat(units, lengths))
    variances = np.add.reduceat(share * squares, starts)
    varies = variances > 0.0
    scale, scales, logs = np.where(varies, variances, 1.0), [], []
    for freedom in freedoms:
        # The scale at the last freedom is close to that at this one.
        scale = _fitted_scales(squares, share, starts, lengths, freedom, scale)
        far = np.log1p(squares / np.repeat(freedom * scale, lengths))
        mean = np.add.reduceat(share * far, starts)
        height = _log_height(freedom) - np.log(units * np.sqrt(scale))
        logs.append(np.where(varies, height - 0.5 * (freedom + 1.0) * mean, 0.0))
        scales.append(np.where(varies, units * np.sqrt(scale), 0.0))
    return np.stack(scales), np.stack(logs)


def _fitted_scales(
    squares: FloatArray,
    share: FloatArray,
    starts: IntArray,
    lengths: IntArray,
    freedom: float,
    scale: FloatArray,
) -> FloatArray:
    """Return the squared scales of variables that are laid end to end, by Newton's method."""
    is_open = np.ones(len(scale), dtype=bool)
    for _ in range(MOST_STEPS):
        far = squares / (squares + np.repeat(freedom * scale, lengths))
        counts = share * far
        excess = np.add.reduceat(counts, starts) - 1.0 / (freedom + 1.0)
        slope = np.add.reduceat(counts * (1.0 - far), starts)
        is_open &= (slope > 0.0) & (scale >= SMALLEST_SCALE)
        step = np.divide(excess, slope, out=np.zeros(len(scale)), where=is_open)
        step = np.minimum(np.maximum(step, -FARTHEST_STEP), FARTHEST_STEP)
        scale = scale * np.exp(step)
        is_open &= np.abs(step) > LEAST_STEP
        if not is_open.any():
            break
    return scale


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
