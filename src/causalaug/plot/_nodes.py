"""Where to draw the nodes of a probability tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causalaug.exceptions import TreeTooLargeError
from causalaug.expansion import TooManyNodesError, fill_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causalaug.expansion import FittedModel, Node
    from causalaug.typing import FloatArray


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
    height = np.zeros(len(nodes))
    n_ends = 0
    waiting = children.get(-1, [])[::-1]
    while waiting:
        number = waiting.pop()
        waiting += children.get(number, [])[::-1]
        if number not in children:
            height[number] = n_ends
            n_ends += 1
    for number in reversed(range(len(nodes))):
        if number in children:
            height[number] = height[children[number]].mean()
    return height
