"""The features that a mean is a linear function of: inputs, and Gaussian bumps at landmarks.

Bumps are of one input at a time (a sum of curves) or of all together (a surface, with
interactions). There is a fixed number of landmarks, so that the cost of fitting and of predicting
is linear in the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.linalg import lapack
from scipy.spatial.distance import cdist

from causalaug.typing import BoolArray, FloatArray, IntArray

MOST_LANDMARKS = 64
"""Centres of the bumps of a surface, before those are left out that the others span."""

MOST_ON_A_CURVE = 40
"""The same of a curve: one input needs fewer."""

CURVE_LENGTHS = (0.5, 1.0)
"""Widths of the bumps of curves that are tried, in standard deviations of their input."""

SURFACE_LENGTHS = (1.0,)
"""The same of surfaces, times the square root of the number of inputs."""

LINEAR_SHARE = 4.0
"""Prior variance of the linear part, relative to the smooth part. Anything from 1 to 16 is as
good to within a percent."""

RESOLUTION = 1e-5
"""Landmarks of whose bump less than this is new beside the others are left out. Noise is larger
than what is lost, and features cost time with every prediction."""

LARGEST_ON_SHELF = 1 << 18
"""Entries of the features of a surface that are kept for other variables: 2 MB. Few have all
causes in common."""


@dataclass(frozen=True, eq=False)
class Bumps:
    """Gaussian bumps of some of the inputs, as features whose products are those of the bumps."""

    columns: IntArray
    width: float
    landmarks: FloatArray
    whitening: FloatArray

    @classmethod
    def at(cls, landmarks: FloatArray, columns: IntArray, length: float) -> "Bumps":
        """Return bumps at landmarks, less those that the others span."""
        width = length * float(np.sqrt(len(columns)))
        chosen, whitening = _whiten(_bumps(landmarks, landmarks, width))
        return cls(columns, width, landmarks[chosen], whitening)

    def __call__(self, inputs: FloatArray) -> FloatArray:
        """Return the features of each row of standardised inputs."""
        return _bumps(inputs[:, self.columns], self.landmarks, self.width) @ self.whitening


Shelf = dict[tuple[int, bytes], list[tuple[Bumps, FloatArray]]]
"""Bumps of standardised columns, by their number and values, and their features in all rows:
variables with a common cause share them."""


@dataclass(frozen=True, eq=False)
class Features:
    """Standardised inputs, and bumps of prior variance `height` squared, if any."""

    centre: FloatArray
    scale: FloatArray
    bumps: tuple[Bumps, ...] = ()
    height: float = 1.0

    def __call__(self, inputs: FloatArray) -> FloatArray:
        """Return the features of each row of inputs."""
        standard = (inputs - self.centre) / self.scale
        return self.joined(standard, [each(standard) for each in self.bumps])

    def unspanned(self, features: FloatArray) -> FloatArray:
        """Return the prior variance of the smooth part that the landmarks do not span.

        Far from all landmarks every bump is zero, and yet nothing is known there.
        """
        smooth = features[:, len(self.centre) :]
        return self.unspanned_by(np.einsum("ij,ij->i", smooth, smooth))

    def unspanned_by(self, squares: FloatArray) -> FloatArray:
        """Return the same, given the sums of the squares of all bumps."""
        total = len(self.bumps) * self.height**2 * (1.0 - RESOLUTION)
        left: FloatArray = np.maximum(total - squares, 0.0)
        return left

    @property
    def is_sum_of_curves(self) -> bool:
        """Whether no bump depends on more than one input."""
        return all(len(each.columns) == 1 for each in self.bumps)

    def joined(self, standard: FloatArray, bumps: Sequence[FloatArray]) -> FloatArray:
        """Return the features, given standardised inputs and bumps of them."""
        linear = standard * float(np.sqrt(LINEAR_SHARE / max(standard.shape[1], 1)))
        return np.concatenate([linear, *bumps], axis=1)


def candidate_features(
    centre: FloatArray, scale: FloatArray, standard: FloatArray, shelf: Shelf
) -> Iterator[tuple[Features, FloatArray]]:
    """Yield a line, sums of curves and surfaces, each with the features of all rows.

    `standard` are the inputs of all rows, less their centre, in units of their scale.
    """
    line = Features(centre, scale)
    yield line, line.joined(standard, [])
    n_inputs = standard.shape[1]
    # A line through two values is all there is to say of them.
    low, high = standard.min(axis=0), standard.max(axis=0)
    curved = np.flatnonzero(((standard != low) & (standard != high)).any(axis=0)).tolist()
    height = 1.0 / float(np.sqrt(max(n_inputs, 1)))
    curves = [_lower(_curves(standard, column, shelf), column, height) for column in curved]
    # Curves of one length after those of the other; every input has both.
    for of_length in zip(*curves, strict=True):
        features = Features(centre, scale, tuple(each for each, _ in of_length), height)
        yield features, features.joined(standard, [design for _, design in of_length])
    for surface, design in _surfaces(standard, shelf) if n_inputs > 1 else ():
        features = Features(centre, scale, (surface,))
        yield features, features.joined(standard, [design])


def _curves(standard: FloatArray, column: int, shelf: Shelf) -> list[tuple[Bumps, FloatArray]]:
    """Return the bumps of one input, as if it were the first, and its features in all rows.

    One pair for each of `CURVE_LENGTHS`.
    """
    own = np.ascontiguousarray(standard[:, column : column + 1])
    return _shelved(own, MOST_ON_A_CURVE, CURVE_LENGTHS, shelf)


def _surfaces(standard: FloatArray, shelf: Shelf) -> list[tuple[Bumps, FloatArray]]:
    """Return the bumps of all inputs together, one pair for each of `SURFACE_LENGTHS`."""
    is_large = len(standard) * MOST_LANDMARKS > LARGEST_ON_SHELF
    return _shelved(standard, MOST_LANDMARKS, SURFACE_LENGTHS, {} if is_large else shelf)


def _shelved(
    inputs: FloatArray, most: int, lengths: Sequence[float], shelf: Shelf
) -> list[tuple[Bumps, FloatArray]]:
    """Return bumps of several lengths on some inputs, from the shelf if they are there."""
    key = inputs.shape[1], inputs.tobytes()
    if key not in shelf:
        landmarks, columns = _choose_landmarks(inputs, most), np.arange(inputs.shape[1])
        bumps = [Bumps.at(landmarks, columns, length) for length in lengths]
        shelf[key] = [(each, each(inputs)) for each in bumps]
    return shelf[key]


def _lower(
    curves: Sequence[tuple[Bumps, FloatArray]], column: int, height: float
) -> list[tuple[Bumps, FloatArray]]:
    """Return curves of one of several inputs, each of which has a part of the prior variance."""
    columns = np.array([column])
    if height == 1.0:
        return [(replace(each, columns=columns), design) for each, design in curves]
    return [
        (Bumps(columns, each.width, each.landmarks, height * each.whitening), height * design)
        for each, design in curves
    ]


def _choose_landmarks(inputs: FloatArray, most: int) -> FloatArray:
    """Return distinct rows, evenly spaced in sorted order: the order of the rows is nothing."""
    distinct = _distinct_rows(inputs)
    return distinct[_evenly_spaced(len(distinct), min(len(distinct), most))]


def _distinct_rows(inputs: FloatArray) -> FloatArray:
    """Return the distinct rows in ascending order.

    As ``numpy.unique(inputs, axis=0)`` does, which compares whole rows: of 300 rows it takes ten
    times as long. Mostly no two rows are equal in their first column, and it decides alone.
    """
    ordered: FloatArray = inputs[np.argsort(inputs[:, 0])]
    if (ordered[1:, 0] != ordered[:-1, 0]).all():
        return ordered
    ordered = inputs[np.lexsort(inputs.T[::-1])]
    is_new = (ordered[1:] != ordered[:-1]).any(axis=1)
    distinct: FloatArray = ordered[np.concatenate([[True], is_new])]
    return distinct


@lru_cache(maxsize=128)
def _evenly_spaced(n_rows: int, n_chosen: int) -> IntArray:
    """Return the numbers of some of so many rows: every variable of a table asks for the same."""
    chosen = np.round(np.linspace(0, n_rows - 1, n_chosen)).astype(np.int64)
    chosen.flags.writeable = False
    return chosen


def _bumps(inputs: FloatArray, landmarks: FloatArray, width: float) -> FloatArray:
    """Return Gaussian bumps at the landmarks: shape (len(inputs), len(landmarks))."""
    if inputs.shape[1] == 1:
        # For one column, checking its arguments takes cdist longer than the distances.
        bumps = inputs / width - (landmarks / width).T
        bumps *= bumps
    else:
        bumps = cdist(inputs / width, landmarks / width, "sqeuclidean")
    bumps *= -0.5
    return np.exp(bumps, out=bumps)


def _whiten(gram: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return bumps that span all, and what turns them into features whose products are `gram`.

    A Cholesky factorisation takes the bump that is worst explained by those before it, until
    all are explained. Wide bumps close together need few: predicting then costs less.
    """
    factor, order, rank, _ = lapack.dpstrf(gram, tol=RESOLUTION, lower=1)
    inverse, _ = lapack.dtrtri(factor[:rank, :rank], lower=1)
    whitening: FloatArray = np.where(_above_diagonal(int(rank)), inverse.T, 0.0)
    return order[:rank] - 1, whitening


@lru_cache(maxsize=128)
def _above_diagonal(size: int) -> BoolArray:
    """Return where a matrix is on or above its diagonal, which LAPACK does not clear."""
    return ~np.tri(size, k=-1, dtype=bool)
