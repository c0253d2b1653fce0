"""Rows drawn by proposing some and accepting few, without weighing all of them.

A fast path for large tables. What is accepted follows the weights of the product kernel exactly,
whatever they add up to; giving up on an entry says nothing about the row that would have been
drawn.
"""

from collections.abc import Callable, Sequence

import numpy as np

from causalaug.kernels._neighbours import NeighbourFinder
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


class NearbyRows:
    """Slabs of rows around some queries along one sorted column, to propose rows from.

    Within a slab the kernel of the column is at most what it is at the inner edge: slabs are
    drawn by their number of rows times this bound, and rows evenly within. Slab `k` of query `q`
    holds the rows ``order[bounds[k, q] : bounds[k + 1, q]]``: NumPy is slow along short axes, so
    the slabs come first.
    """

    def __init__(self, finder: NeighbourFinder, column: KernelColumn, query: FloatArray) -> None:
        """Lay slabs around the queries, along the column that the finder sorts by."""
        assert finder.primary is not None
        edges, inner = symmetric_slabs(column.distance.slab_edges)
        starts, stops = finder.match.bounds(finder.match.group_of(query))
        bounds = np.empty((len(edges) + 2, len(query)), dtype=np.int64)
        bounds[0], bounds[-1] = starts, stops
        # Ascending targets are found in a quarter of the time: it pays to sort them for all edges.
        order = np.argsort(query[:, finder.primary])
        centre, starts, stops = query[order, finder.primary], starts[order], stops[order]
        for number, edge in enumerate(edges * column.distance.bandwidth, start=1):
            bounds[number, order] = finder.first(centre + edge, starts, stops, strictly=edge > 0.0)
        self._query, self._order, self._bounds = query, finder.order, bounds
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
