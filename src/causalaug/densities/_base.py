"""What the law of a variable given its pillow can be asked."""

from typing import Protocol, TypeVar

import numpy as np

from causalaug.factorization import Factor
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

AnyArray = TypeVar("AnyArray", FloatArray, IntArray)

NO_ATOMS: FloatArray = np.empty(0)


class Shift(Protocol):
    """Changes a value on its way from the row that lends it to the new row."""

    @property
    def marks(self) -> FloatArray:
        """One number per row; rows of equal mark lend equal values to every pillow."""

    def values(self, query: FloatArray, owner: IntArray, rows: IntArray) -> FloatArray:
        """Return what each row lends to the pillow ``query[owner]``, one value per entry."""


class Density(Protocol):
    """How likely a value is, given values of the pillow: ``p(z_j | z_mp(j))``."""

    @property
    def levels(self) -> FloatArray | None:
        """The only values that have a probability, in order; None for a number."""

    @property
    def atoms(self) -> FloatArray:
        """Values of a number that have a probability of their own, beside the density."""

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value given the row of the pillow beside it.

        Of levels and atoms it is the log-probability. Shapes: values (n,), or (n, k) for several
        values beside each row; pillow (n, n_columns); the result is like the values.
        """

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return ascending points between which nearly all the mass lies, dense where it is.

        Only of numbers. Shapes: pillow (n, n_columns), result (n, n_points).
        """

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Turn one number between 0 and 1 for each row of the pillow into a value.

        Even numbers give values that follow the density.
        """


def beside(by_row: AnyArray, values: FloatArray) -> AnyArray:
    """Return what there is for each row so that several values of a row may stand beside it."""
    return by_row[:, np.newaxis] if values.ndim == 2 else by_row


class DensityMaker(Protocol):
    """Makes the density of a factor when it is first asked for: rows are often all one wants."""

    def make_density(self, table: Table, factor: Factor, among: IntArray | None = None) -> Density:
        """Return the density of the factor's target given its pillow.

        With `among` it is that of some of the rows, given by number: the others do not count.
        """
