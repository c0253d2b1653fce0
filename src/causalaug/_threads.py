"""How many threads the linear algebra below numpy and scipy may use."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from threading import current_thread, main_thread
from typing import Any


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which linear algebra keeps to one thread; for small matrices.

    To wake other threads for one of them takes longer than the work itself, and they keep a
    core busy for a while after it. The limit holds for the whole process, so it is left to the
    main thread: others would take it back while some still need it.
    """
    if current_thread() is not main_thread():
        return nullcontext()
    limit: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limit


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
