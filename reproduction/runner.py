"""Doing the runs that a store lacks, on as many workers as there are."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib
import pandas as pd

from causalaug._validation import check_integer
from causalaug._workers import Engine, check_engine, map_blocks
from causalaug.exceptions import CausalAugError, ParameterError
from reproduction.record import Record, perform
from reproduction.spec import ExperimentSpec, Run
from reproduction.store import RecordStore

SECONDS_BETWEEN_LOOKS = 0.5
"""How long to wait where all that is left is in the hands of other processes."""


class ExperimentError(CausalAugError, RuntimeError):
    """Some runs of an experiment failed; the message names them, all others are recorded."""


@dataclass(frozen=True)
class _Done:
    """What became of a run: a failure says why; `busy` means that another process has it."""

    run: Run
    failure: str = ""
    busy: bool = False


def run_experiment(
    spec: ExperimentSpec,
    store: str | Path | RecordStore,
    *,
    n_jobs: int = 1,
    engine: Engine = None,
    callback: Callable[[int, int], object] | None = None,
) -> pd.DataFrame:
    """Do all runs of an experiment that its store does not hold yet.

    It may be stopped at any moment, by Ctrl-C, a crash or a loss of power: what is lost are the
    runs in flight. Called again it goes on. Several processes may work on one store at once.

    Parameters
    ----------
    spec : ExperimentSpec
        What to run.
    store : str, path or RecordStore
        The SQLite file of the records.
    n_jobs : int, default=1
        The number of workers, as joblib counts them: -1 for one per core. A
        ``joblib.parallel_config`` around the call chooses another backend.
    engine : None, "threads" or dask.distributed.Client, optional
        Where to do the runs instead: on a thread per core, or on the workers of a cluster,
        whatever `n_jobs` is. Records are written here, so that the workers need not see the
        store. Only here, another process at the same store may do a run a second time; it is
        recorded once.
    callback : callable, optional
        Called as ``callback(done, total)`` at the start and after each run.

    Returns
    -------
    pandas DataFrame
        The records of the store, those of earlier experiments included.

    Raises
    ------
    ExperimentError
        If runs failed; all others are done and recorded. Call it again to try them again.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> spec = ExperimentSpec(datasets=["auto_mpg"], fractions=[0.1], n_splits=1,
    ...     protocols=["paper"], rounds=[10], reg_lambda=[1.0])
    >>> records = run_experiment(spec, pathlib.Path(folder.name, "records.sqlite"))
    >>> records[["method", "rows_train", "rows_test"]]
          method  rows_train  rows_test
    0  augmented          39        353
    1   baseline          39        353
    >>> folder.cleanup()
    """
    if not isinstance(spec, ExperimentSpec):
        raise ParameterError(f"`spec` must be an ExperimentSpec. Found {type(spec).__name__}.")
    if n_jobs != -1:
        check_integer("n_jobs", n_jobs, at_least=1)
    check_engine(engine)
    records = store if isinstance(store, RecordStore) else RecordStore(store)
    records.open_for(spec)
    failures = _work_off(spec, records, n_jobs, engine, callback or _ignore)
    if failures:
        raise ExperimentError(_describe(failures))
    return records.frame()


def _work_off(
    spec: ExperimentSpec,
    store: RecordStore,
    n_jobs: int,
    engine: Engine,
    callback: Callable[[int, int], object],
) -> list[_Done]:
    """Do what is missing until nothing is left but what failed."""
    runs = spec.runs()
    failures: dict[Run, _Done] = {}
    while left := [run for run in store.missing(runs) if run not in failures]:
        n_done = len(runs) - len(left)
        callback(n_done, len(runs))
        all_busy = True
        for done in (
            _in_parallel(spec, store, left, n_jobs)
            if engine is None
            else _on_engine(spec, store, left, engine)
        ):
            all_busy &= done.busy
            if done.failure:
                failures[done.run] = done
            n_done += not done.busy
            callback(n_done, len(runs))
        if all_busy:
            time.sleep(SECONDS_BETWEEN_LOOKS)
    callback(len(runs), len(runs))
    return list(failures.values())


def _in_parallel(
    spec: ExperimentSpec, store: RecordStore, runs: Sequence[Run], n_jobs: int
) -> Iterator[_Done]:
    """Yield what became of the runs, as they finish."""
    parallel = joblib.Parallel(
        n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs"
    )
    yield from parallel(joblib.delayed(_do)(run, spec, store) for run in runs)


def _on_engine(
    spec: ExperimentSpec, store: RecordStore, runs: Sequence[Run], engine: Engine
) -> Iterator[_Done]:
    """Yield what became of the runs, in their order; records are written here."""
    records = map_blocks(_perform, (spec, runs), range(len(runs)), engine)
    for run, record in zip(runs, records, strict=True):
        if isinstance(record, Record):
            store.add(record)
        yield _Done(run, failure="" if isinstance(record, Record) else record)


def _perform(shared: tuple[ExperimentSpec, Sequence[Run]], number: int) -> Record | str:
    """Return the record of one run, or why there is none."""
    spec, runs = shared
    try:
        return perform(runs[number], spec)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _do(run: Run, spec: ExperimentSpec, store: RecordStore) -> _Done:
    """Do one run and record it, unless another process is at it."""
    with store.claimed(run) as is_ours:
        if not is_ours:
            return _Done(run, busy=True)
        try:
            record = perform(run, spec)
        except Exception as error:
            return _Done(run, failure=f"{type(error).__name__}: {error}")
        store.add(record)
    return _Done(run)


def _describe(failures: Sequence[_Done]) -> str:
    shown = "; ".join(f"{tuple(done.run)}: {done.failure}" for done in failures[:3])
    more = f"; and {len(failures) - 3} more" if len(failures) > 3 else ""
    return (
        f"All runs must succeed; {len(failures)} failed: {shown}{more}. All others are recorded. "
        "Mend the cause and run the experiment again: it goes on with these."
    )


def _ignore(done: int, total: int) -> None:
    """Report nothing."""
