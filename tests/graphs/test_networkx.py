import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


ENDS = st.sampled_from(["normal", "none", "odot", "dot", "vee", "tee"])
DRAWINGS = st.fixed_dictionaries(
    {},
    optional={
        "dir": st.sampled_from(["forward", "back", "both", "none", "Back"]),
        "arrowhead": ENDS,
        "arrowtail": ENDS,
        "style": st.sampled_from(["dashed", "solid", "bold,dashed"]),
        "bidirected": st.sampled_from(["1", "no"]),
        "color": st.just("red"),
    },
)


def outcome(source):
    """Return the graph that is read, or what the error says after the place."""
    try:
        return read_graph(source)
    except GraphFormatError as error:
        return str(error).partition(": ")[2]


def as_dot(attributes):
    return ", ".join(f'{key}="{value}"' for key, value in attributes.items())


@given(DRAWINGS, DRAWINGS, st.booleans(), st.sampled_from(["", "A [observed=no]; "]))
def test_what_an_edge_is_drawn_with_means_the_same_as_in_dot(first, second, is_multi, hidden):
    text = f"digraph {{ A; B; C; {hidden}A -> B [{as_dot(first)}]; B -> C [{as_dot(second)}] }}"
    graph = nx.MultiDiGraph() if is_multi else nx.DiGraph()
    graph.add_nodes_from("ABC")
    if hidden:
        graph.nodes["A"]["observed"] = "no"
    graph.add_edge("A", "B", **first)
    graph.add_edge("B", "C", **second)
    assert outcome(graph) == outcome(text)
    gml = "\n".join(nx.generate_gml(graph))
    assert outcome(gml) == outcome(text)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"dir": "back"}, ADMG(["A", "B"], [("B", "A")])),
        ({"dir": '"back"'}, ADMG(["A", "B"], [("B", "A")])),
        ({"dir": "both"}, ADMG(["A", "B"], bidirected=[("A", "B")])),
        ({"dir": "both", "arrowhead": "none"}, ADMG(["A", "B"], [("B", "A")])),
        ({"dir": None, "arrowhead": "", "style": 3}, ADMG(["A", "B"], [("A", "B")])),
        ({"bidirected": '"1"'}, ADMG(["A", "B"], bidirected=[("A", "B")])),
    ],
)
def test_drawn_edges(attributes, expected):
    graph = nx.DiGraph()
    graph.add_edge("A", "B", **attributes)
    assert read_graph(graph) == expected


def test_quotes_that_pydot_keeps_hide_no_mark_of_a_node():
    graph = nx.DiGraph([("U", "A"), ("U", "B")])
    graph.nodes["U"]["observed"] = '"no"'
    assert read_graph(graph) == ADMG(["A", "B"], bidirected=[("A", "B")])


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"dir": "none"}, "networkx DiGraph: .* Found A -- B: it has no direction"),
        ({"arrowhead": "none"}, "Found A -- B: it has no direction"),
        ({"arrowhead": "odot"}, "Found A -o B: a circle leaves open"),
        (
            {"style": "dashed"},
            "dashed edge must say its direction. Found none on A -> B",
        ),
    ],
)
def test_edges_that_are_drawn_without_a_direction_are_refused(attributes, message):
    graph = nx.DiGraph()
    graph.add_edge("A", "B", **attributes)
    with pytest.raises(GraphFormatError, match=message):
        read_graph(graph)


def test_defaults_for_edges_must_not_change_what_they_mean():
    graph = nx.DiGraph(edge={"dir": "back", "color": "red"})
    graph.add_edge("A", "B", dir="forward")
    assert read_graph(graph) == ADMG(["A", "B"], [("A", "B")])
    graph.add_edge("B", "C")
    with pytest.raises(
        GraphFormatError, match=r"Found .*{'dir': 'back'}, that may hold for B -> C"
    ):
        read_graph(graph)
    graph.graph["edge"] = {"dir": "forward", "arrowsize": 2}
    assert read_graph(graph) == ADMG(["A", "B", "C"], [("A", "B"), ("B", "C")])
