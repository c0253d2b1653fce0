"""Graphs that are no text: dictionaries, lists of edges, matrices, networkx; right and wrong."""

import networkx as nx
import numpy as np
import pandas as pd

import causalaug as ca
from causalaug.graphs import ADMG, read_graph
from fuzz.cases import FoundError
from fuzz.graph_texts import Truth, draw_truth, edges_in_order


def _mapping(rng, truth):
    values = rng.choice(["parents", "children"])
    own, other = (1, 0) if values == "parents" else (0, 1)
    found = {node: [] for node in truth.nodes}
    for edge in sorted(truth.directed):
        found[edge[own]].append(edge[other])
    return read_graph(found, format=values)


def _edge_list(rng, truth):
    edges = [
        (left, right) if mark == "->" and rng.random() < 0.5 else (left, mark, right)
        for left, mark, right in edges_in_order(rng, truth)
    ]
    return read_graph(edges, names=truth.nodes) if edges else ADMG(truth.nodes)


def _matrix(rng, truth):
    matrix = np.zeros((len(truth.nodes),) * 2, dtype=rng.choice([int, float, bool]))
    position = {node: number for number, node in enumerate(truth.nodes)}
    for cause, effect in truth.directed:
        matrix[position[cause], position[effect]] = 1
    format = rng.choice(["adjacency:row-to-column", "adjacency:column-to-row", "lingam"])
    matrix = matrix if format == "adjacency:row-to-column" else matrix.T
    if rng.random() < 0.5:
        frame = pd.DataFrame(matrix, index=truth.nodes, columns=truth.nodes)
        return read_graph(frame, format=format)
    return read_graph(matrix, names=truth.nodes, format=format)


def _networkx(rng, truth):
    graph = nx.DiGraph()
    graph.add_nodes_from(truth.nodes)
    graph.add_edges_from(sorted(truth.directed))
    return read_graph(graph)


READERS = [_mapping, _edge_list, _matrix, _networkx]


def reads_objects(rng):
    """An object must be read as the graph that it was made from."""
    reader = rng.choice(READERS)
    truth = draw_truth(rng, bidirected=reader is _edge_list)
    graph = reader(rng, truth)
    if not truth.same_as(Truth.of(graph)):
        raise FoundError(f"{reader.__name__} of {truth!r} gave {graph!r}")


def _odd_values(rng):
    return rng.choice(
        [None, 0, 5, -1.5, float("nan"), float("inf"), "", "a", b"a", "\ud800", "\x00", True, 1j]
        + [object(), int, (), [], {}, {"a"}, frozenset("ab"), [["a"]], [[1, 2]], {"a": 1}, {1: "a"}]
        + [("a", "b"), ["a", "b"], {"a": ["b"]}, np.eye(2), np.zeros((0, 0)), np.array(1), ADMG]
        + [pd.DataFrame(), pd.Series([1]), ca.read_graph("a -> b"), nx.Graph([(0, 1)]), range(3)]
        + [
            10**400,
            "a -> b",
            [("a", "->", "b"), None],
            np.ma.masked_equal(np.eye(2), 0),
            np.eye(2) * 1j,
            lambda: 0,
        ]
    )


def odd_objects(rng):
    """What is no graph, or no option, is refused by an error of ours."""
    graph = _odd_values(rng) if rng.random() < 0.6 else "a -> b; b <-> c"
    call = rng.choice(
        [
            lambda: read_graph(
                graph,
                names=_odd_values(rng) if rng.random() < 0.5 else None,
                format=_odd_values(rng) if rng.random() < 0.3 else None,
            ),
            lambda: ca.factorize(graph, *([_odd_values(rng)] if rng.random() < 0.5 else [])),
            lambda: ca.markov_pillow(graph, _odd_values(rng), _odd_values(rng)),
            lambda: ca.m_separated(graph, _odd_values(rng), _odd_values(rng), _odd_values(rng)),
            lambda: ca.latent_projection(graph, keep=_odd_values(rng)),
            lambda: ca.select_markov_blanket(graph, _odd_values(rng)),
            lambda: ca.complete_graph(_odd_values(rng)),
            lambda: ADMG(_odd_values(rng), _odd_values(rng), _odd_values(rng)),
            lambda: ca.write_graph(_odd_values(rng), _odd_values(rng)),
        ]
    )
    call()
