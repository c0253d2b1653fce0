"""New rows in the coding of a fitted table."""

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import causalaug as ca
from causalaug.exceptions import TableError
from causalaug.table import UNSEEN, code_rows

FRAME = pd.DataFrame(
    {
        "make": ["VW", "Ford", "VW"],
        "size": pd.Categorical(["m", "s", "l"], ["s", "m", "l"], ordered=True),
        "day": pd.to_datetime(["2024-03-02", "2024-03-01", "2024-03-05"]),
        "mpg": [33.5, 14.0, 20.0],
        "big": [2**60 + 1, 2**60, 2**60 + 5],
    }
)
KINDS = {"big": "continuous"}


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_the_rows_of_the_table_have_its_own_values(convert):
    table = ca.Table.from_frame(FRAME, kinds=KINDS)
    backwards = FRAME.iloc[::-1].reset_index(drop=True)
    np.testing.assert_array_equal(code_rows(table, convert(backwards)), table.values[::-1])


def test_other_categories_are_matched_by_their_label():
    table = ca.Table.from_frame(FRAME, kinds=KINDS)
    new = pd.DataFrame({"size": pd.Categorical(["l", "xl", None], ["xl", "l"])})
    np.testing.assert_array_equal(code_rows(table, new)[:, 1], [2.0, UNSEEN, np.nan])


def test_times_and_integers_are_measured_from_the_same_origin():
    table = ca.Table.from_frame(FRAME, kinds=KINDS)
    new = pd.DataFrame({"day": pd.to_datetime(["2024-02-29", None]), "big": [2**60 + 7, 2**60 - 1]})
    coded = code_rows(table, new)
    np.testing.assert_array_equal(coded[:, 2], [-86400.0, np.nan])
    np.testing.assert_array_equal(coded[:, 4], [7.0, -1.0])


def coded(fitted, new, kinds=None):
    table = ca.Table.from_frame(as_frame(fitted), kinds=kinds)
    return code_rows(table, as_frame(new))[:, 0]


def as_frame(cells):
    is_frame = isinstance(cells, pd.DataFrame | pl.DataFrame | pa.Table)
    return cells if is_frame else pd.DataFrame({"x": cells})


def objects(*cells):
    return pd.Series(cells, dtype=object)


@pytest.mark.parametrize(
    ("fitted", "new", "text"),
    [
        (["0", "1"], [0, 1], r"'x' must hold text, as .*Found numbers or booleans \(dtype int64\)"),
        ([0, 1], ["0", "1"], "must hold numbers or booleans, .*Found text"),
        ([True, False], ["True", "False"], "must hold numbers or booleans, .*Found text"),
        (["0", "1"], pd.Categorical([0, 1]), "must hold text, .*Found numbers or booleans"),
        (pl.DataFrame({"x": ["0", "1"]}), pa.table({"x": [0, 1]}), "text, .*Found numbers"),
        (["2024-01-01"], pd.to_datetime(["2024-01-01"]), "text, .*Found times without a zone"),
        ([b"a"], ["a"], "must hold cells of type bytes, .*Found text"),
        (objects("a", 1), [date(2024, 1, 1)], "numbers or booleans or text, .*Found dates"),
    ],
)
def test_levels_of_another_sort_are_refused(fitted, new, text):
    with pytest.raises(TableError, match=f"{text}.*Convert it"):
        coded(fitted, new)


@pytest.mark.parametrize(
    ("fitted", "new", "values"),
    [
        ([0, 1], [1.0, 7.0], [1.0, UNSEEN]),
        ([0, 1], [True, False], [1.0, 0.0]),
        ([True, False], pd.Series([1, None], dtype="Int64"), [1.0, np.nan]),
        (pd.Series(["a", "b"], dtype="string"), pd.Categorical(["b", "c"]), [1.0, UNSEEN]),
        (["a", "b"], objects("c", 1), [UNSEEN, UNSEEN]),
        (objects("a", 1), [7], [UNSEEN]),
        (["a", "b"], [np.nan, np.nan], [np.nan, np.nan]),
    ],
)
def test_levels_of_one_sort_may_have_any_dtype(fitted, new, values):
    np.testing.assert_array_equal(coded(fitted, new), values)


DAYS = pd.date_range("2024-01-01", periods=12)
SECONDS = pd.to_timedelta(np.arange(12), unit="s")


@pytest.mark.parametrize(
    ("fitted", "new", "text"),
    [
        (SECONDS, [10, 40], r"must hold durations, .*Found numbers or booleans \(dtype int64\)"),
        (np.arange(12), SECONDS, "must hold numbers or booleans, .*Found durations"),
        (DAYS, [0.5], "must hold times without a zone, .*Found numbers"),
        (np.arange(12), objects(1, "2"), "must hold numbers or booleans, .*Found text"),
        (objects(*DAYS.date), DAYS, "must hold dates, .*Found times without a zone"),
        (
            SECONDS.as_unit("ns"),
            objects(*SECONDS),
            r"durations, .*Found durations \(dtype object\)",
        ),
    ],
)
def test_quantities_of_another_sort_are_refused(fitted, new, text):
    with pytest.raises(TableError, match=f"{text}.*Convert it"):
        coded(fitted, new)


ZONES = ["UTC", "Asia/Tokyo", "America/New_York"]


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("zone", ZONES)
def test_times_have_a_zone_or_have_none(zone, convert):
    without, zoned = (convert(pd.DataFrame({"x": days})) for days in (DAYS, DAYS.tz_localize(zone)))
    with pytest.raises(TableError, match=r"times without a zone, .*Found times with a zone"):
        coded(without, zoned)
    with pytest.raises(TableError, match=r"times with a zone, .*Found times without a zone"):
        coded(zoned, without)


@pytest.mark.parametrize("dtype", [None, object])
@pytest.mark.parametrize("other", ZONES)
@pytest.mark.parametrize("zone", ZONES)
def test_instants_are_the_same_in_all_zones(zone, other, dtype):
    fitted = pd.Series(DAYS.tz_localize(zone))
    new = pd.Series(fitted[[2, 0]].dt.tz_convert(other), dtype=dtype)
    np.testing.assert_array_equal(coded(fitted, new), [172_800.0, 0.0])
    np.testing.assert_array_equal(coded(new, fitted[:3]), [0.0, 86_400.0, 172_800.0])


def test_categories_are_measured_by_their_labels():
    new = pd.Categorical([2.5, None, 0.5])
    np.testing.assert_array_equal(coded([0.5, 1.5], new), [2.5, np.nan, 0.5])


@pytest.mark.parametrize("fitted", [DAYS, SECONDS, [0.5, 1.5], ["a", "b"]])
@pytest.mark.parametrize(
    "new",
    [
        np.full(2, np.nan),
        [None, None],
        [pd.NaT, pd.NaT],
        pd.Series([pd.NA, pd.NA], dtype="Int64"),
        pd.Categorical([None, None]),
        pl.DataFrame({"x": [None, None]}),
        pa.table({"x": pa.nulls(2)}),
    ],
)
def test_a_column_without_any_cell_is_missing_whatever_its_dtype(fitted, new):
    np.testing.assert_array_equal(coded(fitted, new), [np.nan, np.nan])
