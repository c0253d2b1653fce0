"""Stacking: from what candidates predict for held-out rows to their weights in a blend.

The weights are those under which the weighted mean of the candidates would have predicted these
rows best. Wrong graphs need no other guard: a factor that rows contradict has lost its weight
already, in the model (`causalaug.conditionals`), and a candidate is judged by rows that it has not
seen. Probabilities of classes are stacked as numbers are, by their squared errors, the score of
Brier: of twelve models of 60 rows the log-loss was lower than with the weights of the largest
likelihood, by 4 points for right graphs and for shuffled ones.
"""

import numpy as np
from scipy.optimize import nnls

from causalaug.typing import FloatArray


def stacked_weights(
    residuals: FloatArray, row_weights: FloatArray, doubts: FloatArray | None = None
) -> FloatArray:
    """Return the weights under which the mean of the candidates has the least squared error.

    Shapes: residuals (n_rows, n_candidates) or (n_rows, n_candidates, n_classes), what each
    candidate leaves of each target; row_weights (n_rows,); doubts and result (n_candidates,), not
    negative, the weights summing to one. Few rows must not choose alone: to those that were held
    out comes one for each candidate in which it alone errs, by the squared error of the best one
    times its doubt. By themselves these rows would choose weights in proportion to one over the
    doubts. These are the number of candidates by default, so that of two candidates that always say
    the same each has half. With doubts of one instead the mean of 24 models changed by about a
    point, and the worst of them rose from 14 to 25 (100 log ratio of test errors, right graphs).

    >>> stacked_weights(np.array([[1.0, -1.0], [-2.0, 2.0], [1.0, -1.0]]), np.ones(3))
    array([0.5, 0.5])
    >>> stacked_weights(np.array([[0.1, 1.0], [-0.2, 1.0], [0.1, 1.0]]), np.ones(3)).round(2)
    array([0.97, 0.03])
    """
    n_candidates, scale = residuals.shape[1], np.abs(residuals).max()
    doubts = np.full(n_candidates, float(n_candidates)) if doubts is None else doubts
    if scale == 0.0:
        undecided: FloatArray = 1.0 / doubts / (1.0 / doubts).sum()
        return undecided
    weighted = (residuals / scale).T * np.sqrt(row_weights)
    # One column for each candidate, whatever the number of classes.
    weighted = np.moveaxis(weighted, -2, -1).reshape(-1, n_candidates)
    best = np.square(weighted).sum(axis=0).min() / row_weights.sum()
    # A candidate without any error needs no other; a tiny row more keeps the solution unique.
    own = np.diag(np.sqrt(max(best, np.finfo(np.float64).eps) * doubts))
    # On the simplex, ``|R u|^2`` is least where ``|R w|^2 + (1 - sum w)^2`` is, with ``w = s u``:
    # the best s leaves ``|R u|^2 / (1 + |R u|^2)``, which rises with the first.
    matrix = np.vstack([weighted, own, np.ones(n_candidates)])
    wanted = np.append(np.zeros(len(matrix) - 1), 1.0)
    weights, _ = nnls(matrix, wanted)
    result: FloatArray = weights / weights.sum()
    return result


def tail_length(residuals: FloatArray, row_weights: FloatArray) -> float:
    """Return by how much fewer rows there are than they look, since their errors have long tails.

    Shapes: residuals (n_rows, n_candidates), row_weights (n_rows,). A mean of squares of which few
    rows make up most is known as from so few rows: of normal errors a third of all, for which the
    answer is 1. It is asked of the candidate with the least error.

    >>> rng = np.random.default_rng(0)
    >>> tail_length(rng.normal(size=(10_000, 1)), np.ones(10_000)) < 1.1
    True
    >>> tail_length(np.array([[0.1], [0.2], [0.1], [-30.0], [0.3], [0.1]]), np.ones(6)).__round__(1)
    2.0
    """
    squares = np.square(residuals / max(np.abs(residuals).max(), np.finfo(np.float64).tiny))
    best = squares[:, (row_weights @ squares).argmin()]
    share = row_weights / row_weights.sum()
    mean = float(share @ best)
    return max(float(share @ np.square(best)) / (3.0 * mean**2), 1.0) if mean > 0.0 else 1.0
