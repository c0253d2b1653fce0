"""Stacking: how much each of several densities counts, by rows that they have not seen."""

import numpy as np

from causalaug.typing import FloatArray

LEAST_CHANGE = 1e-6
"""Weights that change by less in a round are found."""


def stacking_weights(log_densities: FloatArray, row_weights: FloatArray) -> FloatArray:
    """Return the weights of a mixture under which left-out rows are likeliest.

    Shapes: log_densities (n_rows, n_parts), row_weights (n_rows,), result (n_parts,). Every part
    has seen one row more than there are, which it alone explains: with few rows no part is
    dismissed. The likelihood has one maximum, to which the EM algorithm climbs.

    >>> even = np.log([[0.5, 0.5], [0.2, 0.2]])
    >>> stacking_weights(even, np.ones(2))
    array([0.5, 0.5])
    >>> stacking_weights(np.log([[0.9, 0.1]] * 8), np.ones(8)).round(2)
    array([0.89, 0.11])
    """
    n_parts = log_densities.shape[1]
    relative = np.exp(log_densities - log_densities.max(axis=1, keepdims=True))
    weights: FloatArray = np.full(n_parts, 1.0 / n_parts)
    total = float(row_weights.sum()) + n_parts
    while True:
        explained = relative * weights
        explained /= explained.sum(axis=1, keepdims=True)
        better: FloatArray = (row_weights @ explained + 1.0) / total
        if np.abs(better - weights).max() < LEAST_CHANGE:
            return better
        weights = better
