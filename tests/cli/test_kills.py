"""Commands that are killed leave the old output or the new one, and the next cleans up."""

import os

import numpy as np
import pandas as pd
import pytest

from command import succeed
from kills import FIRST, hidden_files, kill_at_random

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")

AUGMENT = f"""
import causalaug.augmentation, causalaug.cli._tables, causalaug.cli._files
from causalaug.cli import main
{FIRST}
main()
"""


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
