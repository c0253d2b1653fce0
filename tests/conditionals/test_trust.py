"""Trust by factor: what the data want beside a graph, and mixtures of factors as factors."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import trapezoid
from scipy.optimize import minimize_scalar
from sklearn.linear_model import Ridge

import causalaug as ca
from causalaug.densities import stacking_weights
from causalaug.exceptions import ParameterError

FULL = "load -> wear; load -> heat; wear -> heat; heat -> noise"
LACKING = "load -> wear; wear -> heat; heat -> noise"


def machine(n_rows=80, seed=0, *, text=False):
    """Return rows in which heat depends on wear and on load."""
    rng = np.random.default_rng(seed)
    load = rng.normal(size=n_rows)
    wear = load + 0.7 * rng.normal(size=n_rows)
    heat = np.sin(wear) + load + 0.4 * rng.normal(size=n_rows)
    noise = heat + 0.5 * rng.normal(size=n_rows)
    frame = pd.DataFrame({"load": load, "wear": wear, "heat": heat, "noise": noise})
    return frame.assign(heat=np.where(heat > 0.0, "hot", "cold")) if text else frame


@given(st.integers(2, 3), st.integers(0, 200))
def test_stacked_weights_are_those_of_the_largest_likelihood(n_parts, seed):
    rng = np.random.default_rng(seed)
    logs, rows = rng.normal(size=(12, n_parts)), rng.uniform(0.5, 2.0, 12)
    found = stacking_weights(logs, rows)

    def objective(weights):
        return rows @ np.log(np.exp(logs) @ weights) + np.log(weights).sum()

    assert found.sum() == pytest.approx(1.0)
    best = objective(found)
    for other in rng.dirichlet(np.ones(n_parts), size=30):
        assert objective(other) <= best + 1e-6
        # The objective is concave: not even on the way to another point does it rise.
        away = minimize_scalar(
            lambda t, to=other: -objective((1 - t) * found + t * to),
            bounds=(0, 1),
            method="bounded",
        )
        assert -away.fun <= best + 1e-6


def test_a_missing_edge_is_wanted_where_it_is_missing_and_nowhere_else():
    trust = ca.fit_model(machine(), LACKING, "auto", trust="auto").trust.set_index("variable")
    assert trust.loc["heat", "wanted"] == "load"
    assert trust.loc["heat", "trust"] < 0.2
    assert trust.loc["heat", "gain"] > 10.0
    assert (trust.drop(index="heat")["trust"] == 1.0).all()
    assert (trust.drop(index="heat")["wanted"] == "").all()


def test_the_same_is_wanted_of_levels():
    graph = "load -> wear; heat -> noise; wear"
    trust = ca.fit_model(machine(200, text=True), graph, "auto", trust="auto").trust
    wanted = trust.set_index("variable").loc["heat", "wanted"]
    assert set(wanted.split(", ")) & {"load", "wear"}


@pytest.mark.parametrize("conditional", [None, "auto"])
def test_a_complete_graph_is_trusted_wholly(conditional):
    graph = ca.complete_graph(["load", "wear", "heat", "noise"])
    model = ca.fit_model(machine(), graph, conditional, trust="auto")
    assert (model.trust["trust"] == 1.0).all()
    plain = ca.fit_model(machine(), graph, conditional)
    pd.testing.assert_frame_equal(model.log_density(machine()), plain.log_density(machine()))


@pytest.mark.parametrize("conditional", [None, "auto", ca.ResidualConditional()])
@pytest.mark.parametrize("trust", ["full", 1.0, 1, {"load": 1, "wear": 1, "heat": 1, "noise": 1}])
def test_a_belief_of_one_is_the_graph_as_it_stands(conditional, trust):
    frame = machine(40)
    model = ca.fit_model(frame, LACKING, conditional, trust=trust)
    plain = ca.fit_model(frame, LACKING, conditional)
    assert model.factors == plain.factors
    pd.testing.assert_frame_equal(model.log_density(frame), plain.log_density(frame))
    pd.testing.assert_frame_equal(
        model.expand(random_state=0).frame, plain.expand(random_state=0).frame
    )


def test_a_belief_of_zero_leaves_the_order_alone():
    frame = machine(40)
    model = ca.fit_model(frame, LACKING, trust=0.0)
    whole = ca.fit_model(frame, ca.complete_graph(model.order))
    assert model.factors == whole.factors
    pd.testing.assert_frame_equal(model.log_density(frame), whole.log_density(frame))


def test_a_belief_between_is_a_mixture_with_that_weight():
    frame = machine(40)
    parts = [np.exp(ca.fit_model(frame, LACKING, trust=each).log_density(frame)) for each in (1, 0)]
    mixed = np.exp(ca.fit_model(frame, LACKING, trust=0.3).log_density(frame))
    assert_allclose(mixed, 0.3 * parts[0] + 0.7 * parts[1])


def test_a_belief_about_one_variable_leaves_the_others_to_the_data():
    trust = ca.fit_model(machine(), LACKING, "auto", trust={"noise": 0.25}).trust
    by_name = trust.set_index("variable")["trust"]
    assert by_name["noise"] == 0.25
    assert by_name["heat"] < 0.2
    assert by_name["wear"] == 1.0


@pytest.mark.parametrize("trust", ["Full", 1.5, -0.1, True, None, {"heat": 2.0}, {"heat": "auto"}])
def test_what_is_no_trust_is_refused(trust):
    with pytest.raises(ParameterError, match="`trust` must be"):
        ca.fit_model(machine(20), LACKING, trust=trust)


def test_trust_in_a_variable_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="`trust` names columns.*'heta' -> 'heat'"):
        ca.fit_model(machine(20), LACKING, trust={"heta": 0.5})


@pytest.mark.parametrize("conditional", [None, "auto", ca.ResidualConditional()])
def test_densities_of_mixtures_integrate_to_one(conditional):
    frame = machine(30)
    model = ca.fit_model(frame, LACKING, conditional, trust=0.4)
    density = model.densities[model.order.index("heat")]
    points = np.linspace(-40.0, 40.0, 8001)
    pillow = np.repeat([[0.3, -0.4]], len(points), axis=0)
    mass = trapezoid(np.exp(density.log_density(points, pillow)), points)
    assert mass == pytest.approx(1.0, abs=5e-3)


@pytest.mark.parametrize("conditional", [None, "auto"])
def test_levels_of_mixtures_have_probabilities_that_sum_to_one(conditional):
    model = ca.fit_model(machine(60, text=True), LACKING, conditional, trust=0.4)
    number = model.order.index("heat")
    density = model.densities[number]
    pillow = np.zeros((len(density.levels), len(model.factors[number].pillow)))
    total = np.exp(density.log_density(density.levels, pillow)).sum()
    assert total == pytest.approx(1.0)


@pytest.mark.parametrize("conditional", [None, "auto", ca.ResidualConditional()])
@pytest.mark.parametrize(
    "expansion",
    [
        ca.BudgetExpansion(60),
        ca.BudgetExpansion(60, merge_equal=False),
        ca.SampledExpansion(60),
        ca.PrunedExpansion(0.05),
        ca.BeamExpansion(60),
    ],
    ids=lambda each: type(each).__name__,
)
def test_every_expansion_takes_a_mixture_for_a_factor(conditional, expansion):
    model = ca.fit_model(machine(15), LACKING, conditional, trust=0.4)
    result = model.expand(expansion, random_state=0)
    assert len(result)
    assert 0.0 < result.mass <= 1.0 + 1e-9
    assert result.rows.max() < 15
    assert np.isfinite(result.frame.to_numpy()).all()


def test_rows_of_a_mixture_have_the_weights_of_its_parts():
    """The whole tree of two variables, path by path."""
    frame = pd.DataFrame({"a": [0.0, 1.0, 3.0], "b": [1.0, 2.0, 2.5]})
    model = ca.fit_model(frame, "a; b", trust=0.25)
    result = model.expand(ca.PrunedExpansion(0.0), random_state=0)
    apart = ca.fit_model(frame, "a; b").expand(ca.PrunedExpansion(0.0))
    along = ca.fit_model(frame, "a -> b").expand(ca.PrunedExpansion(0.0))
    expected = 0.25 * _weights(apart) + 0.75 * _weights(along)
    assert_allclose(_weights(result), expected, atol=1e-12)


def _weights(table):
    """Return the weight of each pair of rows."""
    total = np.zeros((3, 3))
    np.add.at(total, tuple(table.rows.T), table.weights)
    return total


def test_drawn_rows_follow_the_weights_of_a_mixture():
    frame = machine(30, seed=3)
    model = ca.fit_model(frame, LACKING, ca.ResidualConditional(), trust=0.5)
    drawn = model.expand(ca.SampledExpansion(40_000), random_state=0)
    budget = model.expand(ca.BudgetExpansion(40_000), random_state=1)
    for name in frame.columns:
        means = [np.average(each.frame[name], weights=each.weights) for each in (drawn, budget)]
        assert means[0] == pytest.approx(means[1], abs=0.02)


def test_copies_are_weights():
    frame = machine(40)
    thrice = pd.concat([frame] * 3, ignore_index=True)
    asked = machine(10, seed=1)
    once = ca.fit_model(frame, LACKING, "auto", sample_weight=np.full(40, 3.0), trust="auto")
    many = ca.fit_model(thrice, LACKING, "auto", trust="auto")
    pd.testing.assert_frame_equal(once.trust, many.trust, rtol=1e-9)
    assert_allclose(many.predict("heat", asked).mean, once.predict("heat", asked).mean, atol=1e-9)


def test_rows_in_another_order_are_trusted_alike():
    frame = machine(60)
    other = frame.sample(frac=1.0, random_state=0)
    found = [ca.fit_model(each, LACKING, "auto", trust="auto").trust for each in (frame, other)]
    pd.testing.assert_frame_equal(*found, rtol=1e-6)


@pytest.mark.parametrize("learner", [ca.GraphRegressor, ca.AugmentedRegressor])
def test_learners_trust_by_the_data_and_predict_better(learner):
    train, test = machine(60), machine(500, seed=1)
    losses = {}
    for trust in ("full", "auto"):
        options = {} if learner is ca.GraphRegressor else {"augmented_share": 1.0}
        model = learner(graph=LACKING, trust=trust, random_state=0, **options)
        model.fit(train.drop(columns="load"), train["load"])
        predicted = model.predict(test.drop(columns="load"))
        losses[trust] = np.mean((predicted - test["load"]) ** 2)
    assert losses["auto"] < 0.8 * losses["full"]
    assert model.model_.trust["wanted"].str.contains("load").any()


def test_holes_are_drawn_before_the_data_are_asked():
    frame = machine(80)
    holes = np.random.default_rng(0).random((80, 2)) < 0.15
    frame = frame.assign(load=frame["load"].mask(holes[:, 0]), heat=frame["heat"].mask(holes[:, 1]))
    model = ca.GraphRegressor(LACKING, random_state=0).fit(
        frame.drop(columns="wear"), frame["wear"]
    )
    trust = model.model_.trust.set_index("variable")
    assert trust.loc["heat", "wanted"] == "load"
    assert all(each.factors == model.model_.factors for each in model.model_.earlier)
    assert np.isfinite(model.predict(frame.drop(columns="wear"))).all()
    plain = ca.fit_model(frame, LACKING, "auto", trust="auto")
    assert plain.trust.set_index("variable").loc["heat", "wanted"] == "load"
    assert not plain.expand(random_state=0).frame.isna().any(axis=None)


def test_a_model_that_trusts_by_the_data_pickles(tmp_path):
    model = ca.fit_model(machine(40), LACKING, "auto", trust="auto")
    again = pd.read_pickle(_written(model, tmp_path / "model.pkl"))
    assert_array_equal(
        again.predict("heat", machine(5)).mean, model.predict("heat", machine(5)).mean
    )
    pd.testing.assert_frame_equal(again.trust, model.trust)


def _written(model, path):
    pd.to_pickle(model, path)
    return path


def test_constant_columns_and_few_rows_want_nothing():
    frame = machine(4).assign(noise=1.0)
    trust = ca.fit_model(frame, "load; wear; heat; noise", "auto", trust="auto").trust
    assert trust.set_index("variable").loc["noise", "trust"] == 1.0


def with_beliefs(text, belief):
    """Return a graph with the same belief in every edge."""
    graph = ca.read_graph(text)
    return ca.ADMG(
        graph.nodes, graph.directed, graph.bidirected, dict.fromkeys(edges(graph), belief)
    )


def edges(graph):
    return [(a, "->", b) for a, b in graph.directed] + [(a, "<->", b) for a, b in graph.bidirected]


GRAPHS = [LACKING, "load; wear -> heat; noise", "load -> wear; wear <-> heat; load <-> noise"]


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("trust", ["full", "auto", 0.5])
def test_a_belief_of_one_in_all_edges_is_the_graph_as_it_stands(graph, trust):
    frame = machine(40)
    model = ca.fit_model(frame, with_beliefs(graph, 1), trust=trust)
    plain = ca.fit_model(frame, graph)
    assert model.factors == plain.factors
    pd.testing.assert_frame_equal(model.log_density(frame), plain.log_density(frame))
    pd.testing.assert_frame_equal(
        model.expand(random_state=0).frame, plain.expand(random_state=0).frame
    )


@pytest.mark.parametrize("graph", GRAPHS)
def test_a_belief_of_zero_in_all_edges_is_no_independence(graph):
    frame = machine(40)
    model = ca.fit_model(frame, with_beliefs(graph, 0))
    whole = ca.fit_model(frame, ca.complete_graph(model.order))
    assert model.factors == whole.factors
    pd.testing.assert_frame_equal(model.log_density(frame), whole.log_density(frame))


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("trust", ["full", "auto", 0.9, {}])
def test_the_same_belief_in_all_edges_is_that_trust(graph, trust):
    frame = machine(40)
    model = ca.fit_model(frame, with_beliefs(graph, 0.3), trust=trust)
    other = ca.fit_model(frame, graph, trust=0.3)
    assert model.factors == other.factors
    pd.testing.assert_frame_equal(model.log_density(frame), other.log_density(frame))


def test_a_factor_is_believed_as_far_as_its_weakest_edge():
    graph = "load; wear -> noise [0.75]; heat -> noise [0.5]; load -> heat"
    trust = ca.fit_model(machine(40), graph).trust.set_index("variable")["trust"]
    assert dict(trust) == {"load": 1.0, "wear": 1.0, "heat": 1.0, "noise": 0.5}
    by_hand = ca.fit_model(machine(40), graph, trust=0.25).trust.set_index("variable")["trust"]
    assert dict(by_hand) == {"load": 1.0, "wear": 0.25, "heat": 0.25, "noise": 0.5}


def test_a_variable_without_edges_is_believed_as_the_graph_on_average():
    graph = "load; wear -> noise [0.75]; load -> heat [0.25]"
    trust = ca.fit_model(machine(40), graph).trust.set_index("variable")["trust"]
    assert dict(trust) == {"load": 1.0, "wear": 0.5, "heat": 0.25, "noise": 0.75}


def test_a_hidden_cause_brings_the_edges_of_its_district():
    graph = "load -> wear [0.5]; wear <-> heat; noise"
    model = ca.fit_model(machine(40), graph, order=["noise", "load", "wear", "heat"])
    trust = model.trust.set_index("variable")["trust"]
    assert dict(trust) == {"noise": 1.0, "load": 1.0, "wear": 0.5, "heat": 0.5}


@pytest.mark.parametrize(
    "trust",
    [
        {("heat", "noise"): 0.25},
        {"heat -> noise": 0.25},
        {"noise <- heat": 0.25},
        {("noise", "<-", "heat"): 0.25},
        {("heat", "->", "noise"): 1, "noise": 0.25},
    ],
)
def test_ways_to_state_the_belief_in_an_edge(trust):
    frame = machine(40)
    stated = ca.fit_model(frame, LACKING, trust=trust)
    other = ca.fit_model(frame, LACKING, trust={"noise": 0.25})
    pd.testing.assert_frame_equal(stated.trust, other.trust)
    pd.testing.assert_frame_equal(stated.log_density(frame), other.log_density(frame))
    drawn = LACKING.replace("noise", "noise [0.25]")
    pd.testing.assert_frame_equal(stated.trust, ca.fit_model(frame, drawn, trust="auto").trust)
    over = ca.fit_model(frame, LACKING.replace("noise", "noise [0.75]"), trust=trust)
    pd.testing.assert_frame_equal(stated.trust, over.trust)


def test_a_variable_may_be_called_as_an_edge():
    frame = machine(20).rename(columns={"wear": "a -> b"})
    graph = ca.ADMG(["load", "heat", "a -> b", "noise"])
    model = ca.fit_model(frame, graph, trust={"a -> b": 0.5})
    assert model.trust.set_index("variable").loc["a -> b", "trust"] == 0.5


@pytest.mark.parametrize(
    ("trust", "message"),
    [
        ({"load -> noise": 0.5}, "`trust` must name edges of the graph. .*Found no load -> noise"),
        (
            {("noise", "heat"): 0.5},
            "`trust` must name edges .*no noise -> heat. It has heat -> noi",
        ),
        ({3: 0.5}, "The keys of `trust` must be variables or edges.*Found 3"),
        ({("load",): 0.5}, "`trust` must name edges of the graph. An edge must be a pair"),
    ],
)
def test_trust_in_an_edge_that_is_none_is_refused(trust, message):
    for fit in (
        lambda: ca.fit_model(machine(20), LACKING, trust=trust),
        lambda: ca.GraphRegressor(LACKING, target="heat", trust=trust).fit(
            machine(20).drop(columns="heat"), machine(20)["heat"]
        ),
    ):
        with pytest.raises(ParameterError, match=message):
            fit()


@pytest.mark.parametrize("graph", [LACKING, LACKING.replace("noise", "noise [0.25]")])
def test_learners_take_beliefs_in_edges(graph):
    frame = machine(40)
    X, y = frame.drop(columns="heat"), frame["heat"]
    trust = {"heat -> noise": 0.25} if "[" not in graph else "auto"
    model = ca.GraphRegressor(graph, target="heat", trust=trust, random_state=0).fit(X, y).model_
    assert model.trust.set_index("variable").loc["noise", "trust"] == 0.25
    blend = ca.AugmentedRegressor(Ridge(), graph=graph, target="heat", trust=trust, random_state=0)
    by_blend = blend.fit(X, y).model_.trust.set_index("variable")
    assert by_blend.loc["noise", "trust"] == 0.25


def test_new_rows_follow_the_beliefs_of_the_graph():
    frame, graph = machine(30), LACKING.replace("noise", "noise [0.25]")
    assert {each.target: each.pillow for each in ca.augment(frame, graph).factors}["noise"] == (
        "load",
        "wear",
        "heat",
    )


def test_rows_with_holes_and_whole_weights_are_judged_under_kernels():
    frame = machine(40)
    frame = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.2)
    weights = np.arange(40) % 3 + 1.0
    options = {"conditional": ca.KernelConditional(), "trust": "auto"}
    model = ca.fit_model(frame, LACKING, sample_weight=weights, **options)
    trust = model.trust.set_index("variable")
    assert trust.loc["heat", "wanted"] == "load"
    assert trust["trust"].between(0.0, 1.0).all()
