"""How much the joint distribution of two columns changes by augmentation."""

from collections.abc import Sequence

import numpy as np

from causalaug._validation import check_columns_exist
from causalaug.augmentation import AugmentedTable
from causalaug.exceptions import ParameterError
from causalaug.typing import FloatArray, IntArray

N_CELLS = 4
"""A pair is compared on a grid of so many parts each way."""


def moved_mass(augmented: AugmentedTable, columns: Sequence[str] | None = None) -> FloatArray:
    """Return the share of the mass of each pair of columns that is elsewhere in the new rows.

    It is the total variation between observed and new rows, weighted, on a coarse grid: the
    quartiles of numbers, the four most common values of all else, the last of them joined by
    the rest. 0 if nothing changed, 1 if new rows are where no observed row is. Of observed rows
    with missing cells, those count that have both columns.

    Parameters
    ----------
    augmented : AugmentedTable
        What `augment` returns; at least one row.
    columns : sequence of str, optional
        The columns; by default all.

    Returns
    -------
    float array of shape (n_columns, n_columns)
        The shares; on the diagonal those of single columns.

    Examples
    --------
    All combinations of the two signs within a class are made. So it is their pair that
    changes, and each keeps its relation to the class:

    >>> from causalaug import PrunedExpansion, augment
    >>> from causalaug.datasets import make_trivariate
    >>> data = make_trivariate(20, random_state=0)
    >>> kinds = {"Y": "nominal"}  # as integers, 0 and 1 would be neighbours
    >>> augmented = augment(data.frame, data.graph, expansion=PrunedExpansion(0), kinds=kinds)
    >>> augmented.table.columns
    ('X1', 'X2', 'Y')
    >>> np.abs(moved_mass(augmented).round(2))
    array([[0.  , 0.14, 0.  ],
           [0.14, 0.  , 0.  ],
           [0.  , 0.  , 0.  ]])
    """
    table = augmented.table
    columns = table.columns if columns is None else columns
    check_columns_exist("columns", columns, table.columns)
    if not columns or not len(augmented):
        raise ParameterError(
            "Changes need at least one column and one new row. Found "
            f"{len(columns)} columns and {len(augmented)} new rows."
        )
    weights = np.ones(table.n_rows) if table.row_weights is None else table.row_weights
    cells = np.column_stack([_grid_cells(augmented, table.index(name)) for name in columns])
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
    if table.numeric[column]:
        cells = np.searchsorted(_inner_edges(observed[~np.isnan(observed)]), values)
    else:
        codes = np.unique(values, return_inverse=True)[1]
        known = codes[: table.n_rows][~np.isnan(observed)]
        counts = np.bincount(known, minlength=int(codes.max()) + 1)
        common_first = np.argsort(-counts, kind="stable")
        cells = np.minimum(np.argsort(common_first)[codes], N_CELLS - 1)
    # Missing cells are in a part of their own.
    return np.where(np.isnan(values), N_CELLS, cells)


def _inner_edges(observed: FloatArray) -> FloatArray:
    """Return where the parts of a column of numbers meet: quartiles, or between a few values."""
    distinct = np.unique(observed)
    if len(distinct) > N_CELLS:
        return np.quantile(observed, np.linspace(0.0, 1.0, N_CELLS + 1)[1:-1])
    middles: FloatArray = 0.5 * distinct[1:] + 0.5 * distinct[:-1]
    return middles


def _joint_shares(cells: IntArray, weights: FloatArray) -> FloatArray:
    """Return the share of the weight in each cell of each pair of columns.

    Shape: (n_columns * N_CELLS, n_columns * N_CELLS).
    """
    joint = np.zeros((cells.shape[1] * N_CELLS,) * 2)
    # In pieces: the indicators of all rows would take 100 times the memory of the cells.
    for start in range(0, len(cells), 4096):
        part = slice(start, start + 4096)
        is_in = np.eye(N_CELLS + 1)[cells[part], :N_CELLS].reshape(len(cells[part]), -1)
        joint += (is_in * weights[part, np.newaxis]).T @ is_in
    total: FloatArray | float = weights.sum()
    if np.any(cells == N_CELLS):
        # Each pair has its own rows: those in which neither cell is missing.
        of_pair = joint.reshape((cells.shape[1], N_CELLS) * 2).sum(axis=(1, 3))
        total = np.repeat(np.repeat(of_pair, N_CELLS, axis=0), N_CELLS, axis=1)
    shares: FloatArray = joint / np.maximum(total, np.finfo(float).tiny)
    return shares
