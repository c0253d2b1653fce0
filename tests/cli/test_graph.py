"""`causalaug graph`."""

import json

import pytest

import causalaug as ca
from command import run, succeed

FRONT_DOOR = "smoking -> tar -> cancer; smoking <-> cancer"


def test_show_says_what_the_graph_says():
    printed = succeed("graph", "show", FRONT_DOOR).stdout
    assert "Causes:        smoking -> tar, tar -> cancer\n" in printed
    assert "Hidden causes: smoking <-> cancer\n" in printed
    assert "Districts:     smoking, cancer\n" in printed
    assert "Factors:       p(smoking) p(tar | smoking) p(cancer | smoking, tar)\n" in printed
    assert "Used in full:  yes, the method uses all that the graph claims\n" in printed


def test_show_has_a_document():
    document = json.loads(succeed("graph", "show", FRONT_DOOR, "--json").stdout)
    assert document["directed"] == [["smoking", "tar"], ["tar", "cancer"]]
    assert document["is_dag"] is False
    assert ca.read_graph(document["arrows"]) == ca.read_graph(FRONT_DOOR)


@pytest.mark.parametrize("format", ["arrows", "dagitty", "dot", "gml"])
def test_what_is_converted_is_the_same_graph(tmp_path, format):
    printed = succeed("graph", "convert", FRONT_DOOR, "--to", format).stdout
    assert ca.read_graph(printed) == ca.read_graph(FRONT_DOOR)
    out = tmp_path / "graph.txt"
    assert succeed("graph", "convert", FRONT_DOOR, "--to", format, "--out", out).stdout == ""
    assert out.read_text() == printed


def test_the_ending_tells_the_format(tmp_path):
    succeed("graph", "convert", FRONT_DOOR, "--out", tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").read_text().startswith("digraph")


def test_what_is_not_kept_is_projected_out():
    words = ["graph", "convert", "U -> {A, B}; A -> B", "--keep", "A", "--keep", "B"]
    assert ca.read_graph(succeed(*words).stdout) == ca.read_graph("A -> B; A <-> B")


def test_a_graph_that_cannot_be_written_leaves_the_old_one(tmp_path):
    result = run("graph", "convert", FRONT_DOOR, "--out", tmp_path / "gone" / "graph.txt")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: The folder of an output must exist")


def test_the_pillow_of_one_variable_is_a_list_of_lines():
    assert succeed("graph", "pillow", FRONT_DOOR, "cancer").stdout == "smoking\ntar\n"
    assert succeed("graph", "pillow", FRONT_DOOR, "smoking").stdout == "-\n"


def test_the_pillows_of_all_variables_are_a_table():
    lines = succeed("graph", "pillow", FRONT_DOOR).stdout.splitlines()
    assert [line.split() for line in lines[2:]] == [
        ["smoking", "-"],
        ["tar", "smoking"],
        ["cancer", "smoking,", "tar"],
    ]
    document = json.loads(succeed("graph", "pillow", FRONT_DOOR, "--json").stdout)
    assert document["pillows"]["cancer"] == ["smoking", "tar"]


def test_a_variable_that_is_no_node_is_named():
    result = run("graph", "pillow", FRONT_DOOR, "tarr")
    assert result.exit_code == 1
    assert "A typing slip? 'tarr' -> 'tar'" in result.stderr


def test_a_file_named_like_arrows_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a -> b").write_text("c -> d")
    assert succeed("graph", "convert", "a -> b").stdout == "c; d\nc -> d\n"
