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

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from causalaug._magnitudes import LARGEST
from causalaug.typing import BoolArray, FloatArray


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

    def log_reflected(
        self, log_density: Callable[[FloatArray], FloatArray], values: FloatArray
    ) -> FloatArray:
        """Return the log-density of what is reflected, given that of what may leave the limits.

        The density beyond a limit counts on this side of it, so that the mass within is 1.
        """
        logs = log_density(values)
        for image in self.mirrored(values):
            logs = np.logaddexp(logs, log_density(image))
        return np.where(self.holds(values), logs, -np.inf)

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
class LogTransform:
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
