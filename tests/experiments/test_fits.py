"""Compiled trees are used where they are XGBoost's; XGBoost steps in everywhere else."""

import platform
import sys

import numpy as np
import pytest

from causalaug.experiments import _fits as fits
from causalaug.experiments._fits import Fit, WeightedRows, compiled_trees_agree, predict_stages

pytest.importorskip("xgboost")
trees = pytest.importorskip("causalaug.experiments._exact_trees")

pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="compilers for other machines may round otherwise",
)


@pytest.fixture
def fit():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(40, 3))
    rows = WeightedRows(features, features[:, 0] + rng.normal(size=40), np.ones(40))
    return Fit(rows, features[:5], rounds=(1, 4), reg_lambda=1.0)


@pytest.fixture(autouse=True)
def ask_again():
    """Forget whether the trees agree, before the test and after it."""
    compiled_trees_agree.cache_clear()
    yield
    compiled_trees_agree.cache_clear()


def test_compiled_trees_are_used(fit, monkeypatch):
    assert compiled_trees_agree()
    expected = fits.predict_by_xgboost(fit)
    monkeypatch.delattr(fits, "predict_by_xgboost")
    np.testing.assert_array_equal(predict_stages(fit), expected)


@pytest.mark.parametrize(
    "change",
    [
        {"tree_method": "hist"},
        {"base_score": None},
        {"reg_lambda": 1e-40},
        {"rounds": (0, 5)},
        {"asked": np.zeros((2, 2))},
    ],
    ids=["histograms", "mean of the target", "a tiny penalty", "no round", "too few columns"],
)
def test_other_settings_are_left_to_xgboost(fit, change):
    assert fits.may_be_compiled(fit)
    assert not fits.may_be_compiled(fit._replace(**change))


@pytest.mark.parametrize("name", ["features", "target", "weight", "asked"])
@pytest.mark.parametrize("value", [np.inf, np.nan, 1e19, -1e19])
def test_values_out_of_bounds_are_left_to_xgboost(fit, name, value):
    part = fit.asked.copy() if name == "asked" else getattr(fit.rows, name).copy()
    part.flat[3] = value
    is_asked = name == "asked"
    changed = {"asked": part} if is_asked else {"rows": fit.rows._replace(**{name: part})}
    assert not fits.may_be_compiled(fit._replace(**changed))


def test_sums_out_of_bounds_are_left_to_xgboost(fit):
    """Each value is far from the bound, the sum of weighted residuals is not."""
    rows = fit.rows._replace(target=fit.rows.target * 1e14, weight=fit.rows.weight * 1e5)
    assert not fits.may_be_compiled(fit._replace(rows=rows))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_depth": 0}, "unlimited depth"),
        ({"reg_lambda": -1.0}, "lambda"),
    ],
)
def test_xgboost_says_what_is_wrong(fit, change, message):
    with pytest.raises(ValueError, match=message):
        predict_stages(fit._replace(**change))


def test_rows_without_a_target_are_left_to_xgboost(fit):
    with pytest.raises(ValueError, match="size"):
        predict_stages(fit._replace(rows=fit.rows._replace(target=fit.rows.target[:-1])))


def test_without_numba_xgboost_grows_the_trees(fit, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delattr(fits, "predict_compiled")
    assert not compiled_trees_agree()
    assert predict_stages(fit).shape == (2, 5)


def test_xgboost_grows_the_trees_where_compiling_fails(fit, monkeypatch):
    def fail(*args, **settings):
        raise EOFError("Ran out of input")

    monkeypatch.setattr(trees, "predict_stages", fail)
    message = (
        "^numba is installed, but compiling with it fails: EOFError: Ran out of input. "
        "XGBoost grows the trees instead, which takes longer.$"
    )
    with pytest.warns(RuntimeWarning, match=message):
        assert not compiled_trees_agree()
    np.testing.assert_array_equal(predict_stages(fit), fits.predict_by_xgboost(fit))


def test_trees_that_are_not_compiled_are_not_used(monkeypatch):
    monkeypatch.setattr(trees, "IS_COMPILED", False)
    assert not compiled_trees_agree()


def off_by_a_bit(real):
    def changed(*args, **settings):
        stages = real(*args, **settings)
        stages[-1, -1] = np.nextafter(stages[-1, -1], np.float32(9.0))
        return stages

    return changed


def in_their_order(real):
    """Sums of the same weights in another order differ in their last bit at most."""

    def changed(features):
        cells, values = real(features)
        return trees.SortedRows(np.vstack([np.sort(cells[:-1], axis=1), cells[-1:]]), values)

    return changed


@pytest.mark.parametrize(
    ("name", "change"), [("predict_stages", off_by_a_bit), ("sort_rows", in_their_order)]
)
def test_trees_that_round_otherwise_are_not_used(fit, monkeypatch, name, change):
    monkeypatch.setattr(trees, name, change(getattr(trees, name)))
    assert not compiled_trees_agree()
    np.testing.assert_array_equal(predict_stages(fit), fits.predict_by_xgboost(fit))
