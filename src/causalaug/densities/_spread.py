"""The standard deviation of weighted rows, whatever the unit: 1e300 or 1e-300."""

import numpy as np

from causalaug.typing import FloatArray


def spread(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the standard deviation of weighted rows, of each column if there are several."""
    share = weights / weights.sum()
    return _deviation(values - share @ values, share)


def unit_of(away: FloatArray, share: FloatArray) -> float:
    """Return the standard deviation of centred values, or 1 if they do not vary."""
    return float(_deviation(away, share)) or 1.0


def _deviation(away: FloatArray, share: FloatArray) -> FloatArray:
    """Return the root of the mean square, in a unit that makes values about one.

    The unit is a power of two: to divide by it rounds nothing.
    """
    unit = np.ldexp(1.0, np.frexp(np.abs(away).max(axis=0))[1] - 1)
    deviation: FloatArray = unit * np.sqrt(share @ np.square(away / unit))
    return deviation
