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

        Of levels and atoms it is the log-probability. Shapes: values (n,), pillow
        (n, n_columns), result (n,).
        """

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return ascending points between which nearly all the mass lies, dense where it is.

        Only of numbers. Shapes: pillow (n, n_columns), result (n, n_points).
        """

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Turn one number between 0 and 1 for each row of the pillow into a value.

        Even numbers give values that follow the density.
        """


class DensityMaker(Protocol):
    """Makes the density of a factor when it is first asked for: rows are often all one wants."""

    def make_density(self, table: Table, factor: Factor, among: IntArray | None = None) -> Density:
        """Return the density of the factor's target given its pillow.

        With `among` it is that of some of the rows, given by number: the others do not count.
        """


@dataclass(frozen=True, eq=False)
class FittedConditional:
    """One factor, fitted to a table: which rows may lend their value, and what they lend.

    Without a shift a row lends the value that it holds. Without a density one is made of the
    weighted rows, see `density_of`. Factors with equal pillows may share one of these.
    """

    weigher: RowWeigher
    shift: Shift | None = None
    density: DensityMaker | None = None


class Conditional(Protocol):
    """A way to model ``p(z_j | z_mp(j))``: the parameters, before any data."""

    def fit(self, table: Table, factors: Sequence[Factor]) -> tuple[FittedConditional, ...]:
        """Return one fitted conditional per factor; equal pillows may share their weigher."""


def dense_log_weights(weigher: RowWeigher, query: FloatArray, n_rows: int) -> FloatArray:
    """Return the log-weights of all rows, -inf where there is none: shape (n_queries, n_rows).

    The weights of a query sum to one, unless no row has any. This is the only place that looks
    into what a weigher yields, apart from expansions.
    """
    dense = np.full((len(query), n_rows), -np.inf)
    done = 0
    for block in weigher.weigh(query):
        owner = done + np.repeat(np.arange(block.n_queries), block.counts)
        dense[owner, block.rows] = block.log_weights
        done += block.n_queries
    return dense
