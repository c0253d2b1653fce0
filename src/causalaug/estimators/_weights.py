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

LOG_LOSS_RATE = 0.7
"""The same for log-losses, which are log-likelihoods already, and for which 1 is the rate of Bayes.
With 1.4 logistic regression gained 26.5 instead of 27.1% by a right graph, and boosting 19 instead
of 22% by the smoothing that a wrong one leaves; with 0.35 the worst tenth of wrong ones cost 10%,
not 4 (60 rows, a charge of 1, models of seeds 360,000 and 380,000 and up)."""

CHARGE = 1.0
"""How many standard errors a candidate that trusts the graph must be better than one that does
not. With 0 the worst tenth of wrong graphs cost ridge regression 9%, with 0.5 7%, with 1 4.5%."""

LOG_LOSS_CHARGE = 1.5
"""The same for log-losses, by which all but the plain learner are charged: new rows of any kind can
make a learner of classes too sure. A difference that one row makes alone is as large as one
standard error, one that two rows make 1.4, and a log-loss has no bound: a learner must be better on
three rows at least. With 1 the worst tenth of another model's graphs cost logistic regression 3.7
and boosting 2.2%, with 1.5 2.6 and 0.2%, and right graphs gained the same; what smoothing brings
boosting under a wrong one falls from 22 to 17% (models of seeds from 360,000 to 390,100)."""

MOST_CREDIT = 4.0
"""How much log-likelihood whole held-out rows can lend to a graph, or take from it, where losses
are log-losses. They know a wrong graph far better than the target does: of 60 rows they spoke for
159 of 160 right graphs, and for 4 of 180 wrong ones. By a right graph logistic regression gained
27.1%, and the worst tenth of wrong ones cost it 3.8%; without credit 23.6 and 6.5%; with 8 the
worst tenth of right ones cost 8.4 instead of 3.0% (with a charge of 1). Where a credit is not
deserved the harm is bounded: 60 rows must show the model worse than the learner by 0.07 each before
it has the smaller weight."""

LEAST_WEIGHT = 0.01
"""A candidate with less weight is left out, and need not be fitted to all rows."""


def blend_weights(
    losses: FloatArray,
    row_weights: FloatArray,
    is_charged: BoolArray,
    *,
    log_loss: bool = False,
    credit: FloatArray | float = 0.0,
) -> FloatArray:
    """Return the weights of a blend's candidates, given their losses on held-out rows.

    Some candidates are charged a standard error of their paired difference from the best of the
    others, of log-losses one and a half: a few held-out rows may hide a graph that is wrong. Where
    losses are log-losses, candidates may have a credit, a log-likelihood that was earned elsewhere;
    who has some is not charged.

    Shapes: losses (n_rows, n_candidates), row_weights (n_rows,), is_charged (n_candidates,),
    credit (n_candidates,), result (n_candidates,), summing to one.

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
        due = np.where(np.asarray(credit) > 0.0, share @ losses, charged)
        log_weights = LOG_LOSS_RATE * (credit - n_effective * due)
        weights = np.exp(log_weights - log_weights.max())
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


def credit_of_graph(likelier: FloatArray, row_weights: FloatArray) -> float:
    """Return what whole held-out rows say for a graph, a log-likelihood within bounds.

    `likelier` is by how much the graph's model made each of them likelier than the model that
    assumes no independence, in logarithms; NaN where that is not known. No row counts for more
    than all together may.

    >>> round(credit_of_graph(np.array([0.5, 0.1, np.nan]), np.ones(3)), 2)
    0.6
    >>> credit_of_graph(np.array([-0.5, -90.0]), np.ones(2))
    -4.0
    """
    share = row_weights / row_weights.sum()
    each = np.clip(np.nan_to_num(likelier), -MOST_CREDIT, MOST_CREDIT)
    total = float(share @ each) / float(np.square(share).sum())
    return float(np.clip(total, -MOST_CREDIT, MOST_CREDIT))


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
