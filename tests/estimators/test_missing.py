"""Learners with missing features, and with rows that have no target."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC

import causalaug as ca
from causalaug.estimators._holes import COPIES, Filled
from learners import Recorder

GRAPH = "a -> y; y -> b; y -> c"
SMALL = ca.BudgetExpansion(60)
FAST = {"conditional": ca.ResidualConditional(), "expansion": SMALL, "random_state": 0}
RULES = [0.5, ca.Gate(shares=(0.0, 0.5), n_splits=2), ca.Blend(n_splits=2)]


def rows(n=40, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    y = a + 0.3 * rng.normal(size=n)
    X = pd.DataFrame({"a": a, "b": y + rng.normal(size=n), "c": y + rng.normal(size=n)})
    return X, pd.Series(y, name="y")


def punch(frame, seed=0, share=0.2):
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < share)


def make(estimator=None, share=0.5, **options):
    learner = Ridge() if estimator is None else estimator
    return ca.AugmentedRegressor(learner, graph=GRAPH, augmented_share=share, **{**FAST, **options})


@pytest.mark.parametrize("share", RULES, ids=["fixed", "gate", "blend"])
def test_learners_take_holes_at_fit_and_when_asked(share):
    X, y = rows()
    model = make(share=share).fit(punch(X), y)
    X_new, y_new = rows(200, seed=1)
    for asked in (X_new, punch(X_new, 2)):
        assert np.square(model.predict(asked) - y_new).mean() < 0.5
    again = clone(model).fit(punch(X), y)
    np.testing.assert_array_equal(model.predict(punch(X_new)), again.predict(punch(X_new)))
    travelled = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict(punch(X_new)), travelled.predict(punch(X_new)))


def test_copies_share_the_weight_of_their_row():
    X, y = rows()
    weights = np.linspace(1.0, 2.0, 40)
    holes = punch(X)
    model = make(Recorder()).fit(holes, y, sample_weight=weights)
    found = model.estimator_
    times = np.where(holes.isna().any(axis=1), COPIES, 1)
    n_originals = times.sum()
    owner = np.repeat(np.arange(40), times)
    np.testing.assert_allclose(np.bincount(owner, found.weights_[:n_originals]), 0.5 * weights)
    assert found.weights_.sum() == pytest.approx(weights.sum())
    seen = np.asarray(found.X_, dtype=float)
    assert np.isfinite(seen).all()
    there = holes.notna().to_numpy()[owner]
    np.testing.assert_array_equal(seen[:n_originals][there], holes.to_numpy()[owner][there])


def test_a_learner_that_takes_holes_may_keep_them():
    X, y = rows()
    holes = punch(X)
    model = make(HistGradientBoostingRegressor(max_iter=5), keep_holes=True).fit(holes, y)
    assert model.predict(punch(X, 1)).shape == (40,)
    with pytest.raises(ca.exceptions.ParameterError, match="a Ridge that failed.*keep_holes=False"):
        make(Ridge(), keep_holes=True).fit(holes, y)


def test_without_holes_nothing_changes_when_rows_with_holes_stand_beside():
    X, y = rows()
    model = make().fit(X, y)
    X_new, _ = rows(20, seed=3)
    with_holes = pd.concat([X_new, punch(X_new)])
    np.testing.assert_array_equal(model.predict(X_new), model.estimator_.predict(X_new))
    np.testing.assert_allclose(model.predict(with_holes)[:20], model.predict(X_new))


def test_a_single_missing_cell_is_averaged_over():
    X, y = rows(200)
    model = make().fit(X, y)
    row = pd.DataFrame({"a": [1.0], "b": [np.nan], "c": [1.0]})
    coefficients = dict(zip(X, model.coef_, strict=True))
    expected_b = model.model_.predict("b", row).mean[0]
    wanted = (
        model.intercept_ + coefficients["a"] + coefficients["c"] + coefficients["b"] * expected_b
    )
    assert model.predict(row)[0] == pytest.approx(wanted, abs=0.2)


@pytest.mark.parametrize("library", [pl.DataFrame, pa.table])
def test_other_libraries_are_alike(library):
    X, y = rows()
    holes, asked = punch(X), punch(X, 1)
    wanted = make().fit(holes, y).predict(asked)
    made = [library(each.to_dict("list")) for each in (holes, asked)]
    nulls = pl.DataFrame(holes.to_dict("list")).fill_nan(None)
    found = make(target="y").fit(made[0], y.to_numpy()).predict(made[1])
    np.testing.assert_allclose(found, wanted)
    if library is pl.DataFrame:
        np.testing.assert_allclose(make().fit(nulls, y).predict(made[1]), wanted)


def test_arrays_may_have_holes():
    X, y = rows()
    options = {"feature_names": ["a", "b", "c"], "target": "y"}
    model = make(**options).fit(punch(X).to_numpy(), y.to_numpy())
    wanted = make().fit(punch(X), y)
    np.testing.assert_allclose(model.predict(punch(X, 1).to_numpy()), wanted.predict(punch(X, 1)))


def test_without_a_graph_holes_are_passed_on():
    X, y = rows()
    holes = punch(X)
    learner = HistGradientBoostingRegressor(max_iter=5)
    with pytest.warns(ca.exceptions.CausalAugWarning, match="`graph` is None"):
        model = ca.AugmentedRegressor(learner, random_state=0).fit(holes, y)
    np.testing.assert_array_equal(model.predict(holes), model.estimator_.predict(holes))


def test_columns_outside_the_graph_may_stand_beside_holes():
    X, y = rows()
    wide = punch(X).assign(note=np.arange(40.0))
    with pytest.warns(ca.exceptions.CausalAugWarning, match=r"\['note'\]"):
        model = make(share=ca.Blend(n_splits=2)).fit(wide, y)
    assert np.isfinite(model.predict(punch(X, 1).assign(note=1.0))).all()


@pytest.mark.parametrize("share", RULES, ids=["fixed", "gate", "blend"])
def test_rows_without_a_target_take_part(share):
    X, y = rows(120)
    some = y.where(np.arange(120) < 40)
    model = make(share=share).fit(X, some)
    assert model.augmented_.table.n_rows == 120
    X_new, y_new = rows(200, seed=1)
    assert np.square(model.predict(X_new) - y_new).mean() < 0.5


def test_only_labelled_rows_are_held_out_and_learnt_from_as_originals():
    X, y = rows(120)
    order = np.random.default_rng(0).permutation(120)
    some = y.where(order < 40)
    model = make(share=ca.Gate(shares=(0.0, 0.5), n_splits=4)).fit(X, some)
    assert model.gate_.losses.shape == (40, 2)
    recorded = make(Recorder()).fit(X, some).estimator_
    np.testing.assert_array_equal(recorded.y_[:40], y[order < 40])
    assert recorded.weights_.sum() == pytest.approx(40.0)


def test_a_level_that_only_rows_without_a_target_have_may_be_drawn_for_others():
    rng = np.random.default_rng(0)
    size = np.concatenate([rng.integers(0, 2, 40), rng.integers(0, 3, 40)]).astype(float)
    size[20:40] = np.nan
    # The rows whose size is missing look as if it were 2.
    b = np.where(np.isnan(size), 2.0, size) + 0.1 * rng.normal(size=80)
    y = pd.Series(b + 0.1 * rng.normal(size=80), name="y").where(np.arange(80) < 40)
    model = ca.AugmentedRegressor(
        Ridge(), graph="size -> b -> y", augmented_share=ca.Blend(n_splits=2), **FAST
    )
    X = pd.DataFrame({"size": size, "b": b})
    model.fit(X, y)
    assert abs(model.predict(pd.DataFrame({"size": [2.0], "b": [2.0]})) - 2.0) < 0.3


@pytest.mark.parametrize(
    "missing",
    [np.nan, None, pd.NA],
    ids=["NaN", "None", "NA"],
)
def test_every_way_to_have_no_target(missing):
    X, y = rows(60)
    cells = [cell if number < 40 else missing for number, cell in enumerate(y)]
    wanted = make().fit(X, y.where(np.arange(60) < 40)).predict(X)
    found = make().fit(X, pd.Series(cells, name="y", dtype=object)).predict(X)
    np.testing.assert_allclose(found, wanted)


@pytest.mark.parametrize("share", RULES, ids=["fixed", "gate", "blend"])
@pytest.mark.parametrize(
    "labels", [("down", "up"), (0, 1), (False, True)], ids=["words", "numbers", "booleans"]
)
def test_classes_may_be_missing(share, labels):
    X, y = rows(80)
    cells = [labels[int(each > 0)] for each in y]
    some = pd.Series(cells, name="y", dtype=object).where(np.arange(80) < 50, None)
    model = ca.AugmentedClassifier(
        LogisticRegression(), graph=GRAPH, augmented_share=share, **FAST
    ).fit(punch(X), some)
    assert model.classes_.tolist() == list(labels)
    X_new, y_new = rows(200, seed=1)
    wanted = np.array(labels)[(y_new > 0).astype(int)]
    assert (model.predict(punch(X_new)) == wanted).mean() > 0.7
    np.testing.assert_allclose(model.predict_proba(punch(X_new)).sum(axis=1), 1.0)


def test_classes_without_probabilities_and_scores():
    X, y = rows(60)
    label = pd.Series(np.where(y > 0, 1, 0), name="y")
    model = ca.AugmentedClassifier(LinearSVC(), graph=GRAPH, augmented_share=0.5, **FAST).fit(
        punch(X), label
    )
    assert set(model.predict(punch(X, 1))) <= {0, 1}
    assert model.decision_function(punch(X, 1)).shape == (60,)


def test_a_classifier_may_keep_holes():
    X, y = rows(60)
    label = pd.Series(np.where(y > 0, 1, 0), name="y")
    learner = HistGradientBoostingClassifier(max_iter=5)
    model = ca.AugmentedClassifier(
        learner, graph=GRAPH, augmented_share=ca.Blend(n_splits=2), keep_holes=True, **FAST
    ).fit(punch(X), label)
    assert model.predict_proba(punch(X, 1)).shape == (60, 2)


def test_a_target_must_be_there_somewhere():
    X, y = rows()
    with pytest.raises(ca.exceptions.TableError, match="all 40 cells of `y` are missing"):
        make().fit(X, y * np.nan)
    weights = np.r_[np.zeros(20), np.ones(20)]
    with pytest.raises(ca.exceptions.TableError, match=r"Found none in \['y'\]"):
        make().fit(X, y.where(np.arange(40) < 20), sample_weight=weights)


def test_predictions_of_copies_are_averaged_by_weight():
    filled = Filled(None, np.array([0, 0, 1]), np.array([0.25, 0.75, 1.0]))
    np.testing.assert_allclose(filled.average([1.0, 2.0, 5.0]), [1.75, 5.0])
    two = filled.average([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    np.testing.assert_allclose(two, [[0.25, 0.75], [0.5, 0.5]])


@pytest.mark.parametrize("share", ["auto", 0.5])
@pytest.mark.parametrize("learner", [None, Ridge()])
def test_columns_outside_the_graph_may_have_holes(learner, share):
    X, y = rows()
    noted = X.assign(note=np.arange(40.0), town=["here", None] * 20 if learner is None else 1.0)
    noted.loc[3, "note"] = np.nan
    model = ca.AugmentedRegressor(
        learner, graph=GRAPH, target="y", augmented_share=share, random_state=0
    )
    with pytest.warns(ca.exceptions.CausalAugWarning, match="note"):
        model.fit(noted, y)
    assert np.isfinite(model.predict(noted)).all()


def test_holes_outside_the_graph_of_an_array_are_filled_in():
    X, y = rows()
    cells = np.column_stack([X.to_numpy(), np.arange(40.0)])
    cells[5, -1] = np.nan
    model = ca.AugmentedRegressor(
        Ridge(), graph=GRAPH, target="y", feature_names=[*X, "note"], random_state=0
    )
    with pytest.warns(ca.exceptions.CausalAugWarning, match="note"):
        model.fit(cells, y)
    assert np.isfinite(model.predict(cells)).all()


def test_a_fold_with_holes_is_fitted_and_completed_once(monkeypatch):
    """Plain rows and new rows need the same model and draws; the control has a model of its own."""
    refined = []
    original = ca.GraphModel.refined

    def counted(self, *args, **options):
        refined.append(self.graph)
        return original(self, *args, **options)

    monkeypatch.setattr(ca.GraphModel, "refined", counted)
    X, y = rows()
    model = make(share=ca.Blend(n_splits=2)).fit(punch(X), y)
    # Two folds, and all rows, there the control only if it has weight.
    assert sum(each == model.model_.graph for each in refined) == 3
    assert len(refined) - 3 in (2, 3)


@pytest.mark.parametrize("share", RULES, ids=["fixed", "gate", "blend"])
def test_what_is_said_of_a_row_does_not_depend_on_the_others(share):
    X, y = rows()
    model = make(share=share).fit(X, y)
    asked = punch(rows(8, seed=1)[0], 2, share=0.5)
    one_by_one = [model.predict(asked[at : at + 1])[0] for at in range(len(asked))]
    np.testing.assert_allclose(model.predict(asked), one_by_one, rtol=1e-9)


@pytest.mark.parametrize("share", RULES, ids=["fixed", "gate", "blend"])
def test_a_hole_in_one_row_is_filled_wherever_the_folds_put_it(share):
    X, y = rows()
    X.loc[3, "b"] = np.nan
    found = make(share=share).fit(X, y).predict(X)
    assert np.isfinite(found).all()
