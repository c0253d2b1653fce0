from decimal import Decimal

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import causalaug as ca
from causalaug.estimators._input import as_column, check_numbers, classes_of, sorts_of
from causalaug.estimators._learner import check_task
from causalaug.exceptions import CausalAugError, ParameterError, TableError

GRAPH = "a -> y; b -> y"
N_ROWS = 12


@pytest.fixture
def features():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(N_ROWS, 2)), columns=["a", "b"])


def target(values):
    return pd.Series(values, name="y")


NUMBERS = np.arange(N_ROWS) / 3.0
REGRESSORS = [
    ca.AugmentedRegressor(Ridge(), graph=GRAPH, augmented_share=0.5),
    ca.AugmentedRegressor(Ridge(), graph=GRAPH, expansion=ca.BudgetExpansion(30)),
    ca.GraphRegressor(GRAPH, conditional=ca.KernelConditional()),
]
CLASSIFIERS = [
    ca.AugmentedClassifier(LogisticRegression(), graph=GRAPH, augmented_share=0.5),
    ca.GraphClassifier(GRAPH, conditional=ca.KernelConditional()),
]


@pytest.mark.parametrize("learner", REGRESSORS[::2])
@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (["low", "high"] * 6, r"must be numbers. Found cells such as 'low' \(string\). Convert"),
        (pd.Categorical(["low", "high"] * 6), r"such as 'low' \(string\)"),
        (pd.date_range("2001", periods=12), r"'2001-01-01.*\(datetime.*Subtract a date"),
        (pd.to_timedelta(np.arange(12), "h"), r"\(timedelta.*Divide by a unit"),
        (np.arange(12) * 1j, "Complex data not supported"),
        (
            pd.Series([10**400] * 12, dtype=object),
            "numbers that a float can hold. Found that int too large",
        ),
    ],
)
def test_a_target_that_cannot_be_regressed_is_refused(features, learner, array, cells, text):
    y = target(cells)
    learner = clone(learner).set_params(target="y")
    y = y.to_numpy() if array else y
    with pytest.raises(CausalAugError, match=text):
        learner.fit(features, y)


def test_numbers_with_missing_ones_are_left_to_others():
    # A check returns nothing: that it does not raise is all there is to see.
    check_numbers(pd.Series([1.0, None], dtype=object))
    check_numbers(np.array([None, None]))
    check_numbers(pd.Series([None, None], dtype="datetime64[ns]"))


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_a_target_that_is_no_class_is_refused(features, learner):
    with pytest.raises(ParameterError, match=r"Unknown label type: continuous.*the regressor"):
        learner.fit(features, target(NUMBERS))
    with pytest.raises(CausalAugError):
        learner.fit(features, target(np.where(NUMBERS > 1.0, np.inf, 0.0)))


@pytest.mark.parametrize("learner", [*REGRESSORS, *CLASSIFIERS])
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda X: X[["a"]], r"should match.*missing:\n- b\n?.*Pass the columns of `fit` by name"),
        (lambda X: X.assign(c=1.0), r"should match.*unseen at fit time:\n- c"),
        (lambda X: X[["b", "a"]], r"should match.*same order"),
        (lambda X: X.rename(columns={"a": "A"}), r"should match.*- A"),
        (lambda X: X.assign(a="word"), "'?a'?.*"),
        (lambda X: X.assign(a=pd.Timestamp("2001-02-03")), "'?a'?.*"),
        (lambda X: X.to_numpy()[:, :1], "1 features"),
        (lambda X: X.to_numpy().astype(str)[:, :1].astype(object) + "x", "could not convert"),
    ],
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_other_columns_at_prediction_are_refused(features, learner, change, text):
    is_class = hasattr(learner, "predict_proba") or isinstance(learner, ca.GraphClassifier)
    fitted = learner.fit(features, target(NUMBERS > 1.5 if is_class else NUMBERS))
    assert len(fitted.predict(features)) == N_ROWS
    with pytest.raises(CausalAugError, match=rf"(?s){text}"):
        fitted.predict(change(features))


def test_columns_of_another_sort_are_named(features):
    fitted = REGRESSORS[0].fit(features, target(NUMBERS))
    wrong = features.assign(a="word", b=pd.Timestamp("2001-02-03"))
    text = r"same sort of cells as in `fit`. Found .*'a': numbers in `fit`, words now.*'b'.*times"
    with pytest.raises(TableError, match=text):
        fitted.predict(wrong)
    # Numbers of another dtype are numbers, and cells that are all missing are of no sort.
    assert len(fitted.predict(features.astype({"a": object}))) == N_ROWS


def test_the_sorts_of_columns():
    frame = pd.DataFrame({"a": [1], "b": [True], "c": ["x"], "d": pd.to_datetime(["2001"])})
    frame["e"] = pd.Series([None], dtype=object)
    frame["f"] = pd.Series([2.5], dtype=object)
    frame["g"] = pd.Series([pd.Timestamp("2001").date()], dtype=object)
    frame["h"] = pd.Categorical(["x"])
    sorts = {"a": "numbers", "b": "numbers", "c": "words", "d": "times", "f": "numbers"}
    assert sorts_of(frame) == {**sorts, "g": "times", "h": "words"}
    assert sorts_of(pl.DataFrame({"a": [1.5], "b": ["x"]})) == {"a": "numbers", "b": "words"}
    assert sorts_of(np.eye(2)) == {}


def test_a_target_of_another_length_or_shape_is_refused():
    with pytest.raises(TableError, match=r"same number of rows.*\[3, 2\]"):
        as_column([1, 2], 3)
    with pytest.raises(TableError, match="1d array"):
        as_column(np.eye(2), 2)
    assert classes_of(np.array(["b", "a"])).tolist() == ["a", "b"]


def test_types_that_cannot_be_used_are_type_errors_too(features):
    odd = features.to_numpy().astype(object)
    odd[0, 0] = {"foo": "bar"}
    learner = ca.AugmentedRegressor(Ridge(), graph=None)
    with pytest.raises(TypeError, match="argument must be") as caught:
        learner.fit(odd, NUMBERS)
    assert isinstance(caught.value, TableError)


def test_a_target_with_a_time_zone_comes_back_as_it_was(features):
    zone = target(pd.date_range("2001-02-03", periods=N_ROWS, tz="Europe/Berlin"))
    augmenter = ca.CausalAugmenter(graph=GRAPH, random_state=0)
    _, more = augmenter.fit_resample(features, zone)
    assert more.dtype == zone.dtype
    assert more[:N_ROWS].tolist() == zone.tolist()


@pytest.mark.skipif(narwhals.__version__ < "2", reason="old narwhals loses decimals")
def test_a_polars_target_of_decimals_comes_back_as_it_was(features):
    y = pl.Series("y", [Decimal(f"{number}.5") for number in range(N_ROWS)])
    _, more = ca.CausalAugmenter(graph=GRAPH, random_state=0).fit_resample(features, y)
    assert more.dtype == y.dtype


# A learner of the other task.


@pytest.mark.parametrize("graph", [GRAPH, None])
@pytest.mark.parametrize("inner", [Ridge(), make_pipeline(StandardScaler(), Ridge())])
@pytest.mark.parametrize("labels", [NUMBERS > 1.5, np.where(NUMBERS > 1.5, "u", "v")])
def test_a_regressor_in_the_classifier_is_refused(features, graph, inner, labels):
    for share in (0.5, "auto"):
        learner = ca.AugmentedClassifier(inner, graph=graph, augmented_share=share)
        with pytest.raises(
            ParameterError, match="inside must be a classifier. Found the regressor"
        ):
            learner.fit(features, target(labels))


def test_a_classifier_in_the_regressor_is_refused_without_a_graph_as_well(features):
    with pytest.raises(ParameterError, match="inside must be a regressor. Found the classifier"):
        ca.AugmentedRegressor(LogisticRegression()).fit(features, target(NUMBERS))


def test_a_learner_that_does_not_say_what_it_is_is_taken():
    class Untagged:
        def __getattr__(self, name):
            raise AttributeError(name)

    # A check returns nothing: that it does not raise is all there is to see.
    check_task(Untagged(), classification=True)
    check_task(Untagged(), classification=False)


# Masks.


@pytest.mark.parametrize("learner", [*REGRESSORS, *CLASSIFIERS])
def test_a_masked_label_is_a_missing_one(features, learner):
    is_class = not isinstance(learner, ca.AugmentedRegressor | ca.GraphRegressor)
    labels = (NUMBERS > 1.5).astype(int) if is_class else NUMBERS
    lacks = np.arange(N_ROWS) % 4 == 1
    missing = pd.Series(labels).astype(object).where(~lacks, None)
    learner = clone(learner).set_params(target="y", random_state=0)
    ask = "predict_proba" if is_class else "predict"
    wanted = getattr(learner.fit(features, missing), ask)(features)
    found = getattr(learner.fit(features, np.ma.array(labels, mask=lacks)), ask)(features)
    np.testing.assert_array_equal(found, wanted)
    whole = getattr(learner.fit(features, labels), ask)(features)
    assert not np.allclose(found, whole)
    unmasked = getattr(learner.fit(features, np.ma.array(labels)), ask)(features)
    np.testing.assert_array_equal(unmasked, whole)


def test_masked_words_are_missing_labels(features):
    labels = np.ma.array(np.where(NUMBERS > 1.5, "u", "v"), mask=np.arange(N_ROWS) == 2)
    learner = clone(CLASSIFIERS[0]).set_params(target="y").fit(features, labels)
    assert learner.classes_.tolist() == ["u", "v"]


@pytest.mark.parametrize("learner", REGRESSORS)
def test_a_masked_weight_is_refused(features, learner):
    weights = np.ma.array(np.ones(N_ROWS), mask=np.arange(N_ROWS) == 4)
    with pytest.raises(ParameterError, match=r"`sample_weight`.*masked ones at the rows \[4\]"):
        learner.fit(features, target(NUMBERS), sample_weight=weights)
    learner.fit(features, target(NUMBERS), sample_weight=np.ma.array(np.ones(N_ROWS)))


@pytest.mark.parametrize("learner", REGRESSORS)
def test_masked_features_are_refused(features, learner):
    masked = np.ma.array(features.to_numpy(), mask=features.to_numpy() > 1.0)
    learner = clone(learner).set_params(target="y", feature_names=["a", "b"])
    with pytest.raises(TableError, match="Found a masked array.*pandas.DataFrame"):
        learner.fit(masked, NUMBERS)
    with pytest.raises(TableError, match="Found a masked array.*pandas.DataFrame"):
        learner.fit(features.to_numpy(), NUMBERS).predict(masked)


# Groups.


@pytest.mark.parametrize(
    "groups",
    [
        np.where(np.arange(N_ROWS) == 3, np.nan, np.arange(N_ROWS) % 4),
        [None if row == 3 else "group" + "abcd"[row % 4] for row in range(N_ROWS)],
        pd.Series([None if row == 3 else row % 4 for row in range(N_ROWS)], dtype=object),
        pl.Series([None if row == 3 else row % 4 for row in range(N_ROWS)]),
        np.ma.array(np.arange(N_ROWS) % 4, mask=np.arange(N_ROWS) == 3),
    ],
)
def test_rows_without_a_group_are_named(features, groups):
    text = r"`groups` must name a group for every row. Found none at the rows \[3\]"
    with pytest.raises(ParameterError, match=text):
        REGRESSORS[1].fit(features, target(NUMBERS), groups=groups)
    frame = features.assign(y=NUMBERS)
    with pytest.raises(ParameterError, match=text):
        ca.compare(frame, GRAPH, "y", Ridge(), groups=groups, rivals=False)


# Times with and without a zone.


@pytest.mark.parametrize("as_objects", [False, True])
@pytest.mark.parametrize("share", [0.5, "auto"])
def test_times_with_a_zone_and_without_one_are_told_apart(features, share, as_objects):
    naive = features.assign(a=pd.date_range("2001-02-03", periods=N_ROWS))
    zoned = naive.assign(a=naive["a"].dt.tz_localize("Europe/Berlin"))
    if as_objects:
        naive, zoned = (each.astype({"a": object}) for each in (naive, zoned))
    learner = ca.AugmentedRegressor(graph=GRAPH, augmented_share=share)
    learner.set_params(expansion=ca.BudgetExpansion(30))
    learner.fit(zoned, target(NUMBERS))
    text = "'a': times with a zone in `fit`, times without a zone now"
    with pytest.raises(TableError, match=text):
        learner.predict(naive)
    elsewhere = zoned.assign(a=pd.to_datetime(zoned["a"]).dt.tz_convert("Asia/Tokyo"))
    np.testing.assert_allclose(learner.predict(elsewhere), learner.predict(zoned))
    with pytest.raises(TableError, match="'a': times in `fit`, times with a zone now"):
        learner.fit(naive, target(NUMBERS)).predict(zoned)


# No rows at all.


@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize("learner", [*REGRESSORS, *CLASSIFIERS])
def test_of_no_rows_nothing_is_predicted(features, learner, array):
    is_class = not isinstance(learner, ca.AugmentedRegressor | ca.GraphRegressor)
    y = target(np.where(NUMBERS > 1.5, "u", "v") if is_class else NUMBERS)
    X = features.to_numpy() if array else features
    fitted = clone(learner).set_params(feature_names=["a", "b"]).fit(X, y)
    some, none = fitted.predict(X), fitted.predict(X[:0])
    assert none.shape == (0,)
    assert none.dtype == some.dtype
    if is_class:
        assert fitted.predict_proba(X[:0]).shape == (0, 2)
        assert fitted.predict_log_proba(X[:0]).shape == (0, 2)
    if hasattr(fitted, "decision_function"):
        assert fitted.decision_function(X[:0]).shape == (0,)
    if hasattr(fitted, "predict_quantile"):
        assert fitted.predict_quantile(X[:0], [0.1, 0.5, 0.9]).shape == (0, 3)


def test_of_no_rows_three_classes_have_no_scores(features):
    three = target(np.arange(N_ROWS) % 3)
    fitted = clone(CLASSIFIERS[0]).fit(features, three)
    assert fitted.decision_function(features[:0]).shape == (0, 3)


@pytest.mark.parametrize("values", [NUMBERS, np.arange(N_ROWS), NUMBERS > 1.5])
def test_a_prediction_of_no_rows_has_quantiles_and_samples(features, values):
    model = ca.fit_model(features.assign(y=values), GRAPH)
    prediction = model.predict("y", features[:0])
    assert prediction.mean.shape == prediction.quantile(0.5).shape == (0,)
    assert prediction.sample(3).shape == (0, 3)
    assert "0 rows" in prediction._repr_html_()


# Decimals.


@pytest.mark.parametrize("share", [0.5, "auto"])
@pytest.mark.parametrize("with_words", [False, True])
def test_decimals_are_numbers_to_the_default_learner(features, share, with_words):
    decimals = features.map(lambda number: Decimal(str(round(number, 6))))
    floats = decimals.astype(float)
    graph = GRAPH
    if with_words:
        graph = f"{GRAPH}; c -> y"
        decimals, floats = (each.assign(c=["u", "v"] * 6) for each in (decimals, floats))
    learner = ca.AugmentedRegressor(graph=graph, augmented_share=share, random_state=0)
    learner.set_params(expansion=ca.BudgetExpansion(30), conditional=ca.KernelConditional())
    for fitted_on in (decimals, floats):
        learner.fit(fitted_on, target(NUMBERS))
        np.testing.assert_allclose(learner.predict(decimals), learner.predict(floats))
        # As labels, all of which differ, they would be one: the learner would see nothing.
        assert np.ptp(learner.predict(decimals)) > 0.1


# The kind of a class, and names.


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_the_target_of_a_classifier_cannot_be_continuous(features, learner):
    labels = target((NUMBERS > 1.5).astype(int))
    learner = clone(learner).set_params(kinds={"y": "continuous"})
    with pytest.raises(ParameterError, match="must be nominal or ordered.*'y': 'continuous'"):
        learner.fit(features, labels)
    for kind in ("ordered", "nominal", "discrete"):
        assert len(learner.set_params(kinds={"y": kind}).fit(features, labels).classes_) == 2


@pytest.mark.parametrize("learner", [*REGRESSORS, *CLASSIFIERS, ca.CausalAugmenter(graph=GRAPH)])
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_feature_names_must_not_contradict_a_frame(features, learner, library):
    labels = target((NUMBERS > 1.5).astype(int))
    frame = library(features.to_dict("list"))
    for names in (["b", "a"], ["a"], ["a", "q"]):
        wrong = clone(learner).set_params(feature_names=names)
        text = r"`feature_names` must be the names of the columns.*are \['a', 'b'\]. Leave it out"
        with pytest.raises(ParameterError, match=text):
            wrong.fit(frame, labels)
    clone(learner).set_params(feature_names=["a", "b"]).fit(frame, labels)


@pytest.mark.parametrize("learner", [*REGRESSORS, *CLASSIFIERS, ca.CausalAugmenter(graph=GRAPH)])
def test_a_target_that_is_called_like_a_feature_is_refused(features, learner):
    labels = target((NUMBERS > 1.5).astype(int)).rename("a")
    text = r"name of `y` must be that of its own node.*Found 'a'.*\['y'\]. Rename.*target='y'"
    with pytest.raises(ParameterError, match=text):
        learner.fit(features, labels)
    clone(learner).set_params(target="y").fit(features, labels)


@pytest.mark.parametrize("is_missing", [False, True])
@pytest.mark.parametrize("learner", [ca.GraphClassifier, ca.AugmentedClassifier])
def test_words_and_booleans_are_no_classes_together(learner, is_missing):
    X = pd.DataFrame({"a": np.arange(20.0), "b": np.arange(20.0) ** 2})
    y = pd.Series(["u", True] * 10, name="y", dtype=object)
    if is_missing:
        y[3] = None
    with pytest.raises(CausalAugError, match="not supported between instances of"):
        learner(graph="a -> y -> b").fit(X, y)
