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


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("&#xe9;t&#XE9;", "été"),
        ("&eacute;t&eacute;", "été"),
        ("&#xd83d;&#xde00;", "\U0001f600"),
        ("&#55357;&#56832;", "\U0001f600"),
        ("&#" + "0" * 5000 + "65;", "A"),
        ("&#" + "9" * 5000 + ";", "&#" + "9" * 5000 + ";"),
        ("&#x110000;", "&#x110000;"),
    ],
)
def test_entities_become_characters(label, name):
    assert read_graph(f'graph [ directed 1 node [ id 0 label "{label}" ] ]').nodes == (name,)


def test_numbers_are_one_id_however_they_are_written():
    nodes = "node [ id 1 label A ] node [ id -02 label B ]  # a remark"
    graph = read_graph(f"graph [ directed 1 {nodes}\nedge [ source +01 target -2 ] ]")
    assert graph == ADMG(["A", "B"], directed=[("A", "B")])


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
        ("graph [ directed 1 node [ id 0 ] node [ id 00 ] ]", "Found id 0, label '00' again"),
        (
            'graph [ directed 1 node [ id 0 label "&#xd83d;" ] ]',
            r"line 1: .* half of a surrogate pair in '\\ud83d'",
        ),
        (
            "graph [ directed 1 node [ id 0 label A label B ] ]",
            "must have the key 'label' once, with one value. Found it twice",
        ),
        (
            "graph [ directed 1 node [ id 0 label [ x 1 ] ] ]",
            "must have the key 'label' once, with one value. Found it with a list",
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


def test_a_long_key_without_a_value_is_not_repeated_in_full():
    with pytest.raises(GraphFormatError, match=r"\[ \.\.\. \] after k9999") as caught:
        read_graph("graph [ k" + "9" * 5000, format="gml")
    assert len(str(caught.value)) < 500
