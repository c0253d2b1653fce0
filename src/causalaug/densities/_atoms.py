"""Values that have a probability of their own: a constant column, a dose that is often zero."""

from dataclasses import dataclass

import numpy as np

from causalaug.densities._base import Density, beside
from causalaug.densities._levels import LevelDensity
from causalaug.typing import FloatArray

FEWEST_AT_EDGE = 5
"""Fewer equal values on an edge are chance."""

LEAST_AT_EDGE = 0.1
"""The same as a share of all rows."""


@dataclass(frozen=True, eq=False)
class AtomDensity:
    """One value that has all the mass: a column that never varied."""

    value: float
    levels: FloatArray | None = None

    @property
    def atoms(self) -> FloatArray:
        """The value."""
        return np.array([self.value])

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return 0 at the value and -inf elsewhere."""
        return np.where(values == self.value, 0.0, -np.inf)

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return the value, as often as asked."""
        return np.full((len(pillow), n_points), self.value)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return the value for each row."""
        return np.full(len(pillow), self.value)


@dataclass(frozen=True, eq=False)
class EdgeDensity:
    """Values that pile up on an edge, and a density of all others: a dose of zero, or some."""

    at_edge: LevelDensity
    beyond: Density
    edge: float
    levels: FloatArray | None = None

    @property
    def atoms(self) -> FloatArray:
        """The edge."""
        return np.array([self.edge])

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-probability of the edge, and the log-density of other values."""
        log_share = beside(self.at_edge.log_probabilities(pillow), values)
        beyond = self.beyond.log_density(values, pillow)
        return np.where(values == self.edge, log_share[..., 1], log_share[..., 0] + beyond)

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return points of the values beyond the edge."""
        return self.beyond.cover(pillow, n_points)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return the edge for the first numbers, and other values for the rest."""
        share = np.exp(self.at_edge.log_probabilities(pillow)[:, 1])
        rest = np.clip((uniform - share) / np.maximum(1.0 - share, 1e-12), 0.0, 1.0)
        return np.where(uniform < share, self.edge, self.beyond.draw(pillow, rest))


def find_edge(values: FloatArray, share: FloatArray) -> float | None:
    """Return the smallest or largest value if values pile up there, and nowhere else.

    >>> dose = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.3, 2.2, 0.7, 4.1, 3.3])
    >>> find_edge(dose, np.full(10, 0.1))
    0.0
    """
    distinct, number = np.unique(values, return_inverse=True)
    counts, weight = np.bincount(number), np.bincount(number, share)
    at = 0 if weight[0] >= weight[-1] else len(distinct) - 1
    inside = np.delete(counts, at)
    piles_up = counts[at] >= FEWEST_AT_EDGE and weight[at] >= LEAST_AT_EDGE
    if len(inside) < 2 or not piles_up or inside.max() * 3 > counts[at]:
        return None
    return float(distinct[at])
