"""Copies are weights, and the order of rows means nothing: laws of models and learners."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold

import causalaug as ca
from causalaug.estimators._folds import Regression, hold_out_labelled
from causalaug.estimators._observed_rows import observe
from causalaug.exceptions import CausalAugWarning

GRAPH = "a -> b -> y; c -> y; y -> d"
COPIES = "Most rows have an equal one"


@st.composite
def counted_tables(draw, kinds=("fine", "coarse", "levels", "mixed")):
    """Draw a table, how often each of its rows is there, and a seed."""
    kind = draw(st.sampled_from(kinds))
    seed = draw(st.integers(0, 2**16))
    rng = np.random.default_rng(seed)
    n = draw(st.integers(8, 16))
    a, c = rng.normal(size=n), rng.normal(size=n)
    b = a + rng.normal(size=n)
    y = b + c + rng.normal(size=n)
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "y": y, "d": y + rng.normal(size=n)})
    if kind == "coarse":
        frame = frame.round()
    if kind == "levels":
        frame = frame.gt(0.0).astype("str")
    if kind == "mixed":
        frame = frame.assign(c=np.where(c > 0.0, "u", "v"), d=(y > 0.0).astype(int))
    evenly = draw(st.booleans())
    counts = np.full(n, draw(st.integers(2, 3))) if evenly else rng.integers(1, 4, n)
    return frame, counts, seed


def repeated(frame, counts, seed):
    rows = np.repeat(np.arange(len(frame)), counts)
    return frame.iloc[np.random.default_rng(seed).permutation(rows)].reset_index(drop=True)


@pytest.mark.parametrize("conditional", [None, "auto", ca.ResidualConditional()], ids=str)
@settings(max_examples=25, deadline=None)
@given(counted_tables())
def test_a_model_of_weighted_rows_is_that_of_repeated_ones(conditional, problem):
    frame, counts, seed = problem
    weighted = ca.fit_model(frame, GRAPH, conditional, sample_weight=counts)
    copied = ca.fit_model(repeated(frame, counts, seed), GRAPH, conditional)
    found, expected = (model.log_density(frame).to_numpy() for model in (weighted, copied))
    assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    found, expected = (model.predict("y", frame) for model in (weighted, copied))
    if found.levels is None:
        assert_allclose(found.mean, expected.mean, rtol=1e-9, atol=1e-9)
    else:
        assert_allclose(found.probabilities, expected.probabilities, rtol=1e-9, atol=1e-9)


@st.composite
def rows_with_holes(draw):
    frame, counts, seed = draw(counted_tables(("fine", "mixed")))
    holes = np.random.default_rng(seed).random((len(frame), 4)) < 0.1
    columns = ["a", "b", "c", "d"]
    frame = frame.astype({"d": float})
    frame[columns] = frame[columns].mask(holes)
    return frame, counts, seed


@settings(max_examples=15, deadline=None)
@given(st.one_of(counted_tables(("fine", "coarse", "mixed")), rows_with_holes()))
def test_a_graph_regressor_takes_weights_for_repetitions(problem):
    frame, counts, seed = problem
    X, copies = frame.drop(columns="y"), repeated(frame, counts, seed)
    learner = ca.GraphRegressor(GRAPH, target="y", random_state=0)
    whole = X.dropna()
    found = learner.fit(X, frame["y"], sample_weight=counts).predict(whole)
    expected = learner.fit(copies.drop(columns="y"), copies["y"]).predict(whole)
    assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(counted_tables(("levels", "mixed")))
def test_a_graph_classifier_takes_weights_for_repetitions(problem):
    frame, counts, seed = problem
    frame["y"] = np.resize(["u", "v"], len(frame))
    X, copies = frame.drop(columns="y"), repeated(frame, counts, seed)
    learner = ca.GraphClassifier(GRAPH, target="y", random_state=0)
    found = learner.fit(X, frame["y"], sample_weight=counts).predict_proba(X)
    expected = learner.fit(copies.drop(columns="y"), copies["y"]).predict_proba(X)
    assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def rows_of(n=40, seed=0, classes=False):
    rng = np.random.default_rng(seed)
    a, c = rng.normal(size=n), rng.normal(size=n)
    b = a + rng.normal(size=n)
    y = b + c + rng.normal(size=n)
    X = pd.DataFrame({"a": a, "b": b, "c": c, "d": y + rng.normal(size=n)})
    target = pd.Series(y, name="y")
    return X, (target > 0.0).map({True: "high", False: "low"}) if classes else target


def learner_of(classes, **options):
    options = {"graph": GRAPH, "random_state": 0, **options}
    if classes:
        return ca.AugmentedClassifier(LogisticRegression(), **options)
    return ca.AugmentedRegressor(Ridge(), **options)


def said(learner, X):
    return learner.predict_proba(X) if hasattr(learner, "classes_") else learner.predict(X)


@pytest.mark.filterwarnings(f"ignore:{COPIES}")
@pytest.mark.parametrize("share", ["auto", ca.Gate(shares=(0.0, 0.5)), 0.5], ids=str)
@pytest.mark.parametrize("classes", [False, True])
def test_a_blend_takes_weights_for_repetitions(classes, share):
    X, y = rows_of(classes=classes)
    counts = np.random.default_rng(1).integers(1, 4, len(X))
    rows = np.random.default_rng(2).permutation(np.repeat(np.arange(len(X)), counts))
    learner = learner_of(classes, augmented_share=share)
    weighted = said(learner.fit(X, y, sample_weight=counts), X)
    judged = learner.blend_ if share == "auto" else None
    copied = said(learner.fit(X.iloc[rows], y.iloc[rows]), X)
    # A solver of logistic regression stops when it is near enough.
    assert_allclose(weighted, copied, rtol=1e-3 if classes else 1e-9, atol=1e-3 if classes else 0)
    if judged is not None:
        assert_allclose(judged["loss"], learner.blend_["loss"], rtol=0.01)
        assert_allclose(judged["weight"], learner.blend_["weight"], atol=0.02)
        assert learner.judged_rows_ == len(X)


@pytest.mark.parametrize("kind", ["numbers", "levels", "holes", "outside"])
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.filterwarnings("ignore:Columns that are no node")
def test_the_order_of_rows_means_nothing(classes, kind):
    X, y = rows_of(classes=classes)
    if kind == "levels":
        X = X.gt(0.0).astype(int)
    if kind == "holes":
        X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    if kind == "outside":
        X = X.assign(site=np.resize([1.0, 2.0, 3.0], len(X)))
    rows = np.random.default_rng(3).permutation(len(X))
    learner = learner_of(classes)
    expected = said(learner.fit(X, y), X)
    judged = learner.blend_
    found = said(learner.fit(X.iloc[rows], y.iloc[rows]), X)
    assert_allclose(judged["loss"], learner.blend_["loss"], rtol=1e-3)
    assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


def observed_of(X, y):
    graph = ca.read_graph(GRAPH)
    return observe(ca.CausalAugmenter(), X, y.to_numpy(), np.ones(len(y)), graph, name="y")


def folds_of(X, y, **options):
    held = hold_out_labelled(
        Regression(), observed_of(X, y), None, np.random.default_rng(0), **options
    )
    (folds,) = held.repeats
    return folds, held.weights


def test_copies_are_held_out_together_and_folds_are_those_of_distinct_rows():
    X, y = rows_of(30)
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(30), 3))
    once, _ = folds_of(X, y)
    thrice, weights = folds_of(X.iloc[rows], y.iloc[rows])
    assert_array_equal(weights, np.full(90, 3.0))
    for (train, held), (train3, held3) in zip(once, thrice, strict=True):
        assert set(rows[held3]) == set(held)
        assert len(held3) == len(held)
        assert_array_equal(np.bincount(rows[train3], minlength=30)[train], 3)
        assert len(train3) == 3 * len(train)


def test_a_splitter_of_the_user_decides_alone():
    X, y = rows_of(30)
    rows = np.repeat(np.arange(30), 3)
    folds, weights = folds_of(X.iloc[rows], y.iloc[rows], cv=KFold(3))
    assert_array_equal(folds[0][1], np.arange(30))
    assert_array_equal(weights, np.ones(90))


def test_groups_decide_over_copies():
    X, y = rows_of(30)
    observed = observed_of(pd.concat([X, X]), pd.concat([y, y]))
    groups = np.repeat(["first", "second"], 30)
    held = hold_out_labelled(Regression(), observed, groups, np.random.default_rng(0))
    for train, held_out in held.repeats[0]:
        assert not set(groups[train]) & set(groups[held_out])
        assert len(held_out) == 30
    assert_array_equal(held.weights, np.ones(60))


def test_equal_rows_of_few_levels_are_chance():
    X, y = rows_of(60)
    X, y = X.gt(0.0).astype(int), y.gt(0.0).astype(int)
    folds, weights = folds_of(X, y)
    assert sorted(np.concatenate([held for _, held in folds])) == list(range(60))
    assert_array_equal(weights, np.ones(60))


@pytest.mark.parametrize(
    ("rounded", "times", "are_copies"),
    [(3, 1, False), (3, 2, True), (0, 1, False), (1, 2, True)],
)
def test_numbers_that_tell_rows_apart_make_equal_rows_copies(rounded, times, are_copies):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200).round(rounded), "k": rng.integers(0, 2, 200)})
    kinds = {"x": "continuous"}
    table = ca.Table.from_frame(pd.concat([frame] * times), kinds=kinds)
    if rounded == 1 and times == 2:
        # A coarse number and a label: each row comes by chance about as often as it is copied.
        frame["z"] = rng.normal(size=200)
        table = ca.Table.from_frame(pd.concat([frame] * times), kinds=kinds)
    assert table.equal_rows().are_copies == are_copies


def test_many_copies_are_named_once_with_a_way_out():
    X, y = rows_of(20)
    X, y = pd.concat([X] * 3), pd.concat([y] * 3)
    words = rf"^{COPIES}: of 60 rows 20 are distinct.*write groups=.*`sample_weight`"
    with pytest.warns(CausalAugWarning, match=words) as caught:
        learner_of(False, augmented_share=0.5).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with pytest.warns(CausalAugWarning, match=words) as caught:
        ca.compare(X.assign(y=y), GRAPH, "y", Ridge(), augmented_share=0.5, rivals=False)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner_of(False, augmented_share=0.5).fit(X, y, groups=np.tile(np.arange(20), 3))


@pytest.mark.filterwarnings(f"ignore:{COPIES}")
@pytest.mark.parametrize("classes", [False, True])
def test_a_comparison_counts_copies_once(classes):
    X, y = rows_of(30, classes=classes)
    frame = X.assign(y=y)
    options = {"augmented_share": 0.5, "rivals": False, "random_state": 0, "n_splits": 3}
    # Without a penalty a learner of copies is that of their rows.
    learner = LogisticRegression(C=1e6, max_iter=10_000) if classes else Ridge(1e-9)
    once, thrice = (
        ca.compare(each, GRAPH, "y", learner, **options)
        for each in (frame, pd.concat([frame] * 3).sample(frac=1.0, random_state=0))
    )
    assert len(thrice.losses) == 90
    for name, gain in once.parts.items():
        assert thrice.parts[name].change == pytest.approx(gain.change, rel=0.01, abs=1e-6)
        found = thrice.parts[name].standard_error
        assert found == pytest.approx(gain.standard_error, rel=0.01, abs=1e-6)
    assert thrice.findings[0].partition(":")[0] == once.findings[0].partition(":")[0]
