"""From the trellis to the paths: a walk that meets no dead end, a block of nodes at a time.

Depth first, so that never more than a block of nodes per level is open. Each level notes the rows
it chose and how many nodes follow each node; the rows of all paths are written from these in the
end, in time proportional to what is written.
"""

from collections.abc import Iterator

import numpy as np

from causalaug._ragged import blocks_by_size, lengths_of, offsets_of, owned_ranges
from causalaug.expansion._base import Paths
from causalaug.expansion._trellis import TooManyNodesError, Trellis
from causalaug.typing import FloatArray, IntArray

BLOCK_NODES = 1 << 16
"""Nodes walked at a time: small enough for the processor's cache."""


def enumerate_paths(trellis: Trellis, max_rows: int) -> Paths:
    """Return every path of the trellis; raise `TooManyNodesError` if they are too many."""
    if not trellis.n_last:
        return Paths(np.empty((0, trellis.n_columns), dtype=np.int32), np.empty(0))
    if trellis.log_threshold == -np.inf and _count_paths(trellis) > max_rows:
        raise TooManyNodesError
    walk = _Walk(trellis)
    walk.run(max_rows)
    return walk.paths()


def _count_paths(trellis: Trellis) -> float:
    """Return the number of paths, if the threshold rules out none."""
    counts: FloatArray = np.ones(1)
    sizes = [len(level.starts) for level in trellis.levels[1:]] + [trellis.n_last]
    for level, size in zip(trellis.levels, sizes, strict=True):
        n_choices = level.stops - level.starts
        arriving = np.repeat(counts, n_choices) if level.child_of_choice else counts * n_choices
        used = np.flatnonzero(arriving)
        counts = np.zeros(size)
        np.add.at(counts, level.child[used], arriving[used])
    return float(counts.sum())


class _Walk:
    """The nodes of a walk, level by level: `n_children` follow each node of the level before."""

    def __init__(self, trellis: Trellis) -> None:
        self._trellis = trellis
        self._log_weights: list[FloatArray] = []
        self._rows: list[list[IntArray]] = [[] for _ in trellis.levels]
        self._n_children: list[list[IntArray]] = [[] for _ in trellis.levels]

    def run(self, max_rows: int) -> None:
        """Walk to the end of every path; one iterator for each level is open at a time."""
        is_open = [self._grow(0, np.array([self._trellis.log_start]), np.zeros(1, dtype=np.int32))]
        while is_open:
            nodes = next(is_open[-1], None)
            if nodes is None:
                is_open.pop()
            elif len(is_open) < len(self._trellis.levels):
                is_open.append(self._grow(len(is_open), *nodes))
            else:
                self._log_weights.append(nodes[0])
                max_rows -= len(nodes[0])
                if max_rows < 0:
                    raise TooManyNodesError

    def _grow(
        self, depth: int, log_weights: FloatArray, context: IntArray
    ) -> Iterator[tuple[FloatArray, IntArray]]:
        """Yield the children of some nodes, block by block: their log-weights and contexts."""
        level = self._trellis.levels[depth]
        starts, counts = level.step(log_weights, context, self._trellis.log_threshold)
        # Blocks of equal size, without a small remainder at the end.
        n_blocks = max(-(-int(counts.sum()) // BLOCK_NODES), 1)
        size = max(-(-int(counts.sum()) // n_blocks), 1)
        for block in blocks_by_size(counts, size):
            parent, choice = owned_ranges(starts[block], counts[block])
            self._rows[depth].append(level.rows.take(choice))
            self._n_children[depth].append(counts[block])
            children = log_weights[block].take(parent) + level.log_weights.take(choice)
            yield children, level.follow(context[block], parent, choice)

    def paths(self) -> Paths:
        """Return the paths that were walked, their rows traced back from the last level."""
        log_weights = np.concatenate(self._log_weights)
        stacked = np.empty((len(self._trellis.levels), len(log_weights)), dtype=np.int32)
        n_copies: IntArray = np.ones(len(log_weights), dtype=np.int32)
        levels = zip(self._trellis.levels, self._rows, self._n_children, strict=True)
        for level, rows, n_children in reversed([*levels]):
            stacked[level.column] = np.repeat(np.concatenate(rows), n_copies)
            n_copies = lengths_of(offsets_of(n_copies).take(offsets_of(np.concatenate(n_children))))
        return Paths(stacked.T, log_weights)
