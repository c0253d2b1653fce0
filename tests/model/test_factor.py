"""The four verbs of a fitted factor, beside the plainest ways to the same answers."""

import pickle

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from causalaug.exceptions import TableError


def days(n_rows=40, seed=0):
    rng = np.random.default_rng(seed)
    sun = rng.uniform(0.0, 10.0, n_rows)
    city = rng.choice(["Rome", "Oslo"], n_rows)
    ice = 2.0 * sun + np.where(city == "Rome", 5.0, 0.0) + rng.normal(size=n_rows)
    shops = rng.integers(1, 5, n_rows)
    return pd.DataFrame({"sun": sun, "city": city, "ice": ice, "shops": shops})


GRAPH = "sun -> ice <- city; ice -> shops"
NEW = pd.DataFrame({"sun": [1.0, 9.0, 5.0], "city": ["Rome", "Oslo", "Oslo"]})
HOW = {
    "kernel": {},
    "auto": {"conditional": "auto"},
    "trusting": {"conditional": "auto", "trust": 0.5},
}


@pytest.fixture(params=HOW)
def model(request):
    return ca.fit_model(days(), GRAPH, **HOW[request.param])


def factor_of(model, name):
    return model.factors[model.order.index(name)]


def pillow_of(factor, frame):
    return frame[list(factor.pillow)] if factor.pillow else None


def test_fitted_factors_are_those_of_the_graph():
    model = ca.fit_model(days(), GRAPH)
    assert model.factors == ca.factorize(GRAPH)
    assert ca.factorize(GRAPH) == model.factors
    assert set(model.factors) == set(ca.factorize(GRAPH))
    assert factor_of(model, "ice") != ca.Factor("ice", ("sun",))
    assert factor_of(model, "ice") != "p(ice | sun, city)"
    assert repr(model.factors[0]) == "<fitted p(sun)>"


def test_weights_of_the_observed_rows_sum_to_one(model):
    frame = days(7, seed=1)
    for factor in model.factors:
        log_weights = factor.weigh(pillow_of(factor, frame))
        assert log_weights.shape == (7 if factor.pillow else 1, 40)
        np.testing.assert_allclose(np.exp(log_weights).sum(axis=1), 1.0)


def test_weights_are_those_of_the_tree():
    table = pd.DataFrame({"x": [0.0, 1.0, 3.0], "y": [5.0, 6.0, 7.0]})
    model = ca.fit_model(table, "x -> y", ca.KernelConditional(temperature=1.0))
    tree = model.expand(ca.PrunedExpansion(0.0))
    edges = np.exp(model.factors[1].weigh(table[["x"]])) / 3.0
    of_path = [edges[x, y] for x, y in tree.rows]
    np.testing.assert_allclose(tree.weights, of_path, rtol=1e-12)


def test_draws_follow_the_weights():
    table = days()
    model = ca.fit_model(table, GRAPH)
    factor = factor_of(model, "ice")
    one = NEW.iloc[[0]]
    drawn = factor.draw(pd.concat([one] * 4_000), rng=0)
    assert set(drawn) <= set(table["ice"])
    share = np.exp(factor.weigh(one))[0]
    counts = table["ice"].map(pd.Series(drawn).value_counts()).fillna(0.0).to_numpy() / 4_000
    assert np.abs(counts - share).max() < 5.0 * np.sqrt(0.25 / 4_000)
    assert factor.draw(one, rng=3) == factor.draw(one, rng=3)


def test_drawn_cells_are_cells_of_the_column(model):
    frame = days(9, seed=2)
    for factor in model.factors:
        drawn = factor.draw(pillow_of(factor, frame), rng=1)
        assert len(drawn) == (9 if factor.pillow else 1)
    city = factor_of(model, "city")
    many = frame.loc[[0] * 60]
    assert set(city.draw(many[list(city.pillow)], rng=1)) == {"Rome", "Oslo"}
    assert set(factor_of(model, "shops").draw(frame.drop(columns="shops"), 0)) <= {1, 2, 3, 4}


def test_densities_are_those_of_the_model(model):
    frame = days(12, seed=3)
    whole = model.log_density(frame)
    for factor in model.factors:
        got = factor.log_density(frame[factor.target], pillow_of(factor, frame))
        np.testing.assert_allclose(got, whole[factor.target])


def test_a_mean_is_the_integral_of_the_density(model):
    factor = factor_of(model, "ice")
    grid = np.linspace(-60.0, 90.0, 20_001)
    for number, mean in enumerate(factor.mean(NEW)):
        pillow = pd.concat([NEW.iloc[[number]]] * len(grid))
        density = np.exp(factor.log_density(grid, pillow))
        assert density.sum() * (grid[1] - grid[0]) == pytest.approx(1.0, abs=0.02)
        assert mean == pytest.approx(float((grid * density).sum() / density.sum()), abs=0.3)


def test_the_mean_of_whole_numbers_is_that_of_their_probabilities(model):
    factor = factor_of(model, "shops")
    asked = days().loc[[0] * 4]
    chances = np.exp(factor.log_density([1, 2, 3, 4], asked))
    assert chances.sum() == pytest.approx(1.0)
    assert factor.mean(asked[:1])[0] == pytest.approx(float(chances @ [1, 2, 3, 4]))


def test_rows_that_lack_a_cell_have_no_weight():
    table = days()
    table.loc[3, "sun"] = np.nan
    factor = factor_of(ca.fit_model(table, GRAPH, "auto", trust=0.5), "ice")
    log_weights = factor.weigh(days()[list(factor.pillow)])
    assert np.isneginf(log_weights[:, 3]).all()
    np.testing.assert_allclose(np.exp(log_weights).sum(axis=1), 1.0)


def test_a_level_that_no_row_has_is_impossible():
    factor = factor_of(ca.fit_model(days(), GRAPH), "city")
    assert np.isneginf(factor.log_density(["Rome", "Bonn"])).tolist() == [False, True]


def test_factors_pickle_with_their_model(model):
    other = pickle.loads(pickle.dumps(factor_of(model, "ice")))
    np.testing.assert_array_equal(other.mean(NEW), factor_of(model, "ice").mean(NEW))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda ice, city: ice.weigh(), "must be given: a frame with the columns"),
        (lambda ice, city: ice.mean(NEW.assign(sun=np.nan)), r"other cells in \['sun'\]"),
        (lambda ice, city: ice.mean(NEW.assign(city="Bonn")), r"other cells in \['city'\]"),
        (lambda ice, city: ice.log_density([1.0, 2.0], NEW), "2 values and 3 rows"),
        (lambda ice, city: city.mean(), "Only numbers have a mean. Found labels in 'city'"),
    ],
)
def test_what_cannot_be_answered_is_refused(call, words):
    model = ca.fit_model(days(), GRAPH)
    with pytest.raises(TableError, match=words):
        call(factor_of(model, "ice"), factor_of(model, "city"))


def test_nothing_is_drawn_where_no_row_is_near():
    kernel = ca.KernelConditional(kernel="epanechnikov", discrete_kernel="identity")
    model = ca.fit_model(days(), GRAPH, kernel)
    factor = factor_of(model, "ice")
    far = NEW.assign(sun=1e6)
    assert np.isneginf(factor.weigh(far)).all()
    with pytest.raises(TableError, match="Found none for row 0"):
        factor.draw(far)
