"""An augmented table: pairs of columns before and after, weights, and the idea of the method."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug._validation import check_columns_exist, some
from causalaug.augmentation import AugmentedTable, augment
from causalaug.datasets import make_trivariate
from causalaug.diagnostics import moved_mass
from causalaug.exceptions import ParameterError
from causalaug.expansion import PrunedExpansion
from causalaug.plot._graph import plot_graph
from causalaug.plot._style import (
    BLUE,
    GREY,
    VERMILION,
    as_axes,
    as_panels,
    column_cells,
    plain,
    short,
    styled,
)
from causalaug.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from causalaug._random import RandomState
    from causalaug.typing import FloatArray

MOST_PLACES = 12
"""Discrete columns of more values are drawn as numbers."""


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
    _check_augmented(augmented)
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


def _check_augmented(augmented: object) -> None:
    """Raise unless `augmented` is what `augment` returns, with some rows."""
    if not isinstance(augmented, AugmentedTable):
        raise ParameterError(
            f"`augmented` must be an AugmentedTable. Found {type(augmented).__name__}. "
            "Pass what `augment` returns, not its frame."
        )
    if not len(augmented):
        raise ParameterError(
            "`augmented` must have rows. Found none: all its mass was dropped. "
            "Augment with a lower threshold, or with BudgetExpansion."
        )


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
        pairs = [] if columns is not None else _most_changed(augmented)
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
    return [(columns[i], columns[j]) for i, j in pairs[:3]]


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
    spread = [where + rng.uniform(-0.18, 0.18, len(where)) for where in positions]
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


@styled
def plot_weights(augmented: AugmentedTable, ax: Axes | None = None) -> Axes:
    """Draw the mass that the heaviest rows hold together, and write what they are worth.

    Parameters
    ----------
    augmented : AugmentedTable
        What `augment` returned.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes
        What was drawn on. The curve starts at (0, 0) and ends at (rows, mass). Were all
        weights equal it would be the straight line beside it.

    Examples
    --------
    >>> from causalaug import augment
    >>> from causalaug.datasets import make_trivariate
    >>> data = make_trivariate(20, random_state=0)
    >>> augmented = augment(data.frame, data.graph, random_state=0)
    >>> ax = plot_weights(augmented)
    >>> rows, mass = ax.lines[0].get_data()
    >>> len(rows) == len(augmented) + 1, f"{mass[-1]:.2f}"
    (True, '1.00')
    """
    _check_augmented(augmented)
    ax = as_axes(ax, (6.0, 4.0))
    weights = np.sort(augmented.weights)[::-1]
    mass = np.concatenate([[0.0], np.cumsum(weights)])
    ax.plot(np.arange(len(mass)), mass, color=BLUE, linewidth=2, label="heaviest rows first")
    ends = ([0, len(weights)], [0.0, augmented.mass])
    ax.plot(*ends, color=GREY, linewidth=1, linestyle="--", label="if all weighed the same")
    size = augmented.effective_sample_size
    ax.axvline(size, color=VERMILION, linewidth=1.5, linestyle=":", label="effective sample size")
    ax.set_xlim(0, None)
    ax.set_ylim(0, 1.05 * max(1.0, augmented.mass))
    ax.set_xlabel("rows, the heaviest first")
    ax.set_ylabel("mass they hold together")
    summary = (
        f"{len(augmented):,} rows from {augmented.table.n_rows:,}\n"
        f"effective sample size {size:,.1f}\n"
        f"novel mass {augmented.novel_mass:.3f}\n"
        f"dropped mass {augmented.dropped_mass:.3f}"
    )
    box = {"frameon": True, "framealpha": 1.0, "edgecolor": "none", "alignment": "left"}
    ax.legend(loc="lower right", title=summary, title_fontsize=10, **box)
    return ax


@styled
def plot_trivariate(
    n_rows: int = 14,
    ax: Any = None,
    *,
    separation: float = 4.0,
    random_state: RandomState = 0,
) -> np.ndarray[Any, Any]:
    """Draw the idea of the method on ``X1 <- Y -> X2``.

    Within a class, X1 and X2 are independent. So every X1 of a class may go with every X2 of
    the same class (Figure 1 of Teshima and Sugiyama, 2021).

    Parameters
    ----------
    n_rows : int, optional
        How many rows are observed.
    ax : array of matplotlib Axes, optional
        Where to draw, three of them; by default on a new figure.
    separation, random_state
        As in `make_trivariate`, which draws the rows.

    Returns
    -------
    array of three matplotlib Axes
        The graph, the observed rows, and all rows that the graph makes of them.

    Examples
    --------
    Of 14 rows, 8 are in one class and 6 in the other: 8 * 8 + 6 * 6 combinations.

    >>> axes = plot_trivariate(14)
    >>> [sum(len(marks.get_offsets()) for marks in ax.collections) for ax in axes[1:]]
    [14, 100]
    """
    data = make_trivariate(n_rows, separation=separation, random_state=random_state)
    result = augment(data.frame, data.graph, expansion=PrunedExpansion(0.0))
    panels = as_panels(ax, (1, 3), (3.4, 3.4)).ravel()
    plot_graph(data.graph, ax=panels[0], highlight="Y")
    panels[0].set_title("X1 and X2 are independent\ngiven Y")
    _draw_classes(panels[1], data.frame, opacity=1.0)
    panels[1].set_title(f"{len(data.frame)} observed rows")
    # Rows of one class hold equal values of Y, and are credited to the first of them.
    signs = [result.table.index(name) for name in ("X1", "X2")]
    is_new = result.rows[:, signs[0]] != result.rows[:, signs[1]]
    _draw_classes(panels[2], result.frame[is_new], opacity=0.3)
    _draw_classes(panels[2], result.frame[~is_new], opacity=1.0)
    panels[2].set_title(f"{len(result)} combinations within\nthe classes")
    panels[2].set_xlim(panels[1].get_xlim())
    panels[2].set_ylim(panels[1].get_ylim())
    panels[1].legend(title="Y", loc="upper left", handletextpad=0.2)
    return panels


def _draw_classes(ax: Axes, frame: pd.DataFrame, opacity: float) -> None:
    for label, (colour, mark) in {0: (BLUE, "o"), 1: (VERMILION, "s")}.items():
        rows = frame[frame["Y"] == label]
        ax.scatter(
            rows["X1"], rows["X2"], s=34, color=colour, marker=mark, alpha=opacity,
            linewidths=0, label=str(label),
        )  # fmt: skip
    ax.set_xlabel("X1")
    ax.set_ylabel("X2")
