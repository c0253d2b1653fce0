"""Tables of means, with the standard errors of paired changes."""

import numpy as np
import pandas as pd
import pytest

from causalaug.exceptions import TableError
from reproduction import summarize


def records_of(baseline, augmented, protocol="reference", method="augmented"):
    rows = [("baseline", split, mse) for split, mse in enumerate(baseline)]
    rows += [(method, split, mse) for split, mse in enumerate(augmented)]
    frame = pd.DataFrame(rows, columns=["method", "split", "mse"])
    return frame.assign(dataset="d", fraction=0.1, protocol=protocol)


def test_changes_are_paired():
    baseline, augmented = np.array([1.0, 2.0, 4.0]), np.array([0.5, 1.9, 4.0])
    (row,) = summarize(records_of(baseline, augmented)).to_dict("records")
    change = 100 * (augmented / baseline - 1)
    assert row["n_splits"] == 3
    assert row["change"] == pytest.approx(change.mean())
    assert row["change_error"] == pytest.approx(change.std(ddof=1) / np.sqrt(3))
    assert row["baseline_error"] == pytest.approx(baseline.std(ddof=1) / np.sqrt(3))


def test_splits_that_lack_a_method_are_left_out():
    (row,) = summarize(records_of([1.0, 2.0, 4.0], [0.5])).to_dict("records")
    assert row["n_splits"] == 1
    assert row["baseline"] == 1.0


def test_a_protocol_without_a_baseline_borrows_that_of_the_reference():
    reference = records_of([1.0, 2.0], [0.5, 1.0])
    ablation = records_of([], [2.0, 4.0], protocol="ablation")
    table = summarize(pd.concat([reference, ablation])).set_index("protocol")
    assert table.loc["ablation", "change"] == pytest.approx(100.0)
    assert table.loc["reference", "change"] == pytest.approx(-50.0)


def test_the_figures_of_others_stand_beside():
    theirs = records_of([1.0, 2.0], [0.9, 1.8], method="proposed").drop(columns="protocol")
    table = summarize(records_of([1.0, 2.0], [0.5, 1.0]), theirs)
    assert table.loc[0, "reference_change"] == pytest.approx(-10.0)
    assert table.loc[0, "change"] == pytest.approx(-50.0)


def test_records_must_be_complete_and_single():
    with pytest.raises(TableError, match="mse"):
        summarize(records_of([1.0], [1.0]).drop(columns="mse"))
    twice = pd.concat([records_of([1.0], [1.0])] * 2)
    with pytest.raises(TableError, match="every run once"):
        summarize(twice)
