"""Blocks of work, done here, on threads, or on a Dask cluster, always with the same results."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from causalaug._heap import roomy_heap
from causalaug._optional import import_optional
from causalaug._threads import one_blas_thread
from causalaug._validation import check_integer
from causalaug.exceptions import CausalAugError, EngineError, ParameterError

Engine: TypeAlias = Any
"""Where blocks are worked on: None for here, ``"threads"``, or a `dask.distributed.Client`."""

Shared = TypeVar("Shared")
Result = TypeVar("Result")
Work: TypeAlias = Callable[[Shared, int], Result]

AHEAD = 2
"""Blocks handed out for each worker, so that none waits for the next."""

MOST_LOSSES = 5
"""How often all workers may be lost before a job is given up."""


def map_blocks(
    work: Work[Shared, Result],
    shared: Shared,
    blocks: Sequence[int],
    engine: Engine = None,
    in_flight: int | None = None,
) -> Iterator[Result]:
    """Yield ``work(shared, block)`` for each block, in their order, wherever it is done.

    Parameters
    ----------
    work : callable
        What to do. It must not depend on what was done before.
    shared : object
        What all blocks have in common.
    blocks : sequence of int
        Their numbers.
    engine : None, "threads" or dask.distributed.Client
        Where to do it; it is checked by `check_engine`. A cluster gets `shared` once.
    in_flight : int, optional
        How many blocks to work on at once at most; by default one per worker.

    Examples
    --------
    >>> list(map_blocks(pow, 2, [3, 1, 2], engine="threads", in_flight=2))
    [8, 2, 4]
    """
    if engine is None:
        return (work(shared, block) for block in blocks)
    if _is_client(engine):
        return _OnDask(work, shared, engine, in_flight).results(blocks)
    return _on_threads(work, shared, blocks, in_flight)


def check_engine(engine: Engine, in_flight: int | None = None) -> None:
    """Raise unless blocks can be worked on there.

    >>> check_engine("thread")
    Traceback (most recent call last):
    ...
    causalaug.exceptions.ParameterError: `engine` must be None, "threads" or a \
dask.distributed.Client. Found 'thread'.
    """
    if in_flight is not None:
        check_integer("in_flight", in_flight, at_least=1)
    if _is_client(engine):
        if engine.asynchronous:
            raise ParameterError(
                "`engine` must be a client that waits for results. Found an asynchronous one. "
                "Make it with `Client(..., asynchronous=False)`."
            )
    elif not (engine is None or (isinstance(engine, str) and engine == "threads")):
        raise ParameterError(
            f'`engine` must be None, "threads" or a dask.distributed.Client. Found {engine!r}.'
        )


def _is_client(engine: Engine) -> bool:
    """Tell a client of a Dask cluster by what it can do, without importing Dask."""
    return all(hasattr(engine, name) for name in ("scatter", "submit", "asynchronous"))


def _on_threads(
    work: Work[Shared, Result], shared: Shared, blocks: Sequence[int], in_flight: int | None
) -> Iterator[Result]:
    n_workers = min(in_flight or os.cpu_count() or 1, max(len(blocks), 1))
    pool = ThreadPoolExecutor(n_workers, thread_name_prefix="causalaug")
    waiting: deque[Future[Result]] = deque()
    with one_blas_thread():
        try:
            for block in blocks:
                waiting.append(pool.submit(work, shared, block))
                if len(waiting) >= AHEAD * n_workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class _OnDask:
    """Blocks on the workers of a cluster.

    A worker that dies gives its blocks to others, by Dask itself. What it does not repair is
    the loss of the last copy of what all blocks share: then it is sent again. Nor does it know
    which of a dead worker's blocks killed it: one that it gives up is tried once more, alone.
    """

    def __init__(
        self, work: Work[Any, Any], shared: object, client: Any, in_flight: int | None
    ) -> None:
        self._work, self._shared, self._client = work, shared, client
        self._most = in_flight or AHEAD * max(sum(client.nthreads().values()), 1)
        self._waiting: deque[tuple[int, Any]] = deque()

    def results(self, blocks: Sequence[int]) -> Iterator[Any]:
        killed_worker = import_optional(
            "distributed.scheduler", extra="dask", purpose="This engine"
        ).KilledWorker
        todo, losses, alone = deque(blocks), 0, False
        remote = self._send() if blocks else None
        try:
            while todo or self._waiting:
                self._hand_out(todo, remote, 1 if alone else self._most)
                try:
                    result = self._first()
                except killed_worker as error:
                    if alone:
                        raise _given_up(self._waiting[0][0]) from error
                    alone = True
                    self._take_back(todo)
                except CancelledError as error:
                    losses += 1
                    if losses > MOST_LOSSES:
                        raise _given_up(self._waiting[0][0]) from error
                    self._take_back(todo)
                    remote = self._send()
                else:
                    alone = False
                    self._waiting.popleft()
                    yield result
        finally:
            self._cancel()

    def _send(self) -> Any:
        return self._client.scatter(self._shared, broadcast=True, hash=False)

    def _hand_out(self, todo: deque[int], remote: Any, most: int) -> None:
        while todo and len(self._waiting) < most:
            block = todo.popleft()
            future = self._client.submit(_attempt, self._work, remote, block, pure=False)
            self._waiting.append((block, future))

    def _take_back(self, todo: deque[int]) -> None:
        self._cancel()
        todo.extendleft(block for block, _ in reversed(self._waiting))
        self._waiting.clear()

    def _cancel(self) -> None:
        with suppress(Exception):
            self._client.cancel([future for _, future in self._waiting], force=True)

    def _first(self) -> Any:
        """Wait for the block that is next in order."""
        result = self._waiting[0][1].result()
        if isinstance(result, _Failure):
            raise result.kind(*result.args)
        return result


@dataclass(frozen=True)
class _Failure:
    """An error of ours on its way: Dask cannot send all of them as they are."""

    kind: type[CausalAugError]
    args: tuple[Any, ...]


def _attempt(work: Work[Any, Any], shared: object, block: int) -> Any:
    try:
        with roomy_heap():
            return work(shared, block)
    except CausalAugError as error:
        return _Failure(type(error), error.args)


def _given_up(block: int) -> EngineError:
    return EngineError(
        f"Every block must be finished by some worker. Found that the workers died again and "
        f"again at block {block}, most often for want of memory. Use smaller blocks "
        "(`block_rows`) or larger workers. Files that are complete stay: go on by calling again."
    )
