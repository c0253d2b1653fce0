"""A causal graph as SVG: for the report, whose style gives it colours, or to stand alone."""

from __future__ import annotations

import cmath
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from causalaug._markup import Markup, element, number, shorten, text
from causalaug.graphs._layout import CLEARANCE, layered_layout

MOST_NODES = 40
_LETTER, _PADDING, _NODE_HEIGHT = 7.3, 11.0, 30.0
_BETWEEN_NODES, _BETWEEN_LAYERS = 14.0, 76.0
_MARGIN, _ARROW = 8.0, 8.0

if TYPE_CHECKING:
    from causalaug.graphs._admg import ADMG

STYLE = (
    "<style>"
    ".causalaug-graph{background:#fff;max-width:100%;height:auto}"
    ".causalaug-graph text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}"
    ".causalaug-graph .node rect{fill:#f6f8fa;stroke:#57606a;stroke-width:1.25}"
    ".causalaug-graph .directed path{fill:none;stroke:#57606a;stroke-width:1.4}"
    ".causalaug-graph .directed .head{fill:#57606a;stroke:none}"
    ".causalaug-graph .bidirected path{fill:none;stroke:#a0410d;stroke-width:1.5}"
    ".causalaug-graph .bidirected .head{fill:#a0410d;stroke:none}"
    "</style>"
)
"""Every rule begins with the class of the picture, so that none reaches the notebook around it."""


@dataclass(frozen=True)
class Box:
    """A node as it is drawn: its name cut to size, its middle, and half of its extent.

    A point is a complex number: its real part grows to the right, its imaginary part downwards.
    """

    name: str
    label: str
    middle: complex
    half_width: float
    half_height: float = _NODE_HEIGHT / 2

    def edge_towards(self, point: complex) -> complex:
        """Return where the way from the middle to a point leaves the box."""
        way = point - self.middle
        across, down = abs(way.real) / (self.half_width + 2), abs(way.imag) / (self.half_height + 2)
        return self.middle + way / max(across, down, 1e-9)


def near_target(graph: ADMG, target: str, most: int = MOST_NODES) -> ADMG:
    """Return the part of the graph that is nearest to the target, the whole if it is small.

    >>> from causalaug import ADMG
    >>> chain = ADMG(["a", "b", "c", "d"], directed=[("a", "b"), ("b", "c"), ("c", "d")])
    >>> near_target(chain, "c", most=3).nodes
    ('b', 'c', 'd')
    """
    neighbours: dict[str, list[str]] = {node: [] for node in graph.nodes}
    for a, b in (*graph.directed, *graph.bidirected):
        neighbours[a].append(b)
        neighbours[b].append(a)
    nearest, reached = [target], {target}
    for node in nearest:
        fresh = [v for v in dict.fromkeys(neighbours[node]) if v not in reached]
        nearest += fresh
        reached.update(fresh)
    return graph.subgraph(list(dict.fromkeys([*nearest, *graph.nodes]))[:most])


def draw_graph(graph: ADMG, target: str | None = None) -> Markup:
    """Return a picture of the graph: causes above effects, bidirected edges dashed.

    It has no colours: these come from the style of the page.
    """
    boxes = place_boxes(graph)
    arrows = [_arrow(boxes[a], boxes[b]) for a, b in graph.directed]
    centre = sum(box.middle for box in boxes.values()) / len(boxes)
    arcs = [_arc(boxes[a], boxes[b], centre) for a, b in graph.bidirected]
    nodes = [_node(box, is_target=name == target) for name, box in boxes.items()]
    corners = [point for _, reach in (*arrows, *arcs) for point in reach]
    for box in boxes.values():
        half = complex(box.half_width, box.half_height)
        corners += [box.middle - half, box.middle + half]
    lines = [drawn for drawn, _ in (*arrows, *arcs)]
    return _framed(corners, _in_words(graph, target), [*lines, *nodes])


def draw_alone(graph: ADMG) -> str | None:
    """Return a picture that needs no page around it, or None if the graph is too large for one.

    Ink and paper are fixed: a notebook may show the picture as an image, to which the colours
    of its theme mean nothing.
    """
    if len(graph.nodes) > MOST_NODES:
        return None
    drawn = str(draw_graph(graph))
    opened, rest = drawn.split(">", 1)
    return f'{opened} xmlns="http://www.w3.org/2000/svg">{STYLE}{rest}'


def place_boxes(graph: ADMG) -> dict[str, Box]:
    """Return the boxes of all nodes, placed so that none of one layer touch."""
    layout = layered_layout(graph)
    labels = {node: shorten(node, 16) for node in graph.nodes}
    half = {node: _width_of(label) / 2 + _PADDING for node, label in labels.items()}
    in_layer = Counter(y for _, y in layout.values())
    widest = {y: max(half[v] for v in graph.nodes if layout[v][1] == y) for y in in_layer}
    width = max(n * (2 * widest[y] + _BETWEEN_NODES) for y, n in in_layer.items())
    if len(in_layer) > 2:
        # The layout keeps edges clear of middles; this much makes them clear of boxes too.
        width = max(width, max(half.values()) / CLEARANCE)
    height = _BETWEEN_LAYERS * (len(in_layer) - 1)
    return {
        node: Box(node, labels[node], complex(x * width, y * height), half[node])
        for node, (x, y) in layout.items()
    }


def _width_of(label: str) -> float:
    """Return how wide a label is in a font of fixed width, in which some letters take two."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in label)
    return _LETTER * (len(label) + wide)


def _framed(corners: list[complex], label: str, children: list[Markup]) -> Markup:
    left, top = min(p.real for p in corners) - _MARGIN, min(p.imag for p in corners) - _MARGIN
    right, bottom = max(p.real for p in corners) + _MARGIN, max(p.imag for p in corners) + _MARGIN
    width, height = number(right - left), number(bottom - top)
    return element(
        "svg",
        element("title", label),
        *children,
        viewBox=f"{number(left)} {number(top)} {width} {height}",
        width=width,
        height=height,
        # What would have to shrink further is scrolled instead, so that names stay legible.
        style=f"min-width:{number(0.8 * (right - left))}px",
        class_="causalaug-graph",
        role="img",
        aria_label=label,
    )


def _in_words(graph: ADMG, target: str | None) -> str:
    """Return what the picture shows, for those who cannot see it."""
    edges = [f"{shorten(a, 30)} → {shorten(b, 30)}" for a, b in graph.directed]
    edges += [f"{shorten(a, 30)} ↔ {shorten(b, 30)}" for a, b in graph.bidirected]
    shown = shorten(", ".join(edges) or "no edges", 600)
    about = "" if target is None else f", target {shorten(target, 60)}"
    return f"Causal graph of {len(graph.nodes)} variables{about}: {shown}"


def _node(box: Box, *, is_target: bool) -> Markup:
    x, y = box.middle.real, box.middle.imag
    frame = element(
        "rect",
        x=number(x - box.half_width),
        y=number(y - box.half_height),
        width=number(2 * box.half_width),
        height=number(2 * box.half_height),
        rx="7",
    )
    named = element("title", shorten(box.name, 240) + (" (target)" if is_target else ""))
    words = text(x, y + 4.2, box.label, "name", "middle")
    return element("g", named, frame, words, class_="target node" if is_target else "node")


def _arrow(cause: Box, effect: Box) -> tuple[Markup, list[complex]]:
    """Return a straight arrow, and the points that it reaches."""
    start, end = cause.edge_towards(effect.middle), effect.edge_towards(cause.middle)
    path = f"M{_at(start)}L{_at(_before(end, start))}"
    drawn = element("g", element("path", d=path), _head(end, start), class_="directed")
    return drawn, [start, end]


def _arc(a: Box, b: Box, centre: complex) -> tuple[Markup, list[complex]]:
    """Return a dashed arc with two heads, bent away from the centre of the graph."""
    way, between = b.middle - a.middle, (a.middle + b.middle) / 2
    aside = way * 1j / abs(way)
    # Of two nodes of one layer above or below them, of others sideways: away from the centre.
    turn = -1j if abs(way.imag) < 1 else 1.0
    is_away = ((turn * aside).real > 0) == ((turn * (between - centre)).real >= 0)
    bend = 2 * (20.0 + 0.22 * abs(way))
    knee = between + (bend if is_away else -bend) * aside
    start, end = a.edge_towards(knee), b.edge_towards(knee)
    first, last = _before(start, knee), _before(end, knee)
    path = f"M{_at(first)}Q{_at(knee)} {_at(last)}"
    curve = element("path", d=path, stroke_dasharray="5 4")
    drawn = element("g", curve, _head(start, knee), _head(end, knee), class_="bidirected")
    return drawn, [start, end, (first + 2 * knee + last) / 4]


def _head(tip: complex, origin: complex) -> Markup:
    """Return the head of an arrow that comes from `origin` and ends at `tip`."""
    angle = cmath.phase(tip - origin)
    left, right = (tip - cmath.rect(_ARROW, angle + turn) for turn in (-0.42, 0.42))
    return element("path", d=f"M{_at(tip)}L{_at(left)}L{_at(right)}Z", class_="head")


def _before(tip: complex, origin: complex) -> complex:
    """Return the point where the line meets the back of the arrow's head."""
    return tip + (_ARROW - 2) / (abs(tip - origin) or 1.0) * (origin - tip)


def _at(point: complex) -> str:
    return f"{number(point.real)} {number(point.imag)}"
