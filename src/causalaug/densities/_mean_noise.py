"""The mean of a variable given its pillow, and the law of the noise around it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from causalaug._threads import one_blas_thread
from causalaug.densities._base import Density, pillow_along
from causalaug.densities._design import Design
from causalaug.densities._features import Shelf
from causalaug.densities._kernel_density import TABLE_POINTS
from causalaug.densities._mean import SmoothMean, fit_with_design
from causalaug.densities._noise import (
    DEFAULT_FREEDOM,
    FARTHEST,
    Known,
    Scale,
    calm_mean,
    fit_scale,
    pool_tails,
    standard_residuals,
)
from causalaug.densities._noise_density import NoiseDensity
from causalaug.densities._regressor import fit_regressor
from causalaug.densities._scale_choice import choose_transform
from causalaug.densities._spread import spread
from causalaug.densities._student import fit_student_scale, floor_of_scale, log_student
from causalaug.densities._transform import PlainTransform, Transform
from causalaug.factorization import Factor
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

LEAST_FREEDOM = 0.04
"""Residuals of rows that the mean follows closely are not inflated beyond five times."""

LARGEST_KEPT = 1 << 18
"""Entries of the features of all rows that are kept until the tails of all variables are known: 2
MB. Of a large table they would together be larger than all else, and are worked out again."""


class Mean(Protocol):
    """A fitted mean."""

    def predict(self, inputs: FloatArray) -> FloatArray:
        """Return the mean at each row of inputs."""


@dataclass(frozen=True, eq=False)
class MeanNoise:
    """The mean of a variable given its pillow, and the noise around it.

    Both are on the scale that `transform` gives the column. `residuals` are what rows lend,
    neither too small nor too large; `left_out` is the log-density of each row under what the
    others say.
    """

    design: Design
    mean: Mean
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
        if self._table is None:
            return self._exact(inputs)
        knots, means, scales = self._table
        at = inputs[:, 0]
        centre, scale = np.interp(at, knots, means), np.interp(at, knots, scales)
        outside = (at < knots[0]) | (at > knots[-1])
        centre[outside], scale[outside] = self._exact(inputs[outside])
        return centre, scale

    def along(
        self, pillow: FloatArray, position: int, points: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the same with one column of the pillow at several points of each row.

        Shapes: pillow (n, n_columns), points and both results (n, n_points). A posterior asks for
        this; what the other columns say is worked out once for all points of a row.
        """
        mean, design = self.mean, self.design
        if (
            self._table is None
            and design.has_one_input_each
            and design.is_number(position)
            and isinstance(mean, SmoothMean)
            and mean.features.is_sum_of_curves
        ):
            centre, doubt = mean.predict_along(design(pillow), position, points)
            relative: FloatArray | float = 1.0
            if not self.scale.is_even:
                inputs = design(pillow_along(pillow, position, points))
                relative = self.scale.relative(inputs).reshape(points.shape)
            return centre, self._scale(relative, doubt)
        location = self(pillow_along(pillow, position, points))
        return location[0].reshape(points.shape), location[1].reshape(points.shape)

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Points, means and scales, if the pillow is a single number; else None.

        A posterior asks for a million means; curves do not bend between points so close.
        """
        is_number = [levels is None for levels in self.design.levels] == [True]
        if not is_number or not isinstance(self.mean, SmoothMean):
            return None
        (middle,), (unit,) = self.mean.features.centre, self.mean.features.scale
        knots = np.linspace(middle - FARTHEST * unit, middle + FARTHEST * unit, TABLE_POINTS)
        return (knots, *self._exact(knots[:, np.newaxis]))

    def _exact(self, inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
        doubt: FloatArray | float = 0.0
        if isinstance(self.mean, SmoothMean):
            centre, doubt = self.mean.predict_with_doubt(inputs)
        else:
            centre = self.mean.predict(inputs)
        return centre, self._scale(self.scale.relative(inputs), doubt)

    def _scale(self, relative: FloatArray | float, doubt: FloatArray | float) -> FloatArray:
        """Return the scale of the noise, wider where the mean is in doubt."""
        scale = self.scale.level * relative * np.sqrt(1.0 + doubt)
        return np.maximum(scale, self.floor)

    def make_density(self, table: Table, factor: Factor, among: IntArray | None = None) -> Density:
        """Return Student's t around the mean; around one fitted anew to some of the rows."""
        if among is not None:
            with one_blas_thread():
                (fit,) = fit_means([table.select(among)], [factor])
            return fit.make_density(table, factor)
        return NoiseDensity(self, self.freedom, self.transform)


def fit_means(tables: Sequence[Table], factors: Sequence[Factor]) -> list[MeanNoise]:
    """Fit the means of some variables; how heavy the tails are is decided for all together."""
    shares = [table.original_weights() / table.total_weight for table in tables]
    designs = [Design.of(t, factor.pillow) for t, factor in zip(tables, factors, strict=True)]
    inputs = [
        # Without a pillow the mean is a constant: one input that never varies.
        d(t.values[:, d.columns]) if d.columns else np.zeros((t.n_rows, 1))
        for t, d in zip(tables, designs, strict=True)
    ]
    transforms = list(map(_transform, tables, factors, inputs, shares))
    values = [t.values[:, t.index(f.target)] for t, f in zip(tables, factors, strict=True)]
    targets = [t.forward(y) for t, y in zip(transforms, values, strict=True)]
    shelf: Shelf = {}
    pairs = [_with_features(*each, shelf) for each in zip(inputs, targets, shares, strict=True)]
    means, features = [mean for mean, _ in pairs], [design for _, design in pairs]
    # A row of all the weight leaves nothing that varies; residuals need another unit than zero.
    units = [float(spread(y, share)) or 1.0 for y, share in zip(targets, shares, strict=True)]
    standard = [standard_residuals(mean) / u for mean, u in zip(means, units, strict=True)]
    tails = pool_tails(standard, shares)
    scales = tails.scales * np.array(units)[:, np.newaxis]
    rows = zip(inputs, targets, shares, strict=True)
    calm = [
        calm_mean(mean, *own, tails.freedom, known)
        for mean, own, known in zip(means, rows, map(Known, features, scales), strict=True)
    ]
    fits = [
        _noise_around(*each, tails.freedom)
        for each in zip(designs, calm, inputs, targets, shares, strict=True)
    ]
    return [_on_scale(*each) for each in zip(fits, transforms, values, strict=True)]


def _with_features(
    inputs: FloatArray, target: FloatArray, share: FloatArray, shelf: Shelf
) -> tuple[SmoothMean, FloatArray | None]:
    """Return a mean, and its features in all rows unless they are too many to be kept for later."""
    mean, design = fit_with_design(inputs, target, share, shelf)
    return mean, design if design.size <= LARGEST_KEPT else None


def _transform(table: Table, factor: Factor, inputs: FloatArray, share: FloatArray) -> Transform:
    """Choose the scale on which a column is moved."""
    column = table.index(factor.target)
    return choose_transform(
        inputs,
        table.values[:, column],
        share,
        table.limits[column],
        is_integer=table.resolution[column] == 1.0,
    )


def _on_scale(fit: MeanNoise, transform: Transform, values: FloatArray) -> MeanNoise:
    """Return a fit to transformed values; densities are those of the values themselves."""
    left_out = fit.left_out + transform.log_jacobian(values)
    return replace(fit, transform=transform, left_out=left_out)


def _noise_around(
    design: Design,
    mean: SmoothMean,
    inputs: FloatArray,
    target: FloatArray,
    share: FloatArray,
    freedom: float,
) -> MeanNoise:
    """Return a fitted mean with its noise."""
    residuals = standard_residuals(mean)
    features = mean.features
    scale = fit_scale(residuals, inputs, features.centre, features.scale, share, freedom)
    lent = mean.residuals / np.sqrt(np.maximum(1.0 - mean.leverages, LEAST_FREEDOM))
    floor = _least_scale(target)
    spreads = np.maximum(
        scale.level * scale.relative(inputs) * np.sqrt(1.0 + mean.doubt_left_out), floor
    )
    left_out = log_student(mean.left_out / spreads, np.log(spreads), freedom)
    return MeanNoise(design, mean, lent, scale, floor, freedom, left_out, PlainTransform())


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
    share = table.original_weights() / table.total_weight
    design = Design.of(table, factor.pillow)
    inputs = design(table.values[:, design.columns])
    values = table.values[:, table.index(factor.target)]
    transform = _transform(table, factor, inputs, share)
    target = transform.forward(values)
    mean, residuals = fit_regressor(regressor, inputs, target, table.row_weights)
    floor = _least_scale(target)
    scale = max(fit_student_scale(residuals, share, DEFAULT_FREEDOM), floor)
    left_out = log_student(residuals / scale, float(np.log(scale)), DEFAULT_FREEDOM)
    noise = Scale.even(scale)
    fit = MeanNoise(
        design, mean, residuals, noise, floor, DEFAULT_FREEDOM, left_out, PlainTransform()
    )
    return _on_scale(fit, transform, values)
