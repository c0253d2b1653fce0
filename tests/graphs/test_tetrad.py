import pytest

from causalaug.exceptions import GraphFormatError
from causalaug.graphs import ADMG, read_graph

TEXT = """Graph Nodes:
X1;X2;X3;X4

Graph Edges:
1. X1 --> X2
2. X3 <-- X2
3. X3 <-> X4

Graph Attributes:
Score: -1234.5

Graph Node Attributes:
BIC: [X1: -1.0;X2: -2.0]
"""
GRAPH = ADMG(
    ["X1", "X2", "X3", "X4"], directed=[("X1", "X2"), ("X2", "X3")], bidirected=[("X3", "X4")]
)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace(";X", ",X"),
        TEXT.replace("\n", "\r\n"),
        "\ufeff\n" + TEXT.replace("1. ", "").replace("Graph N", "graph n"),
        TEXT.replace("X1 --> X2", "X1 --> X2 dd nl"),
        TEXT.replace("X1 --> X2", "X1 --> X2 [X1 --> X2]:0.9;[no edge]:0.1;"),
        TEXT + "\nAmbiguous triples (i.e. list of triples that may be colliders):\n<X1, X2, X3>\n",
    ],
)
def test_ways_to_write_one_graph(text):
    assert read_graph(text) == GRAPH
    assert read_graph(text, format="tetrad") == GRAPH


def test_nodes_in_parentheses_are_hidden():
    text = "Graph Nodes:\n(L);A;B\n\nGraph Edges:\n1. L --> A\n2. L --> B\n"
    assert read_graph(text) == ADMG(["A", "B"], bidirected=[("A", "B")])


def test_names_may_hold_spaces_and_all_nodes_may_be_alone():
    text = "Graph Nodes:\nblood pressure;A\n\nGraph Edges:\n1. A --> blood pressure"
    assert read_graph(text).directed == (("A", "blood pressure"),)
    assert read_graph("Graph Nodes:\nA;B\n\nGraph Edges:\n") == ADMG(["A", "B"])


def test_a_file_is_known_by_its_heading(tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text(TEXT)
    assert read_graph(path) == GRAPH


@pytest.mark.parametrize(
    ("edge", "message"),
    [
        ("X1 --- X2", "Tetrad text, line 5: .*Found X1 --- X2: it has no direction"),
        ("X1 o-> X2", "Found X1 o-> X2: a circle"),
        ("X1 o-o X2", "a circle"),
        ("X1 -> X2", "must be written as '1. A --> B'. Found 'X1 -> X2'"),
        ("X1 --> X9", "Not there: 'X9'. Add it to the list, or"),
        ("X1 --> X2 X3", "only Tetrad's own notes may stand. Found 'X3'"),
        ("X1 X2", "must be written as"),
    ],
)
def test_edges_are_checked(edge, message):
    text = f"Graph Nodes:\nX1;X2;X3\n\nGraph Edges:\n{edge}\n"
    with pytest.raises(GraphFormatError, match=message):
        read_graph(text)


def test_an_unknown_section_may_change_the_graph():
    with pytest.raises(GraphFormatError, match="a section must be .* Found 'Graph Lags:'"):
        read_graph(TEXT + "\nGraph Lags:\n1\n")


def test_the_text_begins_with_its_nodes():
    with pytest.raises(GraphFormatError, match="line 1: the text must begin with 'Graph Nodes:'"):
        read_graph("A --> B", format="tetrad")
    with pytest.raises(GraphFormatError, match="listed under 'Graph Nodes:'. Not there: 'A'"):
        read_graph("Graph Edges:\n1. A --> B")
