"""The allocator may keep memory while a block is made, and is told again what it was told."""

import os
import platform
import subprocess
import sys

import numpy as np
import pytest

from causalaug import _heap
from causalaug._heap import MMAP_THRESHOLD, SAID_BY_DASK, TRIM_THRESHOLD, roomy_heap


class Library:
    def __init__(self):
        self.calls = []

    def mallopt(self, option, value):
        self.calls.append((option, value))

    def malloc_trim(self, pad):
        self.calls.append("trim")


@pytest.fixture
def library(monkeypatch):
    library = Library()
    monkeypatch.setattr(_heap, "_allocator", lambda: library)
    return library


def test_what_dask_said_is_said_again_also_after_an_error(library, monkeypatch):
    monkeypatch.setenv(SAID_BY_DASK, "65536")
    with pytest.raises(ZeroDivisionError), roomy_heap():
        raise ZeroDivisionError
    assert dict(library.calls[:2])[TRIM_THRESHOLD] > 2**20
    assert library.calls[2:] == [(TRIM_THRESHOLD, 65536), (MMAP_THRESHOLD, 131072), "trim"]


@pytest.mark.parametrize("said", [None, "", "a lot"])
def test_an_allocator_that_was_told_nothing_is_left_alone(library, monkeypatch, said):
    monkeypatch.delenv(SAID_BY_DASK, raising=False)
    if said is not None:
        monkeypatch.setenv(SAID_BY_DASK, said)
    with roomy_heap():
        pass
    assert library.calls == []


@pytest.mark.parametrize("missing", [OSError, AttributeError, TypeError])
def test_another_allocator_is_left_alone(monkeypatch, missing):
    def load(name):
        raise missing

    monkeypatch.setattr(_heap.ctypes, "CDLL", load)
    monkeypatch.setenv(SAID_BY_DASK, "65536")
    with roomy_heap():
        assert np.ones(10**6).sum() == 10**6


PAGES = """
import resource, sys
import numpy as np
from causalaug._heap import keep_freed_memory

def fresh_pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        kept = np.ones(500_000)
        held = kept + 1.0
        del kept, held
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

if sys.argv[1] == "kept":
    keep_freed_memory()
fresh_pages()
print(fresh_pages())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators do not learn")
def test_what_was_freed_is_used_again():
    told = ("MALLOC_", "GLIBC_TUNABLES")
    environment = {key: text for key, text in os.environ.items() if not key.startswith(told)}
    fetched, kept = (
        int(subprocess.check_output([sys.executable, "-c", PAGES, how], env=environment))
        for how in ("fetched", "kept")
    )
    assert kept * 10 < fetched
