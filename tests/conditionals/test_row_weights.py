import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causalaug as ca
from causalaug.exceptions import ParameterError
from oracles import all_lent_paths
from regressors import HalfSum
from strategies import KERNELS, by_rows, by_values, problems

EXACT = [ca.PrunedExpansion(0.0), ca.BudgetExpansion(100_000), ca.BeamExpansion(100_000)]


@st.composite
def weighted_problems(draw, **options):
    problem = draw(problems(**options))
    n_rows = len(problem.frame)
    counts = st.lists(st.integers(1, 3), min_size=n_rows, max_size=n_rows)
    return problem, np.array(draw(counts))


def augment(problem, frame, conditional, expansion, weights=None):
    return ca.augment(
        frame,
        problem.graph,
        conditional,
        expansion,
        problem.order,
        random_state=0,
        sample_weight=weights,
    )


def rounded(augmented):
    weights = {}
    for values, weight in by_values(augmented).items():
        key = tuple(float(round(value, 9)) + 0.0 for value in values)
        weights[key] = weights.get(key, 0.0) + weight
    return {values: weight for values, weight in weights.items() if weight > 1e-250}


@pytest.mark.parametrize("expansion", EXACT, ids=repr)
@given(weighted_problems(max_rows=4, max_nodes=3, kernels=(*KERNELS, "identity")))
def test_a_weight_of_two_is_a_row_twice(expansion, weighted):
    problem, counts = weighted
    repeated = problem.frame.loc[np.repeat(problem.frame.index, counts)].reset_index(drop=True)
    found = rounded(augment(problem, problem.frame, problem.conditional, expansion, counts))
    expected = rounded(augment(problem, repeated, problem.conditional, expansion))
    assert found == pytest.approx(expected, rel=1e-9)


@given(weighted_problems(max_rows=4, max_nodes=3, kernels=("gaussian",)))
def test_a_weight_of_two_is_a_row_twice_where_values_are_moved(weighted):
    problem, counts = weighted
    repeated = problem.frame.loc[np.repeat(problem.frame.index, counts)].reset_index(drop=True)
    conditional = ca.ResidualConditional(HalfSum(), kernel=problem.conditional)
    found = rounded(augment(problem, problem.frame, conditional, EXACT[1], counts))
    expected = rounded(augment(problem, repeated, conditional, EXACT[1]))
    assert found == pytest.approx(expected, rel=1e-7)


@given(weighted_problems(max_rows=4, max_nodes=3, kernels=("gaussian",)))
def test_the_weights_are_a_factor_on_every_kernel(weighted):
    problem, weights = weighted
    everything = ca.PrunedExpansion(0.0, merge_equal=False)
    result = augment(problem, problem.frame, problem.conditional, everything, weights)
    table = result.table
    kernels = problem.conditional.column_kernels(table)
    column = {name: number for number, name in enumerate(table.columns)}
    pillows = {column[f.target]: [column[v] for v in f.pillow] for f in result.factors}
    order = [column[factor.target] for factor in result.factors]
    names = dict.fromkeys(order, [kernel.name for kernel in kernels])
    bandwidths = dict.fromkeys(order, [kernel.bandwidth for kernel in kernels])
    walk = all_lent_paths(table.values, order, pillows, names, bandwidths, {}, weights)
    expected = {rows: weight for rows, _, weight in walk}
    assert by_rows(result) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(weighted_problems(max_rows=5), st.sampled_from([1e-12, 0.1, 7.0, 1e200]))
def test_only_ratios_matter(weighted, factor):
    problem, weights = weighted
    plain, scaled = (
        by_rows(augment(problem, problem.frame, problem.conditional, EXACT[0], each))
        for each in (weights, factor * weights)
    )
    assert plain == pytest.approx(scaled, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("value", [1, 0.25, 1e-300])
def test_equal_weights_are_no_weights(value):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(8, 2)), columns=["x", "y"])
    graph = ca.read_graph("x -> y")
    plain = ca.augment(frame, graph, random_state=0)
    equal = ca.augment(frame, graph, random_state=0, sample_weight=np.full(8, value))
    assert equal.table.row_weights is None
    np.testing.assert_array_equal(plain.weights, equal.weights)
    np.testing.assert_array_equal(plain.rows, equal.rows)


@pytest.mark.parametrize("temperature", [0.5, np.inf])
def test_draws_follow_the_weights(temperature):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(6, 3)), columns=list("xyz"))
    weights = np.arange(1.0, 7.0)
    conditional = ca.ResidualConditional(temperature=temperature)
    exact, drawn = (
        ca.augment(
            frame,
            ca.read_graph("x -> y -> z"),
            conditional,
            expansion,
            random_state=0,
            sample_weight=weights,
        )
        for expansion in (ca.PrunedExpansion(0.0), ca.SampledExpansion(20_000))
    )
    for j in range(3):
        found, expected = (
            np.bincount(each.rows[:, j], each.weights, minlength=6) for each in (drawn, exact)
        )
        np.testing.assert_allclose(found, expected, atol=0.015)
    np.testing.assert_allclose(
        np.bincount(exact.rows[:, 0], exact.weights), weights / weights.sum()
    )


def test_extreme_ratios_are_taken_as_they_are():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0]})
    weights = np.array([1e-200, 1.0, 3.0])
    result = ca.augment(
        frame, ca.ADMG(["x"]), expansion=ca.PrunedExpansion(0.0), sample_weight=weights
    )
    np.testing.assert_allclose(by_rows(result)[(0,)], 2.5e-201)
    np.testing.assert_allclose(by_rows(result)[(2,)], 0.75)


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ([1.0, 2.0], "Row weights must be numbers, one for each of the 3 rows. Found list"),
        (["a", "b", "c"], "must be numbers, one for each of the 3 rows"),
        (3.0, "Found float"),
        ([[1.0], [2.0], [3.0]], "one for each of the 3 rows"),
        ([1.0, 0.0, 2.0], "must be positive and finite. Found 0.0 at row 1. Drop rows that"),
        (np.ma.masked_greater([1.0, 9.0, 2.0], 5.0), "Found a masked one at row 1. Drop rows that"),
        ([1.0, 2.0, -2.0], "Found -2.0 at row 2"),
        ([1.0, np.nan, 2.0], "Found nan at row 1"),
        ([np.inf, 1.0, 2.0], "Found inf at row 0"),
    ],
)
def test_weights_that_are_none_are_refused(weights, text):
    with pytest.raises(ParameterError, match=text):
        ca.augment(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), ca.ADMG(["x"]), sample_weight=weights)
