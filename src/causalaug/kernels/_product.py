"""The product kernel on the columns of a pillow, Eq. (3) of the paper.

`ProductKernel.log_kernel` is the reference text: the weight of row `i` given the values `z` of
the pillow is ``K(z - Z_i) / sum_k K(z - Z_k)``, where `K` is a product of one kernel per column.
All else in this package gives the same weights with less work. On a small table each column gets a
table of kernel values, its distinct values by rows, and a block of queries is a product of rows of
these tables: no exponential is taken per entry. Where kernels are narrow, or rows are many, only
the rows that could matter in double precision are found and weighed (`_neighbours`), or a few are
proposed and drawn (`_proposals`). No matrix of rows by rows is ever built.
"""

import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from causalaug._ragged import (
    SMALLEST_LOG,
    Dense,
    Ragged,
    RowWeights,
    blocks_by_size,
    exp_or_zero,
    lengths_of,
    offsets_of,
    segment_reduce,
)
from causalaug._threads import one_blas_thread
from causalaug.kernels._base import BLOCK_ENTRIES, RowWeigher
from causalaug.kernels._neighbours import NeighbourFinder
from causalaug.kernels._proposals import NearbyRows
from causalaug.kernels._sums import GaussianSums
from causalaug.kernels._univariate import ColumnKernel, Kernel, KernelColumn
from causalaug.typing import BoolArray, FloatArray, IntArray

NEGLIGIBLE = 34.0
"""``exp(-34)`` is below the precision of a double."""

BATCH_QUERIES = 1 << 14
"""Queries whose candidates are searched at a time."""

SMALL_TABLE = 2048
"""Up to this many rows, dense blocks are as fast as finding neighbours. With 4,096 the row "10,000
new rows at temperature 0.01" of `make bench` takes twice as long."""

DENSE_PART = 0.2
"""Weigh all rows where candidates would be more than this part of the table."""

WIDEST_SQUARE = 1e5
"""Squared ranges, in bandwidths, up to which exponents keep eleven digits."""

LARGEST_PLAIN_EXPONENT = 1e3
"""Beyond it, differences of squares are taken from factors, not from the squares."""

RELATIVE_ROUNDING = 1e-15
"""Relative error of a sum of squares, generously."""

FEWEST_TO_PROPOSE = 256
"""In smaller tables all rows are weighed as fast as some are proposed. Twice as many change nothing
(`make bench`, fitting with a fixed share, ridge, 300 rows)."""

LEAST_ACCEPTED = 2.0
"""Rows are proposed if so many would be accepted, were each proposed once. Slabs do better than
that, and proposals end by themselves where few succeed: with 32, drawing rows for a pillow of three
columns takes three times as long (1,600 rows)."""

LARGE_TABLE = 4096
"""From so many rows on, rows are proposed however narrow the kernel: to list all that matter to
50,000 queries takes longer (`make bench`, growth with the reference rows)."""

FEWEST_PER_BANDWIDTH = 4.0
"""Rows to a bandwidth of the range from which on sums are used. With fewer there are fewer rows
within reach than terms to add up."""

LARGEST_TABLE = 1 << 20
"""Entries of a table of kernel values: 1,024 distinct values of 1,024 rows. Larger ones fall out
of the cache."""

LARGEST_KEPT_TABLE = 1 << 17
"""Entries of a table that is kept for the next queries. Larger ones would together be larger than
all else."""

LEAST_QUERIES = 0.25
"""Queries per row from which on it pays to make the tables."""


class ProductKernel(RowWeigher):
    """Weights of the reference rows by the product of one kernel per column.

    Parameters
    ----------
    reference : float array of shape (n_rows, n_columns)
        The observed rows, only the columns of the pillow. No columns at all give every
        row the same weight.
    kernels : sequence of ColumnKernel or Kernel
        One per column.
    row_weights : float array of shape (n_rows,), optional
        How much each row counts; the kernel is multiplied by it.

    Examples
    --------
    However narrow the kernel and however far the query, a Gaussian always has a nearest
    row to give its weight to:

    >>> import numpy as np
    >>> kernel = ProductKernel(np.array([[0.0], [1.0], [1.0]]), [ColumnKernel("gaussian", 1e-6)])
    >>> np.exp(kernel.log_weights(np.array([[50.0]])))
    array([[0. , 0.5, 0.5]])
    """

    def __init__(
        self,
        reference: FloatArray,
        kernels: Sequence[ColumnKernel | Kernel],
        row_weights: FloatArray | None = None,
    ) -> None:
        columns = [KernelColumn.of(k, v) for k, v in zip(kernels, reference.T, strict=True)]
        self._set(columns, len(reference), row_weights)

    @classmethod
    def of(
        cls, columns: Sequence[KernelColumn], n_rows: int, row_weights: FloatArray | None = None
    ) -> "ProductKernel":
        """Return the kernel of columns that other pillows may share."""
        kernel = cls.__new__(cls)
        kernel._set(columns, n_rows, row_weights)
        return kernel

    def _set(
        self, columns: Sequence[KernelColumn], n_rows: int, row_weights: FloatArray | None
    ) -> None:
        self.n_rows = n_rows
        self._columns = list(columns)
        # Relative to the largest, so that no logarithm of a kernel is ever above zero.
        self._log_rows = None if row_weights is None else np.log(row_weights / row_weights.max())
        self._tables: dict[int, FloatArray] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be made again: search trees and tables of kernel values."""
        kept = ("n_rows", "_columns", "_log_rows")
        return {**{name: vars(self)[name] for name in kept}, "_tables": {}}

    @property
    def uses_pillow(self) -> bool:
        """Whether there is a column to be near in."""
        return bool(self._columns)

    def among(self, rows: IntArray) -> "ProductKernel":
        """Return the kernel of some of the rows, as wide as that of all."""
        columns = [KernelColumn.of(each.kernel, each.values[rows]) for each in self._columns]
        weights = None if self._log_rows is None else np.exp(self._log_rows[rows])
        return ProductKernel.of(columns, len(rows), weights)

    def split(self, position: int) -> "tuple[ProductKernel, KernelColumn] | None":
        """Return the kernel of the other columns and that of one, if it is Gaussian."""
        if position >= len(self._columns) or not self._columns[position].is_gaussian:
            return None
        others = [each for number, each in enumerate(self._columns) if number != position]
        weights = None if self._log_rows is None else np.exp(self._log_rows)
        return ProductKernel.of(others, self.n_rows, weights), self._columns[position]

    def log_kernel(self, query: FloatArray) -> FloatArray:
        """Return the logarithm of ``K(z - Z_i)`` for every query `z` and row `i`: Eq. (3).

        This is the reference text; `log_weights` normalises it. Where no row equals the query in
        the columns that want the nearest, those that differ in the fewest of them serve.
        """
        log_kernel = np.zeros((len(query), self.n_rows))
        # A kernel without columns takes any query, and weighs all rows alike.
        for column, wanted in zip(self._columns, query.T, strict=False):
            if not column.is_exact:
                log_kernel += column.log_kernel(wanted[:, np.newaxis], column.values)
        if self._log_rows is not None:
            log_kernel += self._log_rows
        if self._has_exact:
            mismatches = self._mismatches(query[:, :, np.newaxis], slice(None))
            fewest = mismatches.min(axis=1, keepdims=True)
            log_kernel[(mismatches > fewest) | np.isinf(mismatches)] = -np.inf
        return log_kernel

    def _mismatches(self, wanted: FloatArray, rows: IntArray | slice) -> FloatArray:
        """Return in how many of the nearest columns rows differ; inf where they must not."""
        mismatches: FloatArray = np.zeros(1)
        for column, values in zip(self._columns, wanted.swapaxes(0, 1), strict=True):
            if column.is_exact:
                differs = values != column.values[rows]
                cost = 1.0 if column.is_nearest else np.inf
                mismatches = mismatches + np.where(differs, cost, 0.0)
        return mismatches

    # What rows may lack.

    @cached_property
    def may_vanish(self) -> bool:
        """Whether a row may have no weight at all; otherwise every row has some."""
        return any(column.may_vanish for column in self._columns)

    @cached_property
    def may_end(self) -> bool:
        """Whether all rows may have no weight, so that a path ends."""
        return any(column.may_vanish and not column.is_nearest for column in self._columns)

    @cached_property
    def _has_exact(self) -> bool:
        return any(column.is_exact for column in self._columns)

    @cached_property
    def _has_nearest(self) -> bool:
        return any(column.is_nearest for column in self._columns)

    # Weights of the rows that matter.

    def weigh(self, query: FloatArray, log_cut: float = 0.0) -> Iterator[RowWeights]:
        """Yield the weighted rows of the queries, block after block, in their order.

        Parameters
        ----------
        query : float array of shape (n_queries, n_columns)
            Values of the pillow.
        log_cut : float, default=0.0
            Rows lighter than the heaviest by more than this in logarithm may be left out,
            if the mass of all of them is below double precision as well. ``inf`` keeps
            every row on which the kernel does not vanish.
        """
        if not self._columns:
            yield from self._same_for_all(len(query))
            return
        cut = max(float(np.log(self.n_rows)) + NEGLIGIBLE, log_cut)
        may_be_dense = self._is_wide and cut < -SMALLEST_LOG
        # What discrete columns and row weights may take off lets lighter Gaussians matter.
        cut -= sum(column.log_least for column in self._columns)
        cut -= 0.0 if self._log_rows is None else float(self._log_rows.min())
        if may_be_dense and self._prefers_dense:
            yield from self._dense_blocks(query, cut)
            return
        for start in range(0, len(query), BATCH_QUERIES):
            yield from self._weigh_batch(query[start : start + BATCH_QUERIES], cut, may_be_dense)

    def _same_for_all(self, n_queries: int) -> Iterator[Ragged]:
        """Yield the weights of rows that have no pillow to be compared on."""
        log_kernel = np.zeros(self.n_rows) if self._log_rows is None else self._log_rows
        rows: IntArray = np.arange(self.n_rows, dtype=np.int32)
        size = max(1, BLOCK_ENTRIES // self.n_rows)
        for start in range(0, n_queries, size):
            times = min(size, n_queries - start)
            offsets = np.arange(times + 1) * self.n_rows
            yield Ragged.normalised(offsets, np.tile(rows, times), np.tile(log_kernel, times))

    @cached_property
    def _is_wide(self) -> bool:
        """Whether no exponent is so large that its last digits would matter."""
        widths = [column.width for column in self._columns if column.is_gaussian]
        return 0.0 < sum(width * width for width in widths) <= WIDEST_SQUARE

    @cached_property
    def _prefers_dense(self) -> bool:
        """Whether weighing all rows is as fast as finding some.

        For a single Gaussian column the part of the table within reach is known beforehand.
        """
        if self.n_rows > SMALL_TABLE or len(self._columns) != 1:
            return self.n_rows <= SMALL_TABLE
        reach = np.sqrt(2.0 * (np.log(self.n_rows) + NEGLIGIBLE))
        return bool(2.0 * reach > DENSE_PART * self._columns[0].width)

    @cached_property
    def _finder(self) -> NeighbourFinder:
        return NeighbourFinder(self._columns, self.n_rows)

    def _weigh_batch(
        self, query: FloatArray, cut: float, may_be_dense: bool
    ) -> Iterator[RowWeights]:
        """Weigh the neighbours of some queries, or all rows if most are neighbours."""
        groups = self._finder.match.group_of(query)
        found = self._finder.find(query, groups, cut)
        is_unmatched = groups < 0
        if self._has_nearest and is_unmatched.any():
            found = found.opened(is_unmatched)
        if may_be_dense and found.counts.sum() > DENSE_PART * self.n_rows * len(query):
            yield from self._dense_blocks(query, cut)
            return
        for block in blocks_by_size(found.counts, BLOCK_ENTRIES):
            offsets, rows = offsets_of(found.counts[block]), found.rows(block)
            yield self._weigh_entries(query[block], offsets, rows, is_unmatched[block], cut)

    def _weigh_entries(
        self, query: FloatArray, offsets: IntArray, rows: IntArray, unmatched: BoolArray, cut: float
    ) -> Ragged:
        """Weigh the named rows of each query; drop those that cannot matter."""
        owner = np.repeat(np.arange(len(query)), lengths_of(offsets))
        log_kernel = self._pair_kernel(query, owner, rows)
        if self._has_nearest and unmatched.any():
            # Only the rows that differ in the fewest of the nearest columns are left.
            mismatches = self._mismatches(query[owner], rows)
            fewest = segment_reduce(np.minimum, mismatches, offsets, empty=0.0)
            log_kernel[(mismatches > fewest[owner]) | np.isinf(mismatches)] = -np.inf
        heaviest = segment_reduce(np.maximum, log_kernel, offsets, empty=0.0)
        heaviest = np.where(np.isfinite(heaviest), heaviest, 0.0)
        floor = heaviest - cut - RELATIVE_ROUNDING * np.abs(heaviest)
        # What is below the lowest number is minus infinity: it is never kept.
        keep = log_kernel >= np.maximum(floor, -sys.float_info.max)[owner]
        if not keep.all():
            offsets = offsets_of(keep)[offsets]
            rows, owner, log_kernel = rows[keep], owner[keep], log_kernel[keep]
        if heaviest.min(initial=0.0) < -LARGEST_PLAIN_EXPONENT:
            log_kernel = self._from_pivots(query, owner, rows, log_kernel == heaviest[owner])
            if heaviest.min() * RELATIVE_ROUNDING < -1.0:
                # Rows so far away look equally far: the pivot need not be the heaviest of them.
                log_kernel -= segment_reduce(np.maximum, log_kernel, offsets, empty=0.0)[owner]
        elif heaviest.any():
            log_kernel -= heaviest[owner]
        return Ragged.normalised(offsets, rows, log_kernel)

    def _pair_kernel(self, query: FloatArray, owner: IntArray, rows: IntArray) -> FloatArray:
        """Return the log-kernel of pairs of a query and a row, exact columns left out."""
        log_kernel = np.zeros(len(rows)) if self._log_rows is None else self._log_rows.take(rows)
        for wanted, column in zip(query.T, self._columns, strict=False):
            if not column.is_exact:
                log_kernel += column.log_kernel(wanted.take(owner), column.values.take(rows))
        return log_kernel

    def _from_pivots(
        self, query: FloatArray, owner: IntArray, rows: IntArray, is_top: BoolArray
    ) -> FloatArray:
        """Return log-kernels relative to one near row of each query, the pivot.

        At narrow bandwidths the squares reach 1e8 while their differences matter to the
        last digit: ``(q - z)^2 - (q - p)^2`` is taken as ``(p - z) ((q - z) + (q - p))``.
        """
        top = np.flatnonzero(is_top)
        pivot = rows[top[np.searchsorted(owner[top], owner)]]
        log_kernel = np.zeros(len(rows))
        if self._log_rows is not None:
            log_kernel += self._log_rows[rows] - self._log_rows[pivot]
        for position, column in enumerate(self._columns):
            if column.is_exact:
                continue
            q, z, p = query[owner, position], column.values[rows], column.values[pivot]
            if column.is_gaussian:
                h = column.distance.bandwidth
                log_kernel -= 0.5 * ((p - z) / h) * (((q - z) + (q - p)) / h)
            else:
                log_kernel += column.log_kernel(q, z) - column.log_kernel(q, p)
        return log_kernel

    # Weights of all rows.

    def relative(self, query: FloatArray) -> FloatArray:
        """Return the kernel of every row given each query, up to a factor of each query."""
        return self._exponentiated(query) if self._is_wide else super().relative(query)

    def _dense_blocks(self, query: FloatArray, log_cut: float) -> Iterator[Dense]:
        """Yield the weights of all rows, for consecutive blocks of queries.

        Entries lighter than the heaviest by more than `log_cut` in logarithm may be zero.
        """
        # Sums of products below it have lost digits to underflow.
        least_total = np.exp(min(log_cut + SMALLEST_LOG, -SMALLEST_LOG))
        size = max(1, BLOCK_ENTRIES // self.n_rows)
        codes = self._codes(query)
        # A table of one column serves these queries no better than the kernel itself, unless it
        # is kept for the next ones.
        used_again = len(codes) > 1 or self.n_rows**2 <= LARGEST_KEPT_TABLE
        pays = used_again and len(query) >= LEAST_QUERIES * self.n_rows
        tables = [self._table(c) for c in range(len(codes))] if pays else []
        plainly = self._exponentiated if not codes else lambda q: self._relative(self.log_kernel(q))
        for start in range(0, len(query), size):
            block = slice(start, start + size)
            if not tables:
                yield Dense.normalised(plainly(query[block]))
                continue
            kernel = tables[0][codes[0][block]]
            for table, code in zip(tables[1:], codes[1:], strict=True):
                kernel *= table[code[block]]
            lost = np.flatnonzero(np.einsum("ij->i", kernel) < least_total)
            if lost.size:
                kernel[lost] = self._relative(self.log_kernel(query[block][lost]))
            yield Dense.normalised(kernel)

    def _table(self, position: int) -> FloatArray:
        """Return the kernel of one column: its distinct values by rows."""
        if position in self._tables:
            return self._tables[position]
        column = self._columns[position]
        log_kernel = column.log_kernel(column.distinct[:, np.newaxis], column.values)
        if position == 0 and self._log_rows is not None:
            log_kernel += self._log_rows
        table = exp_or_zero(log_kernel, log_kernel)
        if table.size <= LARGEST_KEPT_TABLE:
            self._tables[position] = table
        return table

    def _codes(self, query: FloatArray) -> list[IntArray]:
        """Return the row of each column's table, none if there is no table for the queries."""
        longest = max(len(column.distinct) for column in self._columns)
        if longest * self.n_rows > LARGEST_TABLE:
            return []
        codes = []
        for column, wanted in zip(self._columns, query.T, strict=True):
            values = column.distinct
            code = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
            if not np.array_equal(values[code], wanted):
                return []
            codes.append(code)
        return codes

    def _exponentiated(self, query: FloatArray) -> FloatArray:
        """Return the kernel of all rows, up to a factor of each query, by a matrix product.

        Of ``-(q - z)^2 / 2`` the part ``q z - z^2 / 2`` depends on the row; without ``-q^2 / 2`` it
        keeps its digits however far the query. Queries that match no row exactly go by the
        reference text.
        """
        places = [c.scaled(q) for c, q in zip(self._columns, query.T, strict=True) if c.is_gaussian]
        left = np.ones((len(query), len(places) + 2))
        for number, each in enumerate(places):
            left[:, number] = each
        squares = np.einsum("ij,ij->i", left[:, :-2], left[:, :-2])
        left[:, -1] = -0.5 * np.minimum(squares, WIDEST_SQUARE)
        with one_blas_thread():
            log_kernel: FloatArray = left @ self._places
        for column, wanted in zip(self._columns, query.T, strict=True):
            if not column.is_gaussian:
                log_kernel += column.log_kernel(wanted[:, np.newaxis], column.values)
        if self._log_rows is not None:
            log_kernel += self._log_rows
        if self._has_nearest:
            unmatched = np.flatnonzero(np.isneginf(log_kernel.max(axis=1)))
            log_kernel[unmatched] = self.log_kernel(query[unmatched])
        return self._relative(log_kernel)

    @cached_property
    def _places(self) -> FloatArray:
        """The rows' places in each Gaussian column, what is taken off for them, and ones."""
        places = np.stack([c.scaled(c.values) for c in self._columns if c.is_gaussian])
        return np.vstack([places, -0.5 * np.square(places).sum(axis=0), np.ones(self.n_rows)])

    @staticmethod
    def _relative(log_kernel: FloatArray) -> FloatArray:
        """Return the exponentials, relative to the heaviest of each row if need be, in place."""
        heaviest = log_kernel.max(axis=1, keepdims=True)
        if heaviest.max(initial=0.0) < 1.0 and log_kernel.min(initial=0.0) >= SMALLEST_LOG:
            return np.exp(log_kernel, out=log_kernel)
        log_kernel -= np.where(np.isfinite(heaviest), heaviest, 0.0)
        return exp_or_zero(log_kernel, log_kernel)

    # Draws without weights.

    def propose(self, query: FloatArray, owner: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw a row for each entry by its weight given ``query[owner]``, or give up: -1.

        Where kernels are wide no row has to be weighed that is not proposed.
        """
        if not self._columns and self._log_rows is None:
            return rng.integers(self.n_rows, size=len(owner))
        is_likely = self._acceptance * self.n_rows > LEAST_ACCEPTED
        pays = self.n_rows >= (FEWEST_TO_PROPOSE if is_likely else LARGE_TABLE)
        # Tables of kernel values that are kept weigh all rows as fast as some are proposed.
        is_kept = self._columns and self.n_rows**2 <= LARGEST_KEPT_TABLE and self._codes(query)
        if not pays or is_kept or self._finder.primary is None:
            return np.full(len(owner), -1)
        nearby = NearbyRows(self._finder, self._columns[self._finder.primary], query)
        return nearby.propose(self._pair_kernel, owner, rng)

    @cached_property
    def _acceptance(self) -> float:
        """About how likely a row proposed at random is accepted.

        Over normal data of width `w` a Gaussian of width 1 averages about ``5 / w``.
        """
        widths = [column.width for column in self._columns if column.is_gaussian]
        return float(np.prod([5.0 / max(width, 5.0) for width in widths]))

    @cached_property
    def sums(self) -> GaussianSums | None:
        """Sums of the kernels of all rows, for a single Gaussian column of a large table."""
        column = self._columns[0] if len(self._columns) == 1 else None
        if column is None or not column.is_gaussian or self.n_rows < LARGE_TABLE:
            return None
        if self.n_rows < FEWEST_PER_BANDWIDTH * column.width:
            return None
        return GaussianSums(column, self._finder.order, self._log_rows)
