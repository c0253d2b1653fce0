"""What weighs the observed rows, given values of a pillow."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causalaug._ragged import Ragged, RowWeights
from causalaug.kernels._sums import GaussianSums
from causalaug.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from causalaug.kernels._univariate import KernelColumn

BLOCK_ENTRIES = 1 << 17
"""Entries weighed at a time: small enough for the processor's cache."""


class RowWeigher(ABC):
    """Weighs the observed rows, given values of the pillow.

    To write one, say how near each row is (`log_kernel`); the rest may stay as it is.
    """

    @property
    def may_vanish(self) -> bool:
        """Whether a row may have no weight at all; otherwise every row has some."""
        return True

    @property
    def may_end(self) -> bool:
        """Whether all rows may have no weight, so that a path ends."""
        return True

    @property
    def sums(self) -> GaussianSums | None:
        """Sums of the kernels of all rows, if they can be had without weighing each of these."""
        return None

    @property
    def uses_pillow(self) -> bool:
        """Whether a weight may depend on the pillow; otherwise one query answers all."""
        return True

    def among(self, rows: IntArray) -> "RowWeigher":
        """Return what weighs some of the rows, and numbers them as they stand there."""
        return SomeRows(self, rows)

    def split(self, position: int) -> "tuple[RowWeigher, KernelColumn] | None":
        """Return what weighs by all columns but one, and the Gaussian kernel of that one.

        The weight is their product; None if it is not.
        """
        return None

    @abstractmethod
    def log_kernel(self, query: FloatArray) -> FloatArray:
        """Return how near each row is to each query, as a logarithm.

        Shapes: query (n_queries, n_columns of the pillow), result (n_queries, n_rows). A
        constant added to a row of the result changes nothing; ``-inf`` is no weight.
        """

    def log_weights(self, query: FloatArray) -> FloatArray:
        """Return the log-weight of every row given each query: one factor of Eq. (3).

        Each row of the result sums to one after ``exp``; it is ``-inf`` throughout where the
        kernel vanishes everywhere.
        """
        log_kernel = self.log_kernel(query)
        heaviest = log_kernel.max(axis=1, keepdims=True)
        log_kernel = log_kernel - np.where(np.isfinite(heaviest), heaviest, 0.0)
        totals = np.exp(log_kernel).sum(axis=1, keepdims=True)
        # Where all rows vanish, there is nothing to divide by: they stay at -inf.
        log_weights: FloatArray = log_kernel - np.log(np.where(totals > 0.0, totals, 1.0))
        return log_weights

    def relative(self, query: FloatArray) -> FloatArray:
        """Return the kernel of every row given each query, up to a factor of each query.

        Where any row has weight, the factor leaves some of it. Shape as of `log_kernel`. The array
        is the caller's to change.
        """
        log_kernel = self.log_kernel(query)
        heaviest = log_kernel.max(axis=1, keepdims=True)
        # What `log_kernel` returned may be the weigher's own, and is not written to.
        relative: FloatArray = log_kernel - np.where(np.isfinite(heaviest), heaviest, 0.0)
        return np.exp(relative, out=relative)

    def weigh(self, query: FloatArray, log_cut: float = 0.0) -> Iterator[RowWeights]:
        """Yield the weighted rows of each query, block after block, in their order.

        Rows that are lighter than the heaviest by more than `log_cut` in logarithm may be
        left out, if the mass of all of them is below double precision as well.
        """
        start, size = 0, 1
        while start < len(query):
            log_weights = self.log_weights(query[start : start + size])
            owner, rows = np.nonzero(log_weights > -np.inf)
            yield Ragged.of_owners(owner, rows, log_weights[owner, rows], len(log_weights))
            start += size
            size = max(1, BLOCK_ENTRIES // log_weights.shape[1])

    def propose(self, query: FloatArray, owner: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw a row for each entry by its weight given ``query[owner]``, or give up: -1.

        It may give up on any entry, for which all rows are then weighed, but not in a way
        that depends on the row that would have been drawn.
        """
        return np.full(len(owner), -1, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class SomeRows(RowWeigher):
    """Some of the rows of any weigher, which weighs the others in vain."""

    weigher: RowWeigher
    rows: IntArray

    @property
    def may_vanish(self) -> bool:
        """Whether a row may have no weight."""
        return self.weigher.may_vanish

    def log_kernel(self, query: FloatArray) -> FloatArray:
        """Return how near each of these rows is to each query."""
        log_kernel: FloatArray = self.weigher.log_kernel(query)[:, self.rows]
        return log_kernel
