"""The graph: boxes in layers, arrows for causes, dashed arcs for hidden common causes.

The report draws graphs as well, as SVG whose colours are classes, without matplotlib. Here boxes
and letters fit the Axes that are given, and arrows end at boxes after the figure was resized.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug._optional import import_optional
from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG, as_graph, layered_layout
from causalaug.graphs._checks import Edge, check_known
from causalaug.model import GraphModel
from causalaug.plot._style import BLUE, INK, ORANGE, VERMILION, as_axes, plain, styled
from causalaug.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

Points = Mapping[str, FloatArray]
Looks = Mapping[tuple[Edge, str], Mapping[str, Any]]
"""By edge and its arrow, in what it looks other than its kind does: options of a patch."""

FONT_SIZE = 11.0
PADDING = 0.16
"""Around the letters of a box, in inches."""
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
    return _draw_graph(as_graph(graph), ax, highlight)


@styled
def plot_trust(
    model: GraphModel, ax: Axes | None = None, highlight: str | Iterable[str] | None = None
) -> Axes:
    """Draw the graph of a model, its edges as strong as the trust in the factor of their effect.

    Dashed arrows in another colour are those that the data want beside the graph. The numbers
    are in `GraphModel.trust`.

    Parameters
    ----------
    model : GraphModel
        A model that was fitted with ``trust="auto"``, such as ``model_`` of a learner; or with
        beliefs.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure, as in `plot_graph`.
    highlight : str or iterable of str, optional
        Nodes to fill with colour, such as the target.

    Returns
    -------
    matplotlib Axes
        What was drawn on.

    Examples
    --------
    The graph lacks an edge, which is drawn dashed:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from causalaug import fit_model
    >>> rng = np.random.default_rng(0)
    >>> load, wear = rng.normal(size=(2, 60))
    >>> heat = wear + load + 0.5 * rng.normal(size=60)
    >>> frame = pd.DataFrame({"load": load, "wear": wear, "heat": heat})
    >>> model = fit_model(frame, "load; wear -> heat", "auto", trust="auto")
    >>> ax = plot_trust(model)
    >>> [(arrow.get_linestyle(), round(arrow.get_alpha(), 1)) for arrow in ax.patches]
    [('--', 1.0), ('-', 0.2)]
    """
    if not isinstance(model, GraphModel):
        raise ParameterError(
            "`model` must be a GraphModel, such as fit_model(frame, graph, 'auto', trust='auto') "
            f"or learner.model_. Found {model!r}."
        )
    shares = dict(zip(model.order, model.trust["trust"], strict=True))
    wishes = zip(model.order, model.wishes, strict=False)
    wanted = [
        (cause, name) for name, wish in wishes if wish and wish.gain > 0.0 for cause in wish.wanted
    ]
    place = {name: number for number, name in enumerate(model.order)}
    looks: dict[tuple[Edge, str], Mapping[str, Any]] = {}
    for kind, edges in (("->", model.graph.directed), ("<->", model.graph.bidirected)):
        for edge in edges:
            share = shares[max(edge, key=place.__getitem__)]
            # An edge that is not believed at all is in the graph, and shall be seen.
            looks[edge, kind] = {"alpha": 0.15 + 0.85 * share}
    for edge in wanted:
        looks[edge, "->"] = {"alpha": 1.0, "color": VERMILION, "linestyle": "--"}
    whole = ADMG(model.graph.nodes, [*model.graph.directed, *wanted], model.graph.bidirected)
    return _draw_graph(whole, ax, highlight, looks)


def _draw_graph(
    graph: ADMG,
    ax: Axes | None,
    highlight: str | Iterable[str] | None = None,
    looks: Looks | None = None,
) -> Axes:
    """Draw a graph, some edges with a look of their own."""
    chosen = {highlight} if isinstance(highlight, str) else set(highlight or ())
    check_known(chosen, graph.nodes, "`highlight`")
    places = layered_layout(graph)
    across, down = _needed_size(places, {node: plain(node, 16) for node in graph.nodes})
    page = (max(across, 0.6 * down, 3.0), max(down, 1.6))
    given, ax = ax, as_axes(ax, page)
    if given is not None:
        box, dpi = ax.get_window_extent(), ax.figure.dpi
        page = (box.width / dpi, box.height / dpi)
    labels, scale = _fitting_labels(places, page)
    half_boxes = _half_boxes(labels, scale)
    _set_limits(ax, places, half_boxes, page)
    boxes = _draw_nodes(ax, labels, places, chosen, FONT_SIZE * scale)
    corner = np.array([ax.get_xlim()[0], ax.get_ylim()[0]])
    span = np.array([ax.get_xlim()[1], ax.get_ylim()[1]]) - corner
    # From the lower left corner, in inches.
    centres = {node: (np.array(place) - corner) / span * page for node, place in places.items()}
    bends = _bends(graph, centres, half_boxes, page)
    _draw_edges(ax, boxes, bends, scale, looks or {})
    return ax


def _half_boxes(labels: Mapping[str, str], scale: float) -> Points:
    """Return about how far each box reaches from its centre, in inches."""
    sizes = {}
    for node, label in labels.items():
        lines = label.split("\n")
        # A letter at the font size, with what is around it, is so wide and so high.
        width, height = 0.092 * max(map(len, lines)), 0.185 * len(lines)
        sizes[node] = scale / 2 * (np.array([width, height]) + PADDING)
    return sizes


def _needed_size(
    places: Mapping[str, tuple[float, float]], labels: Mapping[str, str]
) -> tuple[float, float]:
    """Return a size, in inches, at which no two boxes touch at full size."""
    x, y = np.array(list(places.values())).T
    width, height = 2 * np.max(list(_half_boxes(labels, 1.0).values()), axis=0)
    layers, counts = np.unique(y, return_counts=True)
    # Left free between boxes: 0.45 sideways, 0.65 downwards.
    across = counts.max() * (width + 0.45) * np.ptp(x) + width + PADDING
    down = (len(layers) - 1) * (height + 0.65) + height + PADDING
    return (float(across), float(down))


def _fitting_labels(
    places: Mapping[str, tuple[float, float]], page: tuple[float, float]
) -> tuple[dict[str, str], float]:
    """Return the longest labels that fit the page at a readable size, and that size."""
    smallest = 6.0 / FONT_SIZE
    for width in (16, 11, 7):
        labels = {node: plain(node, width) for node in places}
        needed = _needed_size(places, labels)
        scale = min(1.0, page[0] / needed[0], page[1] / needed[1])
        if scale >= smallest:
            break
    return labels, max(scale, smallest)


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
