"""From held-out losses or predictions to the weights of a blend: pure functions."""

import numpy as np

from causalaug.typing import BoolArray, FloatArray

LEAST_LOSS = 1e-12
"""A best loss of zero would make any other infinitely worse; it is taken for this at least."""


def exponential_weights(losses: FloatArray, n_rows: float, *, rate: float = 0.25) -> FloatArray:
    """Return weights that fall off with the mean held-out loss of a candidate.

    The weight is proportional to ``exp(-rate * n_rows * (loss - best) / best)``. For squared
    errors with Gaussian noise of variance `best`, a rate of 1/2 is the likelihood itself; a
    smaller rate allows for the noise of the held-out losses.

    Shapes: losses (n_candidates,), result (n_candidates,), summing to one.

    >>> exponential_weights(np.array([1.0, 1.1, 2.0]), 40).round(2)
    array([0.73, 0.27, 0.  ])
    """
    best = max(float(losses.min()), LEAST_LOSS)
    weights = np.exp(-rate * n_rows * (losses - losses.min()) / best)
    result: FloatArray = weights / weights.sum()
    return result


def blend_weights(
    losses: FloatArray,
    row_weights: FloatArray,
    *,
    is_model: BoolArray,
    is_graph: BoolArray,
    has_probabilities: bool,
) -> FloatArray:
    """Return the weights of a blend's candidates, given their losses on held-out rows.

    Shapes: losses (n_rows, n_candidates), row_weights (n_rows,), the others (n_candidates,).
    """
    share = row_weights / row_weights.sum()
    n_effective = 1.0 / float(np.square(share).sum())
    return exponential_weights(share @ losses, n_effective)
