"""All children of a frontier at one level: listed where they are heavy, drawn where light.

There are as many children as paths times choices, so they are never all listed unless asked for.
Paths of equal pillow are handled together: their children have the same edge weights.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from causalaug._ragged import (
    Dense,
    Ragged,
    RowWeights,
    blocks_by_size,
    concatenated_ranges,
    descending_order,
    find_places,
    first_below,
    first_reaching,
    group_by_key,
    largest_of_each,
    offsets_of,
)
from causalaug.expansion._frontier import Frontier, Level
from causalaug.kernels import RowWeigher
from causalaug.typing import FloatArray, IntArray

MOST_PATHS = 1 << 16
"""Paths whose children are listed at a time."""

MOST_DRAWS = 1 << 17
"""Entries for which rows are proposed at a time."""

STRIDE = 32
"""Entries of a dense row that are first added up, so that few running sums are needed."""

USED_UP = 1e-14
"""A remainder of this part of a path is rounding."""


class LevelChildren:
    """The children of every path at one level.

    If only some `paths` are to be looked at, numbers of paths are positions among them.
    """

    def __init__(self, frontier: Frontier, level: Level, paths: IntArray | None = None) -> None:
        self._weigher, self._variable = level.weigher, frontier.variable(level)
        pillows, self.log_weights = frontier.pillows(level), frontier.log_weights
        if paths is not None:
            pillows, self.log_weights = pillows.at(paths), self.log_weights[paths]
        self._groups, self._query = pillows.groups, pillows.query
        self._is_alive = np.zeros(len(self.log_weights), dtype=bool)

    @property
    def n_dead(self) -> int:
        """Number of paths that end here; known once the children were looked at."""
        return int((~self._is_alive).sum())

    @property
    def mass(self) -> float:
        """Mass of the paths that go on; known once the children were looked at."""
        return float(np.exp(self.log_weights[self._is_alive]).sum())

    def all(self) -> Ragged:
        """Return every child whose weight is not zero; the owners are the paths."""
        children = self.gather(self.listed(lambda: 0.0, log_cut=np.inf))
        return children.at(np.flatnonzero(np.exp(children.log_weight) > 0.0))

    def gather(self, parts: Iterable[tuple[IntArray, Ragged]]) -> Ragged:
        """Return the children of all parts that `listed` yields, by path."""
        listed = list(parts)
        children = Ragged.joined([part for _, part in listed])
        paths = np.concatenate([np.empty(0, np.int64), *(each for each, _ in listed)])
        parent = paths[children.owner]
        return Ragged.of_owners(parent, children.index, children.log_weight, len(self.log_weights))

    def listed(
        self, least: Callable[[], float], at_a_time: int = 1 << 62, log_cut: float = 0.0
    ) -> Iterator[tuple[IntArray, Ragged]]:
        """Yield some paths at a time, and their children that are heavy enough.

        Parameters
        ----------
        least : callable
            Returns the least weight still wanted. It is asked again and again, and must not fall.
        at_a_time : int
            About how many children to yield at a time.
        log_cut : float
            As in `RowWeigher.weigh`. With 0, children that together are below double precision
            may be left out.
        """
        done = 0
        for block in self._blocks(log_cut):
            for start, stop in _growing_slices(block, at_a_time):
                weights = block.of(start, stop)
                bounds = self._groups.offsets[[done + start, done + stop]]
                paths = self._groups.order[slice(*bounds)]
                owner = self._groups.ranks[paths] - (done + start)
                alive = weights.is_alive[owner]
                paths, owner = paths[alive], owner[alive]
                self._is_alive[paths] = True
                yield from self._list_block(weights, paths, owner, least, at_a_time)
            done += block.n_owners

    def _list_block(
        self,
        weights: RowWeights,
        paths: IntArray,
        owner: IntArray,
        least: Callable[[], float],
        at_a_time: int,
    ) -> Iterator[tuple[IntArray, Ragged]]:
        log_weights = self.log_weights[paths]
        heaviest = largest_of_each(owner, log_weights, weights.n_owners)
        heaviest[~weights.is_alive] = 0.0
        branches = weights.at_least(log_of(least()) - heaviest).heaviest_first()
        start = 0
        while start < len(paths):
            part = slice(start, start + MOST_PATHS)
            begin, stop = branches.offsets[owner[part]], branches.offsets[owner[part] + 1]
            floor = log_of(least()) - log_weights[part]
            counts = first_below(branches.log_weight, begin, stop, floor) - begin
            block = next(blocks_by_size(counts, at_a_time))
            counts = counts[block]
            entry = concatenated_ranges(begin[block], counts)
            child = np.repeat(log_weights[part][block], counts) + branches.log_weight[entry]
            yield paths[part][block], Ragged(offsets_of(counts), branches.index[entry], child)
            start += block.stop

    def _blocks(self, log_cut: float = 0.0) -> Iterator[RowWeights]:
        """Yield the weights of the choices given each pillow tuple, block after block."""
        return map(self._variable.choose, self._weigher.weigh(self._query, log_cut))

    def remainders(self, heavy: Ragged) -> FloatArray:
        """Return the mass that each path has left for its other children."""
        mass = np.where(self._is_alive, np.exp(self.log_weights), 0.0)
        taken = np.bincount(heavy.owner, np.exp(heavy.log_weight), minlength=len(mass))
        left = mass - taken
        return np.where(left > USED_UP * mass, left, 0.0)

    def draw(self, parent: IntArray, offset: FloatArray, heavy: Ragged) -> IntArray:
        """Return a light child of each path in `parent`, at an offset in their mass.

        `heavy` lists the children that are not to be drawn.
        """
        by_pillow = np.argsort(self._groups.ranks[parent], kind="stable")
        parent, offset = parent[by_pillow], offset[by_pillow]
        place = offset / np.exp(self.log_weights[parent])
        n_heavy = heavy.counts[parent]
        pillow = self._groups.ranks[parent]
        choice = np.empty(len(parent), dtype=np.int64)
        done = 0
        for weights in self._blocks():
            begin, stop = np.searchsorted(pillow, [done, done + weights.n_owners])
            part, owner = slice(begin, stop), pillow[begin:stop] - done
            choice[by_pillow[part]] = _draw_light(weights, owner, place[part], n_heavy[part])
            done += weights.n_owners
        return choice


def _growing_slices(weights: RowWeights, at_a_time: int) -> Iterator[tuple[int, int]]:
    """Yield slices of owners, the first of about so many entries, each twice as long as the last.

    The children of the first say how heavy others must be. Of a table of 300 rows, 90,000 children
    need not be sorted to find 1,500 of them.
    """
    start, size = 0, max(at_a_time * weights.n_owners // max(weights.n_entries, 1), 1)
    while start < weights.n_owners:
        stop = min(start + size, weights.n_owners)
        yield start, stop
        start, size = stop, 2 * size


def log_of(weight: float) -> float:
    """Return the logarithm, minus infinity of 0."""
    return float(np.log(weight)) if weight > 0.0 else -np.inf


def _draw_light(
    weights: RowWeights, owner: IntArray, place: FloatArray, n_heavy: IntArray
) -> IntArray:
    """Return the choice at a place in the weight of each owner, past its heaviest choices."""
    entries = np.empty(len(owner), dtype=np.int64)
    plain = n_heavy == 0
    entries[plain] = draw_entries(weights, owner[plain], place[plain])
    if not plain.all():
        rest = ~plain
        entries[rest] = _draw_past_heaviest(weights, owner[rest], place[rest], n_heavy[rest])
    return weights.index_at(entries)


def _draw_past_heaviest(
    weights: RowWeights, owner: IntArray, place: FloatArray, n_heavy: IntArray
) -> IntArray:
    """Draw from entries in descending order, after the first `n_heavy` of each owner.

    `place` is in the owner's whole weight, the heaviest entries included.
    """
    tuples, local = np.unique(owner, return_inverse=True)
    counts = weights.counts[tuples]
    entries = concatenated_ranges(weights.offsets[tuples], counts)
    positive = weights.weight[entries] > 0.0
    entries, owners = entries[positive], np.repeat(tuples, counts)[positive]
    offsets = offsets_of(positive)[offsets_of(counts)]
    entries = entries[descending_order(owners, weights.log_weight_at(entries))]
    running = np.concatenate([[0.0], np.cumsum(weights.weight[entries])])
    starts, stops = offsets[local] + n_heavy, offsets[local + 1]
    found = first_reaching(running[1:], starts, stops, running[starts] + place, strictly=True)
    return entries[np.minimum(found, stops - 1)]


def draw_levels(frontier: Frontier, levels: Sequence[Level], rng: np.random.Generator) -> None:
    """Draw one child of each path at levels that share what weighs their rows."""
    pillows = frontier.pillows(levels[0])
    rows = draw_rows(levels[0].weigher, pillows.query, pillows.groups.ranks, len(levels), rng)
    alive = np.flatnonzero(rows[0] >= 0)
    for level, row in zip(levels, rows[:, alive], strict=True):
        parent = alive if level is levels[0] else np.arange(len(alive))
        choice, weights = frontier.variable(level).choices.ranks[row], frontier.log_weights[parent]
        frontier.grow(level, Ragged.of_owners(parent, choice, weights, len(frontier)))


def draw_rows(
    weigher: RowWeigher, query: FloatArray, owner: IntArray, n_draws: int, rng: np.random.Generator
) -> IntArray:
    """Return rows drawn by their weights given ``query[owner]``; -1 where no row has any.

    Shape: (n_draws, n_entries). Rows are proposed where that is likely to succeed; for the
    entries left, all rows are weighed once for all draws.
    """
    rows: IntArray = np.empty((n_draws, len(owner)), dtype=np.int64)
    if len(owner) > MOST_DRAWS and (owner[1:] < owner[:-1]).any():
        order = group_by_key(owner, len(query)).order
        rows[:, order] = draw_rows(weigher, query, owner[order], n_draws, rng)
        return rows
    for row in rows:
        row[:] = _propose(weigher, query, owner, rng)
    place = rng.random(rows.shape)
    left = np.flatnonzero((rows < 0).any(axis=0))
    groups = group_by_key(owner[left], len(query))
    sorted_left, ranks = left[groups.order], groups.ranks[groups.order]
    done = 0
    for weights in weigher.weigh(query[owner[left[groups.first]]]):
        part = slice(*groups.offsets[[done, done + weights.n_owners]])
        entries, local = sorted_left[part], ranks[part] - done
        done += weights.n_owners
        alive = weights.is_alive[local]
        entries, local = entries[alive], local[alive]
        for row, places in zip(rows, place, strict=True):
            found = weights.index_at(draw_entries(weights, local, places[entries]))
            row[entries] = np.where(row[entries] < 0, found, row[entries])
    return rows


def _propose(
    weigher: RowWeigher, query: FloatArray, owner: IntArray, rng: np.random.Generator
) -> IntArray:
    """Propose a row for each entry, very many a part at a time; owners are then ascending."""
    if len(owner) <= MOST_DRAWS:
        return weigher.propose(query, owner, rng)
    parts = np.split(owner, range(MOST_DRAWS, len(owner), MOST_DRAWS))
    return np.concatenate(
        [weigher.propose(query[part[0] : part[-1] + 1], part - part[0], rng) for part in parts]
    )


def draw_entries(weights: RowWeights, owner: IntArray, place: FloatArray) -> IntArray:
    """Return the entry of each owner at a place in its weight.

    The owners have at least one entry; `place` lies in ``[0, 1)``. An entry of zero weight is
    never returned.
    """
    if isinstance(weights, Dense):
        return _draw_from_dense(weights, owner, place)
    found, stops = weights.offsets[owner], weights.offsets[owner + 1]
    several = np.flatnonzero(stops > found + 1)
    within = np.cumsum(weights.weight), found[several], stops[several], place[several]
    found[several] = find_places(*within)[0]
    return found


def _draw_from_dense(weights: Dense, owner: IntArray, place: FloatArray) -> IntArray:
    """Draw a stride of entries first, then the entry in it.

    Sums of strides are taken fast, running sums of all entries are not: with these a draw takes
    half as long again (`make bench`, temperature 0.1).
    """
    n_rows = weights.matrix.shape[1]
    begins = np.arange(0, n_rows, STRIDE)
    running = np.cumsum(np.add.reduceat(weights.matrix, begins, axis=1))
    starts = owner * len(begins)
    found, target = find_places(running, starts, starts + len(begins), place)
    begin = begins[found - starts]
    column = begin[:, np.newaxis] + np.arange(STRIDE)
    # Positions in one list are looked up in half the time of rows and columns.
    inside = weights.weight.take((owner * n_rows)[:, np.newaxis] + np.minimum(column, n_rows - 1))
    inside[column >= n_rows] = 0.0
    np.cumsum(inside, axis=1, out=inside)
    np.minimum(target, np.nextafter(inside[:, -1], -np.inf), out=target)
    entries: IntArray = owner * n_rows + begin + (inside <= target[:, np.newaxis]).sum(axis=1)
    return entries
