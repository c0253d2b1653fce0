import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import BaggingRegressor, RandomForestRegressor
from sklearn.feature_selection import RFE
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from causalaug.estimators._learner import (
    MOST_DRAWN_ROWS,
    Learner,
    Training,
    check_fit_params,
    check_learner,
    draw_equal_rows,
    seeded,
    weight_keyword,
)
from causalaug.exceptions import ParameterError


class TakesAnything(BaseEstimator):
    def fit(self, X, y, **keywords):
        return self

    def predict(self, X):
        return X


@pytest.mark.parametrize(
    ("learner", "keyword"),
    [
        (Ridge(), "sample_weight"),
        (BaggingRegressor(), "sample_weight"),
        (make_pipeline(StandardScaler(), Ridge()), "ridge__sample_weight"),
        (
            Pipeline([("outer", make_pipeline(StandardScaler(), Ridge()))]),
            "outer__ridge__sample_weight",
        ),
        (GridSearchCV(Ridge(), {}), "sample_weight"),
        (GridSearchCV(make_pipeline(Ridge()), {}), "ridge__sample_weight"),
        (TransformedTargetRegressor(Ridge()), "sample_weight"),
        (RFE(Ridge()), "sample_weight"),
    ],
)
def test_the_keyword_is_found_inside(learner, keyword):
    assert weight_keyword(learner) == keyword


@pytest.mark.parametrize(
    "learner",
    [
        KNeighborsRegressor(),
        make_pipeline(StandardScaler(), KNeighborsRegressor()),
        GridSearchCV(KNeighborsRegressor(), {}),
        TransformedTargetRegressor(KNeighborsRegressor()),
        TakesAnything(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_learners_that_take_no_weights_are_known(learner):
    check_learner(learner)
    assert weight_keyword(learner) is None


def test_a_pipeline_that_ends_in_nothing_takes_no_weights():
    assert weight_keyword(make_pipeline(Ridge(), "passthrough")) is None


@pytest.mark.parametrize("learner", [Ridge, None, 3, np.mean, StandardScaler()])
def test_what_is_no_learner_is_refused(learner):
    with pytest.raises(ParameterError, match="`estimator` must be a scikit-learn estimator"):
        check_learner(learner)


def test_with_routing_a_pipeline_must_have_asked_for_the_weights():
    with sklearn.config_context(enable_metadata_routing=True):
        asked = make_pipeline(StandardScaler(), Ridge().set_fit_request(sample_weight=True))
        assert weight_keyword(asked) == "sample_weight"
        refused = make_pipeline(StandardScaler(), Ridge().set_fit_request(sample_weight=False))
        assert weight_keyword(refused) is None


def test_the_learner_is_cloned_before_it_is_fitted():
    ridge = Ridge()
    fitted = Learner(ridge).fit(Training(np.eye(3), np.arange(3.0), np.ones(3), 3), seed=0)
    assert fitted is not ridge
    assert not hasattr(ridge, "coef_")


def test_open_seeds_are_set_at_any_depth_and_others_kept():
    forest = RandomForestRegressor()
    search = GridSearchCV(make_pipeline(StandardScaler(), forest), {})
    first, same, other = (seeded(search, np.random.default_rng(seed)) for seed in (0, 0, 1))
    seeds = [
        each.get_params()["estimator__randomforestregressor__random_state"]
        for each in (first, same, other)
    ]
    assert seeds[0] == seeds[1] != seeds[2]
    assert forest.random_state is None
    own = seeded(RandomForestRegressor(random_state=5), np.random.default_rng(0))
    assert own.random_state == 5
    assert seeded(Ridge(alpha=2.0), np.random.default_rng(0)).alpha == 2.0


# Rows of equal weight, for learners that take none.


@given(
    st.lists(st.floats(0.01, 5.0), min_size=1, max_size=20),
    st.lists(st.floats(0.0, 5.0), max_size=60),
    st.integers(0, 2**32 - 1),
)
def test_each_row_comes_as_often_as_its_weight_asks_for_up_to_one(observed, new, seed):
    weights = np.array(observed + new)
    rows = draw_equal_rows(weights, len(observed), np.random.default_rng(seed))
    wanted = weights * len(observed) / sum(observed)
    if wanted.sum() <= MOST_DRAWN_ROWS:
        times = np.bincount(rows, minlength=len(weights))
        assert (np.abs(times - wanted) < 1.0 + 1e-6).all()
        assert abs(times[len(observed) :].sum() - wanted[len(observed) :].sum()) < 1.0 + 1e-6
    assert (np.diff(rows) >= 0).all()


@given(st.integers(1, 200), st.integers(0, 300), st.sampled_from([0.1, 0.5, 0.75]))
def test_observed_rows_of_equal_weight_come_once_each(n_original, n_new, share):
    new = np.full(n_new, share * n_original / max(n_new, 1))
    weights = np.concatenate([np.full(n_original, 1.0 - share), new])
    rows = draw_equal_rows(weights, n_original, np.random.default_rng(0))
    assert rows[:n_original].tolist() == list(range(n_original))
    assert (rows[n_original:] >= n_original).all()


def test_there_are_at_most_so_many_drawn_rows():
    weights = np.concatenate([np.full(1000, 0.1), np.full(5000, 0.18)])
    rows = draw_equal_rows(weights, 1000, np.random.default_rng(0))
    assert len(rows) == pytest.approx(MOST_DRAWN_ROWS, abs=2)
    assert (rows < 1000).mean() == pytest.approx(0.1, abs=0.01)


def test_new_rows_alone_are_as_many_as_observed_ones():
    weights = np.concatenate([np.zeros(10), np.full(100, 0.1)])
    rows = draw_equal_rows(weights, 10, np.random.default_rng(0))
    assert len(rows) == pytest.approx(10, abs=1)
    assert (rows >= 10).all()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, lambda columns: None])
def test_a_learner_without_weights_gets_the_rows_that_were_drawn(library):
    columns = {"x": np.arange(30.0), "z": np.arange(30.0) % 7}
    features = library(columns)
    if features is None:
        features = np.column_stack(list(columns.values()))
    weights = np.concatenate([np.full(10, 0.5), np.linspace(0.0, 1.0, 20) / 2])
    rows = Training(features, np.arange(30.0), weights, 10)
    nearest = Learner(KNeighborsRegressor(1)).fit(rows, seed=3)
    chosen = draw_equal_rows(weights, 10, np.random.default_rng(3))
    assert nearest.n_samples_fit_ == len(chosen)
    assert_array_equal(nearest._y, chosen)


def test_a_learner_without_weights_gets_equal_rows_as_they_are():
    features = np.random.default_rng(0).normal(size=(12, 2))
    rows = Training(features, np.arange(12.0), np.full(12, 3.0), 12)
    nearest = Learner(KNeighborsRegressor(1)).fit(rows, seed=0)
    assert nearest._fit_X is features


def test_parameters_of_the_fit_are_passed_on_each_time():
    class Witness(Ridge):
        def fit(self, X, y, sample_weight=None, eval_set=None):
            self.eval_set_ = eval_set
            return super().fit(X, y, sample_weight)

    held = [(np.eye(2), np.ones(2))]
    rows = Training(np.eye(2), np.arange(2.0), np.ones(2), 2)
    assert Learner(Witness(), {"eval_set": held}).fit(rows, seed=0).eval_set_ is held


@pytest.mark.parametrize("value", [np.zeros(5), pd.Series(range(5)), np.zeros((5, 2))])
def test_parameters_with_one_value_per_row_are_refused(value):
    with pytest.raises(ParameterError, match="must not hold one value per row.* 'margin'"):
        check_fit_params({"margin": value}, n_rows=5)
    check_fit_params({"margin": value, "verbose": 5, "eval_set": [(1, 2)] * 5}, n_rows=6)
