"""The graph: boxes in layers, arrows for causes, dashed arcs for hidden common causes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug._optional import import_optional
from causalaug.graphs import ADMG, as_graph, layered_layout
from causalaug.graphs._checks import Edge, check_known
from causalaug.plot._style import BLUE, INK, ORANGE, as_axes, plain, styled
from causalaug.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

Points = Mapping[str, FloatArray]
Looks = Mapping[tuple[Edge, str], Mapping[str, Any]]
"""By edge and its arrow, in what it looks other than its kind does: options of a patch."""

FONT_SIZE = 11.0
SMALLEST_SCALE = 6.0 / FONT_SIZE
WIDTHS = (16, 11, 7)
"""How many letters of a name make a line; the shorter ones where there is less room."""
LETTER = (0.092, 0.185)
"""Width and height of a letter at that size, with what is around it, in inches."""
PADDING = 0.16
GAP = (0.45, 0.65)
"""What is left free between boxes, sideways and downwards, in inches."""
BENDS = {
    "->": (0.0, 0.12, -0.12, 0.24, -0.24, 0.36, -0.36),
    "<->": (0.3, -0.3, 0.45, -0.45, 0.6, -0.6),
}
"""How much an edge may bend, in shares of its length; the preferred first."""
LOOKS = {
    "->": {"arrowstyle": "-|>", "linestyle": "-", "color": INK},
    "<->": {"arrowstyle": "<|-|>", "linestyle": "--", "color": BLUE},
}


@styled
def plot_graph(
    graph: ADMG, ax: Axes | None = None, highlight: str | Iterable[str] | None = None
) -> Axes:
    """Draw a causal graph, causes above effects.

    Directed edges are solid arrows. Bidirected edges, the hidden common causes, are dashed,
    curved, and have a head at both ends.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The graph.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure that is large enough for the names. On Axes
        of yours the letters shrink to fit, down to 6 points.
    highlight : str or iterable of str, optional
        Nodes to fill with colour, such as the target.

    Returns
    -------
    matplotlib Axes
        What was drawn on.

    Examples
    --------
    Three nodes, two arrows and one arc:

    >>> graph = ADMG(
    ...     ["smoking", "tar", "cancer"],
    ...     directed=[("smoking", "tar"), ("tar", "cancer")],
    ...     bidirected=[("smoking", "cancer")],
    ... )
    >>> ax = plot_graph(graph, highlight="cancer")
    >>> len(ax.texts), [arrow.get_linestyle() for arrow in ax.patches]
    (3, ['-', '-', '--'])
    """
    return draw_graph(as_graph(graph), ax, highlight)


def draw_graph(
    graph: ADMG,
    ax: Axes | None,
    highlight: str | Iterable[str] | None = None,
    looks: Looks | None = None,
) -> Axes:
    """Draw a graph as `plot_graph` does, some edges with a look of their own."""
    chosen = {highlight} if isinstance(highlight, str) else set(highlight or ())
    check_known(chosen, graph.nodes, "`highlight`")
    places = layered_layout(graph)
    across, down = _needed_size(places, _labels(graph.nodes, WIDTHS[0]))
    page = (max(across, 0.6 * down, 3.0), max(down, 1.6))
    if ax is not None:
        page = _size_of(as_axes(ax, page))
    ax = as_axes(ax, page)
    labels, scale = _fitting_labels(places, page)
    half_boxes = _half_boxes(labels, scale)
    _set_limits(ax, places, half_boxes, page)
    boxes = _draw_nodes(ax, labels, places, chosen, FONT_SIZE * scale)
    bends = _bends(graph, _in_inches(ax, places, page), half_boxes, page)
    _draw_edges(ax, boxes, bends, scale, looks or {})
    return ax


def _labels(nodes: Iterable[str], width: int) -> dict[str, str]:
    """Return what is written for each node, in lines of so many letters."""
    return {node: plain(node, width) for node in nodes}


def _half_boxes(labels: Mapping[str, str], scale: float) -> Points:
    """Return about how far each box reaches from its centre, in inches."""
    sizes = {}
    for node, label in labels.items():
        lines = label.split("\n")
        width = LETTER[0] * max(map(len, lines)) + PADDING
        sizes[node] = scale / 2 * np.array([width, LETTER[1] * len(lines) + PADDING])
    return sizes


def _needed_size(
    places: Mapping[str, tuple[float, float]], labels: Mapping[str, str]
) -> tuple[float, float]:
    """Return a size, in inches, at which no two boxes touch at full size."""
    x, y = np.array(list(places.values())).T
    width, height = 2 * np.max(list(_half_boxes(labels, 1.0).values()), axis=0)
    layers, counts = np.unique(y, return_counts=True)
    across = counts.max() * (width + GAP[0]) * np.ptp(x) + width + PADDING
    down = (len(layers) - 1) * (height + GAP[1]) + height + PADDING
    return (float(across), float(down))


def _fitting_labels(
    places: Mapping[str, tuple[float, float]], page: tuple[float, float]
) -> tuple[dict[str, str], float]:
    """Return the longest labels that fit the page at a readable size, and that size."""
    for width in WIDTHS:
        labels = _labels(places, width)
        needed = _needed_size(places, labels)
        scale = min(1.0, page[0] / needed[0], page[1] / needed[1])
        if scale >= SMALLEST_SCALE:
            break
    return labels, max(scale, SMALLEST_SCALE)


def _size_of(ax: Axes) -> tuple[float, float]:
    """Return how large the Axes are, in inches."""
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    return (box.width / dpi, box.height / dpi)


def _set_limits(
    ax: Axes,
    places: Mapping[str, tuple[float, float]],
    half_boxes: Points,
    page: tuple[float, float],
) -> None:
    """Leave room for half a box, and a little more, beyond the outermost nodes."""
    points = np.array(list(places.values()))
    margin = np.max(list(half_boxes.values()), axis=0) + PADDING / 2
    share = np.minimum(margin / np.array(page), 0.4)
    low, high = points.min(axis=0), points.max(axis=0)
    reach = np.where(high > low, share / (1 - 2 * share) * (high - low), 0.5)
    ax.set_axis_off()
    ax.set_xlim(low[0] - reach[0], high[0] + reach[0])
    ax.set_ylim(high[1] + reach[1], low[1] - reach[1])


def _in_inches(
    ax: Axes, places: Mapping[str, tuple[float, float]], page: tuple[float, float]
) -> Points:
    """Return where the nodes are on the page, from its lower left corner."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    corner, span = np.array([left, bottom]), np.array([right - left, top - bottom])
    return {node: (np.array(place) - corner) / span * page for node, place in places.items()}


def _draw_nodes(
    ax: Axes,
    labels: Mapping[str, str],
    places: Mapping[str, tuple[float, float]],
    chosen: set[str],
    font_size: float,
) -> dict[str, Text]:
    boxes = {}
    for node, (x, y) in places.items():
        box = {
            "boxstyle": "round,pad=0.35,rounding_size=0.3",
            "facecolor": ORANGE if node in chosen else "white",
            "edgecolor": INK,
            "linewidth": 1.1,
        }
        boxes[node] = ax.text(
            x, y, labels[node], ha="center", va="center", size=font_size, bbox=box, zorder=2
        )
    return boxes


def _draw_edges(
    ax: Axes,
    boxes: Mapping[str, Text],
    bends: Mapping[tuple[Edge, str], float],
    scale: float,
    looks: Looks,
) -> None:
    """Draw the edges above the boxes.

    When a box is drawn it learns how large it is. An edge that is drawn later ends at its
    border, whatever the size and the resolution of the figure.
    """
    patches = import_optional("matplotlib.patches", extra="plot", purpose="Drawing")
    for ((a, b), kind), bend in bends.items():
        arrow = patches.FancyArrowPatch(
            boxes[a].get_position(),
            boxes[b].get_position(),
            patchA=boxes[a].get_bbox_patch(),
            patchB=boxes[b].get_bbox_patch(),
            connectionstyle=f"arc3,rad={bend}",
            mutation_scale=13 * scale,
            linewidth=1.3,
            shrinkA=1.0,
            shrinkB=1.0,
            zorder=3,
            clip_on=False,
            **{**LOOKS[kind], **looks.get(((a, b), kind), {})},
        )
        ax.add_patch(arrow)


def _bends(
    graph: ADMG, centres: Points, half_boxes: Points, page: tuple[float, float]
) -> dict[tuple[Edge, str], float]:
    """Return how much each edge must bend in order to run through no box, if a bend can help."""
    bends = {}
    edges = [(edge, "->") for edge in graph.directed]
    edges += [(edge, "<->") for edge in graph.bidirected]
    for (a, b), kind in edges:
        others = [node for node in graph.nodes if node not in (a, b)]
        around = np.array([(centres[node], half_boxes[node]) for node in others])
        obstacles = around.reshape(-1, 2, 2)
        bends[(a, b), kind] = _free_bend(centres[a], centres[b], obstacles, page, BENDS[kind])
    return bends


def _free_bend(
    start: FloatArray,
    end: FloatArray,
    obstacles: FloatArray,
    page: tuple[float, float],
    bends: Iterable[float],
) -> float:
    """Return the first bend whose curve keeps clear of the boxes, or else the clearest."""
    along = np.linspace(0.0, 1.0, 25)[:, np.newaxis]
    across = (end - start)[::-1] * (1.0, -1.0)

    def overlap(bend: float) -> float:
        middle = (start + end) / 2 + bend * across
        curve = (1 - along) ** 2 * start + 2 * along * (1 - along) * middle + along**2 * end
        distance = np.abs(curve[:, np.newaxis] - obstacles[:, 0])
        within = 1.0 - (distance / (obstacles[:, 1] + PADDING / 3)).max(axis=2)
        beyond = np.maximum(-curve, curve - page)
        return round(float(np.maximum(within, 0.0).sum() + np.maximum(beyond, 0.0).sum()), 6)

    return min(bends, key=overlap)
