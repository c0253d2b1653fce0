import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from lightgbm import LGBMClassifier
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from xgboost import XGBClassifier

import causalaug as ca
from learners import GRAPH, RecorderOfClasses, rows_of_classification

SMALL = ca.BudgetExpansion(60)


def make(estimator=None, **options):
    learner = LogisticRegression() if estimator is None else estimator
    defaults = {"graph": GRAPH, "expansion": SMALL, "augmented_share": 0.5, "random_state": 0}
    return ca.AugmentedClassifier(learner, **{**defaults, **options})


LABELS = {
    "strings": ["no", "yes"],
    "three strings": ["high", "low", "middle"],
    "integers": [3, 7],
    "floats": [0.0, 1.0, 2.0],
    "booleans": [False, True],
}


@pytest.mark.parametrize("kind", ["pandas", "polars", "numpy"])
@pytest.mark.parametrize(
    "share", [0.5, ca.Gate(shares=(0.0, 0.5), n_splits=3)], ids=["half", "gate"]
)
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_all_sorts_of_labels_are_learnt(labels, share, kind):
    X, y = rows_of_classification(classes=labels)
    if kind == "polars":
        X, y = pl.DataFrame(X.to_dict("list")), pl.Series("y", y.to_list())
    elif kind == "numpy":
        X, y = X.to_numpy(), y.to_numpy()
    model = make(augmented_share=share, target="y", feature_names=["a", "b", "c"]).fit(X, y)
    assert_array_equal(model.classes_, np.unique(labels))
    assert set(model.predict(X)) <= set(labels)
    assert model.score(X, np.asarray(y)) > 0.6
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (30, len(labels))
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert_allclose(np.exp(model.predict_log_proba(X)), probabilities)
    assert_array_equal(model.predict(X), model.classes_[probabilities.argmax(axis=1)])


@pytest.mark.parametrize(
    "dtype", ["category", pd.CategoricalDtype(["yes", "no"], ordered=True), "string", object]
)
def test_categories_are_labels(dtype):
    X, y = rows_of_classification()
    model = make(augmented_share="auto").fit(X, y.astype(dtype))
    assert_array_equal(model.predict(X), make(augmented_share="auto").fit(X, y).predict(X))


@pytest.mark.parametrize(("dtype", "labels"), [("Int64", [0, 1]), ("boolean", [False, True])])
def test_nullable_labels_are_labels(dtype, labels):
    X, y = rows_of_classification(classes=labels)
    model = make().fit(X, y.astype(dtype))
    assert model.classes_.tolist() == labels
    assert model.classes_.dtype.kind in "ib"


def test_labels_are_copied_whatever_they_are():
    X, y = rows_of_classification(classes=[1.0, 2.0])
    model = make().fit(X, y)
    assert model.augmented_.table.kinds[-1] == "nominal"
    assert set(model.augmented_.frame["y"]) == {1.0, 2.0}


def test_a_class_that_no_new_row_has_keeps_its_column():
    X, y = rows_of_classification(classes=["a", "b", "c"])
    weights = np.where(y == "b", 0.0, 1.0)
    model = make(augmented_share=1.0).fit(X, y, sample_weight=weights)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.estimator_.classes_.tolist() == ["a", "c"]
    probabilities = model.predict_proba(X)
    assert (probabilities[:, 1] == 0.0).all()
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (model.predict_log_proba(X)[:, 1] == -np.inf).all()


def test_a_class_that_chance_left_out_of_the_new_rows_is_still_known():
    X, y = rows_of_classification()
    y.iloc[:2], y.iloc[2:] = "rare", "common"
    options = {"augmented_share": 1.0, "expansion": ca.SampledExpansion(3), "new_targets": "drawn"}
    models = (
        make(RandomForestClassifier(5), **options, random_state=seed).fit(X, y) for seed in range(9)
    )
    model = next(each for each in models if set(each.augmented_.frame["y"]) == {"common"})
    assert model.predict_proba(X).shape == (30, 2)
    assert set(model.predict(X)) == {"common"}


@pytest.mark.parametrize(
    "learner", [LogisticRegression(), HistGradientBoostingClassifier(max_iter=2)]
)
@pytest.mark.parametrize("n_rare", [1, 2, 4])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_rarer_than_the_folds_passes_the_gate(learner, n_rare, n_classes):
    X, y = rows_of_classification(classes=["a", "b", "c"][: n_classes - 1] + ["z"])
    y = y.replace("z", "a")
    y.iloc[3 : 3 + n_rare] = "z"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = make(learner, augmented_share=ca.Gate()).fit(X, y)
        blend = make(learner, augmented_share="auto").fit(X, y)
    assert_allclose(blend.predict_proba(X).sum(axis=1), 1.0)
    assert np.isfinite(blend.blend_["loss"]).all()
    assert model.predict_proba(X).shape == (30, n_classes)
    assert np.isfinite(model.gate_.losses).all()
    assert len(model.gate_.losses) == (24 if n_rare == 1 and n_classes == 2 else 30)


@pytest.mark.parametrize("share", ["auto", 0.5])
def test_one_class_alone_is_certain(share):
    X, _ = rows_of_classification()
    learner = HistGradientBoostingClassifier(max_iter=2)
    model = make(learner, augmented_share=share).fit(X, pd.Series(["a"] * 30, name="y"))
    assert_array_equal(model.predict_proba(X), np.ones((30, 1)))
    assert model.augmented_share_ == (0.0 if share == "auto" else 0.5)


def test_learners_without_probabilities_are_judged_by_their_errors():
    X, y = rows_of_classification()
    model = make(LinearSVC(), augmented_share=ca.Gate()).fit(X, y)
    assert set(np.unique(model.gate_.losses)) <= {0.0, 1.0}
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "predict_log_proba")
    assert model.decision_function(X).shape == (30,)
    assert_array_equal(model.predict(X), np.where(model.decision_function(X) > 0, "yes", "no"))


def test_methods_are_those_of_the_learner():
    assert not hasattr(make(RandomForestClassifier()), "decision_function")
    assert hasattr(make(), "decision_function")
    assert hasattr(ca.AugmentedClassifier(), "predict_proba")


def test_the_default_learner_is_boosting():
    X, y = rows_of_classification()
    model = ca.AugmentedClassifier(graph=GRAPH, augmented_share=0.5, expansion=SMALL).fit(X, y)
    assert isinstance(model.estimator_, GradientBoostingClassifier)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_share_splits_the_weight(share):
    X, y = rows_of_classification()
    weights = np.arange(1.0, 31.0)
    fitted = make(RecorderOfClasses(), augmented_share=share).fit(X, y, weights).estimator_
    assert_allclose(fitted.weights_[:30], (1.0 - share) * weights)
    assert fitted.weights_[30:].sum() == pytest.approx(share * weights.sum())


@pytest.mark.parametrize("options", [{"augmented_share": 0.0}, {"graph": None}])
def test_without_new_rows_it_is_the_learner_bit_for_bit(options):
    X, y = rows_of_classification()
    model = make(**options).fit(X, y)
    plain = LogisticRegression().fit(X, y, sample_weight=np.ones(30))
    assert_array_equal(model.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize(
    "learner",
    [
        RandomForestClassifier(n_estimators=3),
        make_pipeline(StandardScaler(), LogisticRegression()),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
        LGBMClassifier(n_estimators=3, n_jobs=1, verbose=-1),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_many_learners_take_the_weights(learner):
    X, y = rows_of_classification(classes=["a", "b", "c"])
    model = make(learner, augmented_share=ca.Gate((0.0, 0.5), n_splits=2)).fit(X, y)
    assert model.predict_proba(X).shape == (30, 3)


def test_xgboost_takes_the_weights():
    X, y = rows_of_classification(classes=[0, 1])
    model = make(XGBClassifier(n_estimators=3, n_jobs=1), augmented_share="auto").fit(X, y)
    assert model.predict_proba(X).shape == (30, 2)


@pytest.mark.parametrize("share", [0.5, "auto"])
def test_a_learner_without_weights_gets_rows_that_were_drawn(share):
    X, y = rows_of_classification()
    model = make(KNeighborsClassifier(), augmented_share=share).fit(X, y)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_numbers_on_a_scale_are_no_classes():
    X, _ = rows_of_classification()
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        make().fit(X, pd.Series(np.random.default_rng(0).normal(size=30), name="y"))


def test_life_with_scikit_learn():
    X, y = rows_of_classification()
    grid = {"estimator__C": [0.1, 1.0], "conditional": [ca.KernelConditional(), None]}
    search = GridSearchCV(make(), grid, cv=2, scoring="neg_log_loss").fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert (cross_val_score(make(), X, y, cv=3) > 0.4).all()
    again = pickle.loads(pickle.dumps(make().fit(X, y)))
    assert_array_equal(again.predict_proba(X), make().fit(X, y).predict_proba(X))
    with sklearn.config_context(enable_metadata_routing=True):
        model = make().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        params = {"sample_weight": np.arange(1.0, 31.0)}
        assert np.isfinite(cross_val_score(model, X, y, cv=2, params=params)).all()
