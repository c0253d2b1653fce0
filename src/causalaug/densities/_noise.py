"""The noise around a fitted mean: how heavy its tails are, and where it is large.

Heavy tails matter more than shape: one surprising row must not move a posterior by itself. How
heavy they are is read off the residuals of all variables together, since 60 residuals of one
say little about tails. Given that, each mean is fitted again with rows that count the less, the
farther they are out. Then the scale may depend on the pillow, where the residuals clearly say so.

A residual is that of a row under the mean of the others, in standard deviations of what the mean
of the others does not know.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from causalaug.densities._mean import SmoothMean, fit_smooth_mean, refit_mean
from causalaug.densities._student import DEFAULT_FREEDOM, fit_student_scale, log_student
from causalaug.typing import FloatArray

FREEDOMS = (2.0, 3.0, 4.0, 6.0, 10.0, 30.0)
"""Degrees of freedom that are tried; with 30 it is nearly a Gaussian."""

FEWEST_FOR_TAILS = 20
"""Fewer rows say nothing about tails: the mean stays as it is."""

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


def pool_tails(residuals: Sequence[FloatArray], shares: Sequence[FloatArray]) -> float:
    """Return the degrees of freedom that explain the residuals of all variables best."""
    if all(len(share) < FEWEST_FOR_TAILS for share in shares):
        return DEFAULT_FREEDOM
    likelihood = np.zeros(len(FREEDOMS))
    for own, share in zip(residuals, shares, strict=True):
        scale = 0.0
        for number, freedom in enumerate(FREEDOMS) if len(share) >= FEWEST_FOR_TAILS else ():
            # The scale at the last freedom is close to that at this one.
            scale = fit_student_scale(own, share, freedom, scale)
            if scale > 0.0:
                logs = log_student(own / scale, math.log(scale), freedom)
                likelihood[number] += share @ logs
    return FREEDOMS[int(np.argmax(likelihood))]


def calm_mean(
    mean: SmoothMean, inputs: FloatArray, target: FloatArray, share: FloatArray, freedom: float
) -> SmoothMean:
    """Return the mean fitted again, with rows that count the less, the farther they are out."""
    if len(share) < FEWEST_FOR_TAILS:
        return mean
    calm = _calm_weights(mean, share, DEFAULT_FREEDOM)
    if calm.min() < 0.02:
        # A gross error, about 14 scales out, looks like a large noise, and made the mean too stiff.
        mean = fit_smooth_mean(inputs, target, share * calm)
    design = mean.features(inputs)
    for _ in range(2):  # the first does most of it
        mean = refit_mean(mean, design, target, share * _calm_weights(mean, share, freedom))
    return mean


def _calm_weights(mean: SmoothMean, share: FloatArray, freedom: float) -> FloatArray:
    """Return how much each row counts for the centre of Student's t: less, the farther out."""
    residuals = standard_residuals(mean)
    scale = fit_student_scale(residuals, share, freedom)
    if scale == 0.0:
        return np.ones(len(share))
    weights: FloatArray = (freedom + 1.0) / (freedom + np.square(residuals / scale))
    return weights


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
