import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from causalaug.graphs import ADMG, complete_graph, layered_layout
from graph_strategies import admgs


def rows_of(graph):
    """Return the sorted x of each layer, by y."""
    rows = {}
    for x, y in layered_layout(graph).values():
        rows.setdefault(y, []).append(x)
    return {y: sorted(row) for y, row in rows.items()}


def distance_to_segment(point, start, end):
    point, start, end = map(np.array, (point, start, end))
    along = np.clip((point - start) @ (end - start) / ((end - start) @ (end - start)), 0, 1)
    return float(np.linalg.norm(point - start - along * (end - start)))


def least_clearance(graph):
    """Return how near any directed edge comes to a node that is none of its ends."""
    place = layered_layout(graph)
    return min(
        distance_to_segment(place[node], place[a], place[b])
        for a, b in graph.directed
        for node in graph.nodes
        if node not in (a, b)
    )


@given(admgs(max_nodes=9))
def test_every_node_has_its_own_place_in_the_unit_square(graph):
    places = layered_layout(graph)
    assert tuple(places) == graph.nodes
    assert len(set(places.values())) == len(graph.nodes)
    assert all(0.0 <= x <= 1.0 and 0.0 <= y <= 1.0 for x, y in places.values())


@given(admgs(max_nodes=9))
def test_causes_are_above_effects(graph):
    places = layered_layout(graph)
    assert all(places[a][1] < places[b][1] for a, b in graph.directed)


@given(admgs(max_nodes=9))
def test_the_layer_is_the_longest_path(graph):
    height = {y: i for i, y in enumerate(sorted(rows_of(graph)))}
    layer = {node: height[y] for node, (_, y) in layered_layout(graph).items()}
    for node in graph.nodes:
        assert layer[node] == max((layer[p] + 1 for p in graph.parents(node)), default=0)


@given(admgs(max_nodes=9))
def test_layers_and_the_nodes_of_a_layer_are_evenly_spread(graph):
    rows = rows_of(graph)
    for values in (sorted(rows), *rows.values()):
        gaps = [b - a for a, b in pairwise(values)]
        np.testing.assert_allclose(gaps, gaps[0] if gaps else 0.0)
    for row in rows.values():
        np.testing.assert_allclose(np.diff(row), 1.0 / len(row))


@given(admgs(max_nodes=9))
def test_the_order_of_the_edges_does_not_matter(graph):
    turned = ADMG(graph.nodes, graph.directed[::-1], [(b, a) for a, b in graph.bidirected[::-1]])
    assert layered_layout(turned) == layered_layout(graph)


def test_the_hash_seed_does_not_matter():
    code = "from causalaug.graphs import *; print(layered_layout(complete_graph(list('dbcafe'))))"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        for seed in "12"
    ]
    assert runs[0].stdout == runs[1].stdout != b""


def test_two_crossed_chains_are_uncrossed():
    graph = ADMG(["A", "B", "C", "D"], directed=[("A", "D"), ("B", "C")])
    x = {node: place[0] for node, place in layered_layout(graph).items()}
    assert (x["A"] < x["B"]) == (x["D"] < x["C"])


@pytest.mark.parametrize("n_nodes", [3, 4, 5])
def test_long_edges_miss_the_nodes_they_pass(n_nodes):
    assert least_clearance(complete_graph(list("ABCDE"[:n_nodes]))) > 0.05


def test_a_graph_without_arrows_is_one_row():
    assert layered_layout(ADMG(["A"])) == {"A": (0.5, 0.5)}
    assert layered_layout(ADMG(["A", "B"], bidirected=[("A", "B")])) == {
        "A": (0.25, 0.5),
        "B": (0.75, 0.5),
    }
