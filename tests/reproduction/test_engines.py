"""Experiments on threads and on a cluster give the records of one process."""

import pandas as pd
import pytest

from causalaug.exceptions import ParameterError
from reproduction import TIMINGS, ExperimentError, ExperimentSpec, run_experiment
from reproduction import runner as runner

SPEC = ExperimentSpec(
    datasets=["auto_mpg"],
    fractions=[0.1],
    n_splits=2,
    protocols=["paper"],
    rounds=[2],
    reg_lambda=[1.0],
)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return run_experiment(SPEC, tmp_path_factory.mktemp("serial") / "records.sqlite")


def assert_same_records(found, expected):
    columns = list(TIMINGS)
    pd.testing.assert_frame_equal(found.drop(columns=columns), expected.drop(columns=columns))


def test_threads_give_the_records_of_one_process(tmp_path, expected):
    steps = []
    found = run_experiment(
        SPEC,
        tmp_path / "records.sqlite",
        engine="threads",
        callback=lambda *step: steps.append(step),
    )
    assert_same_records(found, expected)
    assert steps[0] == (0, 4)
    assert steps[-1] == (4, 4)


def test_a_cluster_gives_the_records_of_one_process(tmp_path, expected, client):
    assert_same_records(run_experiment(SPEC, tmp_path / "records.sqlite", engine=client), expected)


def test_a_run_that_fails_does_not_stop_the_others(tmp_path, expected, monkeypatch):
    real = runner.perform

    def perform(run, spec):
        if run.split == 2:
            raise ZeroDivisionError("no luck")
        return real(run, spec)

    monkeypatch.setattr(runner, "perform", perform)
    with pytest.raises(ExperimentError, match="2 failed: .*ZeroDivisionError: no luck"):
        run_experiment(SPEC, tmp_path / "records.sqlite", engine="threads")
    monkeypatch.undo()
    assert_same_records(run_experiment(SPEC, tmp_path / "records.sqlite"), expected)


def test_an_engine_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="`engine` must be None"):
        run_experiment(SPEC, tmp_path / "records.sqlite", engine="cluster")
