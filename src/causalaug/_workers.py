"""Blocks of work, done here, on threads, or on a Dask cluster, always with the same results."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeAlias, TypeVar

from causalaug._validation import check_integer
from causalaug.exceptions import ParameterError

Engine: TypeAlias = Any
"""Where blocks are worked on: None for here, or ``"threads"``."""

Shared = TypeVar("Shared")
Result = TypeVar("Result")
Work: TypeAlias = Callable[[Shared, int], Result]

AHEAD = 2
"""Blocks handed out for each worker, so that none waits for the next."""


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
    engine : None or "threads"
        Where to do it; it is checked by `check_engine`.
    in_flight : int, optional
        How many blocks to work on at once at most; by default one per worker.

    Examples
    --------
    >>> list(map_blocks(pow, 2, [3, 1, 2], engine="threads", in_flight=2))
    [8, 2, 4]
    """
    if engine is None:
        return (work(shared, block) for block in blocks)
    return _on_threads(work, shared, blocks, in_flight)


def check_engine(engine: Engine, in_flight: int | None = None) -> None:
    """Raise unless blocks can be worked on there.

    >>> check_engine("thread")
    Traceback (most recent call last):
    ...
    causalaug.exceptions.ParameterError: `engine` must be None or "threads". Found 'thread'.
    """
    if in_flight is not None:
        check_integer("in_flight", in_flight, at_least=1)
    if not (engine is None or (isinstance(engine, str) and engine == "threads")):
        raise ParameterError(f'`engine` must be None or "threads". Found {engine!r}.')


def _on_threads(
    work: Work[Shared, Result], shared: Shared, blocks: Sequence[int], in_flight: int | None
) -> Iterator[Result]:
    n_workers = min(in_flight or os.cpu_count() or 1, max(len(blocks), 1))
    pool = ThreadPoolExecutor(n_workers, thread_name_prefix="causalaug")
    waiting: deque[Future[Result]] = deque()
    try:
        for block in blocks:
            waiting.append(pool.submit(work, shared, block))
            if len(waiting) >= AHEAD * n_workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
