"""The probability tree of a tiny table, branch by branch, as it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causalaug.exceptions import TreeTooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from causalaug.conditionals import Conditional, FittedConditional
    from causalaug.factorization import Factor
    from causalaug.table import Table
    from causalaug.typing import FloatArray

SLACK = 1e-12
"""Weights that differ from the threshold by this little, relatively, are kept."""


@dataclass(frozen=True)
class Branch:
    """One choice: a value for the variable of its level.

    `row` is the observed row that lends the value, the first of those that hold the same.
    `values` are all values chosen so far, by column number. `parent` is the number of the
    branch that it grows from, -1 at the root.
    """

    parent: int
    level: int
    row: int
    values: dict[int, float]
    edge_weight: float
    weight: float
    kept: bool


def grow_branches(
    table: Table,
    factors: Sequence[Factor],
    conditional: Conditional,
    *,
    threshold: float,
    merge_equal: bool,
    max_branches: int,
) -> tuple[Branch, ...]:
    """Return all branches of the tree, level by level; those that are not kept end there."""
    fitted = conditional.fit(table, factors)
    least = threshold / table.n_rows * (1.0 - SLACK)
    branches: list[Branch] = []
    growing: list[tuple[int, dict[int, float], float]] = [(-1, {}, 1.0)]
    for level, (factor, each) in enumerate(zip(factors, fitted, strict=True)):
        found = len(branches)
        for parent, values, weight in growing:
            for choice in _choices(table, factor, each, values, merge_equal=merge_equal):
                row, value, edge_weight = choice
                below = values | {table.index(factor.target): value}
                now = weight * edge_weight
                kept = edge_weight > 0.0 and now >= least
                branches.append(Branch(parent, level, row, below, edge_weight, now, kept))
            _check_size(len(branches), max_branches, table.n_rows)
        growing = [
            (number, branch.values, branch.weight)
            for number, branch in enumerate(branches[found:], found)
            if branch.kept
        ]
    return tuple(branches)


def _choices(
    table: Table,
    factor: Factor,
    fitted: FittedConditional,
    values: dict[int, float],
    *,
    merge_equal: bool,
) -> Iterator[tuple[int, float, float]]:
    """Yield the row, the value and the weight of each choice, given the values before it."""
    query = np.array([[values[table.index(name)] for name in factor.pillow]])
    weights = _row_weights(fitted, query.reshape(1, -1), table.n_rows)
    rows = np.arange(table.n_rows)
    if fitted.shift is None:
        lent = table.values[:, table.index(factor.target)]
    else:
        lent = fitted.shift.values(query.reshape(1, -1), np.zeros_like(rows), rows)
    for row in rows:
        same = lent == lent[row] if merge_equal else rows == row
        if row == np.flatnonzero(same)[0]:
            yield int(row), float(lent[row]), float(weights[same].sum())


def _row_weights(fitted: FittedConditional, query: FloatArray, n_rows: int) -> FloatArray:
    """Return the weight of every observed row, given the values of the pillow."""
    weights = np.zeros(n_rows)
    for block in fitted.weigher.weigh(query, log_cut=np.inf):
        weights[block.rows] = np.exp(block.log_weights)
    return weights


def _check_size(n_branches: int, max_branches: int, n_rows: int) -> None:
    if n_branches > max_branches:
        raise TreeTooLargeError(
            f"A tree must have at most max_branches={max_branches} branches to be drawn; that "
            f"of these {n_rows} rows has more. Draw it for a few rows, `frame.head(3)`, or for "
            "a graph of fewer variables."
        )


def heights(branches: Sequence[Branch]) -> FloatArray:
    """Return where to draw each branch: the ends one below another, the others between.

    >>> stem = Branch(-1, 0, 0, {}, 1.0, 1.0, kept=True)
    >>> twigs = [Branch(0, 1, row, {}, 0.5, 0.5, kept=True) for row in (0, 1)]
    >>> heights([stem, *twigs])
    array([0.5, 0. , 1. ])
    """
    children: dict[int, list[int]] = {}
    for number, branch in enumerate(branches):
        children.setdefault(branch.parent, []).append(number)
    height = np.zeros(len(branches))
    n_ends = 0
    waiting = children.get(-1, [])[::-1]
    while waiting:
        number = waiting.pop()
        waiting += children.get(number, [])[::-1]
        if number not in children:
            height[number] = n_ends
            n_ends += 1
    for number in reversed(range(len(branches))):
        if number in children:
            height[number] = height[children[number]].mean()
    return height
