"""Hypothesis profiles, and which tests look at files of the project.

Of the profiles `ci` repeats the same examples, `few` a part of them, `thorough` looks for new ones.
"""

import os
from functools import cache

# Before anything loads OpenMP: parallel test workers, each with as many threads as there are
# cores, would fight for them.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Before anything loads matplotlib: pictures are drawn into memory, never on a screen.
os.environ["MPLBACKEND"] = "Agg"

import pytest
from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", derandomize=True, max_examples=100, **COMMON)
settings.register_profile("few", derandomize=True, max_examples=20, **COMMON)
settings.register_profile("thorough", max_examples=2000, print_blob=True, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_modifyitems(items):
    """Mark the tests that ask where they are: `.ci/run` runs them in two folders.

    Nobody has to remember the mark: what finds files of the project goes by ``__file__``, in the
    test itself or in a constant of its module.
    """
    for item in items:
        function = getattr(item, "function", None)
        if function is not None and (_asks_at_the_top(item.path) or _asks(function)):
            item.add_marker("files")


@cache
def _asks_at_the_top(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return any("__file__" in line and not line[:1].isspace() for line in lines)


@cache
def _asks(function):
    code = getattr(function, "__code__", None)
    return code is not None and "__file__" in code.co_names


@pytest.fixture(scope="module")
def few_trees():
    """Let the forests beside a learner have few trees: what they predict does not matter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("causalaug.evaluation._rivals.N_TREES", 5)
        yield
