"""The allocator may keep memory while a block is made, and is told again what it was told."""

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
