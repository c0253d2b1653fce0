"""Rules that choose the bandwidth of a column from its values: pure functions."""

import math
from collections.abc import Callable

import numpy as np

from causalaug.typing import FloatArray

NORMAL_REFERENCE = (4.0 / 3.0) ** 0.2
IQR_OF_STANDARD_NORMAL = 1.349


def silverman(values: FloatArray, counts: FloatArray | None = None) -> float:
    """Return Silverman's rule ``(4/3)^(1/5) * A * n^(-1/5)``, with a spread `A` outliers spare.

    `A` is the smaller of the standard deviation (``ddof=1``) and the interquartile range
    over 1.349; where more than half of the values are equal and that range is zero, `A`
    is the standard deviation. A constant column gives 0: exact match. A value counts as often as
    `counts` says.

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
    scale = _power_of_two(values)
    order = np.argsort(values, kind="stable")
    ordered = values[order] / scale
    counts = None if counts is None else counts[order]
    deviation = _standard_deviation(ordered, counts)
    middle = _quantile(ordered, 0.75, counts) - _quantile(ordered, 0.25, counts)
    robust = middle / IQR_OF_STANDARD_NORMAL
    spread = min(deviation, robust) if robust > 0.0 else deviation
    return float(NORMAL_REFERENCE * spread * _number(values, counts) ** -0.2 * scale)


def scott(values: FloatArray, counts: FloatArray | None = None) -> float:
    """Return ``(4/3)^(1/5) * sd * n^(-1/5)``: the normal reference rule, outliers and all."""
    scale = _power_of_two(values)
    deviation = _standard_deviation(values / scale, counts)
    return float(NORMAL_REFERENCE * deviation * _number(values, counts) ** -0.2 * scale)


def _number(values: FloatArray, counts: FloatArray | None) -> float:
    return len(values) if counts is None else float(counts.sum())


def _quantile(ordered: FloatArray, level: float, counts: FloatArray | None = None) -> float:
    """Return a quantile of sorted values, interpolated linearly."""
    n = _number(ordered, counts)
    position = level * (n - 1)
    below = int(position)
    above = min(below + 1, n - 1)
    if counts is None:
        low, high = ordered[below], ordered[int(above)]
    else:
        low, high = ordered[np.searchsorted(np.cumsum(counts), [below, above], side="right")]
    return float(low + (position - below) * (high - low))


def _power_of_two(values: FloatArray) -> float:
    """Return a power of two near the largest value: dividing by it loses nothing.

    Squares of very large or very small numbers would leave the range of a double.
    """
    largest = float(np.abs(values).max(initial=0.0))
    _, exponent = math.frexp(largest)
    return math.ldexp(1.0, min(max(exponent, -1000), 1000)) if largest > 0.0 else 1.0


def _standard_deviation(values: FloatArray, counts: FloatArray | None = None) -> float:
    constant = len(values) < 2 or values.min() == values.max()
    if constant or counts is None:
        return 0.0 if constant else float(np.std(values, ddof=1))
    total = float(counts.sum())
    squares = np.square(values - counts @ values / total)
    return float(np.sqrt(counts @ squares / (total - 1.0)))


BANDWIDTH_RULES: dict[str, Callable[[FloatArray, FloatArray | None], float]] = {
    "silverman": silverman,
    "scott": scott,
}


def aitchison_aitken_smoothing(n_rows: float, n_values: int) -> float:
    """Return the part ``n^(-2/5) (c - 1) / c`` of the weight that leaves the observed value.

    It shrinks at the rate that is optimal for categorical kernels; ``(c - 1) / c`` would
    weigh all `c` values alike.
    """
    return float(n_rows**-0.4 * (n_values - 1) / n_values)


def li_racine_step(n_rows: float) -> float:
    """Return ``n^(-2/5)``, the weight of the next rank, at the same rate as for categories."""
    return float(n_rows**-0.4)
