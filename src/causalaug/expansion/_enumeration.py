"""From the trellis to the paths, in time proportional to what is written.

The levels are cut in two. Completions are walked once from every context at the cut,
however many prefixes lead there, and sorted by weight. Then the prefixes are walked from
the root down to the cut, where one more step takes a leading part of the completions of
the context that was reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from causalaug._ragged import (
    blocks_by_size,
    descending_order,
    lengths_of,
    offsets_of,
    owned_ranges,
)
from causalaug.expansion._base import Paths
from causalaug.expansion._trellis import TooManyNodesError, Trellis, TrellisLevel
from causalaug.typing import FloatArray, IntArray

BLOCK_NODES = 1 << 16
"""Nodes walked at a time: small enough for the processor's cache."""

COST_OF_SORTING = 2.0
"""What it costs to sort a completion, relative to one step of one prefix."""


def enumerate_paths(trellis: Trellis, max_rows: int) -> Paths:
    """Return every path of the trellis; raise `TooManyNodesError` if they are too many."""
    if not trellis.n_last:
        return Paths(np.empty((0, trellis.n_columns), dtype=np.int32), np.empty(0))
    if trellis.log_threshold == -np.inf and _count_paths(trellis) > max_rows:
        raise TooManyNodesError
    cut = _choose_cut(trellis)
    completions = _find_completions(trellis, cut, max_rows)
    walk = _Walk([*trellis.levels[:cut], completions.level], trellis.log_threshold, max_rows)
    paths = walk.run(np.array([trellis.log_start]), np.zeros(1, dtype=np.int32))
    stacked = np.empty((len(trellis.levels), len(paths.log_weights)), dtype=np.int32)
    columns = [stacked[level.column] for level in trellis.levels]
    paths.write_rows(columns[:cut], paths.n_children[cut])
    completions.write_rows(columns[cut:], paths.rows[cut])
    return Paths(stacked.T, paths.log_weights)


def _choose_cut(trellis: Trellis) -> int:
    """Return the level at which prefixes and completions together cost least to walk.

    Their numbers are guessed, as if all contexts of a level had equally many choices. Of
    the steps of a completion many are shared with others, hence the factor on them.
    """
    choices = [level.stops - level.starts for level in trellis.levels]
    n_contexts = np.array([*map(np.count_nonzero, choices), trellis.n_last], dtype=float)
    n_choices = np.array([counts.sum() for counts in choices]) / np.maximum(n_contexts[:-1], 1)
    n_prefixes = np.cumprod([1.0, *n_choices])
    n_completions = n_contexts * np.cumprod([1.0, *n_choices[::-1]])[::-1]
    levels_left = np.arange(len(choices), -1, -1)
    cost = np.cumsum(n_prefixes) + n_completions * (COST_OF_SORTING + 0.7 * levels_left)
    return int(np.argmin(cost))


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


@dataclass(frozen=True, eq=False)
class _Walked:
    """Where a walk ended, and how it got there.

    `rows` are the rows chosen at the nodes of each level, `n_children` the numbers of nodes
    that follow each node of the level before; children of a node are consecutive. The nodes
    of the last level are the ends, whose log-weights are given.
    """

    log_weights: FloatArray
    rows: list[IntArray]
    n_children: list[IntArray]

    def write_rows(self, columns: Sequence[IntArray], n_copies: IntArray) -> IntArray:
        """Write the rows that lead to the nodes of a level, with so many copies of each node.

        There is one column for each level up to that one. Return the number of copies of
        each start of the walk.
        """
        levels = [*zip(columns, self.rows, self.n_children, strict=False)]
        for column, rows, n_children in reversed(levels):
            column[:] = np.repeat(rows, n_copies)
            n_copies = lengths_of(offsets_of(n_copies).take(offsets_of(n_children)))
        return n_copies


@dataclass(frozen=True, eq=False)
class _Completions:
    """Completions of each context, heaviest first, as the choices of one level.

    `rows` are the rows that each completion chooses, level by level.
    """

    level: TrellisLevel
    rows: list[IntArray]

    def write_rows(self, columns: Sequence[IntArray], chosen: IntArray) -> None:
        """Write the rows of the chosen completions, one column for each of their levels."""
        for start in range(0, len(chosen), BLOCK_NODES):
            block = slice(start, start + BLOCK_NODES)
            for column, rows in zip(columns, self.rows, strict=True):
                column[block] = rows.take(chosen[block])


def _find_completions(trellis: Trellis, cut: int, max_rows: int) -> _Completions:
    levels = trellis.levels[cut:]
    best = levels[0].best if levels else np.zeros(trellis.n_last)
    found = _Walk(levels, trellis.log_threshold, max_rows).run(best, np.arange(len(best)))
    n_found = len(found.log_weights)
    rows = np.empty((len(levels), n_found), dtype=np.int32)
    counts = found.write_rows([*rows], np.ones(n_found, dtype=np.int32))
    owner = np.repeat(np.arange(len(best)), counts)
    log_weights = found.log_weights - best.take(owner)
    order = descending_order(owner, log_weights)
    log_weights = log_weights.take(order)
    offsets = offsets_of(counts).astype(np.int32)
    numbers: IntArray = np.arange(n_found, dtype=np.int32)
    level = TrellisLevel(
        column=-1,
        best=best,
        starts=offsets[:-1],
        stops=offsets[1:],
        bonus=np.broadcast_to(0.0, best.shape),
        reach=log_weights,
        log_weights=log_weights,
        rows=numbers,
        child=numbers,
        child_of_choice=True,
    )
    return _Completions(level, [column.take(order) for column in rows])


class _Walk:
    """Walk some levels of the trellis, a block of nodes at a time, depth first."""

    def __init__(self, levels: list[TrellisLevel], log_threshold: float, max_rows: int) -> None:
        self._levels = levels
        self._log_threshold = log_threshold
        self._max_rows = max_rows
        self._n_ends = 0
        self._log_weights: list[FloatArray] = []
        self._rows: list[list[IntArray]] = [[] for _ in levels]
        self._n_children: list[list[IntArray]] = [[] for _ in levels]

    def run(self, log_weights: FloatArray, context: IntArray) -> _Walked:
        """Walk on from nodes of given weights and contexts to the end of the levels."""
        if self._levels:
            self._grow(0, log_weights, context)
        else:
            self._end(log_weights)
        return _Walked(
            np.concatenate([np.empty(0), *self._log_weights]),
            [_joined(rows) for rows in self._rows],
            [_joined(n_children) for n_children in self._n_children],
        )

    def _grow(self, depth: int, log_weights: FloatArray, context: IntArray) -> None:
        """Grow the subtrees of some nodes."""
        level, is_last = self._levels[depth], depth + 1 == len(self._levels)
        starts, counts = level.step(log_weights, context, self._log_threshold)
        # Blocks of equal size, without a small remainder at the end.
        n_blocks = max(-(-int(counts.sum()) // BLOCK_NODES), 1)
        size = max(-(-int(counts.sum()) // n_blocks), 1)
        for block in blocks_by_size(counts, size):
            parent, choice = owned_ranges(starts[block], counts[block])
            child_weights = log_weights[block].take(parent)
            child_weights += level.log_weights.take(choice)
            self._rows[depth].append(level.rows.take(choice))
            self._n_children[depth].append(counts[block])
            if is_last:
                self._end(child_weights)
            else:
                self._grow(depth + 1, child_weights, level.follow(context[block], parent, choice))

    def _end(self, log_weights: FloatArray) -> None:
        self._n_ends += len(log_weights)
        if self._n_ends > self._max_rows:
            raise TooManyNodesError
        self._log_weights.append(log_weights)


def _joined(parts: list[IntArray]) -> IntArray:
    return np.concatenate([np.empty(0, dtype=np.int32), *parts])
