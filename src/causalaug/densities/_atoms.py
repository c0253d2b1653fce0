"""Values that have a probability of their own: a constant column, a dose that is often zero."""

from dataclasses import dataclass

import numpy as np

from causalaug.densities._base import Along, Density, SlowWays, beside
from causalaug.densities._curves import FEWEST_ROWS
from causalaug.densities._levels import LevelDensity
from causalaug.typing import FloatArray

FEWEST_PILED_UP = 5
"""Fewer equal values are chance."""

LEAST_PILED_UP = 0.1
"""The same as a share of all rows."""


@dataclass(frozen=True, eq=False)
class AtomDensity(SlowWays):
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
class PileDensity(SlowWays):
    """Values that pile up at one number, and a density of all others: a dose of zero, or some."""

    at_pile: LevelDensity
    elsewhere: Density
    pile: float
    levels: FloatArray | None = None

    @property
    def atoms(self) -> FloatArray:
        """The number at which values pile up."""
        return np.array([self.pile])

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-probability of the pile, and the log-density of other values."""
        log_share = beside(self.at_pile.log_probabilities(pillow), values)
        elsewhere = self.elsewhere.log_density(values, pillow)
        return np.where(values == self.pile, log_share[..., 1], log_share[..., 0] + elsewhere)

    def along(self, values: FloatArray, pillow: FloatArray, position: int) -> Along:
        """Return the log-density along a column of the pillow, by the numbers of rows."""
        if self.at_pile.rows.n_rows < FEWEST_ROWS:
            return super().along(values, pillow, position)
        is_piled = values == self.pile
        share = self.at_pile.along(is_piled.astype(np.float64), pillow, position)
        elsewhere = self.elsewhere.along(values, pillow, position)
        return lambda rows, points: (
            share(rows, points)
            + np.where(is_piled[rows][:, np.newaxis], 0.0, elsewhere(rows, points))
        )

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return points of the values elsewhere."""
        return self.elsewhere.cover(pillow, n_points)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return the pile for the first numbers, and other values for the rest."""
        share = np.exp(self.at_pile.log_probabilities(pillow)[:, 1])
        rest = np.clip((uniform - share) / np.maximum(1.0 - share, 1e-12), 0.0, 1.0)
        return np.where(uniform < share, self.pile, self.elsewhere.draw(pillow, rest))


def find_pile(values: FloatArray, share: FloatArray) -> float | None:
    """Return the value at which values pile up, if they do so there and nowhere else.

    Mostly it is the smallest, a dose of zero. It may be any: a balance that is nearly always zero
    leaves residuals of nearly zero, and noise so small that other balances are next to impossible.

    >>> dose = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.3, 2.2, 0.7, 4.1, 3.3])
    >>> find_pile(dose, np.full(10, 0.1)), find_pile(dose - 1.0, np.full(10, 0.1))
    (0.0, -1.0)
    """
    distinct, number = np.unique(values, return_inverse=True)
    counts, weight = np.bincount(number), np.bincount(number, share)
    at = int(np.argmax(weight))
    others = np.delete(counts, at)
    piles_up = counts[at] >= FEWEST_PILED_UP and weight[at] >= LEAST_PILED_UP
    if len(others) < 2 or not piles_up or others.max() * 3 > counts[at]:
        return None
    return float(distinct[at])
