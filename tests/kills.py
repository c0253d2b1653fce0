"""Processes that are killed at a random moment of their work."""

import random
import subprocess
import sys
import time

from engine.jobs import environment

FIRST = "print('begun', flush=True)\n"


def kill_at_random(code, words, seed, within):
    """Start Python, wait until it prints "begun", and kill it some time within so many seconds.

    Return whether it was killed, and not done before.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
    )
    try:
        assert process.stdout.readline() == "begun\n"
        time.sleep(random.Random(seed).uniform(0.0, within))
    finally:
        process.kill()
        process.communicate()
    return process.returncode < 0


def hidden_files(folder):
    """Return the names of the hidden files of a folder."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
