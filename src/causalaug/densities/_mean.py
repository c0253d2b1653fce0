"""The default mean of a residual conditional: a line, a sum of curves, or a joint surface.

Each is a ridge regression on features: the inputs themselves, and Gaussian bumps at landmarks,
either of one input at a time (a sum of curves) or of all together (a surface, with
interactions). That is a Gaussian process whose kernel is a linear part plus a smooth one.

Which of them, how wide the bumps and how strong the penalty is decided by the evidence: the
likelihood of the targets with all coefficients integrated out. On 60 rows it chose better than
the leave-one-out error; of very few rows it believes that a curve through all of them has no
noise, and there that error decides.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from causalaug.densities._features import Features, Shelf, candidate_features
from causalaug.densities._ridge import (
    LEAST_FREEDOM,
    Centred,
    Coefficients,
    Response,
    fit_coefficients,
    log_evidence,
)
from causalaug.densities._student import spread
from causalaug.typing import FloatArray

PENALTIES = np.logspace(-6, 3, 19)
"""Ratios of the noise's variance to the prior variance of a coefficient that are tried."""

SIMPLER = 1.0
"""How much more likely, in logarithm, a smooth part must make the targets than a line: the line
has no width to be chosen."""

FEW_FOR_BUMPS, FEWEST_INPUTS, ROWS_PER_INPUT = 100, 3, 12
LEAST_PENALTY = 0.1
"""With fewer rows than the first, and at most so many for each of three or more inputs, curves and
surfaces keep at least this penalty. A surface in five inputs goes through all of 15 rows, or of 48
if one is unlucky, and the noise looks a thousand times smaller than it is: the error of a posterior
was then up to ten times that of ridge regression. On 36 models without such a factor it changed
nothing."""

LARGE_PENALTIES = np.unique(np.maximum(PENALTIES, LEAST_PENALTY))

FARTHEST = 1e100
"""Scores farther out say the same, that nothing is known there, and their squares overflow."""


@dataclass(frozen=True, eq=False)
class Choice:
    """Features, what they are in all rows, and the penalty at which their evidence is largest."""

    features: Features
    centred: Centred
    penalty: float
    evidence: float


@dataclass(frozen=True, eq=False)
class SmoothMean(Coefficients):
    """A fitted mean, how sure it is, and what it owes to each row.

    Parameters
    ----------
    features : Features
        What the mean is a linear function of.
    n_rows : float
        How many rows there are, effectively. The variance of the mean at features `f`, in variances
        of the noise, is ``(1 + (((f - middle) @ directions)**2) @ doubts) / n_rows``.
    penalty : float
        The one of `PENALTIES` that was chosen.
    evidence : float
        Log-likelihood of the standardised target, all coefficients integrated out, up to a
        constant; of few rows, that of each under a fit to the others.
    """

    features: Features
    n_rows: float
    penalty: float
    evidence: float

    @classmethod
    def at(cls, choice: Choice, response: Response) -> Self:
        """Return the mean at the penalty that was chosen."""
        fit = fit_coefficients(choice.centred, response, choice.penalty)
        return cls(
            **vars(fit),
            features=choice.features,
            n_rows=response.n_rows,
            penalty=choice.penalty,
            evidence=choice.evidence,
        )

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
    only their ratios matter. Bumps are looked for in `shelf` first, and left there.
    """
    share = weights / weights.sum()
    centre, scale = share @ inputs, spread(inputs, weights)
    scale[scale == 0.0] = 1.0
    response, standard = Response.of(target, share), (inputs - centre) / scale
    tried = candidate_features(centre, scale, standard, {} if shelf is None else shelf)
    choices = [_choose_penalty(*each, response) for each in tried]
    best = max(choices, key=lambda each: each.evidence - SIMPLER * bool(each.features.bumps))
    return SmoothMean.at(best, response)


def refit_mean(
    mean: SmoothMean, design: FloatArray, target: FloatArray, weights: FloatArray
) -> SmoothMean:
    """Return the mean of rows that are weighed anew, with the same features and penalty.

    `design` are the features of all rows. The evidence stays that of the first fit.
    """
    response = Response.of(target, weights / weights.sum(), mean.n_rows)
    same = Choice(mean.features, response.centred(design), mean.penalty, mean.evidence)
    return SmoothMean.at(same, response)


def _choose_penalty(features: Features, design: FloatArray, response: Response) -> Choice:
    """Return the penalty of the largest evidence; of equals, the largest."""
    n_inputs = len(features.centre)
    is_few = response.n_rows < min(FEW_FOR_BUMPS, ROWS_PER_INPUT * n_inputs + 1)
    is_bounded = features.bumps and n_inputs >= FEWEST_INPUTS and is_few
    penalties = LARGE_PENALTIES if is_bounded else PENALTIES
    centred = response.centred(design)
    evidence = log_evidence(centred, response, penalties)
    best = len(evidence) - 1 - int(evidence[::-1].argmax())
    return Choice(features, centred, float(penalties[best]), float(evidence[best]))
