"""A column as a picture needs it: cut into parts, and placed between 0 and 1."""

import math
from dataclasses import dataclass

import numpy as np

from causalaug.table import ColumnKind, Table
from causalaug.typing import FloatArray, IntArray

MOST_BARS = 24
MOST_LEVELS = 8
OTHER = "all others"


@dataclass(frozen=True, eq=False)
class Axis:
    """How the values of one column are laid out.

    Parameters
    ----------
    column : str
        The column.
    kind : {"continuous", "ordered", "nominal"}
        Its kind.
    knots : float array
        Of a continuous column the least and the largest value, of any other the values
        that have a place of their own, ascending.
    labels : tuple of str
        Of a continuous column how the two ends read, of any other how each place reads.
        If there is one label more than knots, it is that of all other values.
    n_parts : int
        The number of bars.
    """

    column: str
    kind: ColumnKind
    knots: FloatArray
    labels: tuple[str, ...]
    n_parts: int

    def parts(self, values: FloatArray) -> IntArray:
        """Return the number of the bar that each value belongs to."""
        if self.kind == "continuous":
            positions = self.positions(values)
            return np.minimum(positions * self.n_parts, self.n_parts - 1).astype(np.int64)
        found = np.searchsorted(self.knots, values)
        nearest = self.knots[np.minimum(found, len(self.knots) - 1)]
        return np.where(nearest == values, found, len(self.knots))

    def positions(self, values: FloatArray) -> FloatArray:
        """Return where each value lies between 0 and 1; one that is not continuous, mid-bar."""
        if self.kind != "continuous":
            middles: FloatArray = (self.parts(values) + 0.5) / self.n_parts
            return middles
        # Divided before they are subtracted, since differences of large numbers overflow.
        scale = float(np.abs(self.knots).max()) or 1.0
        low, high = self.knots / scale
        if low == high:
            return np.full(len(values), 0.5)
        between: FloatArray = np.clip((values / scale - low) / (high - low), 0.0, 1.0)
        return between

    def shares(self, values: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the share of the weight that falls into each part; they add up to one.

        Missing values do not count.
        """
        there = ~np.isnan(values)
        values, weights = values[there], weights[there]
        total = float(weights.sum()) or 1.0
        counted = np.bincount(self.parts(values), weights / total, minlength=self.n_parts)
        return counted.astype(np.float64)


def axis_of(table: Table, number: int, new: FloatArray, most_levels: int = MOST_LEVELS) -> Axis:
    """Return the axis on which the observed and the new values of a column can be shown."""
    if table.kinds[number] == "continuous":
        return _measured(table, number, new)
    return _told_apart(table, number, most_levels)


def _measured(table: Table, number: int, new: FloatArray) -> Axis:
    observed, name = table.values[:, number], table.columns[number]
    both = np.concatenate([observed, new])
    ends = np.array([np.nanmin(both), np.nanmax(both)])
    if table.resolution[number] is None:
        # Dates, say: copied, so that the ends are observed cells, and read as those do.
        labels = table.labels(name, np.array([np.nanargmin(observed), np.nanargmax(observed)]))
    else:
        labels = tuple(f"{end:.4g}".replace("-", "−") for end in table.numbers(number, ends))
    n_bars = min(MOST_BARS, math.ceil(2 * len(observed) ** (1 / 3)))
    return Axis(name, "continuous", ends, labels, n_bars)


def _told_apart(table: Table, number: int, most_levels: int) -> Axis:
    """Give the commonest values a place each, in their own order, and the rest one together."""
    name = table.columns[number]
    levels, first, count = np.unique(table.values[:, number], return_index=True, return_counts=True)
    there = ~np.isnan(levels)
    levels, first, count = levels[there], first[there], count[there]
    n_kept = len(levels) if len(levels) <= most_levels else most_levels - 1
    kept = np.sort(np.argsort(-count, kind="stable")[:n_kept])
    labels = table.labels(name, first[kept])
    rest = (OTHER,) if n_kept < len(levels) else ()
    return Axis(name, table.kinds[number], levels[kept], (*labels, *rest), n_kept + len(rest))
