"""A product kernel on the columns of a pillow: which rows are near, and how near.

No matrix of rows by rows is ever built. Where kernels are narrow, a superset of the rows
that could matter in double precision is found by binary search or in a search tree, and
only those are weighed. Where they are wide, whole rows are weighed, a block at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from causalaug._segments import (
    blocks_by_size,
    concatenated_ranges,
    keep_in_segments,
    lengths_of,
    offsets_of,
    segment_reduce,
)
from causalaug.kernels._candidates import CandidateFinder
from causalaug.kernels._column import ColumnKernel, KernelColumn
from causalaug.kernels._nearby import NearbyRows
from causalaug.kernels._row_weights import SMALLEST_LOG, ListedRows, RowWeights
from causalaug.kernels._univariate import CONTINUOUS_KERNELS
from causalaug.kernels._whole import BLOCK_ENTRIES, WholeRowEvaluator
from causalaug.typing import FloatArray, IntArray

BATCH_QUERIES = 1 << 14
"""Queries whose candidates are searched at a time."""

DENSE_SHARE = 0.2
"""Weigh whole rows where candidates would be more than this share of the table."""

SMALL_TABLE = 2048
"""Up to this many rows, whole rows are weighed faster than neighbours are found."""

WIDEST_SQUARE = 1e5
"""Squared ranges, in bandwidths, up to which exponents keep eleven digits."""

LARGEST_PLAIN_EXPONENT = 1e3
"""Beyond it, differences of squares are taken from factors, not from the squares."""

NARROWEST = 1e-120
"""Bandwidths below this share of the range change nothing but overflow their squares."""

FEW_ENTRIES = 4096
"""So few entries are all weighed, faster than those without a rival are told apart."""

ROUNDING = 1e-15
"""Relative error of a sum of squares, generously."""

FEWEST_TO_PROPOSE = 256
"""In smaller tables all rows are weighed faster than some are proposed."""

LARGE_TABLE = 4096
"""From so many rows on, near rows are proposed instead of any."""

COST_OF_PROPOSAL = 16
"""Proposing one row costs about as much as weighing this many among all."""

LOWEST = float(np.finfo(float).min)
"""What is below it is minus infinity."""

NEGLIGIBLE = 34.0
"""``exp(-34)`` is below the precision of a double."""


class ProductKernel:
    """Weights of the reference rows by the product of one kernel per column.

    Parameters
    ----------
    reference : float array of shape (n_rows, n_columns)
        The observed rows, only the columns of the pillow. No columns at all give every
        row the same weight.
    kernels : sequence of ColumnKernel
        One per column.

    Examples
    --------
    However narrow the kernel and however far the query, a Gaussian always has a nearest
    row to give its weight to:

    >>> import numpy as np
    >>> kernel = ProductKernel(np.array([[0.0], [1.0], [1.0]]), [ColumnKernel("gaussian", 1e-6)])
    >>> (weights,) = kernel.weigh(np.array([[50.0]]))
    >>> weights.rows.tolist(), np.exp(weights.log_weights)
    ([1, 2], array([0.5, 0.5]))
    """

    def __init__(self, reference: FloatArray, kernels: Sequence[ColumnKernel]) -> None:
        self.n_rows = len(reference)
        self._columns = [
            KernelColumn(_representable(kernel, values), np.ascontiguousarray(values))
            for kernel, values in zip(kernels, reference.T, strict=True)
        ]
        self._finder = CandidateFinder(self._columns, self.n_rows)
        self._whole_rows = WholeRowEvaluator(self._columns, self.n_rows)

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
        cut = max(float(np.log(self.n_rows)) + NEGLIGIBLE, log_cut)
        may_be_whole = self._is_wide and cut < -SMALLEST_LOG
        cut -= sum(column.log_odds for column in self._columns if not column.is_exact)
        if may_be_whole and self._is_small:
            yield from self._whole_rows.evaluate(query, cut)
            return
        for start in range(0, len(query), BATCH_QUERIES):
            batch = query[start : start + BATCH_QUERIES]
            yield from self._weigh_batch(batch, cut, may_be_whole)

    def propose(self, query: FloatArray, owner: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw a row for each entry by its weight given ``query[owner]``, or give up: -1.

        Rows are proposed evenly, in a large table near ones more often, and accepted with the
        probability that the kernel gives them, relative to how often they are proposed. What is
        accepted follows the weights exactly, whatever they add up to, so where
        kernels are wide no row has to be weighed that is not proposed. Giving up says
        nothing about the row that would have been drawn.
        """
        drawn: IntArray = np.full(len(owner), -1, dtype=np.int64)
        if self._columns and self.n_rows < FEWEST_TO_PROPOSE:
            return drawn
        nearby = self._finder.nearby(query) if self.n_rows >= LARGE_TABLE else None
        if nearby is not None:
            self._propose_nearby(nearby, query, owner, drawn, rng)
            return drawn
        if self._is_narrow:
            return drawn
        pending: IntArray = np.arange(len(owner))
        for _ in range(max(self.n_rows // COST_OF_PROPOSAL, 1)):
            rows = rng.integers(self.n_rows, size=len(pending))
            log_kernel = self._log_kernel(query, owner[pending], rows)
            accepted = (np.log1p(-rng.random(len(pending))) <= log_kernel) & self._matches(
                query, owner[pending], rows
            )
            drawn[pending[accepted]] = rows[accepted]
            if accepted.sum() * self.n_rows <= COST_OF_PROPOSAL * len(pending):
                break
            pending = pending[~accepted]
        return drawn

    def _propose_nearby(
        self,
        nearby: NearbyRows,
        query: FloatArray,
        owner: IntArray,
        drawn: IntArray,
        rng: np.random.Generator,
    ) -> None:
        """Draw rows for the entries, as far as it goes, into `drawn`; the first accepted stay.

        Where few entries are left, several rows are proposed for each at a time, about as many
        in all as cost what it costs to weigh all rows once.
        """
        pending = np.flatnonzero(nearby.totals[owner] > 0.0)
        fewest = self.n_rows // COST_OF_PROPOSAL
        while len(pending):
            entry = np.repeat(pending, max(fewest // len(pending), 1))
            rows, log_bound = nearby.draw(owner[entry], rng)
            log_ratio = self._log_kernel(query, owner[entry], rows) - log_bound
            accepted = np.flatnonzero(np.log1p(-rng.random(len(entry))) <= log_ratio)[::-1]
            drawn[entry[accepted]] = rows[accepted]
            if len(accepted) * self.n_rows <= COST_OF_PROPOSAL * len(entry):
                return
            pending = pending[drawn[pending] < 0]

    def log_heaviest_bound(
        self, query: FloatArray, log_factors: FloatArray | None = None
    ) -> FloatArray:
        """Return a bound on the largest ``log(w) + log_factor`` of each query; inf is no bound.

        `log_factors` has one entry per row. The bound holds for the fourth-power mean of the
        products: `m` rows together reach at most ``m^(3/4)`` times as much, by Hoelder's
        inequality.
        """
        if not (self._is_wide and self._is_small):
            return np.full(len(query), np.inf)
        return self._whole_rows.log_heaviest_bound(query, log_factors)

    @cached_property
    def may_vanish(self) -> bool:
        """Whether a row may have no weight at all; otherwise every row has some."""
        return self._is_compact or any(column.is_exact for column in self._columns)

    @cached_property
    def _is_compact(self) -> bool:
        return any(column.is_compact for column in self._columns)

    @cached_property
    def _is_wide(self) -> bool:
        """Whether no exponent is so large that its last digits would matter."""
        return 0.0 < self._squared_width <= WIDEST_SQUARE

    @cached_property
    def _is_narrow(self) -> bool:
        """Whether next to no row is near a query."""
        return self._squared_width > WIDEST_SQUARE

    @cached_property
    def _squared_width(self) -> float:
        widths = [column.width for column in self._columns if column.is_gaussian]
        return float(sum(width * width for width in widths))

    @cached_property
    def _is_small(self) -> bool:
        return len(self._columns) > 1 and self.n_rows <= SMALL_TABLE

    def _weigh_batch(
        self, query: FloatArray, cut: float, may_be_whole: bool
    ) -> Iterator[RowWeights]:
        """Weigh some queries."""
        found = self._finder.find(query, cut)
        if may_be_whole and found.counts.sum() > DENSE_SHARE * self.n_rows * len(query):
            yield from self._whole_rows.evaluate(query, cut)
            return
        for block in blocks_by_size(found.counts, BLOCK_ENTRIES):
            offsets = offsets_of(found.counts[block])
            yield self._weigh_candidates(query[block], offsets, found.rows(block), cut)

    def _weigh_candidates(
        self, query: FloatArray, offsets: IntArray, rows: IntArray, cut: float
    ) -> ListedRows:
        """Weigh the named rows of each query; a row without rival gets all the weight."""
        counts = lengths_of(offsets)
        several = np.flatnonzero(counts > 1)
        most_are_alone = 2 * len(several) <= len(counts)
        if self._is_compact or not most_are_alone or len(rows) <= FEW_ENTRIES:
            return self._weigh_entries(query, offsets, rows, cut)
        entries = concatenated_ranges(offsets[several], counts[several])
        weighed = self._weigh_entries(
            query[several], offsets_of(counts[several]), rows[entries], cut
        )
        alone = rows[offsets[:-1][counts == 1]]
        is_alone = counts == 1
        counts[several] = weighed.counts
        is_alone_entry = np.repeat(is_alone, counts)
        merged = np.empty(len(is_alone_entry), dtype=rows.dtype)
        merged[is_alone_entry], merged[~is_alone_entry] = alone, weighed.rows
        log_kernel = np.zeros(len(merged))
        log_kernel[~is_alone_entry] = weighed.log_kernel
        return ListedRows(offsets_of(counts), merged, log_kernel)

    def _weigh_entries(
        self, query: FloatArray, offsets: IntArray, rows: IntArray, cut: float
    ) -> ListedRows:
        """Weigh the named rows of each query; drop those that cannot matter."""
        owner = np.repeat(np.arange(len(query)), lengths_of(offsets))
        log_kernel = self._log_kernel(query, owner, rows)
        heaviest = segment_reduce(np.maximum, log_kernel, offsets, empty=0.0)
        heaviest = np.where(np.isfinite(heaviest), heaviest, 0.0)
        floor = heaviest - cut - ROUNDING * np.abs(heaviest)
        keep = log_kernel >= np.maximum(floor, LOWEST)[owner]
        if not keep.all():
            offsets = keep_in_segments(offsets, keep)
            rows, owner, log_kernel = rows[keep], owner[keep], log_kernel[keep]
        if heaviest.min(initial=0.0) < -LARGEST_PLAIN_EXPONENT:
            log_kernel = self._from_pivots(query, owner, rows, log_kernel == heaviest[owner])
        elif heaviest.any():
            log_kernel -= heaviest[owner]
        return ListedRows(offsets, rows, log_kernel)

    def _matches(self, query: FloatArray, owner: IntArray, rows: IntArray) -> IntArray:
        """Say of each entry whether its row equals its query where it must."""
        matches = np.ones(len(rows), dtype=bool)
        for position, column in enumerate(self._columns):
            if column.is_exact:
                matches &= query[owner, position] == column.values[rows]
        return matches

    def _log_kernel(self, query: FloatArray, owner: IntArray, rows: IntArray) -> FloatArray:
        log_kernel = np.zeros(len(rows))
        for position, column in enumerate(self._columns):
            if not column.is_exact:
                log_kernel += column.log_kernel(query[owner, position], column.values[rows])
        return log_kernel

    def _from_pivots(
        self, query: FloatArray, owner: IntArray, rows: IntArray, is_top: IntArray
    ) -> FloatArray:
        """Return log-kernels relative to one near row of each query, the pivot.

        At narrow bandwidths the squares reach 1e8 while their differences matter to the
        last digit: ``(q - z)^2 - (q - p)^2`` is taken as ``(p - z) ((q - z) + (q - p))``.
        """
        top = np.flatnonzero(is_top)
        pivot = rows[top[np.searchsorted(owner[top], owner)]]
        log_kernel = np.zeros(len(rows))
        for position, column in enumerate(self._columns):
            if column.is_exact:
                continue
            q, z, p = query[owner, position], column.values[rows], column.values[pivot]
            if column.is_gaussian:
                h = column.kernel.bandwidth
                log_kernel -= 0.5 * ((p - z) / h) * (((q - z) + (q - p)) / h)
            else:
                log_kernel += column.log_kernel(q, z) - column.log_kernel(q, p)
        return log_kernel


def _representable(kernel: ColumnKernel, values: FloatArray) -> ColumnKernel:
    """Return the kernel, with a bandwidth at which squared distances do not overflow."""
    if kernel.name not in CONTINUOUS_KERNELS or kernel.bandwidth == 0.0:
        return kernel
    with np.errstate(over="ignore"):
        narrowest = NARROWEST * min(float(np.ptp(values)), np.finfo(float).max)
    return replace(kernel, bandwidth=max(kernel.bandwidth, narrowest))
