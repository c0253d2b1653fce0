"""Kernels of one variable, as logarithms, up to a constant factor.

The factor does not matter: the weights of the rows are normalised to one afterwards.
"""

from collections.abc import Callable

import numpy as np

from causalaug.typing import FloatArray

LogKernel = Callable[[FloatArray], FloatArray]


def log_epanechnikov(scaled: FloatArray) -> FloatArray:
    """Return ``log(1 - u^2)``, ``-inf`` from a distance of one bandwidth on."""
    return _log_compact(np.square(scaled), power=1)


def log_biweight(scaled: FloatArray) -> FloatArray:
    """Return ``2 log(1 - u^2)``, ``-inf`` from a distance of one bandwidth on."""
    return _log_compact(np.square(scaled), power=2)


def log_triweight(scaled: FloatArray) -> FloatArray:
    """Return ``3 log(1 - u^2)``, ``-inf`` from a distance of one bandwidth on."""
    return _log_compact(np.square(scaled), power=3)


def log_tricube(scaled: FloatArray) -> FloatArray:
    """Return ``3 log(1 - |u|^3)``, ``-inf`` from a distance of one bandwidth on."""
    return _log_compact(np.minimum(np.abs(scaled), 1.0) ** 3, power=3)


def _log_compact(distance: FloatArray, power: int) -> FloatArray:
    with np.errstate(divide="ignore"):
        log_kernel: FloatArray = power * np.log1p(-np.minimum(distance, 1.0))
    return log_kernel


COMPACT_KERNELS: dict[str, LogKernel] = {
    "epanechnikov": log_epanechnikov,
    "biweight": log_biweight,
    "triweight": log_triweight,
    "tricube": log_tricube,
}
"""Kernels that vanish from a distance of one bandwidth on."""

CONTINUOUS_KERNELS = ("gaussian", *COMPACT_KERNELS)
"""Kernels on a distance, by name."""

DISCRETE_KERNELS = ("identity", "aitchison_aitken")
"""Kernels that only ask whether two values are equal."""


def aitchison_aitken_log_odds(smoothing: float, n_values: int) -> float:
    """Return the log-weight of an unequal value against an equal one; never above zero.

    An equal value weighs ``1 - smoothing``, each of the ``n_values - 1`` others
    ``smoothing / (n_values - 1)``. No smoothing is exact matching, hence ``-inf``;
    smoothing by ``(n_values - 1) / n_values`` makes all values equal, hence 0.
    """
    if smoothing == 0.0 or n_values < 2:
        return -np.inf
    return min(0.0, float(np.log(smoothing / (n_values - 1)) - np.log1p(-smoothing)))
