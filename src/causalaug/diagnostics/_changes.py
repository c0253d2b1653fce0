"""How much the joint distribution of two columns changes by augmentation."""

from collections.abc import Sequence

import numpy as np

from causalaug.augmentation import AugmentedTable
from causalaug.typing import FloatArray, IntArray

N_CELLS = 4
"""A pair is compared on a grid of so many parts each way."""

_CHUNK = 4096


def moved_mass(augmented: AugmentedTable, columns: Sequence[int]) -> FloatArray:
    """Return the share of the mass of each pair of columns that is elsewhere in the new rows.

    It is the total variation between observed and new rows, weighted, on a coarse grid: the
    quartiles of numbers, the four most common values of all else, the last of them joined by
    the rest. 0 if nothing changed, 1 if new rows are where no observed row is.

    Shape: (n_columns, n_columns); on the diagonal the same of single columns.

    Examples
    --------
    All combinations of the two signs within a class are made. So it is their pair that
    changes, and each keeps its relation to the class:

    >>> from causalaug import PrunedExpansion, augment
    >>> from causalaug.datasets import make_trivariate
    >>> data = make_trivariate(20, random_state=0)
    >>> augmented = augment(data.frame, data.graph, expansion=PrunedExpansion(0))
    >>> augmented.table.columns
    ('X1', 'X2', 'Y')
    >>> np.abs(moved_mass(augmented, range(3)).round(2))
    array([[0.  , 0.14, 0.  ],
           [0.14, 0.  , 0.  ],
           [0.  , 0.  , 0.  ]])
    """
    table = augmented.table
    weights = np.ones(table.n_rows) if table.row_weights is None else table.row_weights
    cells = np.column_stack([_grid_cells(augmented, column) for column in columns])
    before, after = cells[: table.n_rows], cells[table.n_rows :]
    difference = _joint_shares(before, weights) - _joint_shares(after, augmented.weights)
    shape = (len(columns), N_CELLS) * 2
    moved: FloatArray = 0.5 * np.abs(difference).reshape(shape).sum(axis=(1, 3))
    return moved


def _grid_cells(augmented: AugmentedTable, column: int) -> IntArray:
    """Return the part of the grid that each observed row, then each new one, is in."""
    table = augmented.table
    observed = table.values[:, column]
    values = np.concatenate([observed, augmented.values(column)])
    if table.numeric[column] and len(np.unique(observed)) > N_CELLS:
        inner = np.quantile(observed, np.linspace(0.0, 1.0, N_CELLS + 1)[1:-1])
        return np.searchsorted(inner, values)
    codes = np.unique(values, return_inverse=True)[1]
    common_first = np.argsort(-np.bincount(codes[: table.n_rows]), kind="stable")
    return np.minimum(np.argsort(common_first)[codes], N_CELLS - 1)


def _joint_shares(cells: IntArray, weights: FloatArray) -> FloatArray:
    """Return the share of the weight in each cell of each pair of columns.

    Shape: (n_columns * N_CELLS, n_columns * N_CELLS).
    """
    joint = np.zeros((cells.shape[1] * N_CELLS,) * 2)
    for start in range(0, len(cells), _CHUNK):
        part = slice(start, start + _CHUNK)
        is_in = np.eye(N_CELLS)[cells[part]].reshape(len(cells[part]), -1)
        joint += (is_in * weights[part, np.newaxis]).T @ is_in
    shares: FloatArray = joint / weights.sum()
    return shares
