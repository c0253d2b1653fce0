"""What one test of one independence has to say."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import optimize, stats

LARGE_EFFECT = 0.5
"""A correlation that a test must be able to find to be heard: Cohen's "large"."""


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
    return int(np.ceil(noncentrality / LARGE_EFFECT**2))


def too_few(rows: float, needed: int) -> str:
    """Return the reason if there are fewer rows than needed, else nothing."""
    return f"rows to go by: {max(int(rows), 0)}, needed: {needed}" if rows < needed else ""
