"""The result of every expansion."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from causalaug.typing import FloatArray, IntArray

ROUNDING = 1e-12
"""Mass that may be missing from a sum of very many weights although nothing was dropped."""


@dataclass(frozen=True, eq=False)
class Paths:
    """Weighted paths through the probability tree.

    Parameters
    ----------
    rows : int array of shape (n_paths, n_columns)
        The row number that each cell is copied from, in the column order of the table.
    log_weights : float array of shape (n_paths,)
        Logarithms of the weights.
    """

    rows: IntArray
    log_weights: FloatArray

    @cached_property
    def weights(self) -> FloatArray:
        """The weights."""
        return np.exp(self.log_weights)

    @cached_property
    def dropped_mass(self) -> float:
        """What is missing from one.

        It is the mass of the paths that were pruned, or that ended where a conditional
        vanishes on all rows.
        """
        missing = 1.0 - float(self.weights.sum())
        return missing if missing > ROUNDING else 0.0

    def __len__(self) -> int:
        """Return the number of paths."""
        return len(self.log_weights)
