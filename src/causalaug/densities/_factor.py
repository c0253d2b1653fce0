"""Which density a factor has: its own, or one of the weighted rows; and where values pile up."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from causalaug.densities._back_off import BackOff
from causalaug.densities._base import Density, DensityMaker, Shift
from causalaug.densities._choice import left_out_logs
from causalaug.densities._levels import DEFAULT_SMOOTHING, LevelDensity
from causalaug.densities._mixed import MixedDensity, PileDensity, find_pile, is_like
from causalaug.densities._rows import RowDensities
from causalaug.densities._weighed import rows_that_suffice, some_rows
from causalaug.factorization import Factor
from causalaug.kernels import RowWeigher
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray


class PartOfFactor(Protocol):
    """A part of a mixture, see `Part`."""

    @property
    def fitted(self) -> "FittedFactor":
        """The fit."""

    @property
    def factor(self) -> Factor:
        """What it was fitted as."""

    @property
    def weight(self) -> float:
        """How much it counts."""


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

    @property
    def table(self) -> Table | None:
        """These rows as the factor was fitted to them; None: as they are in the model's table."""

    @property
    def counted(self) -> Callable[[], "FittedFactor | None"] | None:
        """Returns the fit to rows of which weights are numbers; None: this is it."""

    @property
    def parts(self) -> Sequence[PartOfFactor]:
        """The fits that this one is a mixture of, the graph's own first."""


def density_of(fitted: FittedFactor, table: Table, factor: Factor) -> Density:
    """Return the density of a factor: its own, or one made of the weighted rows.

    The slow default serves any conditional that can weigh rows: the frequency of each level,
    or a kernel density of what the weighted rows lend. Where values pile up at one number, that has
    a probability of its own, and the density is one of the other rows.
    """
    if fitted.parts:
        return _mixed(fitted.parts, table, factor)
    fit = _counted(fitted)
    part = _density_of_all(fit, _rows_of(fit, table), factor)
    if fitted.rows is None or not isinstance(part, LevelDensity | BackOff):
        return part
    return part.widened(table, factor)


def log_left_out(
    fitted: FittedFactor, table: Table, factor: Factor
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the log-densities of rows that are left out, one at a time.

    Returns
    -------
    rows, logs, weights : arrays of one length
        Numbers of rows that the factor was fitted to, all or some if they are many. Their
        log-densities without their own row, and how much they count.
    """
    fit = _counted(fitted)
    own = _rows_of(fit, table)
    numbers = np.arange(table.n_rows) if fitted.rows is None else fitted.rows
    if fit is not fitted and fit.rows is not None:
        # Rows whose weights are numbers are numbered among those of the factor.
        numbers = numbers[fit.rows]
    asked = some_rows(len(numbers))
    logs = left_out_logs(_maker_of(fit), own, factor, asked)
    return numbers[asked], logs, own.original_weights()[asked]


def _counted(fitted: FittedFactor) -> FittedFactor:
    """Return the fit to rows of which weights are numbers."""
    return (None if fitted.counted is None else fitted.counted()) or fitted


def _maker_of(fitted: FittedFactor) -> DensityMaker:
    """Return what makes the density: of the weighted rows, unless the fit has its own."""
    return RowDensities(fitted.weigher, fitted.shift) if fitted.density is None else fitted.density


def _mixed(parts: Sequence[PartOfFactor], table: Table, factor: Factor) -> Density:
    """Return the mixture of the parts' densities.

    Rows that lack cells may leave a part without a level, or without the value at which others
    pile up; such parts cannot be mixed with the graph's own, which comes first.
    """
    densities = [density_of(part.fitted, table, part.factor) for part in parts]
    alike = [number for number, each in enumerate(densities) if is_like(each, densities[0])]
    weights = np.array([parts[number].weight for number in alike])
    columns = tuple(
        np.array([factor.pillow.index(name) for name in parts[number].factor.pillow], dtype=int)
        for number in alike
    )
    return MixedDensity(
        tuple(densities[number] for number in alike), weights / weights.sum(), columns
    )


def _rows_of(fitted: FittedFactor, table: Table) -> Table:
    """Return the rows that a factor was fitted to."""
    if fitted.table is not None:
        return fitted.table
    return table if fitted.rows is None else table.with_values_of(fitted.rows)


def _density_of_all(fitted: FittedFactor, table: Table, factor: Factor) -> Density:
    """Return the density where all rows of the table have the cells of the factor."""
    maker = _maker_of(fitted)
    column = table.index(factor.target)
    values = np.asarray(table.values[:, column])
    share = table.original_weights() / table.total_weight
    pile = find_pile(values, share) if table.kinds[column] == "continuous" else None
    if pile is None:
        return maker.make_density(table, factor)
    is_piled = (values == pile).astype(np.float64)
    elsewhere = maker.make_density(table, factor, np.flatnonzero(is_piled == 0.0))
    return PileDensity(_at_pile(fitted.weigher, maker, is_piled, share), elsewhere, pile)


def _at_pile(
    weigher: RowWeigher, maker: DensityMaker, is_piled: FloatArray, share: FloatArray
) -> LevelDensity:
    """Return how likely a row is at the pile: of many rows, those that suffice tell."""
    rows = rows_that_suffice(len(is_piled))
    if rows is None or np.ptp(is_piled[rows]) == 0.0:
        return LevelDensity.of(weigher, is_piled, share, DEFAULT_SMOOTHING)
    if isinstance(maker, RowDensities) and maker.sample is not None:
        weigher = maker.weigher
    else:
        weigher = weigher.among(rows)
    return LevelDensity.of(weigher, is_piled[rows], share[rows], DEFAULT_SMOOTHING)
