"""Choose a row by the kernel, then move its value by a fitted mean."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from causalaug._threads import one_blas_thread
from causalaug._validation import is_positive
from causalaug.conditionals._base import FittedConditional, RowWeigher
from causalaug.conditionals._design import Design
from causalaug.conditionals._kernel import KernelConditional
from causalaug.conditionals._mean import fit_smooth_mean, spread
from causalaug.conditionals._regressor import check_regressor, fit_regressor
from causalaug.conditionals._row_weights import weigh_rows
from causalaug.conditionals._scale import LARGEST, PlainScale, Scale, choose_scale
from causalaug.exceptions import ParameterError
from causalaug.factorization import Factor
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
        is_shifted = [_can_shift(table, factor) for factor in factors]
        copied = [factor for factor, shift in zip(factors, is_shifted, strict=True) if not shift]
        moved = [factor for factor, shift in zip(factors, is_shifted, strict=True) if shift]
        plain = iter(self.kernel.fit(table, copied))
        weighers = iter(self._weighers(table, moved))
        return tuple(
            FittedConditional(next(weighers), self._shift(table, factor)) if shift else next(plain)
            for factor, shift in zip(factors, is_shifted, strict=True)
        )

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
        inputs, values = design(table.values[:, design.columns]), table.values[:, column]
        weights = np.ones(table.n_rows) if table.row_weights is None else table.row_weights
        is_integer = table.resolution[column] == 1.0
        with one_blas_thread():
            scale = choose_scale(
                inputs, values, weights, table.limits[column], is_integer=is_integer
            )
        target = scale.forward(values)
        if self.regressor is None:
            with one_blas_thread():
                smooth = fit_smooth_mean(inputs, target, weights)
            mean: Mean = smooth
            freedom = np.maximum(1.0 - smooth.leverages, LEAST_FREEDOM)
            residuals = smooth.residuals / np.sqrt(freedom)
        else:
            mean, residuals = fit_regressor(self.regressor, inputs, target, table.row_weights)
        least, largest = table.limits[column]
        low, high = _extended_range(values, weights)
        if is_integer:
            low, high = math.ceil(low), math.floor(high)
        return MeanShift(
            PillowMean(design, mean),
            residuals,
            *_extended_range(target, weights),
            is_integer,
            scale,
            (max(low, least), min(high, largest)),
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
class MeanShift:
    """Adds a residual to the mean of the new pillow, within bounds, on the scale of the column.

    The mean, the marks and `low` and `high` are scaled; the limits are those of the values.
    """

    mean: PillowMean
    marks: FloatArray
    low: float
    high: float
    is_integer: bool
    scale: Scale = PlainScale()
    limits: tuple[float, float] = (-math.inf, math.inf)

    def values(self, query: FloatArray, owner: IntArray, rows: IntArray) -> FloatArray:
        """Return what each row lends to the pillow ``query[owner]``."""
        scaled = np.clip(self.mean(query)[owner] + self.marks[rows], self.low, self.high)
        values = self.scale.inverse(scaled)
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
