"""The scale on which a column is moved: as it is, or logarithms of its distance to a limit.

A price that is never negative and mostly small does not have noise of one size: dear things
vary more. On a logarithmic scale mean and noise are those of ratios, and no value can leave the
limits. Clipping instead would pile mass on the edge. Which scale fits is decided by rows that the
mean has not seen.

Logarithms end where the rows do. A line on a logarithmic scale is an exponential function of the
values: followed beyond the rows it soon exceeds all numbers, and heavy-tailed noise around it has
no expectation at all. Beyond the largest distance that was seen a scale is therefore straight, with
the slope that it has there, so that whatever grows linearly on the scale does so in the values.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from causalaug._magnitudes import LARGEST
from causalaug.densities._mean import fit_smooth_mean
from causalaug.densities._student import (
    DEFAULT_FREEDOM,
    fit_student_scale,
    log_student,
    spread,
    student_quantile,
)
from causalaug.typing import BoolArray, FloatArray

LEAST_SKEWNESS = 0.5
"""A column with a shorter tail looks much the same on a logarithmic scale: none is tried."""


class Transform(ABC):
    """An increasing function of the values of a column."""

    @abstractmethod
    def holds(self, values: FloatArray) -> BoolArray:
        """Return which values lie within the limits."""

    @abstractmethod
    def forward(self, values: FloatArray) -> FloatArray:
        """Return the scaled values; what is beyond a limit counts as just within it."""

    @abstractmethod
    def inverse(self, scaled: FloatArray) -> FloatArray:
        """Return values within the limits of the column."""

    @abstractmethod
    def log_jacobian(self, values: FloatArray) -> FloatArray:
        """Return the logarithm of the slope of `forward`."""

    def log_density(
        self, log_scaled: Callable[[FloatArray], FloatArray], values: FloatArray
    ) -> FloatArray:
        """Return the log-density of values, given that of scaled values."""
        logs = log_scaled(self.forward(values)) + self.log_jacobian(values)
        return np.where(self.holds(values), logs, -np.inf)

    def clipped(self, scaled: FloatArray) -> FloatArray:
        """Return values of ascending scaled ones, which stay ascending."""
        return self.inverse(scaled)


@dataclass(frozen=True)
class PlainTransform(Transform):
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

    def log_density(
        self, log_scaled: Callable[[FloatArray], FloatArray], values: FloatArray
    ) -> FloatArray:
        """Return the log-density of what is reflected, given that of what may leave the limits.

        The density beyond a limit counts on this side of it, so that the mass within is 1.
        """
        logs = log_scaled(values)
        for image in self.mirrored(values):
            logs = np.logaddexp(logs, log_scaled(image))
        return logs if self == PlainTransform() else np.where(self.holds(values), logs, -np.inf)

    def clipped(self, scaled: FloatArray) -> FloatArray:
        """Return the values, moved within the limits: reflected ones would not be ascending."""
        return np.clip(scaled, self.low, self.high)

    def mirrored(self, values: FloatArray) -> list[FloatArray]:
        """Return the values as each limit reflects them."""
        return [2.0 * limit - values for limit in (self.low, self.high) if abs(limit) < LARGEST]

    @classmethod
    def of(cls, limits: tuple[float, float], *, is_integer: bool) -> "PlainTransform":
        """Return the values of a column within its limits.

        Integers are rounded later, so that they may come half a unit closer.
        """
        room = 0.5 if is_integer else 0.0
        # Dates have no limits at all: infinities, which cannot be subtracted from each other.
        return cls(max(limits[0] - room, -LARGEST), min(limits[1] + room, LARGEST))


@dataclass(frozen=True)
class LogTransform(Transform):
    """Logarithms of the distance to a limit below (or above, with ``sign=-1``).

    Beyond `reach`, the largest distance that was seen, the scale is straight: its tangent there.

    >>> LogTransform(0.0, reach=1.0).inverse(np.array([-3.0, 0.0, 2.0])).round(2)
    array([0.05, 1.  , 3.  ])
    >>> LogTransform(10.0, reach=8.0, sign=-1).forward(np.array([9.0, 2.0])).round(2)
    array([-0.  , -2.08])
    """

    limit: float
    reach: float
    sign: int = 1

    @classmethod
    def of(cls, limit: float, values: FloatArray, sign: int = 1) -> "LogTransform":
        """Return logarithms as far as the values reach."""
        return cls(limit, float((sign * (values - limit)).max()), sign)

    def holds(self, values: FloatArray) -> BoolArray:
        """Return which values lie on the right side of the limit."""
        return self.sign * (values - self.limit) > 0.0

    def _distance(self, values: FloatArray) -> FloatArray:
        return np.maximum(self.sign * (values - self.limit), np.finfo(np.float64).tiny)

    def forward(self, values: FloatArray) -> FloatArray:
        """Return signed logarithms, and beyond the rows the line that continues them."""
        distance = self._distance(values)
        beyond = np.maximum(distance / self.reach - 1.0, 0.0)
        return self.sign * (np.log(np.minimum(distance, self.reach)) + beyond)

    def inverse(self, scaled: FloatArray) -> FloatArray:
        """Return values beyond the limit."""
        own, end = self.sign * scaled, np.log(self.reach)
        distance = np.exp(np.minimum(own, end)) + self.reach * np.maximum(own - end, 0.0)
        values: FloatArray = self.limit + self.sign * distance
        return values

    def log_jacobian(self, values: FloatArray) -> FloatArray:
        """Return minus the logarithm of the distance, which counts no further than the rows."""
        return -np.log(np.minimum(self._distance(values), self.reach))


@dataclass(frozen=True)
class LogitTransform(Transform):
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


@np.errstate(over="ignore")  # a distance beyond all numbers leaves nothing of the density
def transformed_density(
    transform: Transform, values: FloatArray, centre: FloatArray, scale: FloatArray, freedom: float
) -> FloatArray:
    """Return the log-density of values whose transformed noise is Student's t around `centre`.

    With every transform the mass within the limits is 1.
    """
    log_scale = np.log(scale)
    return transform.log_density(
        lambda scaled: log_student((scaled - centre) / scale, log_scale, freedom), values
    )


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
    left_out, share = smooth.left_out, weights / weights.sum()
    size = max(fit_student_scale(left_out, share, DEFAULT_FREEDOM), np.finfo(np.float64).tiny)
    centre = scaled - left_out
    logs = transformed_density(
        transform, target, centre, np.full(len(target), size), DEFAULT_FREEDOM
    )
    levels = (np.arange(25) + 0.5) / 25  # the noise is averaged over so many quantiles
    around = centre[:, np.newaxis] + size * student_quantile(levels, DEFAULT_FREEDOM)
    expected = transform.inverse(around).mean(axis=1)
    return float(share @ logs), float(share @ np.square(expected - target))
