"""Compiled trees are XGBoost's exact ones, to the bit."""

import platform
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.experiments._fits import Fit, WeightedRows, predict_by_xgboost, predict_compiled

trees = pytest.importorskip("causalaug.experiments._exact_trees")
pytest.importorskip("xgboost")

rounds_like_xgboost = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="compilers for other machines may round otherwise",
)


@st.composite
def weighted_rows(draw):
    """Return rows with ties, copies and weights of all sizes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_columns = draw(st.integers(1, 80)), draw(st.integers(1, 5))
    table = rng.normal(size=(n_rows, n_columns + 1)).round(draw(st.sampled_from([0, 1, 9])))
    if draw(st.booleans()):
        copied = table[rng.integers(n_rows, size=(n_rows, n_columns + 1)), np.arange(n_columns + 1)]
        table = np.vstack([table, np.where(rng.random((n_rows, 1)) < 0.5, copied, table)])
    values = draw(st.sampled_from(["any", "sorted", "neighbours"]))
    if values == "sorted":
        table = np.sort(table, axis=0)
    elif values == "neighbours":
        table[:, 1:] = 1.0 + table[:, 1:].round() * np.finfo(np.float32).eps
    weight = rng.random(len(table)) * 3.0
    kind = draw(st.sampled_from(["any", "equal", "tiny"]))
    if kind == "equal":
        weight[:] = draw(st.sampled_from([0.5, 1.0]))
    elif kind == "tiny":
        weight = np.where(weight < 1.5, 0.5, 10.0 ** rng.uniform(-50, 0, len(table)))
    return WeightedRows(table[:, 1:], table[:, 0], weight)


@st.composite
def fits(draw):
    rows = draw(weighted_rows())
    return Fit(
        rows,
        np.vstack([rows.features, rows.features + 0.05]),
        rounds=(1, 4, 30),
        reg_lambda=draw(st.sampled_from([0.0, 0.1, 1.0, 10.0, 1000.0])),
        base_score=draw(st.sampled_from([0.5, 0.0, -3.25])),
        max_depth=draw(st.sampled_from([1, 2, 6, 40])),
    )


def assert_same(fit):
    np.testing.assert_array_equal(predict_compiled(fit), predict_by_xgboost(fit))


@rounds_like_xgboost
@given(fits())
def test_predictions_are_those_of_xgboost(fit):
    assert_same(fit)


@rounds_like_xgboost
@pytest.mark.parametrize("seed", [3, 6, 12])
def test_rows_asked_may_move_on_where_fitted_ones_stand_still(seed):
    """A leaf too small to move any large value that was fitted may move what is asked for."""
    rng = np.random.default_rng(seed)
    features = rng.integers(3, size=(8, 2)).astype(float)
    rows = WeightedRows(features, 1e3 * (features @ rng.normal(size=2) + 1.0), np.ones(8))
    asked = np.array([[a, b] for a in range(3) for b in range(3)], dtype=float)
    assert_same(Fit(rows, asked, rounds=(3000,), reg_lambda=10.0, max_depth=1))


@rounds_like_xgboost
@pytest.mark.parametrize("seed", range(13, 19))
def test_gains_far_below_what_both_sides_score(seed):
    """One heavy row: the score of a split is rounded by more than it gains."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(40, 4)).round(1)
    weight = np.ones(40)
    weight[0] = 1e6
    rows = WeightedRows(table[:, 1:], table[:, 0], weight)
    assert_same(Fit(rows, rows.features, rounds=(30,), reg_lambda=1.0, base_score=10.0))


@given(weighted_rows())
def test_stages_may_come_in_any_order(rows):
    ascending = predict_compiled(Fit(rows, rows.features, (2, 5, 300), 1.0))
    mixed = predict_compiled(Fit(rows, rows.features, (300, 2, 2, 5), 1.0))
    np.testing.assert_array_equal(mixed, ascending[[2, 0, 0, 1]])


def test_a_fit_that_stands_still_ends():
    """A billion rounds take no time where the first tree has nothing left to add."""
    features = np.random.default_rng(0).normal(size=(40, 3))
    rows = WeightedRows(features, np.full(40, 0.5), np.ones(40))
    assert (predict_compiled(Fit(rows, features, (10**9,), 1.0)) == 0.5).all()


@given(weighted_rows())
def test_rows_are_sorted_by_every_column(rows):
    features = rows.features.astype(np.float32)
    cells, values = trees.sort_rows(features)
    np.testing.assert_array_equal(cells[-1], np.arange(len(features)))
    for line, distinct, column in zip(cells[:-1], values, features.T, strict=True):
        number, rank = line & trees.ROW_BITS, line >> trees.RANK_BITS
        np.testing.assert_array_equal(np.sort(number), np.arange(len(features)))
        np.testing.assert_array_equal(column[number], np.sort(column))
        np.testing.assert_array_equal(distinct[rank], np.sort(column))


def test_machine_code_needs_no_place_on_disk(monkeypatch):
    def njit(*, cache=False, nogil):
        assert nogil
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: (function, "compiled")

    monkeypatch.setattr(trees, "njit", njit)
    assert trees.compiled(len) == (len, "compiled")
