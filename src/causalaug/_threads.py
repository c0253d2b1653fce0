"""How many threads the linear algebra below numpy and scipy may use."""

from contextlib import ExitStack
from functools import cached_property
from threading import Lock
from typing import Any


class _OneThread:
    """A context in which linear algebra keeps to one thread.

    What was set before comes back once nobody is inside any more, however the threads of Python
    that share the context come and go.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_inside = 0
        self._limit = ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            self._n_inside += 1
            if self._n_inside == 1:
                self._limit.enter_context(self._libraries.limit(limits=1, user_api="blas"))

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                self._limit.close()

    @cached_property
    def _libraries(self) -> Any:
        from threadpoolctl import ThreadpoolController

        return ThreadpoolController()


one_blas_thread = _OneThread()
"""For many small matrices: to wake other threads for each takes longer than the work itself,
and they keep a core busy for a while after it."""
