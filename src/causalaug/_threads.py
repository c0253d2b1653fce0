"""How many threads the linear algebra below numpy and scipy may use."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from threading import current_thread, main_thread
from typing import Any

MOST_ROWS_OF_ONE_THREAD = 20_000
"""Up to so many rows, threads of OpenMP cost a learner more than they save: histogram boosting on
1,060 rows and 12 columns took 0.04 s with one thread and 0.37 s with two, on two busy cores."""


def one_thread(n_rows: int) -> AbstractContextManager[Any]:
    """Return a context in which a learner of few rows keeps to one thread; see below."""
    if n_rows > MOST_ROWS_OF_ONE_THREAD or current_thread() is not main_thread():
        return nullcontext()
    limit: AbstractContextManager[Any] = _libraries().limit(limits=1)
    return limit


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which linear algebra keeps to one thread; for small matrices.

    To wake other threads for one of them takes longer than the work itself, and they keep a
    core busy for a while after it. The limit holds for the whole process, so it is left to the
    main thread: others would take it back while some still need it.
    """
    return nullcontext() if current_thread() is not main_thread() else _MAIN


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class _OneBlasThread(AbstractContextManager[None]):
    """Sets the limit once, however many contexts are entered within the first.

    To set it and to take it back takes as long as it takes to weigh 50,000 rows.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        if self._depth == 0:
            self._limit = _libraries().limit(limits=1, user_api="blas")
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._limit.restore_original_limits()


_MAIN = _OneBlasThread()
"""That of the main thread: no other uses it."""
