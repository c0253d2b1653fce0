import networkx as nx
import pytest

from causalaug.exceptions import GraphFormatError
from causalaug.graphs import ADMG, read_graph

DOWHY = (
    'graph[directed 1 node[ id "U" label "U" observed "no"] node[ id "X" label "X"]'
    'node[ id "Y" label "Y" ] edge[source "X" target "Y"]'
    'edge[ source "U" target "X"] edge[source "U" target "Y"]]'
)


def test_the_style_of_dowhy():
    assert read_graph(DOWHY) == ADMG(["X", "Y"], [("X", "Y")], [("X", "Y")])


def test_the_text_of_networkx():
    graph = nx.DiGraph([("b&w", 'say "hi"'), ("été", "b&w")])
    nx.set_node_attributes(graph, 0.5, "size")
    assert read_graph("\n".join(nx.generate_gml(graph))) == read_graph(graph)


def test_headings_comments_and_entities():
    text = """
    # a comment
    Creator "somebody"
    Version 1.5e0
    graph [
      directed 1
      node [ id 7 graphics [ x -1.0 fill "#ffffff" ] ]
      node [ id 8 label "&lt;&amp;&#65;&#9999999;&unknown;" ]
      edge [ source 7 target 8 bidirected true ]
    ]
    """
    assert read_graph(text).bidirected == (("7", "<&A&#9999999;&unknown;"),)


@pytest.mark.parametrize("mark", ["bidirected 1", 'type "bidirected"', 'kind "<->"', 'dir "both"'])
def test_marks_of_bidirected_edges(mark):
    nodes = "node [ id 0 label A ] node [ id 1 label B ]"
    graph = read_graph(f"graph [ directed 1 {nodes} edge [ source 0 target 1 {mark} ] ]")
    assert graph == ADMG(["A", "B"], bidirected=[("A", "B")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph [ node [ id 0 ] ]", "Found no 'directed 1'. Write graph"),
        ("graph [ directed 0 node [ id 0 ] ]", "must say that its graph is directed"),
        (
            "graph [ directed 1 node [ label A ] ]",
            "every node must have the key 'id'. Found .*'label'",
        ),
        ("graph [ directed 1 node [ id 0 ] node [ id 0 ] ]", "Found id 0, label '0' again"),
        (
            'graph [ directed 1 node [ id 0 label "A" ] node [ id 1 label "A" ] ]',
            "Found id 1, label 'A' again",
        ),
        (
            "graph [ directed 1 node [ id 0 ] edge [ source 0 ] ]",
            "every edge must have the key 'target'",
        ),
        (
            "graph [ directed 1 node [ id 0 ] edge [ source 0 target 5 ] ]",
            "Found 0 -> 5, where no node has id 5",
        ),
        ("graph [ directed 1 ]", "at least one observed node"),
        ("graph [ directed 1 ] graph [ directed 1 ]", "must hold one graph. Found 2"),
        ("graph [\n directed 1\n node ]", "line 3: expected a value, found ']'"),
        ("graph [ directed 1", "expected ']', found the end of the text"),
        ("graph [ directed 1 ] ]", "expected the end of the text, found ']'"),
        ("graph [ directed 1 ; ]", "cannot read '; ]'"),
    ],
)
def test_errors_say_what_is_missing(text, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(text)
