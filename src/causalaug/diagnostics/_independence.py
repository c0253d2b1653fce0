"""Tests of independence that see columns as numbers: correlations, GCM, and the kernel test.

The generalised covariance measure of Shah and Peters (2020) regresses both sides on what is held
fixed, and tests whether the product of the residuals has mean zero. Neither normal nor equal noise
is assumed; the regressions have to be good. The kernel test (Zhang et al., 2011) is that of
causal-learn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import optimize, stats
from scipy.special import stdtr

from causalaug._optional import import_optional
from causalaug.diagnostics._coding import Variable
from causalaug.diagnostics._smoothing import Fit, Regressors, regress, regress_straight
from causalaug.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Outcome:
    """The result of a test, or why there is none.

    Parameters
    ----------
    test : str
        The name of the test.
    statistic : float
        What the test measures.
    p_value : float
        Its probability, if the independence holds, to be at least as far out.
    reason : str
        Why the test cannot tell; empty if it can.
    """

    test: str
    statistic: float = float("nan")
    p_value: float = float("nan")
    reason: str = ""


@lru_cache(maxsize=1024)
def rows_needed(degrees: int, level: float) -> int:
    """Return how many rows find a large effect every other time, at the given level.

    The test is chi-squared with the given degrees of freedom; `n` rows and a correlation
    ``r`` give it the noncentrality ``n r^2``. With fewer rows silence means nothing.
    """
    critical = float(stats.chi2.isf(level, degrees))
    noncentrality = optimize.brentq(
        lambda value: float(stats.ncx2.sf(critical, degrees, value)) - 0.5,
        1e-9,
        critical + 10.0,
    )
    # A correlation of a half is "large" in the words of Cohen.
    return int(np.ceil(noncentrality / 0.5**2))


def too_few(rows: float, needed: int) -> str:
    """Return the reason if there are fewer rows than needed, else nothing."""
    return f"rows to go by: {max(int(rows), 0)}, needed: {needed}" if rows < needed else ""


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
    t = t_statistics(fit, places[0])
    varies = np.any(fit.residuals, axis=0)
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


def t_statistics(fit: Fit, ours: IntArray) -> FloatArray:
    """Return the sum of the products of residuals over its standard error, with all columns.

    A row that the fits follow closely leaves too little of its noise over. As in the third
    rule of MacKinnon and White (1985) its product is raised accordingly in the variance.
    Result: (n_ours, n_columns).
    """
    raised = np.square(fit.residuals)
    # Rows that a fit follows more closely than this have no residual to speak of.
    raised /= np.maximum(fit.kept, 0.05)
    sums = fit.residuals[:, ours].T @ fit.residuals
    errors = np.sqrt(raised[:, ours].T @ raised)
    t: FloatArray = np.divide(sums, errors, out=np.zeros_like(sums), where=errors > 0.0)
    return t


def kernel_tests(
    target: Variable, others: Sequence[Variable], pillow: Sequence[Variable], level: float
) -> list[Outcome]:
    """Test the target against each of the others, the pillow held fixed."""
    kci = import_optional(
        "causallearn.utils.KCI.KCI", extra="kci", purpose="The test 'kci' of `check_graph`"
    )
    held = [variable.columns() for variable in pillow if variable.varies]
    rows = len(target.values) - sum(block.shape[1] for block in held)
    reason = too_few(rows, rows_needed(1, level))
    if not reason and not target.varies:
        reason = NO_VARIATION
    outcomes = []
    for other in others:
        if reason or not other.varies:
            outcomes.append(Outcome("kci", reason=reason or NO_VARIATION))
            continue
        test = kci.KCI_CInd() if held else kci.KCI_UInd()
        sides = [target.columns(), other.columns(), *([np.hstack(held)] if held else [])]
        p_value, statistic = test.compute_pvalue(*sides)
        outcomes.append(Outcome("kci", float(statistic), float(p_value)))
    return outcomes
