"""The pruned tree folded into a trellis: one node per context instead of one per path.

Forwards, each context learns the weight of its best prefix; contexts that no kept path can
reach are never made. Backwards, it learns the weight of its best completion; choices that
lie on no kept path are dropped. What is left has no dead ends: a prefix of weight `w` can
take exactly those choices whose ``weight * best completion`` is at least ``theta / w``, and
they come first in a list sorted by that product.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from causalaug._ragged import (
    Ragged,
    blocks_by_size,
    combine_codes,
    descending_order,
    first_below,
    group_by_key,
    largest_of_each,
    offsets_of,
    owned_ranges,
    segment_reduce,
)
from causalaug.expansion._bounds import Bounds, bound_levels, heaviest_choices, no_bounds
from causalaug.expansion._frontier import Level, ProbabilityTree
from causalaug.typing import FloatArray, IntArray

BLOCK_EDGES = 1 << 17
"""Choices expanded at a time."""


class TooManyNodesError(Exception):
    """A level of the tree has more nodes than rows are allowed."""


@dataclass(frozen=True, eq=False)
class _Forward:
    """What the forward pass leaves behind at one level.

    `best` is the log-weight of the best prefix of each context before the level, `pillow`
    the number of its pillow tuple, `projected` the number of what is left of the context
    once the columns that are no longer needed are gone (-1: nothing kept leads on).
    """

    level: Level
    floor: float
    best: FloatArray
    pillow: IntArray
    branches: Ragged
    projected: IntArray
    n_passing: IntArray | None = None
    """How many choices of each context pass the floor, if the value chosen is needed again."""
    n_next: int = 0
    """Number of contexts after the level."""
    next_keys: IntArray | None = None
    """Their sorted keys, if the value chosen is part of them."""


@dataclass(frozen=True, eq=False)
class TrellisLevel:
    """The choices of one level that lie on a kept path.

    Context `c` owns the entries ``starts[c]:stops[c]``, sorted by `reach`, heaviest first:
    `reach` is the log-weight of the choice and its best completion together, less
    `bonus[c]`. `child` names the context that a choice leads to, or, where the value chosen is
    never needed again, the one that the context leads to whatever is chosen.
    """

    column: int
    starts: IntArray
    stops: IntArray
    bonus: FloatArray
    reach: FloatArray
    log_weights: FloatArray
    rows: IntArray
    child: IntArray
    child_of_choice: bool

    def best_completion(self) -> FloatArray:
        """Return the log-weight of the best completion of each context, from this level on."""
        best = np.full(len(self.starts), -np.inf)
        filled = self.stops > self.starts
        best[filled] = self.reach[self.starts[filled]]
        return best + self.bonus

    def step(
        self, log_weights: FloatArray, context: IntArray, log_threshold: float
    ) -> tuple[IntArray, IntArray]:
        """Return where the choices of some prefixes start, and how many may be taken.

        A prefix that has only one choice takes it: nothing in the trellis is a dead end.
        """
        starts = self.starts.take(context)
        counts = self.stops.take(context) - starts
        several = np.flatnonzero(counts > 1)
        if several.size:
            first, where = starts.take(several), context.take(several)
            floor = log_threshold - log_weights.take(several) - self.bonus[where]
            stops = first + counts.take(several)
            counts[several] = first_below(self.reach, first + 1, stops, floor) - first
        return starts, counts

    def follow(self, context: IntArray, owner: IntArray, choice: IntArray) -> IntArray:
        """Return the contexts that some choices lead to; `owner` are positions in `context`."""
        if self.child_of_choice:
            return self.child.take(choice)
        return self.child.take(context).take(owner)


@dataclass(frozen=True, eq=False)
class Trellis:
    """Levels that hold every path at or above the threshold.

    The log-weight of a path is `log_start` plus those of its choices.
    """

    log_start: float
    log_threshold: float
    n_columns: int
    levels: list[TrellisLevel]
    n_last: int
    """Number of contexts after the last level; without any, the levels may be missing."""


def build_trellis(tree: ProbabilityTree, log_threshold: float, max_rows: int) -> Trellis:
    """Fold the pruned tree; raise `TooManyNodesError` if a level has more than `max_rows`."""
    bounds = bound_levels(tree, log_threshold) if np.isfinite(log_threshold) else no_bounds(tree)
    if bounds.at_start < log_threshold:
        return Trellis(bounds.at_start, log_threshold, len(tree.levels), [], 0)
    forwards = _pass_forwards(tree, bounds, log_threshold, max_rows)
    n_last = forwards[-1].n_next
    completion: FloatArray = np.zeros(n_last)
    levels = []
    while forwards:
        forward = forwards.pop()
        if forward.next_keys is not None:
            level = _keep_edges(tree, forward, completion, log_threshold)
        else:
            level = _keep_branches(tree, forward, completion, log_threshold)
        completion = level.best_completion()
        levels.append(level)
    return Trellis(bounds.at_start, log_threshold, len(levels), levels[::-1], n_last)


def _pass_forwards(
    tree: ProbabilityTree, bounds: Bounds, floor: float, max_rows: int
) -> list[_Forward]:
    """Return what each level leaves behind."""
    best = np.array([bounds.at_start])
    codes: dict[int, IntArray] = {}
    forwards = []
    shared = _SharedBranches(tree, bounds)
    for level in tree.levels:
        pillow, branches = shared.find(level, codes, best, floor)
        branches = tree.only_open(level, branches)
        codes = {column: codes[column] for column in codes if column in level.live}
        projected, first = _project(tree, codes, len(best))
        forward = _Forward(level, floor, best, pillow, branches, projected)
        codes = {column: code_column[first] for column, code_column in codes.items()}
        if level.is_live:
            forward = replace(forward, n_passing=_count_passing(forward, max_rows))
            keys, best = _best_by_key(tree, forward)
            owner, code = np.divmod(keys, len(tree.variables[level.column].values))
            codes = {column: code_column[owner] for column, code_column in codes.items()}
            codes[level.column] = code.astype(np.int32)
            forward = replace(forward, next_keys=keys)
        else:
            best = _best_of_projected(forward, len(first))
            keys = np.flatnonzero((best >= floor) & (best > -np.inf))
            forward = replace(forward, projected=_renumber(keys, len(best))[projected])
            best, codes = best[keys], {c: code_column[keys] for c, code_column in codes.items()}
        forwards.append(replace(forward, n_next=len(keys)))
    return forwards


class _SharedBranches:
    """The branches of the levels to come whose pillow was met before.

    Levels of equal pillow share the weights of the rows, so their branches are computed
    together, when the first of them is met. The floors of that level serve the others:
    contexts only get fewer and lighter on the way.
    """

    def __init__(self, tree: ProbabilityTree, bounds: Bounds) -> None:
        self._tree, self._bounds = tree, bounds
        self._keys: dict[int, IntArray] = {}
        self._branches: dict[int, Ragged] = {}

    def find(
        self, level: Level, codes: dict[int, IntArray], best: FloatArray, floor: float
    ) -> tuple[IntArray, Ragged]:
        """Return the number of each context's pillow tuple, and the branches of the tuples."""
        key, bound = self._tree.pillow_key(level, codes, len(best))
        if level.column in self._branches:
            number = np.searchsorted(self._keys.pop(level.column), key)
            return number.astype(np.int32), self._branches.pop(level.column)
        groups = group_by_key(key, bound)
        first = groups.first
        query = self._tree.pillow_values(level, codes, first)
        best_of_tuple = largest_of_each(groups.ranks, best, len(first))
        levels = [level]
        if self._tree.has_stable_keys(level):
            later = self._tree.levels[self._tree.levels.index(level) + 1 :]
            alike = level.weigher, level.pillow
            levels += [other for other in later if (other.weigher, other.pillow) == alike]
        shapes = [self._bounds.shape(self._tree, each, codes, first) for each in levels]
        branches = heaviest_choices(self._tree, levels, query, floor - best_of_tuple, shapes)
        for other, found in zip(levels[1:], branches[1:], strict=True):
            self._keys[other.column], self._branches[other.column] = key[first], found
        return groups.ranks.astype(np.int32), branches[0]


def _renumber(kept: IntArray, length: int) -> IntArray:
    """Return the new number of each old one, -1 for those that are not kept."""
    numbers = np.full(length, -1, dtype=np.int32)
    numbers[kept] = np.arange(len(kept))
    return numbers


def _project(
    tree: ProbabilityTree, codes: dict[int, IntArray], length: int
) -> tuple[IntArray, IntArray]:
    """Return each context's number by the columns that stay live, and one context of each.

    Contexts are numbered by the columns in the order in which they were chosen: those that
    a walk visits one after the other then lie close together.
    """
    sizes = [len(tree.variables[column].values) for column in codes]
    groups = group_by_key(*combine_codes([*codes.values()], sizes, length))
    return groups.ranks.astype(np.int32), groups.first


def _count_passing(forward: _Forward, max_rows: int) -> IntArray:
    """Return how many choices of each context pass the floor."""
    branches, pillow = forward.branches, forward.pillow
    starts, stops = branches.offsets[pillow], branches.offsets[pillow + 1]
    passed = first_below(branches.log_weight, starts, stops, forward.floor - forward.best)
    n_passing = passed - starts
    if n_passing.sum() > max_rows:
        raise TooManyNodesError
    return n_passing.astype(np.int32)


def _edge_blocks(forward: _Forward) -> Iterator[tuple[slice, IntArray, IntArray]]:
    """Yield the choices that pass the floor, block by block: contexts, owners, entries."""
    assert forward.n_passing is not None
    starts, counts = forward.branches.offsets[forward.pillow], forward.n_passing
    for block in blocks_by_size(counts, BLOCK_EDGES):
        owner, edges = owned_ranges(starts[block], counts[block])
        owner += block.start
        yield block, owner, edges


def _edge_keys(
    tree: ProbabilityTree, forward: _Forward, owner: IntArray, edges: IntArray
) -> IntArray:
    variable = tree.variables[forward.level.column]
    code = variable.code_of_choice[forward.branches.index[edges]]
    return forward.projected[owner].astype(np.int64) * len(variable.values) + code


def _best_by_key(tree: ProbabilityTree, forward: _Forward) -> tuple[IntArray, FloatArray]:
    """Return the keys of the next contexts, sorted, and the best prefix of each."""
    n_projected = int(forward.projected.max(initial=0)) + 1
    bound = n_projected * len(tree.variables[forward.level.column].values)
    parts: list[tuple[IntArray, FloatArray]] = [(np.empty(0, dtype=np.int64), np.empty(0))]
    for _, owner, edges in _edge_blocks(forward):
        value = forward.best[owner] + forward.branches.log_weight[edges]
        parts.append(_best_of_equal(_edge_keys(tree, forward, owner, edges), value, bound))
    keys, best = (np.concatenate(each) for each in zip(*parts, strict=True))
    return _best_of_equal(keys, best, bound)


def _best_of_equal(keys: IntArray, values: FloatArray, bound: int) -> tuple[IntArray, FloatArray]:
    """Return the distinct keys, sorted, and the largest value of each."""
    groups = group_by_key(keys, bound)
    largest = segment_reduce(np.maximum, values[groups.order], groups.offsets, empty=-np.inf)
    return keys[groups.first], largest


def _best_of_projected(forward: _Forward, n_projected: int) -> FloatArray:
    """Return the best prefix of each projected context when the choice itself is forgotten."""
    branches = forward.branches
    heaviest = segment_reduce(np.maximum, branches.log_weight, branches.offsets, empty=-np.inf)
    best = forward.best + heaviest[forward.pillow]
    return largest_of_each(forward.projected, best, n_projected)


def _keep_branches(
    tree: ProbabilityTree, forward: _Forward, completion: FloatArray, log_threshold: float
) -> TrellisLevel:
    """Share the choices of a pillow tuple among its contexts: all lead to the same place."""
    branches, variable = forward.branches, tree.variables[forward.level.column]
    starts = branches.offsets[forward.pillow].astype(np.int32)
    bonus = np.append(completion, -np.inf)[forward.projected]
    leads_on = bonus > -np.inf
    floor = np.full(len(bonus), np.inf)
    floor[leads_on] = log_threshold - forward.best[leads_on] - bonus[leads_on]
    stops = branches.offsets[forward.pillow + 1]
    return TrellisLevel(
        column=forward.level.column,
        starts=starts,
        stops=first_below(branches.log_weight, starts, stops, floor).astype(np.int32),
        bonus=bonus,
        reach=branches.log_weight,
        log_weights=branches.log_weight,
        rows=variable.row_of_choice[branches.index],
        child=forward.projected,
        child_of_choice=False,
    )


def _keep_edges(
    tree: ProbabilityTree, forward: _Forward, completion: FloatArray, log_threshold: float
) -> TrellisLevel:
    """List the choices of each context that lie on a kept path, by how far they reach."""
    assert forward.next_keys is not None
    branches, variable = forward.branches, tree.variables[forward.level.column]
    kept_edges, kept_child, kept_reach = [], [], []
    counts = np.zeros(len(forward.best), dtype=np.int64)
    for block, owner, edges in _edge_blocks(forward):
        child = np.searchsorted(forward.next_keys, _edge_keys(tree, forward, owner, edges))
        reach = branches.log_weight[edges] + completion[child]
        passes = (forward.best[owner] + reach >= log_threshold) & (reach > -np.inf)
        keep = np.flatnonzero(passes)
        keep = keep[descending_order(owner[keep], reach[keep])]
        counts[block] = np.bincount(owner[keep] - block.start, minlength=block.stop - block.start)
        kept_edges.append(edges[keep])
        kept_child.append(child[keep])
        kept_reach.append(reach[keep])
    edges = np.concatenate([np.empty(0, dtype=np.int64), *kept_edges])
    offsets = offsets_of(counts)
    return TrellisLevel(
        column=forward.level.column,
        starts=offsets[:-1].astype(np.int32),
        stops=offsets[1:].astype(np.int32),
        bonus=np.broadcast_to(0.0, counts.shape),
        reach=np.concatenate([np.empty(0), *kept_reach]),
        log_weights=branches.log_weight[edges],
        rows=variable.row_of_choice[branches.index[edges]],
        child=np.concatenate([np.empty(0, dtype=np.int32), *kept_child]),
        child_of_choice=True,
    )
