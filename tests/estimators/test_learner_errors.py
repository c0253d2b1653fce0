"""Whose fault it is where the learner inside fails."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import causalaug as ca
from causalaug.estimators._learner_errors import columns_to_blame, learner_failed, numbers_of
from causalaug.exceptions import CausalAugError, ParameterError, TableError

GRAPH = "a -> y; b -> y"
N_ROWS = 24
NUMBERS = pd.DataFrame(np.random.default_rng(0).normal(size=(N_ROWS, 2)), columns=["a", "b"])
WORDS = NUMBERS.assign(b=np.where(NUMBERS["b"] > 0.0, "steel", "brass"))
TIMES = NUMBERS.assign(a=pd.date_range("2001", periods=N_ROWS))
Y = pd.Series(NUMBERS["a"] + NUMBERS["b"], name="y")
CLASSES = pd.Series(np.where(Y > 0.0, "worn", "good"), name="y")
FAST = {"graph": GRAPH, "augmented_share": 0.5, "expansion": ca.BudgetExpansion(30)}
FAST |= {"conditional": ca.KernelConditional(), "random_state": 0}


def encoded(learner, columns=("b",)):
    encoder = OneHotEncoder(handle_unknown="ignore")
    columns = make_column_transformer((encoder, list(columns)), remainder="passthrough")
    return make_pipeline(columns, learner)


class Fails(RegressorMixin, BaseEstimator):
    """Fails for a reason of its own."""

    def __init__(self, error=None):
        self.error = error

    def fit(self, X, y, sample_weight=None):
        raise self.error

    def predict(self, X):
        """Never asked."""


@pytest.mark.parametrize(
    ("learner", "features", "text", "blamed"),
    [
        (Ridge(), WORDS, "could not convert string to float: 'steel'", ["b"]),
        (Ridge(), WORDS, "could not convert string to float: np.str_('steel')", ["b"]),
        (Ridge(), WORDS, "could not convert string to float: 'worn'", []),
        (encoded(Ridge()), WORDS, "could not convert string to float: 'worn'", []),
        (encoded(Ridge(), []), WORDS, "could not convert string to float: 'brass'", ["b"]),
        (Ridge(), WORDS, "Singular matrix", []),
        (Ridge(), WORDS, "The 'dtype' parameter of Ridge must be a float.", []),
        (Ridge(), WORDS, "dtype='numeric' is not compatible with arrays of strings", ["b"]),
        (encoded(Ridge()), WORDS, "the dtype of a target must be float", []),
        (encoded(Ridge()), WORDS, "dtypes must be int. Invalid columns:b: str", ["b"]),
        (Ridge(), TIMES, "The DType DateTime64DType could not be promoted", ["a"]),
        (Ridge(), NUMBERS, "could not convert string to float: 'worn'", []),
    ],
)
def test_columns_are_blamed_only_where_the_error_is_about_them(learner, features, text, blamed):
    assert columns_to_blame(learner, features, text) == blamed


def test_a_pipeline_is_told_which_column_it_forgot():
    both = WORDS.assign(a=np.where(NUMBERS["a"] > 0.0, "Ulm", "Kiel"))
    with pytest.raises(ParameterError, match=r"Found \['a'\], which hold no numbers, and a Ridge"):
        ca.AugmentedRegressor(encoded(Ridge()), **FAST).fit(both, Y)
    with pytest.raises(ParameterError, match=r"Found \['a', 'b'\], which hold no numbers"):
        ca.AugmentedRegressor(Ridge(), **FAST).fit(both, Y)


@pytest.mark.parametrize("features", [NUMBERS, WORDS], ids=["numbers", "words"])
@pytest.mark.parametrize("kind", [ValueError, TypeError])
def test_an_error_of_its_own_is_passed_on_with_the_name_of_the_learner(features, kind):
    text = "must be able to learn from the rows: try Fails on them alone.*failed: no luck$"
    for learner in (Fails(kind("no luck")), encoded(Fails(kind("no luck")), features.columns)):
        with pytest.raises(ParameterError, match=text) as caught:
            ca.AugmentedRegressor(learner, **FAST).fit(features, Y)
        assert isinstance(caught.value, kind)


def test_an_error_of_ours_stays_as_it_is():
    ours = TableError("ours")
    assert learner_failed(Ridge(), WORDS, Y, ours) is ours


def test_holes_are_blamed_beside_words_that_are_encoded():
    holes = WORDS.assign(a=WORDS["a"].where(WORDS.index > 2))
    learner = ca.AugmentedRegressor(encoded(Ridge()), keep_holes=True, **FAST)
    with pytest.raises(ParameterError, match="must take missing features.*keep_holes=False"):
        learner.fit(holes, Y)


# One class.


@pytest.mark.parametrize("features", [NUMBERS, WORDS], ids=["numbers", "words"])
@pytest.mark.parametrize("share", [0.5, "auto"])
@pytest.mark.parametrize("graph", [GRAPH, None])
@pytest.mark.filterwarnings("ignore:`graph` is None")
def test_one_class_is_named_where_the_learner_needs_two(features, share, graph):
    options = {**FAST, "augmented_share": share, "graph": graph}
    learner = ca.AugmentedClassifier(encoded(LogisticRegression()), **options)
    text = r"at least two classes.*Found one class, 'good', for LogisticRegression\. Add"
    with pytest.raises(ParameterError, match=text):
        learner.fit(features, pd.Series(["good"] * N_ROWS, name="y"))
    with pytest.raises(ParameterError, match=text):
        learner.fit(features, CLASSES, sample_weight=np.where(CLASSES == "good", 2.0, 0.0))


def test_one_class_is_not_blamed_for_a_wrong_parameter():
    one = pd.Series(["good"] * N_ROWS, name="y")
    with pytest.raises(ParameterError, match="try LogisticRegression on them alone.*'C'"):
        ca.AugmentedClassifier(LogisticRegression(C=-1.0), **FAST).fit(NUMBERS, one)


def test_a_learner_that_takes_one_class_may():
    one = pd.Series(["good"] * N_ROWS, name="y")
    learner = ca.AugmentedClassifier(RandomForestClassifier(3), **FAST).fit(NUMBERS, one)
    assert set(learner.predict(NUMBERS)) == {"good"}


# Huge cells.


@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (np.inf, r"must be finite. Found infinite cells in \['b'\]. Replace"),
        (-1e50, r"at most 3.4e\+38 for this learner.*Found 1e\+50 in 'b'. Express"),
        (1e120, r"at most 3.4e\+38 for this learner.*Found 1e\+120 in 'b'. Express"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_huge_cells_at_prediction_are_named(array, cell, text):
    features = NUMBERS.to_numpy() if array else NUMBERS
    options = {**FAST, "feature_names": ["a", "b"], "target": "y"}
    asked = NUMBERS.assign(b=NUMBERS["b"].where(NUMBERS.index != 3, cell))
    asked = asked.to_numpy() if array else asked
    forest = ca.AugmentedRegressor(RandomForestRegressor(3), **options).fit(features, Y)
    with pytest.raises(TableError, match=text):
        forest.predict(asked)
    forest = ca.AugmentedClassifier(RandomForestClassifier(3), **options).fit(features, CLASSES)
    with pytest.raises(TableError, match=text):
        forest.predict_proba(asked)


def test_a_learner_in_double_precision_takes_large_cells():
    ridge = ca.AugmentedRegressor(Ridge(), **FAST).fit(NUMBERS, Y)
    assert np.isfinite(ridge.predict(NUMBERS.assign(b=1e50))).all()


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_huge_cells_are_named_in_a_fit():
    asked = NUMBERS.assign(b=NUMBERS["b"].where(NUMBERS.index != 3, 1e50))
    with pytest.raises(TableError, match=r"Found 1e\+50 in 'b'"):
        ca.AugmentedRegressor(RandomForestRegressor(3), **FAST).fit(asked, Y)


def test_other_failures_at_prediction_stay_what_they_are():
    class Silent(Ridge):
        def predict(self, X):
            raise ValueError("no luck")

    with pytest.raises(ValueError, match="^no luck$"):
        ca.AugmentedRegressor(Silent(), **FAST).fit(NUMBERS, Y).predict(NUMBERS)


def test_the_numbers_of_a_table():
    frame = WORDS.assign(c=pd.Series([1, None] * 12, dtype="Int64"), d=True)
    found = numbers_of(frame)
    assert list(found) == ["a", "c", "d"]
    np.testing.assert_array_equal(found["c"][:2], [1.0, np.nan])
    assert list(numbers_of(np.eye(2))) == [0, 1]
    assert list(numbers_of(np.eye(2), ["p", "q"])) == ["p", "q"]
    assert list(numbers_of(np.eye(2), ["p"])) == [0, 1]


def test_an_encoder_that_forgets_nothing_is_not_blamed_for_a_wrong_parameter():
    for learner in (Ridge(alpha=-3.0), encoded(Ridge(alpha=-3.0))):
        with pytest.raises(CausalAugError, match="try Ridge on them alone.*'alpha'"):
            ca.AugmentedRegressor(learner, **FAST).fit(WORDS, Y)


def test_words_before_a_scaler_are_blamed():
    with pytest.raises(ParameterError, match=r"Found \['b'\], which hold no numbers"):
        ca.AugmentedRegressor(make_pipeline(StandardScaler(), Ridge()), **FAST).fit(WORDS, Y)
