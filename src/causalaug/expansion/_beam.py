"""The heaviest paths, a fixed number of them at every level."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causalaug._ragged import Ragged
from causalaug._validation import check_bool, check_integer
from causalaug.expansion._base import FittedModel, Paths
from causalaug.expansion._children import LevelChildren
from causalaug.expansion._frontier import Frontier, describe_tree


@dataclass(frozen=True)
class BeamExpansion:
    """Keep the heaviest paths, level by level: beam search.

    What is dropped is lost, and reported as dropped mass. A path may be dropped early
    although it would have been among the heaviest at the end. Of equal weights the one
    whose path comes first stays.

    Parameters
    ----------
    width : int
        The number of paths to keep at each level.
    merge_equal : bool, default=True
        Whether equal values of a variable are one branch, whose weight is the sum.
    max_rows : int, default=50_000_000
        Refuse to make more rows at once. Where blocks are written to files, one after the other, a
        block of more rows is refused.
    """

    width: int
    merge_equal: bool = True
    max_rows: int = 50_000_000
    seconds_per_cell: ClassVar[float] = 1.2e-6

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        check_integer("width", self.width, at_least=1)
        check_bool("merge_equal", self.merge_equal)
        check_integer("max_rows", self.max_rows, at_least=1)

    def expand(self, model: FittedModel, rng: np.random.Generator) -> Paths:
        """Return the paths that were kept; nothing here is random."""
        tree = describe_tree(model, merge_equal=self.merge_equal)
        frontier = Frontier(tree)
        for level in tree.levels:
            children = LevelChildren(frontier, level)
            if len(frontier) * frontier.variable(level).n_choices <= self.width:
                frontier.grow(level, children.all())
            else:
                frontier.grow(level, _heaviest(children, self.width))
        return frontier.paths()

    def most_rows(self, n_rows: int) -> int:
        """Return the number of paths to keep."""
        return int(self.width)


def _heaviest(children: LevelChildren, width: int) -> Ragged:
    """Return the heaviest children, at most `width` of them."""
    kept = children.gather([])
    cutoff = 0.0
    # The cutoff rises while children are listed, so it is looked up late on purpose.
    for part in children.listed(lambda: cutoff, 2 * width):  # noqa: B023
        kept = children.gather([(np.arange(kept.n_owners), kept), part])
        if kept.n_entries > width:
            order = np.argsort(-kept.log_weight, kind="stable")[:width]
            kept = kept.at(np.sort(order))
            cutoff = float(np.exp(kept.log_weight.min()))
    return kept
