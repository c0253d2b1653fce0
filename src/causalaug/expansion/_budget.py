"""A fixed number of paths, thinned without bias at every level."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import ClassVar

import numpy as np

from causalaug._ragged import Ragged
from causalaug._validation import check_bool, check_integer
from causalaug.expansion import resampling
from causalaug.expansion._base import FittedModel, Paths
from causalaug.expansion._children import LevelChildren, draw_levels, draw_rows
from causalaug.expansion._frontier import Frontier, Level, ProbabilityTree, describe_tree
from causalaug.typing import FloatArray, IntArray

MOST_PIECES = 1 << 20
"""Choices of more than one first variable are listed up to this number, to cut blocks."""

TOLERANCE = 0.1
"""How far a cut may be moved to fall between two choices, as a part of a block."""


@dataclass(frozen=True)
class BudgetExpansion:
    """Keep at most a given number of paths, so that no weight is biased and no mass lost.

    The tree is grown level by level. Where a level has more children than rows are allowed,
    exactly that many are kept by optimal resampling (Fearnhead & Clifford, 2003): with `c`
    such that ``sum(min(w / c, 1)) = rows``, a child of weight at least `c` survives as it
    is; the others survive with probability ``w / c``, and then weigh `c`. A systematic draw
    says how many children each path keeps; which of them is drawn for each path on its own,
    so that paths alike do not all go the same way. The expected weight of every path is its
    weight in the full tree; resampling itself loses no mass but for rounding, so that the
    weights add up to one unless paths end where a conditional vanishes. A budget as large as
    the tree is the tree.

    Parameters
    ----------
    rows : int, optional
        The number of paths to keep; by default five times the number of observed rows.
    merge_equal : bool, default=True
        Whether equal values of a variable are one branch, whose weight is the sum. Then no
        two paths have equal values.
    max_rows : int, default=50_000_000
        Refuse to make more rows at once. Where blocks are written to files, one after the other, a
        block of more rows is refused.
    """

    rows: int | None = None
    merge_equal: bool = True
    max_rows: int = 50_000_000
    seconds_per_cell: ClassVar[float] = 1.5e-7

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        check_bool("merge_equal", self.merge_equal)
        if self.rows is not None:
            check_integer("rows", self.rows, at_least=1)
        check_integer("max_rows", self.max_rows, at_least=1)

    def expand(self, model: FittedModel, rng: np.random.Generator) -> Paths:
        """Return the paths that were kept."""
        return self.in_blocks(model, 1).grow(0, rng)

    def most_rows(self, n_rows: int) -> int:
        """Return the number of paths to keep."""
        return 5 * n_rows if self.rows is None else int(self.rows)

    def in_blocks(self, model: FittedModel, n_blocks: int) -> "_BudgetBlocks":
        """Return the tree, cut into blocks that each keep their part of the paths.

        The part of a block is that of its mass. Weights stay right on average, and no mass
        is lost. A path may be in two blocks, its weight divided between them, if its first
        values hold so much mass that they have to be divided.
        """
        tree = describe_tree(model, merge_equal=self.merge_equal)
        return _BudgetBlocks(tree, self.most_rows(model.table.n_rows), n_blocks)


@dataclass(frozen=True, eq=False)
class _BudgetBlocks:
    """A tree with the number of paths to keep in all blocks together."""

    tree: ProbabilityTree
    budget: int
    n_blocks: int

    def grow(self, block: int, rng: np.random.Generator) -> Paths:
        """Return the paths that one block keeps."""
        if self.n_blocks == 1:
            return _grow(Frontier(self.tree), self.tree.levels, self.budget, rng)
        frontier = self._pieces.block(block)
        budget = self._pieces.rows(block, self.budget)
        if len(frontier) > budget:
            frontier = frontier.at(*resampling.resample(frontier.log_weights, budget, rng))
        return _grow(frontier, self._pieces.levels, budget, rng)

    @cached_property
    def _pieces(self) -> "Pieces":
        return cut_tree(self.tree, self.n_blocks, self.budget)


def _grow(
    frontier: Frontier, levels: Sequence[Level], budget: int, rng: np.random.Generator
) -> Paths:
    """Return what becomes of the paths once they are grown through all levels.

    Once as many paths as the budget allows weigh the same, that is the survival weight, and no
    child is heavier: resampling comes to one child for each path. These are drawn for all levels
    of equal pillow together, which need the weights of the rows only once.
    """
    for _, together in groupby(levels, key=lambda level: id(level.weigher)):
        waiting = deque(together)
        while waiting:
            if len(frontier) >= budget and np.ptp(frontier.log_weights) <= resampling.EVEN:
                draw_levels(frontier, [*waiting], rng)
                break
            level = waiting.popleft()
            frontier.grow(level, _choose(frontier, level, budget, rng))
    return frontier.paths()


def _choose(frontier: Frontier, level: Level, budget: int, rng: np.random.Generator) -> Ragged:
    """Return the children that the budget allows; the owners are the paths."""
    if len(frontier) * frontier.variable(level).n_choices <= budget:
        return LevelChildren(frontier, level).all()
    if len(frontier) < budget:
        listed, least = _paths_to_list(frontier, level, budget)
        return _resample(frontier, level, listed, budget, least, rng)
    lightest = float(frontier.log_weights.min())
    heavier = np.flatnonzero(frontier.log_weights > lightest + resampling.EVEN)
    listed = np.arange(len(frontier)) if level.weigher.may_end else heavier
    return _resample(frontier, level, listed, budget, float(np.exp(lightest)), rng)


def _paths_to_list(frontier: Frontier, level: Level, budget: int) -> tuple[IntArray, float]:
    """Return the paths that may have a heavy child, and what the survival weight is not below.

    That is half of what a survivor weighs on average, `least`, if no child of half of the mass
    weighs more: were the survival weight `least`, these alone would fill the budget.
    """
    sums = level.weigher.sums if frontier.variable(level).choices.is_trivial else None
    if sums is not None:
        pillows, weights = frontier.pillows(level), np.exp(frontier.log_weights)
        least = 0.5 * float(weights.sum()) / budget
        # No row's kernel is above one, so no child weighs more than its path over their total.
        is_light = weights < least * sums.totals(pillows.query)[pillows.groups.ranks]
        if weights[is_light].sum() >= 0.5 * weights.sum():
            return np.flatnonzero(~is_light), least
    return np.arange(len(frontier)), 0.0


def _resample(
    frontier: Frontier,
    level: Level,
    listed: IntArray,
    budget: int,
    least: float,
    rng: np.random.Generator,
) -> Ragged:
    """Keep `budget` of the children, with weights that are right on average.

    Only the paths `listed` are looked at for heavy children. If there are others, none may end
    here, or have a child heavier than `least`, a weight that the survival weight is not below if
    no path ends here. Where there are as many paths as the budget allows, none of the others is
    heavier itself, so that each keeps one child at most.
    """
    n_paths = len(frontier)
    pillows = frontier.pillows(level)
    children = LevelChildren(frontier, level, None if len(listed) == n_paths else listed)
    light = np.exp(frontier.log_weights)
    number = np.full(n_paths, -1)
    number[listed] = np.arange(len(listed))
    others = float(light[number < 0].sum())
    survivors = _Survivors(children, budget, least, others)
    if least > 0.0 and children.n_dead:
        # A path ends here: the survival weight may be less, and all are looked at again.
        survivors = _Survivors(children, budget, 0.0, others)
    heavy = survivors.children
    light[listed] = children.remainders(heavy)
    n_light, total = budget - heavy.n_entries, float(light.sum())
    parents = listed[heavy.owner]
    nothing_left = total <= resampling.NO_MASS * (children.mass + others)
    if survivors.cutoff == 0.0 or n_light == 0 or nothing_left:
        return Ragged.of_owners(parents, heavy.index, heavy.log_weight, n_paths)
    place, offset = resampling.spread_points(light[pillows.groups.order], n_light, rng)
    parent = pillows.groups.order[place]
    choice = np.empty(n_light, dtype=np.int64)
    plain = number[parent] < 0
    sums, several = level.weigher.sums, parent[plain]
    if n_paths < budget and sums is not None and len(several):
        # A path may keep several children: they are `c` apart in its mass, so none comes twice.
        within = offset[plain] / np.exp(frontier.log_weights[several])
        choice[plain] = sums.rows_at(pillows.query, pillows.groups.ranks[several], within)
    else:
        (rows,) = draw_rows(level.weigher, pillows.query, pillows.groups.ranks[several], 1, rng)
        choice[plain] = frontier.variable(level).choices.ranks[rows]
    choice[~plain] = children.draw(number[parent[~plain]], offset[~plain], heavy)
    survival = np.full(n_light, np.log(total / n_light))
    parents = np.concatenate([parents, parent])
    choices = np.concatenate([heavy.index, choice])
    log_weights = np.concatenate([heavy.log_weight, survival])
    return Ragged.of_owners(parents, choices, log_weights, n_paths)


class _Survivors:
    """The children of at least the survival weight, found without listing all children.

    `cutoff` is a weight that the survival weight is known not to be below: that among the
    children seen so far. It never exceeds the one among all, so lighter children need not be
    listed.
    """

    def __init__(self, children: LevelChildren, budget: int, cutoff: float, seen: float) -> None:
        self.cutoff = cutoff
        self._budget = budget
        waiting: list[tuple[IntArray, Ragged]] = []
        n_waiting = 0
        for part in children.listed(lambda: self.cutoff, 2 * budget):
            waiting.append(part)
            n_waiting += part[1].n_entries
            seen += float(np.exp(children.log_weights[part[0]]).sum())
            if n_waiting > 2 * budget:
                waiting = [self._settle(children, waiting, seen)]
                n_waiting = 0
        _, self.children = self._settle(children, waiting, seen)

    def _settle(
        self, children: LevelChildren, waiting: list[tuple[IntArray, Ragged]], seen: float
    ) -> tuple[IntArray, Ragged]:
        """Find the survival weight among all children seen, and drop the lighter ones."""
        listed = children.gather(waiting)
        weights = np.exp(listed.log_weight)
        self.cutoff = resampling.survival_weight(weights, seen - float(weights.sum()), self._budget)
        heavy = listed.at(np.flatnonzero((weights >= self.cutoff) & (weights > 0.0)))
        return np.arange(listed.n_owners), heavy


@dataclass(frozen=True, eq=False)
class Pieces:
    """A tree cut into blocks of about equal mass, along the first choices of its paths.

    The first variable is expanded in full, and more of them while there are too few choices to
    deal out. A cut falls between two choices if there is a place near enough; otherwise a heavy
    choice is divided between neighbouring blocks, each with a part of its weight. So no block is
    much larger than the others, however few values the first variables have.

    Block `b` holds the paths from ``starts[b]`` to ``stops[b]``, as far as they lie between
    ``cuts[b]`` and ``cuts[b + 1]`` when all are laid end to end by their mass, which is one
    in all. `levels` are left to grow.
    """

    frontier: Frontier
    levels: tuple[Level, ...]
    running: FloatArray
    cuts: FloatArray
    starts: IntArray
    stops: IntArray

    def block(self, number: int) -> Frontier:
        """Return the paths of one block; a path that is cut keeps a part of its weight."""
        positions = np.arange(self.starts[number], self.stops[number])
        log_weights = self.frontier.log_weights[positions].copy()
        low, high = self.cuts[number], self.cuts[number + 1]
        for end in {0, len(positions) - 1} if len(positions) else set():
            begin, stop = self.running[positions[end]], self.running[positions[end] + 1]
            if begin < low or stop > high:
                log_weights[end] += np.log((min(stop, high) - max(begin, low)) / (stop - begin))
        return self.frontier.at(positions, log_weights)

    def rows(self, number: int, budget: int) -> int:
        """Return the part of a budget that a block is entitled to, at least one row."""
        before, after = np.rint(budget * self.cuts[[number, number + 1]])
        return max(int(after - before), 1)


def cut_tree(tree: ProbabilityTree, n_blocks: int, budget: int) -> Pieces:
    """Expand the first levels of a tree, all that fits the budget, and deal them out."""
    frontier, n_done = Frontier(tree), 0
    for level in tree.levels:
        n_children = len(frontier) * frontier.variable(level).n_choices
        enough = _is_fine(frontier, n_blocks) or n_children > min(budget, MOST_PIECES)
        if n_done and enough:
            break
        frontier.grow(level, LevelChildren(frontier, level).all())
        n_done += 1
    running = np.concatenate([[0.0], np.cumsum(np.exp(frontier.log_weights))])
    running /= max(running[-1], np.finfo(float).tiny)
    return Pieces(frontier, tree.levels[n_done:], running, *_cut(running, n_blocks))


def _is_fine(frontier: Frontier, n_blocks: int) -> bool:
    """Return whether no path weighs so much that a cut could not avoid it."""
    weights = np.exp(frontier.log_weights)
    largest, total = weights.max(initial=0.0), weights.sum()
    return bool(largest * n_blocks <= 2.0 * TOLERANCE * total)


def _cut(running: FloatArray, n_blocks: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Return where the blocks are cut, and which paths each begins and ends with."""
    if len(running) == 1:
        nothing: IntArray = np.zeros(n_blocks, dtype=np.int64)
        return np.linspace(0.0, 1.0, n_blocks + 1), nothing, nothing
    wanted = np.arange(1, n_blocks) / n_blocks
    after = np.clip(np.searchsorted(running, wanted), 1, len(running) - 1)
    nearer_before = wanted - running[after - 1] < running[after] - wanted
    nearest = np.where(nearer_before, after - 1, after)
    between = np.abs(running[nearest] - wanted) <= TOLERANCE / n_blocks
    cuts = np.concatenate([[0.0], np.where(between, running[nearest], wanted), [1.0]])
    starts = np.concatenate([[0], np.where(between, nearest, after - 1)])
    stops = np.concatenate([np.where(between, nearest, after), [len(running) - 1]])
    return cuts, starts, stops
