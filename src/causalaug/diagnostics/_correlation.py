"""Correlation of two columns once others are held fixed by straight lines."""

import numpy as np
from scipy import stats

from causalaug.diagnostics._outcome import Outcome, rows_needed, too_few
from causalaug.diagnostics._smoothing import regress_straight
from causalaug.typing import FloatArray

NO_VARIATION = "nothing varies once the pillow is held fixed"


def partial_correlations(
    target: FloatArray, others: FloatArray, given: FloatArray, level: float
) -> list[Outcome]:
    """Test the partial correlation of the target with each of the others.

    Exact if all are jointly normal. Shapes: target (n_rows,), others (n_rows, n_others),
    given (n_rows, n_given).
    """
    return [
        _outcome("partial_correlation", r, degrees, level)
        for r, degrees in zip(*_correlate(target, others, given), strict=True)
    ]


def rank_correlations(target: FloatArray, others: FloatArray, level: float) -> list[Outcome]:
    """Test the correlation of normal scores, which outliers and heavy tails cannot upset.

    Shapes: target (n_rows,), others (n_rows, n_others), both normal scores.
    """
    nothing = np.empty((len(target), 0))
    return [
        _outcome("rank_correlation", r, degrees, level)
        for r, degrees in zip(*_correlate(target, others, nothing), strict=True)
    ]


def _correlate(
    target: FloatArray, others: FloatArray, given: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the partial correlations, NaN without variation, and the rows they go by."""
    fit = regress_straight(np.column_stack([target, others]), given)
    sizes = np.sqrt(np.square(fit.residuals).sum(axis=0))
    directions = fit.residuals / np.where(sizes > 0.0, sizes, np.nan)
    correlations = np.clip(directions[:, 0] @ directions[:, 1:], -1.0, 1.0)
    return correlations, len(target) - fit.degrees[1:]


def _outcome(test: str, correlation: float, rows: float, level: float) -> Outcome:
    """Return the result of the t-test of a correlation; its degrees of freedom are rows - 1."""
    reason = too_few(rows, rows_needed(1, level))
    if reason or np.isnan(correlation):
        return Outcome(test, reason=reason or NO_VARIATION)
    with np.errstate(divide="ignore"):
        t = np.abs(correlation) * np.sqrt((rows - 1.0) / (1.0 - correlation**2))
    return Outcome(test, float(correlation), float(2.0 * stats.t.sf(t, rows - 1.0)))
