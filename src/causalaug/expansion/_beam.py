"""The heaviest paths, a fixed number of them at every level."""

from dataclasses import dataclass

import numpy as np

from causalaug._validation import check_bool, check_integer
from causalaug.expansion._children import Collector, LevelChildren, joined
from causalaug.expansion._frontier import Children, Frontier
from causalaug.expansion._paths import Paths
from causalaug.expansion._tree import FittedModel, describe_tree


@dataclass(frozen=True)
class BeamExpansion:
    """Keep the heaviest paths, level by level: beam search.

    What is dropped is lost, and reported as dropped mass. A path may be dropped early
    although it would have been among the heaviest at the end. Of equal weights the one met
    first stays.

    Parameters
    ----------
    width : int
        The number of paths to keep at each level.
    merge_equal : bool, default=True
        Whether equal values of a variable are one branch, whose weight is the sum.
    """

    width: int
    merge_equal: bool = True

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        check_integer("width", self.width, at_least=1)
        check_bool("merge_equal", self.merge_equal)

    def expand(self, model: FittedModel, rng: np.random.Generator) -> Paths:
        """Return the paths that were kept; nothing here is random."""
        tree = describe_tree(model, merge_equal=self.merge_equal)
        frontier = Frontier(tree)
        for level in tree.levels:
            children = LevelChildren(frontier, level)
            fits = len(frontier) * children.n_choices <= self.width
            if fits:
                frontier.grow(level, children.all())
                continue
            heaviest = _Heaviest(self.width)
            children.collect(heaviest)
            frontier.grow(level, heaviest.children)
        return frontier.paths()


class _Heaviest(Collector):
    """Collects the heaviest children, at most `width` of them."""

    def __init__(self, width: int) -> None:
        self.cutoff = 0.0
        self.at_a_time = 2 * width
        self._width = width
        self.children = joined([])

    def add(self, children: Children, mass: float) -> None:
        listed = joined([self.children, children])
        if len(listed.parent) > self._width:
            order = np.argsort(-listed.log_weights, kind="stable")[: self._width]
            listed = listed.at(np.sort(order))
            self.cutoff = float(np.exp(listed.log_weights.min()))
        self.children = listed
