import numpy as np
import pytest
from hypothesis import given

from causalaug.exceptions import CyclicGraphError, GraphFormatError
from causalaug.graphs import ADMG, read_graph
from graph_strategies import admgs

CHAIN = ADMG(["a", "b", "c"], directed=[("a", "b"), ("b", "c")])


@pytest.mark.parametrize(
    "source",
    [
        [("a", "b"), ("b", "c")],
        (("a", "b"), ("b", "c")),
        [["a", "b"], ["b", "c"]],
        np.array([["a", "b"], ["b", "c"]]),
        [("a", "->", "b"), ("b", "-->", "c")],
        [("a", "b"), ("c", "<-", "b"), ("a", "→", "b")],
    ],
)
def test_a_list_of_pairs_or_triples(source):
    assert read_graph(source, names=["a", "b", "c"]) == CHAIN


def test_nodes_come_in_the_order_of_first_mention():
    assert read_graph([("z", "b"), ("a", "<->", "z")]).nodes == ("z", "b", "a")


@given(admgs(min_nodes=2))
def test_edges_make_the_graph_again(graph):
    edges = [*graph.directed, *((a, "<->", b) for a, b in graph.bidirected)]
    if edges:
        assert read_graph(edges, names=graph.nodes) == graph


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([("a", "b"), ("c",)], r"Found \('c',\). Write \('A', 'B'\)"),
        ([("a", "b"), "bc"], "Found 'bc'"),
        ([("a", "b"), ("b", 1)], r"Found \('b', 1\)"),
        ([("a", "b", {"weight": 1})], "pairs .* or triples"),
        ([("a", "b", 0.5)], "pairs .* or triples"),
        ([{"a", "b"}], "pairs .* or triples"),
        ([("a", "b", "c")], "Edge list: an edge must be .*Found a b c: it is no arrow"),
        ([("a", "o->", "b")], "a circle"),
        ({("a", "b"), ("b", "c")}, "a set, whose order is not fixed"),
        (frozenset({("a", "b")}), "a frozenset, whose order is not fixed"),
        ([(0, 1), (1, 2)], "A graph must be text"),
        ([[0, 1], [0, 0]], "orientation"),
    ],
)
def test_edges_are_checked(source, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(source)


def test_a_cycle_is_named():
    with pytest.raises(CyclicGraphError, match="a -> b -> a"):
        read_graph([("a", "b"), ("b", "a")])
