"""What a fitted factor can do: weigh the observed rows, and perhaps more.

A conditional must only be able to weigh the observed rows, given values of the pillow. All else
has a slow default: without proposals every row is weighed before one is drawn, without a shift a
row lends the value that it holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

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
