"""A density of numbers within the limits of their column."""

from dataclasses import dataclass

import numpy as np

from causalaug.densities._base import Density
from causalaug.densities._transform import PlainTransform
from causalaug.typing import FloatArray


@dataclass(frozen=True, eq=False)
class ReflectedDensity:
    """What would leave the limits is reflected: a price is not negative, and none piles up at 0."""

    density: Density
    limits: PlainTransform
    levels: FloatArray | None = None

    @property
    def atoms(self) -> FloatArray:
        """Those of the density."""
        return self.density.atoms

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value, ``-inf`` beyond the limits."""
        return self.limits.log_reflected(lambda own: self.density.log_density(own, pillow), values)

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return the points of the density, moved within the limits."""
        # Reflected points would not be ascending.
        return np.clip(self.density.cover(pillow, n_points), self.limits.low, self.limits.high)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return what the density draws, within the limits."""
        return self.limits.inverse(self.density.draw(pillow, uniform))
