"""The scale on which a column is moved: as it is, or logarithms of its distance to a limit.

A price that is never negative and mostly small does not have noise of one size: dear things
vary more. On a logarithmic scale mean and noise are those of ratios, and no value can leave the
limits. Clipping instead would pile mass on the edge. Which scale fits is decided by the
likelihood of rows that the mean has not seen.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from causalaug.conditionals._density import (
    NO_ATOMS,
    LocationScale,
    beside,
    fit_student_scale,
    log_student,
    student_levels,
    student_quantile,
)
from causalaug.conditionals._mean import fit_smooth_mean, spread
from causalaug.typing import BoolArray, FloatArray

LARGEST = float(np.finfo(np.float64).max)
"""Stands for no limit."""

LEAST_SKEWNESS = 0.5
"""A column with a shorter tail looks much the same on a logarithmic scale: none is tried."""

FREEDOM = 3.0
"""Degrees of freedom of the noise: with tails this heavy a few outliers do not choose."""


class Transform(Protocol):
    """An increasing function of the values of a column."""

    def holds(self, values: FloatArray) -> BoolArray:
        """Return which values lie within the limits."""

    def forward(self, values: FloatArray) -> FloatArray:
        """Return the scaled values; what is beyond a limit counts as just within it."""

    def inverse(self, scaled: FloatArray) -> FloatArray:
        """Return values within the limits of the column."""

    def log_jacobian(self, values: FloatArray) -> FloatArray:
        """Return the logarithm of the slope of `forward`."""


@dataclass(frozen=True)
class PlainTransform:
    """Values as they are; what would leave the limits is reflected back.

    >>> PlainTransform(0.0, 10.0).inverse(np.array([-0.5, 3.0, 12.0]))
    array([0.5, 3. , 8. ])
    """

    low: float = -LARGEST
    high: float = LARGEST

    def holds(self, values: FloatArray) -> BoolArray:
        """Return which values lie within the limits."""
        return (values >= self.low) & (values <= self.high)

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
class LogTransform:
    """Logarithms of the distance to a limit below (or above, with ``sign=-1``).

    >>> LogTransform(0.0).inverse(np.array([-3.0, 0.0])).round(2)
    array([0.05, 1.  ])
    >>> LogTransform(10.0, sign=-1).forward(np.array([9.0, 2.0])).round(2)
    array([-0.  , -2.08])
    """

    limit: float
    sign: int = 1

    def holds(self, values: FloatArray) -> BoolArray:
        """Return which values lie on the right side of the limit."""
        return self.sign * (values - self.limit) > 0.0

    def _distance(self, values: FloatArray) -> FloatArray:
        return np.maximum(self.sign * (values - self.limit), np.finfo(np.float64).tiny)

    def forward(self, values: FloatArray) -> FloatArray:
        """Return signed logarithms."""
        return self.sign * np.log(self._distance(values))

    def inverse(self, scaled: FloatArray) -> FloatArray:
        """Return values beyond the limit."""
        values: FloatArray = self.limit + self.sign * np.exp(self.sign * scaled)
        return values

    def log_jacobian(self, values: FloatArray) -> FloatArray:
        """Return minus the logarithm of the distance."""
        return -np.log(self._distance(values))


@dataclass(frozen=True)
class LogitTransform:
    """Logarithms of how far above the lower limit, relative to how far below the upper one.

    >>> LogitTransform(0.0, 1.0).inverse(np.array([-3.0, 0.0])).round(2)
    array([0.05, 0.5 ])
    """

    low: float
    high: float

    def holds(self, values: FloatArray) -> BoolArray:
        """Return which values lie between the limits."""
        return (values > self.low) & (values < self.high)

    def _distances(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        least = np.finfo(np.float64).tiny
        return np.maximum(values - self.low, least), np.maximum(self.high - values, least)

    def forward(self, values: FloatArray) -> FloatArray:
        """Return log-odds."""
        above, below = self._distances(values)
        return np.log(above) - np.log(below)

    def inverse(self, scaled: FloatArray) -> FloatArray:
        """Return values between the limits."""
        share = 0.5 * (1.0 + np.tanh(0.5 * scaled))
        values: FloatArray = self.low + (self.high - self.low) * share
        return values

    def log_jacobian(self, values: FloatArray) -> FloatArray:
        """Return the logarithm of the slope, large near either limit."""
        above, below = self._distances(values)
        slope: FloatArray = np.log(self.high - self.low) - np.log(above) - np.log(below)
        return slope


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
    to a limit, or has no long tail away from it, stays as it is, and nothing is fitted. Integers
    are rounded later, so that they may come half a unit closer.
    """
    low, high = (limits[0] - 0.5, limits[1] + 0.5) if is_integer else limits
    plain = PlainTransform(low, high)
    candidates = _candidates(target, weights, low, high)
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
    return float(share @ ((values - share @ values) / width) ** 3) if width > 0.0 else 0.0


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


def transformed_density(
    transform: Transform, values: FloatArray, centre: FloatArray, scale: FloatArray, freedom: float
) -> FloatArray:
    """Return the log-density of values whose transformed noise is Student's t around `centre`.

    Values as they are may leave the limits. They are reflected, so that the density beyond a
    limit counts on this side of it: with every transform the mass within the limits is 1.
    """
    log_scale = np.log(scale)
    if transform == PlainTransform():
        return log_student((values - centre) / scale, log_scale, freedom)
    scaled = transform.forward(values)
    logs = log_student((scaled - centre) / scale, log_scale, freedom)
    if isinstance(transform, PlainTransform):
        for limit in (transform.low, transform.high):
            if abs(limit) < LARGEST:
                beyond = log_student((2.0 * limit - scaled - centre) / scale, log_scale, freedom)
                logs = np.logaddexp(logs, beyond)
    else:
        logs = logs + transform.log_jacobian(values)
    return np.where(transform.holds(values), logs, -np.inf)


@dataclass(frozen=True, eq=False)
class NoiseDensity:
    """Student's t around a mean, both on the transformed scale of a column.

    The mean and the scale of the noise depend on the pillow.
    """

    location: LocationScale
    freedom: float
    transform: Transform = PlainTransform()
    atoms: FloatArray = field(default_factory=NO_ATOMS.copy)
    levels: FloatArray | None = None

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value, ``-inf`` beyond the limits."""
        centre, scale = (beside(each, values) for each in self.location(pillow))
        return transformed_density(self.transform, values, centre, scale, self.freedom)

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return quantiles of the noise around the mean, moved within the limits."""
        centre, scale = self.location(pillow)
        points = student_levels(n_points, self.freedom)
        covered = centre[:, np.newaxis] + scale[:, np.newaxis] * points
        if isinstance(self.transform, PlainTransform):
            # Reflected points would not be ascending.
            return np.clip(covered, self.transform.low, self.transform.high)
        return self.transform.inverse(covered)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return quantiles of the noise around the mean, within the limits."""
        centre, scale = self.location(pillow)
        return self.transform.inverse(centre + scale * student_quantile(uniform, self.freedom))
