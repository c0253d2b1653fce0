"""What a fitted factor can do: weigh the observed rows, and perhaps more.

A conditional must only be able to weigh the observed rows, given values of the pillow. All else
has a slow default: without proposals every row is weighed before one is drawn, without a shift a
row lends the value that it holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from causalaug.densities import DensityMaker, Shift
    from causalaug.factorization import Factor
    from causalaug.kernels import RowWeigher
    from causalaug.table import Table
    from causalaug.typing import IntArray


@dataclass(frozen=True, eq=False)
class FittedConditional:
    """One factor, fitted to a table: which rows may lend their value, and what they lend.

    Without a shift a row lends the value that it holds. Without a density one is made of the
    weighted rows, see `density_of`. Factors with equal pillows may share one of these.
    """

    weigher: RowWeigher
    shift: Shift | None = None
    density: DensityMaker | None = None
    rows: IntArray | None = None
    """The rows that have all cells of the factor, which everything here is numbered by: the
    weigher's row `i` is row ``rows[i]`` of the table. None: all rows have them."""
    table: Table | None = None
    """These rows as the factor was fitted to them; None: as they are in the model's table."""
    counted: Callable[[], FittedConditional | None] | None = None
    """Returns the fit to rows of which weights are numbers, of which the density is made; None, or
    one that returns None: this fit is it."""
    parts: tuple[Part, ...] = ()
    """The fits that this one is a mixture of; empty if it is none."""


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a mixture: a fit, the factor that it was fitted as, and its weight."""

    fitted: FittedConditional
    factor: Factor
    weight: float


@dataclass(frozen=True, eq=False)
class CountedFits:
    """Fits factors again to rows of which weights are numbers, once, and if anybody asks.

    Which row lends what is a matter of the rows as they stand: Eq. (3). A density is smoothed by a
    number of rows, and must not change if weights become repetitions. `form` says what becomes of
    a table: `Table.repeated`, or `Table.normal` where a copy would tell a fit what its row holds.
    """

    conditional: ConditionalByFactor
    tables: Sequence[Table]
    factors: Sequence[Factor]
    form: Callable[[Table], tuple[Table, IntArray | None]]

    def at(self, number: int) -> FittedConditional | None:
        """Return the fit of one factor; None if that to the rows as they stand is the same."""
        return None if self._fitted is None else self._fitted[number]

    @cached_property
    def _fitted(self) -> tuple[FittedConditional, ...] | None:
        forms = [self.form(table) for table in self.tables]
        are_counted = any(table.present_counts(0) is not None for table in self.tables)
        if not are_counted and all(rows is None for _, rows in forms):
            return None
        fitted = self.conditional.fit_each([table for table, _ in forms], self.factors)
        return tuple(
            replace(each, rows=rows, table=table)
            for each, (table, rows) in zip(fitted, forms, strict=True)
        )


def fit_normal(
    tables: Sequence[Table], fit: Callable[[list[Table]], Sequence[FittedConditional]]
) -> tuple[FittedConditional, ...]:
    """Fit factors to tables in which copies are weights, and number the rows as they were."""
    forms = [table.normal() for table in tables]
    fitted = fit([table for table, _ in forms])
    return tuple(
        each if given.is_normal else replace(each, rows=rows, table=normal)
        for each, given, (normal, rows) in zip(fitted, tables, forms, strict=True)
    )


@runtime_checkable
class ConditionalByFactor(Protocol):
    """A conditional that fits each factor to rows of its own, and still learns from all.

    Where cells are missing, factors can use different rows. A conditional without this is fitted
    to each set of rows apart.
    """

    def fit_each(
        self, tables: Sequence[Table], factors: Sequence[Factor]
    ) -> Sequence[FittedConditional]:
        """Return one fitted conditional per factor, each fitted to the table beside it."""


class Conditional(Protocol):
    """A way to model ``p(z_j | z_mp(j))``: the parameters, before any data."""

    def fit(self, table: Table, factors: Sequence[Factor]) -> Sequence[FittedConditional]:
        """Return one fitted conditional per factor; equal pillows may share their weigher."""
