"""A cluster of separate processes gives the same bytes, also when processes are killed."""

import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from causalaug._workers import map_blocks
from causalaug.engine import augment_to_parquet, read_augmented
from causalaug.exceptions import EngineError, ParameterError, StoreError, TreeTooLargeError
from engine.jobs import DeadlyExpansion, content, environment, job


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The files of the job, written by one process."""
    return content(augment_to_parquet(path=tmp_path_factory.mktemp("serial"), **job()).path)


@pytest.mark.parametrize("in_flight", [None, 1, 2, 4])
def test_the_bytes_are_those_of_one_process(tmp_path, client, expected, in_flight):
    done = augment_to_parquet(path=tmp_path / "set", engine=client, in_flight=in_flight, **job())
    assert len(done.files) == 8
    assert content(done.path) == expected


@pytest.mark.parametrize(
    "expansion", [ca.BudgetExpansion(800), ca.SampledExpansion(800), ca.PrunedExpansion(0.05)]
)
def test_augment_gives_what_one_process_gives(client, expansion):
    serial = ca.augment(**job(expansion=expansion))
    found = ca.augment(**job(expansion=expansion), engine=client)
    np.testing.assert_array_equal(found.rows, serial.rows)
    np.testing.assert_array_equal(found.weights, serial.weights)
    pd.testing.assert_frame_equal(found.frame, serial.frame)


def test_the_work_is_done_by_other_processes(client):
    pids = set(client.run(os.getpid).values())
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_a_worker_killed_in_the_middle_does_not_show(tmp_path, client):
    marker = tmp_path / "killed"
    options = job(expansion=DeadlyExpansion(marker))
    before = set(client.run(os.getpid).values())
    found = augment_to_parquet(path=tmp_path / "set", engine=client, **options)
    assert marker.exists()
    client.wait_for_workers(2, timeout=60)
    assert set(client.run(os.getpid).values()) != before
    whole = augment_to_parquet(path=tmp_path / "whole", **options)
    assert content(found.path) == content(whole.path)


def test_all_workers_killed_do_not_show(tmp_path, client, expected):
    def callback(done, total):
        if done == 2:
            for pid in client.run(os.getpid).values():
                os.kill(pid, signal.SIGKILL)

    done = augment_to_parquet(path=tmp_path / "set", engine=client, callback=callback, **job())
    assert content(done.path) == expected


def test_a_block_that_kills_every_worker_is_given_up_and_the_rest_kept(
    tmp_path, cluster, client, monkeypatch
):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    options = job(expansion=DeadlyExpansion(tmp_path / "killed", always=True))
    with pytest.raises(EngineError, match="died again and again at block 3"):
        augment_to_parquet(path=tmp_path / "set", engine=client, **options)
    before = {f"part-{block:05}.parquet" for block in range(3)}
    assert before <= content(tmp_path / "set").keys()
    with pytest.raises(StoreError, match="must have a manifest"):
        read_augmented(tmp_path / "set")


class BlamingClient:
    """A stand-in for a cluster of one worker, which block 3 kills: all its blocks are blamed."""

    asynchronous = False

    def __init__(self):
        self.handed_out = []

    def nthreads(self):
        return {"worker": 4}

    def scatter(self, shared, **options):
        return shared

    def submit(self, attempt, work, shared, block, **options):
        self.handed_out.append(block)

        def result():
            if 3 in self.handed_out:
                killed_worker = import_module("distributed.scheduler").KilledWorker
                raise killed_worker(f"block {block}", "worker", 3)
            self.handed_out.remove(block)
            return attempt(work, shared, block)

        return SimpleNamespace(block=block, result=result)

    def cancel(self, futures, force):
        for future in futures:
            self.handed_out.remove(future.block)


def test_blocks_beside_the_one_that_kills_its_worker_are_tried_alone():
    pytest.importorskip("distributed")
    results = map_blocks(pow, 2, range(6), BlamingClient())
    assert [next(results) for _ in range(3)] == [1, 2, 4]
    with pytest.raises(EngineError, match="died again and again at block 3"):
        next(results)


DRIVER = """
import os, signal, sys
from pathlib import Path
from distributed import Client
from causalaug.engine import augment_to_parquet
from engine.jobs import job

def callback(done, total):
    if done == 3:
        os.kill(os.getpid(), signal.SIGKILL)

client = Client(sys.argv[1])
augment_to_parquet(path=Path(sys.argv[2]), engine=client, callback=callback, **job())
"""


def test_a_driver_killed_and_started_again_does_not_show(tmp_path, client, expected):
    folder = tmp_path / "set"
    command = [sys.executable, "-c", DRIVER, client.scheduler.address, str(folder)]
    done = subprocess.run(command, env=environment(), check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL
    assert not (folder / "manifest.json").exists()
    assert len(list(folder.glob("part-*.parquet"))) >= 3
    augment_to_parquet(path=folder, engine=client, **job())
    assert content(folder) == expected


def test_an_error_of_a_block_is_that_of_one_process(client):
    expansion = ca.PrunedExpansion(0.0, max_rows=2000)
    with pytest.raises(TreeTooLargeError, match="at most max_rows=2,000 rows"):
        ca.augment(**job(expansion=expansion, block_rows=1000), engine=client)


def test_nothing_is_left_on_the_cluster(client):
    ca.augment(**job(), engine=client)
    for _ in range(50):
        if not client.who_has():
            break
        time.sleep(0.1)
    assert not client.who_has()


def test_an_asynchronous_client_is_refused():
    class Asynchronous:
        asynchronous = True
        scatter = submit = None

    with pytest.raises(ParameterError, match="Found an asynchronous one"):
        ca.augment(**job(), engine=Asynchronous())
