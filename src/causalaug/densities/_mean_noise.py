"""The mean of a variable given its pillow, and the law of the noise around it.

The mean is ours (`SmoothMean`) or somebody else's regressor.
"""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from causalaug.densities._base import Along, Density, beside
from causalaug.densities._features import Design, Shelf
from causalaug.densities._mean import SmoothMean, fit_smooth_mean
from causalaug.densities._noise import (
    Scale,
    calm_mean,
    fit_scale,
    pool_tails,
    standard_residuals,
)
from causalaug.densities._student import (
    DEFAULT_FREEDOM,
    fit_student_scale,
    floor_of_scale,
    log_student,
    spread,
    student_levels,
    student_quantile,
)
from causalaug.densities._transform import (
    PlainTransform,
    Transform,
    choose_transform,
    transformed_density,
)
from causalaug.exceptions import ParameterError
from causalaug.factorization import Factor
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

LEAST_FREEDOM = 0.04
"""Residuals of rows that the mean follows closely are not inflated beyond five times."""

N_FOLDS = 5
"""Folds from which the residuals are taken."""


@dataclass(frozen=True, eq=False)
class MeanNoise:
    """The mean of a variable given its pillow, and the noise around it.

    Both are on the scale that `transform` gives the column. `residuals` are what rows lend,
    neither too small nor too large; `left_out` is the log-density of each row under what the
    others say.
    """

    design: Design
    mean: "SmoothMean | RegressorMean"
    residuals: FloatArray
    scale: Scale
    floor: float
    freedom: float
    left_out: FloatArray
    transform: Transform

    def __call__(self, pillow: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the scale of the noise at each row of pillow values.

        What is not known of the mean widens the noise: far from all rows it says little.
        """
        inputs = self.design(pillow)
        centre, doubt = self.mean.predict_with_doubt(inputs)
        scale = self.scale.level * self.scale.relative(inputs) * np.sqrt(1.0 + doubt)
        return centre, np.maximum(scale, self.floor)

    def density(self) -> Density:
        """Return Student's t around the mean."""
        return NoiseDensity(self, self.freedom, self.transform)


@dataclass(frozen=True, eq=False)
class NoiseDensity(Density):
    """Student's t around a mean, both on the transformed scale of a column.

    `location` returns the mean and the scale of the noise at each row of the pillow.
    """

    location: Callable[[FloatArray], tuple[FloatArray, FloatArray]]
    freedom: float
    transform: Transform = PlainTransform()

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value, ``-inf`` beyond the limits."""
        centre, scale = (beside(each, values) for each in self.location(pillow))
        return transformed_density(self.transform, values, centre, scale, self.freedom)

    def given(self, pillow: FloatArray) -> Along:
        """Return the density given rows of the pillow; where the noise lies is found once."""
        centre, scale = (each[:, np.newaxis] for each in self.location(pillow))
        return lambda rows, points: transformed_density(
            self.transform, points, centre[rows], scale[rows], self.freedom
        )

    def centre(self, pillow: FloatArray) -> FloatArray | None:
        """Return the mean, unless a limit or another scale makes it differ from the centre."""
        return None if self.transform != PlainTransform() else self.location(pillow)[0]

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return quantiles of the noise around the mean, moved within the limits."""
        centre, scale = self.location(pillow)
        points = student_levels(n_points, self.freedom)
        covered = centre[:, np.newaxis] + scale[:, np.newaxis] * points
        return self.transform.clipped(covered)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return quantiles of the noise around the mean, within the limits."""
        centre, scale = self.location(pillow)
        return self.transform.inverse(centre + scale * student_quantile(uniform, self.freedom))


def fit_means(tables: Sequence[Table], factors: Sequence[Factor]) -> list[MeanNoise]:
    """Fit the means of some variables; how heavy the tails are is decided for all together."""
    problems = list(map(_Problem.of, tables, factors))
    shelf: Shelf = {}
    means = [fit_smooth_mean(each.inputs, each.target, each.share, shelf) for each in problems]
    # A row of all the weight leaves nothing that varies; residuals need another unit than zero.
    standard = [
        standard_residuals(mean) / (float(spread(each.target, each.share)) or 1.0)
        for mean, each in zip(means, problems, strict=True)
    ]
    freedom = pool_tails(standard, [each.share for each in problems])
    return [
        _with_noise(each, calm_mean(mean, each.inputs, each.target, each.share, freedom), freedom)
        for mean, each in zip(means, problems, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Problem:
    """A variable and its pillow as a regression wants them, on the scale that the column has."""

    design: Design
    inputs: FloatArray
    share: FloatArray
    values: FloatArray
    transform: Transform
    target: FloatArray

    @classmethod
    def of(cls, table: Table, factor: Factor) -> "_Problem":
        """Return the rows of a table, and choose the scale."""
        share = table.original_weights() / table.total_weight
        design, column = Design.of(table, factor.pillow), table.index(factor.target)
        inputs = design(table.values[:, design.columns])
        # Without a pillow the mean is a constant: one input that never varies.
        inputs = inputs if design.columns else np.zeros((table.n_rows, 1))
        values, is_integer = table.values[:, column], table.resolution[column] == 1.0
        transform = choose_transform(
            inputs, values, share, table.limits[column], is_integer=is_integer
        )
        return cls(design, inputs, share, values, transform, transform.forward(values))


def _with_noise(problem: _Problem, mean: SmoothMean, freedom: float) -> MeanNoise:
    """Return a fitted mean with its noise; densities are those of the values themselves."""
    residuals, features = standard_residuals(mean), mean.features
    scale = fit_scale(
        residuals, problem.inputs, features.centre, features.scale, problem.share, freedom
    )
    lent = mean.residuals / np.sqrt(np.maximum(1.0 - mean.leverages, LEAST_FREEDOM))
    floor = _least_scale(problem.target)
    spreads = scale.level * scale.relative(problem.inputs) * np.sqrt(1.0 + mean.doubt_left_out)
    spreads = np.maximum(spreads, floor)
    left_out = log_student(mean.left_out / spreads, np.log(spreads), freedom)
    left_out = left_out + problem.transform.log_jacobian(problem.values)
    return MeanNoise(problem.design, mean, lent, scale, floor, freedom, left_out, problem.transform)


def _least_scale(target: FloatArray) -> float:
    """Return the least scale of the noise: that of rounding, where values are whole numbers.

    A count that is nearly always 1 leaves residuals of nearly 0, and one of 0 or 12 would then be
    so unlikely that its causes are believed to be whatever could explain it. Rounding alone has a
    standard deviation of ``1 / sqrt(12)``.
    """
    is_whole = bool((target == np.round(target)).all())
    return max(floor_of_scale(target), is_whole / math.sqrt(12.0))


def fit_mean_with(regressor: Any, table: Table, factor: Factor) -> MeanNoise:
    """Return the mean of somebody else's regressor, with residuals out of fold."""
    problem = _Problem.of(table, factor)
    mean, residuals = _fit_regressor(regressor, problem, table.row_weights)
    floor = _least_scale(problem.target)
    scale = max(fit_student_scale(residuals, problem.share, DEFAULT_FREEDOM), floor)
    left_out = log_student(residuals / scale, float(np.log(scale)), DEFAULT_FREEDOM)
    left_out = left_out + problem.transform.log_jacobian(problem.values)
    noise = Scale.even(scale)
    return MeanNoise(
        problem.design, mean, residuals, noise, floor, DEFAULT_FREEDOM, left_out, problem.transform
    )


def check_regressor(regressor: object) -> None:
    """Raise unless it is nothing, or an object that can be fitted and asked."""
    if regressor is None:
        return
    verbs = ("fit", "predict")
    if isinstance(regressor, type) or not all(
        callable(getattr(regressor, verb, None)) for verb in verbs
    ):
        raise ParameterError(
            "`regressor` must be an object with methods `fit` and `predict`, such as "
            f"sklearn.linear_model.LinearRegression(), or None. Found {regressor!r}."
        )


@dataclass(frozen=True, eq=False)
class RegressorMean:
    """The mean as a fitted regressor predicts it; a value, so that it pickles."""

    fitted: Any

    def predict(self, inputs: FloatArray) -> FloatArray:
        """Return the mean at each row of inputs."""
        return np.asarray(self.fitted.predict(inputs), dtype=np.float64).reshape(-1)

    def predict_with_doubt(self, inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean, and no doubt: how sure it is, nobody knows."""
        return self.predict(inputs), np.zeros(len(inputs))


def _fit_regressor(
    regressor: Any, problem: _Problem, weights: FloatArray | None
) -> tuple[RegressorMean, FloatArray]:
    """Return the mean fitted to all rows, and residuals of rows that a fit has not seen.

    A flexible regressor leaves next to nothing of the rows that it was fitted to, and we
    cannot ask it how many degrees of freedom it used. Row `i` is in fold ``i % N_FOLDS``.
    """
    if weights is not None and not _takes_weights(regressor):
        raise ParameterError(
            "With `sample_weight` the regressor of a ResidualConditional must take it too. "
            f"Found {regressor!r}, whose `fit` does not. Use another, or the default."
        )

    def fit(rows: IntArray) -> RegressorMean:
        keywords = {} if weights is None else {"sample_weight": weights[rows]}
        return RegressorMean(copy.deepcopy(regressor).fit(inputs[rows], target[rows], **keywords))

    inputs, target = problem.inputs, problem.target
    every = np.arange(len(target))
    mean = fit(every)
    if len(target) < N_FOLDS:
        return mean, target - mean.predict(inputs)
    residuals = np.empty(len(target))
    for fold in range(N_FOLDS):
        held_out = every % N_FOLDS == fold
        residuals[held_out] = target[held_out] - fit(every[~held_out]).predict(inputs[held_out])
    return mean, residuals


def _takes_weights(regressor: Any) -> bool:
    return "sample_weight" in signature(regressor.fit).parameters
