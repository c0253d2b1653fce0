"""Commands that are killed leave the old output or the new one, and the next cleans up."""

import json
import os

import numpy as np
import pandas as pd
import pytest

from causalaug.experiments import TIMINGS, RecordStore
from command import succeed
from kills import FIRST, hidden_files, kill_at_random

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")

AUGMENT = f"""
import causalaug.augmentation, causalaug.cli._table_files, causalaug.cli._graph_files
from causalaug.cli import main
{FIRST}
main()
"""
REPRODUCE = f"""
import joblib, xgboost
import causalaug.experiments
from causalaug.cli import main
causalaug.experiments.run_experiment
{FIRST}
main()
"""
SPEC = {"datasets": ["auto_mpg"], "fractions": [0.1], "rounds": [5], "reg_lambda": [1.0]}


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def kill_augment(tmp_path, n_kills):
    """Kill commands at random; return kills that hit, and hidden files that were left."""
    rng = np.random.default_rng(0)
    data, out = tmp_path / "data.csv", tmp_path / "out.csv"
    pd.DataFrame(rng.normal(size=(300, 3)), columns=["a", "b", "c"]).to_csv(data, index=False)
    words = ["augment", data, "--graph", "a -> b -> c", "--rows", 20_000, "--out", out]
    succeed(*words)
    expected = out.read_bytes()
    hits, left = 0, 0
    for number in range(n_kills):
        out.write_text("old")
        hits += kill_at_random(AUGMENT, words, number, within=0.5)
        assert out.read_bytes() in (b"old", expected)
        left += len(hidden_files(tmp_path))
        succeed(*words)
        assert out.read_bytes() == expected
        assert names_in(tmp_path) == ["data.csv", "out.csv"]
    return hits, left


def test_a_killed_command_is_cleaned_up_by_the_next(tmp_path):
    hits, _ = kill_augment(tmp_path, 3)
    assert hits


@pytest.mark.slow
def test_a_hundred_killed_commands_are_cleaned_up(tmp_path):
    hits, left = kill_augment(tmp_path, 100)
    print(f"augment: {hits} of 100 kills hit, {left} hidden files were left and removed")
    assert hits > 50


def kill_reproduce(tmp_path, n_kills):
    """Kill experiments at random, each up to three times; return kills that hit."""
    pytest.importorskip("xgboost")
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(SPEC))

    def words(folder):
        options = ["--splits", 3, "--protocol", "paper", "--jobs", 1, "--json"]
        return ["reproduce", "--spec", spec, "--store", folder / "records.sqlite", *options]

    def finish(folder):
        succeed(*words(folder))
        records = RecordStore(folder / "records.sqlite").frame()
        return records.drop(columns=list(TIMINGS)), names_in(folder)

    (tmp_path / "whole").mkdir()
    expected, names = finish(tmp_path / "whole")
    assert len(expected) == 6
    assert names == ["records.sqlite", "records.sqlite-locks"]
    hits = 0
    for number in range(n_kills):
        folder = tmp_path / f"set-{number // 3}"
        folder.mkdir(exist_ok=True)
        hits += kill_at_random(REPRODUCE, words(folder), number, within=1.0)
        if number % 3 == 2 or number == n_kills - 1:
            found, left = finish(folder)
            pd.testing.assert_frame_equal(found, expected)
            assert left == names
    return hits


def test_a_killed_experiment_goes_on(tmp_path):
    assert kill_reproduce(tmp_path, 3)


@pytest.mark.slow
def test_a_hundred_killed_experiments_go_on(tmp_path):
    hits = kill_reproduce(tmp_path, 100)
    print(f"reproduce: {hits} of 100 kills hit")
    assert hits > 50
