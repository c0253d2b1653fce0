"""Which pairs of columns look different after augmentation: arithmetic, no drawing."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from causalaug.augmentation import AugmentedTable
    from causalaug.typing import FloatArray, IntArray

N_BINS = 4


def new_values(augmented: AugmentedTable, number: int) -> FloatArray:
    """Return the values of a column of the new rows, coded as those of the observed ones."""
    copied = augmented.table.values[augmented.rows[:, number], number]
    return augmented.paths.shifted.get(number, copied)


def pair_changes(augmented: AugmentedTable) -> dict[tuple[str, str], float]:
    """Return how much the joint distribution of each pair of columns changed.

    It is the total variation between observed and new rows, weighted, on a grid of the
    quartiles of numbers and the four most common values of all else, the last of them joined
    by the rest. The largest comes first: 0 if nothing changed, 1 if new rows are where no
    observed row is.

    Examples
    --------
    All combinations of the two signs within a class are made. So it is their pair that
    changes, and each keeps its relation to the class:

    >>> from causalaug import PrunedExpansion, augment
    >>> from causalaug.datasets import make_trivariate
    >>> data = make_trivariate(20, random_state=0)
    >>> augmented = augment(data.frame, data.graph, expansion=PrunedExpansion(0))
    >>> {pair: f"{change:.2f}" for pair, change in pair_changes(augmented).items()}
    {('X1', 'X2'): '0.14', ('X1', 'Y'): '0.00', ('X2', 'Y'): '0.00'}
    """
    columns = augmented.table.columns
    cells = [_grid_cells(augmented, number) for number in range(len(columns))]
    observed = augmented.table.row_weights
    before = np.ones(augmented.table.n_rows) if observed is None else observed
    weights = np.concatenate([before / before.sum(), -augmented.weights / augmented.mass])
    changes = {}
    for i, j in combinations(range(len(columns)), 2):
        joint = cells[i] * (cells[j].max() + 1) + cells[j]
        difference = float(np.abs(np.bincount(joint, weights)).sum() / 2)
        changes[columns[i], columns[j]] = difference
    return dict(sorted(changes.items(), key=lambda item: -round(item[1], 9)))


def _grid_cells(augmented: AugmentedTable, number: int) -> IntArray:
    """Return the cell of the grid that each observed row, then each new one, is in."""
    table = augmented.table
    observed = table.values[:, number]
    values = np.concatenate([observed, new_values(augmented, number)])
    if table.numeric[number] and len(np.unique(observed)) > N_BINS:
        inner = np.quantile(observed, np.linspace(0.0, 1.0, N_BINS + 1)[1:-1])
        return np.searchsorted(inner, values, side="right")
    codes = np.unique(values, return_inverse=True)[1]
    common_first = np.argsort(-np.bincount(codes[: table.n_rows]), kind="stable")
    return np.minimum(np.argsort(common_first)[codes], N_BINS - 1)
