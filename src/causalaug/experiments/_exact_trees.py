"""The trees that XGBoost's exact method grows, to the bit, compiled for small tables.

XGBoost looks up the node of every cell, for every column, at every level. Here the rows of a
node lie side by side in the order of every column, so that a level is one pass through memory,
and a split is weighed in XGBoost's own arithmetic only where a bound says that it may win.

Equal to the bit means the same choice between splits that differ by rounding alone. There are
many where rows are copies with tiny weights, so rounding follows XGBoost everywhere: gradients,
gains and leaves have 32 bits, sums have 64 and run in its order.

A row's gradient is its residual times its weight. The sum of some weights is called their mass;
XGBoost calls it the hessian.

This module needs numba; `causalaug.experiments._fits` imports it where there is one.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import config, njit
from numpy.typing import NDArray
from scipy import sparse

from causalaug.typing import BoolArray, FloatArray, IntArray

SingleArray: TypeAlias = NDArray[np.float32]
"""Values in the precision that XGBoost keeps them in."""

LEARNING_RATE = np.float32(0.3)
"""The part of a leaf's value that is added to the prediction: XGBoost's default."""

LEAST_WEIGHT = 1.0
"""The weight that each side of a split must have: XGBoost's default."""

LEAST_GAIN = np.float32(1e-6)
"""A split must gain more than this."""

SLACK = 1.0 - 1e-6
"""Rounding to 32 bits moves what both sides of a split score by less than a millionth of it."""

HALF = np.float32(0.5)
"""A cut lies in the middle of two values."""

RANK_BITS = 32
"""How far up the rank lies in a cell."""

ROW_BITS = (1 << RANK_BITS) - 1
"""Where the number of the row lies in a cell."""

IS_COMPILED = not getattr(config, "DISABLE_JIT", 0)
"""Numba can be told to leave everything as it is, which takes a thousand times as long."""


class SortedRows(NamedTuple):
    """Rows in the order of each column.

    Parameters
    ----------
    cells : array of shape (n_columns + 1, n_rows)
        In each line the rows by ascending value of a column; in the last one as they come.
        The upper 32 bits hold the rank of the value, the lower 32 the number of the row.
    values : array of shape (n_columns, n_rows)
        The distinct values of each column, ascending; as many as there are, then zeros.
    """

    cells: IntArray
    values: SingleArray


class Tree(NamedTuple):
    """Room for a tree, node by node; children come after their parents.

    Parameters
    ----------
    column : array of shape (n_nodes,)
        What the node splits on; -1 in a leaf.
    cut : array of shape (n_nodes,)
        Rows with a smaller value go to the first child.
    child : array of shape (n_nodes,)
        The first child; the second one follows it.
    value : array of shape (n_nodes,)
        What a leaf adds to the prediction.
    start, stop : arrays of shape (n_nodes,)
        Where the rows of the node lie in each line of the cells.
    """

    column: IntArray
    cut: SingleArray
    child: IntArray
    value: SingleArray
    start: IntArray
    stop: IntArray


def predict_stages(
    features: FloatArray,
    target: FloatArray,
    weight: FloatArray,
    rounds: Sequence[int],
    asked: FloatArray,
    *,
    reg_lambda: float,
    base_score: float,
    max_depth: int,
) -> SingleArray:
    """Return what is predicted for the rows `asked` after each number of rounds.

    Shapes: features (n_rows, n_columns), target and weight (n_rows,), asked (n_asked,
    n_columns), result (n_stages, n_asked). Nothing is checked: values must be finite, weights
    not negative, rounds positive.

    >>> x = np.arange(6.0)[:, np.newaxis]
    >>> settings = {"reg_lambda": 1.0, "base_score": 0.5, "max_depth": 2}
    >>> predict_stages(x, x[:, 0], np.ones(6), (1, 100), x[[0, 5]], **settings).round(2)
    array([[0.42, 1.22],
           [0.  , 5.  ]], dtype=float32)
    """
    stages: SingleArray = _boost(
        sort_rows(features.astype(np.float32)),
        target.astype(np.float32),
        weight.astype(np.float32),
        np.asarray(rounds, dtype=np.int64),
        np.ascontiguousarray(asked, dtype=np.float32),
        float(np.float32(reg_lambda)),
        np.float32(base_score),
        max_depth,
    )
    return stages


def sort_rows(features: SingleArray) -> SortedRows:
    """Return the rows by the values of each column.

    Rows of equal value come as the sort of C++ leaves them. XGBoost calls it, and so do scipy's
    sparse matrices; as it asks nothing but which of two is less, ranks may stand for values.
    """
    n_rows, n_columns = features.shape
    values = np.zeros((n_columns, n_rows), dtype=np.float32)
    ranks = np.empty((n_columns, n_rows), dtype=np.int32)
    for column in range(n_columns):
        distinct, ranks[column] = np.unique(features[:, column], return_inverse=True)
        values[column, : len(distinct)] = distinct
    rows = np.tile(np.arange(n_rows), n_columns)
    starts = np.arange(n_columns + 1) * n_rows
    lines = sparse.csr_array((rows, ranks.ravel(), starts), shape=(n_columns, n_rows))
    # Otherwise columns that are sorted as they come would not be touched.
    lines.has_sorted_indices = False
    lines.sort_indices()
    cells = (lines.indices.astype(np.int64) << RANK_BITS) | lines.data
    return SortedRows(np.vstack([cells.reshape(n_columns, n_rows), np.arange(n_rows)]), values)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile at the first call, and keep the machine code on disk where there is a place."""
    try:
        kept: Callable[..., Any] = njit(cache=True, nogil=True)(function)
    except RuntimeError:
        kept = njit(nogil=True)(function)
    return kept


@compiled
def _boost(
    rows: SortedRows,
    target: SingleArray,
    weight: SingleArray,
    rounds: IntArray,
    asked: SingleArray,
    reg_lambda: float,
    base_score: np.float32,
    max_depth: int,
) -> SingleArray:
    """Grow tree after tree, each for what the ones before left over."""
    n_rows = len(target)
    n_nodes = 2 * min(n_rows, 2 ** min(max_depth, 32))
    tree = Tree(
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.float32),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.float32),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
    )
    divided = SortedRows(np.empty_like(rows.cells), rows.values)
    gradient, mass = np.empty(n_rows), weight.astype(np.float64)
    fitted = np.full(n_rows, base_score, np.float32)
    predicted = np.full(len(asked), base_score, np.float32)
    stages = np.empty((len(rounds), len(asked)), np.float32)
    for number in range(1, rounds.max() + 1):
        for row in range(n_rows):
            gradient[row] = (fitted[row] - target[row]) * weight[row]
        divided.cells[:] = rows.cells
        n_grown = _grow(tree, divided, gradient, mass, reg_lambda, max_depth)
        moved = _add_to_fitted(tree, n_grown, divided.cells[-1], fitted)
        moved |= _add_to_predicted(tree, asked, predicted)
        for stage in range(len(rounds)):
            # Where nothing moves any more, all later rounds are like this one.
            if rounds[stage] == number or (not moved and rounds[stage] > number):
                stages[stage] = predicted
        if not moved:
            break
    return stages


@compiled
def _grow(
    tree: Tree,
    rows: SortedRows,
    gradient: FloatArray,
    mass: FloatArray,
    reg_lambda: float,
    max_depth: int,
) -> int:
    """Grow one tree level by level, move the cells to its nodes, and return how many there are."""
    cells, n_rows, n_columns = rows.cells, rows.cells.shape[1], len(rows.values)
    is_first, spare = np.empty(n_rows, np.bool_), np.empty(n_rows, np.int64)
    tree.start[0], tree.stop[0] = 0, n_rows
    n_nodes, level_stop = 1, 0
    for depth in range(max_depth + 1):
        level_start, level_stop = level_stop, n_nodes
        for node in range(level_start, level_stop):
            start, stop = tree.start[node], tree.stop[node]
            sum_gradient, sum_mass = 0.0, 0.0
            for row in cells[-1, start:stop]:
                sum_gradient += gradient[row]
                sum_mass += mass[row]
            _make_leaf(tree, node, sum_gradient, sum_mass, reg_lambda)
            if depth == max_depth or sum_mass < 2.0 * LEAST_WEIGHT:
                continue
            here = SortedRows(cells[:-1, start:stop], rows.values)
            column, n_first, cut = _best_split(
                here, gradient, mass, sum_gradient, sum_mass, reg_lambda
            )
            if column < 0:
                continue
            _make_split(tree, node, column, n_first, cut, n_nodes)
            n_nodes += 2
            for place in range(start, stop):
                is_first[cells[column, place] & ROW_BITS] = place < start + n_first
            # Leaves need no order but that of the rows as they come.
            for line in range(0 if depth + 1 < max_depth else n_columns, n_columns + 1):
                if line != column:
                    _divide(cells[line, start:stop], is_first, spare)
        if level_stop == n_nodes:
            break
    return n_nodes


@compiled
def _make_leaf(
    tree: Tree, node: int, sum_gradient: float, sum_mass: float, reg_lambda: float
) -> None:
    tree.column[node], tree.value[node] = -1, 0.0
    if sum_mass >= LEAST_WEIGHT:
        leaf = np.float32(-sum_gradient / (sum_mass + reg_lambda))
        tree.value[node] = leaf * LEARNING_RATE


@compiled
def _make_split(
    tree: Tree, node: int, column: int, n_first: int, cut: np.float32, child: int
) -> None:
    tree.column[node], tree.cut[node], tree.child[node] = column, cut, child
    middle = tree.start[node] + n_first
    tree.start[child], tree.stop[child] = tree.start[node], middle
    tree.start[child + 1], tree.stop[child + 1] = middle, tree.stop[node]


@compiled
def _best_split(
    rows: SortedRows,
    gradient: FloatArray,
    mass: FloatArray,
    sum_gradient: float,
    sum_mass: float,
    reg_lambda: float,
) -> tuple[int, int, np.float32]:
    """Return the column, the number of rows below the cut, and the cut; -1 if none will do.

    The first of equal gains wins: columns in their order, cuts from the top. A gain is the sum
    of ``gradient ** 2 / (mass + reg_lambda)`` of both sides, less that of the node. Multiplied
    by both denominators it can be compared with the best so far without any division.
    """
    cells, values = rows
    whole = np.float32(sum_gradient * sum_gradient) / np.float32(sum_mass + reg_lambda)
    best, to_beat = LEAST_GAIN, (np.float64(whole) + LEAST_GAIN) * SLACK
    best_column, n_below, best_cut = -1, 0, np.float32(0.0)
    for column in range(len(cells)):
        upper_gradient, upper_mass = 0.0, 0.0
        above = -1
        for place in range(cells.shape[1] - 1, -1, -1):
            cell = cells[column, place]
            rank = cell >> RANK_BITS
            lower_gradient = sum_gradient - upper_gradient
            lower_mass = sum_mass - upper_mass
            lower, upper = lower_mass + reg_lambda, upper_mass + reg_lambda
            lower_square = lower_gradient * lower_gradient
            upper_square = upper_gradient * upper_gradient
            # One condition, all of it looked at: it seldom holds, which is easily guessed.
            if (
                (lower_square * upper + upper_square * lower > to_beat * (lower * upper))
                & (rank != above)
                & (lower_mass >= LEAST_WEIGHT)
                & (upper_mass >= LEAST_WEIGHT)
            ):
                gain = (
                    np.float32(lower_square) / np.float32(lower)
                    + np.float32(upper_square) / np.float32(upper)
                    - whole
                )
                if gain > best:
                    best, to_beat = gain, (np.float64(whole) + gain) * SLACK
                    best_column, n_below = column, place + 1
                    below_cut, above_cut = values[column, rank], values[column, above]
                    best_cut = (below_cut + above_cut) * HALF
                    if best_cut == below_cut:
                        best_cut = above_cut
            row = cell & ROW_BITS
            upper_gradient += gradient[row]
            upper_mass += mass[row]
            above = rank
    return best_column, n_below, best_cut


@compiled
def _divide(cells: IntArray, is_first: BoolArray, spare: IntArray) -> None:
    """Move the rows of the first child to the front; both children keep their order."""
    n_first, n_second = 0, 0
    for cell in cells:
        first = is_first[cell & ROW_BITS]
        # Both places are written, and one of them again: no branch to guess.
        cells[n_first] = cell
        spare[n_second] = cell
        n_first += first
        n_second += not first
    for place in range(n_second):
        cells[n_first + place] = spare[place]


@compiled
def _add_to_fitted(tree: Tree, n_nodes: int, rows: IntArray, fitted: SingleArray) -> bool:
    """Add the leaves to what is fitted, and return whether that moves anything."""
    moved = False
    for node in range(n_nodes):
        if tree.column[node] < 0:
            for row in rows[tree.start[node] : tree.stop[node]]:
                before = fitted[row]
                fitted[row] += tree.value[node]
                moved |= fitted[row] != before
    return moved


@compiled
def _add_to_predicted(tree: Tree, asked: SingleArray, predicted: SingleArray) -> bool:
    """Add the leaves that rows fall into, and return whether that moves anything."""
    moved = False
    for row in range(len(asked)):
        node = 0
        while tree.column[node] >= 0:
            node = tree.child[node] + (asked[row, tree.column[node]] >= tree.cut[node])
        before = predicted[row]
        predicted[row] += tree.value[node]
        moved |= predicted[row] != before
    return moved
