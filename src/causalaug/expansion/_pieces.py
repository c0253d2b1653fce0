"""A tree cut into blocks of about equal mass, along the first choices of its paths.

The first variable is expanded in full, and more of them while there are too few choices to
share out. A cut falls between two choices if there is a place near enough; otherwise a heavy
choice is shared by neighbouring blocks, each with a part of its weight. So no block is much
larger than the others, however few values the first variables have.
"""

from dataclasses import dataclass

import numpy as np

from causalaug.expansion._children import LevelChildren
from causalaug.expansion._frontier import Frontier
from causalaug.expansion._tree import Level, ProbabilityTree
from causalaug.typing import FloatArray, IntArray

MOST_PIECES = 1 << 20
"""First choices of more than one variable are listed up to this number."""

TOLERANCE = 0.1
"""How far a cut may be moved to fall between two choices, as a share of a block."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Short paths that are shared out among blocks, and the levels that are left to grow.

    Block `b` holds the paths from ``starts[b]`` to ``stops[b]``, as far as they lie between
    ``cuts[b]`` and ``cuts[b + 1]`` when all are laid end to end by their mass, which is one
    in all.
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
            first, last = self.running[positions[end]], self.running[positions[end] + 1]
            if first < low or last > high:
                share = (min(last, high) - max(first, low)) / (last - first)
                log_weights[end] += np.log(share)
        return self.frontier.at(positions, log_weights)

    def rows(self, number: int, budget: int) -> int:
        """Return the share of a budget that a block is entitled to, at least one row."""
        before, after = np.rint(budget * self.cuts[[number, number + 1]])
        return max(int(after - before), 1)


def cut_tree(tree: ProbabilityTree, n_blocks: int, budget: int) -> Pieces:
    """Expand the first levels of a tree, all that fits the budget, and share them out."""
    frontier, n_done = Frontier(tree), 0
    for level in tree.levels:
        children = LevelChildren(frontier, level)
        n_children = len(frontier) * children.n_choices
        enough = _is_fine(frontier, n_blocks) or n_children > min(budget, MOST_PIECES)
        if n_done and enough:
            break
        frontier.grow(level, children.all())
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
