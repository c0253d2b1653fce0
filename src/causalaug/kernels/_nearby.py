"""Proposals of near rows, so that in a large table most of them are accepted.

Along one column, sorted once, the rows around a query fall into slabs by their distance. Within
a slab the kernel of the column is at most what it is at the inner edge: slabs are drawn by
their number of rows times this bound, and rows evenly within. What is left to acceptance is
how much lighter than the bound a row is, and the other columns.
"""

import numpy as np

from causalaug.typing import FloatArray, IntArray

GAUSSIAN_REACH = (1.0, 2.0, 3.0, 5.0)
"""Distances in bandwidths at which slabs meet; the last one has no end."""

COMPACT_REACH = (0.5, 1.0)
"""The same for kernels that vanish from one bandwidth on."""


class NearbyRows:
    """Slabs of rows around some queries, to propose rows from.

    Slab `k` of query `q` holds the rows ``order[bounds[q, k] : bounds[q, k + 1]]``, whose
    log-kernel is at most ``log_bound[k]``.
    """

    def __init__(self, order: IntArray, bounds: IntArray, log_bound: FloatArray) -> None:
        self._order = order
        self._bounds = bounds
        self._log_bound = log_bound
        self._running = np.cumsum(np.diff(bounds, axis=1) * np.exp(log_bound), axis=1)

    @property
    def totals(self) -> FloatArray:
        """The bound on the weight of all rows, of each query; 0 where no row is near enough."""
        totals: FloatArray = self._running[:, -1]
        return totals

    def draw(self, owner: IntArray, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """Return a row for each entry, whose query is ``owner``, and the bound on its kernel."""
        running = self._running[owner]
        share = rng.random(len(owner)) * running[:, -1]
        slab = (running <= share[:, np.newaxis]).sum(axis=1)
        slab = np.minimum(slab, running.shape[1] - 1)
        first, stop = self._bounds[owner, slab], self._bounds[owner, slab + 1]
        place = first + (rng.random(len(owner)) * (stop - first)).astype(np.int64)
        return self._order[np.minimum(place, stop - 1)], self._log_bound[slab]


def symmetric_slabs(name: str) -> tuple[FloatArray, FloatArray]:
    """Return where slabs meet on both sides, and how far their inner edges are, in bandwidths.

    >>> symmetric_slabs("epanechnikov")
    (array([-1. , -0.5,  0.5,  1. ]), array([1. , 0.5, 0. , 0.5, 1. ]))
    """
    reach = np.array(GAUSSIAN_REACH if name == "gaussian" else COMPACT_REACH)
    return np.concatenate([-reach[::-1], reach]), np.concatenate([reach[::-1], [0.0], reach])
