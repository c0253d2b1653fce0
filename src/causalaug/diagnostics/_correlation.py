"""Correlation of two columns once others are held fixed by straight lines."""

import numpy as np
from scipy.special import stdtr

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
    return _outcomes("partial_correlation", *_correlate(target, others, given), level)


def rank_correlations(target: FloatArray, others: FloatArray, level: float) -> list[Outcome]:
    """Test the correlation of normal scores, which outliers and heavy tails cannot upset.

    Shapes: target (n_rows,), others (n_rows, n_others), both normal scores.
    """
    nothing = np.empty((len(target), 0))
    return _outcomes("rank_correlation", *_correlate(target, others, nothing), level)


def _correlate(
    target: FloatArray, others: FloatArray, given: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the partial correlations, NaN without variation, and the rows they go by."""
    fit = regress_straight(np.column_stack([target, others]), given)
    sizes = np.sqrt(np.square(fit.residuals).sum(axis=0))
    directions = fit.residuals / np.where(sizes > 0.0, sizes, np.nan)
    correlations = np.clip(directions[:, 0] @ directions[:, 1:], -1.0, 1.0)
    return correlations, len(target) - fit.degrees[1:]


def _outcomes(test: str, correlations: FloatArray, rows: FloatArray, level: float) -> list[Outcome]:
    """Return the results of t-tests of correlations; their degrees of freedom are rows - 1."""
    needed = rows_needed(1, level)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(correlations) * np.sqrt((rows - 1.0) / (1.0 - correlations**2))
    p_values = 2.0 * stdtr(rows - 1.0, -t)
    reasons = [
        too_few(each, needed) or (NO_VARIATION if np.isnan(r) else "")
        for each, r in zip(rows.tolist(), correlations.tolist(), strict=True)
    ]
    return [
        Outcome(test, reason=reason) if reason else Outcome(test, r, p)
        for reason, r, p in zip(reasons, correlations.tolist(), p_values.tolist(), strict=True)
    ]
