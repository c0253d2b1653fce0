"""Compiled trees are XGBoost's exact ones, to the bit; XGBoost steps in wherever they are not."""

import platform
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.experiments import Booster
from causalaug.experiments._boosting import WeightedRows, compiled_trees_agree

trees = pytest.importorskip("causalaug.experiments._exact_trees", exc_type=ImportError)
pytest.importorskip("xgboost")

rounds_like_xgboost = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="compilers for other machines may round otherwise",
)

ROUNDS = (1, 4, 30)


@st.composite
def weighted_rows(draw):
    """Return rows with ties, copies and weights of all sizes, and a learner for them."""
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
    kind = draw(st.sampled_from(["equal", "even", "tiny"]))
    weight = {
        "equal": np.full(len(table), draw(st.sampled_from([0.5, 1.0]))),
        "even": rng.random(len(table)) * 3.0,
        "tiny": np.where(
            rng.random(len(table)) < 0.5, 0.5, 10.0 ** rng.uniform(-50, 0, len(table))
        ),
    }[kind]
    return WeightedRows(table[:, 1:], table[:, 0], weight)


boosters = st.builds(
    Booster,
    st.just("exact"),
    base_score=st.sampled_from([0.5, 0.0, -3.25]),
    max_depth=st.sampled_from([1, 2, 6, 40]),
)


@rounds_like_xgboost
@given(weighted_rows(), boosters, st.sampled_from([0.0, 0.1, 1.0, 10.0, 1000.0]))
def test_predictions_are_those_of_xgboost(rows, booster, reg_lambda):
    asked = np.vstack([rows.features, rows.features + 0.05])
    expected = booster._predict_by_xgboost(rows, reg_lambda, ROUNDS, asked)
    found = booster._predict_compiled(rows, reg_lambda, ROUNDS, asked)
    np.testing.assert_array_equal(found, expected)


@rounds_like_xgboost
@pytest.mark.parametrize("seed", [3, 6, 12])
def test_rows_asked_may_move_on_where_fitted_ones_stand_still(seed):
    """A leaf too small to move any large value that was fitted may move what is asked for."""
    rng = np.random.default_rng(seed)
    features = rng.integers(3, size=(8, 2)).astype(float)
    rows = WeightedRows(features, 1e3 * (features @ rng.normal(size=2) + 1.0), np.ones(8))
    asked = np.array([[a, b] for a in range(3) for b in range(3)], dtype=float)
    booster = Booster("exact", base_score=0.5, max_depth=1)
    np.testing.assert_array_equal(
        booster._predict_compiled(rows, 10.0, (3000,), asked),
        booster._predict_by_xgboost(rows, 10.0, (3000,), asked),
    )


@rounds_like_xgboost
def test_compiled_trees_are_used(monkeypatch):
    assert compiled_trees_agree()
    monkeypatch.delattr(Booster, "_predict_by_xgboost")
    rows = some_rows()
    assert len(Booster("exact", base_score=0.5).predict(rows, 1.0, 3, rows.features)) == 40


@given(weighted_rows())
def test_stages_may_come_in_any_order(rows):
    booster = Booster("exact", base_score=0.5)
    ascending = booster._predict_compiled(rows, 1.0, (2, 5, 300), rows.features)
    mixed = booster._predict_compiled(rows, 1.0, (300, 2, 2, 5), rows.features)
    np.testing.assert_array_equal(mixed, ascending[[2, 0, 0, 1]])


def test_a_fit_that_stands_still_ends():
    """A billion rounds take no time where the first tree has nothing left to add."""
    rows = some_rows()._replace(target=np.full(40, 0.5))
    booster = Booster("exact", base_score=0.5)
    (found,) = booster._predict_compiled(rows, 1.0, (10**9,), rows.features)
    assert (found == 0.5).all()


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


@pytest.mark.parametrize(
    "booster", [Booster("hist", 0.5), Booster("exact")], ids=["histograms", "mean of the target"]
)
def test_other_settings_are_left_to_xgboost(booster, monkeypatch):
    monkeypatch.delattr(Booster, "_predict_compiled")
    rows = some_rows()
    assert np.isfinite(booster.predict(rows, 1.0, 3, rows.features)).all()


def test_xgboost_says_that_trees_need_a_limit():
    rows, booster = some_rows(), Booster("exact", base_score=0.5, max_depth=0)
    with pytest.raises(ValueError, match="unlimited depth"):
        booster.predict(rows, 1.0, 3, rows.features)


@pytest.mark.parametrize("value", [np.inf, 1e20, np.nan])
def test_values_out_of_bounds_are_left_to_xgboost(value, monkeypatch):
    monkeypatch.delattr(Booster, "_predict_compiled")
    rows, booster = some_rows(), Booster("exact", base_score=0.5)
    rows.features[3, 1] = value
    if value == np.inf:
        with pytest.raises(ValueError, match="inf"):
            booster.predict(rows, 1.0, 3, rows.features)
    else:
        assert np.isfinite(booster.predict(rows, 1.0, 3, rows.features)).all()


@pytest.fixture
def ask_again():
    """Forget whether the trees agree, before the test and after it."""
    compiled_trees_agree.cache_clear()
    yield
    compiled_trees_agree.cache_clear()


@pytest.mark.usefixtures("ask_again")
def test_without_numba_xgboost_grows_the_trees(monkeypatch):
    monkeypatch.setitem(sys.modules, "causalaug.experiments._exact_trees", None)
    monkeypatch.delattr("causalaug.experiments._exact_trees")
    assert not compiled_trees_agree()
    monkeypatch.delattr(Booster, "_predict_compiled")
    rows = some_rows()
    assert np.isfinite(Booster("exact", base_score=0.5).predict(rows, 1.0, 3, rows.features)).all()


@pytest.mark.usefixtures("ask_again")
def test_trees_that_round_otherwise_are_not_used(monkeypatch):
    real = trees.predict_stages

    def off_by_a_bit(*args, **settings):
        stages = real(*args, **settings)
        stages[-1, -1] = np.nextafter(stages[-1, -1], np.float32(9.0))
        return stages

    monkeypatch.setattr(trees, "predict_stages", off_by_a_bit)
    assert not compiled_trees_agree()
    rows, booster = some_rows(), Booster("exact", base_score=0.5)
    np.testing.assert_array_equal(
        booster.predict_stages(rows, 1.0, ROUNDS, rows.features),
        booster._predict_by_xgboost(rows, 1.0, ROUNDS, rows.features),
    )


@rounds_like_xgboost
@pytest.mark.usefixtures("ask_again")
def test_the_probe_notices_another_order_of_equal_values(monkeypatch):
    """Sums of the same weights in another order differ in their last bit at most."""
    real = trees.sort_rows

    def stable(features):
        cells, values = real(features)
        return trees.SortedRows(np.vstack([np.sort(cells[:-1], axis=1), cells[-1:]]), values)

    monkeypatch.setattr(trees, "sort_rows", stable)
    assert not compiled_trees_agree()


def test_machine_code_needs_no_place_on_disk(monkeypatch):
    def njit(*, cache=False, nogil):
        assert nogil
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: (function, "compiled")

    monkeypatch.setattr(trees, "njit", njit)
    assert trees.compiled(len) == (len, "compiled")


def some_rows():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(40, 3))
    return WeightedRows(features, features[:, 0] + rng.normal(size=40), np.ones(40))
