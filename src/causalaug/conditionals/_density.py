"""Which density a factor has: its own, or one of the weighted rows; with an atom on an edge."""

from dataclasses import dataclass, replace

import numpy as np

from causalaug.conditionals._atoms import AtomDensity, EdgeDensity, find_edge
from causalaug.conditionals._base import Density, FittedConditional, Shift
from causalaug.conditionals._kernel_density import Broad, KernelDensity
from causalaug.conditionals._levels import DEFAULT_SMOOTHING, LevelDensity
from causalaug.conditionals._student import floor_of_scale
from causalaug.conditionals._weighed import WeighedRows, some_rows
from causalaug.factorization import Factor
from causalaug.kernels import RowWeigher, silverman
from causalaug.table import Table
from causalaug.typing import IntArray


def density_of(fitted: FittedConditional, table: Table, factor: Factor) -> Density:
    """Return the density of a factor: its own, or one made of the weighted rows.

    The slow default serves any conditional that can weigh rows: the frequency of each level,
    or a kernel density of what the weighted rows lend. Where values pile up on an edge, that has
    a probability of its own, and the density is one of the other rows.
    """
    if fitted.rows is not None:
        part = density_of(replace(fitted, rows=None), table.with_values_of(fitted.rows), factor)
        return part.widened(table, factor) if isinstance(part, LevelDensity) else part
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


@dataclass(frozen=True, eq=False)
class RowDensities:
    """Makes densities of weighted rows."""

    weigher: RowWeigher
    shift: Shift | None = None
    level_smoothing: float = DEFAULT_SMOOTHING

    def make_density(self, table: Table, factor: Factor, among: IntArray | None = None) -> Density:
        """Return the density of one factor."""
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
        apart = values if self.shift is None else self.shift.marks
        if among is None:
            return KernelDensity.of(self.weigher, values, share, silverman(apart), self.shift)
        bandwidth = max(silverman(apart[among]), floor_of_scale(values))
        tail = Broad.of(values[among], share[among] / share[among].sum())
        rows = WeighedRows(self.weigher, len(values), among)
        return KernelDensity(rows, values, bandwidth, tail, self.shift)
