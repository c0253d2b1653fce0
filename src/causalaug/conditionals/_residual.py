"""Choose a row by the kernel, then move its value by a fitted mean."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from causalaug._threads import one_blas_thread
from causalaug._validation import is_positive
from causalaug.conditionals._base import Density, FittedConditional
from causalaug.conditionals._design import Design
from causalaug.conditionals._kernel import KernelConditional
from causalaug.conditionals._kernel_density import TABLE_POINTS
from causalaug.conditionals._mean import Shelf, SmoothMean, fit_smooth_mean, spread
from causalaug.conditionals._noise import (
    DEFAULT_FREEDOM,
    FARTHEST,
    Scale,
    calm_mean,
    fit_scale,
    pool_freedom,
    standard_residuals,
)
from causalaug.conditionals._noise_density import NoiseDensity
from causalaug.conditionals._regressor import check_regressor, fit_regressor
from causalaug.conditionals._scale_choice import choose_transform
from causalaug.conditionals._student import fit_student_scale, floor_of_scale, log_student
from causalaug.conditionals._transform import LARGEST, PlainTransform, Transform
from causalaug.exceptions import ParameterError
from causalaug.factorization import Factor
from causalaug.kernels import ProductKernel, RowWeigher
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

MARGIN = 0.5
"""How far beyond the observed range a value may go, in standard deviations."""

LEAST_FREEDOM = 0.04
"""Residuals of rows that the mean follows closely are not inflated beyond five times."""


class Mean(Protocol):
    """A fitted mean."""

    def predict(self, inputs: FloatArray) -> FloatArray:
        """Return the mean at each row of inputs."""


@dataclass(frozen=True)
class ResidualConditional:
    """Copy how far an observed value lies from its mean, not the value itself.

    Row `i` is chosen as in `KernelConditional`, with a kernel that may be wide; what it
    lends is ``m(new pillow) + (Z_ij - m(pillow of row i))``, where `m` is the mean of the
    variable given its pillow, fitted to the table. With ``m = 0`` this is the method of the
    paper. At infinite temperature every row may lend its residual everywhere, which is right
    if the noise is the same everywhere; at low temperature only rows nearby may.

    Discrete variables, and columns whose cells are neither floats nor integers (dates,
    say), are copied as `KernelConditional` does. Integers are rounded. Values stay within
    the observed range, extended by half a standard deviation, and within the limits of their
    column. A column with a long tail away from a limit, such as a price, is moved on a
    logarithmic scale if that makes rows that were left out more likely; others are reflected at
    their limits.

    Parameters
    ----------
    regressor : object with `fit` and `predict`, optional
        The mean; a copy of it is fitted for each variable. By default kernel ridge
        regression plus a linear part, tuned by its exact leave-one-out error.
    temperature : float, default=2.0
        Factor on the bandwidths with which a residual is chosen. ``inf`` ignores the pillow
        there.
    kernel : KernelConditional, default=KernelConditional()
        The kernels and bandwidths. Its own temperature is for the variables that are copied.

    Notes
    -----
    A fitted mean follows its own data a little, so plain residuals are too small. With the
    default regressor each is divided by the square root of one minus its leverage; those
    of any other regressor are taken out of fold.

    Examples
    --------
    The largest dose was seen once. Its response is predicted, and borrows its noise from
    the others:

    >>> import pandas as pd
    >>> from causalaug import ADMG, SampledExpansion, augment
    >>> trial = pd.DataFrame({"dose": [1.0, 2.0, 3.0, 9.0], "effect": [1.1, 1.8, 3.2, 9.1]})
    >>> graph = ADMG(["dose", "effect"], directed=[("dose", "effect")])
    >>> conditional = ResidualConditional(temperature=float("inf"))
    >>> new = augment(trial, graph, conditional, SampledExpansion(200), random_state=0).frame
    >>> sorted(set(new.loc[new["dose"] == 9, "effect"].round(1)))
    [8.8, 9.1, 9.2, 9.3]
    """

    regressor: Any = None
    temperature: float = 2.0
    kernel: KernelConditional = KernelConditional()

    def __post_init__(self) -> None:
        """Refuse what cannot be fitted and numbers that are not positive."""
        check_regressor(self.regressor)
        if not isinstance(self.kernel, KernelConditional):
            raise ParameterError(f"`kernel` must be a KernelConditional. Found {self.kernel!r}.")
        if not (is_positive(self.temperature) or self.temperature == math.inf):
            raise ParameterError(
                "`temperature` must be a positive number, or inf to ignore the pillow when a "
                f"residual is chosen. Found {self.temperature!r}."
            )

    def fit(self, table: Table, factors: Sequence[Factor]) -> tuple[FittedConditional, ...]:
        """Return the kernel of each factor, and the shift of those that can be shifted."""
        return self.fit_each([table] * len(factors), factors)

    def fit_each(
        self, tables: Sequence[Table], factors: Sequence[Factor]
    ) -> tuple[FittedConditional, ...]:
        """Return the same where each factor has a table of its own; tails are pooled over all."""
        is_shifted = list(map(_can_shift, tables, factors))
        pairs = list(zip(tables, factors, is_shifted, strict=True))
        copied = [(table, factor) for table, factor, shift in pairs if not shift]
        moved = [(table, factor) for table, factor, shift in pairs if shift]
        plain = iter(self.kernel.fit_each([t for t, _ in copied], [f for _, f in copied]))
        shifted = iter(self._moved([t for t, _ in moved], [f for _, f in moved]))
        return tuple(next(shifted) if shift else next(plain) for shift in is_shifted)

    def _moved(self, tables: Sequence[Table], factors: Sequence[Factor]) -> list[FittedConditional]:
        """Fit the means of some variables, and the noise around them."""
        with one_blas_thread():
            if self.regressor is None:
                fits = fit_means(tables, factors)
            else:
                fits = [
                    _fit_with(self.regressor, table, factor)
                    for table, factor in zip(tables, factors, strict=True)
                ]
        return [
            FittedConditional(weigher, _shift(table, factor, fit), fit)
            for weigher, table, factor, fit in zip(
                self._weighers(tables, factors), tables, factors, fits, strict=True
            )
        ]

    def _weighers(self, tables: Sequence[Table], factors: Sequence[Factor]) -> list[RowWeigher]:
        """Return what chooses the residuals of each factor."""
        if self.temperature < math.inf:
            return self.kernel.weighers(tables, factors, self.temperature)
        made = {id(each): ProductKernel.of([], each.n_rows, each.row_weights) for each in tables}
        return [made[id(each)] for each in tables]


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
        scale = self.scale.level * self.scale.relative(inputs) * np.sqrt(1.0 + doubt)
        return centre, np.maximum(scale, self.floor)

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
    inputs = [d(t.values[:, d.columns]) for t, d in zip(tables, designs, strict=True)]
    transforms = list(map(_transform, tables, factors, inputs, shares))
    values = [t.values[:, t.index(f.target)] for t, f in zip(tables, factors, strict=True)]
    targets = [t.forward(y) for t, y in zip(transforms, values, strict=True)]
    shelf: Shelf = {}
    means = [fit_smooth_mean(*each, shelf) for each in zip(inputs, targets, shares, strict=True)]
    units = [float(spread(y, share)) for y, share in zip(targets, shares, strict=True)]
    standard = [standard_residuals(mean) / u for mean, u in zip(means, units, strict=True)]
    freedom = pool_freedom(standard, shares)
    fits = [
        _noise_around(design, calm_mean(mean, x, y, share, freedom), x, y, share, freedom)
        for design, mean, x, y, share in zip(designs, means, inputs, targets, shares, strict=True)
    ]
    return [_on_scale(*each) for each in zip(fits, transforms, values, strict=True)]


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
    floor = floor_of_scale(target)
    spreads = np.maximum(
        scale.level * scale.relative(inputs) * np.sqrt(1.0 + mean.doubt_left_out), floor
    )
    left_out = log_student(mean.left_out / spreads, np.log(spreads), freedom)
    return MeanNoise(design, mean, lent, scale, floor, freedom, left_out, PlainTransform())


def _fit_with(regressor: Any, table: Table, factor: Factor) -> MeanNoise:
    """Return the mean of somebody else's regressor, with residuals out of fold."""
    share = table.original_weights() / table.total_weight
    design = Design.of(table, factor.pillow)
    inputs = design(table.values[:, design.columns])
    values = table.values[:, table.index(factor.target)]
    transform = _transform(table, factor, inputs, share)
    target = transform.forward(values)
    mean, residuals = fit_regressor(regressor, inputs, target, table.row_weights)
    floor = floor_of_scale(target)
    scale = max(fit_student_scale(residuals, share, DEFAULT_FREEDOM), floor)
    left_out = log_student(residuals / scale, float(np.log(scale)), DEFAULT_FREEDOM)
    noise = Scale.even(scale)
    fit = MeanNoise(
        design, mean, residuals, noise, floor, DEFAULT_FREEDOM, left_out, PlainTransform()
    )
    return _on_scale(fit, transform, values)


def _shift(table: Table, factor: Factor, fit: MeanNoise) -> "MeanShift":
    """Return how rows lend their residuals, within bounds."""
    column = table.index(factor.target)
    values, weights = table.values[:, column], table.original_weights()
    is_integer = table.resolution[column] == 1.0
    least, largest = table.limits[column]
    low, high = _extended_range(values, weights)
    if is_integer:
        low, high = math.ceil(low), math.floor(high)
    marks = fit.residuals
    if not fit.scale.is_even:
        marks = marks / fit.scale.relative(fit.design(table.values[:, fit.design.columns]))
    return MeanShift(
        fit,
        marks,
        *_extended_range(fit.transform.forward(values), weights),
        is_integer,
        (max(low, least), min(high, largest)),
    )


@dataclass(frozen=True, eq=False)
class MeanShift:
    """Adds a residual to the mean of the new pillow, within bounds, on the scale of the column.

    The mean, the marks and `low` and `high` are transformed; the limits are those of the values.

    Where the noise is uneven, a residual is stretched as the noise is there.
    """

    fit: MeanNoise
    marks: FloatArray
    low: float
    high: float
    is_integer: bool
    limits: tuple[float, float]

    def mean(self, pillow: FloatArray) -> FloatArray:
        """Return the mean at each row of pillow values."""
        return self.fit.mean.predict(self.fit.design(pillow))

    def values(self, query: FloatArray, owner: IntArray, rows: IntArray) -> FloatArray:
        """Return what each row lends to the pillow ``query[owner]``."""
        inputs = self.fit.design(query)
        lent = self.marks[rows]
        if not self.fit.scale.is_even:
            lent = lent * self.fit.scale.relative(inputs)[owner]
        moved = np.clip(self.fit.mean.predict(inputs)[owner] + lent, self.low, self.high)
        values = self.fit.transform.inverse(moved)
        # Adding zero turns the -0.0 that rounding may leave into 0.0.
        rounded = np.round(values) + 0.0 if self.is_integer else values
        return np.clip(rounded, *self.limits)


def _extended_range(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return the ends of the observed range, each moved out by half a standard deviation."""
    margin = MARGIN * float(spread(values, weights))
    return max(float(values.min()) - margin, -LARGEST), min(float(values.max()) + margin, LARGEST)


def _can_shift(table: Table, factor: Factor) -> bool:
    """Say whether a variable is a number that varies and depends on something."""
    column = table.index(factor.target)
    if table.resolution[column] is None or not factor.pillow:
        return False
    return bool(np.ptp(table.values[:, column]) > 0.0)
