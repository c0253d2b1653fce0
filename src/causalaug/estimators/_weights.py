"""From held-out losses to the weights of a blend: pure functions.

Measured on simulated models (60 rows, 12 variables, boosting and ridge; seeds from 200,000 on to
choose, from 260,000 on to confirm): convex stacking gains as much as exponential weights where the
graph is right, and loses more where it is wrong; with both, charging the candidates that know the
graph one standard error costs little of the gain and halves the loss of the worst tenth. What whole
rows say of the graph, not of the target alone, makes the charge needless where they speak for it,
and says more than it where they do not.
"""

import numpy as np

from causalaug.typing import BoolArray, FloatArray, IntArray

LEAST_LOSS = 1e-12
"""A best loss of zero would make any other infinitely worse; it is taken for this at least."""

RATE = 0.1
"""How fast weights fall with the relative loss. The likelihood itself would be 0.5 for squared
errors: held-out losses of few rows are noisier than that, and a mean of several learners is better
than most of them. With 0.25, 0.1 and 0.05 boosting gained 11.4, 12.4 and 13.0% on 60 rows of real
tables, ridge regression 42.5, 41.6 and 37.7% by right graphs, and the worst tenth of wrong ones
cost boosting 4.2, 1.9 and 1.3% (splits of seeds 600,000 and up, models of seeds 430,000 and up)."""

LOG_LOSS_RATE = 0.7
"""The same for log-losses, which are log-likelihoods already, and for which 1 is the rate of Bayes.
With 1.4 logistic regression gained 26.5 instead of 27.1% by a right graph, and boosting 19 instead
of 22% by the smoothing that a wrong one leaves; with 0.35 the worst tenth of wrong ones cost 10%,
not 4 (60 rows, a charge of 1, models of seeds 360,000 and 380,000 and up)."""

CHARGE = 1.0
"""How many standard errors a candidate that trusts the graph must be better than one that does
not, unless whole rows speak for the graph. Where they say nothing, it is all that guards against a
wrong one: without it and without them the worst tenth cost boosting 10% and ridge regression 12%,
with it 5 and 7.5%. Where right graphs were charged as well, ridge regression gained 36 instead of
42% (models of seeds 430,000 and up)."""

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

ROW_RATE = 0.03
"""How much of the log-likelihood of whole held-out rows counts where losses are squared errors.
Sixty rows spoke for 16 of 16 right graphs by 10 to 114, and against 38 of 38 that were shuffled or
another model's by 42 to 214. Graphs with one edge reversed or gone had -23 to 118, and those of
Sachs and of the cars -41 to -14, and both help: the size tells them from wrong ones. With 1 graphs
of one wrong edge gained 2 to 3% less; with 0.01 the worst tenth of wrong ones cost boosting 2.9
instead of 1.9% (models of seeds 430,000 and up)."""

MOST_TAKEN = 3.0
"""How much they can take there from what trusts the graph, as a logarithm of weights. With 1 the
worst tenth of wrong graphs cost boosting 2.8% and ridge regression 3.4%, with 3 1.9 and 2.3%, and
with 6 the same."""

HOLE_NOISE = 2.0
"""How much less a held-out row counts for each feature that it lacks: by 1 / (1 + 2 h) for h. Its
error is larger for every learner, and its prediction is a mean over completions, in which learners
differ less. With all rows alike a good candidate got less weight than on complete rows: on 150 rows
with a fifth of the cells missing the graph's model had .67 around ridge regression instead of .86.
With 0.25, 0.5, 1, 2 and 4 instead of 0 the error against that on an imputer's rows was lower by
0.6, 0.9, 1.3, 1.7 and 1.9 points of a percent (48 fits of seeds 1,300,021 and up, 60 and 150 rows),
and with wrong graphs by 0.2, 0.4, 0.5, 0.6 and 0.5 (16 models of seeds 1,330,000 and up)."""

LEAST_WEIGHT = 0.01
"""A candidate with less weight is left out, and need not be fitted to all rows."""


def blend_weights(
    losses: FloatArray,
    row_weights: FloatArray,
    is_charged: BoolArray,
    *,
    log_loss: bool = False,
    credit: FloatArray | float = 0.0,
    n_holes: IntArray | None = None,
) -> FloatArray:
    """Return the weights of a blend's candidates, given their losses on held-out rows.

    Some candidates are charged a standard error of their paired difference from the best of the
    others, of log-losses one and a half: a few held-out rows may hide a graph that is wrong.
    Candidates may have a credit, a log-likelihood that was earned elsewhere; who has some is not
    charged. A credit below zero takes weight, one above gives some where losses are log-losses:
    squared errors of numbers say more about a learner than labels do, and need no help.

    A row that lacks `n_holes` features is predicted with more error by whatever learner, and
    counts less where losses are squared errors. The exponent is that of as many rows: squared
    errors that are divided by their variances are log-likelihoods, as alike ones are.

    Shapes: losses (n_rows, n_candidates), row_weights (n_rows,), is_charged (n_candidates,),
    credit (n_candidates,), n_holes (n_rows,), result (n_candidates,), summing to one.

    >>> losses = np.array([[1.0, 0.5], [1.0, 0.7], [1.0, 0.3]])
    >>> blend_weights(losses, np.ones(3), np.array([False, True])).round(2)
    array([0.45, 0.55])
    >>> blend_weights(losses, np.ones(3), np.array([False, False])).round(2)
    array([0.43, 0.57])
    """
    share = row_weights / row_weights.sum()
    n_effective = 1.0 / float(np.square(share).sum())
    charge, n_sure = (LOG_LOSS_CHARGE if log_loss else CHARGE), n_effective
    if n_holes is not None and not log_loss:
        share = share / (1.0 + HOLE_NOISE * n_holes)
        share = share / share.sum()
        n_sure = 1.0 / float(np.square(share).sum())
    charged = charged_losses(losses, share, n_sure, is_charged, charge)
    due = np.where(np.asarray(credit) > 0.0, share @ losses, charged)
    if log_loss:
        weights = _normalized(LOG_LOSS_RATE * (credit - n_effective * due))
    else:
        weights = exponential_weights(due, n_effective, taken=np.minimum(credit, 0.0))
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


def credit_of_graph(
    likelier: FloatArray, row_weights: FloatArray, rate: float = 1.0, most: float = MOST_CREDIT
) -> float:
    """Return what whole held-out rows say for a graph, a log-likelihood within bounds.

    `likelier` is by how much the graph's model made each of them likelier than the model that
    assumes no independence, in logarithms; NaN where that is not known. No row counts for more
    than `MOST_CREDIT`, and all together, times `rate`, for no more than `most`.

    >>> round(credit_of_graph(np.array([0.5, 0.1, np.nan]), np.ones(3)), 2)
    0.6
    >>> credit_of_graph(np.array([-0.5, -90.0]), np.ones(2))
    -4.0
    """
    share = row_weights / row_weights.sum()
    each = np.clip(np.nan_to_num(likelier), -MOST_CREDIT, MOST_CREDIT)
    total = rate * float(share @ each) / float(np.square(share).sum())
    return float(np.clip(total, -most, most))


def exponential_weights(
    losses: FloatArray, n_rows: float, rate: float = RATE, taken: FloatArray | float = 0.0
) -> FloatArray:
    """Return weights that fall off with the mean held-out loss of a candidate.

    The weight is proportional to ``exp(taken - rate * n_rows * (loss - best) / best)``.

    Shapes: losses (n_candidates,), taken (n_candidates,), result (n_candidates,), summing to one.

    >>> exponential_weights(np.array([1.0, 1.1, 2.0]), 40).round(2)
    array([0.59, 0.4 , 0.01])
    """
    best = max(float(losses.min()), LEAST_LOSS)
    return _normalized(taken - rate * n_rows * (losses - losses.min()) / best)


def _normalized(log_weights: FloatArray) -> FloatArray:
    weights = np.exp(log_weights - log_weights.max())
    result: FloatArray = weights / weights.sum()
    return result
