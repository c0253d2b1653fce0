"""Several graphs with weights are one model: each factor is a mixture over their pillows."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

import causalaug as ca
from causalaug.discovery import PAG
from causalaug.exceptions import CyclicGraphError, GraphError
from causalaug.graphs import SeveralGraphs, read_graph
from graph_strategies import admgs

ONE = "load -> wear -> heat; heat -> noise"
OTHER = "load -> wear; load -> heat; wear -> noise"


def machine(n_rows=40, *, holes=False):
    rng = np.random.default_rng(0)
    load = rng.normal(size=n_rows)
    wear = load + 0.7 * rng.normal(size=n_rows)
    heat = np.sin(wear) + load + 0.4 * rng.normal(size=n_rows)
    noise = heat + 0.5 * rng.normal(size=n_rows)
    frame = pd.DataFrame({"load": load, "wear": wear, "heat": heat, "noise": noise})
    return frame.mask(rng.uniform(size=frame.shape) < 0.1) if holes else frame


@pytest.mark.parametrize("conditional", [None, "auto", ca.ResidualConditional()])
def test_a_factor_is_the_mixture_of_the_graphs_own(conditional):
    frame = machine()
    both = ca.fit_model(frame, [(ONE, 0.75), (OTHER, 0.25)], conditional)
    order = both.order
    parts = [
        np.exp(ca.fit_model(frame, graph, conditional, order).log_density(frame))
        for graph in (ONE, OTHER)
    ]
    np.testing.assert_allclose(
        np.exp(both.log_density(frame)), 0.75 * parts[0] + 0.25 * parts[1], rtol=1e-9
    )


@given(st.floats(0.01, 0.99))
def test_new_rows_are_a_mixture(share):
    # Two binary variables: with one graph they go together, with the other they do not.
    frame = pd.DataFrame({"a": ["x", "y"] * 4, "b": ["x", "y"] * 4})
    model = ca.fit_model(frame, [("a -> b", share), ("a; b", 1 - share)])
    new = model.expand(ca.PrunedExpansion(0))
    same = new.weights[(new.frame["a"] == new.frame["b"]).to_numpy()].sum()
    assert same == pytest.approx(share + (1 - share) / 2)
    assert new.weights.sum() == pytest.approx(1.0)


def test_one_graph_in_a_list_is_that_graph():
    graph = read_graph(ONE)
    assert read_graph([graph]) == read_graph([(ONE, 0.3)]) == graph
    assert read_graph([graph, ONE, graph]) == graph


def test_graphs_without_weights_count_alike():
    frame = machine()
    plain = ca.fit_model(frame, [ONE, read_graph(OTHER)])
    even = ca.fit_model(frame, [(ONE, 2), (OTHER, 2)])
    pd.testing.assert_frame_equal(plain.log_density(frame), even.log_density(frame))


def test_what_the_graphs_agree_on_is_fitted_as_one():
    frame = machine()
    model = ca.fit_model(frame, [ONE, OTHER])
    alone = ca.fit_model(frame, ONE)
    for name in ("load", "wear"):
        both = [each.log_density(frame)[name] for each in (model, alone)]
        np.testing.assert_array_equal(*both)
    assert (model.trust["trust"] == 1.0).all()


@pytest.mark.parametrize("trust", ["full", "auto", 0.5])
def test_trust_mixes_the_mixture(trust):
    frame = machine(60)
    model = ca.fit_model(frame, [ONE, OTHER], "auto", trust=trust)
    full = ca.fit_model(frame, [ONE, OTHER], "auto")
    assert np.isfinite(model.log_density(frame)).all(axis=None)
    if trust == 0.5:
        order = ca.fit_model(frame, ca.complete_graph(model.order), "auto")
        expected = np.exp(full.log_density(frame)) / 2 + np.exp(order.log_density(frame)) / 2
        noise = np.exp(model.log_density(frame)["noise"])
        np.testing.assert_allclose(noise, expected["noise"], rtol=1e-9)


def test_a_trust_of_zero_leaves_the_order_alone():
    frame = machine()
    graphs = [ONE, "load; wear; heat; noise", "wear -> noise; load; heat"]
    model = ca.fit_model(frame, graphs, trust=0)
    whole = ca.fit_model(frame, ca.complete_graph(model.order))
    pd.testing.assert_frame_equal(model.log_density(frame), whole.log_density(frame))
    either = ca.fit_model(frame[["load", "wear"]], ["load -> wear", "load; wear"], trust=0)
    order = ca.fit_model(frame[["load", "wear"]], "load -> wear")
    pd.testing.assert_frame_equal(
        either.log_density(frame[["load", "wear"]]), order.log_density(frame[["load", "wear"]])
    )


@pytest.mark.parametrize("holes", [False, True])
def test_learners_take_several_graphs(holes):
    frame = machine(50, holes=holes)
    frame["noise"] = machine(50)["noise"]
    X, y = frame.drop(columns="noise"), frame["noise"]
    graphs = [(ONE, 0.75), (OTHER, 0.25)]
    model = ca.GraphRegressor(graphs, target="noise", random_state=0).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert isinstance(model.model_.graph, SeveralGraphs)
    blend = ca.AugmentedRegressor(Ridge(), graph=graphs, target="noise", random_state=0).fit(X, y)
    assert np.isfinite(blend.predict(X)).all()


def test_a_comparison_takes_several_graphs():
    graphs, options = [ONE, OTHER], {"n_splits": 2, "rivals": False, "random_state": 0}
    result = ca.compare(machine(40), graphs, "noise", Ridge(), **options)
    assert np.isfinite(result.total.change)
    assert isinstance(ca.check_graph(machine(40), graphs), ca.GraphCheck)


def test_graphs_whose_union_claims_nothing_claim_something():
    both = read_graph(["a -> b", "a; b"])
    assert ca.factorize(both) == ca.factorize("a -> b")
    assert SeveralGraphs([(read_graph("a -> b"), 1), (read_graph("a; b"), 1)]) == both


@given(admgs(max_nodes=4))
def test_a_value(one):
    graphs = [(one, 0.5), (one.subgraph(one.nodes), 0.5)]
    several = SeveralGraphs(graphs)
    for same in (pickle.loads(pickle.dumps(several)), copy.deepcopy(several)):
        assert same == several
        assert hash(same) == hash(several)
    assert several != one
    assert several.subgraph(one.nodes[:1]).nodes == one.nodes[:1]
    kept = ca.latent_projection(several, one.nodes[:2])
    assert kept.graphs[0][0] == ca.latent_projection(one, one.nodes[:2])


def test_a_list_of_edges_is_no_list_of_graphs():
    assert not isinstance(read_graph([("a", "b"), ("b", "c")]), SeveralGraphs)
    assert not isinstance(read_graph([("a", "<->", "b")]), SeveralGraphs)
    with pytest.raises(GraphError, match="A graph must be text, a path"):
        read_graph(["a", "b"])


def test_names_give_the_order_of_nodes():
    both = read_graph(["a -> b", "a; b"], names=["b", "c", "a"])
    assert [graph.nodes for graph, _ in both.graphs] == [("b", "c", "a")] * 2


@pytest.mark.parametrize(
    ("graphs", "error", "message"),
    [
        (["a -> b", "b -> a"], CyclicGraphError, "must share an order.*a -> b -> a.*augment_aver"),
        (["a -> b", "a -> c"], GraphError, "must have the same nodes. Found .*'b'.* and .*'c'"),
        ([("a -> b", -1), ("a; b", 1)], GraphError, "weight of a graph must be a positive number"),
        ([("a -> b", 0), ("a; b", 1)], GraphError, "weight of a graph must be a positive number"),
        (["a -> b [0.5]", "a; b"], GraphError, "weights or beliefs in edges, not both"),
    ],
)
def test_what_cannot_be_used_together(graphs, error, message):
    with pytest.raises(error, match=message):
        read_graph(graphs)


def test_several_graphs_are_not_changed():
    for change in (SeveralGraphs.add, SeveralGraphs.without):
        with pytest.raises(GraphError, match="Only one graph can be changed"):
            change(read_graph(["a -> b", "a; b"]), "a -> b")


def test_a_class_of_graphs_is_its_first_member():
    pag = PAG(["load", "wear", "heat"], [("load", "--", "wear"), ("wear", "--", "heat")])
    graph = read_graph(pag)
    assert graph == next(iter(ca.discovery.enumerate_admgs(pag)))
    frame = machine()[["load", "wear", "heat"]]
    found = ca.fit_model(frame, pag).log_density(frame)
    pd.testing.assert_frame_equal(found, ca.fit_model(frame, graph).log_density(frame))


def test_a_result_that_has_a_graph_is_that_graph():
    data = ca.datasets.make_sem(20, "chain", random_state=0)
    assert read_graph(data) == data.graph
