"""The kernel of one column: its name, its bandwidth, and how far it reaches."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from causalaug.kernels._univariate import COMPACT_KERNELS, aitchison_aitken_log_odds
from causalaug.typing import FloatArray


@dataclass(frozen=True)
class ColumnKernel:
    """The kernel of one column.

    `bandwidth` is the width of a kernel on distances (0: exact match), the smoothing of
    ``"aitchison_aitken"``, and unused for ``"identity"``.
    """

    name: str
    bandwidth: float = 0.0


@dataclass(frozen=True, eq=False)
class KernelColumn:
    """A kernel together with the reference values of its column."""

    kernel: ColumnKernel
    values: FloatArray

    @cached_property
    def is_exact(self) -> bool:
        """Whether only equal values get any weight."""
        smooth = self.kernel.bandwidth > 0.0 and self.kernel.name != "identity"
        return not smooth or self.log_odds == -np.inf

    @cached_property
    def is_gaussian(self) -> bool:
        """Whether weight falls off with the square of the distance, without end."""
        return self.kernel.name == "gaussian" and not self.is_exact

    @cached_property
    def is_compact(self) -> bool:
        """Whether weight vanishes from a distance of one bandwidth on."""
        return self.kernel.name in COMPACT_KERNELS and not self.is_exact

    @cached_property
    def log_odds(self) -> float:
        """The log-weight of an unequal value against an equal one (``aitchison_aitken``)."""
        if self.kernel.name != "aitchison_aitken":
            return 0.0
        return aitchison_aitken_log_odds(self.kernel.bandwidth, len(np.unique(self.values)))

    @cached_property
    def width(self) -> float:
        """The range of the values, in bandwidths."""
        with np.errstate(over="ignore"):
            return float(np.ptp(self.values) / self.kernel.bandwidth)

    @cached_property
    def _middle(self) -> float:
        return 0.5 * float(self.values.min()) + 0.5 * float(self.values.max())

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
        scaled = (query - values) / self.kernel.bandwidth
        if self.is_compact:
            return COMPACT_KERNELS[self.kernel.name](scaled)
        scaled *= scaled
        scaled *= -0.5
        return scaled
