"""Rows drawn by proposing some and accepting few, without weighing all of them.

A fast path for large tables. What is accepted follows the weights of the product kernel exactly,
whatever they add up to; giving up on an entry says nothing about the row that would have been
drawn.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from causalaug._ragged import first_reaching, offsets_of
from causalaug.kernels._univariate import KernelColumn
from causalaug.typing import FloatArray, IntArray

COST_OF_PROPOSAL = 16
"""Proposing one row costs about as much as weighing this many among all."""

FEWEST_AT_A_TIME = 4096
"""Rows proposed at a time, if there were so many entries to begin with: with fewer, calls of NumPy
take longer than their work. Without it, ridge regression at a fixed share takes 3% longer
(`make bench`, 1,000 rows)."""

PairKernel = Callable[[FloatArray, IntArray, IntArray], FloatArray]
"""Takes queries, owners and rows; gives the log-kernel of each row given ``query[owner]``, never
above zero."""


class SortedRows:
    """The rows by the groups that columns of exact match cut, then by the *primary* column.

    That is the one along which the fewest rows are near: the widest, in bandwidths, of those of
    compact support or else of the Gaussian ones. None if there is neither.
    """

    def __init__(self, columns: Sequence[KernelColumn], n_rows: int) -> None:
        self.match = ExactMatch({c: k.values for c, k in enumerate(columns) if k.is_exact}, n_rows)
        compact = [c for c, column in enumerate(columns) if column.is_compact]
        gaussian = [c for c, column in enumerate(columns) if column.is_gaussian]
        widest = max(compact or gaussian, key=lambda c: columns[c].width, default=None)
        self.primary = widest
        self.column = columns[0 if widest is None else widest]
        keys = [self.column.values, self.match.groups]
        self.order: IntArray = np.lexsort(keys).astype(np.int32)
        self.values: FloatArray = self.column.values[self.order]

    def first(
        self, target: FloatArray, starts: IntArray, stops: IntArray, *, strictly: bool
    ) -> IntArray:
        """Return the first sorted row of each window at, or strictly past, its target."""
        if self.match.is_trivial:
            return np.searchsorted(self.values, target, side="right" if strictly else "left")
        return first_reaching(self.values, starts, stops, target, strictly=strictly)


class NearbyRows:
    """Slabs of rows around some queries along one sorted column, to propose rows from.

    Within a slab the kernel of the column is at most what it is at the inner edge: slabs are
    drawn by their number of rows times this bound, and rows evenly within. Slab `k` of query `q`
    holds the rows ``order[bounds[k, q] : bounds[k + 1, q]]``: NumPy is slow along short axes, so
    the slabs come first.
    """

    def __init__(self, rows: SortedRows, query: FloatArray) -> None:
        """Lay slabs around the queries, along the primary column of the sorted rows."""
        column, values = rows.column, query[:, rows.primary]
        edges, inner = symmetric_slabs(column.distance.slab_edges)
        starts, stops = rows.match.bounds(rows.match.group_of(query))
        bounds = np.empty((len(edges) + 2, len(query)), dtype=np.int64)
        bounds[0], bounds[-1] = starts, stops
        # Ascending targets are found in a quarter of the time: it pays to sort them for all edges.
        order = np.argsort(values)
        centre, starts, stops = values[order], starts[order], stops[order]
        for number, edge in enumerate(edges * column.distance.bandwidth, start=1):
            bounds[number, order] = rows.first(centre + edge, starts, stops, strictly=edge > 0.0)
        self._query, self._order, self._bounds = query, rows.order, bounds
        distance = inner * column.distance.bandwidth
        self._log_bound = column.log_kernel(np.zeros(len(inner)), distance)
        most = np.diff(bounds, axis=0) * np.exp(self._log_bound)[:, np.newaxis]
        self._running = np.cumsum(most, axis=0)

    def propose(
        self, log_kernel: PairKernel, owner: IntArray, rng: np.random.Generator
    ) -> IntArray:
        """Draw a row for each entry by its kernel, or give up: -1.

        Acceptance makes up for how often a row is proposed. Where few entries are left, several
        rows are proposed for each at a time, at least as many in all as cost what it costs to weigh
        all rows once.
        """
        drawn: IntArray = np.full(len(owner), -1, dtype=np.int64)
        # The bound on the weight of all rows is 0 where no row is near enough.
        pending = np.flatnonzero(self._running[-1, owner] > 0.0)
        n_rows = len(self._order)
        fewest = max(n_rows // COST_OF_PROPOSAL, min(len(owner), FEWEST_AT_A_TIME))
        while len(pending):
            entry = np.repeat(pending, max(fewest // len(pending), 1))
            rows, log_bound = self._draw(owner[entry], rng)
            log_ratio = log_kernel(self._query, owner[entry], rows) - log_bound
            accepted = np.log1p(-rng.random(len(entry))) <= log_ratio
            # The first row accepted for an entry stays: written in reverse, it is written last.
            taken = np.flatnonzero(accepted)[::-1]
            drawn[entry[taken]] = rows[taken]
            if len(taken) * n_rows <= COST_OF_PROPOSAL * len(entry):
                break
            pending = pending[drawn[pending] < 0]
        return drawn

    def _draw(self, owner: IntArray, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """Return a row for each entry, whose query is ``owner``, and the bound on its kernel."""
        running = self._running.take(owner, axis=1)
        place = rng.random(len(owner)) * running[-1]
        # Slabs are few: counted in bytes, and positions in one list, this takes half the time.
        slab = np.add.reduce((running <= place).view(np.int8), axis=0, dtype=np.int8)
        slab = np.minimum(slab, len(running) - 1).astype(np.int64)
        at: IntArray = slab * self._bounds.shape[1] + owner
        begin, stop = self._bounds.take(at), self._bounds.take(at + self._bounds.shape[1])
        position = begin + (rng.random(len(owner)) * (stop - begin)).astype(np.int64)
        return self._order[np.minimum(position, stop - 1)], self._log_bound[slab]


def symmetric_slabs(edges: Sequence[float]) -> tuple[FloatArray, FloatArray]:
    """Return where slabs meet on both sides, and how far their inner edges are, in bandwidths.

    >>> symmetric_slabs([0.5, 1.0])
    (array([-1. , -0.5,  0.5,  1. ]), array([1. , 0.5, 0. , 0.5, 1. ]))
    """
    reach = np.array(edges)
    return np.concatenate([-reach[::-1], reach]), np.concatenate([reach[::-1], [0.0], reach])


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
