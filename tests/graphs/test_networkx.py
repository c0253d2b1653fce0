import networkx as nx
import pytest

from causalaug.exceptions import GraphFormatError
from causalaug.graphs import ADMG, read_graph


def test_a_digraph_keeps_its_node_order():
    graph = nx.DiGraph()
    graph.add_nodes_from(["C", "A", "B"])
    graph.add_edge("A", "B", weight=0.3)
    assert read_graph(graph) == ADMG(["C", "A", "B"], directed=[("A", "B")])


@pytest.mark.parametrize(
    "mark",
    [{"bidirected": True}, {"type": "bidirected"}, {"edge_type": "<->"}, {"key": "bidirected"}],
)
def test_marks_of_bidirected_edges(mark):
    graph = nx.MultiDiGraph()
    graph.add_edge("A", "B", type="directed")
    graph.add_edge("A", "B", **mark)
    graph.add_edge("B", "A", **mark)
    assert read_graph(graph) == ADMG(["A", "B"], [("A", "B")], [("A", "B")])


@pytest.mark.parametrize("mark", [{"observed": "no"}, {"observed": False}, {"latent": True}])
def test_hidden_nodes_are_projected_out(mark):
    graph = nx.DiGraph([("U", "A"), ("U", "B")])
    graph.nodes["U"].update(mark)
    graph.nodes["A"].update(observed="yes", latent=False)
    assert read_graph(graph) == ADMG(["A", "B"], bidirected=[("A", "B")])


def test_numbered_nodes_take_their_names():
    graph = nx.DiGraph([(2, 0)])
    assert read_graph(graph, names=["A", "B", "C"]) == ADMG(["A", "B", "C"], [("C", "A")])


@pytest.mark.parametrize("names", [None, ["A"]])
def test_numbered_nodes_without_names_are_refused(names):
    with pytest.raises(GraphFormatError, match=r"Found 2, of type int.*relabel_nodes\(graph, str"):
        read_graph(nx.DiGraph([(2, 0)]), names=names)


@pytest.mark.parametrize("nodes", [(0.0, 1.0), (False, True), (0, 1.0), (0, "A"), (-1, 0)])
def test_only_whole_numbers_count(nodes):
    with pytest.raises(GraphFormatError, match="strings, or numbers that count from 0"):
        read_graph(nx.DiGraph([nodes]), names=["A", "B"])


def test_an_undirected_graph_is_refused():
    with pytest.raises(GraphFormatError, match="must be directed. Found an undirected Graph"):
        read_graph(nx.Graph([("A", "B")]))


def test_opposite_edges_are_ambiguous():
    with pytest.raises(GraphFormatError, match="Found both A -> B and B -> A"):
        read_graph(nx.DiGraph([("A", "B"), ("B", "A")]))
