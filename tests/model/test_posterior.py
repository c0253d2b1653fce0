"""The target given the rest: laws of `GraphModel.predict`."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from graph_strategies import admgs


@st.composite
def discrete_models(draw, conditional=None):
    """Draw a fitted model of a small table of levels."""
    graph = draw(admgs(max_nodes=4))
    n_rows = draw(st.integers(2, 8))
    cells = st.lists(st.sampled_from("abc"), min_size=n_rows, max_size=n_rows)
    frame = pd.DataFrame({name: draw(cells) for name in graph.nodes})
    return frame, ca.fit_model(frame, graph, conditional)


def by_enumeration(model, target, row):
    """Return p(target | the cells of the row that are there), from the joint density alone."""
    names = list(model.graph.nodes)
    levels = {name: sorted(set(model.table.source[name])) for name in names}
    free = [name for name in names if name != target and row[name] is None]
    grid = pd.MultiIndex.from_product([levels[name] for name in [target, *free]]).to_frame()
    rows = pd.DataFrame({name: [row[name]] * len(grid) for name in names}, dtype=object)
    rows[[target, *free]] = grid.to_numpy()
    joint = np.exp(model.log_density(rows).sum(axis=1).to_numpy())
    total = joint.reshape(len(levels[target]), -1).sum(axis=1)
    return total / total.sum()


@given(discrete_models(), st.data())
@settings(max_examples=40)
def test_classes_equal_enumeration_of_the_joint(problem, data):
    frame, model = problem
    target = data.draw(st.sampled_from(list(frame)))
    prediction = model.predict(target, frame)
    assert prediction.levels.tolist() == sorted(set(frame[target]))
    for number, row in frame.iterrows():
        np.testing.assert_allclose(
            prediction.probabilities[number], by_enumeration(model, target, row), atol=1e-9
        )


@given(discrete_models())
@settings(max_examples=20)
def test_a_model_answers_the_same_after_a_journey(problem):
    frame, model = problem
    target = list(frame)[0]
    before = model.predict(target, frame).probabilities
    after = pickle.loads(pickle.dumps(model)).predict(target, frame).probabilities
    np.testing.assert_array_equal(before, after)


def chain(n_rows, rng):
    """Return rows of a linear Gaussian chain: a -> y -> b, noise of variance 1 and 1/4."""
    a = rng.standard_normal(n_rows)
    y = a + rng.standard_normal(n_rows)
    return pd.DataFrame({"a": a, "y": y, "b": y + 0.5 * rng.standard_normal(n_rows)})


@pytest.mark.parametrize("target", ["y", "a", "b"])
def test_a_gaussian_chain_approaches_the_analytic_answer(target):
    rng = np.random.default_rng(0)
    model = ca.fit_model(chain(1500, rng), "a -> y; y -> b", ca.ResidualConditional())
    new = chain(200, rng)
    exact = {
        "y": (new["a"] + 4.0 * new["b"]) / 5.0,
        "a": new["y"] / 2.0,
        "b": new["y"],
    }[target]
    error = model.predict(target, new.drop(columns=target)).mean - exact
    # A tenth of the sd of the answer's own noise.
    assert np.sqrt(np.mean(np.square(error))) < 0.1


def test_many_children_make_a_narrow_posterior_that_is_still_resolved():
    """Two hundred exact copies: the posterior is thousands of times narrower than the prior."""
    rng = np.random.default_rng(1)
    y = rng.standard_normal(80)
    signs = {f"x{i}": y + 1e-3 * rng.standard_normal(80) for i in range(30)}
    graph = ca.ADMG(["y", *signs], directed=[("y", sign) for sign in signs])
    model = ca.fit_model(pd.DataFrame({"y": y, **signs}), graph, ca.ResidualConditional())
    new = np.array([0.3, -1.1])
    frame = pd.DataFrame(dict.fromkeys(signs, new))
    prediction = model.predict("y", frame)
    np.testing.assert_allclose(prediction.mean, new, atol=2e-3)
    width = prediction.quantile(0.95) - prediction.quantile(0.05)
    assert (width > 1e-5).all()
    assert (width < 4e-3).all()


def test_the_target_in_the_frame_is_ignored():
    rng = np.random.default_rng(2)
    frame = chain(40, rng)
    model = ca.fit_model(frame, "a -> y; y -> b", ca.ResidualConditional())
    wrong = frame.assign(y=np.nan)
    np.testing.assert_array_equal(model.predict("y", frame).mean, model.predict("y", wrong).mean)
