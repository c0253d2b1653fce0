"""What an expansion asks of a conditional."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from causalaug.factorization import Factor
from causalaug.kernels import RowWeights
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray


class RowWeigher(Protocol):
    """Weighs the observed rows, given values of the pillow."""

    @property
    def may_vanish(self) -> bool:
        """Whether a row may have no weight at all; otherwise every row has some."""

    def weigh(self, query: FloatArray, log_cut: float = 0.0) -> Iterator[RowWeights]:
        """Yield the weighted rows of each query, block after block, in their order.

        Rows that are lighter than the heaviest by more than `log_cut` in logarithm may be
        left out, if the mass of all of them is below double precision as well.
        """

    def propose(self, query: FloatArray, owner: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw a row for each entry by its weight given ``query[owner]``, or give up: -1.

        It may give up on any entry, for which all rows are then weighed, but not in a way
        that depends on the row that would have been drawn.
        """

    def log_heaviest_bound(
        self, query: FloatArray, log_factors: FloatArray | None = None
    ) -> FloatArray:
        """Return a cheap upper bound on the largest ``log(w) + log_factor`` of each query.

        `log_factors` has one entry per row. The bound must hold for the fourth-power mean
        ``(sum (w f)^4)^(1/4)`` as well; ``inf`` is no bound. Queries that it rules out are
        not weighed.
        """


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

    def fit(self, table: Table, factors: Sequence[Factor]) -> tuple[FittedConditional, ...]:
        """Return one fitted conditional per factor; equal pillows may share their weigher."""
