"""How large numbers, targets and weights may be, and the errors where they are larger."""

import numpy as np

from causalaug.exceptions import ParameterError
from causalaug.typing import FloatArray

LARGEST_NUMBER = 1e100
"""Cells may not be larger: squares and cubes of differences must not overflow double precision
(1e308)."""

LARGEST_FOR_LEARNERS = 1e30
"""The target of a regression, and weights, may not be larger, nor smaller than one part of it:
gradient boosting and most neural networks keep gradients, which are weight times target, in
single precision (3e38), and squares that vanish would be called no loss."""

LARGEST_WEIGHT = 1e300
"""Weights of rows that no learner sees: only their ratios are computed with."""

LARGEST = float(np.finfo(np.float64).max)
"""Stands for no limit."""

FAR = 2.0**26
"""Numbers that are farther from zero than this, in units of how much they differ, have less than
half of their 53 digits left for the differences: the squares of which are lost in a sum."""


def check_weight_range(name: str, weights: FloatArray, most: float = LARGEST_FOR_LEARNERS) -> None:
    """Raise unless all weights that are not zero are neither huge nor tiny, also by comparison."""
    counted = weights[weights > 0.0]
    least, largest = float(counted.min()), float(counted.max())
    if largest > most or least < 1.0 / most or least / largest < 1.0 / LARGEST_WEIGHT:
        raise ParameterError(
            f"{name} must lie between {1.0 / most:g} and {most:g}, and none be smaller than "
            f"another by {LARGEST_WEIGHT:g} times, or their sums overflow or vanish. Found values "
            f"from {least:g} to {largest:g}. Divide them by a constant, and drop rows that do not "
            "count."
        )


def check_regressed(name: str, target: FloatArray) -> None:
    """Raise unless the target of a regression is within what a learner can square and sum.

    Cells that are missing or infinite are none of its business.
    """
    there = target[np.isfinite(target)]
    if not len(there):
        return
    # Halved, since the difference of two large numbers may overflow.
    largest = float(np.abs(there).max())
    spread = 2.0 * float(min(there.max() / 2.0 - there.min() / 2.0, LARGEST_FOR_LEARNERS))
    if largest > LARGEST_FOR_LEARNERS or 0.0 < spread < 1.0 / LARGEST_FOR_LEARNERS:
        raise ParameterError(
            f"The target of a regression must be at most {LARGEST_FOR_LEARNERS:g} and differ by at "
            f"least {1.0 / LARGEST_FOR_LEARNERS:g}: many learners compute in single precision. "
            f"Found values up to {largest:g} that differ by up to {spread:g} in {name!r}. "
            "Express it in another unit."
        )
