"""What the law of a variable given its pillow can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from causalaug.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from causalaug.factorization import Factor
    from causalaug.table import Table

AnyArray = TypeVar("AnyArray", FloatArray, IntArray)

Along = Callable[[IntArray, FloatArray], FloatArray]
"""Log-densities of rows, given by number, at several points of one of their cells.

Shapes: (n,) and (n, n_points), result (n, n_points)."""


class Shift(Protocol):
    """Changes a value on its way from the row that lends it to the new row."""

    @property
    def marks(self) -> FloatArray:
        """One number per row; rows of equal mark lend equal values to every pillow."""

    def values(self, query: FloatArray, owner: IntArray, rows: IntArray) -> FloatArray:
        """Return what each row lends to the pillow ``query[owner]``, one value per entry."""


class Density(ABC):
    """How likely a value is, given values of the pillow: ``p(z_j | z_mp(j))``.

    Three methods must be written. Those that a posterior asks have slow defaults: a density that
    knows a faster way has its own.
    """

    levels: FloatArray | None = None
    """The only values that have a probability, in order; None for a number."""

    @property
    def atoms(self) -> FloatArray:
        """Values of a number that have a probability of their own, beside the density."""
        return np.empty(0)

    @abstractmethod
    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value given the row of the pillow beside it.

        Of levels and atoms it is the log-probability. Shapes: values (n,), or (n, k) for several
        values beside each row; pillow (n, n_columns); the result is like the values.
        """

    @abstractmethod
    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return ascending points between which nearly all the mass lies, dense where it is.

        Only of numbers. Shapes: pillow (n, n_columns), result (n, n_points).
        """

    @abstractmethod
    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Turn one number between 0 and 1 for each row of the pillow into a value.

        Even numbers give values that follow the density.
        """

    def given(self, pillow: FloatArray) -> Along:
        """Return the log-density of values given rows of the pillow, however often it is asked."""
        return lambda rows, points: self.log_density(points, pillow[rows])

    def along(self, values: FloatArray, pillow: FloatArray, position: int) -> Along:
        """Return the log-density of the values, with one column of their pillow at the points."""

        def at(rows: IntArray, points: FloatArray) -> FloatArray:
            n_points = points.shape[1]
            moved = np.repeat(pillow[rows], n_points, axis=0)
            moved[:, position] = points.ravel()
            return self.log_density(np.repeat(values[rows], n_points), moved).reshape(points.shape)

        return at

    def centre(self, pillow: FloatArray) -> FloatArray | None:
        """Return the mean of the value given each row of the pillow, if no integral is needed."""
        return None

    def widened(self, table: Table, factor: Factor) -> Density:
        """Return the density with all levels of a table, of which its rows are a part."""
        return self


def beside(by_row: AnyArray, values: FloatArray) -> AnyArray:
    """Return what there is for each row so that several values of a row may stand beside it."""
    return by_row[:, np.newaxis] if values.ndim == 2 else by_row
