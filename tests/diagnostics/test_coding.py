import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from causalaug.diagnostics._coding import (
    Variable,
    read_variables,
    standardized,
    strata_of,
)
from causalaug.table import Table


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_numbers_have_mean_zero_and_variance_one(scale):
    values = standardized(scale * np.array([1.0, 2.0, 4.0, -7.0]))
    assert values.mean() == pytest.approx(0.0, abs=1e-12)
    assert values.var() == pytest.approx(1.0)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e300])
def test_a_constant_becomes_zero(value):
    assert not standardized(np.full(7, value)).any()


def test_scores_keep_ranks_and_ties():
    scores = Variable("x", np.array([5.0, 1.0, 1.0, 900.0]), 0).scores
    np.testing.assert_allclose(scores, stats.norm.ppf([0.625, 0.25, 0.25, 0.875]))


def test_the_most_common_level_has_no_indicator():
    levels = Variable("x", np.array([2.0, 0.0, 1.0, 2.0]), 3)
    assert levels.indicators().T.tolist() == [[0, 1, 0, 0], [0, 0, 1, 0]]


@pytest.mark.parametrize(("most_levels", "is_number"), [(10, True), (11, False), (None, False)])
def test_integers_are_numbers_if_they_have_many_values(most_levels, is_number):
    frame = pd.DataFrame({"x": range(11), "name": list("abcdefghijk")})
    table = Table.from_frame(frame, kinds={"x": "ordered"})
    read = read_variables(table, most_levels)
    assert read["x"].is_number is is_number
    assert not read["name"].is_number


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=10))
def test_rows_share_a_stratum_if_all_levels_agree(rows):
    columns = np.array(rows, dtype=float).T
    stratum = strata_of([Variable("x", column, 3) for column in columns], len(rows))
    assert len(set(zip(rows, stratum.tolist(), strict=True))) == len(set(rows))
    assert set(stratum.tolist()) == set(range(len(set(rows))))


def test_without_levels_there_is_one_stratum():
    assert strata_of([], 3).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("kind", "most_levels", "n_levels"),
    [("nominal", 10, 12), ("ordered", 10, 0), ("continuous", 10, 0), ("nominal", 0, 0)],
)
def test_many_nominal_numbers_are_levels_and_many_ordered_ones_numbers(kind, most_levels, n_levels):
    frame = pd.DataFrame({"site": np.repeat(np.arange(12), 3)})
    table = Table.from_frame(frame, kinds={"site": kind})
    assert read_variables(table, most_levels)["site"].n_levels == n_levels
