"""Tensors for PyTorch, which is too heavy for the tests: a stand-in has what is used of it.

The stand-in keeps to the documented behaviour of `torch.utils.data`: `get_worker_info` is None
in the main process; in a worker it has `id`, `num_workers` and `seed`, and the seeds of the
workers of an epoch are consecutive, from a number that is drawn anew for each epoch.
"""

import pickle
import sys
import types
from dataclasses import dataclass

import numpy as np
import pytest

import causalaug as ca
from causalaug.engine import as_torch_dataset, stream_batches
from causalaug.exceptions import MissingDependencyError, ParameterError
from engine.jobs import GRAPH, make_frame

CHAIN = ca.read_graph("size -> weight_kg -> shoe")


@dataclass
class WorkerInfo:
    id: int
    num_workers: int
    seed: int


@pytest.fixture
def torch(monkeypatch):
    torch, utils, data = (
        types.ModuleType(name) for name in ("torch", "torch.utils", "torch.utils.data")
    )
    torch.from_numpy = lambda array: ("tensor", array)
    data.IterableDataset = type("IterableDataset", (), {})
    data.worker = None
    data.get_worker_info = lambda: data.worker
    torch.utils, utils.data = utils, data
    for module in (torch, utils, data):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return torch


@pytest.fixture
def stream():
    frame = make_frame()[["size", "weight_kg", "shoe"]]
    return stream_batches(frame, CHAIN, random_state=0, batch_rows=50)


def read(dataset, torch, worker=None):
    """Return what one worker of a loader gets in one epoch."""
    torch.utils.data.worker = worker
    return [b"".join(array.tobytes() for _, array in batch) for batch in dataset]


def test_a_worker_that_is_started_afresh_gets_the_same_batches(torch):
    frame = make_frame()[["size", "weight_kg", "shoe"]]
    stream = stream_batches(frame, CHAIN, ca.ResidualConditional(), random_state=0, batch_rows=50)
    next(iter(stream))
    dataset = as_torch_dataset(stream, "weight_kg")
    sent = pickle.loads(pickle.dumps(dataset))
    worker = WorkerInfo(1, 2, 8)
    assert read(sent, torch, worker) == read(dataset, torch, worker)


def test_a_worker_that_stays_draws_anew_in_each_epoch(torch, stream):
    dataset = as_torch_dataset(stream, "weight_kg")
    worker = WorkerInfo(0, 2, 8)
    first, second = read(dataset, torch, worker), read(dataset, torch, worker)
    assert len(first) == len(second)
    assert not set(first) & set(second)


def test_batches_are_tensors_of_features_target_and_weights(torch, stream):
    dataset = as_torch_dataset(stream, "weight_kg")
    assert isinstance(dataset, torch.utils.data.IterableDataset)
    batches = list(dataset)
    assert len(batches) == len(dataset) == 6
    (_, features), (_, target), (_, weights) = batches[0]
    assert features.shape == (50, 2)
    assert target.shape == weights.shape == (50,)
    assert {features.dtype, target.dtype, weights.dtype} == {np.dtype(np.float32)}
    rows, expected = next(stream.epoch(0))
    np.testing.assert_allclose(features[:, 0], rows["size"], rtol=1e-6)
    np.testing.assert_allclose(target, rows["weight_kg"])
    np.testing.assert_allclose(weights, expected)


def test_every_epoch_is_drawn_anew(torch, stream):
    dataset = as_torch_dataset(stream, "weight_kg")
    epochs = [read(dataset, torch) for _ in range(3)]
    assert len({batch for epoch in epochs for batch in epoch}) == 18
    assert read(as_torch_dataset(stream, "weight_kg"), torch) == epochs[0]


def test_the_workers_of_a_loader_share_an_epoch(torch, stream):
    def read_in_worker(*about):
        """Read a copy: every worker has its own."""
        return read(as_torch_dataset(stream, "weight_kg"), torch, WorkerInfo(*about))

    shares = [read_in_worker(id, 4, 2**63 + 7 + id) for id in range(4)]
    assert [len(share) for share in shares] == [2, 2, 1, 1]
    alone = read_in_worker(0, 1, 2**63 + 7)
    assert sorted(alone) == sorted(batch for share in shares for batch in share)
    assert len(set(alone)) == 6


def test_workers_that_are_started_anew_draw_anew(torch, stream):
    first = read(as_torch_dataset(stream, "weight_kg"), torch, WorkerInfo(0, 1, 100))
    second = read(as_torch_dataset(stream, "weight_kg"), torch, WorkerInfo(0, 1, 2**32 + 100))
    assert not set(first) & set(second)


def test_columns_that_are_no_numbers_are_refused(torch):
    dataset = as_torch_dataset(stream_batches(make_frame(), GRAPH), "weight_kg")
    with pytest.raises(ParameterError, match=r"Found \['sex'\], which are not"):
        next(iter(dataset))


def test_other_sources_and_targets_are_refused(torch, stream):
    with pytest.raises(ParameterError, match="`stream` must be a stream"):
        as_torch_dataset(make_frame(), "size")
    with pytest.raises(ParameterError, match="`target` names columns"):
        as_torch_dataset(stream, "sizes")


def test_without_pytorch_the_install_line_is_named(stream, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "causalaug\[torch\]"'):
        as_torch_dataset(stream, "size")
