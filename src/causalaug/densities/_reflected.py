"""A density of numbers within the limits of their column."""

from dataclasses import dataclass
from functools import reduce

import numpy as np

from causalaug.densities._base import Along, Density, SlowWays
from causalaug.densities._transform import PlainTransform
from causalaug.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ReflectedDensity(SlowWays):
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

    def along(self, values: FloatArray, pillow: FloatArray, position: int) -> Along:
        """Return the log-density along a column of the pillow, by the numbers of rows.

        What is reflected at a limit is asked for once, whatever the points.
        """
        images = [values, *self.limits.mirrored(values)]
        parts = [self.density.along(image, pillow, position) for image in images]
        holds = self.limits.holds(values)

        def at(rows: IntArray, points: FloatArray) -> FloatArray:
            logs: FloatArray = reduce(np.logaddexp, [part(rows, points) for part in parts])
            return np.where(holds[rows][:, np.newaxis], logs, -np.inf)

        return at

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return the points of the density, moved within the limits."""
        # Reflected points would not be ascending.
        return np.clip(self.density.cover(pillow, n_points), self.limits.low, self.limits.high)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return what the density draws, within the limits."""
        return self.limits.inverse(self.density.draw(pillow, uniform))
