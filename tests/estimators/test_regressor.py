import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from lightgbm import LGBMRegressor
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRegressor

import causalaug as ca
from causalaug.exceptions import (
    CausalAugError,
    GraphFormatError,
    GraphMismatchError,
    ParameterError,
    TableError,
)
from learners import GRAPH, Recorder, Spy, rows_of_regression

SMALL = ca.BudgetExpansion(50)


def make(estimator=None, **options):
    learner = Ridge() if estimator is None else estimator
    defaults = {"graph": GRAPH, "expansion": SMALL, "augmented_share": 0.5, "random_state": 0}
    return ca.AugmentedRegressor(learner, **{**defaults, **options})


@pytest.fixture
def rows():
    return rows_of_regression()


# Weights.


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0, 1, np.float32(0.5)])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_share_splits_the_weight_and_the_total_is_that_of_the_rows(rows, share, weighted):
    X, y = rows
    weights = np.arange(1.0, 25.0) if weighted else None
    model = make(Recorder(), augmented_share=share).fit(X, y, sample_weight=weights)
    own = np.ones(24) if weights is None else weights
    found = model.estimator_.weights_
    assert_allclose(found[:24], (1.0 - share) * own)
    assert found[24:].sum() == pytest.approx(share * own.sum())
    assert found.sum() == pytest.approx(own.sum())
    assert model.augmented_share_ == float(share)
    assert type(model.augmented_share_) is float
    assert len(found) == (24 + 50 if share else 24)


def test_new_rows_weigh_in_proportion_to_their_paths(rows):
    X, y = rows
    model = make(Recorder()).fit(X, y)
    new = model.estimator_.weights_[24:]
    assert_allclose(new / new.sum(), model.augmented_.weights / model.augmented_.mass)
    assert_array_equal(model.estimator_.X_[24:], model.augmented_.frame[["a", "b", "c"]])
    assert_array_equal(model.estimator_.y_[24:], model.augmented_.frame["y"])


def test_rows_of_no_weight_lend_nothing_and_are_not_learnt(rows):
    X, y = rows
    weights = np.where(np.arange(24) % 3 == 0, 0.0, 2.0)
    weighted = make(Recorder()).fit(X, y, sample_weight=weights)
    without = make(Recorder()).fit(X[weights > 0.0], y[weights > 0.0])
    assert weighted.augmented_.table.n_rows == 16
    pd.testing.assert_frame_equal(weighted.augmented_.frame, without.augmented_.frame)
    assert_allclose(weighted.estimator_.weights_, 2.0 * without.estimator_.weights_)


def test_a_heavy_row_lends_more_often(rows):
    X, y = rows
    weights = np.ones(24)
    weights[5] = 10.0
    model = make(expansion=ca.BudgetExpansion(5000)).fit(X, y, sample_weight=weights)
    lent = np.bincount(model.augmented_.rows[:, 0], model.augmented_.weights, minlength=24)
    assert lent[5] / lent.sum() == pytest.approx(10.0 / 33.0, rel=0.01)


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        (np.ones(23), "one number for each of the 24 rows. Found float64 of shape \\(23,\\)"),
        (np.ones((24, 1)), "Found float64 of shape \\(24, 1\\)"),
        (["heavy"] * 24, "`sample_weight` must hold one number for each of the 24 rows"),
        (-np.ones(24), "finite, not negative, and not all zero. Found values from -1.0 to -1.0"),
        (np.zeros(24), "not all zero"),
        (np.full(24, np.nan), "must be finite"),
    ],
)
def test_wrong_weights_are_refused(rows, weights, text):
    with pytest.raises(ParameterError, match=text):
        make().fit(*rows, sample_weight=weights)


# The plain learner.


@pytest.mark.parametrize("learner", [Ridge(), HistGradientBoostingRegressor(random_state=0)])
@pytest.mark.parametrize("kind", ["pandas", "numpy", "polars"])
@pytest.mark.parametrize("options", [{"augmented_share": 0}, {"graph": None}])
def test_without_new_rows_it_is_the_learner_bit_for_bit(rows, learner, kind, options):
    X, y = rows
    X = {"pandas": X, "numpy": X.to_numpy(), "polars": pl.DataFrame(X.to_dict("list"))}[kind]
    model = make(learner, target="y", feature_names=list("abc"), **options).fit(X, y)
    plain = clone(learner).fit(X, y.to_numpy(), sample_weight=np.ones(24))
    assert_array_equal(model.predict(X), plain.predict(X))
    assert model.augmented_share_ == 0.0


def test_without_a_graph_there_is_nothing_to_report(rows):
    model = make(graph=None).fit(*rows)
    assert model.augmented_ is None
    assert model.gate_ is None


def test_the_default_learner_is_boosting(rows):
    model = ca.AugmentedRegressor(graph=GRAPH, augmented_share=0.5, expansion=SMALL).fit(*rows)
    assert isinstance(model.estimator_, GradientBoostingRegressor)


def test_the_default_expansion_makes_many_rows_of_few(rows):
    X, y = rows
    assert len(make(expansion=None, augmented_share=0.5).fit(X, y).augmented_) == 1000


# Seeds.


def test_one_seed_gives_one_result(rows):
    X, y = rows
    forest = RandomForestRegressor(n_estimators=5)
    models = [make(forest, random_state=seed, augmented_share="auto") for seed in (1, 1, 2)]
    first, same, other = (model.fit(X, y).predict(X) for model in models)
    assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_the_learner_s_own_seed_is_respected(rows):
    X, y = rows
    inner = make_pipeline(StandardScaler(), RandomForestRegressor(n_estimators=3, random_state=7))
    model = make(inner).fit(X, y)
    assert model.estimator_[-1].random_state == 7
    open_seed = make(RandomForestRegressor(n_estimators=3)).fit(X, y)
    assert isinstance(open_seed.estimator_.random_state, int)
    assert open_seed.estimator.random_state is None


@pytest.mark.parametrize("seed", [np.random.RandomState(3), np.random.default_rng(3), None])
def test_every_kind_of_seed_is_taken(rows, seed):
    assert np.isfinite(make(random_state=seed).fit(*rows).predict(rows[0])).all()


def test_fitting_leaves_the_data_and_the_parameters_alone(rows):
    X, y = rows
    model = make()
    before = X.copy(), y.copy(), model.get_params()
    model.fit(X, y)
    pd.testing.assert_frame_equal(X, before[0])
    pd.testing.assert_series_equal(y, before[1])
    assert model.get_params() == before[2]
    assert not hasattr(model.estimator, "coef_")


# Life with scikit-learn.


def test_a_grid_search_over_the_learner_and_the_strategies(rows):
    grid = {
        "estimator__alpha": [0.1, 10.0],
        "conditional": [ca.KernelConditional(), ca.ResidualConditional(temperature=2.0)],
        "expansion": [SMALL, ca.SampledExpansion(20)],
        "augmented_share": [0.25, ca.Gate(shares=(0.0, 0.5), n_splits=2)],
    }
    search = GridSearchCV(make(), grid, cv=2).fit(*rows)
    assert set(search.best_params_) == set(grid)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_cross_validation_and_the_last_step_of_a_pipeline(rows):
    X, y = rows
    assert np.isfinite(cross_val_score(make(), X, y, cv=3)).all()
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, make()).fit(X, y)
    assert pipeline.score(X, y) > 0.3
    weights = np.arange(24.0)
    pipeline.fit(X, y, augmentedregressor__sample_weight=weights)
    assert_allclose(pipeline[-1].augmented_.table.row_weights, weights[1:])


def test_metadata_routing_brings_the_weights(rows):
    X, y = rows
    weights = np.arange(1.0, 25.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = make(Recorder()).set_fit_request(sample_weight=True)
        scaler = (
            StandardScaler().set_output(transform="pandas").set_fit_request(sample_weight=False)
        )
        pipeline = make_pipeline(scaler, model).fit(X, y, sample_weight=weights)
        assert pipeline[-1].estimator_.weights_.sum() == pytest.approx(weights.sum())
        model.set_score_request(sample_weight=True)
        scores = cross_val_score(model, X, y, cv=3, params={"sample_weight": weights})
        assert len(scores) == 3
        search = GridSearchCV(model, {"augmented_share": [0.0, 0.5]}, cv=2)
        search.fit(X, y, sample_weight=weights)
        best = search.best_estimator_.estimator_
        assert best.weights_.sum() == pytest.approx(weights.sum())


def test_metadata_routing_within_a_pipeline_of_the_learner(rows):
    with sklearn.config_context(enable_metadata_routing=True):
        ridge = Ridge().set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=True)
        model = make(make_pipeline(scaler, ridge)).fit(*rows)
        assert model.score(*rows) > 0.3


def test_clones_copies_and_parameters(rows):
    X, y = rows
    model = make(conditional=ca.ResidualConditional(temperature=2.0))
    assert clone(model).get_params()["conditional"] == model.conditional
    assert model.set_params(estimator__alpha=3.0).estimator.alpha == 3.0
    again = pickle.loads(pickle.dumps(model.fit(X, y)))
    assert_array_equal(again.predict(X), model.predict(X))
    pd.testing.assert_frame_equal(again.augmented_.frame, model.augmented_.frame)


def test_before_fit_there_is_nothing_to_predict(rows):
    X, y = rows
    with pytest.raises(NotFittedError):
        make().predict(X)
    failed = make()
    with pytest.raises(CausalAugError):
        failed.fit(X.rename(columns={"a": "A"}), y)
    with pytest.raises(NotFittedError):
        failed.predict(X)


# Frames, arrays and names.


def test_every_kind_of_frame_gives_the_same_learner(rows):
    X, y = rows
    expected = make().fit(X, y).predict(X)
    frame = pl.DataFrame(X.to_dict("list"))
    polars = make().fit(frame, pl.Series("y", y.to_numpy()))
    assert_allclose(polars.predict(frame), expected)
    assert polars.feature_names_in_.tolist() == ["a", "b", "c"]
    array = make(feature_names=["a", "b", "c"]).fit(X.to_numpy(), y.to_numpy())
    assert_allclose(array.predict(X.to_numpy()), expected)
    assert not hasattr(array, "feature_names_in_")
    assert array.n_features_in_ == 3


def test_the_learner_gets_the_kind_of_features_that_came(rows):
    X, y = rows
    assert isinstance(make(Recorder()).fit(X, y).estimator_.X_, pd.DataFrame)
    frame = pl.DataFrame(X.to_dict("list"))
    assert isinstance(make(Recorder()).fit(frame, y).estimator_.X_, pl.DataFrame)
    array = make(Recorder(), feature_names=list("abc")).fit(X.to_numpy().astype("float32"), y)
    assert array.estimator_.X_.dtype == np.float32


def test_columns_are_matched_by_name_and_rows_by_position(rows):
    X, y = rows
    shuffled = X[["c", "a", "b"]].set_axis(np.arange(24)[::-1], axis=0)
    model = make(Recorder()).fit(shuffled, y)
    assert list(model.estimator_.X_.columns) == ["c", "a", "b"]
    assert_array_equal(model.estimator_.y_[:24], y)
    assert_array_equal(model.estimator_.X_["a"][:24], X["a"])


@pytest.mark.parametrize(
    ("target", "name"), [(None, "y"), ("y", "other"), ("y", None), (None, None)]
)
def test_the_target_is_named_by_keyword_by_y_or_by_what_is_left(rows, target, name):
    X, y = rows
    model = make(target=target).fit(X, y.rename(name))
    assert model.augmented_.table.columns == ("a", "b", "c", "y")


def test_integers_are_a_continuous_target(rows):
    X, y = rows
    model = make(Recorder()).fit(X, (10 * y).round().astype(int))
    assert model.augmented_.table.kinds[-1] == "continuous"
    assert not np.array_equal(model.estimator_.y_, np.round(model.estimator_.y_))


def test_kinds_can_be_changed(rows):
    X, y = rows
    X = X.assign(a=np.arange(24) % 3)
    kinds = {"a": "continuous", "y": "discrete"}
    assert make().fit(X, y).augmented_.table.kinds == ("ordered", *["continuous"] * 3)
    changed = make(kinds=kinds).fit(X, y).augmented_.table
    assert changed.kinds == (*["continuous"] * 3, "nominal")


# Learners.


@pytest.mark.parametrize(
    "learner",
    [
        RandomForestRegressor(n_estimators=3),
        HistGradientBoostingRegressor(max_iter=3),
        make_pipeline(StandardScaler(), Ridge()),
        make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), Ridge())),
        GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2),
        GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [1.0]}, cv=2),
        TransformedTargetRegressor(Ridge(), func=np.arcsinh, inverse_func=np.sinh),
        XGBRegressor(n_estimators=3, n_jobs=1),
        LGBMRegressor(n_estimators=3, n_jobs=1, verbose=-1),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_many_learners_take_the_weights(rows, learner):
    X, y = rows
    model = make(learner).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    # Alone, the new rows of heavy weight decide.
    assert not np.allclose(model.predict(X), make(learner, augmented_share=0).fit(X, y).predict(X))


class Foundation(RegressorMixin, BaseEstimator):
    """Stands for a model that takes rows and nothing else, and has limits."""

    def fit(self, X, y):
        assert len(X) <= 2000
        self.X_, self.y_ = np.asarray(X), np.asarray(y)
        return self

    def predict(self, X):
        distance = np.square(np.asarray(X)[:, np.newaxis] - self.X_).sum(axis=2)
        return np.exp(-distance) @ self.y_ / np.maximum(np.exp(-distance).sum(axis=1), 1e-9)


@pytest.mark.parametrize("share", [0.5, "auto"])
@pytest.mark.parametrize(
    "learner",
    [
        GaussianProcessRegressor(alpha=0.1),
        KNeighborsRegressor(),
        MLPRegressor(hidden_layer_sizes=(4,), max_iter=60, solver="lbfgs"),
        Foundation(),
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_learner_without_weights_gets_rows_that_were_drawn(rows, learner, share):
    X, y = rows
    first, again = (make(learner, augmented_share=share).fit(X, y) for _ in range(2))
    assert np.isfinite(first.predict(X)).all()
    assert_array_equal(first.predict(X), again.predict(X))
    if share == 0.5:
        plain = make(learner, augmented_share=0).fit(X, y)
        assert not np.allclose(first.predict(X), plain.predict(X))


# Refusals.


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"estimator": Ridge}, ParameterError, "must be a scikit-learn estimator with `fit`"),
        ({"estimator": "ridge"}, ParameterError, "Found 'ridge'"),
        ({"graph": 5}, GraphFormatError, "A graph must be text, a path"),
        ({"target": "Y"}, GraphMismatchError, "The target must be a node .* Found 'Y', which"),
        ({"target": "a"}, TableError, "features must not hold the target. Found 'a' among"),
        ({"augmented_share": 1.5}, ParameterError, "must lie between 0 and 1. Found 1.5"),
        ({"augmented_share": -0.1}, ParameterError, "`augmented_share` must lie between"),
        ({"augmented_share": True}, ParameterError, "Found True"),
        ({"augmented_share": None}, ParameterError, "Found None"),
        ({"augmented_share": "half"}, ParameterError, 'must be "auto", a number from 0 to 1'),
        ({"conditional": "kernel"}, ParameterError, "`conditional` must be an object"),
        ({"conditional": ca.KernelConditional}, ParameterError, "with a method `fit`"),
        ({"expansion": "budget"}, ParameterError, "`expansion` must be an object"),
        ({"random_state": "seed"}, ParameterError, "`random_state` must be"),
        ({"kinds": {"q": "discrete"}}, ParameterError, "`kinds` must name columns"),
        ({"expansion": ca.PrunedExpansion(1e9)}, TableError, "New rows must be possible"),
    ],
)
def test_wrong_parameters_are_refused(rows, options, error, text):
    with pytest.raises(error, match=text) as caught:
        make(**options).fit(*rows)
    assert isinstance(caught.value, CausalAugError)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda X, y: (X.rename(columns={"a": "A"}), y), GraphMismatchError, "Only in the graph"),
        (lambda X, y: (X.assign(y=1.0), y), TableError, "must not hold the target"),
        (lambda X, y: (X.assign(a=np.nan), y), TableError, "Found none in \\['a'\\]"),
        (lambda X, y: (X, y.where(y < -1e9)), TableError, "all 24 cells of `y` are missing"),
        (lambda X, y: (X.to_numpy(), y), GraphMismatchError, "the features must have names"),
        (lambda X, y: (X.set_axis([1, 2, 3], axis=1), y), TableError, "names must be strings"),
        (lambda X, y: (X[["a"]], y.to_numpy()), ParameterError, "name of the target must be"),
        (lambda X, y: (X.drop(columns="a"), y.rename(None)), ParameterError, 'Write target="'),
        (lambda X, y: (X, y[:-1]), ValueError, "inconsistent numbers of samples"),
        (lambda X, y: (X, y.map(str) + "!"), ValueError, "regression must be numbers"),
    ],
)
def test_wrong_rows_are_refused(rows, change, error, text):
    with pytest.raises(error, match=text):
        make().fit(*change(*rows))


def test_other_features_are_refused_at_prediction(rows):
    X, y = rows
    model = make().fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[["b", "a", "c"]])
    with pytest.raises(ValueError, match="features"):
        make(feature_names=["a", "b", "c"]).fit(X.to_numpy(), y).predict(X.to_numpy()[:, :2])


def test_a_spy_sees_the_training_rows_only(rows):
    X, y = rows
    spy = Spy()
    make(conditional=spy, trust="full").fit(X[:20], y[:20])
    assert [table.n_rows for table in spy.tables] == [20]
