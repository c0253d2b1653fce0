from decimal import Decimal

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge

import causalaug as ca
from causalaug.estimators._doors import as_column, classes_of, sorts_of
from causalaug.estimators._targets import check_numbers
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
