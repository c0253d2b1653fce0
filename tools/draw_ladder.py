"""Draw what nothing, an order and a graph are worth, from the table that was measured.

The numbers are those of docs/results/ladder.md; nothing is computed here. A panel per learner has a
bar per rung of knowledge, each step beginning where the one before it ended. Run it by
`make ladder-figure`.
"""

import argparse
import re
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from causalaug.plot import save_figure
from causalaug.plot._style import BLUE, GREEN, GREY, INK, STYLE

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results" / "ladder.md"
STEPS = {
    "without knowledge, %": ("nothing known", GREY),
    "by the order, %": ("+ the order", GREEN),
    "by the independences, %": ("+ the graph", BLUE),
}
"""The columns that are drawn, and the names and colours of their steps in the picture."""
CASES = {
    ("right", "nonlinear"): "right graph, curves",
    ("right", "linear"): "right graph, lines",
    ("shuffled", "nonlinear"): "wrong graph, curves",
    ("shuffled", "linear"): "wrong graph, lines",
}
"""Graphs and mechanisms, from above, and how they are called in the picture."""
MEASURED = re.compile(r"([+-][\d.]+) ± ([\d.]+)")


def read_steps(text: str) -> dict[str, pd.DataFrame]:
    """Return by learner, a section of the page, the steps of each case and their errors."""
    learners = {}
    for name, body in re.findall(r"^## (.+?)$(.*?)(?=^## |\Z)", text, re.M | re.S):
        cells = [[cell.strip() for cell in line.split("|")] for line in _lines(body)]
        head, rows = (cells[0], cells[2:]) if len(cells) > 2 else ([], [])
        table = pd.DataFrame(rows, columns=head)
        missing = {"graph given", "mechanism", *STEPS} - set(head)
        if missing:
            raise ValueError(
                f"Each section must have a table of steps. Missing in {name!r}: "
                f"{sorted(missing)}. Measure it by benchmarks/ladder.py."
            )
        learners[name] = table.set_index(["graph given", "mechanism"])[list(STEPS)]
    if not learners:
        raise ValueError("The page must have a section per learner. Found none.")
    return learners


def _lines(body: str) -> list[str]:
    return re.findall(r"^\|(.+)\|$", body, re.M)


def steps_of(row: pd.Series) -> list[tuple[float, float, float]]:
    """Return where each step begins, how far it goes, and its error.

    >>> page = "-10.0 ± 2.0", "-5.0 ± 1.0", "+3.0 ± 1.5"
    >>> steps_of(pd.Series(page, index=STEPS))
    [(0.0, -10.0, 2.0), (-10.0, -5.0, 1.0), (-15.0, 3.0, 1.5)]
    """
    steps, begin = [], 0.0
    for column in STEPS:
        change, error = map(float, MEASURED.fullmatch(row[column]).groups())
        steps.append((begin, change, error))
        begin += change
    return steps


def draw_panel(ax: plt.Axes, table: pd.DataFrame, title: str) -> None:
    """Draw the steps of one learner: a group of three bars for each case."""
    names = [name for case, name in CASES.items() if case in table.index]
    cases = [case for case in CASES if case in table.index]
    for place, case in enumerate(cases):
        for number, (step, (_, colour)) in enumerate(
            zip(steps_of(table.loc[case]), STEPS.values(), strict=True)
        ):
            begin, change, error = step
            height = place + 0.25 * (number - 1)
            ax.barh(height, change, 0.21, left=begin, color=colour, zorder=3)
            ends = [begin + change - error, begin + change + error]
            ax.plot(ends, [height, height], color=INK, lw=1.4, zorder=4)
    ax.axvline(0.0, color=INK, lw=1)
    ax.grid(axis="y", visible=False)
    ax.set_yticks(range(len(cases)), names)
    ax.set(title=title, xlabel="change of the test error, %")


def draw(learners: dict[str, pd.DataFrame]) -> plt.Figure:
    """Return the figure: a panel per learner, all with the same scale."""
    with plt.rc_context(STYLE):
        size = (4.9 * len(learners), 3.9)
        figure, panels = plt.subplots(
            1, len(learners), figsize=size, sharex=True, sharey=True, squeeze=False
        )
        for ax, (name, table) in zip(panels[0], learners.items(), strict=True):
            draw_panel(ax, table, name)
        panels[0, 0].invert_yaxis()  # it is shared by all
        handles = [plt.Rectangle((0, 0), 1, 1, color=c, label=name) for name, c in STEPS.values()]
        figure.legend(handles=handles, loc="upper center", ncols=len(handles), fontsize=11)
        figure.tight_layout(rect=(0, 0, 1, 0.92), w_pad=2.0)
    return figure


def main() -> None:
    """Draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    options = parser.parse_args()
    try:
        figure = draw(read_steps(options.results.read_text(encoding="utf-8")))
    except ValueError as error:
        sys.exit(str(error))
    options.out.mkdir(parents=True, exist_ok=True)
    for suffix in (".svg", ".png"):
        print(save_figure(figure, options.out / f"ladder{suffix}"))


if __name__ == "__main__":
    main()
