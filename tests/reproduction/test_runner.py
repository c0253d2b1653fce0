"""Runs are done once, recorded once, and nothing but the runs in flight is ever lost."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from causalaug.exceptions import ParameterError, StoreError
from engine.jobs import environment
from reproduction import TIMINGS, ExperimentError, ExperimentSpec, RecordStore, run_experiment
from reproduction import runner as runner

SMALL = ExperimentSpec(
    datasets=["auto_mpg"],
    fractions=[0.1],
    n_splits=3,
    protocols=["reference", "honest"],
    rounds=[2, 5],
    reg_lambda=[1.0],
)

WORKER = textwrap.dedent(
    """
    import os, sys
    from reproduction import ExperimentSpec, run_experiment
    from reproduction import runner as runner

    def main():
        real = runner.perform
        log = os.open("started.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

        def perform(run, spec):
            os.write(log, (repr(run) + "\\n").encode())
            return real(run, spec)

        if sys.argv[1] == "1":
            runner.perform = perform
        spec = ExperimentSpec.from_file("spec.json")
        run_experiment(
            spec, "records.sqlite", n_jobs=int(sys.argv[1]),
            callback=lambda done, total: print(done, total, flush=True),
        )

    if __name__ == "__main__":
        main()
    """
)


def without_timings(records):
    return records.drop(columns=list(TIMINGS))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return run_experiment(SMALL, tmp_path_factory.mktemp("store") / "records.sqlite")


@pytest.fixture
def start(tmp_path):
    """Start processes that work on one store."""
    (tmp_path / "spec.json").write_text(json.dumps(SMALL.to_dict()))
    (tmp_path / "worker.py").write_text(WORKER)
    started = []

    def begin(n_jobs=1):
        process = subprocess.Popen(
            [sys.executable, "worker.py", str(n_jobs)],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        process.wait()


def records_in(folder):
    return RecordStore(folder / "records.sqlite").frame()


def test_every_run_has_one_record(undisturbed):
    assert len(undisturbed) == len(SMALL.runs()) == 12
    assert set(zip(*(undisturbed[name] for name in SMALL.runs()[0]._fields), strict=True)) == set(
        SMALL.runs()
    )
    assert (undisturbed["mse"] > 0.0).all()
    assert undisturbed.loc[undisturbed["method"] == "baseline", "rows_augmented"].isna().all()
    assert undisturbed.loc[undisturbed["method"] == "augmented", "rows_augmented"].notna().all()


def test_a_second_call_computes_nothing(tmp_path, undisturbed, monkeypatch):
    store = tmp_path / "records.sqlite"
    part = ExperimentSpec(**{**SMALL.to_dict(), "n_splits": 1})
    run_experiment(part, store)
    done = []
    real = runner.perform
    monkeypatch.setattr(runner, "perform", lambda run, spec: done.append(run) or real(run, spec))
    seen = []
    records = run_experiment(SMALL, store, callback=lambda *numbers: seen.append(numbers))
    assert set(done) == set(SMALL.runs()) - set(part.runs())
    assert len(done) == 8
    assert seen[0] == (4, 12)
    assert seen[-1] == (12, 12)
    pd.testing.assert_frame_equal(without_timings(records), without_timings(undisturbed))
    run_experiment(SMALL, store)
    assert len(done) == 8


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_kill_9_in_a_loop_loses_nothing(start, tmp_path, undisturbed, n_jobs):
    """Kill a process after its third run, until one has nothing left to do."""
    kills, sizes = 0, []
    while True:
        process = start(n_jobs)
        for reported, _ in enumerate(process.stdout):
            if reported == 3:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
                break
        process.wait()
        sizes.append(len(records_in(tmp_path)))
        if process.returncode == 0:
            break
        assert kills <= 12, "every process must get further than the one before"
    assert kills >= 2
    assert sizes == sorted(sizes)
    assert sizes[0] < 12
    pd.testing.assert_frame_equal(
        without_timings(records_in(tmp_path)), without_timings(undisturbed)
    )


def test_processes_share_a_store_without_doing_a_run_twice(start, tmp_path, undisturbed):
    processes = [start() for _ in range(3)]
    for process in processes:
        process.communicate(timeout=120)
    assert [process.returncode for process in processes] == [0, 0, 0]
    started = Counter((tmp_path / "started.txt").read_text().splitlines())
    assert set(started.values()) == {1}
    assert len(started) == 12
    pd.testing.assert_frame_equal(
        without_timings(records_in(tmp_path)), without_timings(undisturbed)
    )


def test_a_run_that_another_process_holds_is_left_to_it(start, tmp_path, undisturbed):
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from reproduction import *\n"
            "spec = ExperimentSpec.from_file('spec.json'); store = RecordStore('records.sqlite')\n"
            "store.open_for(spec)\n"
            "with store.claimed(spec.runs()[0]) as ours:\n"
            "    print(ours, flush=True); sys.stdin.readline()",
        ],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout.readline() == "True\n"
        worker = start()
        for line in worker.stdout:
            if line == "11 12\n":
                break
        assert len(records_in(tmp_path)) == 11
        holder.kill()
        worker.stdout.read()
        assert worker.wait() == 0
    pd.testing.assert_frame_equal(
        without_timings(records_in(tmp_path)), without_timings(undisturbed)
    )


def test_a_failing_run_does_not_stop_the_others(tmp_path, monkeypatch):
    real = runner.perform

    def fail_once(run, spec):
        if run.split == 2 and run.method == "augmented":
            raise ValueError("no luck")
        return real(run, spec)

    monkeypatch.setattr(runner, "perform", fail_once)
    store = tmp_path / "records.sqlite"
    with pytest.raises(ExperimentError, match=r"2 failed.*ValueError: no luck"):
        run_experiment(SMALL, store)
    assert len(RecordStore(store).frame()) == 10
    monkeypatch.setattr(runner, "perform", real)
    assert len(run_experiment(SMALL, store)) == 12


def test_ctrl_c_keeps_what_is_done(tmp_path, monkeypatch):
    real = runner.perform

    def interrupted(run, spec):
        if run.split == 2:
            raise KeyboardInterrupt
        return real(run, spec)

    monkeypatch.setattr(runner, "perform", interrupted)
    store = tmp_path / "records.sqlite"
    with pytest.raises(KeyboardInterrupt):
        run_experiment(SMALL, store)
    assert len(RecordStore(store).frame()) == 4


def test_a_store_keeps_to_its_settings(tmp_path):
    store = tmp_path / "records.sqlite"
    part = ExperimentSpec(**{**SMALL.to_dict(), "n_splits": 1})
    run_experiment(part, store)
    other = ExperimentSpec(**{**SMALL.to_dict(), "rounds": [7]})
    with pytest.raises(StoreError, match=r"rounds=\[7\].*rounds=\[2, 5\]"):
        run_experiment(other, store)


def test_what_is_no_store_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to look like some file" * 20)
    with pytest.raises(StoreError, match="must be a store"):
        run_experiment(SMALL, path)
    assert path.read_text().startswith("not a database")
    with pytest.raises(StoreError, match="must be a store"):
        run_experiment(SMALL, Path(tmp_path, "no", "folder.sqlite"))
    with pytest.raises(StoreError, match="Found none"):
        RecordStore(tmp_path / "missing.sqlite").frame()
    with pytest.raises(ParameterError, match="ExperimentSpec"):
        run_experiment({"datasets": ["sachs"]}, path)
    with pytest.raises(ParameterError, match="n_jobs"):
        run_experiment(SMALL, path, n_jobs=0)
