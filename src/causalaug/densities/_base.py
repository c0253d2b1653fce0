"""What the law of a variable given its pillow can be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from causalaug.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from causalaug.factorization import Factor
    from causalaug.table import Table

AnyArray = TypeVar("AnyArray", FloatArray, IntArray)

NO_ATOMS: FloatArray = np.empty(0)

Along = Callable[[IntArray, FloatArray], FloatArray]
"""Log-densities of rows, given by number, with one value moved to several points: (n, n_points)."""


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

    def log_along(
        self, values: FloatArray, pillow: FloatArray, position: int, points: FloatArray
    ) -> FloatArray:
        """Return the log-density of each value with a column of its pillow at several points.

        Shapes: values (n,), pillow (n, n_columns), points and result (n, n_points).
        """

    def along(self, values: FloatArray, pillow: FloatArray, position: int) -> Along:
        """Return what `log_along` says of rows, by their numbers, however often it is asked."""

    def held(self, pillow: FloatArray) -> Density:
        """Return the density given rows of the pillow, whose numbers stand for them from now on."""

    def centre(self, pillow: FloatArray) -> FloatArray | None:
        """Return the mean of the value given each row of the pillow, if no integral is needed."""


class SlowWays:
    """What any density can do that says how likely values are: questions of a posterior.

    A density that knows a faster way has its own.
    """

    def log_along(
        self: Density, values: FloatArray, pillow: FloatArray, position: int, points: FloatArray
    ) -> FloatArray:
        """Return the log-density of each value with a column of its pillow at several points."""
        n_rows, n_points = points.shape
        own = np.repeat(values, n_points)
        moved = pillow_along(pillow, position, points)
        return self.log_density(own, moved).reshape(n_rows, n_points)

    def along(self: Density, values: FloatArray, pillow: FloatArray, position: int) -> Along:
        """Return what `log_along` says of rows, by their numbers, however often it is asked."""
        return lambda rows, points: self.log_along(values[rows], pillow[rows], position, points)

    def held(self: Density, pillow: FloatArray) -> Density:
        """Return the density given rows of the pillow, whose numbers stand for them from now on."""
        return HeldDensity(self, pillow)

    def centre(self: Density, pillow: FloatArray) -> FloatArray | None:
        """Return nothing: the mean is an integral."""
        return None


@dataclass(frozen=True, eq=False)
class HeldDensity(SlowWays):
    """A density given rows of its pillow, which are named by their numbers."""

    density: Density
    pillow: FloatArray

    @property
    def levels(self) -> FloatArray | None:
        """Those of the density."""
        return self.density.levels

    @property
    def atoms(self) -> FloatArray:
        """Those of the density."""
        return self.density.atoms

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value given the row whose number is beside it."""
        return self.density.log_density(values, self._rows(pillow))

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return points of the density given the rows of these numbers."""
        return self.density.cover(self._rows(pillow), n_points)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return values of the density given the rows of these numbers."""
        return self.density.draw(self._rows(pillow), uniform)

    def _rows(self, numbers: FloatArray) -> FloatArray:
        rows: FloatArray = self.pillow[numbers[:, 0].astype(np.int64)]
        return rows


def pillow_along(pillow: FloatArray, position: int, points: FloatArray) -> FloatArray:
    """Return each row of a pillow once for each of its points, which stand in one column."""
    repeated = np.repeat(pillow, points.shape[1], axis=0)
    repeated[:, position] = points.ravel()
    return repeated


def beside(by_row: AnyArray, values: FloatArray) -> AnyArray:
    """Return what there is for each row so that several values of a row may stand beside it."""
    return by_row[:, np.newaxis] if values.ndim == 2 else by_row


class DensityMaker(Protocol):
    """Makes the density of a factor when it is first asked for: rows are often all one wants."""

    def make_density(self, table: Table, factor: Factor, among: IntArray | None = None) -> Density:
        """Return the density of the factor's target given its pillow.

        With `among` it is that of some of the rows, given by number: the others do not count.
        """
