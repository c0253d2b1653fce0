"""The kernel of one column: its shape, its bandwidth, and how far it reaches.

Kernels are logarithms, up to a constant factor: the weights of the rows are normalised to one
afterwards. The rules that choose a bandwidth from a column are pure functions.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from causalaug.typing import FloatArray

NORMAL_REFERENCE = (4.0 / 3.0) ** 0.2
IQR_OF_STANDARD_NORMAL = 1.349

LARGEST_RANGE = float(np.finfo(np.float64).max)

NARROWEST = 1e-50
"""Bandwidths below this part of the range change nothing but overflow their squares."""


COMPACT_KERNELS = {
    "epanechnikov": (2, 1),
    "biweight": (2, 2),
    "triweight": (2, 3),
    "tricube": (3, 3),
}
"""Kernels ``(1 - |u|^p)^q`` that vanish from a distance of one bandwidth on: `p` and `q`."""

CONTINUOUS_KERNELS = ("gaussian", *COMPACT_KERNELS)
"""Kernels on a distance, by name."""

EXACT_KERNELS = ("identity", "nearest")
"""Kernels that want equal values; ``"nearest"`` puts up with the fewest unequal ones."""

DISCRETE_KERNELS = (*EXACT_KERNELS, "aitchison_aitken")
"""Kernels that only ask whether two values are equal."""

ORDERED_KERNEL = "li_racine"
"""The kernel of ordered columns, ``lambda^d`` at a distance of `d` ranks (Li and Racine, 2007)."""


def log_compact(name: str, scaled: FloatArray) -> FloatArray:
    """Return ``q log(1 - |u|^p)``, ``-inf`` from a distance of one bandwidth on."""
    inner, outer = COMPACT_KERNELS[name]
    with np.errstate(divide="ignore"):
        log_kernel: FloatArray = outer * np.log1p(-(np.minimum(np.abs(scaled), 1.0) ** inner))
    return log_kernel


@dataclass(frozen=True)
class ColumnKernel:
    """The kernel of one column.

    `bandwidth` is the width of a kernel on distances (0: exact match), the smoothing of
    ``"aitchison_aitken"``, the weight of the next rank for ``"li_racine"``, and unused for
    ``"identity"`` and ``"nearest"``.
    """

    name: str
    bandwidth: float = 0.0


@dataclass(frozen=True, eq=False)
class KernelColumn:
    """A kernel together with the reference values of its column."""

    kernel: ColumnKernel
    values: FloatArray

    @classmethod
    def of(
        cls, kernel: ColumnKernel, values: FloatArray, distinct: FloatArray | None = None
    ) -> "KernelColumn":
        """Return the column, with a bandwidth at which squared distances do not overflow.

        The distinct values may be given if they are known.
        """
        column = cls(kernel, np.ascontiguousarray(values))
        if distinct is not None:
            vars(column)["distinct"] = distinct
        if kernel.name in CONTINUOUS_KERNELS and kernel.bandwidth > 0.0:
            low, high = column._ends
            # A constant column has no range: any width is as good, unless its square vanishes.
            narrowest = NARROWEST * min(high - low, LARGEST_RANGE) or NARROWEST
            if kernel.bandwidth < narrowest:
                return replace(column, kernel=replace(kernel, bandwidth=narrowest))
        return column

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """The least and the largest value."""
        return float(self.values.min()), float(self.values.max())

    @cached_property
    def is_exact(self) -> bool:
        """Whether only equal values get any weight, or the fewest unequal ones."""
        smooth = self.kernel.bandwidth > 0.0 and self.kernel.name not in EXACT_KERNELS
        return not smooth or self.log_odds == -np.inf

    @property
    def is_nearest(self) -> bool:
        """Whether a row may differ here if every row differs somewhere."""
        return self.kernel.name == "nearest"

    @cached_property
    def is_gaussian(self) -> bool:
        """Whether weight falls off with the square of the distance, without end."""
        return self.kernel.name == "gaussian" and not self.is_exact

    @cached_property
    def is_compact(self) -> bool:
        """Whether weight vanishes from a distance of one bandwidth on."""
        return self.kernel.name in COMPACT_KERNELS and not self.is_exact

    @cached_property
    def distinct(self) -> FloatArray:
        """The distinct values, sorted."""
        return np.unique(self.values)

    @cached_property
    def log_odds(self) -> float:
        """The least log-weight of an unequal value against an equal one, for discrete kernels."""
        if self.kernel.name == "aitchison_aitken":
            return aitchison_aitken_log_odds(self.kernel.bandwidth, len(self.distinct))
        if self.kernel.name == ORDERED_KERNEL and self.kernel.bandwidth > 0.0:
            return (len(self.distinct) - 1) * math.log(min(self.kernel.bandwidth, 1.0))
        return 0.0

    @cached_property
    def width(self) -> float:
        """The range of the values, in bandwidths."""
        return (self._ends[1] - self._ends[0]) / self.kernel.bandwidth

    @cached_property
    def _middle(self) -> float:
        return 0.5 * self._ends[0] + 0.5 * self._ends[1]

    def scaled(self, values: FloatArray) -> FloatArray:
        """Return how far values are from the middle of the range, in bandwidths."""
        scaled: FloatArray = (values - self._middle) / self.kernel.bandwidth
        return scaled

    def log_kernel(self, query: FloatArray, values: FloatArray) -> FloatArray:
        """Return the log-kernel of pairs of values; the arrays are broadcast."""
        if self.is_exact:
            return np.where(query == values, 0.0, -np.inf)
        if self.kernel.name == "aitchison_aitken":
            return np.where(query == values, 0.0, self.log_odds)
        if self.kernel.name == ORDERED_KERNEL:
            apart = np.abs(self._ranks(query) - self._ranks(values))
            return apart * math.log(min(self.kernel.bandwidth, 1.0))
        scaled = (query - values) / self.kernel.bandwidth
        if self.is_compact:
            return log_compact(self.kernel.name, scaled)
        with np.errstate(over="ignore"):  # so far away that nothing is left of the kernel
            scaled *= scaled
        scaled *= -0.5
        return scaled

    def _ranks(self, values: FloatArray) -> FloatArray:
        """Return the ranks of values; one that was not observed lies between its neighbours."""
        return np.interp(values, self.distinct, np.arange(len(self.distinct)))


def silverman(values: FloatArray) -> float:
    """Return Silverman's rule ``(4/3)^(1/5) * A * n^(-1/5)``, with a spread `A` outliers spare.

    `A` is the smaller of the standard deviation (``ddof=1``) and the interquartile range
    over 1.349; where more than half of the values are equal and that range is zero, `A`
    is the standard deviation. A constant column gives 0: exact match.

    Examples
    --------
    One gross outlier hardly moves the bandwidth:

    >>> import numpy as np
    >>> calm = np.linspace(0.0, 1.0, 101)
    >>> round(silverman(calm), 3)
    0.123
    >>> round(silverman(np.append(calm, 1000.0)), 3)
    0.157
    """
    scale = _power_of_two(values)
    ordered = np.sort(values / scale)
    deviation = _standard_deviation(ordered)
    robust = (_quantile(ordered, 0.75) - _quantile(ordered, 0.25)) / IQR_OF_STANDARD_NORMAL
    spread = min(deviation, robust) if robust > 0.0 else deviation
    return float(NORMAL_REFERENCE * spread * len(values) ** -0.2 * scale)


def scott(values: FloatArray) -> float:
    """Return ``(4/3)^(1/5) * sd * n^(-1/5)``: the normal reference rule, outliers and all."""
    scale = _power_of_two(values)
    deviation = _standard_deviation(values / scale)
    return float(NORMAL_REFERENCE * deviation * len(values) ** -0.2 * scale)


def _quantile(ordered: FloatArray, level: float) -> float:
    """Return a quantile of sorted values, interpolated linearly."""
    position = level * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (position - below) * (ordered[above] - ordered[below]))


def _power_of_two(values: FloatArray) -> float:
    """Return a power of two near the largest value: dividing by it loses nothing.

    Squares of very large or very small numbers would leave the range of a double.
    """
    largest = float(np.abs(values).max(initial=0.0))
    _, exponent = math.frexp(largest)
    return math.ldexp(1.0, min(max(exponent, -1000), 1000)) if largest > 0.0 else 1.0


def _standard_deviation(values: FloatArray) -> float:
    constant = len(values) < 2 or values.min() == values.max()
    return 0.0 if constant else float(np.std(values, ddof=1))


BANDWIDTH_RULES: dict[str, Callable[[FloatArray], float]] = {"silverman": silverman, "scott": scott}


def aitchison_aitken_smoothing(n_rows: int, n_values: int) -> float:
    """Return the part ``n^(-2/5) (c - 1) / c`` of the weight that leaves the observed value.

    It shrinks at the rate that is optimal for categorical kernels; ``(c - 1) / c`` would
    weigh all `c` values alike.
    """
    return float(n_rows**-0.4 * (n_values - 1) / n_values)


def aitchison_aitken_log_odds(smoothing: float, n_values: int) -> float:
    """Return the log-weight of an unequal value against an equal one; never above zero.

    An equal value weighs ``1 - smoothing``, each of the ``n_values - 1`` others
    ``smoothing / (n_values - 1)``. No smoothing is exact matching, hence ``-inf``;
    smoothing by ``(n_values - 1) / n_values`` makes all values equal, hence 0.
    """
    if smoothing == 0.0 or n_values < 2:
        return -np.inf
    return min(0.0, float(np.log(smoothing / (n_values - 1)) - np.log1p(-smoothing)))


def li_racine_step(n_rows: int) -> float:
    """Return ``n^(-2/5)``, the weight of the next rank, at the same rate as for categories."""
    return float(n_rows**-0.4)
