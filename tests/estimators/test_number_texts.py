"""Numbers that are stored as text: taken for names, and said so once."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import causalaug as ca
from causalaug.evaluation import named_learner
from causalaug.exceptions import CausalAugWarning

PARTS = ca.datasets.make_machine_wear(30, random_state=0)
Y = PARTS.frame["wear"]
NUMBERS = PARTS.frame[["load", "heat"]].round(2)
GRAPH = "load -> wear -> heat"
LEARNERS = {
    "augmented": lambda **options: ca.AugmentedRegressor(
        graph=GRAPH, augmented_share=0.5, **options
    ),
    "graph": lambda **options: ca.GraphRegressor(graph=GRAPH, **options),
}


def texts(odd=None):
    cells = NUMBERS["load"].astype(str).tolist()
    return NUMBERS.assign(load=cells if odd is None else [odd, *cells[1:]])


def told(fit):
    """Return the warnings of a fit that speak of text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    return [str(each.message) for each in caught if "text" in str(each.message)]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("odd", [None, "n/a?"])
@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas])
def test_a_column_of_number_texts_is_named_once(learner, odd, convert):
    with pytest.warns(CausalAugWarning, match="pd.to_numeric") as caught:
        LEARNERS[learner](random_state=0).fit(convert(texts(odd)), Y)
    (line,) = [str(each.message) for each in caught if "text" in str(each.message)]
    assert line.startswith("Columns of text that hold numbers are taken for names: ['load'], such")
    assert "X['load'] = pd.to_numeric(X['load'], errors='coerce')" in line
    assert "kinds={'load': 'nominal'}" in line


@pytest.mark.parametrize(
    "cells",
    [
        NUMBERS["load"],
        ["01000", "20095", "10115"] * 10,
        ["low", "high", "3"] * 10,
        pd.Categorical(["1", "2", "3"] * 10),
        [True, False, None] * 10,
    ],
    ids=["numbers", "zip codes", "words", "categories", "booleans"],
)
def test_nothing_is_said_of_other_columns(cells):
    frame = NUMBERS.assign(load=cells)
    assert told(lambda: LEARNERS["graph"]().fit(frame, Y)) == []


def test_nothing_is_said_if_the_user_calls_them_names():
    kinds = {"load": "nominal"}
    assert told(lambda: LEARNERS["graph"](kinds=kinds).fit(texts(), Y)) == []


def test_the_advice_works():
    frame = texts("n/a?")
    frame["load"] = pd.to_numeric(frame["load"], errors="coerce")
    fitted = LEARNERS["graph"]().fit(frame, Y)
    assert dict(zip(fitted.model_.table.columns, fitted.model_.table.kinds, strict=True))[
        "load"
    ] == ("continuous")
    assert np.isfinite(fitted.predict(frame)).all()


def test_a_comparison_says_it_once_and_nothing_in_its_folds():
    frame = texts().assign(wear=Y)
    learner = named_learner("ridge", texts(), classification=False)
    options = {"n_splits": 2, "rivals": False, "random_state": 0}
    (line,) = told(lambda: ca.compare(frame, GRAPH, "wear", learner, **options))
    assert "taken for names: ['load']" in line
    kinds = {"load": "nominal"}
    assert told(lambda: ca.compare(frame, GRAPH, "wear", learner, kinds=kinds, **options)) == []
