"""How likely rows are: laws of `GraphModel.log_density`."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import trapezoid

import causalaug as ca
from model.test_posterior import chain, discrete_models
from strategies import by_values

UNSMOOTHED = ca.KernelConditional(level_smoothing=0)


@given(discrete_models(UNSMOOTHED))
@settings(max_examples=40)
def test_on_levels_the_density_is_the_weight_of_the_merged_paths(problem):
    """Eq. (3) of the paper, with equal rows added up."""
    _, model = problem
    paths = model.expand(ca.PrunedExpansion(0.0))
    weights = by_values(paths)
    rows = pd.DataFrame(list(weights), columns=list(model.table.columns))
    likelihood = np.exp(model.log_density(rows).sum(axis=1))
    np.testing.assert_allclose(likelihood, list(weights.values()), rtol=1e-9)


@given(discrete_models())
@settings(max_examples=30)
def test_probabilities_of_all_rows_sum_to_one(problem):
    frame, model = problem
    every = pd.MultiIndex.from_product([sorted(set(frame[name])) for name in frame]).to_frame()
    rows = pd.DataFrame(every.to_numpy(), columns=list(frame))
    assert np.exp(model.log_density(rows).sum(axis=1)).sum() == pytest.approx(1.0)
    assert np.isfinite(model.log_density(rows).to_numpy()).all()


CONDITIONALS = [
    ca.KernelConditional(),
    ca.ResidualConditional(),
    ca.ResidualConditional(temperature=float("inf")),
    ca.AutoConditional(),
]


@pytest.mark.parametrize("conditional", CONDITIONALS, ids=str)
@pytest.mark.parametrize("name", ["a", "y", "b"])
def test_densities_of_numbers_integrate_to_one(conditional, name):
    frame = chain(40, np.random.default_rng(0))
    model = ca.fit_model(frame, "a -> y; y -> b", conditional)
    grid = 4.0 * np.sinh(np.linspace(-8.0, 8.0, 8001))
    for row in (0, 7):
        rows = pd.DataFrame({column: np.full(len(grid), frame[column][row]) for column in frame})
        rows[name] = grid
        density = np.exp(model.log_density(rows)[name].to_numpy())
        assert trapezoid(density, grid) == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize("conditional", CONDITIONALS, ids=str)
def test_a_row_is_the_product_of_its_factors(conditional):
    """The slow twin: every factor asked on its own, one row at a time."""
    frame = chain(25, np.random.default_rng(1)).assign(c=list("uvwxy") * 5)
    model = ca.fit_model(frame, "a -> y; y -> b; a -> c; c -> b", conditional)
    found = model.log_density(frame.head(6))
    assert list(found) == [factor.target for factor in model.factors]
    for number in range(6):
        row = model.table.values[[number]]
        for factor, density in zip(model.factors, model.densities, strict=True):
            pillow = row[:, [model.table.index(name) for name in factor.pillow]]
            own = row[:, model.table.index(factor.target)]
            assert found[factor.target][number] == pytest.approx(
                density.log_density(own, pillow)[0], rel=1e-9
            )
    assert model.score(frame) == pytest.approx(model.log_density(frame).sum(axis=1).mean())


@pytest.mark.parametrize("name", ["a", "b"])
def test_many_values_at_once_have_the_density_of_few(name):
    frame = chain(50, np.random.default_rng(5))
    model = ca.fit_model(frame, "a -> y; y -> b", ca.ResidualConditional())
    rng = np.random.default_rng(6)
    many = pd.DataFrame(dict.fromkeys("ayb", 4.0 * rng.standard_t(2.0, 20_000)))
    few = model.log_density(many.head(500))[name]
    np.testing.assert_allclose(model.log_density(many)[name].head(500), few, atol=2e-3)


def test_holes_are_nan_in_the_factors_that_they_touch():
    frame = chain(20, np.random.default_rng(2))
    model = ca.fit_model(frame, "a -> y; y -> b")
    rows = frame.head(3).copy()
    rows.loc[0, "a"], rows.loc[1, "y"], rows.loc[2, "b"] = np.nan, np.nan, np.nan
    found = model.log_density(rows).isna()
    assert found.to_numpy().tolist() == [
        [True, True, False],
        [False, True, True],
        [False, False, True],
    ]
    with pytest.raises(ca.exceptions.TableError, match="at least one row must have all its cells"):
        model.score(rows)


def test_a_level_that_was_never_seen_has_no_probability():
    frame = pd.DataFrame({"a": list("uuvv"), "b": list("pqpq")})
    found = ca.fit_model(frame, "a -> b").log_density(pd.DataFrame({"a": ["new"], "b": ["p"]}))
    assert np.isneginf(found["a"][0])
    assert np.isnan(found["b"][0])


def test_a_constant_column_is_an_atom():
    frame = chain(12, np.random.default_rng(0)).assign(b=3.0)
    model = ca.fit_model(frame, "a -> y; y -> b", ca.ResidualConditional())
    found = model.log_density(pd.DataFrame({"a": [0.0, 0.0], "y": [0.0, 0.0], "b": [3.0, 3.1]}))[
        "b"
    ]
    assert found[0] == 0.0
    assert np.isneginf(found[1])
    np.testing.assert_array_equal(model.predict("b", frame).mean, 3.0)


def test_sample_weights_count():
    frame = pd.DataFrame({"a": list("uv"), "b": list("pq")})
    model = ca.fit_model(frame, ca.ADMG(["a", "b"]), UNSMOOTHED, sample_weight=[3.0, 1.0])
    np.testing.assert_allclose(np.exp(model.log_density(frame)["a"]), [0.75, 0.25])


@given(st.integers(0, 100))
@settings(max_examples=10)
def test_the_right_graph_explains_new_rows_better_than_a_wrong_one(seed):
    rng = np.random.default_rng(seed)
    train, test = chain(150, rng), chain(400, rng)
    right = ca.fit_model(train, "a -> y; y -> b", ca.ResidualConditional())
    wrong = ca.fit_model(train, ca.ADMG(["a", "y", "b"]), ca.ResidualConditional())
    assert right.score(test) > wrong.score(test) + 0.5


def doses(n_rows, rng):
    """Return a dose that is often zero, and what it does."""
    dose = np.where(rng.random(n_rows) < 0.4, 0.0, rng.gamma(4.0, 1.0, n_rows))
    return pd.DataFrame({"dose": dose, "effect": dose + 0.3 * rng.standard_normal(n_rows)})


# At infinite temperature rows are chosen whatever the pillow, those on the edge included.
@pytest.mark.parametrize(
    "conditional", [each for each in CONDITIONALS if each != CONDITIONALS[2]], ids=str
)
@pytest.mark.parametrize("graph", ["dose -> effect", "effect -> dose"])
def test_values_that_pile_up_on_an_edge_are_an_atom_and_a_density(conditional, graph):
    frame = doses(120, np.random.default_rng(0))
    model = ca.fit_model(frame, graph, conditional)
    grid = np.append(4.0 * np.sinh(np.linspace(-8.0, 8.0, 8000)), 0.0)
    rows = pd.DataFrame({"dose": grid, "effect": 0.2})
    density = np.exp(model.log_density(rows)["dose"].to_numpy())
    atom = density[-1]
    assert atom + trapezoid(density[:-1], grid[:-1]) == pytest.approx(1.0, abs=5e-3)
    assert 0.2 < atom < 1.0
    prediction = model.predict("dose", pd.DataFrame({"effect": [0.1, 5.0]}))
    zero = (prediction.sample(2000, random_state=0) == 0.0).mean(axis=1)
    assert zero[0] > 0.6
    assert zero[1] < 0.3
    assert prediction.mean[1] == pytest.approx(5.0, abs=0.8 if zero[1] < 0.05 else 2.0)


def test_ordered_levels_learn_from_the_ranks_beside_them():
    rng = np.random.default_rng(1)
    counts = rng.poisson(3.0, size=40)
    counts = np.where(counts == 4, 3, np.minimum(counts, 6))
    counts[0] = 4
    rows = pd.DataFrame({"count": sorted(set(counts))})
    frame = pd.DataFrame({"count": counts})
    found = {
        kind: np.exp(
            ca.fit_model(frame, ca.ADMG(["count"]), kinds={"count": kind})
            .log_density(rows)["count"]
            .to_numpy()
        )
        for kind in ("ordered", "nominal")
    }
    four = rows["count"].tolist().index(4)
    assert found["ordered"].sum() == pytest.approx(1.0)
    assert found["ordered"][four] > 2.0 * found["nominal"][four]
    unsmoothed = ca.fit_model(frame, ca.ADMG(["count"]), UNSMOOTHED, kinds={"count": "ordered"})
    frequency = np.exp(unsmoothed.log_density(rows)["count"])
    np.testing.assert_allclose(frequency, [np.mean(counts == each) for each in rows["count"]])


@given(st.integers(0, 200))
@settings(max_examples=15)
def test_probabilities_of_ordered_levels_sum_to_one_given_any_pillow(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=25)
    frame = pd.DataFrame({"x": x, "n": np.round(2.0 + x + rng.normal(size=25)).astype(int)})
    model = ca.fit_model(frame, "x -> n", "auto", kinds={"n": "ordered"})
    levels = sorted(set(frame["n"]))
    rows = pd.DataFrame({"x": np.full(len(levels), x[0]), "n": levels})
    total = np.exp(model.log_density(rows)["n"]).sum()
    assert total == pytest.approx(1.0)


@pytest.mark.parametrize("conditional", [ca.KernelConditional(), ca.ResidualConditional(), "auto"])
@pytest.mark.parametrize("gone", ["x", "y", "town", None])
def test_factors_that_no_row_has_all_cells_of_are_not_known(conditional, gone):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=30), "y": rng.normal(size=30)})
    frame["town"] = rng.choice(["here", "there"], 30)
    model = ca.fit_model(frame, "x -> y; x -> town", conditional)
    holes = frame.assign(**{} if gone is None else {gone: frame[gone].mask(frame[gone].notna())})
    asked = holes[:0] if gone is None else holes[:4]
    found = model.log_density(asked)
    assert found.shape == (len(asked), 3)
    without = {"x": ["x", "y", "town"], "y": ["y"], "town": ["town"], None: []}[gone]
    assert found[without].isna().all(axis=None)
    assert found.drop(columns=without).notna().all(axis=None)
