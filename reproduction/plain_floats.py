"""Kernels as the published code has them: plain floats, where 0 / 0 counts as 0."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from causalaug._ragged import Ragged, RowWeights, segment_reduce
from causalaug.conditionals import FittedConditional, KernelConditional
from causalaug.factorization import Factor
from causalaug.kernels import ColumnKernel, RowWeigher
from causalaug.table import Table
from causalaug.typing import FloatArray

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

    kernel: KernelConditional = KernelConditional(discrete_kernel="identity", temperature=1e-3)

    def fit(self, table: Table, factors: Sequence[Factor]) -> tuple[FittedConditional, ...]:
        """Return the kernel of each factor."""
        named = zip(table.columns, self.kernel.column_kernels(table), strict=True)
        kernels = {name: kernel for name, kernel in named if isinstance(kernel, ColumnKernel)}
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
class _PlainFloatWeigher(RowWeigher):
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

    def log_kernel(self, query: FloatArray) -> FloatArray:
        """Return the logarithm of the product of plain floats, ``-inf`` where it underflows."""
        n_rows, n_queries = len(self.reference), len(query)
        rows = np.tile(self.reference, (n_queries, 1))
        kernel = plain_kernel(np.repeat(query, n_rows, axis=0), rows, self.kernels)
        with np.errstate(divide="ignore"):
            return np.log(kernel).reshape(n_queries, n_rows)

    def weigh(self, query: FloatArray, log_cut: float = 0.0) -> Iterator[RowWeights]:
        """Yield the weighted rows of each query; none where every product underflows."""
        start = 0
        for block in self.exact.weigh(query, log_cut):
            near = block.at_least(np.full(block.n_owners, -np.inf))
            asked = query[start : start + block.n_owners]
            kernel = plain_kernel(asked[near.owner], self.reference[near.index], self.kernels)
            there = np.flatnonzero(kernel > 0.0)
            # The offsets count the entries before each owner's first: some are left out.
            offsets = np.searchsorted(there, near.offsets)
            log_kernel = np.log(kernel[there])
            heaviest = segment_reduce(np.maximum, log_kernel, offsets, empty=0.0)
            relative = log_kernel - heaviest[near.owner[there]]
            yield Ragged.normalised(offsets, near.index[there], relative)
            start += block.n_owners


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
