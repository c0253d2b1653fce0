"""Experiments that are killed go on where they were."""

import json
import os

import pandas as pd
import pytest

from kills import FIRST, kill_at_random
from reproduction import TIMINGS, RecordStore
from reproduction.__main__ import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")

RUN = f"""
from reproduction.__main__ import main
{FIRST}
main()
"""
SPEC = {"datasets": ["auto_mpg"], "fractions": [0.1], "rounds": [5], "reg_lambda": [1.0]}


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def kill_experiments(tmp_path, n_kills):
    """Kill experiments at random, each up to three times; return kills that hit."""
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(SPEC))

    def words(folder):
        options = ["--splits", 3, "--protocol", "paper", "--jobs", 1]
        return ["run", "--spec", spec, "--store", folder / "records.sqlite", *options]

    def finish(folder):
        main([str(word) for word in words(folder)])
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
        hits += kill_at_random(RUN, words(folder), number, within=1.0)
        if number % 3 == 2 or number == n_kills - 1:
            found, left = finish(folder)
            pd.testing.assert_frame_equal(found, expected)
            assert left == names
    return hits


def test_a_killed_experiment_goes_on(tmp_path):
    assert kill_experiments(tmp_path, 3)


@pytest.mark.slow
def test_a_hundred_killed_experiments_go_on(tmp_path):
    hits = kill_experiments(tmp_path, 100)
    print(f"experiments: {hits} of 100 kills hit")
    assert hits > 50
