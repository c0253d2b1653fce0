"""One density of several fits of a number: the mean of what they say.

Holes are drawn, and each draw gives another fit. The mean over several is what a factor says once
the holes are integrated out, as far as so many draws can tell. Levels go by the last draw alone: to
weigh their rows five times doubled the time of a comparison on a mixed table (140 rows of 8
columns), and the gain of averaging was seen on tables of numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from causalaug.densities import Density, NoiseDensity
from causalaug.typing import FloatArray


@dataclass(frozen=True, eq=False)
class MixedDensity:
    """The mean of densities of a number that have the same atoms."""

    parts: tuple[Density, ...]
    levels: None = None

    @property
    def atoms(self) -> FloatArray:
        """Values of a number that have a probability of their own."""
        return self.parts[-1].atoms

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the logarithm of the mean density of each value."""
        return _log_mean([part.log_density(values, pillow) for part in self.parts])

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return points from the least to the largest of all parts, dense where theirs are."""
        covers = np.hstack([part.cover(pillow, n_points) for part in self.parts])
        places = np.linspace(0, covers.shape[1] - 1, n_points).round().astype(np.int64)
        points: FloatArray = np.sort(covers, axis=1)[:, places]
        return points

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return a value of one part for each number: the first of them for the lowest ones."""
        scaled = uniform * len(self.parts)
        chosen = np.minimum(scaled.astype(np.int64), len(self.parts) - 1)
        result = np.empty(len(uniform))
        for number, part in enumerate(self.parts):
            mine = np.flatnonzero(chosen == number)
            if len(mine):
                result[mine] = part.draw(pillow[mine], scaled[mine] - number)
        return result


@dataclass(frozen=True, eq=False)
class MixedNoise(MixedDensity):
    """The mean of densities of noise, which can be asked along one column as each of them can."""

    parts: tuple[NoiseDensity, ...]

    def held(self, pillow: FloatArray) -> "MixedNoise":
        """Return the density given rows of the pillow, whose numbers stand for them from now on."""
        return MixedNoise(tuple(part.held(pillow) for part in self.parts))

    def log_along(
        self, values: FloatArray, pillow: FloatArray, position: int, points: FloatArray
    ) -> FloatArray:
        """Return the log-density of each value with a column of its pillow at several points."""
        along = [part.log_along(values, pillow, position, points) for part in self.parts]
        return _log_mean(along)

    def location(self, pillow: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean centre and the mean scale at each row of the pillow."""
        centres, scales = zip(*(part.location(pillow) for part in self.parts), strict=True)
        return np.mean(centres, axis=0), np.mean(scales, axis=0)

    @property
    def is_even_around_centre(self) -> bool:
        """Whether the mean of each part is its centre."""
        return all(part.is_even_around_centre for part in self.parts)


def mix(densities: Sequence[Density]) -> Density:
    """Return the mean of several densities of a number; levels go by the last.

    Values that have a probability of their own in one fit have a density in another that did not
    see them pile up; such fits cannot be averaged, and those count that are like the last.
    """
    last = densities[-1]
    parts = tuple(each for each in densities if _is_like(each, last))
    if last.levels is not None or all(each is last for each in parts):
        return last
    noises = tuple(each for each in parts if isinstance(each, NoiseDensity))
    return MixedNoise(noises) if len(noises) == len(parts) else MixedDensity(parts)


def _is_like(density: Density, other: Density) -> bool:
    """Say whether two densities are of numbers, and have the same atoms."""
    is_number = density.levels is None and other.levels is None
    return is_number and np.array_equal(density.atoms, other.atoms)


def _log_mean(logs: Sequence[FloatArray]) -> FloatArray:
    """Return the logarithm of the mean of what some logarithms stand for.

    >>> _log_mean([np.log([1.0, 0.5]), np.array([-np.inf, np.log(1.5)])]).round(3)
    array([-0.693,  0.   ])
    """
    total: FloatArray = reduce(np.logaddexp, logs) - np.log(len(logs))
    return total
