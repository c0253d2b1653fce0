"""Choose how each factor is modelled by how likely it makes rows that it has not seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from causalaug._validation import check_at_least
from causalaug.conditionals._base import FittedConditional, fit_normal
from causalaug.conditionals._kernel import KernelConditional
from causalaug.conditionals._residual import ResidualConditional
from causalaug.densities import (
    DEFAULT_SMOOTHING,
    BackOff,
    RowDensities,
    Sample,
    are_levels,
    fit_back_off,
    likeliest,
    rows_that_suffice,
    rows_to_judge,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from causalaug.factorization import Factor
    from causalaug.table import Table
    from causalaug.typing import IntArray

TEMPERATURES = (0.3, 0.6, 1.2, 2.5)
"""Temperatures of the kernels that are tried: the paper's, and wider ones."""

BESIDE_A_MEAN = (0.6, 2.5)
"""The same for a variable that has a mean: of 640 such factors a kernel was chosen for 16."""

MOST_ROWS = 5_000
"""Beyond so many rows a mean is taken wherever there is one. The density of weighted rows takes
time in proportion to them, and learners ask for it in five times as many places: on a table of
10,000 x 4 that one factor took minutes of a fit that takes half a minute without it."""

ROWS_THAT_LEND_ANYWHERE = range(250, 4_001)
"""In tables of so many rows a residual is lent by any of them, not by those near the pillow. Mean
and noise are known well by then, and to weigh all rows for every new one took 345 of 440 ms of a
fit and its new rows (1,600 rows, 9 columns, no independence). Chosen on 48 models of 800 and 1,600
rows (seeds 3,100,000 and up) and 84 tables of 260 to 450 (3,500,000 and up). On 63 and 84 others,
real ones and uneven noise among them, test errors of boosting with new rows of the graph changed by
-1.4 ± 0.5 and -0.5 ± 0.3% (expected targets), -0.4 ± 0.7 and -1.3 ± 0.4% (drawn ones), with
those of the complete graph by -1.1 ± 0.4 and -0.4 ± 0.3%; of 48 cells two rose by more than two
standard errors, by 1.0 and 1.7%.
In longer tables the rows near a pillow are found faster than all are listed: a default fit to
100,000 x 4 took 157 s that way, and takes 20."""


@dataclass(frozen=True)
class AutoConditional:
    """Take for each factor what makes left-out rows most likely; what ``"auto"`` means.

    A factor is modelled by a mean and the noise around it (`ResidualConditional`), or by
    weighted rows (`KernelConditional`) at one of several temperatures: what has no mean, and what
    depends on its pillow in a way that no mean describes. Levels given levels have tables that back
    off from the whole pillow to less of it (`BackOff`), unless the pillow has ranks and rows that
    are near make others likelier. Each is judged by the log-density of every observed row under a
    fit to the others, in closed form. In a table of 250 to 4,000 rows
    any row may lend its residual, in others those near the pillow do.

    Parameters
    ----------
    level_smoothing : float, default=1.0
        As in `KernelConditional`, for levels whose pillow has numbers or ranks. 0 switches all
        smoothing of levels off, tables that back off included.

    Examples
    --------
    Two branches of one curve have no useful mean; a kernel keeps them apart:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from causalaug import fit_model
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(1.0, 3.0, 80)
    >>> branch = rng.choice([-1.0, 1.0], 80)
    >>> frame = pd.DataFrame({"x": x, "y": branch * x + 0.02 * rng.normal(size=80), "z": 2 * x})
    >>> model = fit_model(frame, "x -> y; x -> z", conditional="auto")
    >>> [each.shift is not None for each in model.fitted]
    [False, False, True]
    """

    level_smoothing: float = DEFAULT_SMOOTHING

    def __post_init__(self) -> None:
        """Refuse a negative smoothing."""
        check_at_least("level_smoothing", self.level_smoothing, 0.0)

    def fit(self, table: Table, factors: Sequence[Factor]) -> tuple[FittedConditional, ...]:
        """Return what is best for each factor."""
        return self.fit_each([table] * len(factors), factors)

    def fit_each(
        self, tables: Sequence[Table], factors: Sequence[Factor]
    ) -> tuple[FittedConditional, ...]:
        """Return the same where each factor has a table of its own."""
        return fit_normal(tables, partial(self._fit_each, factors=factors))

    def _fit_each(
        self, tables: Sequence[Table], factors: Sequence[Factor]
    ) -> tuple[FittedConditional, ...]:
        kernel = KernelConditional(level_smoothing=self.level_smoothing)
        are_many = any(table.n_rows in ROWS_THAT_LEND_ANYWHERE for table in tables)
        options = {"temperature": math.inf} if are_many else {}
        sampled = _Sampled.of(tables, factors)
        moved = sampled.thinned(
            kernel, ResidualConditional(kernel=kernel, **options).fit_each(tables, factors)
        )
        backing = self._backing(tables, factors)
        tried = [
            () if each[-1] is not None and not _has_ranks(*each[1:3]) else _tried(*each[:3])
            for each in zip(moved, tables, factors, backing, strict=True)
        ]
        at = {
            t: sampled.thinned(wide, wide.fit_each(tables, factors))
            for t in dict.fromkeys(t for each in tried for t in each)
            for wide in [replace(kernel, temperature=t)]
        }
        return tuple(
            _backed(
                _best([moved[number], *(at[t][number] for t in tried[number])], table, factor),
                backing[number],
                table,
                factor,
            )
            for number, (table, factor) in enumerate(zip(tables, factors, strict=True))
        )

    def _backing(
        self, tables: Sequence[Table], factors: Sequence[Factor]
    ) -> tuple[BackOff | None, ...]:
        """Return the tables of each factor that back off; None where there is a number."""
        each = [(t, f) for t, f in zip(tables, factors, strict=True) if are_levels(t, f)]
        if self.level_smoothing == 0.0:
            return (None,) * len(factors)
        made = iter(fit_back_off([t for t, _ in each], [f for _, f in each]))
        pairs = zip(tables, factors, strict=True)
        return tuple(next(made) if are_levels(*pair) else None for pair in pairs)


def _samples(
    tables: Sequence[Table],
    factors: Sequence[Factor],
    choose: Callable[[int], IntArray | None],
) -> list[Sample | None]:
    """Return some rows of each table; None: all.

    Factors of one table share one sample. A variable that is constant there, and not in the whole
    table, has all rows.
    """
    made: dict[int, Sample | None] = {}
    for table in tables:
        if id(table) not in made:
            rows = choose(table.n_rows)
            made[id(table)] = None if rows is None else Sample(rows, table.with_values_of(rows))
    found = []
    for table, factor in zip(tables, factors, strict=True):
        sample, column = made[id(table)], table.index(factor.target)
        varies = sample is not None and np.ptp(sample.table.values[:, column]) > 0.0
        found.append(sample if varies else None)
    return found


@dataclass(frozen=True, eq=False)
class _Sampled:
    """The rows of which densities of weighted rows are made, and those by which they are judged."""

    factors: Sequence[Factor]
    enough: Sequence[Sample | None]
    judges: Sequence[Sample | None]

    @classmethod
    def of(cls, tables: Sequence[Table], factors: Sequence[Factor]) -> _Sampled:
        """Choose the rows of each factor."""
        enough, judges = (
            _samples(tables, factors, choose) for choose in (rows_that_suffice, rows_to_judge)
        )
        return cls(factors, enough, judges)

    def thinned(
        self, kernel: KernelConditional, fits: Sequence[FittedConditional]
    ) -> list[FittedConditional]:
        """Return fits of weighted rows with densities of fewer rows; others as they are.

        Every row may still lend its value.
        """
        enough, judges = self._makers(kernel, self.enough), self._makers(kernel, self.judges)
        return [
            replace(fit, density=replace(whole or fit.density, judged=judge))
            if isinstance(fit.density, RowDensities)
            else fit
            for fit, whole, judge in zip(fits, enough, judges, strict=True)
        ]

    def _makers(
        self, kernel: KernelConditional, samples: Sequence[Sample | None]
    ) -> list[RowDensities | None]:
        """Return what makes the density of each factor of its sample; None where there is none."""
        pairs = [(s, f) for s, f in zip(samples, self.factors, strict=True) if s is not None]
        tables, factors = [sample.table for sample, _ in pairs], [factor for _, factor in pairs]
        weighers = iter(kernel.weighers(tables, factors, kernel.temperature))
        smoothing = kernel.level_smoothing
        return [
            None
            if sample is None
            else RowDensities(next(weighers), level_smoothing=smoothing, sample=sample)
            for sample in samples
        ]


def _tried(fit: FittedConditional, table: Table, factor: Factor) -> tuple[float, ...]:
    """Return the temperatures that are tried beside a fit; without a mean it is the first."""
    if not factor.pillow or (fit.shift is not None and table.n_rows > MOST_ROWS):
        return ()
    return TEMPERATURES[1:] if fit.shift is None else BESIDE_A_MEAN


def _best(fits: Sequence[FittedConditional], table: Table, factor: Factor) -> FittedConditional:
    """Return the fit under which left-out rows are most likely; the first of equals."""
    if len(fits) == 1 or np.ptp(table.values[:, table.index(factor.target)]) == 0.0:
        return fits[0]
    return fits[likeliest([each.density for each in fits], table, factor)]


def _has_ranks(table: Table, factor: Factor) -> bool:
    """Say whether a column of the pillow has ranks: there, rows that are near may tell more."""
    columns = [table.index(name) for name in factor.pillow]
    return any(
        table.kinds[column] == "ordered" and len(table.coding(column).values) > 2
        for column in columns
    )


def _backed(
    fit: FittedConditional, backing: BackOff | None, table: Table, factor: Factor
) -> FittedConditional:
    """Return a fit with the density of tables that back off, unless weighted rows are likelier.

    Which rows lend their values stays as it is.
    """
    if backing is None:
        return fit
    is_behind = _has_ranks(table, factor) and likeliest([backing, fit.density], table, factor)
    return fit if is_behind else replace(fit, density=backing)
