"""Which rows may matter to a query: sorted windows, and a search tree for several columns.

A fast path of the dense product kernel: it finds a superset of the rows that could matter in
double precision, and only those are weighed. It pays where kernels are narrow, or where there are
more rows than a dense block should hold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from causalaug._ragged import concatenated_ranges, first_reaching, lengths_of, offsets_of
from causalaug.kernels._univariate import KernelColumn
from causalaug.typing import BoolArray, FloatArray, IntArray

N_NEAREST = (2, 8)
"""Neighbours asked of the search tree, in turn, before a window is opened. A single step of 8
takes a fifth longer where two are enough (`make bench`, 10,000 rows at temperature 0.001)."""

FEW = 0.1
"""Part of the queries that are left to windows without asking the tree again."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Rows that may matter to each query: neighbours by name, else a window of sorted rows.

    `is_named` says which; `named` are the neighbours, those of each query between two of the
    `offsets`.
    """

    order: IntArray
    starts: IntArray
    stops: IntArray
    is_named: BoolArray | None = None
    offsets: IntArray | None = None
    named: IntArray | None = None

    @cached_property
    def counts(self) -> IntArray:
        """Number of candidates of each query."""
        windows = self.stops - self.starts
        if self.is_named is None or self.offsets is None:
            return windows
        return np.where(self.is_named, lengths_of(self.offsets), windows)

    def opened(self, queries: BoolArray) -> "Candidates":
        """Return the same, with every row a candidate of some queries that have none so far."""
        return replace(
            self,
            starts=np.where(queries, 0, self.starts),
            stops=np.where(queries, len(self.order), self.stops),
            is_named=None if self.is_named is None else self.is_named & ~queries,
        )

    def rows(self, block: slice) -> IntArray:
        """Return the row numbers of the queries in `block`, end to end."""
        starts, counts = self.starts[block], self.counts[block]
        if self.is_named is None or self.offsets is None or self.named is None:
            return self.order[concatenated_ranges(starts, counts)]
        is_named = self.is_named[block]
        named = self.named[slice(*self.offsets[[block.start, block.stop]])]
        if is_named.all():
            return named
        rows = np.empty(counts.sum(), dtype=self.order.dtype)
        is_named_entry = np.repeat(is_named, counts)
        rows[is_named_entry] = named
        windows = concatenated_ranges(starts, np.where(is_named, 0, counts))
        rows[~is_named_entry] = self.order[windows]
        return rows


class NeighbourFinder:
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
        self.match = ExactMatch(exact, n_rows)
        on_distance = self._compact or self._gaussian
        self.primary = max(on_distance, key=lambda c: self._columns[c].width, default=None)
        by_value = [] if self.primary is None else [self._columns[self.primary].values]
        by_group = [] if self.match.is_trivial else [self.match.groups]
        keys = [*by_value, *by_group]
        self.order: IntArray = (np.lexsort(keys) if keys else np.arange(n_rows)).astype(np.int32)
        self._sorted: FloatArray = by_value[0][self.order] if by_value else np.empty(0)

    def find(self, query: FloatArray, groups: IntArray, log_cut: float) -> Candidates:
        """Return a superset of the rows that weigh at least ``exp(-log_cut)`` of the heaviest.

        `groups` are those that the queries match exactly, -1 for none.
        """
        starts, stops = self.match.bounds(groups)
        if self.primary is None:
            return Candidates(self.order, starts, stops)
        if not self._compact and len(self._gaussian) > 1:
            if np.isfinite(log_cut):
                return self._search(query, groups, starts, stops, log_cut)
            return Candidates(self.order, starts, stops)
        centre, kernel = query[:, self.primary], self._columns[self.primary].distance
        # How far the nearest row is takes a search, and does not matter to compact support.
        nearest = np.zeros(1) if self._compact else self._nearest(centre, starts, stops)
        with np.errstate(over="ignore"):
            radius = kernel.bandwidth * kernel.reach(nearest / kernel.bandwidth, log_cut)
        return Candidates(self.order, *self._narrow(centre, radius, starts, stops))

    def _nearest(self, centre: FloatArray, starts: IntArray, stops: IntArray) -> FloatArray:
        """Return the distance to the nearest row along the primary column, 0 if there is none."""
        after = self.first(centre, starts, stops, strictly=False)
        left = np.where(after > starts, centre - self._sorted[after - 1], np.inf)
        at = np.minimum(after, self._n_rows - 1)
        right = np.where(after < stops, self._sorted[at] - centre, np.inf)
        nearest = np.minimum(left, right)
        return np.where(np.isfinite(nearest), nearest, 0.0)

    def _narrow(
        self, centre: FloatArray, radius: FloatArray, starts: IntArray, stops: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Return the part of each window that lies within its radius of the centre."""
        low = self.first(centre - radius, starts, stops, strictly=False)
        return low, self.first(centre + radius, starts, stops, strictly=True)

    def first(
        self, target: FloatArray, starts: IntArray, stops: IntArray, *, strictly: bool
    ) -> IntArray:
        """Return the first sorted row of each window at, or strictly past, its target."""
        if self.match.is_trivial:
            return np.searchsorted(self._sorted, target, side="right" if strictly else "left")
        return first_reaching(self._sorted, starts, stops, target, strictly=strictly)

    @cached_property
    def _tree(self) -> cKDTree:
        return cKDTree(self._points({c: self._columns[c].values for c in self._gaussian}, None))

    def _points(self, values: Mapping[int, FloatArray], groups: IntArray | None) -> FloatArray:
        """Return scaled coordinates; another group is farther away than any row of one's own.

        They are centred: bandwidths may be narrow beside the numbers themselves.
        """
        scaled = [self._columns[c].scaled(values[c]) for c in self._gaussian]
        if self.match.is_trivial:
            return np.column_stack(scaled)
        apart = 4.0 * sum(self._columns[c].width for c in self._gaussian) + 1.0
        return np.column_stack([*scaled, apart * (self.match.groups if groups is None else groups)])

    def _search(
        self, query: FloatArray, groups: IntArray, starts: IntArray, stops: IntArray, log_cut: float
    ) -> Candidates:
        """Look a few neighbours up in the tree; open a window where they are not enough.

        Rows of other groups are no neighbours. A query far outside the table may have none
        but such among its nearest: then its whole group is looked through.
        """
        assert self.primary is not None
        points = self._points({c: query[:, c] for c in self._gaussian}, groups)
        kernel = self._columns[self.primary].distance
        distance, rows = self._neighbours(points, log_cut)
        reach = kernel.reach(distance[:, 0], log_cut)
        is_named = distance[:, -1] > reach
        inside = distance <= reach[:, np.newaxis]
        if not self.match.is_trivial:
            own = self.match.groups[rows] == groups[:, np.newaxis]
            reach[~own[:, 0]] = np.inf
            is_named = (is_named & own[:, 0]) | (groups < 0)
            inside &= own
        inside &= is_named[:, np.newaxis]
        if not is_named.all():
            radius = reach * kernel.bandwidth
            starts, stops = self._narrow(query[:, self.primary], radius, starts, stops)
        offsets = offsets_of(np.count_nonzero(inside, axis=1))
        return Candidates(self.order, starts, stops, is_named, offsets, rows[inside])

    def _neighbours(self, points: FloatArray, log_cut: float) -> tuple[FloatArray, IntArray]:
        """Return distances and rows of the nearest, more if a few are often not enough.

        Where the few were enough, the rest of the row is at an infinite distance.
        """
        distance, rows = self._ask_tree(points, N_NEAREST[0])
        reach = self._columns[self._gaussian[0]].distance.reach(distance[:, 0], log_cut)
        todo = np.flatnonzero(distance[:, -1] <= reach)
        if len(todo) <= FEW * len(points):
            return distance, rows
        more, more_rows = self._ask_tree(points[todo], N_NEAREST[1])
        shape, n_few = (len(points), more.shape[1]), distance.shape[1]
        all_distances, all_rows = np.full(shape, np.inf), np.zeros(shape, dtype=rows.dtype)
        all_distances[:, :n_few], all_rows[:, :n_few] = distance, rows
        all_distances[todo], all_rows[todo] = more, more_rows
        return all_distances, all_rows

    def _ask_tree(self, points: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        distance, rows = self._tree.query(points, k=list(range(1, min(k, self._n_rows) + 1)))
        return np.asarray(distance), np.asarray(rows)


class ExactMatch:
    """Groups of rows with equal values in some columns, and the group of a new row.

    The columns are matched one after the other, each time by a search in the sorted list
    of what was seen: the group so far and the code of the next value. No key overflows,
    whatever the number of columns. No columns give one group.
    """

    def __init__(self, columns: Mapping[int, FloatArray], n_rows: int) -> None:
        self._known: dict[int, tuple[FloatArray, IntArray]] = {}
        self.groups: IntArray = np.zeros(n_rows, dtype=np.int64)
        for column, reference in columns.items():
            values, codes = np.unique(reference, return_inverse=True)
            key = self.groups * len(values) + codes
            pairs, self.groups = np.unique(key, return_inverse=True)
            self._known[column] = (values, pairs)
        self._offsets = offsets_of(np.bincount(self.groups))

    @property
    def is_trivial(self) -> bool:
        """Whether nothing has to match."""
        return not self._known

    def group_of(self, query: FloatArray) -> IntArray:
        """Return the group that each query row matches, or -1."""
        groups: IntArray = np.zeros(len(query), dtype=np.int64)
        for column, (values, pairs) in self._known.items():
            codes = _position(values, query[:, column])
            known = (groups >= 0) & (codes >= 0)
            groups = np.where(known, _position(pairs, groups * len(values) + codes), -1)
        return groups

    def bounds(self, groups: IntArray) -> tuple[IntArray, IntArray]:
        """Return where each group starts and stops among rows sorted by group; -1 is empty."""
        known = groups >= 0
        starts = np.where(known, self._offsets[groups], 0)
        return starts, np.where(known, self._offsets[groups + 1], 0)


def _position(sorted_values: FloatArray | IntArray, wanted: FloatArray | IntArray) -> IntArray:
    """Return the position of each wanted value in a sorted list of distinct ones, or -1."""
    position = np.minimum(np.searchsorted(sorted_values, wanted), len(sorted_values) - 1)
    found: IntArray = np.where(sorted_values[position] == wanted, position, -1)
    return found
