"""The features that a mean is a linear function of: inputs, and Gaussian bumps at landmarks.

Inputs are the columns of the pillow: numbers as they are, indicators of levels (`Design`).
Bumps are of one input at a time (a sum of curves) or of all together (a surface, with
interactions). There is a fixed number of landmarks, so that the cost of fitting and of predicting
is linear in the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lapack
from scipy.spatial.distance import cdist

from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

MOST_LANDMARKS = 64
"""Centres of the bumps of a surface, before those are left out that the others span."""

MOST_ON_A_CURVE = 40
"""The same of a curve: one input needs fewer."""

CURVE_LENGTHS = (0.5, 1.0)
"""Widths of the bumps of curves that are tried, in standard deviations of their input. Bumps of a
surface are as wide as one, times the square root of the number of inputs."""

LINEAR_SHARE = 4.0
"""Prior variance of the linear part, relative to the smooth part. Anything from 1 to 16 is as
good to within a percent."""

RESOLUTION = 1e-5
"""Landmarks of whose bump less than this is new beside the others are left out. Noise is larger
than what is lost, and features cost time with every prediction."""

NEVER: FloatArray = np.array([np.nan])
"""A value that nothing equals, so that its indicator is always zero."""


@dataclass(frozen=True, eq=False)
class Design:
    """Numbers as they are, and one indicator per value of what has no scale or is nominal.

    `levels` holds, for each column of the pillow, the values that get an indicator, or None
    for a number. Every value gets one, so that none is special: to leave one out, as where all
    others are zero, would shrink the others towards it, and which one would be a matter of names.
    Of two values one says all, whichever it is. A column that never varied tells nothing,
    whatever new rows hold there: it is a column of zeros.
    """

    columns: list[int]
    levels: tuple[FloatArray | None, ...]

    @classmethod
    def of(cls, table: Table, pillow: Sequence[str]) -> "Design":
        """Return the design of some columns of a table."""
        columns = [table.index(name) for name in pillow]
        weights = table.original_weights()
        # Of the numbers that are codes the names are the values.
        measured = [c for c in columns if table.numeric[c] and table.kinds[c] != "nominal"]
        numbers = [table.values[:, c] for c in measured]
        facts = np.column_stack([weights, *(weights * each for each in numbers)])
        return cls(columns, tuple(_indicated(table, column, facts) for column in columns))

    def __call__(self, pillow: FloatArray) -> FloatArray:
        """Return the inputs, one row per row of pillow values."""
        blocks = [
            values[:, np.newaxis]
            if levels is None
            else (values[:, np.newaxis] == levels).astype(np.float64)
            for values, levels in zip(pillow.T, self.levels, strict=True)
        ]
        return np.hstack([np.empty((len(pillow), 0)), *blocks])


def _indicated(table: Table, column: int, facts: FloatArray) -> FloatArray | None:
    """Return the values that get an indicator, or None for numbers that vary.

    Of nominal numbers, such as the codes of sites, it is of no account which is larger.
    """
    values = table.values[:, column]
    if np.ptp(values) == 0.0:
        return NEVER
    if table.numeric[column] and table.kinds[column] != "nominal":
        return None
    levels = _in_own_order(values, facts)
    return levels if len(levels) > 2 else levels[1:]


def _in_own_order(values: FloatArray, facts: FloatArray) -> FloatArray:
    """Return the levels of a column in an order that their names do not bear on.

    By the sums of `facts` in the rows of each: how much these weigh, and their numbers. The
    order of the rows decides between levels that are equal in all of them.
    """
    levels, first, level_of = np.unique(values, return_index=True, return_inverse=True)
    sums = [np.bincount(level_of, fact, len(levels)) for fact in facts.T]
    order = np.lexsort([first, *sums[::-1]])
    ordered: FloatArray = levels[order]
    return ordered


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


Shelf = dict[bytes, list[tuple[Bumps, FloatArray]]]
"""Bumps of a standardised column, by its values, and their features in all rows: variables with a
common cause share them."""


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
        total = len(self.bumps) * self.height**2 * (1.0 - RESOLUTION)
        left: FloatArray = np.maximum(total - np.einsum("ij,ij->i", smooth, smooth), 0.0)
        return left

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
    curved = np.flatnonzero(((standard != low) & (standard != high)).any(axis=0))
    # Each of several curves has a part of the prior variance.
    height = 1.0 / float(np.sqrt(max(n_inputs, 1)))
    curves = [_curves(standard[:, [c]], c, height, shelf) for c in curved.tolist()]
    for of_length in zip(*curves, strict=True):
        features = Features(centre, scale, tuple(each for each, _ in of_length), height)
        yield features, features.joined(standard, [design for _, design in of_length])
    if n_inputs > 1:
        at = _choose_landmarks(standard, MOST_LANDMARKS)
        surface = Bumps.at(at, np.arange(n_inputs), 1.0)
        features = Features(centre, scale, (surface,))
        yield features, features.joined(standard, [surface(standard)])


def _curves(
    inputs: FloatArray, column: int, height: float, shelf: Shelf
) -> list[tuple[Bumps, FloatArray]]:
    """Return the bumps of one input, and their features in all rows, for each of the lengths."""
    key = inputs.tobytes()
    if key not in shelf:
        landmarks = _choose_landmarks(inputs, MOST_ON_A_CURVE)
        bumps = [Bumps.at(landmarks, np.zeros(1, int), length) for length in CURVE_LENGTHS]
        shelf[key] = [(each, each(inputs)) for each in bumps]
    return [
        (replace(each, columns=np.array([column]), whitening=height * each.whitening), height * own)
        for each, own in shelf[key]
    ]


def _choose_landmarks(inputs: FloatArray, most: int) -> FloatArray:
    """Return distinct rows, evenly spaced in sorted order: the order of the rows is nothing."""
    distinct = _distinct_rows(inputs)
    places = np.linspace(0, len(distinct) - 1, min(len(distinct), most))
    return distinct[np.round(places).astype(np.int64)]


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


def _bumps(inputs: FloatArray, landmarks: FloatArray, width: float) -> FloatArray:
    """Return Gaussian bumps at the landmarks: shape (len(inputs), len(landmarks))."""
    if inputs.shape[1] == 1:
        # For one column, checking its arguments takes cdist longer than the distances.
        bumps = np.square(inputs / width - (landmarks / width).T)
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
    # LAPACK does not clear the other triangle.
    return order[:rank] - 1, np.triu(inverse.T)
