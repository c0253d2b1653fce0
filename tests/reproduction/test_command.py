"""`python -m reproduction run`."""

import os
import signal

import pandas as pd
import pytest

from command import start
from engine.jobs import environment
from reproduction import RecordStore, summarize
from reproduction.__main__ import main

QUICK = '{"datasets": ["auto_mpg"], "fractions": [0.1], "rounds": [5], "reg_lambda": [1.0]}'


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "spec.json"
    path.write_text(QUICK)
    return path


@pytest.fixture
def words(tmp_path, spec):
    words = ["run", "--spec", spec, "--store", tmp_path / "records.sqlite", "--jobs", 1]
    return [*words, "--splits", 2, "--protocol", "paper"]


def run(*words):
    main([str(word) for word in words])


def fail(capsys, *words):
    """Run a command that must fail; return its one line."""
    with pytest.raises(SystemExit) as stop:
        run(*words)
    assert stop.value.code == 1
    errors = capsys.readouterr().err
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1
    return errors


def test_a_table_says_what_came_out_and_a_second_call_adds_to_it(words, tmp_path, capsys):
    run(*words)
    printed = capsys.readouterr().out
    assert "auto_mpg" in printed
    assert "4 records" in printed
    run(*words, "--splits", 3)
    records = RecordStore(tmp_path / "records.sqlite").frame()
    assert len(records) == 6
    (head, cell, last) = capsys.readouterr().out.splitlines()
    shown = dict(zip(head.split(), cell.split(), strict=True))
    assert shown["n_splits"] == "3"
    mean = records[records.method == "augmented"].mse.mean()
    assert float(shown["augmented"]) == pytest.approx(mean, rel=1e-3)
    assert last.startswith("6 records in ")


def test_options_overrule_the_file(words, tmp_path):
    run(*words, "--fraction", 0.15, "--seed", 5)
    records = RecordStore(tmp_path / "records.sqlite").frame()
    assert records["fraction"].unique().tolist() == [0.15]


def test_others_records_stand_beside_and_in_the_pictures(words, tmp_path, capsys):
    run(*words)
    ours = RecordStore(tmp_path / "records.sqlite").frame()
    theirs = ours.drop(columns="protocol")
    theirs["method"] = theirs["method"].replace("augmented", "proposed")
    theirs.to_csv(tmp_path / "theirs.csv", index=False)
    capsys.readouterr()
    extra = ["--report-only", "--reference", tmp_path / "theirs.csv", "--figures", tmp_path / "f"]
    run(*words, *extra)
    head, cell, *_ = capsys.readouterr().out.splitlines()
    shown = dict(zip(head.split(), cell.split(), strict=True))
    assert shown["reference_change"] == shown["change"]
    assert float(shown["change"]) == pytest.approx(summarize(ours)["change"].item(), rel=1e-3)
    names = {path.name for path in (tmp_path / "f").iterdir()}
    assert names == {"auto_mpg.png", "auto_mpg.svg", "improvement.png", "improvement.svg"}


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--dataset", "sacks"], "'sacks' -> 'sachs'"),
        (["--protocol", "honets"], "'honets' -> 'honest'"),
        (["--fraction", 2.0], "between 0 and 1"),
        (["--jobs", 0], "n_jobs"),
        (["--spec", "missing.toml"], "missing.toml"),
        (["--store", "no/such/folder.sqlite"], "must be a store"),
        (["--report-only"], "Found none"),
        (["--reference", "missing.csv"], "missing.csv"),
    ],
)
def test_what_cannot_be_run_is_one_line(words, extra, message, capsys):
    assert message in fail(capsys, *words, *extra)


def test_records_of_others_must_be_records(words, tmp_path, capsys):
    pd.DataFrame({"dataset": ["auto_mpg"], "loss": [1.0]}).to_csv(tmp_path / "t.csv", index=False)
    assert "must have the columns" in fail(capsys, *words, "--reference", tmp_path / "t.csv")
    assert not (tmp_path / "records.sqlite").exists()


@pytest.mark.skipif(os.name == "nt", reason="pipes are another matter on Windows")
@pytest.mark.parametrize(
    ("option", "what"), [("--spec", "An experiment"), ("--reference", "A table")]
)
def test_a_pipe_is_refused_at_once(words, tmp_path, capsys, option, what):
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    told = fail(capsys, *words, option, pipe)
    assert f"{what} must be a regular file. Found a pipe" in told


def test_ctrl_c_says_what_is_kept(words, tmp_path):
    code = (
        "import os, signal\n"
        "from reproduction import runner\n"
        "real, seen = runner.perform, []\n"
        "def perform(run, spec):\n"
        "    if seen: os.kill(os.getpid(), signal.SIGINT)\n"
        "    seen.append(run)\n"
        "    return real(run, spec)\n"
        "runner.perform = perform\n"
        "from reproduction.__main__ import main; main()"
    )
    process = start(*words, code=code, env=environment())
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130 == 128 + signal.SIGINT
    assert errors.startswith("error: Interrupted. What is done is in ")
    assert "the same command goes on" in errors
    assert len(RecordStore(tmp_path / "records.sqlite").frame()) == 1
