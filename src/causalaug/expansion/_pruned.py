"""The whole tree, less the branches whose weight falls below a threshold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from causalaug._validation import check_at_least, check_bool, check_integer
from causalaug.conditionals import Conditional
from causalaug.exceptions import TreeTooLargeError
from causalaug.expansion._children import LevelChildren, joined
from causalaug.expansion._enumeration import enumerate_paths
from causalaug.expansion._frontier import Children, Frontier
from causalaug.expansion._paths import Paths
from causalaug.expansion._tree import ProbabilityTree, describe_tree
from causalaug.expansion._trellis import TooManyNodesError, build_trellis
from causalaug.factorization import Factor
from causalaug.table import Table

SLACK = 1e-12
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
        Refuse a tree of more rows.
    """

    threshold: float = 1e-3
    merge_equal: bool = True
    max_rows: int = 10_000_000

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        check_at_least("threshold", self.threshold, 0.0)
        check_bool("merge_equal", self.merge_equal)
        check_integer("max_rows", self.max_rows, at_least=1)

    def expand(
        self,
        table: Table,
        factors: Sequence[Factor],
        conditional: Conditional,
        rng: np.random.Generator,
    ) -> Paths:
        """Return all paths at or above the threshold; nothing here is random."""
        tree = describe_tree(table, factors, conditional, merge_equal=self.merge_equal)
        if not tree.is_finite:
            return self._grow_by_level(tree)
        with np.errstate(divide="ignore"):
            log_threshold = float(np.log(self.threshold / table.n_rows)) - SLACK
        vanishes = any(level.conditional.may_vanish for level in tree.levels)
        if self.threshold == 0.0 and not vanishes and tree.n_choices > self.max_rows:
            raise self._too_large(table.n_rows)
        try:
            trellis = build_trellis(tree, log_threshold, self.max_rows)
            return enumerate_paths(trellis, self.max_rows)
        except TooManyNodesError:
            raise self._too_large(table.n_rows) from None

    def _grow_by_level(self, tree: ProbabilityTree) -> Paths:
        """Return the same paths where values depend on the path: no two share a future."""
        frontier = Frontier(tree)
        least = self.threshold / tree.n_rows * (1.0 - SLACK)
        for level in tree.levels:
            found = _AtLeast(least, self.max_rows)
            try:
                LevelChildren(frontier, level).collect_exactly(found)
            except TooManyNodesError:
                raise self._too_large(tree.n_rows) from None
            frontier.grow(level, joined(found.parts))
        return frontier.paths()

    def _too_large(self, n_rows: int) -> TreeTooLargeError:
        enough = n_rows / self.max_rows
        rounded = float(np.format_float_positional(enough * 1.05, 2, fractional=False))
        return TreeTooLargeError(
            f"The tree must have at most max_rows={self.max_rows:,} rows; at "
            f"threshold={self.threshold:g} it has more. Use BudgetExpansion, which keeps a "
            f"number of rows that you choose and loses no mass. Or try threshold={rounded:g}, "
            "which always fits, since no more than n / threshold paths can be that heavy; see "
            "`dropped_mass` for what it loses."
        )


class _AtLeast:
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
