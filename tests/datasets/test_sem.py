"""The laws of simulated truth: the graph holds in the data, and scales belong to the model."""

import pickle
import subprocess
import sys
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from causalaug import augment
from causalaug.datasets import (
    StructuralModel,
    example_graph,
    make_sem,
    make_sem_model,
    make_trivariate,
)
from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG, m_separated
from graph_strategies import admgs

SHAPES = ["random", "star", "chain", "two-layer"]
MECHANISMS = ["linear", "nonlinear", "mixed", "discrete"]
NOISES = ["laplace", "gaussian", "uniform", "exponential", "gumbel", "logistic"]
MANY = 40_000


def partial_correlation(frame, x, y, given):
    residuals = [frame[v].to_numpy() - _fit(frame, v, given) for v in (x, y)]
    return np.corrcoef(*residuals)[0, 1]


def _fit(frame, node, causes):
    design = np.column_stack([np.ones(len(frame)), frame[list(causes)].to_numpy()])
    return design @ np.linalg.lstsq(design, frame[node].to_numpy(), rcond=None)[0]


def separations(graph):
    """Yield what the graph separates, given nothing, one variable, or the parents of one."""
    for x, y in combinations(graph.nodes, 2):
        rest = [v for v in graph.nodes if v not in (x, y)]
        sets = {(), *((v,) for v in rest), graph.parents(x), graph.parents(y)}
        for given_ in sorted(sets):
            if not {x, y} & set(given_) and m_separated(graph, x, y, given_):
                yield x, y, given_


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("heteroscedastic", [False, True])
@pytest.mark.parametrize("n_hidden", [0, 3])
def test_what_the_graph_separates_is_uncorrelated_in_a_linear_model(
    shape, heteroscedastic, n_hidden
):
    dataset = make_sem(
        MANY,
        shape,
        n_variables=7,
        n_hidden=n_hidden,
        heteroscedastic=heteroscedastic,
        random_state=4,
    )
    found = [partial_correlation(dataset.frame, *each) for each in separations(dataset.graph)]
    assert len(found) > 0
    # Five standard errors; uneven noise widens them by at most its kurtosis.
    assert np.abs(found).max() < (2.0 if heteroscedastic else 1.0) * 5.0 / np.sqrt(MANY)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_the_graph_joins_is_correlated_in_a_linear_model(shape):
    dataset = make_sem(MANY, shape, n_variables=7, random_state=4)
    for cause, effect in dataset.graph.directed:
        others = [v for v in dataset.graph.parents(effect) if v != cause]
        assert abs(partial_correlation(dataset.frame, cause, effect, others)) > 0.1


@pytest.mark.parametrize("mechanism", ["nonlinear", "mixed", "discrete"])
def test_a_chain_is_independent_given_its_middle(mechanism):
    dtypes = dict.fromkeys(["X1", "Y"], "category")
    frame = make_sem(
        MANY, "chain", n_variables=3, mechanism=mechanism, dtypes=dtypes, random_state=1
    ).frame
    ends = pd.DataFrame({"X1": frame["X1"], "X2": _halves(frame["X2"]), "Y": frame["Y"]})
    assert _p_value(ends, "X1", "X2") < 1e-9
    within = [_p_value(part, "X1", "X2") for _, part in ends.groupby("Y", observed=True)]
    assert stats.combine_pvalues(within).pvalue > 0.01


@pytest.mark.parametrize("heteroscedastic", [False, True])
def test_the_effects_of_one_cause_are_independent_given_it(heteroscedastic):
    frame = make_sem(
        MANY, "star", mechanism="nonlinear", heteroscedastic=heteroscedastic, random_state=1
    ).frame
    # In narrow slices of Y nothing of it is left to see, neither in the mean nor in the scale.
    slices = pd.qcut(frame["Y"], 400, labels=False)
    ranks = frame.drop(columns="Y").groupby(slices).rank(pct=True) - 0.5
    spread = np.abs(ranks - ranks.groupby(slices).transform("median"))
    for values in (ranks, spread):
        off_diagonal = values.corr().to_numpy()[np.triu_indices(11, k=1)]
        assert np.abs(off_diagonal).max() < 0.03


def _halves(column):
    return column if column.dtype != float else column > column.median()


def _p_value(frame, x, y):
    return stats.chi2_contingency(pd.crosstab(frame[x], frame[y])).pvalue


@pytest.mark.parametrize("mechanism", ["linear", "nonlinear", "mixed"])
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("heteroscedastic", [False, True])
def test_every_real_variable_has_mean_zero_and_variance_one(mechanism, noise, heteroscedastic):
    model = make_sem_model(
        mechanism=mechanism,
        noise=noise,
        heteroscedastic=heteroscedastic,
        n_hidden=2,
        random_state=3,
    )
    real = model.sample(MANY, random_state=0).frame.select_dtypes("float")
    assert real.shape[1] >= 6
    np.testing.assert_allclose(real.mean(), 0.0, atol=0.04)
    np.testing.assert_allclose(real.std(), 1.0, atol=0.04)


def test_rows_are_not_scaled_by_each_other():
    model = make_sem_model(n_variables=3, random_state=0)
    deviations = [model.sample(5, random_state=i).frame["Y"].std() for i in range(20)]
    assert np.std(deviations) > 0.1


@pytest.mark.parametrize("signal", [0.2, 0.75, 0.95])
@pytest.mark.parametrize("heteroscedastic", [False, True])
def test_the_causes_explain_the_share_that_was_asked_for(signal, heteroscedastic):
    dataset = make_sem(MANY, signal=signal, heteroscedastic=heteroscedastic, random_state=2)
    for node in dataset.graph.nodes:
        causes = dataset.graph.parents(node)
        explained = np.var(_fit(dataset.frame, node, causes)) / np.var(dataset.frame[node])
        assert explained == pytest.approx(signal if causes else 0.0, abs=0.02)


def test_the_noise_has_calm_and_wild_regions():
    dataset = make_sem(MANY, "star", n_variables=2, heteroscedastic=True, random_state=0)
    residual = np.abs(dataset.frame["X1"] - _fit(dataset.frame, "X1", ["Y"]))
    by_cause = residual.groupby(pd.qcut(dataset.frame["Y"], 20, labels=False)).mean()
    assert 3.0 < by_cause.max() / by_cause.min() < 4.5


def test_a_hidden_cause_acts_on_both_ends():
    pair = ADMG(["A", "B"], bidirected=[("A", "B")])
    frame = make_sem(MANY, pair, signal=0.6, random_state=0).frame
    assert abs(frame["A"].corr(frame["B"])) == pytest.approx(0.6, abs=0.02)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("dtype", ["float", "int", "bool", "category"])
def test_each_bidirected_edge_has_a_hidden_cause_of_its_own(mechanism, dtype):
    graph = ADMG(["A", "B", "C"], bidirected=[("A", "B"), ("B", "C")])
    dtypes = dict.fromkeys(graph.nodes, dtype)
    frame = make_sem(MANY, graph, mechanism=mechanism, dtypes=dtypes, random_state=3).frame
    coarse = frame.apply(_halves)
    assert _p_value(coarse, "A", "B") < 1e-9
    assert _p_value(coarse, "B", "C") < 1e-9
    assert _p_value(coarse, "A", "C") > 0.001


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_hidden", [0, 1, 4])
def test_hidden_causes_are_bidirected_edges_and_no_columns(shape, n_hidden):
    dataset = make_sem(20, shape, n_variables=6, n_hidden=n_hidden, random_state=1)
    assert list(dataset.frame) == ["X1", "X2", "X3", "X4", "X5", "Y"]
    assert len(dataset.graph.bidirected) == n_hidden
    assert dataset.graph.nodes == tuple(dataset.frame)


@settings(max_examples=25)
@given(admgs(), st.sampled_from(MECHANISMS), st.booleans(), st.integers(0, 2**32))
def test_a_given_graph_is_the_true_graph(graph, mechanism, heteroscedastic, seed):
    dataset = make_sem(
        7, graph, mechanism=mechanism, heteroscedastic=heteroscedastic, random_state=seed
    )
    assert dataset.graph == graph
    assert tuple(dataset.frame) == graph.nodes
    assert dataset.target == graph.topological_order()[-1]
    assert len(dataset) == 7
    assert not dataset.frame.isna().to_numpy().any()


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_variables", [1, 2, 3, 12])
def test_any_size_can_be_augmented(mechanism, shape, n_variables):
    dataset = make_sem(
        15, shape, n_variables=n_variables, mechanism=mechanism, n_hidden=0, random_state=0
    )
    assert dataset.frame.shape == (15, n_variables)
    augmented = augment(dataset.frame, dataset.graph)
    assert augmented.mass + augmented.dropped_mass == pytest.approx(1.0)


def test_the_shapes():
    graphs = {shape: make_sem_model(shape, n_variables=7, random_state=0).graph for shape in SHAPES}
    assert graphs["star"].children("Y") == ("X1", "X2", "X3", "X4", "X5", "X6")
    assert graphs["chain"].topological_order() == ("X1", "X2", "X3", "Y", "X4", "X5", "X6")
    layered = graphs["two-layer"]
    assert layered.parents(["X1", "Y"]) == ()
    assert all(len(layered.parents(v)) == 2 for v in ("X2", "X3", "X4", "X5", "X6"))
    assert len(graphs["random"].ancestors("Y")) <= 3
    assert len(graphs["random"].descendants("Y")) <= 3


@pytest.mark.parametrize("seed", range(30))
def test_the_target_of_two_layers_has_an_effect(seed):
    graph = make_sem_model("two-layer", n_variables=4, random_state=seed).graph
    assert graph.children("Y")


@pytest.mark.parametrize("degree", [0.0, 2.0, 5.0, 100.0])
def test_random_graphs_have_the_degree_that_was_asked_for(degree):
    graphs = [make_sem_model(expected_degree=degree, random_state=seed).graph for seed in range(40)]
    mean = np.mean([2 * len(graph.directed) / 12 for graph in graphs])
    assert mean == pytest.approx(min(degree, 11.0), abs=0.4)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_one_seed_gives_one_result(mechanism):
    one, same, other = (
        make_sem(30, mechanism=mechanism, n_hidden=2, random_state=seed) for seed in (5, 5, 6)
    )
    pd.testing.assert_frame_equal(one.frame, same.frame)
    assert one.graph == same.graph
    assert one.graph != other.graph


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_longer_table_begins_like_a_shorter_one(mechanism):
    short, long = (make_sem(n, mechanism=mechanism, random_state=5).frame for n in (30, 90))
    pd.testing.assert_frame_equal(short, long.head(30))


def test_make_sem_draws_from_the_model_of_its_seed():
    model = make_sem_model(random_state=5)
    dataset = make_sem(MANY, random_state=5)
    fresh = model.sample(MANY, random_state=6)
    assert dataset.graph == model.graph
    np.testing.assert_allclose(dataset.frame.corr(), fresh.frame.corr(), atol=0.05)
    assert not dataset.frame.equals(fresh.frame)


def test_the_hash_seed_does_not_matter():
    code = (
        "from causalaug.datasets import make_sem; import pandas as pd;"
        "d = make_sem(20, mechanism='mixed', n_hidden=3, random_state=1);"
        "print(pd.util.hash_pandas_object(d.frame).sum(), d.graph)"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


def test_a_model_is_a_value_that_can_be_pickled():
    model = make_sem_model(mechanism="mixed", heteroscedastic=True, n_hidden=1, random_state=0)
    copy = pickle.loads(pickle.dumps(model))
    assert isinstance(copy, StructuralModel)
    pd.testing.assert_frame_equal(copy.sample(9, 1).frame, model.sample(9, 1).frame)
    assert repr(model).startswith("StructuralModel(12 variables; target Y; ")


@pytest.mark.parametrize(
    ("dtype", "found"),
    [("float", "float64"), ("int", "int64"), ("bool", "bool"), ("category", "category")],
)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_dtypes_are_as_asked(dtype, found, mechanism):
    graph = example_graph("front-door")
    frame = make_sem(
        200, graph, mechanism=mechanism, dtypes=dict.fromkeys(graph.nodes, dtype), random_state=0
    ).frame
    assert set(frame.dtypes.astype(str)) == {found}
    assert (frame.nunique() > 1).all()


def test_mechanisms_have_their_dtypes():
    kinds = {
        mechanism: set(make_sem(9, mechanism=mechanism, random_state=0).frame.dtypes.astype(str))
        for mechanism in MECHANISMS
    }
    assert kinds == {
        "linear": {"float64"},
        "nonlinear": {"float64"},
        "mixed": {"float64", "int64", "bool", "category"},
        "discrete": {"category"},
    }


def test_the_target_can_be_chosen():
    assert make_sem(9, "star", target="X2", random_state=0).target == "X2"
    assert make_sem(9, example_graph("napkin"), target="W", random_state=0).target == "W"
    assert make_sem(9, ADMG(["B", "A"], [("A", "B")]), random_state=0).target == "B"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"graph": "ring"}, "`graph` must be one of .*'chain'.* Found 'ring'"),
        ({"graph": None}, "`graph` must be one of"),
        ({"n_rows": 0}, "`n_rows` must be an integer of at least 1"),
        ({"n_variables": 0}, "`n_variables` must be an integer of at least 1"),
        ({"n_hidden": -1}, "`n_hidden` must be an integer of at least 0"),
        ({"n_variables": 3, "n_hidden": 4}, "n_hidden=4 and 3 pairs of 3 variables"),
        ({"graph": ADMG(["A"]), "n_hidden": 1}, "Add bidirected edges to the graph"),
        ({"expected_degree": -1.0}, "`expected_degree` must be a number of at least 0"),
        ({"mechanism": "cubic"}, "`mechanism` must be one of"),
        ({"noise": "pink"}, "`noise` must be one of"),
        ({"signal": 0.0}, "`signal` must be between 0 and 1"),
        ({"signal": 1}, "`signal` must be between 0 and 1"),
        ({"signal": "much"}, "`signal` must be a number"),
        ({"heteroscedastic": 1}, "`heteroscedastic` must be True or False"),
        ({"dtypes": {"Z": "bool"}}, "`dtypes` names columns that the data do not have"),
        ({"dtypes": {"Y": "text"}}, r"`dtypes\['Y'\]` must be one of"),
        ({"target": "X33"}, "`target` names columns .* typing slip"),
        ({"random_state": -1}, "`random_state` must be"),
    ],
)
def test_errors_name_what_is_wrong(arguments, message):
    with pytest.raises(ParameterError, match=message):
        make_sem(**arguments)


def test_the_number_of_rows_is_checked_where_they_are_drawn():
    with pytest.raises(ParameterError, match="`n_rows` must be an integer"):
        make_sem_model(random_state=0).sample(2.5)


def test_the_trivariate_example():
    dataset = make_trivariate(MANY, separation=3.0, random_state=0)
    assert dataset.graph == ADMG(["X1", "Y", "X2"], [("Y", "X1"), ("Y", "X2")])
    assert dataset.target == "Y"
    assert set(dataset.frame["Y"]) == {0, 1}
    means = dataset.frame.groupby("Y").mean()
    np.testing.assert_allclose(means.loc[1] - means.loc[0], 3.0, atol=0.05)
    for _, rows in dataset.frame.groupby("Y"):
        np.testing.assert_allclose(rows["X1"].corr(rows["X2"]), 0.0, atol=0.04)
        np.testing.assert_allclose(rows[["X1", "X2"]].std(), 1.0, atol=0.03)


def test_the_trivariate_example_checks_its_arguments():
    with pytest.raises(ParameterError, match="`separation` must be a number of at least 0"):
        make_trivariate(separation=-1.0)
    with pytest.raises(ParameterError, match="`n_rows`"):
        make_trivariate(0)
