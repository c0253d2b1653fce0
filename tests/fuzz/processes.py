"""Jobs that are killed or interrupted at a random moment, and gone on with.

Children are forked from a server that has imported everything, so that a case takes a fraction of
a second; what they print goes to files. A case: start the job, end it some time within the time
that it takes when left alone, look at what is there, start it again, and compare the result with
that of a job which nobody disturbed.
"""

import contextlib
import json
import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import causalaug.augmentation
import causalaug.cli
import causalaug.cli._files
import causalaug.cli._tables
import causalaug.engine
import reproduction
import reproduction.__main__
from engine.jobs import content, job
from fuzz.cases import FoundError

SPEC = {"datasets": ["auto_mpg"], "fractions": [0.1], "rounds": [5], "reg_lambda": [1.0]}
SERVER = ["fuzz.processes", "pyarrow.parquet", "xgboost", "joblib", "sklearn.ensemble"]
LONGEST_CHILD = 400
"""Seconds that a child may take; on a busy machine a second may take a minute."""


def _context():
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(SERVER)
    return context


def _child(function, words, log):
    """Run a function in a child, its output in a file."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with open(log, "w") as stream:
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
        function(*words)


def _start(function, words, log):
    process = _context().Process(target=_child, args=(function, words, str(log)))
    process.start()
    return process


def run(function, words, log):
    """Run a function in a child to its end; return how long it took."""
    begun = time.monotonic()
    process = _start(function, words, log)
    process.join(LONGEST_CHILD)
    if process.is_alive():
        process.kill()
        raise FoundError(f"{function.__name__} did not end")
    if process.exitcode != 0:
        text = Path(log).read_text(errors="replace")[-1500:]
        raise FoundError(f"{function.__name__} ended with {process.exitcode}: {text}")
    return time.monotonic() - begun


def disturb(function, words, log, moment, how):
    """Start a function in a child, and send it a signal some seconds later."""
    process = _start(function, words, log)
    process.join(moment)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, how)
    process.join(LONGEST_CHILD)
    if process.is_alive():
        process.kill()
        raise FoundError(f"{function.__name__} did not end after signal {how}")
    return process.exitcode


def kill(function, words, log, moment):
    """Kill a function in a child while it is at work: the sooner, the more often it was done."""
    while disturb(function, words, log, moment, signal.SIGKILL) != -signal.SIGKILL:
        moment *= 0.5


def write_parts(folder):
    causalaug.engine.augment_to_parquet(path=Path(folder), **job())


def command(*words):
    sys.argv = ["causalaug", *map(str, words)]
    causalaug.cli.main()


def experiment(*words):
    reproduction.__main__.main([str(word) for word in words])


class Once:
    """What an undisturbed job gives, and how long it takes; made once per process."""

    def __init__(self):
        self.known = {}

    def __call__(self, name, make):
        if name not in self.known:
            self.known[name] = make()
        return self.known[name]


ONCE = Once()


@contextlib.contextmanager
def _folder():
    path = Path(tempfile.mkdtemp(prefix="causalaug-fuzz-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _whole_parts():
    with _folder() as path:
        run(write_parts, [path / "warm"], path / "log")
        seconds = run(write_parts, [path / "whole"], path / "log")
        return content(path / "whole"), seconds


def disturbs_parts(rng):
    """A data set in files is the same, byte for byte, however often the job was ended."""
    expected, seconds = ONCE("parts", _whole_parts)
    with _folder() as path:
        for _ in range(rng.randint(1, 2)):
            how = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
            moment = rng.uniform(0.0, 1.1 * seconds)
            disturb(write_parts, [path / "set"], path / "log", moment, how)
        run(write_parts, [path / "set"], path / "log")
        if content(path / "set") != expected:
            raise FoundError(f"other files than expected: {sorted(content(path / 'set'))}")


def kills_parts(rng):
    """So it is after ``kill -9``; every case kills a job that is at work."""
    expected, seconds = ONCE("parts", _whole_parts)
    with _folder() as path:
        kill(write_parts, [path / "set"], path / "log", rng.uniform(0.0, seconds))
        run(write_parts, [path / "set"], path / "log")
        if content(path / "set") != expected:
            raise FoundError(f"other files than expected: {sorted(content(path / 'set'))}")


def _augment_words(path):
    options = ["--rows", 3000, "--seed", 0, "--out", path / "out.csv"]
    return ["augment", path / "data.csv", "--graph", "a -> b -> c", *options]


def _write_data(path):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"]).to_csv(
        path / "data.csv", index=False
    )


def _whole_command():
    with _folder() as path, _folder() as logs:
        _write_data(path)
        run(command, _augment_words(path), logs / "log")
        seconds = run(command, _augment_words(path), logs / "log")
        return (path / "out.csv").read_bytes(), seconds


@contextlib.contextmanager
def _command_over_an_old_output(expected):
    """Give a command's words, its output and its log; then run it again, which must clean up."""
    with _folder() as path, _folder() as logs:
        _write_data(path)
        out, log, words = path / "out.csv", logs / "log", _augment_words(path)
        out.write_text("old")
        yield words, out, log
        if out.read_bytes() not in (b"old", expected):
            raise FoundError("an output that is neither the old one nor the new one")
        run(command, words, log)
        names = sorted(each.name for each in path.iterdir())
        if out.read_bytes() != expected or names != ["data.csv", "out.csv"]:
            raise FoundError(f"after the next run there are {names}")


def disturbs_command(rng):
    """The command line leaves the old output or the new one, says which, and cleans up."""
    expected, seconds = ONCE("command", _whole_command)
    with _command_over_an_old_output(expected) as (words, out, log):
        how = rng.choice([signal.SIGKILL, signal.SIGINT, signal.SIGINT, signal.SIGTERM])
        disturb(command, words, log, rng.uniform(0.0, 1.1 * seconds), how)
        said = log.read_text(errors="replace") if log.exists() else ""
        if "Nothing was written" in said and out.read_bytes() != b"old":
            raise FoundError("'Nothing was written', although the output was replaced")
        # An interrupt while Python still imports is its own affair.
        if how == signal.SIGINT and re.search(r'_process\.py", line \d+, in [^<]', said):
            raise FoundError(f"a traceback after an interrupt: {said[-1500:]}")


def kills_command(rng):
    """So it does after ``kill -9``: the next run leaves nothing but its result."""
    expected, seconds = ONCE("command", _whole_command)
    with _command_over_an_old_output(expected) as (words, _, log):
        kill(command, words, log, rng.uniform(0.0, seconds))


def _reproduce_words(path):
    (path / "spec.json").write_text(json.dumps(SPEC))
    options = ["--splits", 2, "--protocol", "paper", "--jobs", 1]
    store = path / "records.sqlite"
    return ["run", "--spec", path / "spec.json", "--store", store, *options]


def _records(path):
    store = reproduction.RecordStore(path / "records.sqlite")
    frame = store.frame().drop(columns=list(reproduction.TIMINGS))
    frame.to_json(path / "records.json", double_precision=15)


def _finish(path, log):
    run(experiment, _reproduce_words(path), log)
    run(_records, [path], log)
    text = (path / "records.json").read_text()
    (path / "records.json").unlink()
    return text, sorted(each.name for each in path.iterdir())


def _whole_reproduction():
    with _folder() as path, _folder() as logs:
        begun = time.monotonic()
        found = _finish(path, logs / "log")
        return found, time.monotonic() - begun


def disturbs_reproduce(rng):
    """An experiment that was ended and gone on with has the same records."""
    expected, seconds = ONCE("reproduce", _whole_reproduction)
    with _folder() as path, _folder() as logs:
        how = rng.choice([signal.SIGKILL, signal.SIGINT])
        moment = rng.uniform(0.0, 1.1 * seconds)
        disturb(experiment, _reproduce_words(path), logs / "log", moment, how)
        found = _finish(path, logs / "log")
        if found != expected:
            raise FoundError(f"other records or files: {found[1]}, expected {expected[1]}")


def kills_reproduce(rng):
    """So has one that was ended by ``kill -9``."""
    expected, seconds = ONCE("reproduce", _whole_reproduction)
    with _folder() as path, _folder() as logs:
        kill(experiment, _reproduce_words(path), logs / "log", rng.uniform(0.0, seconds))
        found = _finish(path, logs / "log")
        if found != expected:
            raise FoundError(f"other records or files: {found[1]}, expected {expected[1]}")
