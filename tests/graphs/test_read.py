import pathlib

import pytest

from causalaug.exceptions import GraphError, GraphFormatError
from causalaug.graphs import ADMG, read_graph

EDGE = ADMG(["A", "B"], directed=[("A", "B")])


def test_a_graph_is_passed_on():
    assert read_graph(EDGE) is EDGE
    assert read_graph(EDGE, names=["B", "A", "C"]).nodes == ("B", "A", "C")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.dot", "digraph { A -> B }"),
        ("g.gv", "digraph { A -> B }"),
        ("g.gml", "graph [ directed 1 node [ id 0 label A ] node [ id 1 label B ] "
                  "edge [ source 0 target 1 ] ]"),
        ("g.dagitty", "dag { A -> B }"),
        ("g.txt", "A -> B"),
        ("graph", "A -> B"),
        ("a -> b.txt", "A -> B"),
        ("misnamed.dot", "dag { A -> B }"),
    ],
)  # fmt: skip
def test_files_are_known_by_their_content(tmp_path, monkeypatch, name, text):
    (tmp_path / name).write_text("\ufeff" + text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert read_graph(name) == EDGE
    assert read_graph(tmp_path / name) == EDGE


def test_the_ending_of_a_file_decides_when_its_content_does_not(tmp_path):
    path = tmp_path / "graph.dot"
    path.write_text("A -> B")
    with pytest.raises(GraphFormatError, match="DOT text, line 1: expected digraph"):
        read_graph(path)
    assert read_graph(path, format="arrows") == EDGE


@pytest.mark.parametrize("source", ["missing.dot", "some/where/graph", pathlib.Path("missing")])
def test_a_missing_file_is_named(source):
    with pytest.raises(
        GraphFormatError, match=r"must exist.*Found '.*(missing|where).*No such file"
    ):
        read_graph(source)


def test_a_directory_is_no_graph(tmp_path):
    with pytest.raises(GraphFormatError, match="must exist and be readable"):
        read_graph(tmp_path)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "graph.txt"
    path.write_bytes(b"A -> \xe9")
    with pytest.raises(GraphFormatError, match="UTF-8 text. Found byte 0xe9 at place 5"):
        read_graph(path)


def test_an_empty_file_is_named(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text(" \n")
    with pytest.raises(GraphFormatError, match="must not be empty. Found no text in '.*empty.txt'"):
        read_graph(path)


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_text_is_refused(text):
    with pytest.raises(GraphFormatError, match="must not be empty. Found no text. Write"):
        read_graph(text)


@pytest.mark.parametrize("text", ["A", "A; B", "graph -> dag", "x" * 5000 + "\0"])
def test_short_and_odd_texts_are_graphs(text):
    assert read_graph(text).nodes


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"A": [], "B": ["A"]}, EDGE),
        ({"B": "A"}, ADMG(["B", "A"], directed=[("A", "B")])),
        ({"B": ("A", "C"), "A": set()}, ADMG(["B", "A", "C"], directed=[("A", "B"), ("C", "B")])),
    ],
)
def test_dictionaries_list_parents(source, expected):
    assert read_graph(source) == expected
    assert read_graph(source, format="parents") == expected


def test_dictionaries_may_list_children():
    assert read_graph({"A": ["B"], "B": []}, format="children") == EDGE


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"A": None}, r"list of names. Found None for 'A'. Write \['A', 'B'\]"),
        ({"A": {"B": {}}}, "list of names. Found {'B': {}} for 'A'"),
        ({0: ["B"]}, "by strings. Found 0, of type int"),
        ({"A": [1]}, "by strings. Found 1, of type int"),
        ({"y": {"a", "b"}}, "for 'y'. The order of a set is not fixed.* write a list, or sorted"),
        ({"y": frozenset("ab")}, "for 'y'. The order of a set is not fixed"),
        ({"nodes": ["A"], "links": []}, r"node-link data: .*networkx.node_link_graph\(data\)"),
        ({"nodes": ["A"], "edges": []}, "node-link data"),
        ({}, "at least one observed node. Found nothing"),
    ],
)
def test_dictionaries_are_checked(source, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(source)


def test_a_set_of_one_parent_has_but_one_order():
    assert read_graph({"y": {"a"}}) == ADMG(["y", "a"], directed=[("a", "y")])


def test_nodes_may_be_called_nodes_and_edges():
    source = {"nodes": [], "edges": ["nodes"]}
    assert read_graph(source, format="parents").directed == (("nodes", "edges"),)


def test_a_byte_order_mark_is_no_part_of_a_name():
    assert read_graph("\ufeffA -> B") == EDGE
    assert read_graph("\ufeffdag { A -> B }") == EDGE


@pytest.mark.parametrize(
    "text",
    [
        '{"effect": ["cause"]}',
        '{"effect": "cause"}',
        ' [["A", "B"]] ',
        "[]",
        "{}",
        '\ufeff{"nodes": [{"id": "A"}], "links": []}',
        '{"A": ' + "9" * 5000 + "}",
    ],
)
@pytest.mark.parametrize("format", [None, "arrows"])
def test_json_text_is_refused_with_the_way_out(text, format):
    with pytest.raises(GraphFormatError, match=r"not be JSON text.*json.loads.*node_link_graph"):
        read_graph(text, format=format)


def test_a_json_file_is_refused(tmp_path):
    path = tmp_path / "graph.json"
    path.write_text('{"effect": ["cause"]}')
    with pytest.raises(GraphFormatError, match=r"JSON text.* in '.*graph.json'"):
        read_graph(path)


@pytest.mark.parametrize("text", ["{'effect': 'cause'}", "{effect: cause}", "{A : B}"])
def test_a_dictionary_as_text_is_no_group_of_nodes(text):
    with pytest.raises(GraphFormatError, match=r"without quotes.*Found .*:'. Quote it"):
        read_graph(text)


def test_names_give_the_order_and_may_add_nodes():
    assert read_graph("A -> B", names=iter(["Z", "B", "A"])) == ADMG(["Z", "B", "A"], [("A", "B")])


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["smoke", "B"], GraphFormatError, "Missing: .'smoking'.*'smoking' -> 'smoke'"),
        (["smoking", "B", "U"], GraphFormatError, "marks .'U'. as hidden"),
        (["smoking", "B", "B"], GraphError, "unique"),
        ("smoking", GraphError, "Found 'smoking', a str"),
        ({"smoking", "B"}, GraphError, "`names` must be an ordered .*A set has no order"),
        (frozenset(["smoking", "B"]), GraphError, "a frozenset. A set has no order"),
        (5, GraphError, "`names` must be an ordered collection .*Found 5, a int"),
        ([1.5, "B"], GraphError, "non-empty strings. Found 1.5, of type float"),
    ],
)
def test_names_are_checked(names, error, message):
    with pytest.raises(error, match=message):
        read_graph("dag { U [latent] U -> smoking smoking -> B }", names=names)


@pytest.mark.parametrize("source", [None, 3, [], object(), (1, 2), ["A -> B"], b"A -> B"])
def test_anything_else_is_refused(source):
    with pytest.raises(GraphFormatError, match="A graph must be text, a path.*of type"):
        read_graph(source)


def test_an_unknown_format_lists_the_known_ones():
    with pytest.raises(GraphFormatError, match=r"one of \['arrows', .*'lingam'\].*Found 'xml'"):
        read_graph("A -> B", format="xml")


@pytest.mark.parametrize(
    ("source", "format"),
    [("A -> B", "parents"), ("A -> B", "lingam"), ({"A": []}, "dot"), (object(), "children")],
)
def test_a_format_must_fit_its_source(source, format):
    with pytest.raises(GraphFormatError, match=f"format='{format}' must fit the source. Found a"):
        read_graph(source, format=format)
