"""Run the attack for some minutes, and print what was tried and what failed.

The work is shared out over processes: one worker per job, each with every n-th case of a kind.
Kills are made by one half of them. A worker notes each case before it begins, so that one which
takes the worker down with it is known, too.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from engine.jobs import environment
from fuzz.cases import run_case
from fuzz.kinds import KILLS, ON_DEMAND, all_kinds

MOST_SHOWN = 5
"""Failures of one kind that are shown in full; more of them rarely say more."""

SLICE = 0.3
"""Seconds that a kind runs before it is another's turn."""


def main(words=None):
    options = _options(words)
    if options.case:
        return _run_one(options)
    if options.worker is not None:
        return _work(options)
    return _lead(options)


def _options(words):
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kinds", default="", help="only these, separated by commas")
    parser.add_argument("--cases", type=int, help="so many of each kind, however long they take")
    parser.add_argument("--case", default="", help="one case, KIND:NUMBER, as a failure names it")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--note", help=argparse.SUPPRESS)
    return parser.parse_args(words)


def _run_one(options):
    name, _, number = options.case.partition(":")
    kind = all_kinds()[name]
    outcome = run_case(kind, options.seed, int(number), kind.longest)
    print(f"{options.case}: {outcome.verdict} {outcome.reason}")
    return int(outcome.verdict == "failed")


def _chosen(options):
    kinds = all_kinds()
    names = [name for name in options.kinds.split(",") if name]
    if not names:
        return [kind for kind in kinds.values() if kind.share != ON_DEMAND]
    return [kinds[name] for name in names]


def _work(options):
    """Run cases until the time is over; print one line per failure, and the counts at the end."""
    may_kill = options.worker < max(options.jobs // 2, 1)
    kinds = [kind for kind in _chosen(options) if kind.group != KILLS or may_kill]
    spent = dict.fromkeys(kinds, 0.0)
    numbers = dict.fromkeys(kinds, options.worker)
    counts = {kind.name: Counter() for kind in kinds}
    note = os.open(options.note, os.O_WRONLY | os.O_CREAT)
    most = np.inf if options.cases is None else options.cases
    end = time.monotonic() + (60.0 * options.minutes if options.cases is None else np.inf)
    while time.monotonic() < end and (left := [k for k in kinds if numbers[k] < most]):
        kind = min(left, key=lambda each: spent[each] / (each.share or 1.0))
        begun = now = time.monotonic()
        while now < min(begun + SLICE, end) and numbers[kind] < most:
            number, numbers[kind] = numbers[kind], numbers[kind] + options.jobs
            os.pwrite(note, f"{kind.name}:{number}".ljust(60).encode(), 0)
            outcome = run_case(kind, options.seed, number, kind.longest)
            counts[kind.name][outcome.verdict] += kind.inputs
            if outcome.verdict == "failed":
                _tell({"failed": f"{kind.name}:{number}", "reason": outcome.reason})
            now = time.monotonic()
        spent[kind] += now - begun
    seconds = {kind.name: spent[kind] for kind in kinds}
    _tell({"counts": counts, "seconds": seconds})
    return 0


def _tell(message):
    print(json.dumps(message), flush=True)


def _lead(options):
    """Start the workers, show what they find, and print the table."""
    counts = {kind.name: Counter() for kind in _chosen(options)}
    seconds, shown = Counter(), Counter()
    with tempfile.TemporaryDirectory() as folder:
        workers = [_start(options, number, Path(folder)) for number in range(options.jobs)]
        for number, worker in enumerate(workers):
            for message in _messages(options, worker, Path(folder) / str(number)):
                if "failed" in message:
                    kind = message["failed"].partition(":")[0]
                    shown[kind] += 1
                    if message.get("died"):
                        counts[kind]["failed"] += 1
                    if shown[kind] <= MOST_SHOWN:
                        _show(options, message)
                else:
                    for kind, found in message["counts"].items():
                        counts[kind].update(found)
                    seconds.update(message["seconds"])
    print(_table(_chosen(options), counts, seconds))
    return int(any(found["failed"] for found in counts.values()))


def _start(options, number, folder):
    words = ["--minutes", options.minutes, "--seed", options.seed, "--jobs", options.jobs]
    words += [] if options.cases is None else ["--cases", options.cases]
    words += ["--kinds", options.kinds, "--worker", number, "--note", folder / str(number)]
    # In files, since a pipe that nobody reads for a while stops the one who writes.
    out, err = ((folder / f"{number}.{each}").open("w") for each in ("out", "err"))
    with out, err:
        return subprocess.Popen(
            [sys.executable, "-m", "fuzz", *map(str, words)],
            stdout=out,
            stderr=err,
            env=environment(),
        )


def _messages(options, worker, note):
    """Wait for a worker, and return what it said; one that dies or hangs is a failure."""
    try:
        longest = 60.0 * options.minutes + 1800.0 if options.cases is None else None
        code = worker.wait(longest)
    except subprocess.TimeoutExpired:
        worker.kill()
        code = worker.wait()
    said = [json.loads(line) for line in note.with_suffix(".out").read_text().splitlines()]
    if code == 0:
        return said
    case = note.read_text().strip() if note.exists() else ""
    if not case:
        raise SystemExit(note.with_suffix(".err").read_text()[-3000:])
    reason = f"the process ended with {code}: {note.with_suffix('.err').read_text()[-500:]}"
    return [*said, {"failed": case, "reason": reason, "died": True}]


def _show(options, message):
    again = f"make fuzz SEED={options.seed} CASE={message['failed']}"
    print(f"FAILED {message['failed']}\n  {message['reason']}\n  Again: {again}", flush=True)


def _table(kinds, counts, seconds):
    """Return what was tried, kind by kind and group by group."""
    lines = [f"{'':24}{'tried':>9}{'passed':>9}{'refused':>9}{'failed':>8}{'seconds':>9}"]

    def add(name, found, took):
        verdicts = "".join(
            f"{found[each]:>{width},}"
            for each, width in (("passed", 9), ("refused", 9), ("failed", 8))
        )
        lines.append(f"{name:24}{found.total():>9,}{verdicts}{took:>9.0f}")

    for group in dict.fromkeys(kind.group for kind in kinds):
        names = [kind.name for kind in kinds if kind.group == group]
        for name in names:
            add(f"  {name}", counts[name], seconds[name])
        whole = sum((counts[name] for name in names), Counter())
        add(group, whole, sum(seconds[name] for name in names))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
