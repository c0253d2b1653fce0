import networkx as nx
import pytest

from causalaug.exceptions import GraphError
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
      edge [ source 7 target 8 bidirected 1 ]
    ]
    """
    assert read_graph(text).bidirected == (("7", "<&A&#9999999;&unknown;"),)


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("&#xe9;t&#xE9;", "été"),
        ("&eacute;t&eacute;", "été"),
        ("&#x1f600;", "\U0001f600"),
        ("&#x110000;", "&#x110000;"),
        ("[]", "[]"),
        ("()", "()"),
        ("graph [ # 1 ]", "graph [ # 1 ]"),
    ],
)
def test_labels_are_names(label, name):
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


def in_graph(content):
    return f"graph [ directed 1 {content} ]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph [ node [ id 0 ] ]", "Found no single 'directed 1'. Write graph"),
        ("graph [ directed 0 node [ id 0 ] ]", "must say once that its graph is directed"),
        ('graph [ directed "0" node [ id 0 ] ]', "must say once that its graph is directed"),
        (in_graph("directed 0 node [ id 0 ]"), "must say once that its graph is directed"),
        ("graph [ directed 1 ] graph [ directed 1 ]", "must say once that its graph is directed"),
        ("graph [ directed 1 ] graph [ ]", "more than one graph"),
        (in_graph("node [ label A ]"), "node #0 has no 'id'"),
        (in_graph("node [ id 0 ] node [ id 0 ]"), "node id 0 is duplicated"),
        (in_graph("node [ id 0 ] node [ id 00 ]"), "node id 0 is duplicated"),
        (in_graph('node [ id 0 label "A" ] node [ id 1 label A ]'), "the label 'A' of 2 nodes"),
        (in_graph('node [ id 0 ] node [ id "0" ]'), "the label '0' of 2 nodes"),
        (in_graph("node [ id 0 ] edge [ source 0 ]"), "edge #0 has no 'target'"),
        (in_graph("node [ id 0 ] edge [ source 0 target 5 ]"), "undefined target 5"),
        (in_graph('node [ id 0 label "&#xd83d;" ]'), r"half of a surrogate pair"),
        (in_graph("node [ id 0 label A label B ]"), r"'label' twice .*\['A', 'B'\]"),
        (in_graph("node [ id 0 latent 1 latent 0 ]"), "'latent' twice or with a list"),
        (in_graph("node [ id 0 latent [ x 1 ] ]"), "'latent' twice or with a list"),
        (in_graph("node [ id 0 label [ x 1 ] ]"), r"Found 'label \[', a key without a value"),
        (in_graph("node [ id 0 label ] ]"), "Found 'label ]', a key without a value"),
        (in_graph('node [ id 1e2 label "A" ]'), "Found '1e2', .* a number in a word"),
        (in_graph("node [ id 0 ] Node [ id 1 ]"), "the key 'Node', which must be written node"),
        (in_graph('node [ id 0 label "A\n" ] # "'), "a quote that is not closed on line 1"),
        (in_graph(f"node [ id {'9' * 5000} ]"), "networkx cannot read"),
        (in_graph(""), "at least one observed node"),
        ("graph [\n directed 1\n node ]", r"found '\]' at \(3"),
        ("graph [ directed 1", "expected ']', found EOF"),
        ("graph [ directed 1 ] ]", "expected EOF, found ']'"),
        ("graph [ directed 1 ; ]", "cannot tokenize ; ]"),
        ("graph [ directed 1 ;" + "9" * 5000, r"cannot tokenize ;9{180,200}\. Correct it\."),
    ],
)
def test_what_networkx_would_misread_is_refused(text, message):
    with pytest.raises(GraphError, match=message):
        read_graph(text, format="gml")
