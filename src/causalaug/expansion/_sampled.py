"""Independent draws from the tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from causalaug._validation import check_integer
from causalaug.conditionals import Conditional
from causalaug.expansion._draw import draw_rows
from causalaug.expansion._frontier import Children, Frontier
from causalaug.expansion._paths import Paths
from causalaug.expansion._tree import Level, describe_tree
from causalaug.factorization import Factor
from causalaug.table import Table


@dataclass(frozen=True)
class SampledExpansion:
    """Draw paths independently, each variable given what was drawn before.

    Every path weighs the same. The weights of equal paths add up to an unbiased estimate of
    their weight in the full tree, with the usual error of sampling; `BudgetExpansion`
    spends the same number of rows with less of it.

    Parameters
    ----------
    rows : int, optional
        The number of draws; by default five times the number of observed rows. Draws that
        end where a conditional vanishes on all rows are lost, and counted as dropped mass.
    """

    rows: int | None = None

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        if self.rows is not None:
            check_integer("rows", self.rows, at_least=1)

    def expand(
        self,
        table: Table,
        factors: Sequence[Factor],
        conditional: Conditional,
        rng: np.random.Generator,
    ) -> Paths:
        """Return the paths drawn."""
        tree = describe_tree(table, factors, conditional, merge_equal=False)
        n_paths = 5 * table.n_rows if self.rows is None else int(self.rows)
        frontier = Frontier(tree, np.full(n_paths, -np.log(n_paths)))
        for _, levels in groupby(tree.levels, key=lambda level: id(level.conditional)):
            _draw_levels(frontier, list(levels), rng)
        return frontier.paths()


def _draw_levels(frontier: Frontier, levels: list[Level], rng: np.random.Generator) -> None:
    """Draw the variables of levels that share their conditional, hence their pillow."""
    groups, query = frontier.group_pillows(levels[0])
    rows = draw_rows(levels[0].conditional, query, groups.ranks, len(levels), rng)
    alive = np.flatnonzero(rows[0] >= 0)
    for level, row in zip(levels, rows[:, alive], strict=True):
        parent = alive if level is levels[0] else np.arange(len(alive))
        frontier.grow(level, Children(parent, row, frontier.log_weights[parent]))
