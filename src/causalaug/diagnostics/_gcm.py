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
from causalaug.typing import BoolArray, FloatArray, IntArray

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
    # Column by column in memory, as the regression reads and writes them.
    columns = np.vstack([block.T for block in blocks]).T
    fit = regress(columns, regressors(pillow, len(target.values)))
    # For all others at once: hundreds of columns, asked for one by one, take minutes.
    t = t_statistics(fit, places[0])
    varies = np.any(fit.residuals, axis=0)
    if all(len(columns) == 1 for columns in places):
        return _measure_columns(fit, t[0], varies, level)
    return [_measure(fit, t, varies, (places[0], columns), level) for columns in places[1:]]


def regressors(pillow: Sequence[Variable], n_rows: int) -> Regressors:
    """Return the pillow as a regression sees it: numbers may bend, levels are free."""
    nothing = [np.empty((n_rows, 0))]
    levels = [variable for variable in pillow if not variable.is_number]
    return Regressors(
        straight=np.hstack([variable.columns() for variable in pillow] or nothing),
        curves=np.column_stack(
            [variable.scores for variable in pillow if variable.is_number] or nothing
        ),
        corners=np.hstack([variable.indicators() for variable in levels] or nothing),
        n_corner_variables=len(levels),
    )


def _measure(
    fit: Fit, t: FloatArray, varies: BoolArray, sides: tuple[IntArray, IntArray], level: float
) -> Outcome:
    """Return the largest t-statistic over the columns of the two sides, and its p-value.

    The p-value is that of the largest alone, times the number of pairs of columns. Shapes: t
    (n_columns of the first side, n_columns), varies (n_columns,).
    """
    both = np.concatenate(sides)
    rows = len(fit.residuals) - float(fit.degrees[both].max(initial=0.0))
    ours, theirs = (side[varies[side]] for side in sides)
    n_pairs = len(ours) * len(theirs)
    reason = too_few(rows, rows_needed(1, level / max(n_pairs, 1)))
    if not reason and not n_pairs:
        reason = NO_VARIATION
    if not reason and not fit.settled[both].all():
        reason = NOT_SETTLED
    if reason:
        return Outcome("gcm", reason=reason)
    # The columns of the first side come first of all, so that they are the rows of t.
    found = t[ours][:, theirs]
    largest = float(found.flat[np.abs(found).argmax()])
    p_value = min(1.0, n_pairs * 2.0 * float(stdtr(rows - 1.0, -abs(largest))))
    return Outcome("gcm", largest, p_value)


def _measure_columns(fit: Fit, t: FloatArray, varies: BoolArray, level: float) -> list[Outcome]:
    """Return what `_measure` says of the first column and each other one, all at once.

    Numbers are one column each, and a graph of hundreds of them has tens of thousands of pairs.
    Shapes: t (n_columns,), varies (n_columns,).
    """
    rows = len(fit.residuals) - np.maximum(fit.degrees[1:], fit.degrees[0])
    p_values = np.minimum(1.0, 2.0 * stdtr(rows - 1.0, -np.abs(t[1:])))
    needed = rows_needed(1, level)
    figures = zip(rows, t[1:], p_values, varies[1:] & varies[0], fit.settled[1:], strict=True)
    outcomes = []
    for left, statistic, p_value, both_vary, settled in figures:
        reason = too_few(left, needed) or ("" if both_vary else NO_VARIATION)
        reason = reason or ("" if settled and fit.settled[0] else NOT_SETTLED)
        outcome = Outcome("gcm", float(statistic), float(p_value))
        outcomes.append(Outcome("gcm", reason=reason) if reason else outcome)
    return outcomes


def t_statistics(fit: Fit, ours: IntArray, theirs: IntArray | slice = slice(None)) -> FloatArray:
    """Return the sum of the products of residuals over its standard error, for all pairs.

    A row that the fits follow closely leaves too little of its noise over. As in the third
    rule of MacKinnon and White (1985) its product is raised accordingly in the variance.
    Result: (n_ours, n_theirs).
    """
    raised = np.square(fit.residuals)
    raised /= np.maximum(fit.kept, LEAST_KEPT)
    sums = fit.residuals[:, ours].T @ fit.residuals[:, theirs]
    errors = np.sqrt(raised[:, ours].T @ raised[:, theirs])
    t: FloatArray = np.divide(sums, errors, out=np.zeros_like(sums), where=errors > 0.0)
    return t
