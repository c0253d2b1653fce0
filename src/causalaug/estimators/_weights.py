"""From held-out losses to the weights of a blend: pure functions.

Measured on simulated models (60 rows, 12 variables, boosting and ridge; seeds from 200,000 on to
choose, from 260,000 on to confirm): convex stacking gains as much as exponential weights where the
graph is right, and loses more where it is wrong; with both, charging the candidates that know the
graph one standard error costs little of the gain and halves the loss of the worst tenth.
"""

import numpy as np

from causalaug.typing import BoolArray, FloatArray

LEAST_LOSS = 1e-12
"""A best loss of zero would make any other infinitely worse; it is taken for this at least."""

RATE = 0.25
"""How fast weights fall with the relative loss. The likelihood itself would be 0.5 for squared
errors: held-out losses of few rows are noisier than that. 0.125 gained nothing on right graphs and
lost twice as much on wrong ones."""

LOG_LOSS_RATE = 2.0
"""Log-losses are log-likelihoods already, for which 1 is the rate of Bayes. On 40 units of logistic
regression 2 gained as much where the graph is right (-36%), and a wrong one cost 0.2, not 1.0%."""

CHARGE = 1.0
"""How many standard errors a candidate that trusts the graph must be better than one that does
not. With 0 the worst tenth of wrong graphs cost ridge regression 9%, with 0.5 7%, with 1 4.5%."""

LOG_LOSS_CHARGE = 0.5
"""The same for log-losses, where all but the plain learner are charged. Logistic regression, 60
rows, models of seeds 340,000 and up: a right graph gains 29.4%, with a charge of 1 26.0%. On other
models' graphs of star models (seeds 346,000 and up) new rows without the graph lost up to 11.7%
if they were free of charge, and 2.0% with it."""

LEAST_WEIGHT = 0.01
"""A candidate with less weight is left out, and need not be fitted to all rows."""


def blend_weights(
    losses: FloatArray, row_weights: FloatArray, is_charged: BoolArray, *, log_loss: bool = False
) -> FloatArray:
    """Return the weights of a blend's candidates, given their losses on held-out rows.

    Some candidates, those that trust the graph, are charged a standard error of their paired
    difference from the best of the others, of log-losses half of one: a few held-out rows may
    hide a graph that is wrong.

    Shapes: losses (n_rows, n_candidates), row_weights (n_rows,), is_charged (n_candidates,),
    result (n_candidates,), summing to one.

    >>> losses = np.array([[1.0, 0.5], [1.0, 0.7], [1.0, 0.3]])
    >>> blend_weights(losses, np.ones(3), np.array([False, True])).round(2)
    array([0.38, 0.62])
    >>> blend_weights(losses, np.ones(3), np.array([False, False])).round(2)
    array([0.32, 0.68])
    """
    share = row_weights / row_weights.sum()
    n_effective = 1.0 / float(np.square(share).sum())
    charge = LOG_LOSS_CHARGE if log_loss else CHARGE
    charged = charged_losses(losses, share, n_effective, is_charged, charge)
    if log_loss:
        weights = np.exp(-LOG_LOSS_RATE * n_effective * (charged - charged.min()))
        weights /= weights.sum()
    else:
        weights = exponential_weights(charged, n_effective)
    kept = np.where(weights >= LEAST_WEIGHT, weights, 0.0)
    result: FloatArray = kept / kept.sum()
    return result


def charged_losses(
    losses: FloatArray,
    share: FloatArray,
    n_effective: float,
    is_charged: BoolArray,
    charge: float = CHARGE,
) -> FloatArray:
    """Return mean losses, with `charge` standard errors on top for some candidates."""
    mean: FloatArray = share @ losses
    simple = np.flatnonzero(~is_charged)
    if not len(simple):
        return mean
    best = simple[int(np.argmin(mean[simple]))]
    difference = losses - losses[:, [best]]
    variance = share @ np.square(difference - share @ difference)
    error = np.sqrt(variance / max(n_effective - 1.0, 1.0))
    return mean + charge * np.where(is_charged, error, 0.0)


def exponential_weights(losses: FloatArray, n_rows: float, rate: float = RATE) -> FloatArray:
    """Return weights that fall off with the mean held-out loss of a candidate.

    The weight is proportional to ``exp(-rate * n_rows * (loss - best) / best)``.

    Shapes: losses (n_candidates,), result (n_candidates,), summing to one.

    >>> exponential_weights(np.array([1.0, 1.1, 2.0]), 40).round(2)
    array([0.73, 0.27, 0.  ])
    """
    best = max(float(losses.min()), LEAST_LOSS)
    weights = np.exp(-rate * n_rows * (losses - losses.min()) / best)
    result: FloatArray = weights / weights.sum()
    return result
