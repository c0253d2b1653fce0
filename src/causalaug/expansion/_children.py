"""All children of a frontier at one level: listed where they are heavy, drawn where light."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from causalaug._segments import (
    blocks_by_size,
    concatenated_ranges,
    descending_order,
    first_below,
    first_reaching,
    keep_in_segments,
    lengths_of,
    offsets_of,
)
from causalaug.expansion._branches import sorted_branches
from causalaug.expansion._draw import draw_entries
from causalaug.expansion._frontier import Children, Frontier
from causalaug.expansion._tree import Level
from causalaug.kernels import RowWeights
from causalaug.typing import FloatArray, IntArray

LARGEST_CACHE = 1 << 22
"""Entries of kernel weights that are kept for a second look instead of computed again."""


MOST_PATHS = 1 << 16
"""Paths whose children are listed at a time."""

ROUNDING = 1e-14
"""A remainder of this share of a path is rounding."""


class Collector(ABC):
    """Takes children, some at a time, and says how light the next ones may be."""

    cutoff: float
    """The least weight still wanted; it must not fall."""
    at_a_time: int
    """About how many children to hand over at a time."""

    def glimpse(self, masses: FloatArray, largest: FloatArray) -> None:  # noqa: B027
        """Raise the cutoff, if what is known of children before they are handed over allows it.

        Given are masses of children and the largest share of each mass that is a single child.
        """

    @abstractmethod
    def add(self, children: Children, mass: float) -> None:
        """Take the listed children of some paths, and the mass of all children of theirs."""


class LevelChildren:
    """The children of every path at one level.

    They are never all listed unless asked for: there are as many as paths times choices.
    Paths of equal pillow are handled together. If only some `paths` are to be looked at,
    numbers of paths are positions among them.
    """

    def __init__(self, frontier: Frontier, level: Level, paths: IntArray | None = None) -> None:
        self._variable = frontier.tree.variables[level.column]
        self._pillows = frontier.pillows(level)
        self.log_weights = frontier.log_weights
        if paths is not None:
            self._pillows = self._pillows.at(paths)
            self.log_weights = self.log_weights[paths]
        self._groups = self._pillows.groups
        self._cache: list[RowWeights] | None = None
        self._alive = np.zeros(len(self.log_weights), dtype=bool)

    @property
    def n_choices(self) -> int:
        """Number of choices that a path may have."""
        return self._variable.choices.n_groups

    @property
    def n_dead(self) -> int:
        """Number of paths that end here; known once the children were looked at."""
        return int((~self._alive).sum())

    @property
    def mass(self) -> float:
        """Mass of the paths that go on; known once the children were looked at."""
        return float(np.exp(self.log_weights[self._alive]).sum())

    def all(self) -> Children:
        """Return every child whose weight is not zero."""
        everything = _Everything()
        self._list(self._weigh(np.inf), everything)
        children = joined(everything.parts)
        return children.at(np.flatnonzero(np.exp(children.log_weights) > 0.0))

    def collect(self, collector: Collector) -> None:
        """Hand children to the collector, as long as they are not lighter than it wants.

        Those that together are below double precision may be left out.
        """
        self._list(self._blocks(), collector)

    def collect_exactly(self, collector: Collector) -> None:
        """Hand over children as `collect` does, and leave out none that is wanted."""
        self._list(self._weigh(-_log(collector.cutoff)), collector)

    def remainders(self, heavy: Children) -> FloatArray:
        """Return the mass that each path has left for its other children."""
        mass = np.where(self._alive, np.exp(self.log_weights), 0.0)
        taken = np.bincount(heavy.parent, np.exp(heavy.log_weights), minlength=len(mass))
        left = mass - taken
        return np.where(left > ROUNDING * mass, left, 0.0)

    def draw(self, parent: IntArray, offset: FloatArray, heavy: Children) -> IntArray:
        """Return a light child of each path in `parent`, at an offset in their mass.

        `heavy` lists the children that are not to be drawn.
        """
        by_pillow = np.argsort(self._groups.ranks[parent], kind="stable")
        parent, offset = parent[by_pillow], offset[by_pillow]
        share = offset / np.exp(self.log_weights[parent])
        n_heavy = np.bincount(heavy.parent, minlength=len(self.log_weights))[parent]
        pillow = self._groups.ranks[parent]
        choice = np.empty(len(parent), dtype=np.int64)
        done = 0
        for weights in self._blocks():
            first, stop = np.searchsorted(pillow, [done, done + weights.n_queries])
            part, owner = slice(first, stop), pillow[first:stop] - done
            choice[by_pillow[part]] = _draw(weights, owner, share[part], n_heavy[part])
            done += weights.n_queries
        return choice

    def _weigh(self, cut: float) -> Iterator[RowWeights]:
        for weights in self._pillows.weigh(cut):
            yield self._variable.choose(weights)

    def _blocks(self) -> Iterator[RowWeights]:
        """Yield the weights of all pillow tuples, from memory if there are not too many."""
        if self._cache is not None:
            yield from self._cache
            return
        cache: list[RowWeights] = []
        n_entries = 0
        for weights in self._weigh(0.0):
            n_entries += len(weights.kernel)
            if n_entries <= LARGEST_CACHE:
                cache.append(weights)
            yield weights
        if n_entries <= LARGEST_CACHE:
            self._cache = cache

    def _list(self, blocks: Iterator[RowWeights], collector: Collector) -> None:
        done = 0
        for weights in blocks:
            bounds = self._groups.offsets[[done, done + weights.n_queries]]
            paths = self._groups.order[slice(*bounds)]
            owner = self._groups.ranks[paths] - done
            done += weights.n_queries
            if not weights.totals.all():
                alive = weights.totals[owner] > 0.0
                paths, owner = paths[alive], owner[alive]
            self._alive[paths] = True
            self._list_block(weights, paths, owner, collector)

    def _list_block(
        self, weights: RowWeights, paths: IntArray, owner: IntArray, collector: Collector
    ) -> None:
        log_weights = self.log_weights[paths]
        heaviest = np.full(weights.n_queries, -np.inf)
        np.maximum.at(heaviest, owner, log_weights)
        heaviest[weights.totals == 0.0] = 0.0
        if collector.cutoff == 0.0:
            _give_glimpse(collector, weights, owner, log_weights, heaviest)
        found = weights.heaviest(_log(collector.cutoff) - heaviest)
        branches = sorted_branches(found, weights.n_queries)
        start = 0
        while start < len(paths):
            part = slice(start, start + MOST_PATHS)
            first, stop = branches.offsets[owner[part]], branches.offsets[owner[part] + 1]
            floor = _log(collector.cutoff) - log_weights[part]
            counts = first_below(branches.log_weights, first, stop, floor) - first
            block = next(blocks_by_size(counts, collector.at_a_time))
            entry = concatenated_ranges(first[block], counts[block])
            parent = np.repeat(paths[part][block], counts[block])
            child = self.log_weights[parent] + branches.log_weights[entry]
            mass = float(np.exp(log_weights[part][block]).sum())
            collector.add(Children(parent, branches.choices[entry], child), mass)
            start += block.stop


class _Everything(Collector):
    """Collects all children."""

    cutoff = 0.0
    at_a_time = 1 << 62

    def __init__(self) -> None:
        self.parts: list[Children] = []

    def add(self, children: Children, mass: float) -> None:
        self.parts.append(children)


def _give_glimpse(
    collector: Collector,
    weights: RowWeights,
    owner: IntArray,
    log_weights: FloatArray,
    heaviest: FloatArray,
) -> None:
    """Say what is known of the children of some paths before any is listed."""
    if len(weights.kernel) <= len(owner):
        collector.glimpse(np.exp(log_weights), weights.largest[owner] / weights.totals[owner])
    elif len(weights.kernel) > collector.at_a_time:
        some = weights.times(np.exp(heaviest))
        collector.glimpse(some, np.broadcast_to(1.0, some.shape))


def joined(parts: list[Children]) -> Children:
    """Return one list of children from several."""
    if not parts:
        nothing: IntArray = np.empty(0, dtype=np.int64)
        return Children(nothing, nothing, np.empty(0))
    return Children(
        np.concatenate([part.parent for part in parts]),
        np.concatenate([part.choice for part in parts]),
        np.concatenate([part.log_weights for part in parts]),
    )


def _log(weight: float) -> float:
    return float(np.log(weight)) if weight > 0.0 else -np.inf


def _draw(weights: RowWeights, owner: IntArray, share: FloatArray, n_heavy: IntArray) -> IntArray:
    """Return the choice at a share of the weight of each owner, past its heaviest choices."""
    entries = np.empty(len(owner), dtype=np.int64)
    plain = n_heavy == 0
    entries[plain] = draw_entries(weights, owner[plain], share[plain])
    if not plain.all():
        rest = ~plain
        entries[rest] = _draw_past_heaviest(weights, owner[rest], share[rest], n_heavy[rest])
    return weights.rows_at(entries)


def _draw_past_heaviest(
    weights: RowWeights, owner: IntArray, share: FloatArray, n_heavy: IntArray
) -> IntArray:
    """Draw from entries in descending order, after the first `n_heavy` of each owner.

    `share` is of the owner's whole weight, the heaviest entries included.
    """
    tuples, local = np.unique(owner, return_inverse=True)
    counts = weights.counts[tuples]
    entries = concatenated_ranges(weights.offsets[tuples], counts)
    owners = np.repeat(tuples, counts)
    positive = weights.kernel[entries] > 0.0
    entries, owners = entries[positive], owners[positive]
    counts = lengths_of(keep_in_segments(offsets_of(counts), positive))
    entries = entries[descending_order(owners, weights.log_weights_at(entries, owners))]
    relative = weights.kernel[entries] / np.repeat(weights.totals[tuples], counts)
    running = np.concatenate([[0.0], np.cumsum(relative)])
    offsets = offsets_of(counts)
    starts, stops = offsets[local] + n_heavy, offsets[local + 1]
    found = first_reaching(running[1:], starts, stops, running[starts] + share, strictly=True)
    return entries[np.minimum(found, stops - 1)]
