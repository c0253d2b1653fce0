"""Room for temporary arrays: memory that the allocator keeps instead of fetching it anew.

Dask tells the allocator of its workers to give memory back to the system at once. Then every
temporary array is fetched anew, page by page, which makes numpy several times as slow. While a
block is made, the allocator may keep some memory; afterwards it is told again what Dask said.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

SAID_BY_DASK = "MALLOC_TRIM_THRESHOLD_"
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
ROOMY = {MMAP_THRESHOLD: 32 << 20, TRIM_THRESHOLD: 256 << 20}
USUAL_MMAP_THRESHOLD = 128 << 10

LARGEST_LEARNT = 31 << 20
"""Bytes of the largest block, nearly, that the allocator of glibc learns from."""


@cache
def keep_freed_memory() -> None:
    """Let the allocator of glibc keep what is freed, some 60 MB of it, for the next arrays.

    It learns from what is freed: blocks up to the size of the largest come from its heap from then
    on, and so much of the heap twice over is not given back. A block that is never written to
    costs nothing. Without it `check_graph` spends a quarter of its time on fresh pages (2,000 rows
    of 300 columns). Other allocators, and one that was told what to do, take no notice.
    """
    np.empty(LARGEST_LEARNT, dtype=np.uint8)


@contextmanager
def roomy_heap() -> Iterator[None]:
    """Let the allocator keep memory meanwhile, if Dask told it not to and it can be told."""
    said = os.environ.get(SAID_BY_DASK, "")
    library = _allocator() if said.isdecimal() else None
    if library is None:
        yield
        return
    for option, value in ROOMY.items():
        library.mallopt(option, value)
    try:
        yield
    finally:
        library.mallopt(TRIM_THRESHOLD, int(said))
        library.mallopt(MMAP_THRESHOLD, USUAL_MMAP_THRESHOLD)
        library.malloc_trim(0)


def _allocator() -> Any:
    """Return the C library if its allocator is that of glibc, else None."""
    try:
        library = ctypes.CDLL(None)
        return library if library.mallopt and library.malloc_trim else None
    except (AttributeError, OSError, TypeError):
        return None
