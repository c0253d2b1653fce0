"""Kernels on rows that do not count the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from causalaug.conditionals._base import RowWeigher
from causalaug.kernels import ColumnKernel, ProductKernel, RowWeights
from causalaug.typing import FloatArray, IntArray


def weigh_rows(
    reference: FloatArray, kernels: Sequence[ColumnKernel], row_weights: FloatArray | None
) -> RowWeigher:
    """Return the product kernel, times the weight of each row if there are any.

    Queries may have more columns than the reference; only the first ones are looked at.
    """
    if row_weights is None:
        return ProductKernel(reference, kernels)
    distance = np.sqrt(-2.0 * np.log(row_weights / row_weights.max()))
    kernel = ProductKernel(
        np.column_stack([reference, distance]), [*kernels, ColumnKernel("gaussian", 1.0)]
    )
    return _FixedQuery(kernel, reference.shape[1])


@dataclass(frozen=True, eq=False)
class _FixedQuery:
    """A kernel whose last column measures how far a row is from full weight.

    At distance `d` from the query, always 0, a Gaussian gives ``exp(-d^2 / 2)``: any
    weights can be written so, and rows are found and compared as with any other column.
    """

    kernel: ProductKernel
    n_columns: int

    @property
    def may_vanish(self) -> bool:
        """Whether a row may have no weight at all."""
        return self.kernel.may_vanish

    def weigh(self, query: FloatArray, log_cut: float = 0.0) -> Iterator[RowWeights]:
        """Yield the weighted rows of each query."""
        return self.kernel.weigh(self._extended(query), log_cut)

    def propose(self, query: FloatArray, owner: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw a row for each entry, or give up."""
        return self.kernel.propose(self._extended(query), owner, rng)

    def log_heaviest_bound(
        self, query: FloatArray, log_factors: FloatArray | None = None
    ) -> FloatArray:
        """Return an upper bound on the largest weight of each query."""
        return self.kernel.log_heaviest_bound(self._extended(query), log_factors)

    def _extended(self, query: FloatArray) -> FloatArray:
        return np.column_stack([query[:, : self.n_columns], np.zeros(len(query))])
