"""The whole tree, less the branches whose weight falls below a threshold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from causalaug._segments import blocks_by_size, concatenated_ranges, first_below
from causalaug._validation import check_at_least, check_integer
from causalaug.conditionals import Conditional
from causalaug.exceptions import TreeTooLargeError
from causalaug.expansion._paths import Paths, paths_from_stack
from causalaug.expansion._tree import describe_tree
from causalaug.expansion._trellis import TooManyNodesError, Trellis, build_trellis
from causalaug.factorization import Factor
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

BLOCK_PATHS = 1 << 15
"""Paths grown at a time: small enough for the processor's cache."""

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
        with np.errstate(divide="ignore"):
            log_threshold = float(np.log(self.threshold / table.n_rows)) - SLACK
        try:
            trellis = build_trellis(tree, log_threshold, self.max_rows)
            return _Enumeration(trellis, self.max_rows).run()
        except TooManyNodesError:
            raise self._too_large(table.n_rows) from None

    def _too_large(self, n_rows: int) -> TreeTooLargeError:
        enough = n_rows / self.max_rows
        rounded = float(np.format_float_positional(enough * 1.05, 2, fractional=False))
        return TreeTooLargeError(
            f"The tree must have at most max_rows={self.max_rows:,} rows; at "
            f"threshold={self.threshold:g} it has more. threshold={rounded:g} always fits: no "
            "more than n / threshold paths can be that heavy. Or use BudgetExpansion, which "
            "keeps a number of rows that you choose and loses no mass."
        )


class _Enumeration:
    """Walk the trellis from the root, a block of paths at a time, depth first.

    Only the row chosen at each node and the number of leaves below it are kept; the paths
    are filled in at the end, when their number is known, by repeating each node's row.
    """

    def __init__(self, trellis: Trellis, max_rows: int) -> None:
        self._levels = levels = trellis.levels
        self._log_start = trellis.log_start
        self._log_threshold = trellis.log_threshold
        self._max_rows = max_rows
        self._n_leaves = 0
        self._rows: list[list[IntArray]] = [[] for _ in levels]
        self._leaves: list[list[IntArray]] = [[] for _ in levels]
        self._log_weights: list[FloatArray] = []

    def run(self) -> Paths:
        """Return the paths."""
        self._grow(0, np.array([self._log_start]), np.zeros(1, dtype=np.int64))
        stacked = np.empty((len(self._levels), self._n_leaves), dtype=np.int32)
        for depth, level in enumerate(self._levels):
            parts, leaves = self._rows[depth], self._leaves[depth]
            self._rows[depth], self._leaves[depth] = [], []
            done = 0
            for rows, counts in zip(parts, leaves, strict=True):
                filled = np.repeat(rows, counts)
                stacked[level.column, done : done + len(filled)] = filled
                done += len(filled)
        log_weights = np.concatenate(self._log_weights) if self._log_weights else np.empty(0)
        return paths_from_stack(stacked, log_weights)

    def _grow(self, depth: int, log_weights: FloatArray, context: IntArray) -> IntArray:
        """Grow the subtrees of some nodes; return the number of leaves below each."""
        if depth == len(self._levels):
            return self._end(log_weights)
        level = self._levels[depth]
        starts = level.starts[context]
        floor = self._log_threshold - log_weights - level.bonus[context]
        counts = first_below(level.reach, starts, level.stops[context], floor) - starts
        leaves = np.zeros(len(context), dtype=np.int64)
        for block in blocks_by_size(counts, BLOCK_PATHS):
            n_children = counts[block]
            choice = concatenated_ranges(starts[block], n_children)
            child_weights = np.repeat(log_weights[block], n_children)
            child_weights += level.log_weights[choice]
            if level.child_of_choice:
                child = level.child[choice]
            else:
                child = np.repeat(level.child[context[block]], n_children)
            self._rows[depth].append(level.rows[choice])
            below = self._grow(depth + 1, child_weights, child)
            self._leaves[depth].append(below)
            owner = np.repeat(np.arange(len(n_children)), n_children)
            leaves[block] = np.bincount(owner, weights=below, minlength=len(n_children))
        return leaves

    def _end(self, log_weights: FloatArray) -> IntArray:
        self._n_leaves += len(log_weights)
        if self._n_leaves > self._max_rows:
            raise TooManyNodesError
        self._log_weights.append(log_weights)
        return np.ones(len(log_weights), dtype=np.int64)
