"""Kernels as the published code has them: plain floats, where 0 / 0 counts as 0."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from causalaug._segments import lengths_of, offsets_of, segment_reduce
from causalaug.conditionals import FittedConditional, KernelConditional, RowWeigher
from causalaug.factorization import Factor
from causalaug.kernels import ColumnKernel, ListedRows, RowWeights
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

NORMAL_CONSTANT = 1.0 / np.sqrt(2.0 * np.pi)


@dataclass(frozen=True)
class PlainFloatConditional:
    """A kernel conditional that loses what underflows.

    The kernels of a pillow are multiplied as doubles. Where a new pillow lies so far from
    every observed one that all products are 0, no row gets any weight and the path ends: at
    bandwidths of a thousandth of the usual, nearly all mass is lost so. It serves to
    reproduce published figures, nothing else.

    Parameters
    ----------
    kernel : KernelConditional
        The kernels and bandwidths. Only Gaussian and identity kernels have a plain form here.

    Examples
    --------
    >>> import pandas as pd
    >>> from causalaug import PrunedExpansion, augment, read_graph
    >>> table = pd.DataFrame({"a": [0.0, 1.0], "b": [0.0, 1.0], "c": [0.0, 1.0]})
    >>> graph = read_graph("a -> c <- b")
    >>> narrow = KernelConditional(temperature=1e-3)
    >>> everything = PrunedExpansion(0)
    >>> float(augment(table, graph, narrow, everything).mass)
    1.0
    >>> float(augment(table, graph, PlainFloatConditional(narrow), everything).mass)
    0.5
    """

    kernel: KernelConditional = field(default_factory=lambda: KernelConditional(temperature=1e-3))

    def fit(self, table: Table, factors: Sequence[Factor]) -> tuple[FittedConditional, ...]:
        """Return the kernel of each factor."""
        kernels = dict(zip(table.columns, self.kernel.column_kernels(table), strict=True))
        return tuple(
            FittedConditional(
                _PlainFloatWeigher(
                    fitted.weigher,
                    table.values[:, [table.index(name) for name in factor.pillow]],
                    tuple(kernels[name] for name in factor.pillow),
                )
            )
            for factor, fitted in zip(factors, self.kernel.fit(table, factors), strict=True)
        )


@dataclass(frozen=True, eq=False)
class _PlainFloatWeigher:
    """The rows that an exact weigher finds, weighed again in plain floats.

    What the exact one leaves out is below double precision beside what it finds.
    """

    exact: RowWeigher
    reference: FloatArray
    kernels: tuple[ColumnKernel, ...]

    @property
    def may_vanish(self) -> bool:
        """Whether a row may have no weight at all: any that is far enough."""
        return bool(self.kernels)

    def weigh(self, query: FloatArray, log_cut: float = 0.0) -> Iterator[RowWeights]:
        """Yield the weighted rows of each query; none where every product underflows."""
        start = 0
        for block in self.exact.weigh(query, log_cut):
            stop = start + block.n_queries
            yield self._weigh_again(query[start:stop], block)
            start = stop

    def propose(self, query: FloatArray, owner: IntArray, rng: np.random.Generator) -> IntArray:
        """Give up on every entry, so that all rows are weighed."""
        return np.full(len(owner), -1, dtype=np.int64)

    def log_heaviest_bound(
        self, query: FloatArray, log_factors: FloatArray | None = None
    ) -> FloatArray:
        """Return no bound."""
        return np.full(len(query), np.inf)

    def _weigh_again(self, query: FloatArray, block: RowWeights) -> ListedRows:
        owner = np.repeat(np.arange(block.n_queries), block.counts)
        rows = block.rows
        kernel = plain_kernel(query[owner], self.reference[rows], self.kernels)
        found = kernel > 0.0
        owner, rows, log_kernel = owner[found], rows[found], np.log(kernel[found])
        offsets = offsets_of(np.bincount(owner, minlength=block.n_queries))
        heaviest = segment_reduce(np.maximum, log_kernel, offsets, empty=0.0)
        relative = log_kernel - np.repeat(heaviest, lengths_of(offsets))
        return ListedRows(offsets, rows, relative)


def plain_kernel(
    query: FloatArray, reference: FloatArray, kernels: Sequence[ColumnKernel]
) -> FloatArray:
    """Return the product of the kernels of paired rows, in doubles that may underflow.

    >>> plain_kernel(np.array([[0.0], [0.0]]), np.array([[0.0], [9.0]]), [
    ...     ColumnKernel("gaussian", 0.1)])
    array([0.39894228, 0.        ])
    """
    product: FloatArray = np.ones(len(query))
    for column, kernel in enumerate(kernels):
        difference = query[:, column] - reference[:, column]
        if kernel.name == "identity" or kernel.bandwidth == 0.0:
            product *= difference == 0.0
        else:
            square = np.square(difference) / (2.0 * kernel.bandwidth**2)
            product *= NORMAL_CONSTANT * np.exp(-square)
    return product
