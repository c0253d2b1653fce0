"""The graph's own model, and beside it one that needs no causal knowledge."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeCV

import causalaug as ca

SIGNS = [f"x{number}" for number in range(6)]


def signs(n_rows, seed=0):
    """Return signs that a common cause, the target, gives values: no arrow goes to the target."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n_rows)
    frame = pd.DataFrame({name: y + 0.5 * rng.normal(size=n_rows) for name in SIGNS})
    return frame.assign(y=y)


RIGHT = ca.ADMG([*SIGNS, "y"], [("y", name) for name in SIGNS])
MISLED = ca.ADMG([*SIGNS, "y"], [("x0", "y")])
"""It says that all signs but one are independent of the target, and of each other."""


def fitted(graph, frame, **more):
    X, y = frame.drop(columns="y"), frame["y"]
    return ca.GraphRegressor(graph, random_state=0, **more).fit(X, y)


def error(model, n_rows=2_000):
    fresh = signs(n_rows, seed=1)
    return np.square(model.predict(fresh[SIGNS]) - fresh["y"]).mean()


def test_a_right_graph_keeps_most_of_its_weight():
    assert fitted(RIGHT, signs(80)).graph_weight_ > 0.6


def test_a_graph_that_misleads_is_no_worse_than_no_graph():
    train = signs(60)
    ridge = RidgeCV(np.logspace(-2, 3, 11)).fit(train[SIGNS], train["y"])
    misled, believed = fitted(MISLED, train), fitted(MISLED, train, trust="full")
    assert error(believed) > 2.0 * error(ridge)
    assert error(misled) < 1.2 * error(ridge)
    assert misled.graph_weight_ < 0.5


def test_what_is_stated_is_believed():
    train = signs(60)
    for trust in ("full", 0.5, {"y": 0.5}):
        assert fitted(MISLED, train, trust=trust).graph_weight_ == 1.0


@pytest.mark.parametrize("graph", [ca.complete_graph([*SIGNS, "y"]), None])
@pytest.mark.filterwarnings("ignore:GraphRegressor has no graph")
def test_a_graph_that_claims_nothing_stands_alone(graph):
    train = signs(60)
    model = fitted(graph, train)
    assert model.graph_weight_ == 1.0
    alone = model.model_.predict("y", train[SIGNS]).mean
    np.testing.assert_array_equal(model.predict(train[SIGNS]), alone)


def test_few_rows_hold_none_out():
    assert fitted(RIGHT, signs(8)).graph_weight_ == 1.0


def test_the_mean_is_the_weighted_one_and_quantiles_are_those_of_the_mixture():
    train, fresh = signs(60), signs(40, seed=1)[SIGNS]
    model = fitted(MISLED, train)
    graph_mean = model.model_.predict("y", fresh).mean
    mean, weight = model.predict(fresh), model.graph_weight_
    other = (mean - weight * graph_mean) / (1.0 - weight)
    # The other one knows all signs.
    assert np.corrcoef(other, fresh.mean(axis=1))[0, 1] > 0.95
    quantiles = model.predict_quantile(fresh, np.linspace(0.005, 0.995, 199))
    assert (np.diff(quantiles, axis=1) >= -1e-12).all()
    np.testing.assert_allclose(quantiles.mean(axis=1), mean, atol=0.05)


def test_probabilities_are_averaged():
    train = signs(80).assign(y=lambda frame: np.where(frame["y"] > 0.0, "up", "down"))
    model = ca.GraphClassifier(MISLED, random_state=0).fit(train[SIGNS], train["y"])
    chances = model.predict_proba(train[SIGNS])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert 0.0 <= model.graph_weight_ < 0.5
    assert (model.predict(train[SIGNS]) == train["y"]).mean() > 0.85


def test_holes_are_asked_about():
    train, fresh = signs(80), signs(200, seed=1)
    holes = fresh[SIGNS].mask(np.random.default_rng(0).random((200, len(SIGNS))) < 0.3)
    model = fitted(MISLED, train.mask(np.random.default_rng(1).random(train.shape) < 0.05))
    assert np.square(model.predict(holes) - fresh["y"]).mean() < 0.5


def test_neither_the_order_of_rows_nor_copies_matter():
    train, fresh = signs(60), signs(40, seed=1)[SIGNS]
    said = fitted(MISLED, train).predict(fresh)
    shuffled = fitted(MISLED, train.sample(frac=1.0, random_state=0))
    np.testing.assert_allclose(shuffled.predict(fresh), said)
    thrice = fitted(MISLED, pd.concat([train] * 3))
    np.testing.assert_allclose(thrice.predict(fresh), said)
