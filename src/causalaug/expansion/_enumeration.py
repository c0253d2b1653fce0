"""From the trellis to the paths, in time proportional to what is written.

The levels are cut in two. Prefixes are walked from the root down to the cut; completions
are walked once from every context at the cut, however many prefixes lead there, and sorted
by weight. Each prefix then takes a leading part of the completions of its context.
"""

from dataclasses import dataclass

import numpy as np

from causalaug._segments import (
    blocks_by_size,
    concatenated_ranges,
    descending_order,
    first_below,
    lengths_of,
    offsets_of,
    segment_reduce,
)
from causalaug.expansion._paths import Paths
from causalaug.expansion._trellis import TooManyNodesError, Trellis, TrellisLevel
from causalaug.typing import FloatArray, IntArray

BLOCK_NODES = 1 << 15
"""Nodes walked at a time: small enough for the processor's cache."""

COST_OF_SORTING = 2.0
"""What it costs to sort a completion, relative to one step of one prefix."""


def enumerate_paths(trellis: Trellis, max_rows: int) -> Paths:
    """Return every path of the trellis; raise `TooManyNodesError` if they are too many."""
    if trellis.log_threshold == -np.inf and _count_prefixes(trellis)[-1] > max_rows:
        raise TooManyNodesError
    cut = _choose_cut(trellis)
    start = np.array([trellis.log_start])
    root: IntArray = np.zeros(1, dtype=np.int64)
    prefixes = _Walk(trellis.levels[:cut], trellis.log_threshold, max_rows).run(start, root)
    completions = _walk_completions(trellis, cut, max_rows)
    starts = completions.offsets[prefixes.context]
    stops = completions.offsets[prefixes.context + 1]
    floor = trellis.log_threshold - prefixes.log_weights
    counts = first_below(completions.log_weights, starts, stops, floor) - starts
    n_paths = int(counts.sum())
    if n_paths > max_rows:
        raise TooManyNodesError
    stacked = np.empty((len(trellis.levels), n_paths), dtype=np.int32)
    log_weights = np.empty(n_paths)
    done = 0
    for block in blocks_by_size(counts, BLOCK_NODES):
        n_below = counts[block]
        tail = concatenated_ranges(starts[block], n_below)
        part = slice(done, done + len(tail))
        done = part.stop
        for column, rows in prefixes.rows.items():
            stacked[column, part] = np.repeat(rows[block], n_below)
        for column, rows in completions.rows.items():
            np.take(rows, tail, out=stacked[column, part], mode="clip")
        log_weights[part] = np.repeat(prefixes.log_weights[block], n_below)
        log_weights[part] += completions.log_weights[tail]
    return Paths(stacked.T, log_weights)


def _choose_cut(trellis: Trellis) -> int:
    """Return the level at which prefixes and completions together cost least to walk.

    Their numbers are upper bounds, for the threshold may rule out a combination. Of the
    steps of a completion many are shared with others, hence the factor on them.
    """
    n_prefixes, n_completions = _count_prefixes(trellis), _count_completions(trellis)
    levels_left = np.arange(len(trellis.levels), -1, -1)
    cost = np.cumsum(n_prefixes) + n_completions * (COST_OF_SORTING + 0.7 * levels_left)
    return int(np.argmin(cost))


def _count_prefixes(trellis: Trellis) -> FloatArray:
    """Return the number of prefixes before each level, and after the last."""
    counts: FloatArray = np.ones(1)
    totals = [1.0]
    sizes = [len(level.starts) for level in trellis.levels[1:]] + [trellis.n_last]
    for level, size in zip(trellis.levels, sizes, strict=True):
        n_choices = level.stops - level.starts
        arriving = np.repeat(counts, n_choices) if level.child_of_choice else counts * n_choices
        used = arriving > 0.0
        counts = np.zeros(size)
        np.add.at(counts, level.child[used], arriving[used])
        totals.append(float(counts.sum()))
    return np.array(totals)


def _count_completions(trellis: Trellis) -> FloatArray:
    """Return the number of completions of all contexts before each level, and after the last."""
    counts = np.ones(trellis.n_last)
    totals = [float(trellis.n_last)]
    for level in reversed(trellis.levels):
        n_choices = level.stops - level.starts
        if level.child_of_choice:
            counts = segment_reduce(np.add, counts[level.child], offsets_of(n_choices), empty=0.0)
        else:
            counts = np.where(n_choices > 0, n_choices * np.append(counts, 0.0)[level.child], 0.0)
        totals.append(float(counts.sum()))
    return np.array(totals[::-1])


@dataclass(frozen=True, eq=False)
class _Completions:
    """Completions of each context, heaviest first; `offsets` tell whose they are."""

    offsets: IntArray
    rows: dict[int, IntArray]
    log_weights: FloatArray


def _walk_completions(trellis: Trellis, cut: int, max_rows: int) -> _Completions:
    levels = trellis.levels[cut:]
    if not levels:
        return _Completions(np.arange(trellis.n_last + 1), {}, np.zeros(trellis.n_last))
    best = levels[0].best
    found = _Walk(levels, trellis.log_threshold, max_rows).run(best, np.arange(len(best)))
    owner = np.repeat(np.arange(len(best)), found.counts)
    log_weights = found.log_weights - best[owner]
    order = descending_order(owner, log_weights)
    rows = {column: values[order] for column, values in found.rows.items()}
    return _Completions(offsets_of(found.counts), rows, log_weights[order])


@dataclass(frozen=True, eq=False)
class _Walked:
    """Where a walk ended: rows by column, log-weight and context of each end.

    `counts` tells how many ends each start has; ends of a start are consecutive.
    """

    rows: dict[int, IntArray]
    log_weights: FloatArray
    context: IntArray
    counts: IntArray


class _Walk:
    """Walk some levels of the trellis, a block of nodes at a time, depth first.

    Only the row chosen at each node and the number of ends below it are kept; the rows of
    the ends are filled in when all is done, by repeating each node's row.
    """

    def __init__(self, levels: list[TrellisLevel], log_threshold: float, max_rows: int) -> None:
        self._levels = levels
        self._log_threshold = log_threshold
        self._max_rows = max_rows
        self._n_ends = 0
        self._rows: list[list[IntArray]] = [[] for _ in levels]
        self._n_below: list[list[IntArray]] = [[] for _ in levels]
        self._ends: list[tuple[FloatArray, IntArray]] = []

    def run(self, log_weights: FloatArray, context: IntArray) -> _Walked:
        """Walk on from nodes of given weights and contexts to the end of the levels."""
        counts = self._grow(0, log_weights, context)
        rows: dict[int, IntArray] = {}
        for depth, level in enumerate(self._levels):
            column = np.empty(self._n_ends, dtype=np.int32)
            done = 0
            for chosen, n_below in zip(self._rows[depth], self._n_below[depth], strict=True):
                filled = np.repeat(chosen, n_below)
                column[done : done + len(filled)] = filled
                done += len(filled)
            rows[level.column] = column
            self._rows[depth], self._n_below[depth] = [], []
        ends = np.concatenate([np.empty(0), *(weights for weights, _ in self._ends)])
        contexts = [np.empty(0, dtype=np.int64), *(context for _, context in self._ends)]
        return _Walked(rows, ends, np.concatenate(contexts), counts)

    def _grow(self, depth: int, log_weights: FloatArray, context: IntArray) -> IntArray:
        """Grow the subtrees of some nodes; return the number of ends below each."""
        if depth == len(self._levels):
            return self._end(log_weights, context)
        level = self._levels[depth]
        starts, counts = level.step(log_weights, context, self._log_threshold)
        below: IntArray = np.zeros(len(context), dtype=np.int64)
        for block in blocks_by_size(counts, BLOCK_NODES):
            n_children = counts[block]
            choice = concatenated_ranges(starts[block], n_children)
            child_weights = np.repeat(log_weights[block], n_children)
            child_weights += level.log_weights[choice]
            child = level.follow(context[block], n_children, choice)
            self._rows[depth].append(level.rows[choice])
            n_below = self._grow(depth + 1, child_weights, child)
            self._n_below[depth].append(n_below)
            ends = offsets_of(n_below)[offsets_of(n_children)]
            below[block] = lengths_of(ends)
        return below

    def _end(self, log_weights: FloatArray, context: IntArray) -> IntArray:
        self._n_ends += len(log_weights)
        if self._n_ends > self._max_rows:
            raise TooManyNodesError
        self._ends.append((log_weights, context))
        return np.ones(len(log_weights), dtype=np.int64)
