"""How far a long call is, and about how long the rest takes."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import causalaug as ca
from causalaug import _progress
from causalaug._progress import Budget, Steps, report_step, watched
from causalaug.evaluation._trials import Outcome, Trial, _longest_first, _share_done


@pytest.fixture
def clock(monkeypatch):
    """Let the test say what time it is."""
    now = [0.0]
    monkeypatch.setattr(_progress, "monotonic", lambda: now[0])
    return now


def test_the_estimate_goes_by_work_not_by_steps(clock):
    steps = Steps("Fitting", began=0.0)
    assert steps.seconds_left() is None
    clock[0] = 90.0
    steps.at(1, 40, 0.6)
    assert steps.seconds_left() == pytest.approx(60.0)
    clock[0] = 100.0
    assert steps.seconds_left() == pytest.approx(50.0)
    steps(40, 40)
    assert steps.seconds_left() is None


def test_plain_callbacks_are_told_of_steps_alone():
    seen = []
    report_step(lambda *step: seen.append(step), 1, 2, 0.9)
    report_step(None, 1, 2, 0.9)
    assert seen == [(1, 2)]


def trials(methods=("augmented", "ridge"), n_folds=3):
    none = np.empty(0, dtype=np.int64)
    return [
        Trial(method, None, 0, fold, none, none, 0) for fold in range(n_folds) for method in methods
    ]


def test_the_share_of_the_work_is_learnt_from_the_first_fold():
    planned = _longest_first(trials())
    assert [(trial.method, trial.fold) for trial in planned[:4]] == [
        ("augmented", 0),
        ("ridge", 0),
        ("augmented", 1),
        ("augmented", 2),
    ]
    results = [Outcome(None, "augmented", seconds=10.0)]
    assert _share_done(planned, results) == pytest.approx(1 / 3)
    results.append(Outcome(None, "ridge", seconds=2.0))
    assert _share_done(planned, results) == pytest.approx(12 / 36)
    results += [Outcome(None, "augmented", seconds=10.0)] * 2
    assert _share_done(planned, results) == pytest.approx(32 / 36)


def test_verbose_shows_the_steps_on_the_error_stream_and_still_calls_back(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "SECONDS_BETWEEN_LINES", 0.001)
    data, seen = ca.datasets.make_sem(40, "chain", n_variables=3, random_state=0), []
    ca.compare(
        data.frame,
        data.graph,
        "Y",
        Ridge(),
        n_splits=2,
        augmented_share=0.5,
        rivals=False,
        random_state=0,
        verbose=True,
        callback=lambda *step: seen.append(step),
    )
    out, err = capsys.readouterr()
    assert out == ""
    assert "Fitting learners: " in err
    assert seen == [(done, 4) for done in (1, 2, 3, 4)]


def test_a_bar_is_drawn_in_place_where_it_can_be(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with watched("Testing", None, verbose=True) as step:
        step(1, 2)
    assert capsys.readouterr().err.startswith("\r[##########..........] Testing: 1 of 2 steps")


def test_one_limit_of_time_is_enough():
    with pytest.raises(ValueError, match="Either `minutes` or `seconds` must be given"):
        Budget.of(minutes=1, seconds=60)
    assert Budget.of(seconds=1e9).is_limited
    assert not Budget.of().is_limited
