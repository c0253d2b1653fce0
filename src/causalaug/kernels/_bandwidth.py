"""Rules that choose a bandwidth from a column: pure functions on arrays."""

import math
from collections.abc import Callable

import numpy as np

from causalaug.typing import FloatArray

NORMAL_REFERENCE = (4.0 / 3.0) ** 0.2
IQR_OF_STANDARD_NORMAL = 1.349


def silverman(values: FloatArray) -> float:
    """Return ``(4/3)^(1/5) * A * n^(-1/5)``, where `A` is a spread that outliers do not move.

    `A` is the smaller of the standard deviation (``ddof=1``) and the interquartile range
    over 1.349; where more than half of the values are equal and that range is zero, `A`
    is the standard deviation. A constant column gives 0: exact match.

    Examples
    --------
    One gross outlier hardly moves the bandwidth:

    >>> import numpy as np
    >>> calm = np.linspace(0.0, 1.0, 101)
    >>> round(silverman(calm), 3)
    0.123
    >>> round(silverman(np.append(calm, 1000.0)), 3)
    0.157
    """
    scale = _scale(values)
    ordered = np.sort(values / scale)
    deviation = _standard_deviation(ordered)
    robust = (_quantile(ordered, 0.75) - _quantile(ordered, 0.25)) / IQR_OF_STANDARD_NORMAL
    spread = min(deviation, robust) if robust > 0.0 else deviation
    return float(NORMAL_REFERENCE * spread * len(values) ** -0.2 * scale)


def scott(values: FloatArray) -> float:
    """Return ``(4/3)^(1/5) * sd * n^(-1/5)``: the normal reference rule, outliers and all."""
    scale = _scale(values)
    deviation = _standard_deviation(values / scale)
    return float(NORMAL_REFERENCE * deviation * len(values) ** -0.2 * scale)


def _quantile(ordered: FloatArray, share: float) -> float:
    """Return the value at a share of the way through sorted values, interpolated linearly."""
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (position - below) * (ordered[above] - ordered[below]))


def _scale(values: FloatArray) -> float:
    """Return a power of two near the largest value: dividing by it loses nothing.

    Squares of very large or very small numbers would leave the range of a double.
    """
    largest = float(np.abs(values).max(initial=0.0))
    _, exponent = math.frexp(largest)
    return math.ldexp(1.0, min(max(exponent, -1000), 1000)) if largest > 0.0 else 1.0


def _standard_deviation(values: FloatArray) -> float:
    constant = len(values) < 2 or values.min() == values.max()
    return 0.0 if constant else float(np.std(values, ddof=1))


def aitchison_aitken_smoothing(n_rows: int, n_values: int) -> float:
    """Return the share ``n^(-2/5) (c - 1) / c`` of the weight that leaves the observed value.

    It shrinks at the rate that is optimal for categorical kernels; ``(c - 1) / c`` would
    weigh all `c` values alike.
    """
    return float(n_rows**-0.4 * (n_values - 1) / n_values)


BANDWIDTH_RULES: dict[str, Callable[[FloatArray], float]] = {
    "silverman": silverman,
    "scott": scott,
}
