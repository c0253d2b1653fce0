"""The whole tree, less the branches whose weight falls below a threshold."""

from dataclasses import dataclass

import numpy as np

from causalaug._validation import check_at_least, check_bool, check_integer
from causalaug.exceptions import TreeTooLargeError
from causalaug.expansion._children import Collector, LevelChildren, joined
from causalaug.expansion._enumeration import enumerate_paths
from causalaug.expansion._frontier import Children, Frontier
from causalaug.expansion._paths import Paths
from causalaug.expansion._tree import FittedModel, ProbabilityTree, describe_tree
from causalaug.expansion._trellis import TooManyNodesError, build_trellis

SLACK = 1e-11
"""Weights that differ from the threshold by this little, relatively, are kept."""


@dataclass(frozen=True)
class PrunedExpansion:
    """Keep every path of at least a given weight: Algorithm 1 of the paper, exactly.

    A path is dropped as soon as its weight falls below ``threshold / n``, leaves included.
    Weights only shrink along a path, so the result is every path whose final weight is at
    least that, in whatever order the variables are processed.

    Parameters
    ----------
    threshold : float, default=1e-3
        ``theta * n`` in the paper. 0 keeps all paths.
    merge_equal : bool, default=True
        Whether equal values of a variable are one branch, whose weight is the sum, before
        pruning. False is Algorithm 1 to the letter: every row is a branch, so that ties
        dilute weights below the threshold.
    max_rows : int, default=10_000_000
        Refuse a tree of more rows. Where blocks are written to files, one after the other, a
        block of more rows is refused.
    """

    threshold: float = 1e-3
    merge_equal: bool = True
    max_rows: int = 10_000_000

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        check_at_least("threshold", self.threshold, 0.0)
        check_bool("merge_equal", self.merge_equal)
        check_integer("max_rows", self.max_rows, at_least=1)

    def expand(self, model: FittedModel, rng: np.random.Generator) -> Paths:
        """Return all paths at or above the threshold; nothing here is random."""
        return self.in_blocks(model, 1).grow(0, rng)

    def most_rows(self, n_rows: int) -> int:
        """Return how many paths can be at or above the threshold, or are allowed."""
        if self.threshold * self.max_rows <= n_rows:
            return self.max_rows
        return int(n_rows / self.threshold)

    def in_blocks(self, model: FittedModel, n_blocks: int) -> "_PrunedBlocks":
        """Return the tree, cut into blocks by the choices of the variable processed first.

        A path is in exactly one block. Each may have `max_rows` paths at most.
        """
        tree = describe_tree(model, merge_equal=self.merge_equal)
        return _PrunedBlocks(self, tree, n_blocks)

    def too_large(self, n_rows: int) -> TreeTooLargeError:
        """Return the error that there are more paths than allowed, and what to do."""
        enough = n_rows / self.max_rows
        rounded = float(np.format_float_positional(enough * 1.05, 2, fractional=False))
        return TreeTooLargeError(
            f"The tree must have at most max_rows={self.max_rows:,} rows; at "
            f"threshold={self.threshold:g} it has more. Use BudgetExpansion, which keeps a "
            f"number of rows that you choose and loses no mass. Or try threshold={rounded:g}, "
            "which always fits, since no more than n / threshold paths can be that heavy; see "
            "`dropped_mass` for what it loses."
        )


@dataclass(frozen=True, eq=False)
class _PrunedBlocks:
    """A tree with the threshold that its paths have to reach."""

    expansion: PrunedExpansion
    tree: ProbabilityTree
    n_blocks: int

    def grow(self, block: int, rng: np.random.Generator) -> Paths:
        """Return the paths of one block."""
        tree = self.tree.restricted(block, self.n_blocks)
        try:
            return self._fold(tree) if tree.is_finite else self._grow_by_level(tree)
        except TooManyNodesError:
            raise self.expansion.too_large(tree.n_rows) from None

    def _fold(self, tree: ProbabilityTree) -> Paths:
        """Return the paths by way of a trellis, which paths of equal future share."""
        threshold, max_rows = self.expansion.threshold, self.expansion.max_rows
        with np.errstate(divide="ignore"):
            log_threshold = float(np.log(threshold / tree.n_rows)) - SLACK
        vanishes = any(level.conditional.may_vanish for level in tree.levels)
        if threshold == 0.0 and not vanishes and tree.n_choices > max_rows:
            raise TooManyNodesError
        return enumerate_paths(build_trellis(tree, log_threshold, max_rows), max_rows)

    def _grow_by_level(self, tree: ProbabilityTree) -> Paths:
        """Return the same paths where values depend on the path: no two share a future."""
        frontier = Frontier(tree)
        least = self.expansion.threshold / tree.n_rows * (1.0 - SLACK)
        for level in tree.levels:
            found = _AtLeast(least, self.expansion.max_rows)
            LevelChildren(frontier, level).collect_exactly(found)
            children = joined(found.parts)
            if level is tree.levels[0]:
                children = children.at(tree.first_choices(children.choice))
            frontier.grow(level, children)
        return frontier.paths()


class _AtLeast(Collector):
    """Collects all children of at least a given weight, unless there are too many."""

    at_a_time = 1 << 20

    def __init__(self, least: float, most: int) -> None:
        self.cutoff = least
        self.parts: list[Children] = []
        self._room = most

    def add(self, children: Children, mass: float) -> None:
        self._room -= len(children.parent)
        if self._room < 0:
            raise TooManyNodesError
        self.parts.append(children)
