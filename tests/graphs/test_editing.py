"""Graphs that are changed: each change returns another graph."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug import ADMG, read_graph
from causalaug.exceptions import CyclicGraphError, GraphError
from graph_strategies import admgs

WEAR = read_graph("load -> wear -> heat; heat <-> noise")


def edges_of(graph):
    return set(graph.directed), set(map(frozenset, graph.bidirected))


def test_edges_are_added_and_the_graph_itself_stays():
    before = read_graph("load -> wear -> heat; heat <-> noise")
    more = WEAR.add("wear -> noise; dust -> wear; noise <-> dust")
    assert more.nodes == ("load", "wear", "heat", "noise", "dust")
    assert {("wear", "noise"), ("dust", "wear")} <= set(more.directed)
    assert ("noise", "dust") in more.bidirected
    assert before == WEAR


@pytest.mark.parametrize("edges", ["wear -> heat", [("wear", "heat")], [("noise", "<->", "heat")]])
def test_an_edge_that_is_there_may_be_added_again(edges):
    assert WEAR.add(edges) == WEAR


def test_an_edge_that_closes_a_circle_is_refused():
    with pytest.raises(CyclicGraphError, match="load -> wear -> heat -> load"):
        WEAR.add("heat -> load")


@pytest.mark.parametrize("edges", ["noise <-> heat", "heat <-> noise", [("noise", "<->", "heat")]])
def test_a_bidirected_edge_is_taken_away_by_either_end(edges):
    assert WEAR.without(edges) == ADMG(WEAR.nodes, WEAR.directed)


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ("wear -> load", r"Found no wear -> load\. It has load -> wear\."),
        ("heat -> noise", r"Found no heat -> noise\. It has heat <-> noise\."),
        ("loadd -> wear", r"Found no loadd -> wear\. It has load -> wear\."),
        ("x -> y", r"Found no x -> y\. Leave it out"),
        ("noise", r"Only edges can be taken away\. Found the nodes \['noise'\]\. Write graph\.sub"),
    ],
)
def test_what_is_not_there_cannot_be_taken_away(edges, words):
    with pytest.raises(GraphError, match=words):
        WEAR.without(edges)


@given(admgs(max_nodes=5), admgs(max_nodes=5))
def test_a_difference_leads_from_one_graph_to_the_other(before, after):
    found = before.diff(after)
    changed = before.without(found.removed).add(found.added)
    assert edges_of(changed) == edges_of(after)
    assert set(changed.nodes) | set(found.new_nodes) == {*before.nodes, *after.nodes}
    assert set(found.lost_nodes) == {*before.nodes} - {*after.nodes}
    same = edges_of(before) == edges_of(after) and {*before.nodes} == {*after.nodes}
    assert bool(found) is not same


@given(admgs(max_nodes=5))
def test_a_graph_does_not_differ_from_itself_in_another_order(graph):
    turned = ADMG(graph.nodes[::-1], graph.directed, graph.bidirected)
    assert not graph.diff(turned)
    assert str(graph.diff(turned)) == "no difference"


@given(admgs(max_nodes=5), st.data())
def test_what_was_added_can_be_taken_away(graph, data):
    edges = [*((a, "->", b) for a, b in graph.directed)]
    edges += [(a, "<->", b) for a, b in graph.bidirected]
    some = data.draw(st.lists(st.sampled_from(edges), unique=True)) if edges else []
    assert graph.without(some).add(some) == graph


@given(admgs(max_nodes=5))
def test_networkx_gives_the_same_graph_back(graph):
    theirs = graph.to_networkx()
    assert read_graph(theirs) == graph
    assert theirs.is_multigraph() is not graph.is_dag
    if graph.is_dag:
        assert nx.is_directed_acyclic_graph(theirs)


# Dictionaries.


def test_a_dictionary_may_say_whether_it_lists_parents_or_children():
    assert read_graph({"children": {"a": ["b"]}}).directed == (("a", "b"),)
    assert read_graph({"parents": {"a": ["b"]}}).directed == (("b", "a"),)


def test_nodes_may_be_called_parents_and_children():
    assert read_graph({"children": ["parents"]}).directed == (("parents", "children"),)


def test_a_circle_in_a_dictionary_reminds_of_how_it_is_read():
    with pytest.raises(CyclicGraphError, match="to its parents.*as in networkx; write {'children'"):
        read_graph({"a": ["b"], "b": ["a"]})
    with pytest.raises(CyclicGraphError) as caught:
        read_graph("a -> b -> a")
    assert "dictionary" not in str(caught.value)


def test_a_dictionary_of_networkx_is_told_how_to_be_read():
    data = nx.to_dict_of_dicts(nx.DiGraph([("a", "b")]))
    with pytest.raises(GraphError, match="A dictionary of networkx maps to children: write read_g"):
        read_graph(data)
    graph = read_graph(nx.from_dict_of_dicts(data, nx.DiGraph))
    assert graph.directed == (("a", "b"),)
