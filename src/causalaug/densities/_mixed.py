"""A mixture of densities of one variable is a density, whatever the pillows of its parts.

Two things are averaged. Holes are drawn, and each draw gives another fit; the mean over several is
what a factor says once the holes are integrated out, as far as so many draws can tell. And a graph
need not be right: a factor may be the graph's own, mixed with one that knows more variables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from causalaug.densities._base import Along, Density
from causalaug.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class MixedDensity:
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

    @property
    def levels(self) -> FloatArray | None:
        """The only values that have a probability; None for a number."""
        return self.parts[-1].levels

    @property
    def atoms(self) -> FloatArray:
        """Values of a number that have a probability of their own."""
        return self.parts[-1].atoms

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the logarithm of the mean density of each value."""
        pairs = zip(self.parts, self.columns, strict=True)
        return self._log_mean([part.log_density(values, pillow[:, own]) for part, own in pairs])

    def log_along(
        self, values: FloatArray, pillow: FloatArray, position: int, points: FloatArray
    ) -> FloatArray:
        """Return the log-density of each value with a column of its pillow at several points."""
        logs = []
        for part, own in zip(self.parts, self.columns, strict=True):
            (places,) = np.nonzero(own == position)
            if len(places):
                logs.append(part.log_along(values, pillow[:, own], int(places[0]), points))
            else:
                # The part does not know the column: all points are the same to it.
                alike = part.log_density(values, pillow[:, own])
                logs.append(np.broadcast_to(alike[:, np.newaxis], points.shape))
        return self._log_mean(logs)

    def along(self, values: FloatArray, pillow: FloatArray, position: int) -> Along:
        """Return the log-density along a column of the pillow, by the numbers of rows."""
        parts = []
        for part, own in zip(self.parts, self.columns, strict=True):
            (places,) = np.nonzero(own == position)
            if len(places):
                parts.append(part.along(values, pillow[:, own], int(places[0])))
            else:
                parts.append(_constant(part.log_density(values, pillow[:, own])))
        return lambda rows, points: self._log_mean([part(rows, points) for part in parts])

    def held(self, pillow: FloatArray) -> "MixedDensity":
        """Return the density given rows of the pillow, whose numbers stand for them from now on."""
        pairs = zip(self.parts, self.columns, strict=True)
        parts = tuple(part.held(pillow[:, own]) for part, own in pairs)
        return MixedDensity(parts, self.weights, (np.zeros(1, dtype=np.int64),) * len(parts))

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
