"""The generalised covariance measure of Shah and Peters (2020): residuals that go together.

Regress both sides on what is held fixed, and test whether the product of the residuals has
mean zero. Neither normal nor equal noise is assumed; the regressions have to be good.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr

from causalaug.diagnostics._coding import Variable
from causalaug.diagnostics._correlation import NO_VARIATION
from causalaug.diagnostics._outcome import Outcome, rows_needed, too_few
from causalaug.diagnostics._smoothing import Fit, Regressors, regress
from causalaug.typing import FloatArray, IntArray

LEAST_KEPT = 0.05
"""Rows that a fit follows more closely than this have no residual to speak of."""

NOT_SETTLED = "the regression on the pillow does not settle"


def covariance_measures(
    target: Variable, others: Sequence[Variable], pillow: Sequence[Variable], level: float
) -> list[Outcome]:
    """Test the target against each of the others, the pillow held fixed."""
    blocks = [variable.testable_columns() for variable in (target, *others)]
    ends = np.cumsum([block.shape[1] for block in blocks])
    places = np.split(np.arange(ends[-1]), ends[:-1])
    fit = regress(np.hstack(blocks), regressors(pillow, len(target.values)))
    return [_measure(fit, places[0], columns, level) for columns in places[1:]]


def regressors(pillow: Sequence[Variable], n_rows: int) -> Regressors:
    """Return the pillow as a regression sees it: numbers may bend, levels are free."""
    nothing = [np.empty((n_rows, 0))]
    levels = [variable for variable in pillow if not variable.is_number]
    return Regressors(
        straight=np.hstack([variable.columns() for variable in pillow] or nothing),
        curves=np.column_stack(
            [variable.scores() for variable in pillow if variable.is_number] or nothing
        ),
        corners=np.hstack([variable.indicators() for variable in levels] or nothing),
        n_corner_variables=len(levels),
    )


def _measure(fit: Fit, ours: IntArray, theirs: IntArray, level: float) -> Outcome:
    """Return the largest t-statistic over the columns of the two sides, and its p-value.

    The p-value is that of the largest alone, times the number of pairs of columns.
    """
    both = np.concatenate([ours, theirs])
    rows = len(fit.residuals) - float(fit.degrees[both].max(initial=0.0))
    ours, theirs = (side[np.any(fit.residuals[:, side], axis=0)] for side in (ours, theirs))
    n_pairs = len(ours) * len(theirs)
    reason = too_few(rows, rows_needed(1, level / max(n_pairs, 1)))
    if not reason and not n_pairs:
        reason = NO_VARIATION
    if not reason and not fit.settled[both].all():
        reason = NOT_SETTLED
    if reason:
        return Outcome("gcm", reason=reason)
    t = t_statistics(fit, ours, theirs)
    largest = float(t.flat[np.abs(t).argmax()])
    p_value = min(1.0, n_pairs * 2.0 * float(stdtr(rows - 1.0, -abs(largest))))
    return Outcome("gcm", largest, p_value)


def t_statistics(fit: Fit, ours: IntArray, theirs: IntArray) -> FloatArray:
    """Return the sum of the products of residuals over its standard error, for all pairs.

    A row that the fits follow closely leaves too little of its noise over. As in the third
    rule of MacKinnon and White (1985) its product is raised accordingly in the variance.
    Result: (n_ours, n_theirs).
    """
    sums = fit.residuals[:, ours].T @ fit.residuals[:, theirs]
    errors = np.sqrt(_raised(fit, ours).T @ _raised(fit, theirs))
    return np.divide(sums, errors, out=np.zeros_like(sums), where=errors > 0.0)


def _raised(fit: Fit, columns: IntArray) -> FloatArray:
    """Return squared residuals of some columns only: there may be hundreds, asked for in pairs."""
    raised: FloatArray = np.square(fit.residuals[:, columns])
    return raised / np.maximum(fit.kept[:, columns], LEAST_KEPT)
