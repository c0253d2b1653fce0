"""Names for the array types that the signatures use."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoolArray", "FloatArray", "IntArray"]

FloatArray: TypeAlias = NDArray[np.float64]
"""Real values, weights or log-weights."""

IntArray: TypeAlias = NDArray[np.integer[Any]]
"""Row numbers, codes, counts or offsets."""

BoolArray: TypeAlias = NDArray[np.bool_]
"""A mask."""
