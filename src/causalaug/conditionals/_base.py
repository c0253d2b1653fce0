"""What a fitted factor can do: weigh the observed rows, and perhaps more.

A conditional must only be able to weigh the observed rows, given values of the pillow. All else
has a slow default: without proposals every row is weighed before one is drawn, without a shift a
row lends the value that it holds, without a law weighted rows tell how likely values are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

from causalaug.densities import RowLaw, some_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from causalaug.densities import Density, Law, Shift
    from causalaug.factorization import Factor
    from causalaug.kernels import RowWeigher
    from causalaug.table import Table
    from causalaug.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class FittedConditional:
    """One factor, fitted to a table: which rows may lend their value, and what they lend.

    Factors with equal pillows may share one of these, if it has no law.

    Parameters
    ----------
    weigher : RowWeigher
        Weighs the rows, given values of the pillow.
    shift : Shift, optional
        Changes values on their way; without it a row lends the value that it holds.
    law : callable, optional
        Returns what tells how likely values are; without it the weighted rows do.
    rows : int array, optional
        The rows that have all cells of the factor, which everything here is numbered by: the
        weigher's row `i` is row ``rows[i]`` of the table. None: all rows have them.
    """

    weigher: RowWeigher
    shift: Shift | None = None
    law: Callable[[], Law] | None = None
    rows: IntArray | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """The fits that this one is a mixture of, the graph's own first; empty if it is none."""
        return ()

    def density(self, table: Table, factor: Factor) -> Density:
        """Return how likely values are; levels are those of the whole table."""
        density = self._law_in(table, factor).density()
        return density if self.rows is None else density.widened(table, factor)

    def log_left_out(self, table: Table, factor: Factor) -> LeftOut:
        """Return the log-densities of rows that are left out, one at a time: some of many."""
        law = self._law_in(table, factor)
        numbers = np.arange(table.n_rows) if self.rows is None else self.rows
        numbers = numbers if law.rows is None else numbers[law.rows]
        some = some_rows(len(numbers))
        return LeftOut(numbers[some], law.log_left_out(some), law.table.original_weights()[some])

    def _law_in(self, table: Table, factor: Factor) -> Law:
        if self.law is not None:
            return self.law()
        own = table if self.rows is None else table.with_values_of(self.rows)
        return RowLaw(self.weigher, own, factor, self.shift)


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a mixture: a fit, the factor that it was fitted as, and its weight."""

    fitted: FittedConditional
    factor: Factor
    weight: float


class LeftOut(NamedTuple):
    """Numbers of rows of a table, their log-densities without their own row, and their weights."""

    rows: IntArray
    logs: FloatArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class LawsOfCounts:
    """Laws of factors, which are fitted again to rows of which weights are numbers, if need be.

    Which row lends what is a matter of the rows as they stand: Eq. (3). A density is smoothed by a
    number of rows, and must not change if weights become repetitions. `form` says what becomes of
    a table: `Table.repeated`, or `Table.normal` where a copy would tell a fit what its row holds.
    They are fitted once, when the first is asked for. `own` are the laws of the rows as they stand.
    """

    conditional: ConditionalByFactor
    own: Sequence[Law]
    form: Callable[[Table], tuple[Table, IntArray | None]]

    def at(self, number: int) -> Law:
        """Return the law of one factor."""
        return self._laws[number]

    @cached_property
    def _laws(self) -> Sequence[Law]:
        forms = [self.form(law.table) for law in self.own]
        are_counted = any(law.table.present_counts(0) is not None for law in self.own)
        if not are_counted and all(rows is None for _, rows in forms):
            return self.own
        factors = [law.factor for law in self.own]
        fitted = self.conditional.fit_each([table for table, _ in forms], factors)
        laws = [
            own if fit.law is None else fit.law() for fit, own in zip(fitted, self.own, strict=True)
        ]
        return [replace(law, rows=rows) for law, (_, rows) in zip(laws, forms, strict=True)]


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
