"""The kernel of all rows at once, for a block of queries.

On a small table each column gets a table of kernel values, its distinct values by rows, and
a block of queries is a product of their rows: no exponential is taken per entry. On a large
one the logarithms are added up and exponentiated.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from causalaug._segments import combine_codes, rank_keys
from causalaug._threads import one_blas_thread
from causalaug.kernels._column import KernelColumn
from causalaug.kernels._row_weights import SMALLEST_LOG, WholeRows, exp_or_zero
from causalaug.typing import FloatArray, IntArray

BLOCK_ENTRIES = 1 << 17
"""Entries evaluated at a time: small enough for the processor's cache."""

LARGEST_TABLE = 1 << 20
"""Entries of a table of kernel values."""

LARGEST_KEPT = 1 << 17
"""Entries of a table that is kept for the next block of queries."""

LEAST_QUERIES = 0.25
"""Queries per row from which on it pays to make the tables."""

LEAST_FILL = 0.02
"""Share of a grid that queries must fill for matrix products over it to pay."""

LARGEST_FLUSHED = 1e-150
"""Factors below it are left out of matrix products."""

LEAST_TOTAL = 1e-280
"""Kernel sums below it have lost digits to underflow."""


class WholeRowEvaluator:
    """Evaluates a product kernel for all rows, a block of queries at a time."""

    def __init__(self, columns: Sequence[KernelColumn], n_rows: int) -> None:
        self._columns = tuple(columns)
        self._n_rows = n_rows
        self._kept: dict[int, FloatArray] = {}

    def evaluate(self, query: FloatArray, log_cut: float) -> Iterator[WholeRows]:
        """Yield the kernel matrices of consecutive blocks of queries.

        Entries lighter than the heaviest by more than `log_cut` in logarithm may be zero.
        """
        least_total = np.exp(log_cut + SMALLEST_LOG)
        size = max(1, BLOCK_ENTRIES // self._n_rows)
        codes = self._codes(query) if len(query) >= LEAST_QUERIES * self._n_rows else None
        tables = [] if codes is None else [self._table(c) for c in range(len(self._columns))]
        spare = np.empty((min(size, len(query)), self._n_rows))
        for start in range(0, len(query), size):
            block = slice(start, start + size)
            if codes is None:
                yield WholeRows(self._exponentiate(query[block]))
            else:
                rows = [code[block] for code in codes]
                yield self._multiply(query[block], tables, rows, spare, least_total)

    def log_heaviest_bound(
        self, query: FloatArray, log_factors: FloatArray | None = None
    ) -> FloatArray:
        """Return a bound on the largest ``log(w) + log_factor`` of each query; inf is no bound.

        For weights `w` that sum to one, ``max w f <= (sum (w f)^4)^(1/4)``. Sums over all
        rows are matrix products of the tables, for all queries at once, if these fill a good
        part of a grid: as they do where two variables without a common history meet in a
        pillow.
        """
        unknown = np.full(len(query), np.inf)
        codes = self._codes(query)
        if codes is None or len(codes) < 2:
            return unknown
        sizes = [len(values) for values in self._distinct]
        longest = int(np.argmax(sizes))
        others = [position for position in range(len(codes)) if position != longest]
        key = combine_codes([codes[c] for c in others], [sizes[c] for c in others], len(query))
        rest, first = rank_keys(*key)
        too_large = len(first) * self._n_rows > LARGEST_TABLE
        if too_large or len(query) < LEAST_FILL * len(first) * sizes[longest]:
            return unknown
        left = np.ones((len(first), self._n_rows))
        for c in others:
            left *= self._table(c)[codes[c][first]]
        cell = rest * sizes[longest] + codes[longest]
        right = self._table(longest)
        totals = _sums_of_products(left, right, 1)[cell]
        if log_factors is not None:
            left *= np.exp(log_factors)
        fourth = _sums_of_products(left, right, 4)[cell]
        fourth += self._n_rows * LARGEST_FLUSHED * max(1.0, float(left.max(initial=0.0)) ** 4)
        known = totals > LEAST_TOTAL
        unknown[known] = 0.25 * np.log(fourth[known]) - np.log(totals[known]) + 1e-9
        return unknown

    @cached_property
    def _distinct(self) -> list[FloatArray]:
        return [np.unique(column.values) for column in self._columns]

    def _table(self, position: int) -> FloatArray:
        """Return the kernel of one column: its distinct values by rows.

        Large tables are not kept: they would be larger than all else together.
        """
        if position in self._kept:
            return self._kept[position]
        column, values = self._columns[position], self._distinct[position]
        table = exp_or_zero(column.log_kernel(values[:, np.newaxis], column.values))
        if table.size <= LARGEST_KEPT:
            self._kept[position] = table
        return table

    def _codes(self, query: FloatArray) -> list[IntArray] | None:
        """Return the row of each column's table, None if there is no table for the queries."""
        longest = max((len(values) for values in self._distinct), default=0)
        if not self._columns or longest * self._n_rows > LARGEST_TABLE:
            return None
        codes = []
        for values, wanted in zip(self._distinct, query.T, strict=True):
            code = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
            if not np.array_equal(values[code], wanted):
                return None
            codes.append(code)
        return codes

    def _multiply(
        self,
        query: FloatArray,
        tables: list[FloatArray],
        codes: list[IntArray],
        spare: FloatArray,
        least_total: float,
    ) -> WholeRows:
        """Multiply rows of the tables; where a sum has lost digits, exponentiate instead."""
        kernel = np.take(tables[0], codes[0], axis=0)
        for table, code in zip(tables[1:], codes[1:], strict=True):
            kernel *= np.take(table, code, axis=0, out=spare[: len(code)], mode="clip")
        weights = WholeRows(kernel)
        lost = np.flatnonzero(weights.totals < least_total)
        if not lost.size:
            return weights
        kernel[lost] = self._exponentiate(query[lost])
        return WholeRows(kernel)

    def _exponentiate(self, query: FloatArray) -> FloatArray:
        log_kernel = self._gaussian_log_kernels(query)
        for column, wanted in zip(self._columns, query.T, strict=True):
            if not column.is_gaussian:
                log_kernel += column.log_kernel(wanted[:, np.newaxis], column.values)
        heaviest = log_kernel.max(axis=1, keepdims=True)
        log_kernel -= np.where(np.isfinite(heaviest), heaviest, 0.0)
        return exp_or_zero(log_kernel)

    def _gaussian_log_kernels(self, query: FloatArray) -> FloatArray:
        """Return the sum of the Gaussian log-kernels, each query's up to a constant.

        Of ``-(q - z)^2 / 2`` the part ``q z - z^2 / 2`` depends on the row: a matrix product.
        """
        if not self._gaussian:
            return np.zeros((len(query), self._n_rows))
        places = [self._columns[c].scaled(query[:, c]) for c in self._gaussian]
        with one_blas_thread():
            log_kernel: FloatArray = np.column_stack([*places, np.ones(len(query))]) @ self._rows
        return log_kernel

    @cached_property
    def _gaussian(self) -> list[int]:
        return [c for c, column in enumerate(self._columns) if column.is_gaussian]

    @cached_property
    def _rows(self) -> FloatArray:
        """The rows' places in each Gaussian column, and what is taken off for them."""
        places = np.stack(
            [self._columns[c].scaled(self._columns[c].values) for c in self._gaussian]
        )
        return np.vstack([places, -0.5 * np.square(places).sum(axis=0)])


def _sums_of_products(left: FloatArray, right: FloatArray, power: int) -> FloatArray:
    """Return the sums of powers of the products of all pairs of rows, pair by pair."""
    with one_blas_thread():
        sums: FloatArray = _normal(left, power) @ _normal(right, power).T
    return sums.ravel()


def _normal(table: FloatArray, power: int) -> FloatArray:
    """Return powers of the entries, 0 where their products would be slow subnormal numbers."""
    powers: FloatArray = np.square(np.square(table)) if power == 4 else table.copy()
    powers[powers < LARGEST_FLUSHED] = 0.0
    return powers
