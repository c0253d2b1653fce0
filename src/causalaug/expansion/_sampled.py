"""Independent draws from the tree."""

from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

import numpy as np

from causalaug._validation import check_integer
from causalaug.expansion._base import FittedModel, Paths
from causalaug.expansion._children import draw_levels
from causalaug.expansion._frontier import Frontier, ProbabilityTree, describe_tree


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
    max_rows : int, default=50_000_000
        Refuse to make more rows at once. Where blocks are written to files, one after the other, a
        block of more rows is refused.
    """

    rows: int | None = None
    max_rows: int = 50_000_000
    seconds_per_cell: ClassVar[float] = 6e-7

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        if self.rows is not None:
            check_integer("rows", self.rows, at_least=1)
        check_integer("max_rows", self.max_rows, at_least=1)

    def expand(self, model: FittedModel, rng: np.random.Generator) -> Paths:
        """Return the paths drawn."""
        return self.in_blocks(model, 1).grow(0, rng)

    def most_rows(self, n_rows: int) -> int:
        """Return the number of draws."""
        return 5 * n_rows if self.rows is None else int(self.rows)

    def in_blocks(self, model: FittedModel, n_blocks: int) -> "_SampledBlocks":
        """Return the tree, from which each block draws its part of the paths.

        All blocks draw from the whole tree, so that their draws are independent as well.
        """
        tree = describe_tree(model, merge_equal=False)
        return _SampledBlocks(tree, self.most_rows(model.table.n_rows), n_blocks)


@dataclass(frozen=True, eq=False)
class _SampledBlocks:
    """A tree with the number of paths that all blocks together draw."""

    tree: ProbabilityTree
    n_paths: int
    n_blocks: int

    def grow(self, block: int, rng: np.random.Generator) -> Paths:
        """Return the paths that one block draws."""
        start, stop = (self.n_paths * each // self.n_blocks for each in (block, block + 1))
        frontier = Frontier(self.tree, np.full(stop - start, -np.log(self.n_paths)))
        for _, levels in groupby(self.tree.levels, key=lambda level: id(level.weigher)):
            draw_levels(frontier, list(levels), rng)
        return frontier.paths()
