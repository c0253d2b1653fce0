"""The noise around a fitted mean: how heavy its tails are, and where it is large.

Heavy tails matter more than shape: one surprising row must not move a posterior by itself. How
heavy they are is read off the residuals of all variables together, since 60 residuals of one
say little about tails. Given that, each mean is fitted again with rows that count the less, the
farther they are out. Then the scale may depend on the pillow, where the residuals clearly say so.

A residual is that of a row under the mean of the others, in standard deviations of what the mean
of the others does not know.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from causalaug.densities._mean import SmoothMean, fit_with_design, refit_mean
from causalaug.densities._student import fit_student_scale, fit_student_scales, log_student
from causalaug.typing import FloatArray

FREEDOMS = (2.0, 3.0, 4.0, 6.0, 10.0, 30.0)
"""Degrees of freedom that are tried; with 30 it is nearly a Gaussian."""

DEFAULT_FREEDOM = 3.0
"""Degrees of freedom where there are too few rows to tell."""

FEWEST_FOR_TAILS = 20
"""Fewer rows say nothing about tails: the mean stays as it is."""

ROBUST_ROUNDS = 2
"""Fits with new weights. The first does most of it."""

GROSS = 0.02
"""A row that counts less than this among others is a gross error: about 14 scales out."""

FEWEST_FOR_SCALE = 40
"""Fewer rows say nothing about where the noise is larger."""

SCALE_PENALTY = 4.0
"""Rows' worth of an even noise that are added when a scale is fitted."""

SCALE_GAIN = 1.0
"""By how much, in log-likelihood per slope, an uneven noise must explain the residuals better."""

LEAST_PROMISE = 0.3
"""An uneven noise is not fitted if its first step promises less than this part of the gain that it
must have."""

FARTHEST = 2.5
"""The scale stays what it is beyond so many standard deviations of an input."""


@dataclass(frozen=True, eq=False)
class Scale:
    """The scale of a noise; its logarithm is a line in the inputs if there are slopes."""

    level: float
    centre: FloatArray
    unit: FloatArray
    slopes: FloatArray

    @classmethod
    def even(cls, level: float) -> "Scale":
        """Return the same scale everywhere."""
        return cls(level, np.zeros(0), np.ones(0), np.zeros(0))

    @property
    def is_even(self) -> bool:
        """Whether the scale is the same everywhere."""
        return not len(self.slopes)

    def relative(self, inputs: FloatArray) -> FloatArray:
        """Return the scale at each row of inputs, relative to its level."""
        if self.is_even:
            return np.ones(len(inputs))
        standard = np.clip((inputs - self.centre) / self.unit, -FARTHEST, FARTHEST)
        relative: FloatArray = np.exp(np.clip(standard @ self.slopes, -2.0, 2.0))
        return relative


def standard_residuals(mean: SmoothMean) -> FloatArray:
    """Return residuals of left-out rows, relative to how unsure the mean of the others is."""
    residuals: FloatArray = mean.left_out / np.sqrt(1.0 + mean.doubt_left_out)
    return residuals


@dataclass(frozen=True, eq=False)
class Tails:
    """How heavy the tails of all variables are, and the scales that were found on the way.

    `scales` has a row for each variable: its scale with `DEFAULT_FREEDOM`, and with the freedom
    that was chosen; zeros where there are too few rows to tell.
    """

    freedom: float
    scales: FloatArray


def pool_tails(residuals: Sequence[FloatArray], shares: Sequence[FloatArray]) -> Tails:
    """Return the degrees of freedom that explain the residuals of all variables best."""
    scales = np.zeros((len(shares), 2))
    many = [number for number, each in enumerate(shares) if len(each) >= FEWEST_FOR_TAILS]
    if not many:
        return Tails(DEFAULT_FREEDOM, scales)
    pooled = [residuals[number] for number in many], [shares[number] for number in many]
    tried, logs = fit_student_scales(*pooled, FREEDOMS)
    best = int(np.argmax(logs.sum(axis=1)))
    scales[many] = tried[[FREEDOMS.index(DEFAULT_FREEDOM), best]].T
    return Tails(FREEDOMS[best], scales)


@dataclass(frozen=True, eq=False)
class Known:
    """What need not be worked out again of a mean, if somebody has it.

    The features of all rows, and the scales of the standard residuals, as in `Tails`.
    """

    design: FloatArray | None = None
    scales: FloatArray = field(default_factory=lambda: np.zeros(2))


def calm_mean(
    mean: SmoothMean,
    inputs: FloatArray,
    target: FloatArray,
    share: FloatArray,
    freedom: float,
    known: Known | None = None,
) -> SmoothMean:
    """Return the mean fitted again, with rows that count the less, the farther they are out."""
    if len(share) < FEWEST_FOR_TAILS:
        return mean
    known = Known() if known is None else known
    design, (default, own) = known.design, known.scales.tolist()
    calm, _ = _calm_weights(standard_residuals(mean), share, DEFAULT_FREEDOM, known=default)
    if calm.min() < GROSS:
        # A gross error looks like a large noise, and has made the mean too stiff.
        mean, design = fit_with_design(inputs, target, share * calm)
        own = 0.0
    design = mean.features(inputs) if design is None else design
    near = 0.0
    for _ in range(ROBUST_ROUNDS):
        residuals = standard_residuals(mean)
        calm, near = _calm_weights(residuals, share, freedom, known=own, near=near)
        mean, own = refit_mean(mean, design, target, share * calm), 0.0
    return mean


def _calm_weights(
    residuals: FloatArray, share: FloatArray, freedom: float, *, known: float, near: float = 0.0
) -> tuple[FloatArray, float]:
    """Return how much each row counts for the centre of Student's t: less, the farther out.

    The second result is the scale, which is `known` if it is not zero, and else `near` something.
    """
    scale = known or fit_student_scale(residuals, share, freedom, near)
    if scale == 0.0:
        return np.ones(len(share)), scale
    weights: FloatArray = (freedom + 1.0) / (freedom + np.square(residuals / scale))
    return weights, scale


def fit_scale(
    residuals: FloatArray,
    inputs: FloatArray,
    centre: FloatArray,
    unit: FloatArray,
    share: FloatArray,
    freedom: float,
) -> Scale:
    """Return the scale of the noise, uneven only where the residuals clearly say so.

    Fisher scoring: the log-scale has the same information everywhere, ``2 f / (f + 3)``.
    """
    level = fit_student_scale(residuals, share, freedom)
    even = Scale.even(level)
    n_slopes = inputs.shape[1]
    if len(share) < max(FEWEST_FOR_SCALE, 8 * n_slopes) or level == 0.0:
        return even
    n_rows = 1.0 / float(share @ share)
    lines = np.ones((len(share), 1 + n_slopes))
    lines[:, 1:] = np.minimum(np.maximum((inputs - centre) / unit, -FARTHEST), FARTHEST)
    penalty = np.full(1 + n_slopes, SCALE_PENALTY / n_rows)
    penalty[0] = 0.0
    information = 2.0 * freedom / (freedom + 3.0)
    curvature = information * (lines.T * share) @ lines
    curvature.flat[:: 2 + n_slopes] += penalty + 1e-9
    slopes = np.zeros(1 + n_slopes)
    slopes[0] = np.log(level)
    for number in range(30):
        square = np.square(residuals / np.exp(lines @ slopes))
        surprise = (freedom + 1.0) * square / (freedom + square) - 1.0
        step = np.linalg.solve(curvature, lines.T @ (share * surprise) - penalty * slopes)
        # What the first step promises, as if the likelihood were a parabola.
        promised = 0.5 * n_rows * float(step @ curvature @ step)
        if number == 0 and promised < LEAST_PROMISE * (1.0 + SCALE_GAIN * n_slopes):
            return even
        slopes = slopes + np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-5:
            break
    uneven = Scale(float(np.exp(slopes[0])), centre, unit, slopes[1:])
    scales = uneven.level * uneven.relative(inputs)
    gain = share @ log_student(residuals / scales, np.log(scales), freedom)
    gain -= share @ log_student(residuals / level, float(np.log(level)), freedom)
    return uneven if n_rows * gain > 1.0 + SCALE_GAIN * n_slopes else even
