"""Draw how many rows a graph is worth, from the table that was measured, to docs/images.

The numbers are those of the section "How many rows a graph is worth" of docs/results/learning.md;
nothing is computed here but where two curves have the same height. Run it by `make worth-figure`.
"""

import argparse
import re
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import NullLocator, ScalarFormatter

from causalaug.plot import save_figure
from causalaug.plot._style import BLUE, GREY, INK, STYLE, VERMILION

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results" / "learning.md"
SECTION = "How many rows a graph is worth"
WITH_GRAPH = "blended boosting"
CURVES = {
    "plain boosting": ("boosting", GREY, "o"),
    "best plain by folds": ("best of four plain learners", VERMILION, "s"),
    WITH_GRAPH: ("boosting and the graph", BLUE, "D"),
}
"""The columns that are drawn, and their names, colours and marks in the picture."""
LABELS = {WITH_GRAPH: 0.06, "best plain by folds": 0.17, "plain boosting": 0.06}
"""At which height of a panel the rows of each curve are written: two never meet."""
START = 60
"""The table with the graph, in rows, that is compared with larger ones without."""
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 2.0, 5.0)
"""Errors that are written at the axis, as far as they are reached."""


def read_curves(text: str) -> pd.DataFrame:
    """Return the table of the section, with one row per mechanism and number of rows."""
    section = re.search(rf"^## {SECTION}$(.*?)(?=^## |\Z)", text, re.M | re.S)
    lines = re.findall(r"^\|(.+)\|$", section[1], re.M) if section else []
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    missing = {"mechanism", "n", *CURVES} - set(cells[0] if cells else [])
    if missing or len(cells) < 3:
        raise ValueError(
            f"The page must have a section {SECTION!r} with a table of curves. "
            f"Missing there: {sorted(missing) or 'its rows'}. Measure it by `make learning`."
        )
    table = pd.DataFrame(cells[2:], columns=cells[0])
    numbers = table[["n", *CURVES]].apply(lambda column: column.str.replace(",", "").astype(float))
    return table[["mechanism"]].join(numbers).sort_values(["mechanism", "n"], ignore_index=True)


def rows_needed(n: pd.Series, loss: pd.Series, wanted: float) -> float:
    """Return at how many rows a curve falls to `wanted`, or infinity if it does not.

    Between two measured sizes the curve is a straight line on logarithmic scales. Where noise
    lets it fall below twice, the first time counts: that is never in favour of the graph.
    """
    x, y = np.log(n.to_numpy()), np.log(loss.to_numpy())
    below = np.flatnonzero(y <= np.log(wanted))
    if not len(below):
        return float("inf")
    last = below[0]
    if last == 0:
        return float(np.exp(x[0]))
    share = (y[last - 1] - np.log(wanted)) / (y[last - 1] - y[last])
    return float(np.exp(x[last - 1] + share * (x[last] - x[last - 1])))


def worth_of(curve: pd.DataFrame, start: int = START) -> tuple[float, dict[str, float]]:
    """Return the loss of `start` rows with the graph, and the rows for it without, by learner."""
    at_start = curve.loc[curve["n"] == start, WITH_GRAPH]
    if len(at_start) != 1:
        raise ValueError(
            f"There must be one line for {start} rows of each mechanism. Found {len(at_start)}. "
            "Measure that size, too."
        )
    wanted = float(at_start.iloc[0])
    plain = [name for name in CURVES if name != WITH_GRAPH]
    return wanted, {name: rows_needed(curve["n"], curve[name], wanted) for name in plain}


def in_words(rows: float, largest: float) -> str:
    """Return a number of rows as a reader would say it.

    >>> in_words(173.2, 400.0), in_words(float("inf"), 400.0)
    ('173 rows', 'more than 400 rows')
    """
    return f"{rows:.0f} rows" if np.isfinite(rows) else f"more than {largest:.0f} rows"


def draw_panel(ax: plt.Axes, curve: pd.DataFrame, title: str) -> None:
    """Draw the curves of one mechanism, and the way from the graph's curve to the plain ones."""
    for column, (_, colour, mark) in CURVES.items():
        width = 2.6 if column == WITH_GRAPH else 1.8
        ax.plot(curve["n"], curve[column], mark + "-", color=colour, lw=width, ms=5.5, zorder=3)
    # Below all curves there is room for the labels.
    least = 0.5 * curve[list(CURVES)].min(axis=None)
    ax.set(xscale="log", yscale="log", title=title, xlabel="rows to learn from", ylim=(least, None))
    ax.margins(x=0.06)
    ax.set_xticks(curve["n"].astype(int))
    ax.set_yticks([tick for tick in TICKS if least < tick < ax.get_ylim()[1]])
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(ScalarFormatter())
        axis.set_minor_locator(NullLocator())
    draw_worth(ax, curve)


def draw_worth(ax: plt.Axes, curve: pd.DataFrame) -> None:
    """Draw the way to the plain curves, and down to the rows at which it meets each."""
    right = ax.get_xlim()[1]
    ax.set_xlim(right=right)  # what is drawn from here on moves it no more
    wanted, needed = worth_of(curve)
    end = min(max(needed.values()), right)
    ax.plot([START, end], [wanted, wanted], "--", color=INK, lw=1.3, zorder=4)
    found = {WITH_GRAPH: float(START)} | needed
    for column, rows in found.items():
        _, colour, mark = CURVES[column]
        if np.isfinite(rows):
            ax.plot([rows, rows], [ax.get_ylim()[0], wanted], ":", color=colour, lw=1.6, zorder=2)
            ax.plot([rows], [wanted], mark, mec=colour, ms=10, mfc="white", mew=1.8, zorder=5)
        said = in_words(rows, curve["n"].max())
        write(ax, min(rows, right), LABELS[column], said, colour, left=column == WITH_GRAPH)


def write(ax: plt.Axes, x: float, height: float, text: str, colour: str, *, left: bool) -> None:
    """Write beside a vertical line at `height`, a part of the axes; on its left at the edge."""
    at_edge = x > ax.get_xlim()[1] / 1.8  # about the width of "200 rows"
    ax.annotate(
        text,
        (x, height),
        (-5 if left or at_edge else 5, 0),
        xycoords=ax.get_xaxis_transform(),
        textcoords="offset points",
        ha="right" if left or at_edge else "left",
        va="center",
        color=colour,
        fontweight="bold",
        bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none"},
        zorder=6,
    )


def draw(curves: pd.DataFrame) -> plt.Figure:
    """Return the figure: a panel per mechanism, nonlinear first."""
    mechanisms = sorted(curves["mechanism"].unique(), reverse=True)
    with plt.rc_context(STYLE):
        size = (4.9 * len(mechanisms), 3.9)
        figure, panels = plt.subplots(1, len(mechanisms), figsize=size, squeeze=False)
        for ax, mechanism in zip(panels[0], mechanisms, strict=True):
            curve = curves[curves["mechanism"] == mechanism]
            draw_panel(ax, curve, f"{mechanism} mechanisms")
        panels[0, 0].set_ylabel("error on new rows (MSE)")
        handles = [
            plt.Line2D([], [], color=colour, marker=mark, lw=2, label=name)
            for name, colour, mark in CURVES.values()
        ]
        figure.legend(handles=handles, loc="upper center", ncols=len(handles), fontsize=11)
        figure.tight_layout(rect=(0, 0, 1, 0.92), w_pad=2.5)
    return figure


def main() -> None:
    """Draw the figure, and print the sentence that goes with it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    options = parser.parse_args()
    try:
        curves = read_curves(options.results.read_text(encoding="utf-8"))
        figure = draw(curves)
    except ValueError as error:
        sys.exit(str(error))
    options.out.mkdir(parents=True, exist_ok=True)
    for suffix in (".svg", ".png"):
        print(save_figure(figure, options.out / f"rows_worth{suffix}"))
    for mechanism, curve in curves.groupby("mechanism"):
        wanted, needed = worth_of(curve)
        words = [f"{in_words(n, curve['n'].max())} ({name})" for name, n in needed.items()]
        print(f"{mechanism}: {START} rows and the graph, MSE {wanted:.3f}: {', '.join(words)}")


if __name__ == "__main__":
    main()
