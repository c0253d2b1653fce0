"""Learning curves of experiments, and how much they gain on the baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from causalaug.plot._style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    VERMILION,
    as_axes,
    as_panels,
    plain,
    styled,
)
from reproduction.means import Curve, improvements, learning_curves, select_dataset
from reproduction.records import BASELINE, read_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes

SIZES = ("rows_train",)
"""What a curve needs beyond a run and its error."""
SIZE = (8.0, 4.2)
PANEL = (4.4, 3.2)
MARKS = "osD^vP"
GREEN, PURPLE, SKY = "#009e73", "#cc79a7", "#56b4e9"
PALETTE = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
"""The colours of Okabe and Ito, which the colour-blind can tell apart; no yellow on white."""
BESIDE: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
"""Where a legend hides no curve."""


@styled
def plot_learning_curves(
    records: pd.DataFrame,
    dataset: str,
    ax: Axes | None = None,
    reference: pd.DataFrame | None = None,
) -> Axes:
    """Draw the mean squared error against the number of training rows.

    Means are over splits; bands reach one standard error to both sides.

    Parameters
    ----------
    records : pandas DataFrame
        One row per run, with the columns ``dataset``, ``fraction``, ``split``, ``method``
        ("baseline", "augmented" or "proposed", which is the same), ``mse``, ``rows_train``,
        and ``protocol`` if there are several: each has its colour.
    dataset : str
        Which data set to draw.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.
    reference : pandas DataFrame, optional
        Published records to compare with, drawn as dotted lines.

    Returns
    -------
    matplotlib Axes
        What was drawn on.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame(
    ...     {"dataset": "toy", "fraction": [0.1, 0.1, 0.2, 0.2], "split": [1, 2, 1, 2],
    ...      "method": "baseline", "mse": [0.5, 0.7, 0.4, 0.4], "rows_train": [10, 10, 20, 20]}
    ... )
    >>> ax = plot_learning_curves(runs, "toy")
    >>> ax.lines[0].get_xydata().round(3)
    array([[10. ,  0.6],
           [20. ,  0.4]])
    """
    runs = select_dataset(read_records(records, also=SIZES), dataset)
    others = [] if reference is None else learning_curves(_reference(reference, dataset))
    ax = as_axes(ax, SIZE)
    _draw_curves(ax, learning_curves(runs), others)
    ax.set_ylabel("mean squared error")
    ax.set_title(plain(dataset), loc="left")
    ax.legend(**BESIDE)
    return ax


@styled
def plot_improvement(
    records: pd.DataFrame,
    dataset: str | None = None,
    ax: Any = None,
    reference: pd.DataFrame | None = None,
) -> Axes | np.ndarray[Any, Any]:
    """Draw by how many percent augmentation lowers the mean squared error of the baseline.

    Both are compared split by split, on the same training and test rows; the mean of these
    changes is drawn, in a band of one standard error. Above zero is better. A protocol without
    a baseline of its own is compared with that of the protocol "reference".

    Parameters
    ----------
    records : pandas DataFrame
        One row per run, as in `plot_learning_curves`.
    dataset : str, optional
        Which data set to draw; by default all of them, each in a panel of its own.
    ax : matplotlib Axes, or an array of them, optional
        Where to draw: one for a data set, or as many as there are data sets.
    reference : pandas DataFrame, optional
        Published records to compare with, drawn as dotted lines. Data sets that they lack
        are drawn without.

    Returns
    -------
    matplotlib Axes, or array of Axes
        What was drawn on: one Axes for a data set that was named, an array for all.

    Examples
    --------
    The error falls from 0.5 to 0.4 and from 1.0 to 0.6, by 20 and by 40 percent. That is
    30 percent in the mean of the changes, though the sum of the errors falls by a third:

    >>> import pandas as pd
    >>> runs = pd.DataFrame(
    ...     {"dataset": "toy", "fraction": 0.1, "split": [1, 1, 2, 2], "rows_train": 10,
    ...      "method": ["baseline", "augmented"] * 2, "mse": [0.5, 0.4, 1.0, 0.6]}
    ... )
    >>> ax = plot_improvement(runs, "toy")
    >>> ax.lines[-1].get_ydata().round(3)
    array([30.])
    """
    runs = read_records(records, also=SIZES)
    others = None if reference is None else read_records(reference, "reference", also=SIZES)
    if dataset is not None:
        select_dataset(runs, dataset)
        one = as_axes(ax, SIZE)
        _draw_improvement(one, runs, dataset, others)
        one.legend(**BESIDE)
        return one
    names = list(dict.fromkeys(runs["dataset"]))
    panels = _panels(ax, len(names))
    for panel, name in zip(panels, names, strict=True):
        _draw_improvement(panel, runs, name, others)
    _draw_common_legend(panels, outside=ax is None)
    return panels


def _reference(reference: pd.DataFrame, dataset: str) -> pd.DataFrame:
    return select_dataset(read_records(reference, "reference", also=SIZES), dataset, "reference")


def _panels(ax: Any, n_panels: int) -> np.ndarray[Any, Any]:
    """Return so many Axes, three in a row."""
    if ax is not None:
        return as_panels(ax, (1, n_panels), PANEL).ravel()
    n_rows, n_columns = -(-n_panels // 3), min(n_panels, 3)
    panels = as_panels(None, (n_rows, n_columns), PANEL).ravel()
    for spare in panels[n_panels:]:
        spare.remove()
    return panels[:n_panels]


def _draw_common_legend(panels: np.ndarray[Any, Any], *, outside: bool) -> None:
    """Draw one legend for all panels: below them, or, on Axes of somebody else, in the first."""
    found: dict[str, Any] = {}
    for panel in panels:
        handles, labels = panel.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    where = {"loc": "outside lower center", "ncols": 4} if outside else {"loc": "best"}
    owner = panels[0].figure if outside else panels[0]
    owner.legend(found.values(), found.keys(), **where)


def _draw_improvement(
    ax: Axes, runs: pd.DataFrame, dataset: str, others: pd.DataFrame | None
) -> None:
    """Draw one data set, in percent, around a line at zero."""
    curves = [_in_percent(curve) for curve in improvements(select_dataset(runs, dataset))]
    overlay = []
    if others is not None and dataset in set(others["dataset"]):
        overlay = [_in_percent(curve) for curve in improvements(select_dataset(others, dataset))]
    ax.axhline(0.0, color=GREY, linewidth=1.2)
    _draw_curves(ax, curves, overlay)
    ax.set_ylabel("relative improvement (%)")
    ax.set_title(plain(dataset), loc="left")


def _in_percent(curve: Curve) -> Curve:
    return replace(curve, mean=100 * curve.mean, standard_error=100 * curve.standard_error)


def _draw_curves(ax: Axes, curves: Sequence[Curve], overlay: Sequence[Curve]) -> None:
    """Draw each curve in its band; an overlay is dotted and without colour."""
    protocols = list(dict.fromkeys(curve.protocol for curve in curves))
    methods = list(dict.fromkeys(c.method for c in curves if c.method != BASELINE))
    for curve in curves:
        several = len(protocols) > 1
        number = protocols.index(curve.protocol) if several else 0
        mark = "o"
        if curve.method != BASELINE:
            place = methods.index(curve.method)
            number, mark = number if several else place, MARKS[(place + 1) % len(MARKS)]
        plain_look = not several and curve.method == BASELINE
        colour = GREY if plain_look else PALETTE[number % len(PALETTE)]
        line = "--" if curve.method == BASELINE else "-"
        _draw_curve(ax, curve, _label(curve), color=colour, linestyle=line, marker=mark)
    for curve in overlay:
        colour = GREY if curve.method == BASELINE else INK
        label = f"published, {_label(curve)}"
        look = {"color": colour, "linestyle": ":", "marker": "o", "markerfacecolor": "white"}
        _draw_curve(ax, curve, label, **look)
    ax.set_xlabel("training rows")


def _label(curve: Curve) -> str:
    return plain(f"{curve.protocol}, {curve.method}" if curve.protocol else curve.method)


def _draw_curve(ax: Axes, curve: Curve, label: str, **look: Any) -> None:
    low, high = curve.mean - curve.standard_error, curve.mean + curve.standard_error
    opacity = 0.1 if look["linestyle"] == ":" else 0.2
    ax.fill_between(curve.rows, low, high, color=look["color"], alpha=opacity, linewidth=0)
    ax.plot(curve.rows, curve.mean, label=label, markersize=4.5, linewidth=1.6, **look)
