"""Many tests at once: the correction of Holm (1979)."""

import numpy as np

from causalaug.typing import FloatArray


def holm(p_values: FloatArray) -> FloatArray:
    """Return corrected p-values: rejecting those below alpha errs at all with at most alpha.

    NaN stands for no test, takes no part and stays.

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03]))
    array([0.03, 0.06,  nan, 0.06])
    """
    corrected = np.full(len(p_values), np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    ascending = tested[np.argsort(p_values[tested], kind="stable")]
    factors = np.arange(len(ascending), 0, -1)
    steps = np.maximum.accumulate(factors * p_values[ascending])
    corrected[ascending] = np.minimum(steps, 1.0)
    return corrected
