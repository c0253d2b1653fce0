"""Levels of a nominal column are told apart, and that is all: their names and order are nothing."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import causalaug as ca

GRAPH = "k -> m -> y <- a; k -> y -> c; y -> j"
NAMES = ["ash", "beech", "cedar", "dogwood", "elm"]


def rows(seed, n_rows=30):
    """Draw rows of a nominal cause, a nominal effect and numbers, some of them whole."""
    rng = np.random.default_rng(seed)
    k, m = rng.integers(0, 5, n_rows), rng.integers(0, 2, n_rows)
    a = np.round(rng.normal(size=n_rows), int(rng.integers(0, 3)))
    y = 0.5 * k**2 * m + a + rng.normal(size=n_rows)
    c = y + rng.normal(size=n_rows)
    j = np.digitize(y + rng.normal(size=n_rows), [0.0, 1.5])
    words = np.array(NAMES)
    return pd.DataFrame({"k": words[k], "m": words[m], "a": a, "y": y, "c": c, "j": words[j]})


def renamed(frame, names):
    """Return the same rows with every level called otherwise."""
    other = dict(zip(NAMES, names, strict=True))
    return frame.assign(**{column: frame[column].map(other) for column in ("k", "m", "j")})


def recategorised(frame, names):
    """Return the same cells as categories that are listed in another order."""
    columns = ("k", "m", "j")
    return frame.assign(**{each: pd.Categorical(frame[each], list(names)) for each in columns})


CHANGES = st.sampled_from([renamed, recategorised])


@given(st.integers(0, 999), st.permutations(NAMES), CHANGES)
@settings(max_examples=15)
def test_predictions_of_a_number(seed, names, change):
    frame, other = rows(seed), change(rows(seed), names)
    predicted = [
        ca.GraphRegressor(graph=GRAPH)
        .fit(each.drop(columns="y"), each["y"])
        .predict(each.drop(columns="y"))
        for each in (frame, other)
    ]
    assert_allclose(predicted[1], predicted[0], rtol=1e-7, atol=1e-7)


@given(st.integers(0, 999), st.permutations(range(9)))
@settings(max_examples=10)
def test_predictions_given_levels_that_are_numbers(seed, numbers):
    words = rows(seed, 90)
    kinds, predicted = {"k": "nominal", "m": "nominal"}, []
    for names in (range(9), numbers):
        codes = {
            column: words[column].map(dict(zip(NAMES, names, strict=False))) for column in "km"
        }
        features = words.assign(**codes).drop(columns="y")
        learner = ca.GraphRegressor(graph=GRAPH, kinds=kinds).fit(features, words["y"])
        predicted.append(learner.predict(features))
    assert_allclose(predicted[1], predicted[0], rtol=1e-7, atol=1e-7)


@given(st.integers(0, 999), st.permutations(NAMES))
@settings(max_examples=10)
def test_predictions_of_a_level(seed, names):
    frame, other, target = rows(seed), renamed(rows(seed), names), "m"
    found = []
    for each in (frame, other):
        features = each.drop(columns=target)
        learner = ca.GraphClassifier(graph=GRAPH).fit(features, each[target])
        chances = learner.predict_proba(features)
        found.append(pd.DataFrame(chances, columns=learner.classes_))
    moved = found[0].rename(columns=dict(zip(NAMES, names, strict=True)))
    assert_allclose(found[1][moved.columns], moved, rtol=1e-7, atol=1e-7)


@given(st.integers(0, 999), st.permutations(NAMES), CHANGES)
@settings(max_examples=10)
def test_densities(seed, names, change):
    frame, other = rows(seed), change(rows(seed), names)
    for conditional in ("auto", ca.ResidualConditional()):
        logs = [
            ca.fit_model(each, GRAPH, conditional=conditional).log_density(each)
            for each in (frame, other)
        ]
        assert_allclose(logs[1], logs[0], rtol=1e-7, atol=1e-7)
