"""The scale on which a column is moved: as it is, or logarithms of its distance to a limit.

A price that is never negative and mostly small does not have noise of one size: dear things
vary more. On a logarithmic scale mean and noise are those of ratios, and no value can leave the
limits. Clipping instead would pile mass on the edge. Which scale fits is decided by the
likelihood of rows that the mean has not seen.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from causalaug.conditionals._mean import fit_smooth_mean, spread
from causalaug.typing import FloatArray

LARGEST = float(np.finfo(np.float64).max)
"""Stands for no limit."""

LEAST_SKEWNESS = 0.5
"""A column with a shorter tail looks much the same on a logarithmic scale: none is tried."""

FREEDOM = 3.0
"""Degrees of freedom of the noise: with tails this heavy a few outliers do not choose."""

ROUNDS = 20
"""Steps of the fit of the noise's size; each at least halves what is missing."""


class Scale(Protocol):
    """An increasing function of the values of a column."""

    def forward(self, values: FloatArray) -> FloatArray:
        """Return the scaled values."""

    def inverse(self, scaled: FloatArray) -> FloatArray:
        """Return values within the limits of the column."""

    def log_jacobian(self, values: FloatArray) -> FloatArray:
        """Return the logarithm of the slope of `forward`."""


@dataclass(frozen=True)
class PlainScale:
    """Values as they are; what would leave the limits is reflected back.

    >>> PlainScale(0.0, 10.0).inverse(np.array([-0.5, 3.0, 12.0]))
    array([0.5, 3. , 8. ])
    """

    low: float = -LARGEST
    high: float = LARGEST

    def forward(self, values: FloatArray) -> FloatArray:
        """Return the values."""
        return values

    def inverse(self, scaled: FloatArray) -> FloatArray:
        """Return the values, reflected at the limits: that piles no mass on the edge."""
        # Limits may be the largest floats: only what is beyond them may be subtracted.
        raised = np.maximum(scaled, self.low) + (self.low - np.minimum(scaled, self.low))
        folded = np.minimum(raised, self.high) - (np.maximum(raised, self.high) - self.high)
        return np.clip(folded, self.low, self.high)

    def log_jacobian(self, values: FloatArray) -> FloatArray:
        """Return zeros."""
        return np.zeros(len(values))


@dataclass(frozen=True)
class LogScale:
    """Logarithms of the distance to a limit below (or above, with ``sign=-1``).

    >>> LogScale(0.0).inverse(np.array([-3.0, 0.0])).round(2)
    array([0.05, 1.  ])
    >>> LogScale(10.0, sign=-1).forward(np.array([9.0, 2.0])).round(2)
    array([-0.  , -2.08])
    """

    limit: float
    sign: int = 1

    def forward(self, values: FloatArray) -> FloatArray:
        """Return signed logarithms."""
        scaled: FloatArray = self.sign * np.log(self.sign * (values - self.limit))
        return scaled

    def inverse(self, scaled: FloatArray) -> FloatArray:
        """Return values beyond the limit."""
        values: FloatArray = self.limit + self.sign * np.exp(self.sign * scaled)
        return values

    def log_jacobian(self, values: FloatArray) -> FloatArray:
        """Return minus the logarithm of the distance."""
        slope: FloatArray = -np.log(self.sign * (values - self.limit))
        return slope


@dataclass(frozen=True)
class LogitScale:
    """Logarithms of how far above the lower limit, relative to how far below the upper one.

    >>> LogitScale(0.0, 1.0).inverse(np.array([-3.0, 0.0])).round(2)
    array([0.05, 0.5 ])
    """

    low: float
    high: float

    def forward(self, values: FloatArray) -> FloatArray:
        """Return log-odds."""
        scaled: FloatArray = np.log(values - self.low) - np.log(self.high - values)
        return scaled

    def inverse(self, scaled: FloatArray) -> FloatArray:
        """Return values between the limits."""
        share = 0.5 * (1.0 + np.tanh(0.5 * scaled))
        values: FloatArray = self.low + (self.high - self.low) * share
        return values

    def log_jacobian(self, values: FloatArray) -> FloatArray:
        """Return the logarithm of the slope, large near either limit."""
        width = np.log(self.high - self.low)
        slope: FloatArray = width - np.log(values - self.low) - np.log(self.high - values)
        return slope


def choose_scale(
    inputs: FloatArray,
    target: FloatArray,
    weights: FloatArray,
    limits: tuple[float, float],
    *,
    is_integer: bool = False,
) -> Scale:
    """Return the scale on which rows that were left out are most likely.

    Shapes: inputs (n_rows, n_inputs), target and weights (n_rows,). A column that is not close
    to a limit, or has no long tail away from it, stays as it is, and nothing is fitted. Integers
    are rounded later, so that they may come half a unit closer.
    """
    low, high = (limits[0] - 0.5, limits[1] + 0.5) if is_integer else limits
    plain = PlainScale(low, high)
    candidates = _candidates(target, weights, low, high)
    if not candidates:
        return plain
    fits = [held_out_likelihood(scale, inputs, target, weights) for scale in (plain, *candidates)]
    return (plain, *candidates)[int(np.argmax(fits))]


def _candidates(
    target: FloatArray, weights: FloatArray, low: float, high: float
) -> tuple[Scale, ...]:
    """Return the scales that the limits allow and that differ enough from none."""
    least, largest = float(target.min()), float(target.max())
    # From a limit that is further away than the column is wide, logarithms are nearly straight.
    is_near_low = least > low and least - low < largest - least
    is_near_high = largest < high and high - largest < largest - least
    if is_near_low and is_near_high:
        return (LogitScale(low, high),)
    tail = _skewness(target, weights)
    if is_near_low and tail > LEAST_SKEWNESS:
        return (LogScale(low),)
    if is_near_high and tail < -LEAST_SKEWNESS:
        return (LogScale(high, sign=-1),)
    return ()


def _skewness(values: FloatArray, weights: FloatArray) -> float:
    """Return the third moment of the values, in standard deviations."""
    share = weights / weights.sum()
    standard = (values - share @ values) / float(spread(values, weights))
    return float(share @ standard**3)


def held_out_likelihood(
    scale: Scale, inputs: FloatArray, target: FloatArray, weights: FloatArray
) -> float:
    """Return the mean log-density of rows, each under the mean fitted to all the others."""
    smooth = fit_smooth_mean(inputs, scale.forward(target), weights)
    left_out = smooth.residuals / np.maximum(1.0 - smooth.leverages, 1e-6)
    size = _noise_size(left_out, weights)
    logs = log_density(scale, target, scale.forward(target) - left_out, size)
    return float(weights @ logs / weights.sum())


def log_density(scale: Scale, values: FloatArray, mean: FloatArray, size: float) -> FloatArray:
    """Return the log-density of values whose scaled noise around `mean` is Student's t.

    Values as they are may leave the limits. They are reflected, so that the density beyond a
    limit counts on this side of it: every scale has the mass 1 within its limits.
    """
    scaled = scale.forward(values)
    density = _student_density((scaled - mean) / size)
    if isinstance(scale, PlainScale):
        for limit in (scale.low, scale.high):
            if abs(limit) < LARGEST:
                density = density + _student_density((2.0 * limit - scaled - mean) / size)
    logs: FloatArray = np.log(density) - np.log(size) + scale.log_jacobian(values)
    return logs


def _noise_size(residuals: FloatArray, weights: FloatArray) -> float:
    """Return the size of t-distributed residuals, by reweighting: far ones count less."""
    share = weights / weights.sum()
    square = np.square(residuals)
    floor = np.finfo(np.float64).tiny
    size = max(float(share @ square), floor)
    for _ in range(ROUNDS):
        pull = (FREEDOM + 1.0) / (FREEDOM + square / size)
        size = max(float(share @ (pull * square)), floor)
    return float(np.sqrt(size))


def _student_density(standard: FloatArray) -> FloatArray:
    """Return the density of Student's t with 3 degrees of freedom."""
    density: FloatArray = 2.0 / (np.pi * np.sqrt(3.0)) / np.square(1.0 + np.square(standard) / 3.0)
    return density
