"""Sums of a Gaussian kernel over rows that are sorted, without weighing the rows.

A fast path for a single Gaussian column of a large table, where thousands of rows matter to a
query. The rows are cut into cells of a part of a bandwidth. With distances in bandwidths, and `m`
in the middle of the cell of a row `z`, the kernel of a query `q` is

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
"""Width of a cell in bandwidths. `make bench`, large tables: halves and eighths take as long."""

N_AROUND = 42
"""Cells on each side of a query that are added up: what is left out is more than ten bandwidths
away, so that ten million rows there would not change the last digit of a single row's weight."""

N_TERMS = 14
"""Terms of the sum. What they leave out is at most ``(d / 8)^14 / 14! exp(-d^2 / 2)`` for a cell at
distance `d`, below 1e-18 everywhere; twelve terms reach 2e-16."""


class GaussianSums:
    """What the kernels of all rows add up to, and which row is at a place of their running sum.

    `order` sorts the rows by the column; `log_rows` says how much each counts, one at most.
    """

    def __init__(self, column: KernelColumn, order: IntArray, log_rows: FloatArray | None) -> None:
        self._column, self._order = column, order
        places = column.scaled(column.values[order])
        self._start = float(places[0]) - N_AROUND * CELL
        cell = self._cell(places)
        self._n_cells = int(cell[-1]) + N_AROUND + 1
        self._offsets = np.searchsorted(cell, np.arange(self._n_cells + 1))
        self._apart = places - self._middle(cell)
        self._row_weights = np.ones(len(order)) if log_rows is None else np.exp(log_rows[order])
        term = self._row_weights * np.exp(-0.5 * np.square(self._apart))
        self._coefficients = []
        for k in range(1, N_TERMS + 1):
            self._coefficients.append(np.bincount(cell, term, self._n_cells))
            term = term * self._apart / k

    def _cell(self, places: FloatArray) -> IntArray:
        cell: IntArray = ((places - self._start) / CELL).astype(np.int64)
        return cell

    def _middle(self, cell: IntArray) -> FloatArray:
        return self._start + (cell + 0.5) * CELL

    def totals(self, query: FloatArray) -> FloatArray:
        """Return what the kernels of all rows add up to, 0 where it is less than one row."""
        sums = [sums.sum(axis=1) for _, _, sums in self._blocks(query)]
        totals = np.concatenate([np.empty(0), *sums])
        return np.where(totals >= 1.0, totals, 0.0)

    def _blocks(self, query: FloatArray) -> Iterator[tuple[slice, IntArray, FloatArray]]:
        """Yield some queries at a time, the cells around each, and the sums of these."""
        # Beyond the cells nothing reaches a row, however far it is.
        end = self._middle(np.array(self._n_cells - 1))
        query = np.clip(self._column.scaled(query[:, 0]), self._start, end)
        around = np.arange(-N_AROUND, N_AROUND + 1)
        centre = np.clip(self._cell(query), N_AROUND, self._n_cells - 1 - N_AROUND)
        size = MOST_ENTRIES // len(around)
        for start in range(0, len(query), size):
            block = slice(start, start + size)
            cells = centre[block, np.newaxis] + around
            apart = query[block, np.newaxis] - self._middle(cells)
            sums = self._coefficients[-1][cells]
            for coefficient in self._coefficients[-2::-1]:
                sums *= apart
                sums += coefficient[cells]
            sums *= np.exp(-0.5 * np.square(apart))
            yield block, cells, sums

    def rows_at(self, query: FloatArray, owner: IntArray, place: FloatArray) -> IntArray:
        """Return the row at a place in the running sum of ``query[owner]``, owners ascending.

        Places lie between 0 and 1. The total of the query must be known.
        """
        rows = [np.empty(0, np.int64)]
        for block, cells, sums in self._blocks(query):
            part = slice(*np.searchsorted(owner, [block.start, block.stop]))
            local, width = owner[part] - block.start, sums.shape[1]
            starts = local * width
            found, rest = find_places(np.cumsum(sums), starts, starts + width, place[part])
            scaled = self._column.scaled(query[owner[part], 0])
            rows += self._within(scaled, cells.flat[found], rest / sums.flat[found])
        return self._order[np.concatenate(rows)]

    def _within(self, query: FloatArray, cell: IntArray, place: FloatArray) -> Iterator[IntArray]:
        """Yield the row at a place in the sum of one cell, for some queries at a time."""
        apart = query - self._middle(cell)
        begins, counts = self._offsets[cell], lengths_of(self._offsets)[cell]
        for block in blocks_by_size(counts, MOST_ENTRIES):
            owner, row = owned_ranges(begins[block], counts[block])
            z = self._apart[row]
            kernel = self._row_weights[row] * np.exp(z * (apart[block][owner] - 0.5 * z))
            bounds = offsets_of(counts[block])
            found, _ = find_places(np.cumsum(kernel), bounds[:-1], bounds[1:], place[block])
            yield row[found]
