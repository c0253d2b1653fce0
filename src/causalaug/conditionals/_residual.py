"""Choose a row by the kernel, then move its value by a fitted mean."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from causalaug._threads import one_blas_thread
from causalaug._validation import is_positive
from causalaug.conditionals._base import FittedConditional, RowWeigher
from causalaug.conditionals._density import NoiseDensity, fit_student_scale, floor_of_scale
from causalaug.conditionals._design import Design
from causalaug.conditionals._kernel import KernelConditional
from causalaug.conditionals._mean import fit_smooth_mean, spread
from causalaug.conditionals._regressor import check_regressor, fit_regressor
from causalaug.conditionals._row_weights import weigh_rows
from causalaug.exceptions import ParameterError
from causalaug.factorization import Factor
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

MARGIN = 0.5
"""How far beyond the observed range a value may go, in standard deviations."""

LEAST_FREEDOM = 0.04
"""Residuals of rows that the mean follows closely are not inflated beyond five times."""

NOISE_FREEDOM = 3.0
"""Degrees of freedom of the noise."""


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
    the observed range, extended by half a standard deviation.

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
        is_shifted = [_can_shift(table, factor) for factor in factors]
        copied = [factor for factor, shift in zip(factors, is_shifted, strict=True) if not shift]
        moved = [factor for factor, shift in zip(factors, is_shifted, strict=True) if shift]
        plain = iter(self.kernel.fit(table, copied))
        weighers = iter(self._weighers(table, moved))
        return tuple(
            self._moved(table, factor, next(weighers)) if shift else next(plain)
            for factor, shift in zip(factors, is_shifted, strict=True)
        )

    def _moved(self, table: Table, factor: Factor, weigher: RowWeigher) -> FittedConditional:
        """Fit the mean of one variable, and the noise around it."""
        shift = self._shift(table, factor)
        return FittedConditional(weigher, shift, MeanNoise(shift.mean, shift.marks))

    def _weighers(self, table: Table, factors: Sequence[Factor]) -> list[RowWeigher]:
        """Return what chooses the residuals of each factor."""
        if self.temperature == math.inf:
            everywhere = weigh_rows(table.values[:, :0], (), table.row_weights)
            return [everywhere] * len(factors)
        kernel = replace(self.kernel, temperature=self.temperature)
        return [fitted.weigher for fitted in kernel.fit(table, factors)]

    def _shift(self, table: Table, factor: Factor) -> "MeanShift":
        """Fit the mean of one variable given its pillow."""
        column = table.index(factor.target)
        design = Design.of(table, factor.pillow)
        inputs, target = design(table.values[:, design.columns]), table.values[:, column]
        weights = np.ones(table.n_rows) if table.row_weights is None else table.row_weights
        if self.regressor is None:
            with one_blas_thread():
                smooth = fit_smooth_mean(inputs, target, weights)
            mean: Mean = smooth
            freedom = np.maximum(1.0 - smooth.leverages, LEAST_FREEDOM)
            residuals = smooth.residuals / np.sqrt(freedom)
        else:
            mean, residuals = fit_regressor(self.regressor, inputs, target, table.row_weights)
        margin = MARGIN * float(spread(target, weights))
        least, largest = table.limits[column]
        return MeanShift(
            PillowMean(design, mean),
            residuals,
            max(float(target.min()) - margin, least),
            min(float(target.max()) + margin, largest),
            is_integer=table.resolution[column] == 1.0,
        )


@dataclass(frozen=True, eq=False)
class PillowMean:
    """The mean of a variable given values of its pillow."""

    design: Design
    mean: Mean

    def __call__(self, pillow: FloatArray) -> FloatArray:
        """Return the mean at each row of pillow values."""
        return self.mean.predict(self.design(pillow))


@dataclass(frozen=True, eq=False)
class MeanNoise:
    """Makes the density of the noise around a mean, from residuals that are not too small."""

    mean: PillowMean
    residuals: FloatArray

    def make_density(self, table: Table, factor: Factor) -> NoiseDensity:
        """Return Student's t around the mean, its scale fitted."""
        values = table.values[:, table.index(factor.target)]
        share = table.original_weights() / table.total_weight
        scale = fit_student_scale(self.residuals, share, NOISE_FREEDOM)
        return NoiseDensity(EvenNoise(self.mean, max(scale, floor_of_scale(values))), NOISE_FREEDOM)


@dataclass(frozen=True, eq=False)
class EvenNoise:
    """A mean, and a noise of the same scale everywhere."""

    mean: PillowMean
    scale: float

    def __call__(self, pillow: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the scale at each row of pillow values."""
        return self.mean(pillow), np.full(len(pillow), self.scale)


@dataclass(frozen=True, eq=False)
class MeanShift:
    """Adds a residual to the mean of the new pillow, within bounds."""

    mean: PillowMean
    marks: FloatArray
    low: float
    high: float
    is_integer: bool

    def values(self, query: FloatArray, owner: IntArray, rows: IntArray) -> FloatArray:
        """Return what each row lends to the pillow ``query[owner]``."""
        values = np.clip(self.mean(query)[owner] + self.marks[rows], self.low, self.high)
        return np.round(values) if self.is_integer else values


def _can_shift(table: Table, factor: Factor) -> bool:
    """Say whether a variable is a number that varies and depends on something."""
    column = table.index(factor.target)
    if table.resolution[column] is None or not factor.pillow:
        return False
    return bool(np.ptp(table.values[:, column]) > 0.0)
