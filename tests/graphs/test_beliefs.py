"""Beliefs are part of a graph: read, written, kept by editing, and compared."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.exceptions import GraphError, GraphFormatError
from causalaug.graphs import ADMG, latent_projection, read_graph, write_graph
from graph_strategies import admgs, believed

FORMATS = ["arrows", "dagitty", "dot", "gml"]
GRAPH = ADMG(
    ["a", "b", "c"],
    directed=[("a", "b"), ("b", "c")],
    bidirected=[("a", "c")],
    beliefs={("a", "b"): 0.7, ("c", "<->", "a"): 0.25},
)


@pytest.mark.parametrize("format", FORMATS)
@given(graph=believed() | believed(admgs(names=st.text(min_size=1), max_nodes=3)))
def test_what_is_written_is_read_back(graph, format):
    assert read_graph(write_graph(graph, format=format)) == graph


@given(believed())
def test_every_copy_is_equal_and_hashes_alike(graph):
    same = [pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph), eval(repr(graph))]
    same += [read_graph(graph), read_graph(graph.to_networkx(), names=graph.nodes)]
    assert all(each == graph and hash(each) == hash(graph) for each in same)


def test_beliefs_are_compared_and_cannot_be_changed():
    assert dict(GRAPH.beliefs) == {("a", "->", "b"): 0.7, ("a", "<->", "c"): 0.25}
    assert ADMG(GRAPH.nodes, GRAPH.directed, GRAPH.bidirected) != GRAPH
    assert str(GRAPH) == "ADMG of a, b, c: a -> b [0.7], b -> c, a <-> c [0.25]"
    with pytest.raises(TypeError):
        GRAPH.beliefs["a", "->", "b"] = 0.1


@pytest.mark.parametrize(
    "source",
    [
        "a -> b [0.7]; b -> c; a <-> c [0.25]",
        "a -> b [ .7 ] -> c\nc <-> a [2.5e-1]",
        "a; b; c <-> a [0.25]; c <- b <- a [0.7]".replace("c <- b <- a", "b <- a") + "; c <- b",
        'digraph { a -> b [belief=0.7]; b -> c; a -> c [dir=both, Belief="0.25"] }',
        "digraph { a -> {b} [belief=.7]; b -> c; edge [belief=0.25]; a -> c [dir=both] }",
        'dag { a -> b [belief="0.7"] b -> c a <-> c [belief=0.25] }',
    ],
)
def test_ways_to_write_beliefs(source):
    assert read_graph(source, names=["a", "b", "c"]) == GRAPH


def test_beliefs_of_networkx():
    nx = pytest.importorskip("networkx")
    graph = nx.DiGraph()
    graph.add_edge("a", "b", belief=0.5)
    graph.add_edge("b", "c", belief=float("nan"))
    graph.add_edge("c", "d", belief=None)
    assert dict(read_graph(graph).beliefs) == {("a", "->", "b"): 0.5}
    graph.add_edge("d", "e", belief=1.5)
    with pytest.raises(GraphFormatError, match="DiGraph: a belief must be a number .*'1.5'"):
        read_graph(graph)


def test_a_group_shares_a_belief():
    found = read_graph("{a, b} -> {c, d} [0.5]")
    assert set(found.beliefs.values()) == {0.5}
    assert len(found.beliefs) == 4


def test_editing_keeps_the_beliefs_of_edges_that_stay():
    assert dict(GRAPH.subgraph(["a", "b"]).beliefs) == {("a", "->", "b"): 0.7}
    assert dict(GRAPH.without("c <-> a").beliefs) == {("a", "->", "b"): 0.7}
    assert GRAPH.add("a -> c") == ADMG(
        GRAPH.nodes, [*GRAPH.directed, ("a", "c")], GRAPH.bidirected, GRAPH.beliefs
    )
    assert GRAPH.add("c <-> a [1]; b -> c [0.5]").beliefs == {
        ("a", "->", "b"): 0.7,
        ("b", "->", "c"): 0.5,
        ("a", "<->", "c"): 1.0,
    }
    assert dict(latent_projection(GRAPH, ["a", "c"]).beliefs) == {("a", "<->", "c"): 0.25}
    assert read_graph(GRAPH, names=["c", "b", "a"]).beliefs == {
        ("a", "->", "b"): 0.7,
        ("c", "<->", "a"): 0.25,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a -> b\na -> b -> c [0.7]",
            "line 2: a belief must not stand .*Found 0.7 behind 2",
        ),
        ("a [0.7] -> b", r"expected an arrow or the end of the statement, found '\[0.7\]'"),
        ("a -> b [1.2]", "line 1: a belief must be a number from 0 to 1. Found '1.2'"),
        ("a -> b [-1]", "line 1: a belief must be a number from 0 to 1. Found '-1'"),
        ("a -> b [nan]", "line 1: a belief must be a number from 0 to 1. Found 'nan'"),
        ("a -> b []", "line 1: a belief must be a number from 0 to 1. Found ''"),
        ("a -> b [0.5]; a -> b [0.4]", "must have one belief. Found 0.5 and 0.4 for a -> b"),
        ("a <-> b [0.5]; b <-> a [0.4]", "must have one belief. Found 0.5 and 0.4 for b <-> a"),
        ("a < b [0.5]", r"found '\[0.5\]'"),
        ("digraph { a -> b [belief=high] }", "DOT text, line 1: a belief must be.*Found 'high'"),
    ],
)
def test_what_is_no_belief_in_text(text, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(text)


@pytest.mark.parametrize(
    ("beliefs", "message"),
    [
        ({("a", "c"): 0.5}, r"An edge that is believed must be .*no a -> c. It has a <-> c"),
        ({("b", "a"): 0.5}, r"An edge that is believed must be .*no b -> a. It has a -> b"),
        ({("a", "b"): 2}, "A belief must be a number from 0 .*Found 2 for a -> b"),
        ({("a", "b"): True}, "A belief must be a number from 0 .*Found True for a -> b"),
        ({"a": 0.5}, r"An edge must be a pair .*Found 'a'"),
        ({("a", "--", "b"): 0.5}, r"An edge must be a pair .*Found \('a', '--', 'b'\)"),
        ([("a", "b")], "Beliefs must be a dictionary"),
    ],
)
def test_what_is_no_belief(beliefs, message):
    with pytest.raises(GraphError, match=message):
        ADMG(["a", "b", "c"], [("a", "b")], [("a", "c")], beliefs)
