"""Batches as tensors, for training by stochastic gradients in PyTorch."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from causalaug._optional import import_optional
from causalaug._validation import check_columns_exist
from causalaug.engine._dataset import Batch
from causalaug.engine._learners import split_target
from causalaug.engine._stream import BatchStream
from causalaug.exceptions import ParameterError


def as_torch_dataset(stream: BatchStream, target: str) -> Any:
    """Return a stream as a PyTorch data set whose rows are drawn anew each time.

    Iterating over it is one epoch. It yields ``(features, target, weights)``, a batch each, as
    tensors of float32; so it wants ``DataLoader(dataset, batch_size=None)``. Several workers of
    the loader share the batches of an epoch, and what they draw follows from the seed of the
    loader (``torch.manual_seed``) as well as from that of the stream. In one process epochs are
    counted.

    Parameters
    ----------
    stream : BatchStream
        What `stream_batches` returns; its own number of epochs does not matter.
    target : str
        The column to predict. All columns must be numbers.

    Returns
    -------
    torch.utils.data.IterableDataset
        The data set. Its length is the number of batches of an epoch.

    Examples
    --------
    >>> from torch.utils.data import DataLoader  # doctest: +SKIP
    >>> loader = DataLoader(as_torch_dataset(stream, "y"), batch_size=None)  # doctest: +SKIP
    >>> for features, target, weights in loader:  # doctest: +SKIP
    ...     loss = (weights * (network(features) - target) ** 2).mean()
    """
    if not isinstance(stream, BatchStream):
        raise ParameterError(
            "`stream` must be a stream of `stream_batches`, which draws anew in each epoch. "
            f"Found {type(stream).__name__}."
        )
    check_columns_exist("target", [target], stream.columns)
    torch = import_optional("torch", extra="torch", purpose="This data set")
    data = import_optional("torch.utils.data", extra="torch", purpose="This data set")

    class FreshBatches(data.IterableDataset):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self._n_epochs = 0

        def __len__(self) -> int:
            return stream.n_batches

        def __reduce__(self) -> tuple[Any, ...]:
            # How it gets to workers that are started afresh, not forked.
            return as_torch_dataset, (stream, target)

        def __iter__(self) -> Iterator[Any]:
            worker = data.get_worker_info()
            self._n_epochs += 1
            for batch in _own_batches(stream, worker, self._n_epochs - 1):
                yield tuple(map(torch.from_numpy, _as_arrays(batch, stream, target)))

    return FreshBatches()


def _own_batches(stream: BatchStream, worker: Any, n_epochs: int) -> Iterator[Batch]:
    """Return the batches of an epoch that one worker of a loader has to make.

    A worker that is started anew for each epoch cannot count them. But the loader then draws a
    seed for each epoch, from which those of its workers differ by their numbers. One that stays
    keeps its seed, and counts.
    """
    if worker is None:
        return stream.epoch(n_epochs)
    shared_seed = (worker.seed - worker.id) % 2**64
    numbers = islice(range(stream.n_batches), worker.id, None, worker.num_workers)
    return (stream.batch(*divmod(shared_seed, 2**32), n_epochs, number) for number in numbers)


def _as_arrays(batch: Batch, stream: BatchStream, target: str) -> list[Any]:
    rows, weights = batch
    features, labels = split_target(rows, stream.columns, target)
    frame = pd.concat([features, labels], axis=1)
    wrong = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    if wrong:
        raise ParameterError(
            f"All columns must be numbers to become tensors. Found {wrong}, which are not. Encode "
            "them before, for example by `pandas.get_dummies`."
        )
    return [
        features.to_numpy(dtype=np.float32),
        labels.to_numpy(dtype=np.float32),
        weights.astype(np.float32),
    ]
