"""Choose a row by the kernel, then move its value by a fitted mean."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from causalaug._magnitudes import LARGEST
from causalaug._threads import one_blas_thread
from causalaug._validation import is_positive
from causalaug.conditionals._base import FittedConditional, LawsOfCounts
from causalaug.conditionals._kernel import KernelConditional
from causalaug.densities import (
    FittedLaw,
    Law,
    MeanNoise,
    check_regressor,
    fit_mean_with,
    fit_means,
    spread,
)
from causalaug.exceptions import ParameterError
from causalaug.factorization import Factor
from causalaug.kernels import ProductKernel, RowWeigher
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

MARGIN = 0.5
"""How far beyond the observed range a value may go, in standard deviations."""


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
        plain = iter(self._copied([t for t, _ in copied], [f for _, f in copied]))
        shifted = iter(self._moved([t for t, _ in moved], [f for _, f in moved]))
        found = [next(shifted) if shift else next(plain) for shift in is_shifted]
        laws = LawsOfCounts(self, [law for law, _ in found], Table.normal)
        return tuple(
            FittedConditional(law.weigher, shift, partial(laws.at, number))
            for number, (law, shift) in enumerate(found)
        )

    def _copied(
        self, tables: Sequence[Table], factors: Sequence[Factor]
    ) -> list[tuple[Law, "MeanShift | None"]]:
        """Return laws of variables whose values are copied."""
        weighers = self.kernel.weighers(tables, factors, self.kernel.temperature)
        return [(law, None) for law in self.kernel.laws(weighers, tables, factors)]

    def _moved(
        self, tables: Sequence[Table], factors: Sequence[Factor]
    ) -> list[tuple[Law, "MeanShift | None"]]:
        """Fit the means of some variables, and the noise around them."""
        with one_blas_thread():
            if self.regressor is None:
                fits = fit_means(tables, factors)
            else:
                each = zip(tables, factors, strict=True)
                fits = [fit_mean_with(self.regressor, table, factor) for table, factor in each]
        laws = map(FittedLaw, self._weighers(tables, factors), tables, factors, fits)
        return list(zip(laws, map(_shift, tables, factors, fits), strict=True))

    def _weighers(self, tables: Sequence[Table], factors: Sequence[Factor]) -> list[RowWeigher]:
        """Return what chooses the residuals of each factor."""
        if self.temperature < math.inf:
            return self.kernel.weighers(tables, factors, self.temperature)
        made = {id(each): ProductKernel.of([], each.n_rows, each.row_weights) for each in tables}
        return [made[id(each)] for each in tables]


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
