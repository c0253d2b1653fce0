"""The default mean of a residual conditional: a line, a sum of curves, or a joint surface.

Each is a ridge regression on features: the inputs themselves, and Gaussian bumps at landmarks,
either of one input at a time (a sum of curves) or of all together (a surface, with
interactions). That is a Gaussian process whose kernel is a linear part plus a smooth one, on a
fixed number of landmarks, so that the cost of fitting and of predicting is linear in the rows.

Which of them, how wide the bumps and how strong the penalty is decided by the evidence: the
likelihood of the targets with all coefficients integrated out. On 60 rows it chose better than
the leave-one-out error; of very few rows it believes that a curve through all of them has no
noise, and there that error decides. One eigendecomposition serves all penalties.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import lapack
from scipy.spatial.distance import cdist

from causalaug.typing import FloatArray, IntArray

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

PENALTIES = np.logspace(-6, 3, 19)
"""Ratios of the noise's variance to the prior variance of a coefficient that are tried."""

SIMPLER = 1.0
"""How much more likely, in logarithm, a smooth part must make the targets than a line: the line
has no width to be chosen."""

FEW_ROWS = 20
"""With fewer rows the leave-one-out error decides instead of the evidence."""

FEW_FOR_BUMPS, FEWEST_INPUTS, ROWS_PER_INPUT = 100, 3, 12
LEAST_PENALTY = 0.1
"""With fewer rows than the first, and at most so many for each of three or more inputs, curves and
surfaces keep at least this penalty. A surface in five inputs goes through all of 15 rows, or of 48
if one is unlucky, and the noise looks a thousand times smaller than it is: the error of a posterior
was then up to ten times that of ridge regression. On 36 models without such a factor it changed
nothing."""

RESOLUTION = 1e-5
"""Landmarks of whose bump less than this is new beside the others are left out. Noise is larger
than what is lost, and features cost time with every prediction."""

FARTHEST = 1e100
"""Scores farther out say the same, that nothing is known there, and their squares overflow."""

LEAST_FREEDOM = 1e-6
"""A row that determines its own fitted value cannot be left out; it is not divided by zero."""


@dataclass(frozen=True, eq=False)
class Bumps:
    """Gaussian bumps of some of the inputs, as features whose products are those of the bumps."""

    columns: IntArray
    width: float
    landmarks: FloatArray
    whitening: FloatArray

    @classmethod
    def of(cls, inputs: FloatArray, columns: IntArray, length: float) -> "Bumps":
        """Place landmarks on standardised inputs, as many as are needed."""
        most = MOST_ON_A_CURVE if len(columns) == 1 else MOST_LANDMARKS
        return cls.at(_choose_landmarks(inputs[:, columns], most), columns, length)

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
"""Curves of single inputs, and their features: variables with a common cause share them."""


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
        linear = standard * np.sqrt(LINEAR_SHARE / max(standard.shape[1], 1))
        return np.hstack([linear, *bumps])


@dataclass(frozen=True, eq=False)
class SmoothMean:
    """A fitted mean, how sure it is, and what it owes to each row.

    Parameters
    ----------
    features : Features
        What the mean is a linear function of.
    coefficients, intercept : array, float
        That function.
    middle, directions, doubts : array
        The variance of the mean at features `f`, in variances of the noise, is
        ``(1 + (((f - middle) @ directions)**2) @ doubts) / n_rows``.
    n_rows : float
        How many rows there are, effectively.
    residuals : array of shape (n_rows,)
        What the mean leaves of the target.
    leverages : array of shape (n_rows,)
        How much each row pulls its own fitted value, between 0 and 1.
    penalty : float
        The one of `PENALTIES` that was chosen.
    evidence : float
        Log-likelihood of the standardised target, all coefficients integrated out, up to a
        constant; of few rows, that of each under a fit to the others.
    """

    features: Features
    coefficients: FloatArray
    intercept: float
    middle: FloatArray
    directions: FloatArray
    doubts: FloatArray
    n_rows: float
    residuals: FloatArray
    leverages: FloatArray
    penalty: float
    evidence: float

    def predict(self, inputs: FloatArray) -> FloatArray:
        """Return the mean at each row of inputs."""
        total: FloatArray = np.einsum("ij,j->i", self.features(inputs), self.coefficients)
        return total + self.intercept

    def predict_with_doubt(self, inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean, and its variance in variances of the noise."""
        features = self.features(inputs)
        both = features @ self._projection
        mean: FloatArray = both[:, 0] + self.intercept
        scores = both[:, 1:]
        scores -= self.middle @ self._projection[:, 1:]
        # Where one row has nearly all weight, others are so far out that squares overflow.
        np.clip(scores, -FARTHEST, FARTHEST, out=scores)
        doubt: FloatArray = 1.0 / self.n_rows + np.einsum("ij,ij->i", scores, scores)
        return mean, doubt + self.features.unspanned(features) / self.penalty

    def predict_along(
        self, inputs: FloatArray, position: int, points: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the same with one input at several points of each row: shape of `points`.

        Only the curve of that input has to be followed: a sum of curves is needed, no surface.
        """
        features, n_inputs = self.features, len(self.features.centre)
        fixed = (inputs - features.centre) / features.scale
        fixed[:, position] = 0.0
        moving = (points - features.centre[position]) / features.scale[position]
        standard = np.zeros((points.size, n_inputs))
        standard[:, position] = moving.ravel()
        widths = [each.whitening.shape[1] for each in features.bumps]
        own = [each.columns[0] == position for each in features.bumps]
        still = features.joined(
            fixed,
            [
                np.zeros((len(inputs), width)) if is_own else each(fixed)
                for each, width, is_own in zip(features.bumps, widths, own, strict=True)
            ],
        )
        # The linear part of the input, and its bumps if it has any.
        kept = np.repeat([*(c == position for c in range(n_inputs)), *own], [1] * n_inputs + widths)
        bumps = [each(standard) for each, is_own in zip(features.bumps, own, strict=True) if is_own]
        linear = features.joined(standard, [])[:, [position]]
        moved = np.hstack([linear, *bumps])
        both = (moved @ self._projection[kept]).reshape(*points.shape, -1)
        both += (still @ self._projection)[:, np.newaxis]
        mean: FloatArray = both[..., 0] + self.intercept
        scores = both[..., 1:]
        scores -= self.middle @ self._projection[:, 1:]
        np.clip(scores, -FARTHEST, FARTHEST, out=scores)
        doubt: FloatArray = 1.0 / self.n_rows + np.einsum("ijk,ijk->ij", scores, scores)
        smooth = np.einsum("ij,ij->i", still[:, n_inputs:], still[:, n_inputs:])[:, np.newaxis]
        smooth = smooth + np.einsum("ij,ij->i", moved[:, 1:], moved[:, 1:]).reshape(points.shape)
        return mean, doubt + features.unspanned_by(smooth) / self.penalty

    @cached_property
    def _projection(self) -> FloatArray:
        """Coefficients, and directions in units of their doubt: one product gives both."""
        return np.column_stack(
            [self.coefficients, self.directions * np.sqrt(self.doubts / self.n_rows)]
        )

    @property
    def left_out(self) -> FloatArray:
        """The residual of each row under the mean of the others."""
        freedom: FloatArray = np.maximum(1.0 - self.leverages, LEAST_FREEDOM)
        return self.residuals / freedom

    @property
    def doubt_left_out(self) -> FloatArray:
        """The variance of the mean of the others at each row, in variances of the noise."""
        freedom: FloatArray = np.maximum(1.0 - self.leverages, LEAST_FREEDOM)
        return 1.0 / freedom - 1.0


def fit_smooth_mean(
    inputs: FloatArray, target: FloatArray, weights: FloatArray, shelf: Shelf | None = None
) -> SmoothMean:
    """Return the mean whose evidence is the largest: a line, a sum of curves, or a surface.

    Shapes: inputs (n_rows, n_inputs), target and weights (n_rows,). The weights count rows;
    only their ratios matter. Curves are looked for in `shelf` first, and left there.
    """
    shelf = {} if shelf is None else shelf
    share = weights / weights.sum()
    centre, scale = share @ inputs, spread(inputs, weights)
    scale[scale == 0.0] = 1.0
    standard = (inputs - centre) / scale
    line = Features(centre, scale)
    tried = [(line, line.joined(standard, [])), *_smooth_features(line, standard, shelf)]
    fits = [_fit_ridge(features, design, target, share) for features, design in tried]
    return max(fits, key=lambda fit: fit.evidence - SIMPLER * bool(fit.features.bumps)).mean()


def refit_mean(
    mean: SmoothMean, design: FloatArray, target: FloatArray, weights: FloatArray
) -> SmoothMean:
    """Return the mean of rows that are weighed anew, with the same features and penalty.

    `design` are the features of all rows.
    """
    share, penalty = weights / weights.sum(), np.array([mean.penalty])
    return _fit_ridge(mean.features, design, target, share, penalty, mean.n_rows).mean()


def _smooth_features(
    line: Features, standard: FloatArray, shelf: Shelf
) -> Iterator[tuple[Features, FloatArray]]:
    """Yield sums of curves and surfaces, each with the features of all rows."""
    every = np.arange(standard.shape[1])
    # A line through two values is all there is to say of them.
    low, high = standard.min(axis=0), standard.max(axis=0)
    curved = np.flatnonzero(((standard != low) & (standard != high)).any(axis=0)).tolist()
    height = 1.0 / float(np.sqrt(max(len(every), 1)))
    curves = [_curves(standard, column, height, shelf) for column in curved]
    # Curves of one length after those of the other; every input has both.
    for of_length in zip(*curves, strict=True):
        features = replace(line, bumps=tuple(each for each, _ in of_length), height=height)
        yield features, features.joined(standard, [design for _, design in of_length])
    for length in SURFACE_LENGTHS if len(every) > 1 else ():
        surface = Bumps.of(standard, every, length)
        features = replace(line, bumps=(surface,))
        yield features, features.joined(standard, [surface(standard)])


def _curves(
    standard: FloatArray, column: int, height: float, shelf: Shelf
) -> list[tuple[Bumps, FloatArray]]:
    """Return the bumps of one input, and its features in all rows; from the shelf if there.

    One pair for each of `CURVE_LENGTHS`.
    """
    own, columns = standard[:, [column]], np.array([column])
    key = own.tobytes()
    if key not in shelf:
        landmarks = _choose_landmarks(own, MOST_ON_A_CURVE)
        bumps = [Bumps.at(landmarks, columns, length) for length in CURVE_LENGTHS]
        shelf[key] = [(each, each(standard)) for each in bumps]
    return [
        (replace(each, columns=columns, whitening=height * each.whitening), height * design)
        for each, design in shelf[key]
    ]


@dataclass(frozen=True, eq=False)
class Ridge:
    """A ridge regression on features, at the best of its penalties, before it is worked out.

    To compare features takes their evidence alone; what rows owe to the mean takes longer.

    Parameters
    ----------
    features, design : Features, array
        The features, and what they are in all rows.
    rows, middle, unit : array, float
        Centred features, times the roots of the shares of the rows; what was taken off them, and
        the unit of the target.
    directions, projected : array
        Directions of the features in which they are independent, and the response along each.
    doubts : array
        The variance of each direction's coefficient, in variances of the noise over `n_rows`.
    """

    features: Features
    design: FloatArray
    target: FloatArray
    share: FloatArray
    rows: FloatArray
    middle: FloatArray
    unit: float
    n_rows: float
    directions: FloatArray
    projected: FloatArray
    doubts: FloatArray
    penalty: float
    evidence: float

    def mean(self) -> SmoothMean:
        """Return the mean, and what it owes to each row."""
        coefficients = self.unit * (self.directions @ (self.projected * self.doubts))
        intercept = float(self.share @ self.target) - float(self.middle @ coefficients)
        scores = self.rows @ self.directions
        scores *= scores
        return SmoothMean(
            self.features,
            coefficients,
            intercept,
            self.middle,
            self.directions,
            self.doubts,
            self.n_rows,
            self.target - (self.design @ coefficients + intercept),
            np.clip(self.share + scores @ self.doubts, 0.0, 1.0),
            self.penalty,
            self.evidence,
        )


def _fit_ridge(
    features: Features,
    design: FloatArray,
    target: FloatArray,
    share: FloatArray,
    penalties: FloatArray = PENALTIES,
    n_rows: float | None = None,
) -> Ridge:
    """Fit the features of all rows at every penalty, and take the one of the largest evidence.

    The intercept is free. With centred features `F` and noise of variance `s`, the target is
    normal with covariance ``s (1 + F F' / penalty)``; `s` is where its likelihood is largest.
    """
    n_rows = float(1.0 / np.square(share).sum()) if n_rows is None else n_rows
    n_inputs = len(features.centre)
    is_few = n_rows < min(FEW_FOR_BUMPS, ROWS_PER_INPUT * n_inputs + 1)
    if features.bumps and n_inputs >= FEWEST_INPUTS and is_few:
        penalties = np.unique(np.maximum(penalties, LEAST_PENALTY))
    root, middle, away = np.sqrt(share), share @ design, target - share @ target
    rows, unit = design - middle, _unit(away, share)
    rows *= root[:, np.newaxis]
    response = root * (away / unit)
    ratios = penalties / n_rows
    if len(ratios) == 1 and rows.shape[1] <= len(rows):
        variances, directions = _whitened(rows, float(ratios[0]))
    else:
        variances, directions = _principal(rows)
    projected = directions.T @ (rows.T @ response)
    shrunk = 1.0 / (variances[:, np.newaxis] + ratios)
    if n_rows < FEW_ROWS:
        scores = rows @ directions
        left_out = response[:, np.newaxis] - scores @ (projected[:, np.newaxis] * shrunk)
        leverages = share[:, np.newaxis] + np.square(scores) @ shrunk
        left_out /= np.maximum(1.0 - leverages, LEAST_FREEDOM)
        evidence = -0.5 * n_rows * np.log(np.maximum(np.square(left_out).sum(axis=0), 1e-24))
    else:
        unexplained = response @ response - np.square(projected) @ shrunk
        evidence = -0.5 * n_rows * np.log(np.maximum(unexplained, 1e-24))
        evidence -= 0.5 * np.log1p(variances[:, np.newaxis] / ratios).sum(axis=0)
    best = len(evidence) - 1 - int(np.argmax(evidence[::-1]))
    return Ridge(
        features,
        design,
        target,
        share,
        rows,
        middle,
        unit,
        n_rows,
        directions,
        projected,
        shrunk[:, best],
        float(penalties[best]),
        float(evidence[best]),
    )


def _principal(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return variances and directions of the features, from the smaller of two matrices."""
    n_rows, n_features = rows.shape
    if n_features <= n_rows:
        variances, directions = np.linalg.eigh(rows.T @ rows)
        return np.maximum(variances, 0.0), directions
    variances, basis = np.linalg.eigh(rows @ rows.T)
    kept = variances > 1e-13 * max(float(variances[-1]), 1e-300)
    variances, basis = variances[kept], basis[:, kept]
    return variances, (rows.T @ basis) / np.sqrt(variances)


def _whitened(rows: FloatArray, ratio: float) -> tuple[FloatArray, FloatArray]:
    """Return variances and directions that serve one penalty as well as principal ones.

    With ``L L'`` the covariance of the features plus the penalty, the columns of ``L'^-1`` have
    the length one in it. A Cholesky factorisation takes a fifth of the time that eigenvalues do.
    """
    covariance = rows.T @ rows
    covariance.flat[:: len(covariance) + 1] += ratio
    factor, failed = lapack.dpotrf(covariance, lower=1)
    if failed:  # the penalty is lost in rounding beside features that depend on each other
        return _principal(rows)
    inverse, _ = lapack.dtrtri(factor, lower=1)
    lengths = factor.diagonal()
    variances: FloatArray = np.maximum(np.square(lengths) - ratio, 0.0)
    return variances, np.tril(inverse).T * lengths


def spread(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the standard deviation of weighted rows, whatever the unit: 1e300 or 1e-300."""
    share = weights / weights.sum()
    away = values - share @ values
    unit = _power_of_two(away)
    deviation: FloatArray = unit * np.sqrt(share @ np.square(away / unit))
    return deviation


def _unit(away: FloatArray, share: FloatArray) -> float:
    """Return the standard deviation of centred values, or 1 if they do not vary."""
    power = float(_power_of_two(away))
    deviation = power * float(np.sqrt(share @ np.square(away / power)))
    return deviation if deviation > 0.0 else 1.0


def _power_of_two(values: FloatArray) -> FloatArray:
    """Return a unit in which values are about one; to divide by it rounds nothing."""
    unit: FloatArray = np.ldexp(1.0, np.frexp(np.abs(values).max(axis=0))[1] - 1)
    return unit


def _choose_landmarks(inputs: FloatArray, most: int) -> FloatArray:
    """Return distinct rows, evenly spaced in sorted order: the order of the rows is nothing."""
    # Along an axis NumPy compares whole rows, which takes three times as long for one column.
    distinct = np.unique(inputs, axis=0 if inputs.shape[1] > 1 else None).reshape(
        -1, inputs.shape[1]
    )
    chosen = np.linspace(0, len(distinct) - 1, min(len(distinct), most))
    return distinct[np.round(chosen).astype(np.int64)]


def _bumps(inputs: FloatArray, landmarks: FloatArray, width: float) -> FloatArray:
    bumps: FloatArray = cdist(inputs / width, landmarks / width, "sqeuclidean")
    bumps *= -0.5
    return np.exp(bumps, out=bumps)


def _whiten(gram: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return bumps that span all, and what turns them into features whose products are `gram`.

    A Cholesky factorisation takes the bump that is worst explained by those before it, until
    all are explained. Wide bumps close together need few: predicting then costs less.
    """
    factor, order, rank, _ = lapack.dpstrf(gram, tol=RESOLUTION, lower=1)
    inverse, _ = lapack.dtrtri(factor[:rank, :rank], lower=1)
    whitening: FloatArray = np.ascontiguousarray(np.tril(inverse).T)
    return order[:rank] - 1, whitening
