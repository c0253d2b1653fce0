"""Sums of a Gaussian kernel over sorted rows, without weighing the rows.

A fast path for a single Gaussian column of a large table, where thousands of rows matter to a
query. The sorted rows are cut into cells of a part of a bandwidth. With distances in bandwidths,
and `m` in the middle of the cell of a row `z`, the kernel of a query `q` is

    exp(-(q - z)^2 / 2) = exp(-(q - m)^2 / 2) sum_k (q - m)^k (z - m)^k exp(-(z - m)^2 / 2) / k!

so the rows of a cell add up to a polynomial in ``q - m``, whose coefficients serve all queries:
the fast Gauss transform of Greengard and Strain (1991), on a line. Sums are as exact as a double.
"""

from collections.abc import Iterator

import numpy as np

from causalaug._ragged import blocks_by_size, find_places, lengths_of, offsets_of, owned_ranges
from causalaug.kernels._univariate import KernelColumn
from causalaug.typing import FloatArray, IntArray

MOST_ENTRIES = 1 << 16
"""Cells or rows added up at a time."""

CELL = 0.25
"""Width of a cell in bandwidths. Sums of 50,000 queries take 0.1 s with halves, 0.2 s with
eighths, which have a quarter of the rows to a cell to look through afterwards."""

N_AROUND = 42
"""Cells on each side of a query that are added up. What is left out is more than ten bandwidths
away: ten million rows there would not change the last digit of one row's weight."""

N_TERMS = 14
"""Terms of the sum. What they leave out is ``(d / 8)^14 / 14! exp(-d^2 / 2)`` at most for a row at
distance `d`, which is below 1e-18 everywhere; with twelve terms it is 2e-16."""


class GaussianSums:
    """What the kernels of all rows add up to, and which row is at a place of their running sum.

    `order` sorts the rows by the column; `log_rows` says how much each counts, one at most.
    """

    def __init__(self, column: KernelColumn, order: IntArray, log_rows: FloatArray | None) -> None:
        self._column, self._order = column, order
        places = column.scaled(column.values[order])
        self._edges = np.arange(places[0] - N_AROUND * CELL, places[-1] + N_AROUND * CELL, CELL)
        self._middles = self._edges + 0.5 * CELL
        cell = np.searchsorted(self._edges, places, side="right") - 1
        self._offsets = np.searchsorted(cell, np.arange(len(self._edges) + 1))
        self._apart = places - self._middles[cell]
        self._row_weights = np.ones(len(order)) if log_rows is None else np.exp(log_rows[order])
        term = self._row_weights * np.exp(-0.5 * np.square(self._apart))
        self._coefficients = []
        for k in range(1, N_TERMS + 1):
            self._coefficients.append(np.bincount(cell, term, len(self._edges)))
            term = term * self._apart / k

    def totals(self, query: FloatArray) -> FloatArray:
        """Return what the kernels of all rows add up to, 0 where it is less than one row."""
        totals = np.concatenate([sums.sum(axis=1) for _, _, sums in self._blocks(query)])
        return np.where(totals >= 1.0, totals, 0.0)

    def _blocks(self, query: FloatArray) -> Iterator[tuple[slice, IntArray, FloatArray]]:
        """Yield some queries at a time, the cells around each, and what these add up to."""
        # At the outer edges no row is within reach, so that beyond them nothing changes.
        places = np.clip(self._column.scaled(query[:, 0]), self._edges[0], self._edges[-1])
        centre = np.searchsorted(self._edges, places, side="right") - 1
        centre = np.clip(centre, N_AROUND, len(self._edges) - 1 - N_AROUND)
        around = np.arange(-N_AROUND, N_AROUND + 1)
        size = max(MOST_ENTRIES // len(around), 1)
        for start in range(0, len(query), size):
            block = slice(start, start + size)
            cells = centre[block, np.newaxis] + around
            apart = places[block, np.newaxis] - self._middles[cells]
            sums = self._coefficients[-1][cells]
            for coefficient in self._coefficients[-2::-1]:
                sums *= apart
                sums += coefficient[cells]
            sums *= np.exp(-0.5 * np.square(apart))
            yield block, cells, sums

    def rows_at(self, query: FloatArray, owner: IntArray, place: FloatArray) -> IntArray:
        """Return the row at a place in the running sum of ``query[owner]``, owners ascending.

        Places lie between 0 and 1. The totals of the queries must be known.
        """
        rows: list[IntArray] = [np.empty(0, dtype=np.int64)]
        for block, cells, sums in self._blocks(query):
            part = slice(*np.searchsorted(owner, [block.start, block.stop]))
            starts = (owner[part] - block.start) * sums.shape[1]
            stops = starts + sums.shape[1]
            found, rest = find_places(np.cumsum(sums), starts, stops, place[part])
            places = self._column.scaled(query[owner[part], 0])
            rows += self._within(places, cells.flat[found], rest / sums.flat[found])
        found_rows: IntArray = self._order[np.concatenate(rows)]
        return found_rows

    def _within(self, query: FloatArray, cell: IntArray, place: FloatArray) -> Iterator[IntArray]:
        """Yield which sorted row is at a place in the sum of a cell, some queries at a time."""
        apart = query - self._middles[cell]
        begins, counts = self._offsets[cell], lengths_of(self._offsets)[cell]
        for block in blocks_by_size(counts, MOST_ENTRIES):
            owner, row = owned_ranges(begins[block], counts[block])
            z = self._apart[row]
            kernel = self._row_weights[row] * np.exp(z * (apart[block][owner] - 0.5 * z))
            bounds = offsets_of(counts[block])
            found, _ = find_places(np.cumsum(kernel), bounds[:-1], bounds[1:], place[block])
            yield row[found]
