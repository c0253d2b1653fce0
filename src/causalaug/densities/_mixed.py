"""Densities that are made of others: of all rows but those at one value, within limits, mixed.

A mixture of densities of one variable is a density, whatever the pillows of its parts. Two things
are averaged. Holes are drawn, and each draw gives another fit; the mean over several is what a
factor says once the holes are integrated out, as far as so many draws can tell. And a graph need
not be right: a factor may be the graph's own, mixed with one that knows more variables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from causalaug.densities._base import Along, Density, beside
from causalaug.densities._curves import FEWEST_ROWS
from causalaug.densities._levels import LevelDensity
from causalaug.densities._transform import PlainTransform
from causalaug.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class AtomDensity(Density):
    """One value that has all the mass: a column that never varied."""

    value: float

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
class PileDensity(Density):
    """Values that pile up at one number, and a density of all others: a dose of zero, or some."""

    at_pile: LevelDensity
    elsewhere: Density
    pile: float

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
    piles_up = counts[at] >= 5 and weight[at] >= 0.1  # fewer equal values are chance
    if len(others) < 2 or not piles_up or others.max() * 3 > counts[at]:
        return None
    return float(distinct[at])


@dataclass(frozen=True, eq=False)
class ReflectedDensity(Density):
    """What would leave the limits is reflected: a price is not negative, and none piles up at 0."""

    density: Density
    limits: PlainTransform

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value, ``-inf`` beyond the limits."""
        return self.limits.log_density(lambda own: self.density.log_density(own, pillow), values)

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
        return self.limits.clipped(self.density.cover(pillow, n_points))

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return what the density draws, within the limits."""
        return self.limits.inverse(self.density.draw(pillow, uniform))


@dataclass(frozen=True, eq=False)
class MixedDensity(Density):
    """The weighted mean of densities that have the same levels and the same atoms.

    Parameters
    ----------
    parts : tuple of Density
        The densities.
    weights : array of shape (n_parts,)
        Positive, summing to one.
    columns : tuple of int arrays
        For each part, which columns of the pillow are its own, in its order.
    """

    parts: tuple[Density, ...]
    weights: FloatArray
    columns: tuple[IntArray, ...]

    def __post_init__(self) -> None:
        """Take the levels of the parts."""
        object.__setattr__(self, "levels", self.parts[-1].levels)

    @property
    def atoms(self) -> FloatArray:
        """Values of a number that have a probability of their own."""
        return self.parts[-1].atoms

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the logarithm of the mean density of each value."""
        pairs = zip(self.parts, self.columns, strict=True)
        return self._log_mean([part.log_density(values, pillow[:, own]) for part, own in pairs])

    def given(self, pillow: FloatArray) -> Along:
        """Return the log-density of values given rows of the pillow, however often it is asked."""
        pairs = zip(self.parts, self.columns, strict=True)
        return self._mean_of([part.given(pillow[:, own]) for part, own in pairs])

    def along(self, values: FloatArray, pillow: FloatArray, position: int) -> Along:
        """Return the log-density along a column of the pillow, by the numbers of rows."""
        parts = []
        for part, own in zip(self.parts, self.columns, strict=True):
            (places,) = np.nonzero(own == position)
            if len(places):
                parts.append(part.along(values, pillow[:, own], int(places[0])))
            else:
                parts.append(_constant(part.log_density(values, pillow[:, own])))
        return self._mean_of(parts)

    def centre(self, pillow: FloatArray) -> FloatArray | None:
        """Return the mean of the parts' means, if no integral is needed for any."""
        total = np.zeros(len(pillow))
        for part, weight, own in zip(self.parts, self.weights, self.columns, strict=True):
            centre = part.centre(pillow[:, own])
            if centre is None:
                return None
            total += weight * centre
        return total

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return points from the least to the largest of all parts, dense where theirs are."""
        if self.levels is not None:
            return self.parts[-1].cover(pillow[:, self.columns[-1]], n_points)
        pairs = zip(self.parts, self.columns, strict=True)
        covers = np.hstack([part.cover(pillow[:, own], n_points) for part, own in pairs])
        places = np.linspace(0, covers.shape[1] - 1, n_points).round().astype(np.int64)
        points: FloatArray = np.sort(covers, axis=1)[:, places]
        return points

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return a value of one part for each number: the first of them for the lowest ones."""
        ends = np.cumsum(self.weights)
        chosen = np.minimum(np.searchsorted(ends, uniform, side="right"), len(ends) - 1)
        # Where in its part of the unit interval each number lies.
        inside = (uniform - (ends - self.weights)[chosen]) / self.weights[chosen]
        result = np.empty(len(uniform))
        for number, (part, own) in enumerate(zip(self.parts, self.columns, strict=True)):
            mine = np.flatnonzero(chosen == number)
            if len(mine):
                result[mine] = part.draw(pillow[mine][:, own], np.clip(inside[mine], 0.0, 1.0))
        return result

    def _mean_of(self, parts: Sequence[Along]) -> Along:
        return lambda rows, points: self._log_mean([part(rows, points) for part in parts])

    def _log_mean(self, logs: Sequence[FloatArray]) -> FloatArray:
        """Return the logarithm of the weighted mean of what some logarithms stand for."""
        weighted = [log + np.log(w) for log, w in zip(logs, self.weights, strict=True)]
        total: FloatArray = reduce(np.logaddexp, weighted)
        return total


def _constant(logs: FloatArray) -> Along:
    """Return what a density says that does not know the column: all points are the same to it."""
    return lambda rows, points: np.broadcast_to(logs[rows][:, np.newaxis], points.shape)


def mix_draws(densities: Sequence[Density], n_columns: int) -> Density:
    """Return the mean of several fits of a number to different draws; levels go by the last.

    To weigh the rows of levels five times doubled the time of a comparison on a mixed table (140
    rows of 8 columns), and the gain of averaging was seen on tables of numbers. Values that have a
    probability of their own in one fit have a density in another that did not see them pile up;
    such fits cannot be averaged, and those count that are like the last.
    """
    last = densities[-1]
    parts = tuple(each for each in densities if is_like(each, last))
    if last.levels is not None or all(each is last for each in parts):
        return last
    columns = (np.arange(n_columns),) * len(parts)
    return MixedDensity(parts, np.full(len(parts), 1.0 / len(parts)), columns)


def is_like(density: Density, other: Density) -> bool:
    """Say whether two densities are of the same levels, or of numbers with the same atoms."""
    if density.levels is None or other.levels is None:
        are_numbers = density.levels is None and other.levels is None
        return are_numbers and np.array_equal(density.atoms, other.atoms)
    return np.array_equal(density.levels, other.levels)


def stacking_weights(log_densities: FloatArray, row_weights: FloatArray) -> FloatArray:
    """Return the weights of a mixture under which left-out rows are likeliest.

    Shapes: log_densities (n_rows, n_parts), row_weights (n_rows,), result (n_parts,). Every part
    has seen one row more than there are, which it alone explains: with few rows no part is
    dismissed. The likelihood has one maximum, to which the EM algorithm climbs.

    >>> even = np.log([[0.5, 0.5], [0.2, 0.2]])
    >>> stacking_weights(even, np.ones(2))
    array([0.5, 0.5])
    >>> stacking_weights(np.log([[0.9, 0.1]] * 8), np.ones(8)).round(2)
    array([0.89, 0.11])
    """
    n_parts = log_densities.shape[1]
    relative = np.exp(log_densities - log_densities.max(axis=1, keepdims=True))
    weights: FloatArray = np.full(n_parts, 1.0 / n_parts)
    total = float(row_weights.sum()) + n_parts
    while True:
        explained = relative * weights
        explained /= explained.sum(axis=1, keepdims=True)
        better: FloatArray = (row_weights @ explained + 1.0) / total
        if np.abs(better - weights).max() < 1e-6:
            return better
        weights = better
