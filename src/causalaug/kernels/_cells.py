"""Near rows by looking up: a grid over the rows, and for each cell the rows that may matter.

From a point in a cell the nearest row is no farther than the row whose farthest corner of the
cell is nearest. Rows that are farther from the whole cell than this allows cannot matter. Where
few are left, they are listed, and the distances of many points are computed without a search.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from causalaug._segments import offsets_of
from causalaug.typing import BoolArray, FloatArray, IntArray

N_SIDES = 32
"""Cells along each of the two columns."""

MOST_LISTED = 16
"""Rows listed for a cell; where more may matter, there is no list."""

BLOCK_POINTS = 1 << 11
"""Points looked up at a time: small enough for the processor's cache."""

SLACK = 1.0 + 1e-9
"""Rounding must not lose a row."""


@dataclass(frozen=True, eq=False)
class NearRows:
    """Rows that may matter to each point, end to end, for the points where they are `known`.

    `reach` is how far from the point a row may be to matter.
    """

    known: BoolArray
    counts: IntArray
    rows: IntArray
    reach: FloatArray

    @cached_property
    def offsets(self) -> IntArray:
        """Where the rows of each point start."""
        return offsets_of(self.counts)

    def completed(self, others: "NearRows") -> "NearRows":
        """Return the same, with what others know of the points that are not known here."""
        known, reach, counts = self.known.copy(), self.reach.copy(), self.counts.copy()
        known[~self.known], reach[~self.known] = others.known, others.reach
        counts[~self.known] = others.counts
        rows = np.empty(len(self.rows) + len(others.rows), dtype=np.int32)
        is_here = np.repeat(self.known, counts)
        rows[is_here], rows[~is_here] = self.rows, others.rows
        return NearRows(known, counts, rows, reach)


def reach_of(nearest: FloatArray, log_cut: float) -> FloatArray:
    """Return the distance in bandwidths up to which rows matter, given that of the nearest."""
    return np.sqrt(np.square(nearest) + 2.0 * log_cut) * SLACK


class CellTable:
    """Lists of the rows that may matter to the points in each cell of a grid in the plane.

    Parameters
    ----------
    rows : float array of shape (n_rows, 2)
        The rows, in bandwidths of a Gaussian kernel. The sides of the cells are quantiles.
    log_cut : float
        Rows lighter than the heaviest by more than this in logarithm do not matter.
    """

    def __init__(self, rows: FloatArray, log_cut: float) -> None:
        self.log_cut = log_cut
        self._sides = [_sides(values) for values in rows.T]
        cells, listed = np.divmod(self._pairs(rows), len(rows))
        counts = np.bincount(cells, minlength=N_SIDES * N_SIDES)
        place = np.arange(len(cells)) - offsets_of(counts)[cells]
        has_list = counts <= MOST_LISTED
        # List number 0 is empty; it is that of the cells without one.
        self._list_of_cell = np.where(has_list, np.cumsum(has_list), 0)
        kept = np.flatnonzero(has_list[cells])
        listed, entry = listed[kept], (self._list_of_cell[cells[kept]], place[kept])
        shape = (int(has_list.sum()) + 1, MOST_LISTED)
        self._rows: IntArray = np.zeros(shape, dtype=np.int32)
        self._rows[entry] = listed
        self._values = np.full((len(self._sides), *shape), np.inf)
        for values, column in zip(self._values, rows.T, strict=True):
            values[entry] = column[listed]

    def _pairs(self, rows: FloatArray) -> IntArray:
        """Return the pairs of a cell and a row that may matter to it, as one number each."""
        (near, far), (near_across, far_across) = (
            _squared_distances(sides, values)
            for sides, values in zip(self._sides, rows.T, strict=True)
        )
        pairs, sums = [], np.empty_like(far)
        for number in range(N_SIDES):
            np.add(far[number], far_across, out=sums)
            limit = (sums.min(axis=1, keepdims=True) + 2.0 * self.log_cut) * SLACK
            np.add(near[number], near_across, out=sums)
            pairs.append(number * sums.size + np.flatnonzero(sums <= limit))
        return np.concatenate(pairs)

    def find(self, points: FloatArray) -> NearRows:
        """Return the rows that may matter to some points; unknown where there is no list."""
        lists = self._lists_of(points)
        reach, counts = np.empty(len(points)), np.zeros(len(points), dtype=np.int64)
        found = []
        spare = np.empty((2, min(BLOCK_POINTS, len(points)), MOST_LISTED))
        for start in range(0, len(points), BLOCK_POINTS):
            block = slice(start, start + BLOCK_POINTS)
            wanted = lists[block]
            squared, apart = spare[:, : len(wanted)]
            squared[:] = 0.0
            for values, column in zip(self._values, points[block].T, strict=True):
                np.take(values, wanted, axis=0, out=apart, mode="clip")
                apart -= column[:, np.newaxis]
                apart *= apart
                squared += apart
            # Along the short axis numpy is slow to find the least.
            nearest = np.sqrt(np.ascontiguousarray(squared.T).min(axis=0))
            reach[block] = np.where(wanted > 0, reach_of(nearest, self.log_cut), -1.0)
            inside = squared <= np.square(reach[block, np.newaxis])
            point, place = np.divmod(np.flatnonzero(inside), MOST_LISTED)
            counts[block] = np.bincount(point, minlength=len(wanted))
            found.append(self._rows[wanted[point], place])
        rows = np.concatenate([np.empty(0, dtype=np.int32), *found])
        return NearRows(lists > 0, counts, rows, reach)

    def _lists_of(self, points: FloatArray) -> IntArray:
        """Return the number of the list of each point, 0 if there is none."""
        cell: IntArray = np.zeros(len(points), dtype=np.int64)
        within = np.ones(len(points), dtype=bool)
        for sides, wanted in zip(self._sides, points.T, strict=True):
            cell = cell * N_SIDES + np.searchsorted(sides[1:-1], wanted, side="right")
            within &= (wanted >= sides[0]) & (wanted <= sides[-1])
        return np.where(within, self._list_of_cell[cell], 0)


def _sides(values: FloatArray) -> FloatArray:
    """Return the sides of the cells along one column, from the least value to the largest."""
    return np.sort(values)[np.linspace(0, len(values) - 1, N_SIDES + 1).astype(np.int64)]


def _squared_distances(sides: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how near and how far a value is, at least and at most, from each interval."""
    below, above = sides[:-1, np.newaxis] - values, values - sides[1:, np.newaxis]
    near = np.maximum(np.maximum(below, above), 0.0)
    return np.square(near), np.square(np.maximum(np.abs(below), np.abs(above)))
