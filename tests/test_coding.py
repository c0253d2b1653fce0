"""New rows in the coding of a fitted table."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import causalaug as ca
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
