"""Tables with holes: codes, values that are there, and cells that are written into holes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import causalaug as ca
from causalaug.table import cells_of, rows_of, stack_frames, take_and_fill


def holed():
    frame = pd.DataFrame(
        {
            "x": [2.5, None, 1.0, 2.5],
            "day": pd.to_datetime(["2024-01-01", "2024-01-03", None, "2024-01-11"]),
            "count": [1.0, 30.0, None, 7.0],
        }
    )
    return ca.Table.from_frame(frame, kinds={"count": "continuous"}, holes=True)


def test_missing_cells_have_no_code():
    values, first_rows, codes = holed().coding(0)
    assert values.tolist() == [1.0, 2.5]
    assert first_rows.tolist() == [2, 0]
    assert codes.tolist() == [1, -1, 0, 1]
    assert holed().present(0).tolist() == [2.5, 1.0, 2.5]
    assert holed().summary(0, np.max) == 2.5


def test_a_part_of_a_table_has_no_source_and_can_be_divided_again():
    part = holed().with_values_of(np.array([0, 3]))
    assert part.missing is None
    assert part.source is None
    assert part.total_weight == 2.0
    assert part.select(np.array([1])).values.tolist() == [[2.5, 864000.0, 7.0]]


def test_what_cannot_be_changed_is_copied_from_the_nearest():
    cells = cells_of(holed(), 1, np.array([-5.0, 100_000.0, 1e9]))
    assert cells == [
        pd.Timestamp("2024-01-01"),
        pd.Timestamp("2024-01-03"),
        pd.Timestamp("2024-01-11"),
    ]


def test_numbers_stay_near_what_was_seen():
    table = holed()
    low, inside, high = cells_of(table, 0, np.array([-99.0, 1.75, 99.0]))
    assert (low, inside) == (max(1.0 - 0.5 * np.std([2.5, 1.0, 2.5]), 0.0), 1.75)
    assert high == pytest.approx(2.5 + 0.5 * np.std([2.5, 1.0, 2.5]))
    assert cells_of(table, 2, np.array([6.6, -3.0])) == [7.0, 0.0]


def test_rows_are_taken_with_their_labels_and_filled():
    frame = pd.DataFrame({"a": [1.0, np.nan]}, index=["u", "v"])
    filled = take_and_fill(frame, (), np.array([0, 1, 1]), {"a": (np.array([1, 2]), [5.0, 6.0])})
    assert filled["a"].tolist() == [1.0, 5.0, 6.0]
    assert filled.index.tolist() == ["u", "v", "v"]
    assert np.isnan(frame["a"].iloc[1])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda d: np.array([d["a"]]).T])
def test_frames_are_stacked(make):
    upper, lower = make({"a": [1, 2]}), make({"a": [3]})
    stacked = stack_frames(rows_of(upper, np.array([1, 0])), lower)
    assert type(stacked) is type(upper)
    assert np.asarray(stacked).ravel().tolist() == [2, 1, 3]
