"""The probability tree of a tiny example."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug._validation import check_at_least, check_bool, check_integer, check_same_variables
from causalaug.conditionals import Conditional, KernelConditional
from causalaug.exceptions import TreeTooLargeError
from causalaug.expansion import TooManyNodesError, fill_tree
from causalaug.graphs import as_graph
from causalaug.model import fit_table
from causalaug.plot._style import (
    GREY,
    INK,
    PALE,
    VERMILION,
    as_axes,
    column_cells,
    plain,
    short,
    styled,
)
from causalaug.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from causalaug.expansion import FittedModel, Node
    from causalaug.factorization import Factor
    from causalaug.graphs import ADMG
    from causalaug.typing import FloatArray


@styled
def plot_probability_tree(
    frame: Any,
    graph: ADMG,
    ax: Axes | None = None,
    *,
    conditional: Conditional | None = None,
    order: Sequence[str] | None = None,
    threshold: float = 1e-3,
    merge_equal: bool = True,
    max_branches: int = 150,
) -> Axes:
    """Draw the tree whose leaves are the new rows: what `augment` does, for a tiny table.

    From left to right, each variable gets a value, given the values before it that it
    depends on. The weight of a choice is written on its branch. The weight of a leaf, the
    product along its path, stands at its end, in colour if the row is a new one. Branches
    that are pruned are pale.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table, array, or Table
        A few rows.
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph; its nodes are the columns.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure that is large enough.
    conditional : Conditional, optional
        How one factor is modelled; by default ``KernelConditional()``.
    order : sequence of str, optional
        The topological order; by default the one of the graph.
    threshold, merge_equal : float and bool, optional
        When a branch is pruned, and whether equal values are one branch: as in
        `PrunedExpansion`.
    max_branches : int, optional
        Refuse a tree of more branches, which nobody could read.

    Returns
    -------
    matplotlib Axes
        What was drawn on.

    Examples
    --------
    Three patients have five leaves: the two who are sick exchange their symptoms.

    >>> import pandas as pd
    >>> from causalaug import ADMG
    >>> patients = pd.DataFrame(
    ...     {"sick": ["yes", "yes", "no"], "fever": [39.1, 40.2, 36.8], "cough": [7.0, 9.0, 1.0]}
    ... )
    >>> graph = ADMG(["sick", "fever", "cough"], directed=[("sick", "fever"), ("sick", "cough")])
    >>> ax = plot_probability_tree(patients, graph)
    >>> leaves = [text.get_text() for text in ax.texts if text.get_label() == "leaf"]
    >>> leaves
    ['0.333', '0.167', '0.167', '0.167', '0.167']
    """
    graph = as_graph(graph)
    check_at_least("threshold", threshold, 0.0)
    check_bool("merge_equal", merge_equal)
    check_integer("max_branches", max_branches, at_least=1)
    table = frame if isinstance(frame, Table) else Table.from_frame(frame, names=graph.nodes)
    check_same_variables(graph.nodes, table.columns)
    conditional = KernelConditional() if conditional is None else conditional
    model = fit_table(table, graph, conditional, order)
    factors = model.factors
    branches = grow_nodes(
        model, threshold=threshold, merge_equal=merge_equal, max_branches=max_branches
    )
    height = heights(branches)
    ax = as_axes(ax, (2.1 * len(factors) + 1.3, max(0.3 * height.max() + 1.2, 2.4)))
    _draw_branches(ax, table, factors, branches, height)
    _draw_leaves(ax, table, branches, height, len(factors))
    _draw_frame(ax, factors, float(height.max()))
    return ax


def _draw_branches(
    ax: Axes,
    table: Table,
    factors: Sequence[Factor],
    branches: Sequence[Node],
    height: FloatArray,
) -> None:
    """Draw each branch as a line with its weight on it and its value at its end."""
    root = height[[number for number, branch in enumerate(branches) if branch.parent < 0]].mean()
    for branch, end in zip(branches, height.tolist(), strict=True):
        start = float(root if branch.parent < 0 else height[branch.parent])
        ink, kind = (INK, "") if branch.is_kept else (PALE, "pruned ")
        ax.plot([branch.depth, branch.depth + 1], [start, end], color=ink, linewidth=1.0, zorder=1)
        middle: dict[str, Any] = {"ha": "center", "va": "center"}
        paper: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        look = {"color": GREY if branch.is_kept else PALE, "size": 8, "bbox": paper, **middle}
        # The weight stands a little beyond the middle.
        place = branch.depth + 0.55, start + 0.55 * (end - start)
        ax.text(*place, short(branch.edge_weight), label=f"{kind}edge", **look)
        box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": ink}
        look = {"color": ink, "size": 9, "bbox": box, "zorder": 3, **middle}
        value = _value_text(table, factors[branch.depth].target, branch)
        ax.text(branch.depth + 1, end, value, label=f"{kind}node", **look)
    ax.plot([0], [root], marker="o", color=INK, markersize=6)


def _value_text(table: Table, name: str, branch: Node) -> str:
    """Return the cell that was copied, or the number that it was shifted to."""
    number = table.index(name)
    value = branch.values[number]
    if value != table.values[branch.row, number]:
        return short(float(table.numbers(number, np.array(value))))
    return plain(short(column_cells(table.source, name, number)[branch.row]), width=12, lines=1)


def _draw_leaves(
    ax: Axes, table: Table, branches: Sequence[Node], height: FloatArray, n_levels: int
) -> None:
    """Write the weights of the leaves, in colour where the row is none of those observed."""
    for number, branch in enumerate(branches):
        if branch.depth < n_levels - 1 or not branch.is_kept:
            continue
        new = [branch.values[column] for column in range(table.n_columns)]
        is_novel = not np.any(np.all(table.values == new, axis=1))
        ax.text(
            n_levels + 0.36,
            float(height[number]),
            short(branch.weight),
            color=VERMILION if is_novel else INK,
            size=10,
            weight="bold" if is_novel else "normal",
            va="center",
            label="leaf",
        )


def _draw_frame(ax: Axes, factors: Sequence[Factor], lowest: float) -> None:
    """Name the factor of each level and the weights at the end."""
    for level, factor in enumerate(factors):
        text = plain(factor, width=24, lines=2)
        ax.text(level + 1, -0.9, text, ha="center", va="bottom", size=10)
    ax.text(len(factors) + 0.36, -0.9, "weight", va="bottom", size=10)
    note = "bold: a new row; pale: pruned"
    ax.text(len(factors) + 0.7, lowest + 0.9, note, ha="right", va="top", size=9, color=GREY)
    ax.set_axis_off()
    ax.set_xlim(-0.1, len(factors) + 0.8)
    ax.set_ylim(lowest + 1.4, -1.9)


def grow_nodes(
    model: FittedModel, *, threshold: float, merge_equal: bool, max_branches: int
) -> list[Node]:
    """Return all nodes of the tree of a tiny table, or raise if nobody could read it."""
    try:
        return fill_tree(model, threshold, merge_equal=merge_equal, max_nodes=max_branches)
    except TooManyNodesError:
        raise TreeTooLargeError(
            f"A tree must have at most max_branches={max_branches} branches to be drawn; that "
            f"of these {model.table.n_rows} rows has more. Draw it for a few rows, "
            "`frame.head(3)`, or for a graph of fewer variables."
        ) from None


def heights(nodes: Sequence[Node]) -> FloatArray:
    """Return where to draw each node: the ends one below another, the others between.

    >>> from causalaug.expansion import Node
    >>> stem = Node(-1, 0, 0, {}, 1.0, 1.0, is_kept=True)
    >>> twigs = [Node(0, 1, row, {}, 0.5, 0.5, is_kept=True) for row in (0, 1)]
    >>> heights([stem, *twigs])
    array([0.5, 0. , 1. ])
    """
    children: dict[int, list[int]] = {}
    for number, node in enumerate(nodes):
        children.setdefault(node.parent, []).append(number)
    height, ends = np.zeros(len(nodes)), count()

    def place(number: int) -> float:
        below = [place(child) for child in children.get(number, ())]
        height[number] = np.mean(below) if below else next(ends)
        return float(height[number])

    for number in children.get(-1, ()):
        place(number)
    return height
