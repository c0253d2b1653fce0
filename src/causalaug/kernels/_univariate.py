"""The kernel of one column: its logarithm and the bounds of that, stated together.

Kernels are logarithms, up to a constant factor: the weights of the rows are normalised to one
afterwards. Rows that cannot matter in double precision are not looked at, and rows are drawn by
proposing some and accepting few. Both are right only if no kernel leaves its bounds, so that a
`Kernel` cannot be written without them, and one that leaves them is refused where it does.
"""

import math
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from causalaug.exceptions import ParameterError
from causalaug.typing import FloatArray

NARROWEST = 1e-50
"""Bandwidths below this part of the range change nothing but overflow their squares."""

WIDENED = 1.0 + 1e-9
"""Reaches and bounds are widened by this factor: nothing must leave them by rounding."""

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


class Kernel(ABC):
    """How near two values of a column are, and the bounds between which that lies.

    Give one to `KernelConditional(kernel={"column": ...})`. Nothing but these two methods is
    asked of it; a kernel that leaves its own bounds is refused with an error.

    Examples
    --------
    Hours of the day: an hour before midnight is near to an hour after.

    >>> @dataclass(frozen=True)
    ... class VonMises(Kernel):
    ...     period: float
    ...     concentration: float
    ...
    ...     def log_kernel(self, query, values):
    ...         return self.concentration * np.cos(2 * np.pi / self.period * (query - values))
    ...
    ...     def log_bounds(self):
    ...         return -self.concentration, self.concentration
    >>> hours = KernelColumn(VonMises(24.0, 4.0), np.array([1.0, 12.0, 23.0]))
    >>> hours.log_kernel(np.array([23.0]), hours.values).round(2)
    array([-0.54, -7.86,  0.  ])
    """

    @abstractmethod
    def log_kernel(self, query: FloatArray, values: FloatArray) -> FloatArray:
        """Return the log-kernel of pairs of values, in a new array; the two are broadcast."""

    @abstractmethod
    def log_bounds(self) -> tuple[float, float]:
        """Return between which numbers `log_kernel` lies, whatever the values.

        The lower one is ``-inf`` if the kernel may vanish: then every row is looked at.
        """

    def on(self, column: "KernelColumn") -> "Kernel":
        """Return the kernel as it is on the values of a column."""
        return self


@dataclass(frozen=True)
class DistanceKernel(Kernel):
    """A kernel that falls with the distance: the rows that matter are found by a search."""

    bandwidth: float
    slab_edges: ClassVar[tuple[float, ...]]
    """Distances in bandwidths at which slabs meet, from which rows are proposed."""

    @abstractmethod
    def reach(self, nearest: FloatArray, log_cut: float) -> FloatArray:
        """Return how far rows may be, given how far the nearest one is; both in bandwidths.

        Farther ones are lighter than the nearest by more than `log_cut` in logarithm.
        """

    def log_bounds(self) -> tuple[float, float]:
        """Return that it may vanish, and is largest at equal values."""
        return -np.inf, 0.0


class GaussianKernel(DistanceKernel):
    """Weight falls off with the square of the distance, without end."""

    slab_edges = (1.0, 2.0, 3.0, 5.0)

    def log_kernel(self, query: FloatArray, values: FloatArray) -> FloatArray:
        """Return ``-u^2 / 2`` for a distance of `u` bandwidths."""
        scaled = (query - values) / self.bandwidth
        with np.errstate(over="ignore"):  # so far away that nothing is left of the kernel
            scaled *= scaled
        scaled *= -0.5
        return scaled

    def reach(self, nearest: FloatArray, log_cut: float) -> FloatArray:
        """Return where ``(r^2 - d^2) / 2`` exceeds the cut, for a row at distance `d`."""
        reach: FloatArray = np.sqrt(np.square(nearest) + 2.0 * log_cut) * WIDENED
        return reach


@dataclass(frozen=True)
class CompactKernel(DistanceKernel):
    """Weight ``(1 - |u|^p)^q`` that vanishes from a distance of one bandwidth on."""

    inner: int
    outer: int
    slab_edges = (0.5, 1.0)

    def log_kernel(self, query: FloatArray, values: FloatArray) -> FloatArray:
        """Return ``q log(1 - |u|^p)`` for a distance of `u` bandwidths."""
        scaled = np.minimum(np.abs((query - values) / self.bandwidth), 1.0)
        with np.errstate(divide="ignore"):
            log_kernel: FloatArray = self.outer * np.log1p(-(scaled**self.inner))
        return log_kernel

    def reach(self, nearest: FloatArray, log_cut: float) -> FloatArray:
        """Return one bandwidth, whatever the nearest row and the cut."""
        return np.ones_like(nearest)


@dataclass(frozen=True)
class EqualityKernel(Kernel):
    """Only equal values have any weight, or the fewest unequal ones if `is_nearest`."""

    is_nearest: bool = False

    def log_kernel(self, query: FloatArray, values: FloatArray) -> FloatArray:
        """Return 0 for equal values, minus infinity for others."""
        return np.where(query == values, 0.0, -np.inf)

    def log_bounds(self) -> tuple[float, float]:
        """Return that it may vanish."""
        return -np.inf, 0.0


@dataclass(frozen=True)
class UnequalKernel(Kernel):
    """All unequal values have the same weight (Aitchison and Aitken, 1976)."""

    log_odds: float

    def log_kernel(self, query: FloatArray, values: FloatArray) -> FloatArray:
        """Return 0 for equal values, the same odds for all others."""
        return np.where(query == values, 0.0, self.log_odds)

    def log_bounds(self) -> tuple[float, float]:
        """Return the odds of an unequal value."""
        return self.log_odds, 0.0


@dataclass(frozen=True, eq=False)
class RankKernel(Kernel):
    """Weight falls off by the same factor with every rank (Li and Racine, 2007)."""

    levels: FloatArray
    log_step: float

    def log_kernel(self, query: FloatArray, values: FloatArray) -> FloatArray:
        """Return the logarithm of ``lambda^d`` at a distance of `d` ranks."""
        log_kernel: FloatArray = np.abs(self._ranks(query) - self._ranks(values)) * self.log_step
        return log_kernel

    def log_bounds(self) -> tuple[float, float]:
        """Return the weight of the two ranks that are farthest apart."""
        return (len(self.levels) - 1) * self.log_step, 0.0

    def _ranks(self, values: FloatArray) -> FloatArray:
        """Return the ranks of values; one that was not observed lies between its neighbours."""
        return np.interp(values, self.levels, np.arange(len(self.levels)))


@dataclass(frozen=True)
class ColumnKernel:
    """The kernel of one column by its name.

    `bandwidth` is the width of a kernel on distances (0: exact match), the smoothing of
    ``"aitchison_aitken"``, the weight of the next rank for ``"li_racine"``, and unused for
    ``"identity"`` and ``"nearest"``.
    """

    name: str
    bandwidth: float = 0.0

    def on(self, column: "KernelColumn") -> Kernel:
        """Return the kernel as it is on the values of a column."""
        if self.name in EXACT_KERNELS or not self.bandwidth > 0.0:
            return EqualityKernel(self.name == "nearest")
        if self.name == "aitchison_aitken":
            odds = aitchison_aitken_log_odds(self.bandwidth, len(column.distinct))
            return UnequalKernel(odds) if odds > -np.inf else EqualityKernel()
        if self.name == ORDERED_KERNEL:
            return RankKernel(column.distinct, math.log(min(self.bandwidth, 1.0)))
        bandwidth = max(self.bandwidth, column.narrowest)
        if self.name == "gaussian":
            return GaussianKernel(bandwidth)
        return CompactKernel(bandwidth, *COMPACT_KERNELS[self.name])


@dataclass(frozen=True, eq=False)
class KernelColumn:
    """A kernel together with the reference values of its column."""

    kernel: ColumnKernel | Kernel
    values: FloatArray

    @classmethod
    def of(
        cls, kernel: ColumnKernel | Kernel, values: FloatArray, distinct: FloatArray | None = None
    ) -> "KernelColumn":
        """Return the column; its distinct values may be given if they are known."""
        column = cls(kernel, np.ascontiguousarray(values))
        if distinct is not None:
            vars(column)["distinct"] = distinct
        return column

    @cached_property
    def shape(self) -> Kernel:
        """The kernel as it is on these values."""
        return self.kernel.on(self)

    @cached_property
    def distinct(self) -> FloatArray:
        """The distinct values, sorted."""
        return np.unique(self.values)

    # How the rows that matter are found.

    @cached_property
    def is_exact(self) -> bool:
        """Whether only equal values get any weight, or the fewest unequal ones."""
        return isinstance(self.shape, EqualityKernel)

    @cached_property
    def is_nearest(self) -> bool:
        """Whether a row may differ here if every row differs somewhere."""
        return isinstance(self.shape, EqualityKernel) and self.shape.is_nearest

    @cached_property
    def is_gaussian(self) -> bool:
        """Whether weight falls off with the square of the distance, without end."""
        return isinstance(self.shape, GaussianKernel)

    @cached_property
    def is_compact(self) -> bool:
        """Whether weight vanishes from a distance of one bandwidth on."""
        return isinstance(self.shape, CompactKernel)

    @cached_property
    def may_vanish(self) -> bool:
        """Whether a row may have no weight at all because of this column."""
        return not self.is_gaussian and self.shape.log_bounds()[0] == -np.inf

    @cached_property
    def log_least(self) -> float:
        """The least log-weight against the heaviest, of rows that no search leaves out.

        Rows are searched by their distance and by their exact matches: then it is 0.
        """
        if self.is_exact or isinstance(self.shape, DistanceKernel):
            return 0.0
        least, most = self.shape.log_bounds()
        return least - most

    # Distances.

    @cached_property
    def distance(self) -> DistanceKernel:
        """The kernel of a column that is searched by distance."""
        assert isinstance(self.shape, DistanceKernel)
        return self.shape

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """The least and the largest value."""
        return float(self.values.min()), float(self.values.max())

    @property
    def narrowest(self) -> float:
        """The least bandwidth at which squared distances do not overflow."""
        low, high = self._ends
        # A constant column has no range: any width is as good, unless its square vanishes.
        return NARROWEST * min(high - low, sys.float_info.max) or NARROWEST

    @cached_property
    def width(self) -> float:
        """The range of the values, in bandwidths."""
        return (self._ends[1] - self._ends[0]) / self.distance.bandwidth

    @cached_property
    def _middle(self) -> float:
        return 0.5 * self._ends[0] + 0.5 * self._ends[1]

    def scaled(self, values: FloatArray) -> FloatArray:
        """Return how far values are from the middle of the range, in bandwidths."""
        scaled: FloatArray = (values - self._middle) / self.distance.bandwidth
        return scaled

    # Values.

    def log_kernel(self, query: FloatArray, values: FloatArray) -> FloatArray:
        """Return the log-kernel of pairs of values, never above zero; the arrays are broadcast."""
        log_kernel = self.shape.log_kernel(query, values)
        if self.is_exact or isinstance(self.shape, DistanceKernel):
            return log_kernel
        least, most = self.shape.log_bounds()
        _check_bounds(self.shape, log_kernel, least, most)
        return log_kernel - most if most else log_kernel


def _check_bounds(kernel: Kernel, log_kernel: FloatArray, least: float, most: float) -> None:
    """Raise if a kernel leaves its bounds: weights would be wrong, and nobody would see it."""
    slack = (WIDENED - 1.0) * max(abs(most), abs(least) if least > -np.inf else 0.0)
    low, high = log_kernel.min(initial=most), log_kernel.max(initial=least)
    if low >= least - slack and high <= most + slack:
        return
    raise ParameterError(
        f"`log_kernel` of a kernel must lie within its `log_bounds`, here {least:.6g} and "
        f"{most:.6g}. Found {low:.6g} to {high:.6g} from {kernel!r}. Widen the bounds; "
        "-inf as the lower one fits a kernel that may vanish."
    )


def aitchison_aitken_log_odds(smoothing: float, n_values: int) -> float:
    """Return the log-weight of an unequal value against an equal one; never above zero.

    An equal value weighs ``1 - smoothing``, each of the ``n_values - 1`` others
    ``smoothing / (n_values - 1)``. No smoothing is exact matching, hence ``-inf``;
    smoothing by ``(n_values - 1) / n_values`` makes all values equal, hence 0.
    """
    if smoothing == 0.0 or n_values < 2:
        return -np.inf
    return min(0.0, float(np.log(smoothing / (n_values - 1)) - np.log1p(-smoothing)))
