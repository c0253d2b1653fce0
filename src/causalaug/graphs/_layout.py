"""Where to draw the nodes of a graph: in layers, causes above effects.

The steps of Sugiyama, Tagawa and Toda (1981): give each node a layer, order the layers so
that few edges cross, then place the nodes. A long edge holds a place in every layer that it
passes while the order is sought. At last each layer as a whole moves sideways, so that long
edges miss the nodes that they pass.
"""

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from causalaug.graphs._admg import ADMG, as_graph
from causalaug.graphs._checks import Edge
from causalaug.typing import FloatArray, IntArray

Item = str | tuple[Edge, int]
"""What has a place in a layer: a node, or a long edge on its way through the layer."""
Links = Sequence[Sequence[tuple[Item, Item]]]
"""For each layer but the last, the pairs that join it to the next."""

CLEARANCE = 0.15
"""How far an edge should stay from a node that it passes, sideways."""


def layered_layout(graph: Any) -> dict[str, tuple[float, float]]:
    """Return a place in the unit square for every node, for drawing the graph.

    The layer of a node is the length of the longest directed path that leads to it. The
    nodes of a layer are evenly spread, in an order that keeps crossings few.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The graph. Its node order breaks ties, so that one graph has one layout.

    Returns
    -------
    dict of str to (float, float)
        ``(x, y)`` of each node, in node order. `y` grows downwards: a cause is always
        smaller in `y` than its effects. No two nodes are at one place.

    Examples
    --------
    >>> layered_layout(ADMG(["X1", "Y", "X2"], directed=[("Y", "X1"), ("Y", "X2")]))
    {'X1': (0.25, 1.0), 'Y': (0.5, 0.0), 'X2': (0.75, 1.0)}

    Were all three of these in one column, the edge from A to C would run through B:

    >>> edges = [("A", "B"), ("B", "C"), ("A", "C")]
    >>> layered_layout(ADMG(["A", "B", "C"], directed=edges))
    {'A': (0.5, 0.0), 'B': (0.75, 0.5), 'C': (0.5, 1.0)}
    """
    graph = as_graph(graph)
    layer_of: dict[str, int] = {}
    for node in graph.topological_order():
        layer_of[node] = max((layer_of[parent] + 1 for parent in graph.parents(node)), default=0)
    layers = _ordered_layers(graph, layer_of)
    x = _sideways(graph, layers, layer_of)
    last = len(layers) - 1
    return {node: (x[node], layer_of[node] / last if last > 0 else 0.5) for node in graph.nodes}


def _ordered_layers(graph: ADMG, layer_of: Mapping[str, int]) -> list[list[str]]:
    """Return the nodes of each layer in the order of fewest crossings that was met."""
    layers, links = _with_passages(graph, layer_of)
    best, fewest = [list(layer) for layer in layers], _n_crossings(layers, links)
    # Six sweeps: more hardly ever find an order with fewer crossings.
    for sweep in range(6):
        _sweep(layers, links, downwards=sweep % 2 == 0)
        crossings = _n_crossings(layers, links)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return [[item for item in layer if isinstance(item, str)] for layer in best]


def _with_passages(graph: ADMG, layer_of: Mapping[str, int]) -> tuple[list[list[Item]], Links]:
    """Return the layers, a passage in each that a long edge crosses, and what joins them."""
    n_layers = max(layer_of.values(), default=-1) + 1
    layers: list[list[Item]] = [[] for _ in range(n_layers)]
    links: list[list[tuple[Item, Item]]] = [[] for _ in range(n_layers - 1)]
    for node in graph.nodes:
        layers[layer_of[node]].append(node)
    for edge in (*graph.directed, *graph.bidirected):
        upper, lower = sorted(edge, key=layer_of.__getitem__)
        first, last = layer_of[upper], layer_of[lower]
        passages: list[Item] = [(edge, layer) for layer in range(first + 1, last)]
        for layer, passage in enumerate(passages, first + 1):
            layers[layer].append(passage)
        if first < last:
            for layer, link in enumerate(pairwise([upper, *passages, lower]), first):
                links[layer].append(link)
    return layers, links


def _sweep(layers: list[list[Item]], links: Links, *, downwards: bool) -> None:
    """Sort each layer by where its neighbours in the layer before are, on average."""
    order = range(1, len(layers)) if downwards else range(len(layers) - 2, -1, -1)
    for number in order:
        layer, before = layers[number], layers[number - 1 if downwards else number + 1]
        place = {item: (i + 0.5) / len(before) for i, item in enumerate(before)}
        neighbours: dict[Item, list[float]] = {item: [] for item in layer}
        for above, below in links[number - 1 if downwards else number]:
            item, neighbour = (below, above) if downwards else (above, below)
            neighbours[item].append(place[neighbour])
        # An item without neighbours stays where it is.
        mean = {
            item: sum(places) / len(places) if places else (i + 0.5) / len(layer)
            for i, (item, places) in enumerate(neighbours.items())
        }
        layer.sort(key=mean.__getitem__)


def _n_crossings(layers: Sequence[Sequence[Item]], links: Links) -> int:
    """Return how many pairs of links cross."""
    crossings = 0
    for above, below, pairs in zip(layers, layers[1:], links, strict=False):
        upper = {item: i for i, item in enumerate(above)}
        lower = {item: i for i, item in enumerate(below)}
        seen: list[int] = []
        for _, end in sorted((upper[a], lower[b]) for a, b in pairs):
            crossings += len(seen) - bisect_right(seen, end)
            insort(seen, end)
    return crossings


def _sideways(
    graph: ADMG, layers: Sequence[Sequence[str]], layer_of: Mapping[str, int]
) -> dict[str, float]:
    """Spread each layer evenly, moved by what keeps long edges off the nodes they pass."""
    names = [node for layer in layers for node in layer]
    place = {node: i for i, node in enumerate(names)}
    rows = [np.array([place[node] for node in layer]) for layer in layers]
    x = np.array([(i + 0.5) / len(layer) for layer in layers for i in range(len(layer))])
    passed, share = _passings(graph, layers, layer_of, place)
    near = np.bincount(passed[:, 2], _nearness(x, passed, share), minlength=len(names))
    # The layer that most edges run through goes first, and often is all that must move.
    for row in 2 * sorted(rows, key=lambda row: -near[row].sum()):
        concerned = np.isin(passed, row).any(axis=1)
        x[row] = _best_shift(x, row, passed[concerned], share[concerned])
    return {node: float(x[place[node]]) for node in names}


def _passings(
    graph: ADMG,
    layers: Sequence[Sequence[str]],
    layer_of: Mapping[str, int],
    place: Mapping[str, int],
) -> tuple[IntArray, FloatArray]:
    """Return (upper end, lower end, node) wherever an edge passes a node's layer, and how far."""
    passed, share = [], []
    for edge in (*graph.directed, *graph.bidirected):
        upper, lower = sorted(edge, key=layer_of.__getitem__)
        first, last = layer_of[upper], layer_of[lower]
        for layer in range(first + 1, last):
            for node in layers[layer]:
                passed.append((place[upper], place[lower], place[node]))
                share.append((layer - first) / (last - first))
    return np.array(passed, dtype=np.intp).reshape(-1, 3), np.array(share)


def _best_shift(x: FloatArray, row: IntArray, passed: IntArray, share: FloatArray) -> FloatArray:
    """Return the places of a layer's nodes, as near to the middle as edges allow."""
    middle = (np.arange(len(row)) + 0.5) / len(row)

    def nearness(candidate: FloatArray) -> float:
        moved = x.copy()
        moved[row] = candidate
        return round(float(_nearness(moved, passed, share).sum()), 9)

    # By halves of the gap between the nodes of the layer; the nearest first.
    shifts = (0.0, 0.25, -0.25, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0)
    return min((middle + shift * 0.5 / len(row) for shift in shifts), key=nearness)


def _nearness(x: FloatArray, passed: IntArray, share: FloatArray) -> FloatArray:
    """Return by how much each edge is too near to each node that it passes."""
    upper, lower, node = x[passed].T
    distance = np.abs(upper + share * (lower - upper) - node)
    nearness: FloatArray = np.maximum(CLEARANCE - distance, 0.0)
    return nearness
