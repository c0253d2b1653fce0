"""`causalaug discover`."""

import json

import pytest

import causalaug as ca
from command import run, succeed
from discovery_stand_ins import put_causallearn, put_lingam, take_away


@pytest.fixture
def numbers(tmp_path):
    drawn = ca.datasets.make_sem(40, "chain", n_variables=3, random_state=0)
    drawn.frame.to_csv(tmp_path / "numbers.csv", index=False)
    return tmp_path / "numbers.csv"


def test_the_graph_goes_to_a_file(numbers, tmp_path, monkeypatch):
    put_lingam(monkeypatch, [2, 0, 1], [])
    out = tmp_path / "graph.txt"
    result = succeed("discover", numbers, "--method", "direct-lingam", "--out", out)
    assert ca.read_graph(out) == ca.read_graph("Y -> {X1, X2}; X1 -> X2", names=["X1", "X2", "Y"])
    assert result.stdout == ""
    assert "An estimate is no knowledge" in result.stderr


def test_without_a_file_the_graph_is_printed(numbers, monkeypatch):
    put_lingam(monkeypatch, [2, 0, 1], [])
    printed = succeed("discover", numbers).stdout
    assert ("Y", "X1") in ca.read_graph(printed).directed


def test_the_document_is_all_there_is(numbers, monkeypatch):
    asked = []
    put_causallearn(monkeypatch, lambda values: [("A", "TAIL", "ARROW", "B")], asked)
    words = ["discover", numbers, "--method", "fci", "--alpha", "0.2", "--json"]
    document = json.loads(succeed(*words).stdout)
    assert document["method"] == "fci"
    assert document["directed"] == [["X1", "X2"]]
    assert asked[0][1] == 0.2


def test_it_says_which_arrows_are_a_choice_among_equals(numbers, monkeypatch):
    edges = [("A", "TAIL", "TAIL", "C"), ("B", "TAIL", "TAIL", "C")]
    put_causallearn(monkeypatch, lambda values: edges, [])
    result = succeed("discover", numbers, "--method", "pc")
    assert ca.read_graph(result.stdout).directed == (("X1", "Y"), ("Y", "X2"))
    assert result.stderr.splitlines() == [
        "The data determine none of the 2 edges.",
        "A choice among equals: X1 -> Y (or Y -> X1), Y -> X2 (or X2 -> Y). "
        "Turn them by what you know.",
    ]
    document = json.loads(succeed("discover", numbers, "--method", "ges", "--json").stdout)
    assert document["edges"][1] == {
        "edge": "Y -> X2",
        "origin": "choice",
        "alternatives": ["X2 -> Y"],
    }


@pytest.mark.parametrize(
    "words",
    [
        ["--tier", "X2", "--tier", "X1,Y"],
        ["--forbid", "Y -> X2"],
        ["--require", "X2 -> Y"],
    ],
    ids=str,
)
def test_what_is_known_turns_arrows(numbers, monkeypatch, words):
    edges = [("A", "TAIL", "TAIL", "C"), ("B", "TAIL", "TAIL", "C")]
    put_causallearn(monkeypatch, lambda values: edges, [])
    result = succeed("discover", numbers, "--method", "pc", *words)
    assert ca.read_graph(result.stdout).directed == (("X2", "Y"), ("Y", "X1"))
    assert "Your knowledge decides: X2 -> Y, Y -> X1." in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--forbid", "X1 <-> X2"], "must be arrows, as in 'A -> B'. Found X1 <-> X2"),
        (["--require", "X1"], "must be arrows, as in 'A -> B'. Found X1"),
        (["--tier", "X7"], "`knowledge` must name variables of the data or graph. Found ['X7']"),
    ],
    ids=str,
)
def test_knowledge_that_makes_no_sense_is_refused(numbers, monkeypatch, words, message):
    put_causallearn(monkeypatch, lambda values: [], [])
    result = run("discover", numbers, "--method", "pc", *words)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.stderr.split())


def test_the_extra_is_named_and_no_file_is_made(numbers, tmp_path, monkeypatch):
    take_away(monkeypatch, "lingam")
    result = run("discover", numbers, "--out", tmp_path / "graph.txt")
    assert result.exit_code == 1
    assert 'pip install "causalaug[discovery]"' in result.stderr
    assert not (tmp_path / "graph.txt").exists()


def test_a_folder_that_is_missing_is_told_before_the_search(numbers, tmp_path, monkeypatch):
    asked = []
    put_lingam(monkeypatch, [2, 0, 1], asked)
    result = run("discover", numbers, "--out", tmp_path / "gone" / "graph.txt")
    assert result.exit_code == 1
    assert asked == []
