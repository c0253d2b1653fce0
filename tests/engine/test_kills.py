"""A job that is killed again and again gives the same data set, and leaves nothing else."""

import os
import signal
import subprocess
import sys

import pytest

from causalaug.engine import augment_to_parquet
from engine.jobs import content, environment, job
from kills import FIRST, hidden_files, kill_at_random

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")

CODE = f"""
import sys
from pathlib import Path
import pyarrow.parquet
from causalaug.engine import augment_to_parquet
from engine.jobs import job
augment_to_parquet
{FIRST}
augment_to_parquet(path=Path(sys.argv[1]), **job())
"""


# Killed when the named file is complete, but has not got its name yet.
AT_A_FILE = """
import os, signal, sys
from pathlib import Path
from causalaug.engine import augment_to_parquet
from engine.jobs import job
real = os.replace

def replace(source, target):
    if Path(target).name == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
    real(source, target)

os.replace = replace
augment_to_parquet(path=Path(sys.argv[1]), **job())
"""


@pytest.mark.parametrize("name", ["job.json", "part-00003.parquet", "manifest.json"])
def test_whatever_was_being_written_nothing_is_left(tmp_path, name):
    expected = content(augment_to_parquet(path=tmp_path / "whole", **job()).path)
    folder = tmp_path / "set"
    command = [sys.executable, "-c", AT_A_FILE, str(folder), name]
    assert subprocess.run(command, env=environment(), check=False).returncode == -signal.SIGKILL
    (left,) = hidden_files(folder)
    assert left.startswith(f".{name.partition('.')[0]}.")
    augment_to_parquet(path=folder, **job())
    assert content(folder) == expected


def kill_and_go_on(tmp_path, n_kills):
    """Kill jobs at random, each up to three times; return kills that hit, and hidden files left."""
    expected = content(augment_to_parquet(path=tmp_path / "whole", **job()).path)
    hits, left = 0, 0
    for number in range(n_kills):
        folder = tmp_path / f"set-{number // 3}"
        hits += kill_at_random(CODE, [folder], number, within=0.4)
        if number % 3 == 2 or number == n_kills - 1:
            left += len(hidden_files(folder)) if folder.exists() else 0
            augment_to_parquet(path=folder, **job())
            assert content(folder) == expected
    return hits, left


def test_killed_jobs_go_on(tmp_path):
    hits, _ = kill_and_go_on(tmp_path, 3)
    assert hits


@pytest.mark.slow
def test_a_hundred_killed_jobs_go_on(tmp_path):
    hits, left = kill_and_go_on(tmp_path, 100)
    print(f"augment_to_parquet: {hits} of 100 kills hit, {left} hidden files were left and removed")
    assert hits > 50
