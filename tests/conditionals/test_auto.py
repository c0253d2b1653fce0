"""For each factor what makes left-out rows most likely."""

import pickle

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from causalaug.conditionals import _auto as auto_module
from causalaug.conditionals._auto import TEMPERATURES
from causalaug.densities import _weighed
from causalaug.exceptions import ParameterError

GRAPH = "x -> line; x -> branches; x -> level"


def rows(n_rows, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(1.0, 3.0, n_rows)
    side = rng.choice([-1.0, 1.0], n_rows)
    return pd.DataFrame(
        {
            "x": x,
            "line": 2.0 * x + 0.1 * rng.normal(size=n_rows),
            "branches": side * x + 0.05 * rng.normal(size=n_rows),
            "level": np.where(rng.random(n_rows) < (x - 1.0) / 2.0, "high", "low"),
        }
    )


def test_each_factor_has_its_own_kind_and_none_alone_is_better():
    train, test = rows(100, 0), rows(400, 1)
    model = ca.fit_model(train, GRAPH, conditional="auto")
    moved = dict(zip(model.order, [each.shift is not None for each in model.fitted], strict=True))
    assert moved == {"x": False, "line": True, "branches": False, "level": False}
    alone = [ca.ResidualConditional()]
    alone += [ca.KernelConditional(temperature=each) for each in TEMPERATURES]
    best = max(ca.fit_model(train, GRAPH, each).score(test) for each in alone)
    assert model.score(test) > best


def test_long_tables_are_judged_by_fewer_rows_and_keep_their_kernels(monkeypatch):
    monkeypatch.setattr(_weighed, "ROWS_TO_JUDGE", 99)
    model = ca.fit_model(rows(300, 0), GRAPH, conditional="auto")
    moved = dict(zip(model.order, [each.shift is not None for each in model.fitted], strict=True))
    assert moved == {"x": False, "line": True, "branches": False, "level": False}


def test_many_rows_take_a_mean_wherever_there_is_one(monkeypatch):
    monkeypatch.setattr(auto_module, "MOST_ROWS", 99)
    model = ca.fit_model(rows(100, 0), GRAPH, conditional="auto")
    moved = dict(zip(model.order, [each.shift is not None for each in model.fitted], strict=True))
    assert moved == {"x": False, "line": True, "branches": True, "level": False}


@pytest.mark.parametrize(
    ("n_rows", "anywhere"), [(99, False), (100, True), (120, True), (121, False)]
)
def test_of_many_rows_any_may_lend_a_residual(monkeypatch, n_rows, anywhere):
    monkeypatch.setattr(auto_module, "ROWS_THAT_LEND_ANYWHERE", range(100, 121))
    frame = rows(n_rows, 0)
    model = ca.fit_model(frame, GRAPH, conditional="auto")
    fitted = dict(zip(model.order, model.fitted, strict=True))
    weights = np.exp(fitted["line"].weigher.log_weights(np.array([[1.5]])))
    assert np.allclose(weights, 1.0 / n_rows) == anywhere
    # What the factor says of a row does not depend on who lends to new ones.
    density = ca.fit_model(frame, GRAPH, ca.ResidualConditional()).log_density(frame)
    np.testing.assert_allclose(model.log_density(frame)["line"], density["line"])


@pytest.mark.parametrize("conditional", [ca.AutoConditional(), ca.ResidualConditional()])
def test_a_model_of_numbers_answers_the_same_after_a_journey(conditional):
    frame = rows(40, 2)
    model = ca.fit_model(frame, GRAPH, conditional)
    before = model.predict("x", frame)
    after = pickle.loads(pickle.dumps(model)).predict("x", frame)
    np.testing.assert_array_equal(before.mean, after.mean)
    np.testing.assert_array_equal(before.quantile(0.9), after.quantile(0.9))


def test_it_makes_rows_like_any_other():
    frame = rows(40, 3)
    new = ca.augment(frame, GRAPH, ca.AutoConditional(), random_state=0)
    assert len(new) > 40
    assert new.mass == pytest.approx(1.0)


def test_a_negative_smoothing_is_refused():
    with pytest.raises(ParameterError, match="`level_smoothing` must be a number of at least 0"):
        ca.AutoConditional(level_smoothing=-1.0)
    with pytest.raises(ParameterError, match="`level_smoothing` must be a number of at least 0"):
        ca.KernelConditional(level_smoothing=-1.0)
