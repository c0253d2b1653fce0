"""Pairs of columns before and after augmentation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug._validation import check_columns_exist, some
from causalaug.diagnostics import moved_mass
from causalaug.exceptions import ParameterError
from causalaug.plot._cells import column_cells, short
from causalaug.plot._style import BLUE, VERMILION, as_panels, plain, styled
from causalaug.plot._weights import check_augmented
from causalaug.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from causalaug.augmentation import AugmentedTable
    from causalaug.typing import FloatArray

N_PAIRS = 3
MOST_PLACES = 12
"""Discrete columns of more values are drawn as numbers."""
JITTER = 0.18


@dataclass(frozen=True, eq=False)
class _Scale:
    """A column as it is drawn: positions before and after, and the names of its places."""

    name: str
    before: FloatArray
    after: FloatArray
    places: tuple[str, ...]


@styled
def plot_pairs(
    frame: Any,
    augmented: AugmentedTable,
    columns: Sequence[str] | None = None,
    ax: Any = None,
) -> np.ndarray[Any, Any]:
    """Draw pairs of columns: the observed rows above, the augmented ones below.

    Heavy rows are larger and darker. The places of discrete columns are spread a little, so
    that equal rows show. Observed rows that lack a cell of a pair are not drawn.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table, or array
        The observed rows, as they were given to `augment`.
    augmented : AugmentedTable
        What it returned.
    columns : sequence of str, optional
        Columns whose pairs are drawn; by default the three pairs that changed most.
    ax : array of matplotlib Axes, optional
        Where to draw, two for each pair; by default on a new figure.

    Returns
    -------
    array of matplotlib Axes, of shape (2, number of pairs)
        What was drawn on.

    Examples
    --------
    >>> from causalaug import augment
    >>> from causalaug.datasets import make_trivariate
    >>> data = make_trivariate(20, random_state=0)
    >>> augmented = augment(data.frame, data.graph, random_state=0)
    >>> axes = plot_pairs(data.frame, augmented, columns=["X1", "X2"])
    >>> [len(ax.collections[0].get_offsets()) for ax in axes[:, 0]] == [20, len(augmented)]
    True
    """
    check_augmented(augmented)
    _check_observed(frame, augmented)
    pairs = _chosen_pairs(augmented, columns)
    panels = as_panels(ax, (2, len(pairs)), (3.4, 3.0))
    order = np.argsort(augmented.weights, kind="stable")
    for (upper, lower), (first, second) in zip(panels.T, pairs, strict=True):
        x, y = _scale(augmented, first), _scale(augmented, second)
        _scatter(upper, x.before, y.before, np.ones(augmented.table.n_rows), BLUE)
        _scatter(lower, x.after[order], y.after[order], augmented.weights[order], VERMILION)
        _label(upper, lower, x, y)
    panels[0, 0].set_title(f"observed, {augmented.table.n_rows:,} rows", loc="left")
    panels[1, 0].set_title(f"augmented, {len(augmented):,} rows", loc="left")
    return panels


def _check_observed(frame: Any, augmented: AugmentedTable) -> None:
    """Raise unless `frame` holds the rows that were augmented."""
    table = augmented.table
    kinds = dict(zip(table.columns, table.kinds, strict=True))
    given = Table.from_frame(frame, names=table.columns, kinds=kinds, holes=True)
    if not np.array_equal(given.values, table.values, equal_nan=True):
        raise ParameterError(
            f"`frame` must hold the {table.n_rows} rows that were augmented, in their order. "
            f"Found {given.n_rows} rows, or other values. Pass what was given to `augment`."
        )


def _chosen_pairs(
    augmented: AugmentedTable, columns: Sequence[str] | None
) -> list[tuple[str, str]]:
    """Return the pairs of the named columns, or those that changed most."""
    if columns is not None and not isinstance(columns, str):
        check_columns_exist("columns", columns, augmented.table.columns)
        pairs = list(combinations(dict.fromkeys(columns), 2))
    else:
        pairs = _most_changed(augmented) if columns is None else []
    if not pairs:
        raise ParameterError(
            "`columns` must name at least two columns of the data. "
            f"Found {columns!r}. The columns are {some(augmented.table.columns)}."
        )
    return pairs


def _most_changed(augmented: AugmentedTable) -> list[tuple[str, str]]:
    columns = augmented.table.columns
    moved = moved_mass(augmented)
    pairs = sorted(
        combinations(range(len(columns)), 2), key=lambda pair: -round(float(moved[pair]), 9)
    )
    return [(columns[i], columns[j]) for i, j in pairs[:N_PAIRS]]


def _scale(augmented: AugmentedTable, name: str) -> _Scale:
    """Return the positions of a column; the places of a discrete one are numbered."""
    table, number = augmented.table, augmented.table.index(name)
    before, after = table.values[:, number], augmented.values(number)
    places, first = np.unique(before, return_index=True)
    places, first = places[~np.isnan(places)], first[~np.isnan(places)]
    is_continuous = table.kinds[number] == "continuous"
    if is_continuous or (len(places) > MOST_PLACES and table.numeric[number]):
        return _Scale(name, table.numbers(number, before), table.numbers(number, after), ())
    cells = column_cells(table.source, name, number)[first]
    rng = np.random.default_rng(number)
    positions = [np.searchsorted(places, values) for values in (before, after)]
    spread = [where + rng.uniform(-JITTER, JITTER, len(where)) for where in positions]
    spread[0][np.isnan(before)] = np.nan
    return _Scale(name, spread[0], spread[1], tuple(short(cell) for cell in cells))


def _shades(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the size and the opacity of each point; the mean weight is middling."""
    relative = np.clip(weights / weights.max(), 0.0, 1.0)
    crowd = min(1.0, (300.0 / len(weights)) ** 0.5)
    opacity = np.clip(0.15 + 0.65 * relative, 0.0, 0.8) * max(crowd, 0.25)
    return 6.0 + 30.0 * relative * max(crowd, 0.4), opacity


def _scatter(ax: Axes, x: FloatArray, y: FloatArray, weights: FloatArray, colour: str) -> None:
    sizes, opacity = _shades(weights)
    # One opacity per point is allowed, though the annotations of matplotlib know of one only.
    look: dict[str, Any] = {"s": sizes, "alpha": opacity, "color": colour, "linewidths": 0}
    ax.scatter(x, y, **look)


def _label(upper: Axes, lower: Axes, x: _Scale, y: _Scale) -> None:
    """Give both panels of a pair one scale, and name its columns."""
    for ax in (upper, lower):
        ax.set_ylabel(plain(y.name, width=26, lines=2))
        ax.set_xlim(*_limits(x))
        ax.set_ylim(*_limits(y))
        if x.places:
            ticks, names = _ticks(x.places)
            crowded = sum(map(len, names)) > 28
            ax.set_xticks(ticks, names, rotation=90 if crowded else 0)
        if y.places:
            ax.set_yticks(*_ticks(y.places))
    lower.set_xlabel(plain(x.name, width=36, lines=2))


def _limits(scale: _Scale) -> tuple[float, float]:
    if scale.places:
        return (-0.5, len(scale.places) - 0.5)
    both = np.concatenate([scale.before, scale.after])
    low, high = float(np.nanmin(both)), float(np.nanmax(both))
    margin = 0.06 * (high - low) or 0.5
    return (low - margin, high + margin)


def _ticks(places: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return where the places are, and their names; of very many only some are named."""
    step = -(-len(places) // MOST_PLACES)
    ticks = list(range(0, len(places), step))
    return ticks, [plain(places[tick], width=14, lines=1) for tick in ticks]
