"""Choose how each factor is modelled by how likely it makes rows that it has not seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from causalaug._validation import check_at_least
from causalaug.conditionals._kernel import KernelConditional
from causalaug.conditionals._residual import ResidualConditional
from causalaug.densities import (
    DEFAULT_SMOOTHING,
    BackOff,
    FittedLaw,
    Sample,
    are_levels,
    fit_back_off,
    likeliest,
    rows_that_suffice,
    rows_to_judge,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from causalaug.conditionals._base import FittedConditional
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
        forms = [table.normal() for table in tables]
        fitted = self._fit_normal([table for table, _ in forms], factors)
        return tuple(replace(fit, rows=rows) for fit, (_, rows) in zip(fitted, forms, strict=True))

    def _fit_normal(
        self, tables: Sequence[Table], factors: Sequence[Factor]
    ) -> list[FittedConditional]:
        """Fit factors to tables in which copies are weights."""
        kernel = KernelConditional(level_smoothing=self.level_smoothing)
        are_many = any(table.n_rows in ROWS_THAT_LEND_ANYWHERE for table in tables)
        options = {"temperature": math.inf} if are_many else {}
        pairs = list(zip(tables, factors, strict=True))
        fewer = [_fewer_rows(pairs, choose) for choose in (rows_that_suffice, rows_to_judge)]
        first = ResidualConditional(kernel=kernel, **options).fit_each(tables, factors)
        tried = [[each] for each in _thinned(kernel, first, range(len(pairs)), fewer)]
        backing = self._backing(tables, factors)
        beside = [
            () if back is not None and not _has_ranks(*pair) else _temperatures(fit, *pair)
            for fit, back, pair in zip(first, backing, pairs, strict=True)
        ]
        for temperature in dict.fromkeys(t for each in beside for t in each):
            wide = replace(kernel, temperature=temperature)
            numbers = [number for number, each in enumerate(beside) if temperature in each]
            chosen = [pairs[number] for number in numbers]
            fits = wide.fit_each([table for table, _ in chosen], [factor for _, factor in chosen])
            for number, fit in zip(numbers, _thinned(wide, fits, numbers, fewer), strict=True):
                tried[number].append(fit)
        return [
            _backed(_best(fits), back, *pair)
            for fits, back, pair in zip(tried, backing, pairs, strict=True)
        ]

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


FewerRows: TypeAlias = "tuple[IntArray, Table] | None"
"""Some rows of a table, and the table of these alone; None: all."""


def _fewer_rows(
    pairs: Sequence[tuple[Table, Factor]], choose: Callable[[int], IntArray | None]
) -> list[FewerRows]:
    """Return some rows for each factor; those of one table are the same.

    A variable that is constant there, and not in the whole table, has all rows.
    """
    made: dict[int, FewerRows] = {}
    for table, _ in pairs:
        if id(table) not in made:
            rows = choose(table.n_rows)
            made[id(table)] = None if rows is None else (rows, table.with_values_of(rows))
    found = []
    for table, factor in pairs:
        fewer, column = made[id(table)], table.index(factor.target)
        varies = fewer is not None and np.ptp(fewer[1].values[:, column]) > 0.0
        found.append(fewer if varies else None)
    return found


def _thinned(
    kernel: KernelConditional,
    fits: Sequence[FittedConditional],
    numbers: Sequence[int],
    fewer: Sequence[Sequence[FewerRows]],
) -> list[FittedConditional]:
    """Return fits to factors of these numbers, whose laws weigh fewer rows of long tables.

    Every row may still lend its value.
    """
    laws = [fit.law() for fit in fits if fit.law is not None]
    factors = [law.factor for law in laws]
    samples = [_samples(kernel, factors, [each[number] for number in numbers]) for each in fewer]
    return [
        replace(fit, law=law.thinned(*both).itself)
        for fit, law, both in zip(fits, laws, zip(*samples, strict=True), strict=True)
    ]


def _samples(
    kernel: KernelConditional, factors: Sequence[Factor], fewer: Sequence[FewerRows]
) -> list[Sample | None]:
    """Return rows and tables with what weighs them."""
    there = [(each[1], f) for each, f in zip(fewer, factors, strict=True) if each is not None]
    tables, own = [table for table, _ in there], [factor for _, factor in there]
    weighers = iter(kernel.weighers(tables, own, kernel.temperature))
    return [None if each is None else Sample(*each, next(weighers)) for each in fewer]


def _temperatures(fit: FittedConditional, table: Table, factor: Factor) -> tuple[float, ...]:
    """Return the temperatures that are tried beside a fit; without a mean it is the first."""
    if not factor.pillow or (fit.shift is not None and table.n_rows > MOST_ROWS):
        return ()
    return TEMPERATURES[1:] if fit.shift is None else BESIDE_A_MEAN


def _best(fits: Sequence[FittedConditional]) -> FittedConditional:
    """Return the fit under which left-out rows are most likely; the first of equals."""
    laws = [fit.law() for fit in fits if fit.law is not None]
    if len(laws) == 1 or np.ptp(laws[0].values) == 0.0:
        return fits[0]
    return fits[likeliest(laws)]


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
    if backing is None or fit.law is None:
        return fit
    law = FittedLaw(fit.weigher, table, factor, backing)
    is_behind = _has_ranks(table, factor) and likeliest([law, fit.law()])
    return fit if is_behind else replace(fit, law=law.itself)
