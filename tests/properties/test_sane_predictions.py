"""No prediction is absurd: not inside the rows, not far outside, on no table that we have or make.

`make fuzz` draws more such tables (kinds `predictions` and `blended-predictions`).
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import causalaug as ca
from hostile_tables import absurdities, draw_table

N_TRAIN, N_TEST = 60, 300
BUNDLED = ("auto_mpg", "boston_housing", "red_wine", "sachs", "white_wine")


def numeric_columns():
    """Return every number of every table that the package ships or simulates."""
    return [
        pytest.param(name, column, id=f"{name}-{column}")
        for name in (*BUNDLED, "machine_wear", "nonlinear", "uneven", "counts")
        for column in table(name).frame.select_dtypes("number").columns
    ]


def table(name):
    if name in BUNDLED:
        return ca.datasets.load_dataset(name)
    if name == "machine_wear":
        return ca.datasets.make_machine_wear(N_TRAIN + N_TEST, random_state=0)
    options = {
        "nonlinear": {"mechanism": "nonlinear"},
        "uneven": {"mechanism": "nonlinear", "heteroscedastic": True},
        "counts": {"mechanism": "mixed"},
    }[name]
    return ca.datasets.make_sem(N_TRAIN + N_TEST, "random", **options, random_state=0)


def split(name, column):
    """Return rows to learn from, and rows to be asked about."""
    data = table(name)
    order = np.random.default_rng(0).permutation(len(data.frame))[: N_TRAIN + N_TEST]
    frame = data.frame.iloc[order].astype({column: float}).reset_index(drop=True)
    features = frame.drop(columns=column)
    train, test = slice(None, N_TRAIN), slice(N_TRAIN, None)
    truth = frame[column].iloc[test].to_numpy()
    return data.graph, features.iloc[train], frame[column].iloc[train], features.iloc[test], truth


def ridge():
    return make_pipeline(StandardScaler(), Ridge())


def boosting():
    return HistGradientBoostingRegressor(max_iter=10, min_samples_leaf=5, early_stopping=False)


@pytest.mark.parametrize(("name", "column"), numeric_columns())
def test_the_graphs_own_model_is_sane_on_every_column(name, column):
    graph, *rows = split(name, column)
    assert absurdities(ca.GraphRegressor(graph), *rows) == []


@pytest.mark.slow
@pytest.mark.parametrize("learner", [ridge, boosting], ids=["ridge", "boosting"])
@pytest.mark.parametrize(("name", "column"), numeric_columns())
def test_blends_are_sane_on_every_column(name, column, learner):
    graph, *rows = split(name, column)
    if any(dtype.kind not in "fi" for dtype in rows[0].dtypes):
        pytest.skip("the learners here take numbers")
    model = ca.AugmentedRegressor(learner(), graph=graph, random_state=0)
    assert absurdities(model, *rows) == []


def hostile(seed, n_train):
    graph, target, frame = draw_table(seed, n_train + N_TEST)
    X, y = frame.drop(columns=target), frame[target]
    train, test = slice(None, n_train), slice(n_train, None)
    return graph, X.iloc[train], y.iloc[train], X.iloc[test], y.iloc[test].to_numpy()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(10, 80))
def test_the_graphs_own_model_is_sane_on_hostile_tables(seed, n_train):
    graph, *rows = hostile(seed, n_train)
    assert absurdities(ca.GraphRegressor(graph), *rows) == []


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.integers(20, 60), st.sampled_from([ridge, boosting]))
def test_blends_are_sane_on_hostile_tables(seed, n_train, learner):
    graph, *rows = hostile(seed, n_train)
    expansion = ca.BudgetExpansion(2 * n_train)
    model = ca.AugmentedRegressor(learner(), graph=graph, expansion=expansion, random_state=0)
    assert absurdities(model, *rows) == []
