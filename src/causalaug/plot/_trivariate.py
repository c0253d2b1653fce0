"""The paper's first example: new combinations of two signs within a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causalaug.augmentation import augment
from causalaug.datasets import make_trivariate
from causalaug.expansion import PrunedExpansion
from causalaug.plot._graph import plot_graph
from causalaug.plot._style import BLUE, VERMILION, as_panels, styled

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes

    from causalaug._random import RandomState

LOOKS = {0: (BLUE, "o"), 1: (VERMILION, "s")}
"""The colour and the mark of each class."""


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
    for label, (colour, mark) in LOOKS.items():
        rows = frame[frame["Y"] == label]
        ax.scatter(
            rows["X1"], rows["X2"], s=34, color=colour, marker=mark, alpha=opacity,
            linewidths=0, label=str(label),
        )  # fmt: skip
    ax.set_xlabel("X1")
    ax.set_ylabel("X2")
