"""Which density a factor has: its own, or one of the weighted rows; with an atom on an edge."""

from typing import Protocol

import numpy as np

from causalaug.densities._atoms import EdgeDensity, find_edge
from causalaug.densities._base import Density, DensityMaker, Shift
from causalaug.densities._levels import DEFAULT_SMOOTHING, LevelDensity
from causalaug.densities._rows import RowDensities
from causalaug.factorization import Factor
from causalaug.kernels import RowWeigher
from causalaug.table import Table
from causalaug.typing import IntArray


class FittedFactor(Protocol):
    """What a fitted conditional tells of its density, see `FittedConditional`."""

    @property
    def weigher(self) -> RowWeigher:
        """Weighs the rows."""

    @property
    def shift(self) -> Shift | None:
        """Changes what a row lends."""

    @property
    def density(self) -> DensityMaker | None:
        """Makes a density of its own."""

    @property
    def rows(self) -> IntArray | None:
        """The rows that have all cells of the factor; None: all."""


def density_of(fitted: FittedFactor, table: Table, factor: Factor) -> Density:
    """Return the density of a factor: its own, or one made of the weighted rows.

    The slow default serves any conditional that can weigh rows: the frequency of each level,
    or a kernel density of what the weighted rows lend. Where values pile up on an edge, that has
    a probability of its own, and the density is one of the other rows.
    """
    if fitted.rows is None:
        return _density_of_all(fitted, table, factor)
    part = _density_of_all(fitted, table.with_values_of(fitted.rows), factor)
    return part.widened(table, factor) if isinstance(part, LevelDensity) else part


def _density_of_all(fitted: FittedFactor, table: Table, factor: Factor) -> Density:
    """Return the density where all rows of the table have the cells of the factor."""
    maker = RowDensities(fitted.weigher, fitted.shift) if fitted.density is None else fitted.density
    column = table.index(factor.target)
    values = np.asarray(table.values[:, column])
    share = table.original_weights() / table.total_weight
    edge = find_edge(values, share) if table.kinds[column] == "continuous" else None
    if edge is None:
        return maker.make_density(table, factor)
    on_edge = (values == edge).astype(np.float64)
    at_edge = LevelDensity.of(fitted.weigher, on_edge, share, DEFAULT_SMOOTHING)
    return EdgeDensity(
        at_edge, maker.make_density(table, factor, np.flatnonzero(on_edge == 0.0)), edge
    )
