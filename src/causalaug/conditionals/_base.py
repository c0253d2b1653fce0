"""What a fitted factor can do: weigh the observed rows, and perhaps more.

A conditional must only be able to weigh the observed rows, given values of the pillow. All else
has a slow default: without proposals every row is weighed before one is drawn, without a shift a
row lends the value that it holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from causalaug.factorization import Factor
from causalaug.kernels import RowWeigher
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray


class Shift(Protocol):
    """Changes a value on its way from the row that lends it to the new row."""

    @property
    def marks(self) -> FloatArray:
        """One number per row; rows of equal mark lend equal values to every pillow."""

    def values(self, query: FloatArray, owner: IntArray, rows: IntArray) -> FloatArray:
        """Return what each row lends to the pillow ``query[owner]``, one value per entry."""


@dataclass(frozen=True, eq=False)
class FittedConditional:
    """One factor, fitted to a table: which rows may lend their value, and what they lend.

    Without a shift a row lends the value that it holds.
    """

    weigher: RowWeigher
    shift: Shift | None = None


class Conditional(Protocol):
    """A way to model ``p(z_j | z_mp(j))``: the parameters, before any data."""

    def fit(self, table: Table, factors: Sequence[Factor]) -> Sequence[FittedConditional]:
        """Return one fitted conditional per factor; equal pillows may share their weigher."""
