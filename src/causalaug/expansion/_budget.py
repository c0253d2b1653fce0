"""A fixed number of paths, thinned without bias at every level."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from causalaug._validation import check_bool, check_integer
from causalaug.expansion._children import Collector, LevelChildren, joined
from causalaug.expansion._draw import draw_rows, spread_draws
from causalaug.expansion._frontier import Children, Frontier
from causalaug.expansion._paths import Paths
from causalaug.expansion._pieces import Pieces, cut_tree
from causalaug.expansion._tree import FittedModel, Level, ProbabilityTree, describe_tree
from causalaug.typing import FloatArray, IntArray

EVEN = 1e-9
"""Logarithms of weights that differ by less are rounding."""

MOST_WEIGHED = 1 << 24
"""Entries of kernel weights from which on it pays to find out which paths need none."""

NO_MASS = 1e-13
"""A remainder of this share of the whole is rounding."""


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
    """

    rows: int | None = None
    merge_equal: bool = True

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        check_bool("merge_equal", self.merge_equal)
        if self.rows is not None:
            check_integer("rows", self.rows, at_least=1)

    def expand(self, model: FittedModel, rng: np.random.Generator) -> Paths:
        """Return the paths that were kept."""
        return self.in_blocks(model, 1).grow(0, rng)

    def most_rows(self, n_rows: int) -> int:
        """Return the number of paths to keep."""
        return 5 * n_rows if self.rows is None else int(self.rows)

    def in_blocks(self, model: FittedModel, n_blocks: int) -> "_BudgetBlocks":
        """Return the tree, cut into blocks that each keep their share of the paths.

        The share of a block is that of its mass. Weights stay right on average, and no mass
        is lost. A path may be in two blocks, its weight divided between them, if its first
        values hold so much mass that they have to be shared.
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
            frontier = _thin(frontier, budget, rng)
        return _grow(frontier, self._pieces.levels, budget, rng)

    @cached_property
    def _pieces(self) -> Pieces:
        return cut_tree(self.tree, self.n_blocks, self.budget)


def _grow(
    frontier: Frontier, levels: Sequence[Level], budget: int, rng: np.random.Generator
) -> Paths:
    """Return what becomes of the paths once they are grown through all levels."""
    for level in levels:
        frontier.grow(level, _choose(frontier, level, budget, rng))
    return frontier.paths()


def _thin(frontier: Frontier, budget: int, rng: np.random.Generator) -> Frontier:
    """Keep `budget` of the paths, with weights that are right on average."""
    weights = np.exp(frontier.log_weights)
    is_heavy = weights >= survival_weight(weights, 0.0, budget)
    heavy, light = np.flatnonzero(is_heavy), np.where(is_heavy, 0.0, weights)
    n_light = budget - len(heavy)
    if n_light == 0 or not light.any():
        return frontier.at(heavy, frontier.log_weights[heavy])
    drawn, _ = spread_draws(light, n_light, rng)
    drawn_weights = np.full(n_light, np.log(light.sum() / n_light))
    log_weights = np.concatenate([frontier.log_weights[heavy], drawn_weights])
    return frontier.at(np.concatenate([heavy, drawn]), log_weights)


def _choose(frontier: Frontier, level: Level, budget: int, rng: np.random.Generator) -> Children:
    """Return the children that the budget allows."""
    everyone = np.arange(len(frontier))
    if len(frontier) * frontier.tree.variables[level.column].choices.n_groups <= budget:
        return LevelChildren(frontier, level).all()
    if len(frontier) < budget:
        least = _least_survival(frontier, level, budget)
        listed = np.flatnonzero(np.exp(frontier.log_weights) >= least)
        return _resample(frontier, level, listed, budget, least, rng)
    lightest = float(frontier.log_weights.min())
    heavier = np.flatnonzero(frontier.log_weights > lightest + EVEN)
    if not len(heavier):
        return _draw_one_each(frontier, level, rng)
    listed = everyone if level.conditional.may_vanish else heavier
    return _resample(frontier, level, listed, budget, float(np.exp(lightest)), rng)


def _least_survival(frontier: Frontier, level: Level, budget: int) -> float:
    """Return a weight that the survival weight is not below, as far as it is cheap to know.

    It is 0 if there are so few paths that one may as well look at all their children.
    """
    pillows = frontier.pillows(level)
    n_weighed = len(pillows.numbers) * frontier.tree.n_rows
    if level.conditional.may_vanish or n_weighed <= MOST_WEIGHED:
        return 0.0
    largest = np.exp(np.minimum(level.conditional.log_heaviest_bound(pillows.query), 0.0))
    merged = float(frontier.tree.variables[level.column].choices.sizes.max()) ** 0.75
    shares = np.minimum(merged * largest, 1.0)[pillows.of(np.arange(len(frontier)))]
    return least_survival_weight(np.exp(frontier.log_weights), shares, budget)


def _draw_one_each(frontier: Frontier, level: Level, rng: np.random.Generator) -> Children:
    """Return one child of each path, which is what resampling comes to if all weigh the same.

    Then the survival weight is that of a path. No child is heavier, so none has to be
    looked for.
    """
    choice = _draw_choices(frontier, level, np.arange(len(frontier)), rng)
    parent = np.flatnonzero(choice >= 0)
    return Children(parent, choice[parent], frontier.log_weights[parent])


def _draw_choices(
    frontier: Frontier, level: Level, paths: IntArray, rng: np.random.Generator
) -> IntArray:
    """Return a choice of each of some paths, drawn by its weight; -1 where a path ends."""
    pillows = frontier.pillows(level)
    (rows,) = draw_rows(pillows.weights, pillows.of(paths), 1, rng)
    group_of_row = frontier.tree.variables[level.column].choices.group_of_row
    return np.where(rows >= 0, group_of_row[rows], -1)


def _resample(
    frontier: Frontier,
    level: Level,
    listed: IntArray,
    budget: int,
    least: float,
    rng: np.random.Generator,
) -> Children:
    """Keep `budget` of the children, with weights that are right on average.

    Only the paths `listed` are looked at for heavy children. If there are others, none may end
    here or be heavier than `least`, a weight that the survival weight is not below if no path
    ends here. So each of the others keeps one child at most.
    """
    order = frontier.pillows(level).groups.order
    is_whole = len(listed) == len(frontier)
    children = LevelChildren(frontier, level, None if is_whole else listed)
    light = np.exp(frontier.log_weights)
    number = np.full(len(frontier), -1)
    number[listed] = np.arange(len(listed))
    others = float(light[number < 0].sum())
    heavy, cutoff = _heavy_children(children, others, budget, least)
    light[listed] = children.remainders(heavy)
    n_light, total = budget - len(heavy.parent), float(light.sum())
    survivors = replace(heavy, parent=listed[heavy.parent])
    if cutoff == 0.0 or n_light == 0 or total <= NO_MASS * (children.mass + others):
        return survivors
    place, offset = spread_draws(light[order], n_light, rng)
    parent = order[place]
    choice = np.empty(n_light, dtype=np.int64)
    plain = number[parent] < 0
    choice[plain] = _draw_choices(frontier, level, parent[plain], rng)
    choice[~plain] = children.draw(number[parent[~plain]], offset[~plain], heavy)
    drawn = Children(parent, choice, np.full(n_light, np.log(total / n_light)))
    return joined([survivors, drawn])


def _heavy_children(
    children: LevelChildren, others: float, budget: int, least: float
) -> tuple[Children, float]:
    """Return the children that survive as they are, and the weight from which they do.

    `others` is the mass of paths that are not looked at. The weight found among some of the
    children never exceeds the one among all, so lighter children need not be listed. If none
    of the paths ends here, `least` is such a weight from the beginning.
    """
    survivors = _Survivors(budget, least, others)
    children.collect(survivors)
    if least > 0.0 and children.n_dead:
        survivors = _Survivors(budget, 0.0, others)
        children.collect(survivors)
    survivors.settle()
    return survivors.children, survivors.cutoff


class _Survivors(Collector):
    """Collects the children that survive as they are: those of at least the survival weight.

    The cutoff is a weight that the survival weight is known not to be below: that among the
    children seen so far.
    """

    def __init__(self, budget: int, cutoff: float, seen: float) -> None:
        self.cutoff = cutoff
        self.at_a_time = 2 * budget
        self.children = joined([])
        self._budget = budget
        self._waiting: list[Children] = []
        self._n_waiting = 0
        self._seen = seen

    def glimpse(self, masses: FloatArray, largest: FloatArray) -> None:
        self.cutoff = max(self.cutoff, least_survival_weight(masses, largest, self._budget))

    def add(self, children: Children, mass: float) -> None:
        self._waiting.append(children)
        self._n_waiting += len(children.parent)
        self._seen += mass
        if self._n_waiting > self.at_a_time:
            self.settle()

    def settle(self) -> None:
        """Find the survival weight among all children seen, and drop the lighter ones."""
        listed = joined([self.children, *self._waiting])
        weights = np.exp(listed.log_weights)
        rest = self._seen - float(weights.sum())
        self.cutoff = survival_weight(weights, rest, self._budget)
        self.children = listed.at(np.flatnonzero((weights >= self.cutoff) & (weights > 0.0)))
        self._waiting, self._n_waiting = [], 0


def least_survival_weight(masses: FloatArray, largest: FloatArray, budget: int) -> float:
    """Return a weight that the survival weight is not below, from masses of several children.

    A mass `m` of which no child is more than a share `h` adds at least ``min(m / c, 1 / h)``
    to the sum of ``min(w / c, 1)`` over the children, which has to be the budget.

    >>> round(least_survival_weight(np.array([0.5, 0.5]), np.array([0.5, 0.01]), budget=12), 6)
    0.05
    """
    survival, n_larger = np.inf, 0.0
    while n_larger < budget:
        if not len(masses):
            return 0.0
        survival = float(masses.sum()) / (budget - n_larger)
        is_larger = masses * largest >= survival
        if not is_larger.any():
            break
        n_larger += float((1.0 / largest[is_larger]).sum())
        masses, largest = masses[~is_larger], largest[~is_larger]
    return survival * (1.0 - EVEN)


def survival_weight(weights: FloatArray, rest: float, budget: int) -> float:
    """Return `c` such that ``sum(min(w / c, 1)) + rest / c = budget``; 0 if all may stay.

    `rest` is the mass of children that are all lighter than `c`.

    >>> survival_weight(np.array([0.5, 0.2, 0.1]), rest=0.2, budget=2)
    0.5
    """
    light = weights[weights > 0.0]
    if len(light) <= budget and rest <= NO_MASS * (rest + float(light.sum())):
        return 0.0
    n_larger = 0
    while True:
        survival = (max(rest, 0.0) + float(light.sum())) / (budget - n_larger)
        larger = light >= survival
        n_larger += int(larger.sum())
        if n_larger == budget:
            return float(light[larger].min())
        if not larger.any():
            return survival
        light = light[~larger]
