"""The fits of a comparison: none twice, and what a limit of time leaves out."""

from collections import Counter
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge

import causalaug as ca
from causalaug import _progress
from causalaug._progress import Budget
from causalaug.evaluation import _trials

DATA = ca.datasets.make_sem(40, "chain", n_variables=4, random_state=0)
RIVALS = [
    "tuned ridge",
    "forest",
    "boosting",
    "Gaussian process",
    "Gaussian process on the Markov blanket",
]


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    monkeypatch.setattr("causalaug.evaluation._rivals.N_TREES", 5)


def compare(estimator=None, **options):
    options = {"augmented_share": 0.5, "n_splits": 2, "random_state": 0} | options
    options.setdefault("expansion", ca.BudgetExpansion(60))
    return ca.compare(DATA.frame, DATA.graph, "Y", estimator or Ridge(), **options)


class Clock:
    """A clock that goes on by a minute whenever a fit begins."""

    def __init__(self):
        self.minutes = 0

    def __call__(self):
        return 60.0 * self.minutes


@pytest.fixture
def clock(monkeypatch):
    clock, fit = Clock(), _trials.Fitter.__call__

    def timed(self, trial):
        clock.minutes += 1
        return fit(self, trial)

    for module in (_trials, _progress):
        monkeypatch.setattr(module, "monotonic", clock)
    monkeypatch.setattr(_trials.Fitter, "__call__", timed)
    return clock


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("minutes", "left_out"),
    [
        (1e-9, [*RIVALS, "repeat 2", "repeat 3"]),
        (7, [*RIVALS[2:], "repeat 2", "repeat 3"]),
        (15, ["repeat 2", "repeat 3"]),
        (29, ["repeat 3"]),
        (1000, []),
    ],
)
def test_a_limit_leaves_out_whole_rivals_then_repeats_and_changes_nothing_else(minutes, left_out):
    found = compare(repeats=3, minutes=minutes)
    assert list(found.left_out) == left_out
    everything = without_a_limit()
    repeats = everything["repeat"].map(lambda repeat: f"repeat {repeat + 1}")
    kept = everything[~everything["method"].isin(left_out) & ~repeats.isin(left_out)]
    pd.testing.assert_frame_equal(found.frame, kept.reset_index(drop=True))


@cache
def without_a_limit():
    return compare(repeats=3).frame


def test_rivals_are_not_fitted_if_nobody_asks():
    seen = []
    found = compare(rivals=False, callback=lambda done, total: seen.append((done, total)))
    assert list(found.losses) == [
        "baseline",
        "without knowledge",
        "order",
        "augmented",
        "graph model",
    ]
    assert seen == [(done, 4) for done in (1, 2, 3, 4)]
    with_rivals = compare()
    shared = with_rivals.frame[with_rivals.frame["method"].isin(found.losses)]
    pd.testing.assert_frame_equal(found.frame, shared.reset_index(drop=True))


@pytest.mark.parametrize("minutes", [0, -1.0, float("nan"), float("inf"), "5", True])
def test_a_limit_is_a_positive_number(minutes):
    with pytest.raises(ValueError, match="`minutes` must be a positive number, or None"):
        compare(minutes=minutes)


@pytest.mark.parametrize("jobs", [0, "2", True, 1.5])
def test_a_number_of_processes_is_checked(jobs):
    message = "`n_jobs` must be None, a number of processes, or -1 for all cores. Found"
    with pytest.raises(ValueError, match=message):
        compare(n_jobs=jobs)
    with pytest.raises(ValueError, match=message):
        ca.check_graph(DATA.frame, DATA.graph, n_jobs=jobs)


def test_whether_rivals_run_is_yes_or_no():
    with pytest.raises(ValueError, match="`rivals` must be"):
        compare(rivals=["forest"])


def test_no_limit_has_no_end():
    assert Budget.of(minutes=None).allows(1e300)


FITS = Counter()


class Counted(RegressorMixin, BaseEstimator):
    """A regressor that counts the fits to the same rows and weights."""

    def fit(self, X, y, sample_weight=None):
        cells = (np.asarray(each, dtype=float).tobytes() for each in (X, y, sample_weight))
        FITS["".join(map(str, map(hash, cells)))] += 1
        self.line_ = Ridge().fit(X, y, sample_weight)
        return self

    def predict(self, X):
        return self.line_.predict(X)


def test_nothing_is_fitted_twice_to_the_same_rows():
    FITS.clear()
    compare(Counted(), augmented_share="auto", n_splits=3)
    assert FITS.total() >= 3 * 5 * 3
    assert max(FITS.values()) == 1


def test_a_default_evaluation_fits_nothing_twice_either():
    FITS.clear()
    ca.evaluate(DATA.frame, DATA.graph, "Y", estimator=Counted(), n_splits=2, random_state=0)
    assert max(FITS.values()) == 1
