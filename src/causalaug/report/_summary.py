"""What a report tells of the new rows: figures and pictures, not the rows themselves.

A column is laid out on an axis, cut into parts and placed between 0 and 1. On it, the distribution
of the column among observed and new rows is compared, and the points of pairs of columns are drawn.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from causalaug.augmentation import AugmentedTable
from causalaug.diagnostics import moved_mass
from causalaug.table import ColumnKind, Table
from causalaug.typing import FloatArray, IntArray

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


def axis_of(table: Table, number: int, new: FloatArray, most_levels: int = 8) -> Axis:
    """Return the axis on which the observed and the new values of a column can be shown."""
    name, kind, observed = table.columns[number], table.kinds[number], table.values[:, number]
    if kind == "continuous":
        both = np.concatenate([observed, new])
        ends = np.array([np.nanmin(both), np.nanmax(both)])
        if table.resolution[number] is None:
            # Dates, say: copied, so that the ends are observed cells, and read as those do.
            labels = table.labels(name, np.array([np.nanargmin(observed), np.nanargmax(observed)]))
        else:
            labels = tuple(f"{end:.4g}".replace("-", "−") for end in table.numbers(number, ends))
        return Axis(name, kind, ends, labels, min(24, math.ceil(2 * len(observed) ** (1 / 3))))
    # The commonest values have a place each, in their own order, and the rest one together.
    known = observed[~np.isnan(observed)]
    levels, count = np.unique(known, return_counts=True)
    n_kept = len(levels) if len(levels) <= most_levels else most_levels - 1
    kept = levels[np.sort(np.argsort(-count, kind="stable")[:n_kept])]
    labels = table.labels(name, np.array([int(np.argmax(observed == level)) for level in kept]))
    rest = (OTHER,) if n_kept < len(levels) else ()
    return Axis(name, kind, kept, (*labels, *rest), n_kept + len(rest))


@dataclass(frozen=True, eq=False)
class Marginal:
    """The distribution of one column, among the observed and among the new rows.

    Parameters
    ----------
    axis : Axis
        The column and its parts.
    observed, new : float array of shape (n_parts,)
        The share of the rows, or of the weight, in each part.
    """

    axis: Axis
    observed: FloatArray
    new: FloatArray

    @property
    def change(self) -> float:
        """The share of the mass that is in another part: half the sum of differences."""
        return 0.5 * float(np.abs(self.observed - self.new).sum())


@dataclass(frozen=True, eq=False)
class PairChange:
    """Two columns, how far their joint distribution moved, and points to be drawn.

    Parameters
    ----------
    x, y : Axis
        The columns.
    change : float
        The share of the mass that is elsewhere on a coarse grid: half the sum of absolute
        differences.
    correlation : (float, float) or None
        Observed and new; None unless both columns are numbers that vary.
    observed, new : float array of shape (n_points, 2)
        Places of points in the unit square; those of new rows are drawn by weight.
    """

    x: Axis
    y: Axis
    change: float
    correlation: tuple[float, float] | None
    observed: FloatArray
    new: FloatArray


@dataclass(frozen=True, eq=False)
class AugmentationSummary:
    """What became of the table when it was augmented.

    Parameters
    ----------
    figures : mapping of str to float
        Numbers of rows, mass, dropped and novel mass, effective sample size.
    factors : tuple of str
        The conditionals that the weights are a product of.
    marginals : tuple of Marginal
        Of the target and of the columns that changed most, in the order of the table.
    unshown : tuple of str
        The columns that changed less.
    pairs : tuple of PairChange
        The pairs that changed most, the most changed first.
    warning : str or None
        What must be known of lost mass, if there is any to speak of.
    """

    figures: Mapping[str, float]
    factors: tuple[str, ...]
    marginals: tuple[Marginal, ...]
    unshown: tuple[str, ...]
    pairs: tuple[PairChange, ...]
    warning: str | None = None


def summarize(
    augmented: AugmentedTable, target: str, seed: int, warning: str | None = None
) -> AugmentationSummary:
    """Return what a report tells of new rows, and what it warns of.

    The seed chooses the points that are drawn.
    """
    table, weights = augmented.table, augmented.weights
    new = np.column_stack([augmented.values(number) for number in range(table.n_columns)])
    same = np.ones(table.n_rows)
    marginals = []
    for number in range(table.n_columns):
        axis = axis_of(table, number, new[:, number])
        shares = axis.shares(table.values[:, number], same), axis.shares(new[:, number], weights)
        marginals.append(Marginal(axis, *shares))

    def rank(number: int) -> tuple[bool, float]:
        return table.columns[number] != target, -round(marginals[number].change, 12)

    # The target and the columns that changed most are shown, twelve in all.
    ranked = sorted(range(table.n_columns), key=rank)
    return AugmentationSummary(
        figures=augmented.figures(),
        factors=tuple(str(factor) for factor in augmented.factors),
        marginals=tuple(marginals[number] for number in sorted(ranked[:12])),
        unshown=tuple(table.columns[number] for number in sorted(ranked[12:])),
        pairs=_changed_pairs(augmented, new, sorted(ranked[:100]), np.random.default_rng(seed)),
        warning=warning,
    )


def _changed_pairs(
    augmented: AugmentedTable, new: FloatArray, columns: Sequence[int], rng: np.random.Generator
) -> tuple[PairChange, ...]:
    """Return the six pairs of the columns that changed most, the most changed first.

    `new` are the values of the new rows. Up to 200 points are drawn of the observed rows, and as
    many of the new ones, by weight.
    """
    table, weights = augmented.table, augmented.weights
    if not len(new) or len(columns) < 2:
        return ()
    moved = moved_mass(augmented, [table.columns[number] for number in columns])
    places = combinations(range(len(columns)), 2)
    ranked = sorted(places, key=lambda pair: -round(float(moved[pair]), 12))[:6]
    drawn = _draw_by_weight(weights, min(200, len(weights)), rng)
    shown = np.sort(rng.choice(table.n_rows, min(200, table.n_rows), replace=False))
    found = []
    for place in ranked:
        pair = [columns[i] for i in place]
        x, y = axes = [axis_of(table, number, new[:, number]) for number in pair]
        known = table.values[shown][:, pair]
        found.append(
            PairChange(
                x,
                y,
                change=float(moved[place]),
                correlation=_correlations(table, new, weights, pair),
                observed=_points(axes, known[~np.isnan(known).any(axis=1)], rng),
                new=_points(axes, new[drawn][:, pair], rng),
            )
        )
    return tuple(found)


def _correlations(
    table: Table, new: FloatArray, weights: FloatArray, columns: list[int]
) -> tuple[float, float] | None:
    """Return the correlation among observed and among new rows, if both have one."""
    if not all(table.numeric[column] for column in columns):
        return None
    known = table.values[:, columns]
    known = known[~np.isnan(known).any(axis=1)]
    before = weighted_correlation(known, np.ones(len(known))) if len(known) else None
    after = weighted_correlation(new[:, columns], weights)
    return None if before is None or after is None else (before, after)


def weighted_correlation(values: FloatArray, weights: FloatArray) -> float | None:
    """Return the correlation of two columns, None if one of them does not vary.

    Shapes: values (n, 2), weights (n,).
    """
    covariance = np.cov(values.T, aweights=weights, ddof=0)
    spread = np.sqrt(np.diag(covariance))
    if not (spread > 1e-12 * np.abs(values).max()).all():
        return None
    return float(np.clip(covariance[0, 1] / spread[0] / spread[1], -1.0, 1.0))


def _draw_by_weight(weights: FloatArray, n_drawn: int, rng: np.random.Generator) -> IntArray:
    """Return row numbers, each about as often as its weight says, by one systematic draw."""
    marks = (np.arange(n_drawn) + rng.uniform()) / n_drawn
    bounds = np.cumsum(weights) / weights.sum()
    return np.minimum(np.searchsorted(bounds, marks), len(weights) - 1)


def _points(axes: Sequence[Axis], values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the places of pairs of values, shape (n_points, 2); equal levels are moved apart."""
    places = []
    for axis, column in zip(axes, values.T, strict=True):
        place = axis.positions(column)
        if axis.kind != "continuous":
            place = place + rng.uniform(-0.3, 0.3, size=len(place)) / axis.n_parts
        places.append(place)
    return np.column_stack(places)
