"""Kinds of bad input: one clear line, the exit code 1, and no output touched."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from command import run

GOOD = "sick,fever,cough\nyes,39.1,7.5\nno,36.8,1.5\nno,37.0,0.5\n"
ARROWS = "fever <- sick -> cough"

BAD_TABLES = {
    "an empty file": (b"", "is empty"),
    "nothing but blank lines": (b"\n\n\n", "is empty"),
    "names without rows": (b"sick,fever,cough\n", "at least one row"),
    "a column name misspelt": (
        GOOD.replace("fever", "fevr").encode(),
        "A typing slip? 'fever' -> 'fevr'",
    ),
    "a column too few": (b"sick,fever\nyes,39.1\n", "--keep` projects variables out of a graph"),
    "a decimal comma": (
        b'sick,fever,cough\nyes,"39,1",7.5\nno,"36,8",1.5\n',
        "Found a comma in 'fever' (such as '39,1') of '{folder}/data.csv', and a point in 'cough' "
        "(such as '7.5'). Write all numbers with a point, or all with a comma and say --decimal ,.",
    ),
    "a repeated column": (b"sick,fever,fever\nyes,1.0,2.0\n", "Found more than once: ['fever']"),
    "a column of missing values": (
        b"sick,fever,cough\nyes,,7.5\nno,NA,1.5\n",
        "Every column must have a cell that is not missing. Found none in ['fever']",
    ),
    "an infinite value": (b"sick,fever,cough\nyes,inf,7.5\nno,36.8,1.5\n", "must be finite"),
    "another encoding": (
        "sick,fever,cough\nmüde,39.1,7.5\n".encode("latin-1"),
        "Found byte 0xfc at place 18, line 2",
    ),
    "two bytes a character": (GOOD.encode("utf-16"), "perhaps --encoding utf-16"),
    "zero bytes": (b"sick,fever,cough\n\0\0,1,2\n", "Found zero bytes"),
    "a line with too many cells": (
        b"sick,fever,cough\nyes,39.1,7.5\nyes,39.1,7.5,8,9\n",
        "Expected 3 fields in line 3, saw 5",
    ),
    "a cell too many in every line": (
        b"sick,fever,cough\nyes,39.1,7.5,8\nno,39.1,7.5,8\n",
        "more cells than the 3 names",
    ),
    "a whole number beyond 64 bits": (
        b"sick,fever,cough\n1,39.1,7.5\n123456789012345678901234567890,36.8,1.5\n",
        "must fit into 64 bits. Found 123456789012345678901234567890 in 'sick'",
    ),
    "a whole number beyond every float": (
        b"sick,fever,cough\nyes,1,7.5\nno," + b"9" * 400 + b",1.5\n",
        "must fit into 64 bits. Found 9999",
    ),
    "a number of 5,000 digits": (
        b"sick,fever,cough\nyes,1,7.5\nno,-" + b"9" * 5000 + b",1.5\n",
        "must fit into 64 bits. Found -9999",
    ),
    "a name without an end": (b"x" * 200_000, "Found field larger than field limit"),
    "semicolons": (GOOD.replace(",", ";").encode(), "say --separator ';'"),
}

BAD_OPTIONS = {
    "a missing file": ({"data": "dota.csv"}, "Did you mean '{folder}/data.csv'?"),
    "a missing folder": ({"data": "gone/data.csv"}, "There is no folder"),
    "a folder for a table": ({"data": "."}, "A table must be a file. Found a folder"),
    "an unknown ending": ({"data": "data.xlsx"}, "must end in one of .csv, .tsv"),
    "no parquet": ({"data": "fake.parquet"}, "must be a parquet file"),
    "a missing graph": ({"graph": "graf.txt"}, "A graph must be a file. Found none"),
    "a folder for a graph": ({"graph": "."}, "A graph must be a file. Found a folder"),
    "a cyclic graph": (
        {"graph": "sick -> fever -> cough -> sick"},
        "must not form a cycle. Found sick -> fever -> cough -> sick",
    ),
    "a graph of another kind": ({"graph": "sick -- fever -> cough"}, "error: "),
    "a graph in another encoding": ({"graph": "latin.txt"}, "Found byte 0xfc"),
    "an empty graph": ({"graph": "empty.txt"}, "must not be empty"),
    "a kind of no column": ({"--kinds": "feever=discrete"}, "A typing slip? 'feever' -> 'fever'"),
    "a scale where there is none": ({"--kinds": "sick=continuous"}, "only if its cells have dist"),
    "an encoding that nobody knows": ({"--encoding": "utf-9"}, "must be a known encoding"),
    "an encoding of text as text": ({"--encoding": "rot13"}, "must be a known encoding of text"),
    "an encoding of bytes as bytes": ({"--encoding": "zip"}, "must be a known encoding of text"),
    "an encoding that cannot be": ({"--encoding": "undefined"}, "must be a known encoding of text"),
    "an encoding with a zero byte": ({"--encoding": "utf\0"}, "must be a known encoding of text"),
    "half an encoding": ({"--encoding": "\ud800"}, "must be a known encoding of text"),
    "an endless encoding": ({"--encoding": "x" * 10**6}, "must be a known encoding of text"),
    "half of a character": (
        {"data": "half.csv", "--encoding": "unicode_escape"},
        "Found half of a character in",
    ),
    "an encoding that does not say where": (
        {"data": "label.csv", "--encoding": "idna"},
        "The table must be idna text. Found",
    ),
    "a parquet file cut short": ({"data": "cut.parquet"}, "must be a parquet file"),
    "a long separator": ({"--separator": ", "}, "--separator must be one character"),
    "a column to drop that is not there": ({"--drop": "caugh"}, "'caugh' -> 'cough'"),
    "a name that is taken": ({"--weight-column": "fever"}, "The table has 'fever' already"),
    "a temperature below zero": ({"--temperature": "-1"}, "temperature"),
    "an output folder that is missing": ({"out": "gone/out.csv"}, "The folder of an output must"),
    "an output that is a folder": ({"out": "."}, "must end in one of"),
    "an output of another ending": ({"out": "out.xlsx"}, "The output must end in one of"),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data.csv").write_text(GOOD)
    (tmp_path / "data.xlsx").write_text(GOOD)
    (tmp_path / "fake.parquet").write_text(GOOD)
    (tmp_path / "latin.txt").write_bytes("sick -> müde".encode("latin-1"))
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "half.csv").write_text("sick,fever,cough\n\\ud800,1,2\nno,2,3\n")
    (tmp_path / "label.csv").write_text("xn--")
    pd.DataFrame({"sick": ["yes", "no"]}).to_parquet(tmp_path / "whole.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "whole.parquet").read_bytes()[:-9])
    (tmp_path / "out.csv").write_text("old")
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def assert_one_line_and_nothing_touched(folder, before, result, message):
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert "Error: " not in result.stderr.removeprefix("error: ")
    assert message.format(folder=folder) in result.stderr
    assert len(result.stderr) < 2000
    assert contents(folder) == before


@pytest.mark.parametrize("name", BAD_TABLES)
@pytest.mark.parametrize("command", ["augment", "check"])
def test_a_bad_table_is_told_in_one_line(folder, command, name):
    content, message = BAD_TABLES[name]
    (folder / "data.csv").write_bytes(content)
    before = contents(folder)
    words = [command, folder / "data.csv", "--graph", ARROWS]
    words += ["--out", folder / "out.csv"] if command == "augment" else []
    assert_one_line_and_nothing_touched(folder, before, run(*words), message)


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_a_bad_argument_is_told_in_one_line(folder, name, monkeypatch):
    changed, message = BAD_OPTIONS[name]
    used = {"data": "data.csv", "graph": ARROWS, "out": "out.csv"} | changed
    graph = used.pop("graph")
    graph = graph if "-" in graph else folder / graph
    words = ["augment", folder / used.pop("data"), "--graph", graph]
    words += ["--out", folder / used.pop("out")]
    words += [word for option in used.items() for word in option]
    before = contents(folder)
    assert_one_line_and_nothing_touched(folder, before, run(*words), message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "caugh"], "A typing slip? 'caugh' -> 'cough'"),
        (["--target", "cough", "--report", "report.docx"], "A report must end in one of .html"),
        (["--target", "cough", "--report", "gone/report.html"], "The folder of an output must"),
        (["--target", "cough", "--estimator", "logistic", "--task", "regression"], "'logistic'"),
        (["--target", "sick", "--estimator", "ridge"], "must predict numbers"),
        (["--target", "cough", "--estimator", "ridge"], "at least two rows for each of the 5"),
    ],
    ids=str,
)
def test_a_bad_evaluation_is_told_before_any_work(folder, options, message):
    before = contents(folder)
    result = run("evaluate", folder / "data.csv", "--graph", ARROWS, *options)
    assert_one_line_and_nothing_touched(folder, before, result, message)


def test_names_from_data_cannot_command_a_terminal_or_break_the_line(folder):
    (folder / "data.csv").write_text('"a\nb\x1b[2J",fever\n1,2\n')
    before = contents(folder)
    result = run("check", folder / "data.csv", "--graph", ARROWS)
    assert_one_line_and_nothing_touched(folder, before, result, r"a\nb\x1b[2J")
    assert "\x1b" not in result.stderr


def test_an_error_that_is_not_ours_is_named_and_points_to_debug(folder, monkeypatch):
    import causalaug.diagnostics

    def fail(*_, **__):
        raise ZeroDivisionError("oh\n\x1b[2J")

    monkeypatch.setattr(causalaug.diagnostics, "check_graph", fail)
    result = run("check", folder / "data.csv", "--graph", ARROWS)
    assert result.exit_code == 1
    told = r"error: ZeroDivisionError: oh \x1b[2J. Run it again with --debug to see where."
    assert result.stderr == told + "\n"


@pytest.mark.parametrize(
    ("options", "environment"), [(["--debug"], {}), ([], {"CAUSALAUG_DEBUG": "1"})]
)
def test_debug_shows_where_an_error_came_from(folder, options, environment, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    result = run("check", folder / "gone.csv", "--graph", ARROWS, *options)
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("error: A table must be a file")


def test_too_little_memory_is_told(folder, monkeypatch):
    import causalaug.diagnostics

    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(causalaug.diagnostics, "check_graph", fail)
    result = run("check", folder / "data.csv", "--graph", ARROWS)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: There is not enough memory")


@pytest.mark.parametrize("words", [["check"], ["bogus"], ["graph", "bogus"], ["--bogus"]])
def test_a_mistake_of_usage_has_a_code_of_its_own(words):
    result = run(*words)
    assert result.exit_code == 2
    assert "Try 'causalaug" in result.stderr


# Files that are no regular ones.


def commands_that_read(data, graph, folder):
    """Return every command that reads a table or a graph, with its inputs at these paths."""
    out = ["--out", folder / "out.csv"]
    return {
        "check": ["check", data, "--graph", graph],
        "augment": ["augment", data, "--graph", graph, *out],
        "complete": ["complete", data, "--graph", graph, *out],
        "evaluate": ["evaluate", data, "--graph", graph, "--target", "cough"],
        "predict": ["predict", data, data, "--graph", graph, "--target", "cough", *out],
        "discover": ["discover", data],
        "graph show": ["graph", "show", graph],
        "graph convert": ["graph", "convert", graph],
    }


COMMANDS = commands_that_read("data", "graph", Path())
WITH_TABLE = [name for name, words in COMMANDS.items() if "data" in words]
WITH_GRAPH = [name for name, words in COMMANDS.items() if "graph" in words[1:]]


@pytest.mark.skipif(os.name == "nt", reason="pipes are another matter on Windows")
@pytest.mark.parametrize("command", WITH_TABLE)
def test_a_table_that_is_a_pipe_is_refused_at_once(graph, tmp_path, command):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    result = run(*commands_that_read(pipe, graph, tmp_path)[command])
    assert result.exit_code == 1
    assert result.stderr == (
        f"error: A table must be a regular file. Found a pipe: '{pipe}'. Write its content to "
        "a file first.\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="pipes are another matter on Windows")
@pytest.mark.parametrize("command", WITH_GRAPH)
@pytest.mark.parametrize("name", ["pipe.txt", "a -> b"])
def test_a_graph_that_is_a_pipe_is_refused_at_once(data, tmp_path, command, name):
    pipe = tmp_path / name
    os.mkfifo(pipe)
    result = run(*commands_that_read(data, pipe, tmp_path)[command])
    assert result.exit_code == 1
    assert result.stderr.startswith("error: A graph must be a regular file. Found a pipe: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")
@pytest.mark.parametrize("ending", ["csv", "parquet", "txt"])
def test_a_device_is_refused_by_whatever_name(data, tmp_path, ending):
    endless = tmp_path / f"endless.{ending}"
    endless.symlink_to("/dev/zero")
    is_graph = ending == "txt"
    table, graph = (data, endless) if is_graph else (endless, ARROWS)
    result = run("check", table, "--graph", graph)
    assert result.exit_code == 1
    what = "A graph" if is_graph else "A table"
    assert result.stderr.startswith(f"error: {what} must be a regular file. Found a device: ")
    assert result.stderr.count("\n") == 1


# Tables that are too large.


def test_a_file_of_more_rows_than_memory_is_called_too_large(tmp_path, monkeypatch):
    path = tmp_path / "large.parquet"
    pd.DataFrame({"x": np.ones(2_000_000)}).to_parquet(path)
    assert path.stat().st_size < 100_000
    monkeypatch.setattr("causalaug.cli._tables.memory_of_process", lambda: 10e6)
    result = run("check", path, "--graph", "x -> y")
    assert result.exit_code == 1
    assert result.stderr == (
        f"error: A table must fit into memory. Found 2,000,000 rows and 1 column in '{path}': "
        "0.1 GB, where there are 0.0. Take fewer rows, for example a random sample of them, or "
        "fewer columns.\n"
    )


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_a_file_for_which_memory_does_not_suffice_is_not_called_damaged(
    tmp_path, monkeypatch, ending
):
    path = tmp_path / f"table.{ending}"
    arrow = pytest.importorskip("pyarrow")
    getattr(pd.DataFrame({"x": [1.5, 2.5], "y": [1.0, 2.0]}), f"to_{ending}")(path)

    def fail(*_, **__):
        raise arrow.ArrowMemoryError("malloc of size 134217728 failed")

    monkeypatch.setattr(pd, f"read_{ending}", fail)
    result = run("check", path, "--graph", "x -> y")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: A table must fit into memory. Found '{path}'")
    assert result.stderr.count("\n") == 1
