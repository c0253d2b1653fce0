"""Which density a factor has: its own, or one of the weighted rows; with an atom on an edge."""

from dataclasses import replace

import numpy as np

from causalaug.conditionals._base import FittedConditional
from causalaug.densities import (
    DEFAULT_SMOOTHING,
    Density,
    EdgeDensity,
    LevelDensity,
    RowDensities,
    find_edge,
)
from causalaug.factorization import Factor
from causalaug.table import Table


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
