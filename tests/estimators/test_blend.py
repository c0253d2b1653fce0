import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
)
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import causalaug as ca
from causalaug.estimators import default_expansion
from causalaug.estimators._cross_fit import CrossFit
from causalaug.estimators._folds import enough_folds
from causalaug.exceptions import ParameterError
from causalaug.model import reach_of
from learners import GRAPH, Recorder, Spy, rows_of_classification, rows_of_regression

SMALL = ca.BudgetExpansion(60)
NAMES = [
    "plain",
    "control, expected, 0.5",
    "graph, expected, 0.9",
    "control model",
    "graph model",
]


def make(learner=None, kind=ca.AugmentedRegressor, **options):
    defaults = {"graph": GRAPH, "expansion": SMALL, "random_state": 0}
    return kind(Ridge() if learner is None else learner, **{**defaults, **options})


@pytest.fixture
def rows():
    return rows_of_regression(30)


class Counting(Ridge):
    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counting.fits += 1
        return super().fit(X, y, sample_weight)


def _only_new_rows(judged):
    """Weigh the control and the first candidate of the graph alike, and nothing else."""
    return np.eye(len(judged.candidates))[[1, 2]].mean(axis=0)


class LineWithNewRows(Ridge):
    """Predicts zero from at most `n_rows` rows, and a line from more: that is, with new ones."""

    def __init__(self, n_rows=30):
        super().__init__()
        self.n_rows = n_rows

    def fit(self, X, y, sample_weight=None):
        self.is_line_ = len(X) > self.n_rows
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        return super().predict(X) if self.is_line_ else np.zeros(len(X))


# What is fitted, and how often.


def test_the_candidates_are_those_of_the_contract(rows):
    model = make().fit(*rows)
    assert model.blend_["candidate"].tolist() == NAMES
    assert model.blend_["share"].tolist() == [0.0, 0.5, 0.9, 1.0, 1.0]
    assert model.blend_["weight"].sum() == pytest.approx(1.0)
    assert np.isfinite(model.blend_["loss"]).all()
    assert len(model.estimators_) == (model.blend_["weight"] > 0.0).sum()
    expected = model.blend_["weight"] @ model.blend_["share"]
    assert model.augmented_share_ == pytest.approx(expected)
    assert not hasattr(model, "estimator_")
    assert model.gate_ is None
    assert isinstance(model.model_, ca.GraphModel)
    assert len(model.augmented_) > 0


def test_at_most_eighteen_fits_and_two_models_per_fold(rows):
    X, y = rows
    Counting.fits, spy = 0, Spy(ca.ResidualConditional())
    make(Counting(), conditional=spy, new_targets="expected", trust="full").fit(X, y)
    assert Counting.fits <= 18
    # Graph and control, on five folds and on all rows.
    sizes = [table.n_rows for table in spy.tables]
    assert sizes.count(24) == 10
    assert 1 <= sizes.count(30) <= 2


def test_the_prediction_is_the_weighted_mean(rows):
    X, y = rows
    model = make().fit(X, y)
    weights = model.blend_["weight"][model.blend_["weight"] > 0.0]
    parts = [each.predict(X) for each in model.estimators_]
    assert_allclose(model.predict(X), weights @ np.array(parts))


def test_probabilities_are_averaged_and_the_largest_names_the_class():
    X, y = rows_of_classification(40, classes=["a", "b", "c"])
    model = make(LogisticRegression(), ca.AugmentedClassifier).fit(X, y)
    weights = model.blend_["weight"][model.blend_["weight"] > 0.0]
    parts = np.array([each.predict_proba(X) for each in model.estimators_])
    assert_allclose(model.predict_proba(X), np.tensordot(weights, parts, 1))
    assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert not hasattr(model, "decision_function")


def test_learners_without_probabilities_vote():
    X, y = rows_of_classification(40)
    model = make(LinearSVC(), ca.AugmentedClassifier).fit(X, y)
    assert set(model.predict(X)) <= {"no", "yes"}
    assert not hasattr(model, "predict_proba")
    assert model.blend_["loss"].between(0.0, 1.0).all()


def test_held_out_losses_are_those_of_a_loop(rows):
    X, y = rows
    cv = KFold(3)
    model = make(augmented_share=ca.Blend(cv=cv)).fit(X, y)
    squares = np.empty(len(y))
    for train, held_out in cv.split(X):
        plain = Ridge().fit(X.iloc[train], y.iloc[train])
        squares[held_out] = np.square(plain.predict(X.iloc[held_out]) - y.iloc[held_out])
    assert model.blend_["loss"][0] == pytest.approx(squares.mean())


def test_fewer_than_ten_rows_leave_the_plain_learner():
    X, y = rows_of_regression(9)
    model = make().fit(X, y)
    assert model.blend_["weight"].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert model.blend_["loss"].isna().all()
    assert model.augmented_share_ == 0.0
    assert len(model.augmented_) > 0
    assert_allclose(model.predict(X), Ridge().fit(X, y).predict(X))


def test_rows_that_nothing_can_be_made_of_leave_the_learner(rows):
    X, y = rows
    model = make(expansion=ca.PrunedExpansion(threshold=30.0)).fit(X, y)
    assert len(model.augmented_) == 0
    assert np.isfinite(model.predict(X)).all()


# One seed, one result.


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_one_seed_gives_one_result_whatever_the_jobs(rows, n_jobs):
    X, y = rows
    first, second = make().fit(X, y), make(n_jobs=n_jobs).fit(X, y)
    assert_array_equal(first.predict(X), second.predict(X))
    pd.testing.assert_frame_equal(first.blend_, second.blend_)
    gate = ca.Gate(shares=(0.0, 0.5))
    gated = [make(augmented_share=gate, n_jobs=each).fit(X, y) for each in (None, n_jobs)]
    pd.testing.assert_frame_equal(gated[0].gate_.frame, gated[1].gate_.frame)


def test_arrays_and_frames_give_the_same(rows):
    X, y = rows
    named = make().fit(X, y)
    array = make(target="y", feature_names=list(X)).fit(X.to_numpy(), y.to_numpy())
    assert_allclose(array.predict(X.to_numpy()), named.predict(X))


def test_it_pickles_and_refits(rows):
    X, y = rows
    model = make().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(X), model.predict(X))
    one = model.set_params(augmented_share=0.5).fit(X, y)
    assert not hasattr(one, "estimators_")
    assert not hasattr(one, "blend_")
    assert one.estimator_.coef_.shape == (3,)
    assert clone(make(augmented_share=ca.Blend(cv=GroupKFold(2)))).augmented_share.cv.n_splits == 2


# What stands for the learner.


def test_what_one_learner_has_is_passed_on_and_a_blend_has_none(rows):
    X, y = rows
    one = make(augmented_share=0.5).fit(X, y)
    assert_array_equal(one.coef_, one.estimator_.coef_)
    assert one.intercept_ == one.estimator_.intercept_
    assert not hasattr(one, "feature_importances_")
    blend = make().fit(X, y)
    with pytest.raises(AttributeError, match="`coef_` must come from one learner. Found a blend"):
        blend.coef_  # noqa: B018


def test_parameters_of_the_fit_reach_the_learner(rows):
    X, y = rows

    class Witness(Ridge):
        def fit(self, X, y, sample_weight=None, eval_set=None):
            self.eval_set_ = eval_set
            return super().fit(X, y, sample_weight)

    held = [(X, y)]
    assert (
        make(Witness(), augmented_share=0.5).fit(X, y, eval_set=held).estimator_.eval_set_ is held
    )
    with pytest.raises(ParameterError, match="must not hold one value per row"):
        make(Witness()).fit(X, y, margin=y)


# Targets.


@pytest.mark.parametrize(
    ("learner", "new_targets", "kinds"),
    [
        (Ridge(), "auto", {"expected"}),
        (Ridge(), "drawn", {"drawn"}),
        (Ridge(), "expected", {"expected"}),
        (Recorder(), "auto", {"drawn"}),
        (Recorder(), "expected", {"expected"}),
        (TransformedTargetRegressor(Ridge()), "auto", {"drawn"}),
        (HistGradientBoostingRegressor(loss="poisson"), "drawn", {"drawn"}),
    ],
)
def test_which_targets_take_part(rows, learner, new_targets, kinds):
    X, y = rows
    names = make(learner, new_targets=new_targets).fit(X, y - y.min() + 1.0).blend_["candidate"]
    found = {part for name in names for part in name.split(", ")} & {"drawn", "expected"}
    assert found == kinds


def test_expected_targets_are_what_the_model_expects(rows):
    X, y = rows
    model = make(Recorder(), augmented_share=0.5, new_targets="expected").fit(X, y)
    mean = model.model_.predict("y", model.augmented_.frame).mean
    # By a quadrature of its own, with fewer points: to a hundredth of the target's spread.
    assert_allclose(model.estimator_.y_[30:], mean, rtol=0.0, atol=0.01 * y.std())
    assert_allclose(model.estimator_.y_[:30], y)


def test_each_class_stands_with_its_probability_as_weight():
    X, y = rows_of_classification(30)

    class Keeper(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            self.y_, self.weights_, self.X_ = np.asarray(y), sample_weight, X
            return super().fit(X, y, sample_weight)

    model = make(Keeper(), ca.AugmentedClassifier, augmented_share=0.5, new_targets="expected").fit(
        X, y
    )
    fitted, new = model.estimator_, model.augmented_
    assert fitted.weights_.sum() == pytest.approx(30.0)
    probability = model.model_.predict("y", new.frame).probabilities
    expected = (new.weights / new.mass) @ probability * 15.0
    found = [fitted.weights_[30:][fitted.y_[30:] == each].sum() for each in ("no", "yes")]
    assert_allclose(found, expected, rtol=1e-3)
    assert len(fitted.X_) == len(fitted.y_) <= 30 + 2 * len(new)


def test_a_loss_that_expected_targets_would_change_is_refused(rows):
    learner = HistGradientBoostingRegressor(loss="absolute_error")
    with pytest.raises(ParameterError, match="must minimise squared error or log-loss.*drawn"):
        make(learner, new_targets="expected").fit(*rows)
    with pytest.raises(ParameterError, match="`new_targets` must be one of"):
        make(new_targets="mean").fit(*rows)


def test_a_learner_of_quantiles_is_not_blended_with_means(rows):
    learner = HistGradientBoostingRegressor(loss="quantile", quantile=0.9, max_iter=3)
    assert "graph model" not in make(learner).fit(*rows).blend_["candidate"].tolist()


# The graph's model.


def test_the_model_can_be_left_out(rows):
    model = make(augmented_share=ca.Blend(model=False)).fit(*rows)
    assert model.blend_["candidate"].tolist() == NAMES[:-2]
    assert model.model_ is not None


@pytest.mark.parametrize("part", ["nothing", "order", "graph"])
def test_what_new_rows_teach_is_bounded_by_what_was_seen(rows, part, monkeypatch):
    X, y = rows
    # Only learners with new rows have weight; a straight line knows no end, a tree does.
    monkeypatch.setattr(CrossFit, "weights", _only_new_rows)
    predicted = make(LineWithNewRows(n_rows=len(y))).fit_parts(X, y)[part].predict(X * 1e6)
    assert_allclose([predicted.min(), predicted.max()], reach_of(y.to_numpy(), np.ones(len(y))))


@pytest.mark.parametrize("part", ["nothing", "order", "graph"])
def test_nothing_is_cut_off_that_the_plain_learner_predicts(rows, part, monkeypatch):
    X, y = rows
    monkeypatch.setattr(CrossFit, "weights", _only_new_rows)
    far = X * 1e6
    parts = make().fit_parts(X, y)
    predicted, plain = parts[part].predict(far), Ridge().fit(X, y).predict(far)
    low, high = reach_of(y.to_numpy(), np.ones(len(y)))
    assert (predicted >= np.minimum(plain, low) - 1e-6).all()
    assert (predicted <= np.maximum(plain, high) + 1e-6).all()
    # New rows make ridge regression steeper here: where it goes further, it goes as far as plain.
    assert np.isclose(predicted, plain).any()


def test_the_plain_learner_predicts_without_bounds(rows, monkeypatch):
    X, y = rows
    monkeypatch.setattr(CrossFit, "weights", lambda self: np.eye(5)[0])
    far = X * 1e6
    assert_allclose(make().fit(X, y).predict(far), Ridge().fit(X, y).predict(far))


def test_held_out_predictions_have_the_bounds_of_their_training_rows(rows, monkeypatch):
    X, y = rows
    far = X.copy()
    far.iloc[0] *= 1e6
    judged = []
    monkeypatch.setattr(CrossFit, "weights", lambda self: judged.append(self) or np.eye(5)[0])
    make(augmented_share=ca.Blend(cv=KFold(3))).fit(far, y)
    low, high = reach_of(y.to_numpy()[10:], np.ones(20))
    plain, *others = judged[0].predictions[0][:-2]
    assert not low <= plain <= high
    low, high = min(low, plain), max(high, plain)
    assert all(low - 1e-9 <= each <= high + 1e-9 for each in others)


@given(
    st.lists(st.integers(-(10**6), 10**6).map(float), min_size=1, max_size=20).map(np.array),
    st.floats(-1e3, 1e3),
    st.floats(1e-3, 1e3),
)
def test_the_reach_holds_all_but_outermost_targets_and_moves_with_their_unit(targets, origin, unit):
    weights = np.ones(len(targets))
    low, high = reach_of(targets, weights)
    distinct = np.unique(targets)
    assert low <= distinct[min(1, len(distinct) - 1)]
    assert high >= distinct[max(len(distinct) - 2, 0)]
    moved = reach_of(origin + unit * targets, weights)
    size = 1e-12 * unit * (1e3 + np.abs(targets).max()) + 1e-9 * abs(origin)
    assert_allclose(moved, origin + unit * np.array([low, high]), rtol=1e-9, atol=size)


def test_a_wrong_graph_leaves_what_needs_no_graph():
    rng = np.random.default_rng(3)
    y = pd.Series(rng.normal(size=40), name="y")
    X = pd.DataFrame({f"x{i}": y + 0.5 * rng.normal(size=40) for i in range(6)})
    model = make(graph=ca.ADMG([*X.columns, "y"]), expansion=None, trust="full").fit(X, y)
    trusts_graph = model.blend_["candidate"].str.startswith("graph")
    assert model.blend_["weight"][trusts_graph].sum() < 0.02
    assert len(model.augmented_) > 0


# Groups and splitters.


def test_groups_are_held_out_together(rows):
    X, y = rows
    seen = []

    class Witness(Ridge):
        def fit(self, X, y, sample_weight=None):
            self.seen_ = set(X["a"])
            return super().fit(X, y, sample_weight)

        def predict(self, X):
            seen.append((self.seen_, set(X["a"])))
            return super().predict(X)

    groups = np.arange(30) // 5
    group_of = dict(zip(X["a"], groups, strict=True))
    options = (
        {},
        {"augmented_share": ca.Blend(cv=LeaveOneGroupOut())},
        {"augmented_share": ca.Gate()},
    )
    for each in options:
        seen.clear()
        make(Witness(), **each).fit(X, y, groups=groups)
        assert seen
        for trained, held_out in seen:
            known = {group_of[value] for value in trained if value in group_of}
            assert not known & {group_of[value] for value in held_out}


def test_groups_are_routed_by_scikit_learn(rows):
    X, y = rows
    groups = np.arange(30) // 5
    with sklearn.config_context(enable_metadata_routing=True):
        model = make(augmented_share=ca.Blend(cv=GroupKFold(3))).set_fit_request(groups=True)
        search = GridSearchCV(model, {"estimator__alpha": [1.0]}, cv=GroupKFold(2))
        search.fit(X, y, groups=groups)
        assert search.best_estimator_.blend_["weight"].sum() == pytest.approx(1.0)
        piped = make_pipeline(model).fit(X, y, groups=groups)
        assert len(piped[-1].blend_) == 5


def test_groups_of_rows_without_weight_are_left_out(rows):
    X, y = rows
    weights = (np.arange(30) % 6 > 0).astype(float)
    groups = np.arange(30) // 5
    model = make().fit(X, y, sample_weight=weights, groups=groups)
    kept = weights > 0.0
    again = make().fit(X[kept], y[kept], groups=groups[kept])
    assert_allclose(model.predict(X), again.predict(X))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"n_splits": 1}, "`n_splits` must be an integer of at least 2"),
        ({"n_repeats": 0}, "`n_repeats` must be an integer of at least 1"),
        ({"model": "no"}, "`model` must be True or False"),
        ({"cv": 3}, "`cv` must be a splitter of scikit-learn.* Found 3"),
        ({"cv": KFold}, "`cv` must be a splitter"),
        ({"cv": KFold(3), "n_repeats": 2}, "`n_repeats` must be 1 with a splitter"),
    ],
)
def test_wrong_blends_are_refused(options, text):
    with pytest.raises(ParameterError, match=text):
        ca.Blend(**options)


def test_repeats_are_averaged(rows):
    X, y = rows
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        once, thrice = (make(augmented_share=ca.Blend(n_repeats=n)).fit(X, y) for n in (1, 3))
    assert once.blend_["loss"][0] != thrice.blend_["loss"][0]


# Large tables.


@given(st.lists(st.integers(0, 9), max_size=6), st.integers(1, 40))
def test_folds_are_used_until_enough_rows_were_held_out(sizes, rows):
    folds = [(np.arange(3), np.arange(size)) for size in sizes]
    used = enough_folds(folds, rows)
    held_out = [len(held) for _, held in used]
    assert used == folds[: len(used)]
    assert sum(held_out[:-1]) < rows or not held_out
    assert sum(held_out) >= rows or len(used) == len(folds)
    assert enough_folds(folds, None) == folds


def test_a_table_below_the_limit_is_judged_on_all_rows_bit_for_bit(rows):
    limited, whole = (
        make(augmented_share=ca.Blend(held_out_rows=held)).fit(*rows) for held in (2_000, None)
    )
    assert limited.judged_rows_ == whole.judged_rows_ == 30
    pd.testing.assert_frame_equal(limited.blend_, whole.blend_, check_exact=True)
    assert_array_equal(limited.predict(rows[0]), whole.predict(rows[0]))


def test_a_table_above_it_is_judged_on_some_folds_the_same_each_time(rows):
    X, y = rows
    whole = make(augmented_share=ca.Blend(held_out_rows=None)).fit(X, y)
    first, second = (make(augmented_share=ca.Blend(held_out_rows=7)).fit(X, y) for _ in range(2))
    assert first.judged_rows_ == 12
    pd.testing.assert_frame_equal(first.blend_, second.blend_, check_exact=True)
    assert not np.array_equal(first.blend_["loss"], whole.blend_["loss"])
    pd.testing.assert_frame_equal(first.augmented_.frame, whole.augmented_.frame)


def test_judging_on_some_folds_saves_the_fits_of_the_others(rows):
    Counting.fits = 0
    blend = ca.Blend(held_out_rows=1)
    model = make(Counting(), augmented_share=blend).fit(*rows)
    learners = sum(isinstance(each, Counting) for each in model.estimators_)
    candidates = ~model.blend_["candidate"].str.endswith("model")
    assert Counting.fits == candidates.sum() + learners


def test_repeats_and_splitters_keep_their_meaning(rows):
    repeated = make(augmented_share=ca.Blend(n_repeats=5, held_out_rows=6)).fit(*rows)
    assert 6 < repeated.judged_rows_ <= 30
    split = make(augmented_share=ca.Blend(cv=KFold(3), held_out_rows=1)).fit(*rows)
    assert split.judged_rows_ == 30


def test_too_few_rows_to_hold_out_are_refused():
    with pytest.raises(ParameterError, match="`held_out_rows` must be an integer of at least 1"):
        ca.Blend(held_out_rows=0)


def test_without_a_blend_nothing_was_judged_by_one(rows):
    model = make().fit(*rows)
    assert model.judged_rows_ == 30
    assert not hasattr(model.set_params(augmented_share=0.5).fit(*rows), "judged_rows_")
    assert make().fit(rows[0][:9], rows[1][:9]).judged_rows_ == 0


@given(st.integers(1, 10**7))
def test_new_rows_are_never_fewer_than_observed_ones_and_at_most_five_times_as_many(n_rows):
    wanted = default_expansion(n_rows).rows
    assert wanted >= n_rows
    assert wanted <= max(5 * n_rows, 1_000)
    assert wanted == (max(5 * n_rows, 1_000) if n_rows <= 1_000 else max(5_000, n_rows))
