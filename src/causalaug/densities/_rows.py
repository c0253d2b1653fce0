"""Densities of weighted rows: the slow default, which serves any factor whose rows are weighed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causalaug.densities._kernel_density import Broad, KernelDensity
from causalaug.densities._levels import DEFAULT_SMOOTHING, LevelDensity
from causalaug.densities._mixed import AtomDensity, ReflectedDensity
from causalaug.densities._student import floor_of_scale
from causalaug.densities._transform import PlainTransform
from causalaug.densities._weighed import WeighedRows, some_rows
from causalaug.kernels import RowWeigher, silverman

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causalaug.densities._base import Density, Shift
    from causalaug.factorization import Factor
    from causalaug.table import Table
    from causalaug.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Sample:
    """Some rows of a table, ascending, and the table of these alone."""

    rows: IntArray
    table: Table

    def places_of(self, rows: IntArray) -> IntArray:
        """Return where rows of the whole table stand in the sample, which has them."""
        return np.searchsorted(self.rows, rows)

    def places_among(self, rows: IntArray) -> IntArray:
        """Return where the rows of the sample stand that are among some rows of the table."""
        return np.flatnonzero(np.isin(self.rows, rows))


@dataclass(frozen=True, eq=False)
class RowDensities:
    """Makes densities of weighted rows: of all, or of a sample, whose rows `weigher` weighs."""

    weigher: RowWeigher
    shift: Shift | None = None
    level_smoothing: float = DEFAULT_SMOOTHING
    sample: Sample | None = None
    judged: RowDensities | None = None
    """What is judged in its stead: the same of fewer rows; None: itself."""

    def make_density(self, table: Table, factor: Factor, among: IntArray | None = None) -> Density:
        """Return the density of one factor: of all rows, or of those that suffice."""
        if self.sample is None:
            return self._of_all(table, factor, among)
        mine = None if among is None else self.sample.places_among(among)
        density = self._of_all(self.sample.table, factor, mine)
        # A level that none of these rows has is as probable as it is in the whole table.
        if isinstance(density, LevelDensity):
            return density.widened(table, factor)
        return density

    def _of_all(self, table: Table, factor: Factor, among: IntArray | None) -> Density:
        """Return the density where every row of the table is weighed."""
        column = table.index(factor.target)
        values = np.asarray(table.values[:, column])
        share = table.original_weights() / table.total_weight
        if table.kinds[column] != "continuous":
            density = LevelDensity.of(self.weigher, values, share, self.level_smoothing)
            has_order = table.kinds[column] == "ordered" and len(density.levels) > 2
            if not has_order or self.level_smoothing == 0.0:
                return density
            pillow = table.values[:, [table.index(name) for name in factor.pillow]]
            return density.smoothed_by_rank(pillow, some_rows(table.n_rows))
        if np.ptp(values) == 0.0:
            return AtomDensity(float(values[0]))
        limits = PlainTransform.of(table.limits[column], is_integer=table.resolution[column] == 1.0)
        numbers = self._of_numbers(table, column, among)
        return numbers if limits == PlainTransform() else ReflectedDensity(numbers, limits)

    def _of_numbers(self, table: Table, column: int, among: IntArray | None) -> KernelDensity:
        """Return the density of a column of numbers, whatever its limits."""
        values = np.asarray(table.values[:, column])
        share = table.original_weights() / table.total_weight
        apart = values if self.shift is None else self.shift.marks
        if among is None:
            # Bandwidths of a pillow ask for the same of its columns: it is found once.
            is_column = self.shift is None and table.missing is None
            width = table.summary(column, silverman) if is_column else silverman(apart)
            return KernelDensity.of(self.weigher, values, share, width, self.shift)
        bandwidth = max(silverman(apart[among]), floor_of_scale(values))
        tail = Broad.of(values[among], share[among] / share[among].sum())
        rows = WeighedRows(self.weigher, len(values), among)
        return KernelDensity(rows, values, bandwidth, tail, self.shift)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The log-density of observed rows, each without its own row, under each of several makers.

    The makers differ in what weighs the rows, and in nothing else: of numbers all have the bumps
    of the first density.
    """

    pillow: FloatArray
    densities: Sequence[Density]
    ways: Sequence[WeighedRows]
    sample: Sample | None = None

    @classmethod
    def of(cls, makers: Sequence[RowDensities], table: Table, factor: Factor) -> LeftOut:
        """Make the densities, as far as they are needed; all are of the same rows."""
        makers = [maker if maker.judged is None else maker.judged for maker in makers]
        sample = makers[0].sample
        table = table if sample is None else sample.table
        pillow = table.values[:, [table.index(name) for name in factor.pillow]]
        densities = [makers[0]._of_all(table, factor, None)]
        if isinstance(densities[0], LevelDensity):
            densities += [maker._of_all(table, factor, None) for maker in makers[1:]]
        if isinstance(densities[0], ReflectedDensity):
            # Rows that are left out of a mean are not reflected either: like is judged by like.
            densities = [densities[0].density]
        ways = [WeighedRows(each.weigher, table.n_rows) for each in makers]
        return cls(pillow, densities, ways, sample)

    def logs(self, numbers: IntArray, some: IntArray) -> FloatArray:
        """Return the log-density of some rows under the makers of these numbers, one after another.

        Shape: (len(numbers), len(some)).
        """
        first = self.densities[0]
        some = some if self.sample is None else self.sample.places_of(some)
        if isinstance(first, KernelDensity):
            return first.log_left_out(self.pillow, some, [self.ways[number] for number in numbers])
        chosen = [self.densities[number] for number in numbers]
        levels = [each for each in chosen if isinstance(each, LevelDensity)]
        return np.stack([each.log_left_out(self.pillow, some) for each in levels])
