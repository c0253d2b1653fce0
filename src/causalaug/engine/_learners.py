"""Learning from what does not fit into memory: batches for XGBoost, scikit-learn, Dask, PyTorch."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd

from causalaug._optional import import_optional
from causalaug._validation import check_columns_exist
from causalaug.engine._dataset import AugmentedDataset, Batch
from causalaug.engine._stream import BatchStream
from causalaug.exceptions import ParameterError

BatchSource = AugmentedDataset | BatchStream


def as_xgboost_iter(
    source: BatchSource, target: str, *, cache_prefix: str | Path | None = None
) -> Any:
    """Return the rows as an iterator that XGBoost reads batch by batch.

    With a `cache_prefix` XGBoost keeps what it has read in files that begin so, not in memory:
    ``xgboost.ExtMemQuantileDMatrix(as_xgboost_iter(...))``, or ``DMatrix`` for other tree
    methods. It reads all batches several times, so of a stream it gets those of its first
    epoch each time. All weights together add up to the number of observed rows, times the mass
    of the new ones, so that ``min_child_weight`` and ``reg_lambda`` mean what they mean there.

    Parameters
    ----------
    source : AugmentedDataset or BatchStream
        The rows.
    target : str
        The column to predict; a column of categories becomes their codes. All others are
        features.
    cache_prefix : str or path, optional
        Where XGBoost may write; by default it keeps the rows in memory, compressed.

    Returns
    -------
    xgboost.DataIter
        The iterator.

    Examples
    --------
    >>> import xgboost
    >>> from causalaug.datasets import make_sem
    >>> from causalaug.engine import as_xgboost_iter, stream_batches
    >>> data = make_sem(100, random_state=0)
    >>> stream = stream_batches(data.frame, data.graph, random_state=0, batch_rows=250)
    >>> matrix = xgboost.QuantileDMatrix(as_xgboost_iter(stream, "Y"))
    >>> matrix.num_row(), matrix.num_col(), round(float(matrix.get_weight().sum()))
    (500, 11, 100)
    """
    _check_source(source, target)
    xgboost = import_optional("xgboost", extra="xgboost", purpose="This iterator")
    scale = source.n_observed / (source.n_rows if isinstance(source, BatchStream) else 1.0)

    class Batches(xgboost.DataIter):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self._batches = repeat_batches(source)
            prefix = None if cache_prefix is None else str(cache_prefix)
            super().__init__(cache_prefix=prefix)

        def next(self, input_data: Callable[..., Any]) -> bool:
            for rows, weights in self._batches:
                features, labels = split_target(rows, source.columns, target)
                input_data(data=features, label=_as_numbers(labels), weight=scale * weights)
                return True
            return False

        def reset(self) -> None:
            self._batches = repeat_batches(source)

    return Batches()


def partial_fit(
    estimator: Any,
    source: BatchSource,
    target: str,
    *,
    classes: Sequence[object] | None = None,
) -> Any:
    """Fit a scikit-learn estimator to weighted batches, one after the other.

    The weights are scaled to be one on average, as for plain rows, unless mass was dropped.

    Parameters
    ----------
    estimator : estimator
        Anything whose `partial_fit` takes `sample_weight`. It is changed.
    source : AugmentedDataset or BatchStream
        The rows. Of a stream all epochs are used, so it must end.
    target : str
        The column to predict. All others are features, and must be numbers.
    classes : sequence, optional
        For a classifier, all classes that may come: scikit-learn asks for them at the start.

    Returns
    -------
    estimator
        The same estimator.

    Examples
    --------
    >>> from sklearn.linear_model import SGDRegressor
    >>> from causalaug.datasets import make_sem
    >>> from causalaug.engine import partial_fit, stream_batches
    >>> data = make_sem(100, random_state=0)
    >>> stream = stream_batches(data.frame, data.graph, random_state=0, batch_rows=50, epochs=2)
    >>> partial_fit(SGDRegressor(random_state=0), stream, "Y").n_features_in_
    11
    """
    _check_source(source, target)
    _check_partial_fit(estimator, classes)
    if isinstance(source, BatchStream) and source.epochs is None:
        raise ParameterError("A stream to fit to must end. Found epochs=None. Give it a number.")
    options = {} if classes is None else {"classes": np.asarray(classes)}
    scale = 1.0 if isinstance(source, BatchStream) else source.n_rows
    for rows, weights in source if isinstance(source, BatchStream) else source.batches():
        features, labels = split_target(rows, source.columns, target)
        estimator.partial_fit(features, labels.to_numpy(), sample_weight=scale * weights, **options)
    return estimator


def as_dask_frame(dataset: AugmentedDataset) -> Any:
    """Return a data set as a Dask frame with one partition per file, weights included.

    It is what `xgboost.dask` trains on, each worker on the files that it reads.

    Parameters
    ----------
    dataset : AugmentedDataset
        The rows. All workers must see its folder.

    Returns
    -------
    dask.dataframe.DataFrame
        The columns of the observed rows, and the weights. These add up to the mass, at most
        one, which is next to nothing for XGBoost: scale them.

    Examples
    --------
    >>> from causalaug.engine import as_dask_frame, read_augmented
    >>> dataset = read_augmented("rows")  # doctest: +SKIP
    >>> rows = as_dask_frame(dataset)  # doctest: +SKIP
    >>> features = rows[[name for name in dataset.columns if name != "y"]]  # doctest: +SKIP
    >>> weight = dataset.n_observed * rows["weight"]  # doctest: +SKIP
    >>> matrix = xgboost.dask.DaskDMatrix(
    ...     client, features, rows["y"], weight=weight
    ... )  # doctest: +SKIP
    >>> xgboost.dask.train(client, {"max_depth": 3}, matrix)  # doctest: +SKIP
    """
    frames = import_optional("dask.dataframe", extra="dask", purpose="A Dask frame")
    meta = dataset.read(0).iloc[:0]
    return frames.from_map(dataset.read, range(len(dataset.files)), meta=meta)


def repeat_batches(source: BatchSource) -> Iterator[Batch]:
    """Return the batches of a source from the beginning, the same each time."""
    return source.epoch(0) if isinstance(source, BatchStream) else source.batches()


def split_target(
    rows: Any, columns: tuple[str, ...], target: str
) -> tuple[pd.DataFrame, "pd.Series[Any]"]:
    """Return the features and the target of some rows as pandas holds them."""
    if isinstance(rows, np.ndarray):
        frame = pd.DataFrame(rows, columns=list(columns))
    elif isinstance(rows, pd.DataFrame):
        frame = rows
    else:
        frame = nw.from_native(rows, eager_only=True).to_pandas()
    return frame.drop(columns=target), frame[target]


def _as_numbers(labels: "pd.Series[Any]") -> Any:
    if isinstance(labels.dtype, pd.CategoricalDtype):
        return labels.cat.codes.to_numpy()
    return labels.to_numpy(dtype=np.float64)


def _check_source(source: object, target: str) -> None:
    """Raise unless there are batches, and a target in them."""
    if not isinstance(source, AugmentedDataset | BatchStream):
        raise ParameterError(
            "`source` must be an AugmentedDataset, as `read_augmented` opens it, or a stream of "
            f"`stream_batches`. Found {type(source).__name__}."
        )
    check_columns_exist("target", [target], source.columns)


def _check_partial_fit(estimator: Any, classes: Sequence[object] | None) -> None:
    """Raise unless the estimator learns from weighted batches, and knows its classes."""
    method = getattr(estimator, "partial_fit", None)
    taken = inspect.signature(method).parameters if callable(method) else {}
    if "sample_weight" not in taken:
        raise ParameterError(
            "`estimator` must have a `partial_fit` that takes `sample_weight`, such as that of "
            f"SGDRegressor or SGDClassifier. Found {estimator!r}."
        )
    if "classes" in taken and classes is None:
        raise ParameterError(
            f"A classifier must know all its classes before the first batch. Found {estimator!r} "
            "and no `classes`. Pass them: `classes=frame[target].unique()`."
        )


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
