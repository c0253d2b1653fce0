"""Which rows may matter to a query: sorted windows; for several columns a search tree, or cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from causalaug._segments import concatenated_ranges, first_reaching
from causalaug.kernels._cells import CellTable, NearRows, reach_of
from causalaug.kernels._column import KernelColumn
from causalaug.kernels._exact import ExactMatch
from causalaug.kernels._nearby import NearbyRows, symmetric_slabs
from causalaug.typing import FloatArray, IntArray

N_NEAREST = (2, 8)
"""Neighbours asked of the search tree, in turn, before a window is opened."""

FEW = 0.1
"""Share of queries that are left to windows without asking the tree again."""

MOST_FOR_CELLS = 1024
"""Rows up to which lists of near rows are made for the cells of a grid."""

QUERIES_FOR_CELLS = 16
"""Queries per row from which on such lists are made faster than a tree is asked."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Rows that may matter to each query: named ones, else a window of the sorted rows."""

    order: IntArray
    starts: IntArray
    stops: IntArray
    near: NearRows | None = None

    @cached_property
    def counts(self) -> IntArray:
        """Number of candidates of each query."""
        windows = self.stops - self.starts
        if self.near is None:
            return windows
        return np.where(self.near.known, self.near.counts, windows)

    def rows(self, block: slice) -> IntArray:
        """Return the row numbers of the queries in `block`, end to end."""
        starts, counts = self.starts[block], self.counts[block]
        if self.near is None:
            return self.order[concatenated_ranges(starts, counts)]
        known = self.near.known[block]
        named = self.near.rows[slice(*self.near.offsets[[block.start, block.stop]])]
        if known.all():
            return named
        rows = np.empty(counts.sum(), dtype=self.order.dtype)
        is_named = np.repeat(known, counts)
        rows[is_named] = named
        windows = concatenated_ranges(starts, np.where(known, 0, counts))
        rows[~is_named] = self.order[windows]
        return rows


class CandidateFinder:
    """Finds the rows that may matter, given the columns of a product kernel.

    The rows are sorted once: by the groups that the columns of exact match cut, then by the
    *primary* column, the one whose windows are expected to hold the fewest rows. A kernel
    of compact support bounds its window by itself; a Gaussian one needs to know how far the
    nearest row is, which the neighbours in the sorted column or a search tree tell.
    """

    def __init__(self, columns: Sequence[KernelColumn], n_rows: int) -> None:
        self._n_rows = n_rows
        self._columns = dict(enumerate(columns))
        self._gaussian = [c for c, column in self._columns.items() if column.is_gaussian]
        self._compact = [c for c, column in self._columns.items() if column.is_compact]
        exact = {c: column.values for c, column in self._columns.items() if column.is_exact}
        self._match = ExactMatch(exact, n_rows)
        self._cells: CellTable | None = None
        on_distance = self._compact or self._gaussian
        self._primary = max(on_distance, key=lambda c: self._columns[c].width, default=None)
        by_value = [] if self._primary is None else [self._columns[self._primary].values]
        by_group = [] if self._match.is_trivial else [self._match.groups]
        keys = [*by_value, *by_group]
        self._order: IntArray = (np.lexsort(keys) if keys else np.arange(n_rows)).astype(np.int32)
        self._sorted: FloatArray = by_value[0][self._order] if by_value else np.empty(0)

    def find(self, query: FloatArray, log_cut: float) -> Candidates:
        """Return a superset of the rows that weigh at least ``exp(-log_cut)`` of the heaviest."""
        groups = self._match.group_of(query)
        starts, stops = self._match.segments(groups)
        if self._primary is None:
            return Candidates(self._order, starts, stops)
        centre, h = query[:, self._primary], self._columns[self._primary].kernel.bandwidth
        if self._compact:
            radius = np.full(len(query), h)
        elif len(self._gaussian) == 1:
            with np.errstate(over="ignore"):
                radius = h * reach_of(self._nearest(centre, starts, stops) / h, log_cut)
        elif np.isfinite(log_cut):
            return self._search(query, groups, starts, stops, log_cut)
        else:
            return Candidates(self._order, starts, stops)
        return Candidates(self._order, *self._narrow(centre, radius, starts, stops))

    def nearby(self, query: FloatArray) -> NearbyRows | None:
        """Return rows to propose, near ones first along the primary column, if there is one."""
        if self._primary is None:
            return None
        column = self._columns[self._primary]
        edges, inner = symmetric_slabs(column.kernel.name)
        starts, stops = self._match.segments(self._match.group_of(query))
        bounds = np.empty((len(query), len(edges) + 2), dtype=np.int64)
        bounds[:, 0], bounds[:, -1] = starts, stops
        for number, edge in enumerate(edges * column.kernel.bandwidth, start=1):
            target = query[:, self._primary] + edge
            bounds[:, number] = self._first(target, starts, stops, strictly=edge > 0.0)
        distance = inner * column.kernel.bandwidth
        return NearbyRows(self._order, bounds, column.log_kernel(np.zeros(len(inner)), distance))

    def _nearest(self, centre: FloatArray, starts: IntArray, stops: IntArray) -> FloatArray:
        """Return the distance to the nearest row along the primary column, 0 if there is none."""
        after = self._first(centre, starts, stops, strictly=False)
        left = np.where(after > starts, centre - self._sorted[after - 1], np.inf)
        at = np.minimum(after, self._n_rows - 1)
        right = np.where(after < stops, self._sorted[at] - centre, np.inf)
        nearest = np.minimum(left, right)
        return np.where(np.isfinite(nearest), nearest, 0.0)

    def _narrow(
        self, centre: FloatArray, radius: FloatArray, starts: IntArray, stops: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Return the part of each segment that lies within its radius of the centre."""
        low = self._first(centre - radius, starts, stops, strictly=False)
        return low, self._first(centre + radius, starts, stops, strictly=True)

    def _first(
        self, target: FloatArray, starts: IntArray, stops: IntArray, *, strictly: bool
    ) -> IntArray:
        """Return the first sorted row of each segment at, or strictly past, its target."""
        if self._match.is_trivial:
            return np.searchsorted(self._sorted, target, side="right" if strictly else "left")
        return first_reaching(self._sorted, starts, stops, target, strictly=strictly)

    @cached_property
    def _tree(self) -> cKDTree:
        return cKDTree(self._points({c: self._columns[c].values for c in self._gaussian}, None))

    def _points(self, values: dict[int, FloatArray], groups: IntArray | None) -> FloatArray:
        """Return scaled coordinates; another group is farther away than any row of one's own.

        They are centred: bandwidths may be narrow beside the numbers themselves.
        """
        scaled = [self._columns[c].scaled(values[c]) for c in self._gaussian]
        if self._match.is_trivial:
            return np.column_stack(scaled)
        apart = 4.0 * sum(self._columns[c].width for c in self._gaussian) + 1.0
        return np.column_stack(
            [*scaled, apart * (self._match.groups if groups is None else groups)]
        )

    def _search(
        self,
        query: FloatArray,
        groups: IntArray,
        starts: IntArray,
        stops: IntArray,
        log_cut: float,
    ) -> Candidates:
        """Look a few neighbours up; open a window where they are not enough."""
        assert self._primary is not None
        points = self._points({c: query[:, c] for c in self._gaussian}, groups)
        near = self._look_up(points, groups, log_cut)
        if not near.known.all():
            radius = near.reach * self._columns[self._primary].kernel.bandwidth
            starts, stops = self._narrow(query[:, self._primary], radius, starts, stops)
        return Candidates(self._order, starts, stops, near)

    def _look_up(self, points: FloatArray, groups: IntArray, log_cut: float) -> NearRows:
        """Return near rows from the lists of a grid, if it pays, else from the tree.

        Which of them depends on the call alone: they name the rows in different order.
        """
        may_have_cells = self._match.is_trivial and len(self._gaussian) == 2
        pays = QUERIES_FOR_CELLS * self._n_rows <= len(points)
        if not (may_have_cells and pays and self._n_rows <= MOST_FOR_CELLS):
            return self._ask_for_few(points, groups, log_cut)
        cells = self._cells
        if cells is None or cells.log_cut != log_cut:
            cells = self._cells = CellTable(self._tree.data, log_cut)
        near = cells.find(points)
        left = np.flatnonzero(~near.known)
        return near.completed(self._ask_for_few(points[left], groups[left], log_cut))

    def _ask_for_few(self, points: FloatArray, groups: IntArray, log_cut: float) -> NearRows:
        """Ask the tree for a few neighbours.

        Rows of other groups are no neighbours. A query far outside the table may have none
        but such among its nearest: then its whole group is looked through.
        """
        distance, rows = self._neighbours(points, log_cut)
        reach = reach_of(distance[:, 0], log_cut)
        known = distance[:, -1] > reach
        inside = distance <= reach[:, np.newaxis]
        if not self._match.is_trivial:
            own = self._match.groups[rows] == groups[:, np.newaxis]
            reach[~own[:, 0]] = np.inf
            known &= own[:, 0]
            known |= groups < 0
            inside &= own
        inside &= known[:, np.newaxis]
        return NearRows(known, np.count_nonzero(inside, axis=1), rows[inside], reach)

    def _neighbours(self, points: FloatArray, log_cut: float) -> tuple[FloatArray, IntArray]:
        """Return distances and rows of the nearest, more if a few are often not enough.

        Where the few were enough, the rest of the row is at an infinite distance.
        """
        distance, rows = self._ask_tree(points, N_NEAREST[0])
        todo = np.flatnonzero(distance[:, -1] <= reach_of(distance[:, 0], log_cut))
        if len(todo) <= FEW * len(points):
            return distance, rows
        more, more_rows = self._ask_tree(points[todo], N_NEAREST[1])
        shape, n_few = (len(points), more.shape[1]), distance.shape[1]
        all_distances, all_rows = np.full(shape, np.inf), np.zeros(shape, dtype=rows.dtype)
        all_distances[:, :n_few], all_rows[:, :n_few] = distance, rows
        all_distances[todo], all_rows[todo] = more, more_rows
        return all_distances, all_rows

    def _ask_tree(self, points: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        nearest = list(range(1, min(k, self._n_rows) + 1))
        distance, rows = self._tree.query(points, k=nearest)
        return np.asarray(distance), np.asarray(rows)
