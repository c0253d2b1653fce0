"""`causalaug reproduce`."""

import json
import signal

import pandas as pd
import pytest

from causalaug.experiments import RecordStore
from command import run, start, succeed

QUICK = '{"datasets": ["auto_mpg"], "fractions": [0.1], "rounds": [5], "reg_lambda": [1.0]}'


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "spec.json"
    path.write_text(QUICK)
    return path


@pytest.fixture
def words(tmp_path, spec):
    words = ["reproduce", "--spec", spec, "--store", tmp_path / "records.sqlite", "--jobs", 1]
    return [*words, "--splits", 2, "--protocol", "paper"]


def test_a_table_says_what_came_out_and_a_second_call_adds_to_it(words, tmp_path):
    printed = succeed(*words).stdout
    assert "auto_mpg" in printed
    assert "4 records" in printed
    document = json.loads(succeed(*words, "--splits", 3, "--json").stdout)
    assert document["records"] == 6
    (cell,) = document["cells"]
    assert cell["n_splits"] == 3
    records = RecordStore(tmp_path / "records.sqlite").frame()
    assert cell["augmented"] == pytest.approx(records[records.method == "augmented"].mse.mean())


def test_options_overrule_the_file(words, tmp_path):
    succeed(*words, "--fraction", 0.15, "--seed", 5)
    records = RecordStore(tmp_path / "records.sqlite").frame()
    assert records["fraction"].unique().tolist() == [0.15]


def test_others_records_stand_beside_and_in_the_pictures(words, tmp_path):
    succeed(*words)
    theirs = RecordStore(tmp_path / "records.sqlite").frame().drop(columns="protocol")
    theirs["method"] = theirs["method"].replace("augmented", "proposed")
    theirs.to_csv(tmp_path / "theirs.csv", index=False)
    extra = ["--report-only", "--reference", tmp_path / "theirs.csv", "--figures", tmp_path / "f"]
    (cell,) = json.loads(succeed(*words, *extra, "--json").stdout)["cells"]
    assert cell["reference_change"] == pytest.approx(cell["change"])
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
def test_what_cannot_be_run_is_one_line(words, extra, message):
    result = run(*words, *extra)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_records_of_others_must_be_records(words, tmp_path):
    pd.DataFrame({"dataset": ["auto_mpg"], "loss": [1.0]}).to_csv(tmp_path / "t.csv", index=False)
    result = run(*words, "--reference", tmp_path / "t.csv")
    assert result.exit_code == 1
    assert "must have the columns" in result.stderr
    assert not (tmp_path / "records.sqlite").exists()


def test_ctrl_c_says_what_is_kept(words, tmp_path):
    code = (
        "import os, signal\n"
        "from causalaug.experiments import _runner as runner\n"
        "real, seen = runner.perform, []\n"
        "def perform(run, spec):\n"
        "    if seen: os.kill(os.getpid(), signal.SIGINT)\n"
        "    seen.append(run)\n"
        "    return real(run, spec)\n"
        "runner.perform = perform\n"
        "from causalaug.cli import main; main()"
    )
    process = start(*words, code=code)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130 == 128 + signal.SIGINT
    assert errors.startswith("error: Interrupted. What is done is in ")
    assert "the same command goes on" in errors
    assert len(RecordStore(tmp_path / "records.sqlite").frame()) == 1
