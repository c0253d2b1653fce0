"""Quantiles and intervals of a blend, from its errors on held-out rows."""

import pickle
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge

import causalaug as ca
from causalaug.estimators._cross_fit import CrossFit
from causalaug.estimators._intervals import HeldOutErrors, quantiles_of_errors
from causalaug.exceptions import ParameterError, TableError

ARROWS = "a -> y; b -> y; y -> c"
LEVELS = np.array([0.0, 0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98, 1.0])


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    y = X["a"] - X["b"] + rng.normal(size=n)
    return X.assign(c=y + rng.normal(size=n)), y.rename("y")


def make(**options):
    small = ca.BudgetExpansion(200)
    defaults = {
        "graph": ARROWS,
        "expansion": small,
        "random_state": 0,
        "conditional": small_model(),
    }
    return ca.AugmentedRegressor(Ridge(), **{**defaults, **options})


def small_model():
    return ca.ResidualConditional()


@pytest.fixture(scope="module")
def fitted():
    return make().fit(*rows(40))


numbers = st.floats(-1e3, 1e3, allow_subnormal=False)
some_errors = st.lists(st.tuples(numbers, st.floats(0.01, 9.0)), min_size=1, max_size=30).map(
    lambda pairs: np.array(pairs).T
)
some_levels = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9).map(np.array)


@given(some_errors, some_levels)
def test_quantiles_of_errors_are_errors_and_ascend(errors, levels):
    values, weights = errors
    found = quantiles_of_errors(values, weights, np.sort(levels))
    assert (np.diff(found) >= 0.0).all()
    assert np.isin(found[np.sort(levels) != 0.5], values).all()


@given(some_errors, some_levels)
def test_errors_of_the_other_sign_have_the_other_quantiles(errors, levels):
    values, weights = errors
    mirrored = -quantiles_of_errors(-values, weights, 1.0 - levels)
    # One minus a level may be one half although the level is not.
    clear = np.abs(levels - 0.5) > 1e-9
    assert_array_equal(quantiles_of_errors(values, weights, levels)[clear], mirrored[clear])


@given(some_errors, some_levels, st.sampled_from([0.25, 2.0, 1024.0]))
def test_weights_count_by_their_shares(errors, levels, factor):
    values, weights = errors
    scaled = quantiles_of_errors(values, factor * weights, levels)
    assert_array_equal(scaled, quantiles_of_errors(values, weights, levels))


@given(st.integers(1, 60), st.floats(0.0, 1.0))
def test_of_equal_weights_the_error_has_the_rank_of_one_row_more(n, level):
    errors = np.arange(1.0, n + 1.0)
    (found,) = quantiles_of_errors(errors, np.ones(n), np.array([level]))
    rank = (n + 1) * level
    if level > 0.5:
        assert found == pytest.approx(min(np.ceil(rank - 1e-6), n))
    elif level < 0.5:
        assert found == pytest.approx(max(np.floor(rank + 1e-6), 1))


def test_intervals_of_exchangeable_rows_hold_at_least_what_they_say():
    """The law that the rank is for: of n + 1 errors any is as likely to be the new one."""
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(2000):
        *held_out, new = rng.standard_t(2, size=20)
        low, high = quantiles_of_errors(np.array(held_out), np.ones(19), np.array([0.1, 0.9]))
        inside.append(low <= new <= high)
    assert 0.78 < np.mean(inside) < 0.84


def test_quantiles_ascend_and_intervals_are_nested(fitted):
    X, _ = rows(30, seed=1)
    X.iloc[:5, 0] = np.nan
    found = fitted.predict_quantile(X, LEVELS)
    assert found.shape == (30, len(LEVELS))
    assert (np.diff(found, axis=1) >= 0.0).all()
    assert_array_equal(fitted.predict_quantile(X, LEVELS[::-1]), found[:, ::-1])
    narrow, wide = fitted.predict_interval(X, 0.5), fitted.predict_interval(X)
    assert narrow.shape == (30, 2)
    assert (wide[:, 0] <= narrow[:, 0]).all()
    assert (narrow[:, 1] <= wide[:, 1]).all()
    assert_allclose(wide, fitted.predict_quantile(X, [0.05, 0.95]))


@dataclass(frozen=True)
class Says:
    """A model whose means and standard deviations are known."""

    moments: np.ndarray

    def predict_moments(self, X):
        return self.moments


def errors_of(scale, shift, seed, *, sure=False):
    """Return quantiles for three rows, where all numbers are in other units."""
    rng = np.random.default_rng(seed)
    said, target = rng.normal(size=(12, 2)), rng.normal(size=12)
    means, spreads = rng.normal(size=(2, 15))
    moments = np.array([scale * means + shift, abs(scale) * np.abs(spreads) * (not sure)])
    if sure:
        moments[0, :12] = scale * said.mean(axis=1) + shift
    judged = CrossFit(
        (),
        scale * said + shift,
        scale * target + shift,
        rng.random(12),
        None,
        moments=moments[:, :12],
    )
    model = Says(moments[:, 12:])
    errors = HeldOutErrors.of(judged, np.full(2, 0.5), model, (-np.inf, np.inf), is_whole=False)
    levels = LEVELS if scale > 0.0 else 1.0 - LEVELS
    return errors.quantiles(scale * rng.normal(size=3) + shift, None, levels)


@given(st.floats(0.001, 1e3) | st.floats(-1e3, -0.001), st.floats(-100.0, 100.0), st.integers(0, 9))
def test_other_units_of_the_target_give_quantiles_in_them(scale, shift, seed):
    found, expected = errors_of(scale, shift, seed), scale * errors_of(1.0, 0.0, seed) + shift
    assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * (abs(scale) + abs(shift)))


def test_a_fit_in_other_units_has_about_the_same_intervals():
    """Folds and new rows follow the contents of the rows, so that it is not quite the same."""
    X, y = rows(80)
    asked, _ = rows(20, seed=1)
    expected = make().fit(X, y).predict_interval(asked)
    found = make().fit(X, 1000.0 * y - 500.0).predict_interval(asked)
    off = np.abs((found + 500.0) / 1000.0 - expected)
    assert off.mean() < 0.25 * np.diff(expected).mean()


def test_a_model_that_is_sure_of_all_it_says_leaves_errors_as_they_are():
    found = errors_of(1.0, 0.0, 0, sure=True)
    assert np.isfinite(found).all()
    assert (np.diff(found[:, [2, 8]]) > 0.0).all()


def test_processes_do_not_matter(fitted):
    X, y = rows(40)
    shared = make(n_jobs=2).fit(X, y)
    assert_array_equal(shared.predict_interval(X), fitted.predict_interval(X))


def test_a_pickled_blend_says_the_same_and_a_new_fit_forgets(fitted):
    X, y = rows(40)
    copy = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(copy.predict_interval(X), fitted.predict_interval(X))
    copy.set_params(augmented_share=0.5).fit(X, y)
    assert not hasattr(copy, "predict_interval")


@pytest.mark.parametrize("graph", [ARROWS, "a -> c; b; y"])
def test_intervals_hold_what_they_say_under_right_and_wrong_graphs(graph):
    X_new, y_new = rows(500, seed=99)
    inside = []
    for seed in range(6):
        low, high = make(graph=graph).fit(*rows(60, seed)).predict_interval(X_new).T
        inside.append(np.mean((low <= y_new) & (y_new <= high)))
    assert 0.85 < np.mean(inside) < 0.95


def test_a_row_of_which_less_is_known_has_a_wider_interval(fitted):
    X, _ = rows(20, seed=1)
    whole, lacking = (
        fitted.predict_interval(X),
        fitted.predict_interval(X.assign(c=np.nan, a=np.nan)),
    )
    assert np.diff(lacking).mean() > 1.2 * np.diff(whole).mean()


def test_whole_targets_have_whole_quantiles():
    X, y = rows(40)
    asked, _ = rows(20, seed=1)
    for whole in (np.round(3 * y).astype(int), np.round(3 * y)):
        found = make().fit(X, whole).predict_quantile(asked, LEVELS)
        assert_array_equal(found, np.round(found))
        assert (np.diff(found, axis=1) >= 0.0).all()
        assert np.diff(found[:, [2, 8]]).min() > 0.0


def test_quantiles_stay_within_the_limits_of_the_target():
    X, y = rows(40)
    limits = {"y": (float(y.min()), None)}
    found = make(limits=limits).fit(X, y).predict_quantile(X, [0.0, 0.5])
    assert found.min() == y.min()


@pytest.mark.filterwarnings("ignore:Most rows have an equal one")
def test_a_weight_of_two_is_the_row_twice():
    X, y = rows(40)
    twice = np.repeat(np.arange(40), 2)
    weighed = make().fit(X, y, sample_weight=np.full(40, 2.0))
    repeated = make().fit(X.iloc[twice], y.iloc[twice])
    assert_allclose(repeated.predict_interval(X), weighed.predict_interval(X))


def test_columns_outside_the_graph_and_arrays_are_taken():
    X, y = rows(40)
    with pytest.warns(ca.exceptions.CausalAugWarning):
        model = make(graph="a -> y -> c").fit(X, y)
    assert (np.diff(model.predict_interval(X)) > 0.0).all()
    array = make(feature_names=["a", "b", "c"], target="y").fit(X.to_numpy(), y.to_numpy())
    assert (np.diff(array.predict_interval(X.to_numpy())) > 0.0).all()
    assert array.predict_interval(X.to_numpy()[:0]).shape == (0, 2)


def test_a_blend_without_the_graphs_model_has_intervals():
    X, y = rows(40)
    model = make(augmented_share=ca.Blend(model=False)).fit(X, y)
    assert (np.diff(model.predict_interval(X)) > 0.0).all()


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"augmented_share": 0.5}, "augmented_share=0.5"),
        ({"augmented_share": ca.Gate()}, "augmented_share=Gate"),
        ({"graph": None}, "no graph"),
    ],
)
@pytest.mark.parametrize("method", ["predict_quantile", "predict_interval"])
@pytest.mark.filterwarnings("ignore:`graph` is None")
def test_what_is_no_blend_has_no_intervals(options, found, method):
    model = make(**options)
    for each in (model, model.fit(*rows(20))):
        assert not hasattr(each, method)
        with pytest.raises(AttributeError, match=f"`{method}` must come from a blend.*{found}"):
            getattr(each, method)


def test_few_rows_are_refused_and_so_is_what_is_not_fitted():
    X, y = rows(9)
    with pytest.raises(NotFittedError):
        make().predict_interval(X)
    with pytest.raises(TableError, match="at least 10 rows that have a target"):
        make().fit(X, y).predict_interval(X)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda model, X: model.predict_quantile(X, [10, 90]), "Found 10. Write 0.1"),
        (lambda model, X: model.predict_quantile(X, []), "at least one probability"),
        (lambda model, X: model.predict_interval(X, 90), "Found 90. Write 0.9"),
        (lambda model, X: model.predict_interval(X, None), "must lie between 0 and 1"),
        (lambda model, X: model.predict_interval(X, [0.1, 0.9]), "must lie between 0 and 1"),
        (lambda model, X: model.predict_interval(X, np.nan), "must lie between 0 and 1"),
    ],
)
def test_levels_must_be_probabilities(fitted, ask, message):
    with pytest.raises(ParameterError, match=message):
        ask(fitted, rows(3)[0])
