"""Which pairs of columns hang together differently in the new rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from causalaug.augmentation import AugmentedTable
from causalaug.diagnostics import moved_mass
from causalaug.report._axes import Axis, axis_of
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

MOST_PAIRS = 6
MOST_COLUMNS = 100
MOST_POINTS = 200
JITTER = 0.3
"""How far a point may move off the middle of its place, in shares of the place."""


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


def changed_pairs(
    augmented: AugmentedTable, new: FloatArray, columns: Sequence[int], rng: np.random.Generator
) -> tuple[PairChange, ...]:
    """Return the pairs that changed most, the most changed first.

    `new` are the values of the new rows. Only pairs of the given `columns` are looked at.
    """
    table, weights = augmented.table, augmented.weights
    chosen = sorted(columns[:MOST_COLUMNS])
    if not len(new) or len(chosen) < 2:
        return ()
    places = list(combinations(range(len(chosen)), 2))
    moved = moved_mass(augmented, [table.columns[number] for number in chosen])
    ranked = sorted(places, key=lambda pair: -round(float(moved[pair]), 12))[:MOST_PAIRS]
    drawn = _draw_by_weight(weights, MOST_POINTS, rng)
    n_shown = min(MOST_POINTS, table.n_rows)
    shown = np.sort(rng.choice(table.n_rows, n_shown, replace=False))
    found = []
    for a, b in ranked:
        x, y = chosen[a], chosen[b]
        axes = axis_of(table, x, new[:, x]), axis_of(table, y, new[:, y])
        found.append(
            PairChange(
                *axes,
                change=float(moved[a, b]),
                correlation=_correlations(table, new, weights, [x, y]),
                observed=_points(axes, _known(table.values[shown][:, [x, y]]), rng),
                new=_points(axes, new[drawn][:, [x, y]], rng),
            )
        )
    return tuple(found)


def _correlations(
    table: Table, new: FloatArray, weights: FloatArray, columns: list[int]
) -> tuple[float, float] | None:
    """Return the correlation among observed and among new rows, if both have one."""
    if not all(table.numeric[column] for column in columns):
        return None
    observed = _known(table.values[:, columns])
    if not len(observed):
        return None
    same = np.full(len(observed), 1.0 / len(observed))
    before = weighted_correlation(observed, same)
    after = weighted_correlation(new[:, columns], weights / weights.sum())
    return None if before is None or after is None else (before, after)


def _known(values: FloatArray) -> FloatArray:
    """Return the rows without a missing value."""
    rows: FloatArray = values[~np.isnan(values).any(axis=1)]
    return rows


def weighted_correlation(values: FloatArray, shares: FloatArray) -> float | None:
    """Return the correlation of two columns, None if one of them does not vary.

    Shapes: values (n, 2), shares (n,), which add up to one.
    """
    centred = values - shares @ values
    covariance = (centred * shares[:, np.newaxis]).T @ centred
    spread = np.sqrt(np.diag(covariance))
    if not (spread > 1e-12 * np.abs(values).max()).all():
        return None
    return float(np.clip(covariance[0, 1] / spread[0] / spread[1], -1.0, 1.0))


def _draw_by_weight(weights: FloatArray, most: int, rng: np.random.Generator) -> IntArray:
    """Return row numbers, each about as often as its weight says, by one systematic draw."""
    n_drawn = min(most, len(weights))
    marks = (np.arange(n_drawn) + rng.uniform()) / n_drawn
    bounds = np.cumsum(weights) / weights.sum()
    return np.minimum(np.searchsorted(bounds, marks), len(weights) - 1)


def _points(axes: Sequence[Axis], values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the places of some pairs of values, shape (n_points, 2)."""
    return np.column_stack([_scattered(axis, values[:, i], rng) for i, axis in enumerate(axes)])


def _scattered(axis: Axis, values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the places of some values, those of a discrete column moved apart."""
    positions = axis.positions(values)
    if axis.kind == "continuous":
        return positions
    return positions + rng.uniform(-JITTER, JITTER, size=len(positions)) / axis.n_parts
