"""What a command reads, it does not replace unless it is told to."""

import json
import os
from importlib.metadata import version

import pytest

from command import run, succeed

GRAPH = "fever <- sick -> cough"


def words_of(command, data, graph, out):
    return {
        "augment": ["augment", data, "--graph", graph, "--out", out],
        "evaluate": ["evaluate", data, "--graph", graph, "--target", "cough", "--report", out],
        "convert": ["graph", "convert", graph, "--out", out],
        "discover": ["discover", data, "--out", out],
    }[command]


def other_name(path, link, folder):
    """Return another name of a file."""
    name = folder / f"other{path.suffix}"
    if link == "symbolic":
        name.symlink_to(path.name)
    elif link == "hard":
        os.link(path, name)
    elif link == "folder":
        (folder / "there").symlink_to(folder)
        name = folder / "there" / path.name
    else:
        name = path.parent / "." / ".." / path.parent.name / path.name
    return name


@pytest.mark.parametrize("link", ["spelling", "symbolic", "hard", "folder"])
@pytest.mark.parametrize(
    ("command", "which"),
    [
        ("augment", "data"),
        ("evaluate", "graph"),
        ("convert", "graph"),
        ("discover", "data"),
    ],
)
def test_an_output_that_is_an_input_is_refused(data, graph, tmp_path, command, which, link):
    if command == "evaluate":
        graph = graph.rename(tmp_path / "graph.md")
    inputs = {"data": data, "graph": graph}
    before = {name: path.read_bytes() for name, path in inputs.items()}
    out = other_name(inputs[which], link, tmp_path)
    result = run(*words_of(command, data, graph, out))
    assert result.exit_code == 1
    assert result.stderr.startswith("error: The output must not be a file that is read. Found that")
    assert "or say --overwrite" in result.stderr
    assert {name: path.read_bytes() for name, path in inputs.items()} == before


def test_an_output_that_is_an_input_is_replaced_if_that_is_wanted(data, graph):
    succeed(*words_of("augment", data, graph, data), "--overwrite")
    assert data.read_text().startswith("sick,fever,cough,weight\n")
    succeed("graph", "convert", graph, "--to", "dot", "--out", graph, "--overwrite")
    assert graph.read_text().startswith("digraph")


def test_an_old_output_that_is_no_input_is_replaced_as_ever(data, graph, tmp_path):
    (tmp_path / "new.csv").write_text("old")
    succeed(*words_of("augment", data, graph, tmp_path / "new.csv"))
    assert (tmp_path / "new.csv").read_text().startswith("sick,")
    # Arrows are no file, and a name that is not there yet is none either.
    succeed("graph", "convert", GRAPH, "--out", tmp_path / "new.txt")


@pytest.mark.parametrize("name", ["a\0b.csv", "\ud800.csv", "n" * 5000 + ".csv"], ids=ascii)
@pytest.mark.parametrize("which", ["data", "graph", "out"])
def test_a_path_that_no_system_holds_is_told_in_few_words(data, graph, tmp_path, which, name):
    paths = {"data": data, "graph": graph, "out": tmp_path / "new.csv", which: tmp_path / name}
    result = run(*words_of("augment", **paths))
    if isinstance(result.exception, ValueError):
        # An old parser of options stumbles over names that no shell can hand over to it.
        assert tuple(map(int, version("typer").split(".")[:2])) < (0, 20)
        return
    # No shell can hand over the first two; what parses the options knows that for some of them.
    assert (result.exit_code, result.stderr.count("\n")) in {(1, 1), (2, 4)}
    assert isinstance(result.exception, SystemExit)
    assert len(result.stderr) < 1200
    assert "--debug" not in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="paths are Unicode on Windows")
@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_a_path_that_is_no_unicode_can_be_read_and_written(data, graph, tmp_path, ending):
    odd, plain = tmp_path / f"odd\udcff.{ending}", tmp_path / "plain.csv"
    first = succeed("augment", data, "--graph", graph, "--out", odd, "--json")
    words = ["--graph", graph, "--drop", "weight", "--out", plain, "--json"]
    second = succeed("augment", odd, *words)
    n_written = json.loads(first.stdout)["rows_written"]
    assert json.loads(second.stdout)["observed_rows"] == n_written > 0
