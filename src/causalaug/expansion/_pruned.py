"""The whole tree, less the branches whose weight falls below a threshold: Algorithm 1.

`fill_tree` is the text of the paper's FillProbTree, a plain loop. `PrunedExpansion` gives the same
paths by way of a trellis, which paths of equal future share: at low thresholds that is three to six
times faster than growing level by level, and it fits where levels have too many nodes.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causalaug._ragged import Ragged
from causalaug._validation import check_at_least, check_bool, check_integer
from causalaug.conditionals import FittedConditional
from causalaug.exceptions import TreeTooLargeError
from causalaug.expansion._base import FittedModel, Paths
from causalaug.expansion._children import LevelChildren
from causalaug.expansion._enumeration import enumerate_paths
from causalaug.expansion._frontier import Frontier, ProbabilityTree, describe_tree
from causalaug.expansion._trellis import TooManyNodesError, build_trellis
from causalaug.factorization import Factor
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

THRESHOLD_SLACK = 1e-11
"""Weights that differ from the threshold by this little, relatively, are kept: rounding must not
decide. The one such constant, for every way to prune."""

LISTED_AT_A_TIME = 1 << 20
"""Children listed at a time where values are shifted."""


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
    seconds_per_cell: ClassVar[float] = 1e-7

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
        return _PrunedBlocks(self, describe_tree(model, merge_equal=self.merge_equal), n_blocks)

    def too_large(self, n_rows: int, found: str = "more") -> TreeTooLargeError:
        """Return the error that there are more paths than allowed, and what to do."""
        enough = n_rows / self.max_rows
        rounded = float(np.format_float_positional(enough * 1.05, 2, fractional=False))
        return TreeTooLargeError(
            f"The tree must have at most max_rows={self.max_rows:,} rows; at "
            f"threshold={self.threshold:g} it has {found}. Use BudgetExpansion, which keeps a "
            f"number of rows that you choose and loses no mass. Or try threshold={rounded:g}, "
            "which always fits, since no more than n / threshold paths can be that heavy; see "
            "`dropped_mass` for what it loses. Raise max_rows if there is memory; more rows than "
            "memory are made block by block by `causalaug.engine.augment_to_parquet`."
        )


@dataclass(frozen=True)
class Node:
    """A node of the probability tree: the choice of a row for one variable, given those before.

    `row` is the observed row that lends the value, the first of those that lend the same.
    `values` are all values chosen so far, by column number. `parent` is the number of the node
    that it grows from, -1 at the root.
    """

    parent: int
    depth: int
    row: int
    values: dict[int, float]
    edge_weight: float
    weight: float
    is_kept: bool


def fill_tree(
    model: FittedModel, threshold: float, *, merge_equal: bool = True, max_nodes: int = 100_000
) -> list[Node]:
    """Return all nodes of the probability tree, level by level: Algorithm 1, line by line.

    Nodes that are not kept end there. The lines are those of FillProbTree in the paper, whose
    ``theta`` is ``threshold / n``; it prunes when a node is grown from, we do as soon as its
    weight is known, so that leaves are pruned as well.

    Examples
    --------
    >>> import pandas as pd
    >>> from causalaug import fit_model
    >>> days = pd.DataFrame({"sun": [True, True, False], "ice": [9.0, 7.0, 2.0]})
    >>> nodes = fill_tree(fit_model(days, "sun -> ice"), threshold=1.1)
    >>> [(node.depth, node.row, round(node.weight, 2), node.is_kept) for node in nodes]
    [(0, 2, 0.33, False), (0, 0, 0.67, True), (1, 1, 0.33, False), (1, 0, 0.33, False)]
    """
    table = model.table
    theta = threshold / table.n_rows * (1.0 - THRESHOLD_SLACK)
    nodes: list[Node] = []
    growing = [Node(-1, -1, -1, {}, 1.0, 1.0, is_kept=True)]
    numbers = [-1]
    for depth, (factor, fitted) in enumerate(zip(model.factors, model.fitted, strict=True)):  # 2
        found = len(nodes)
        for number, node in zip(numbers, growing, strict=True):  # line 3: the current node
            for row, value, edge_weight in _edges(table, factor, fitted, node, merge_equal):  # 4
                weight = edge_weight * node.weight  # line 6, a factor of Eq. (3)
                is_kept = weight > 0.0 and weight >= theta  # line 5: pruning
                values = node.values | {table.index(factor.target): value}
                nodes.append(Node(number, depth, row, values, edge_weight, weight, is_kept))
            if len(nodes) > max_nodes:
                raise TooManyNodesError
        numbers = [number for number in range(found, len(nodes)) if nodes[number].is_kept]
        growing = [nodes[number] for number in numbers]
    return nodes  # line 7; the leaves are the kept nodes of the last level


def _edges(
    table: Table, factor: Factor, fitted: FittedConditional, node: Node, merge_equal: bool
) -> list[tuple[int, float, float]]:
    """Return the row, the value and the weight of each choice that continues a node.

    Choices on which the conditional vanishes continue nothing.
    """
    query = np.array([node.values[table.index(name)] for name in factor.pillow]).reshape(1, -1)
    weights = np.exp(fitted.weigher.log_weights(query)[0])
    rows = np.arange(table.n_rows) if fitted.rows is None else fitted.rows
    if fitted.shift is None:
        lent = table.values[rows, table.index(factor.target)]
    else:
        lent = fitted.shift.values(query, np.zeros_like(rows), np.arange(len(rows)))
    if not merge_equal:
        return _of_some_weight(rows, lent, weights)
    # Moved values are told apart by what is moved: two may be equal only because both were clipped.
    marks = lent if fitted.shift is None else fitted.shift.marks
    _, first_rows, codes = np.unique(marks, return_index=True, return_inverse=True)
    sums = np.bincount(codes, weights).astype(np.float64)
    return _of_some_weight(rows[first_rows], lent[first_rows], sums)


def _of_some_weight(
    rows: IntArray, values: FloatArray, weights: FloatArray
) -> list[tuple[int, float, float]]:
    some = weights > 0.0
    columns = (rows[some].tolist(), values[some].tolist(), weights[some].tolist())
    return list(zip(*columns, strict=True))


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
            log_threshold = float(np.log(threshold / tree.n_rows)) - THRESHOLD_SLACK
        vanishes = any(level.weigher.may_vanish for level in tree.levels)
        if threshold == 0.0 and not vanishes and tree.n_choices > max_rows:
            raise TooManyNodesError
        return enumerate_paths(build_trellis(tree, log_threshold, max_rows), max_rows)

    def _grow_by_level(self, tree: ProbabilityTree) -> Paths:
        """Return the same paths where values depend on the path: no two share a future."""
        frontier = Frontier(tree)
        least = self.expansion.threshold / tree.n_rows * (1.0 - THRESHOLD_SLACK)
        for level in tree.levels:
            children = self._at_least(LevelChildren(frontier, level), least)
            frontier.grow(level, tree.only_open(level, children))
        return frontier.paths()

    def _at_least(self, children: LevelChildren, least: float) -> Ragged:
        """Return all children of at least a given weight, unless there are too many."""
        parts, room = [], self.expansion.max_rows
        log_cut = -float(np.log(least)) if least > 0.0 else np.inf
        for part in children.listed(lambda: least, LISTED_AT_A_TIME, log_cut):
            room -= part[1].n_entries
            if room < 0:
                raise TooManyNodesError
            parts.append(part)
        return children.gather(parts)
