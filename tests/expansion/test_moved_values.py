"""Expansions of trees whose values depend on the path."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from regressors import HalfSum
from strategies import by_rows, problems

GRAPH = ca.read_graph("x -> y -> z; x -> z")
EVERYTHING = ca.PrunedExpansion(0.0)
CONDITIONAL = ca.ResidualConditional(HalfSum(), temperature=0.7)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(7, 3)), columns=list("xyz"))


@pytest.mark.parametrize("n_rows", [3, 7, 10, 49])
def test_a_tie_with_the_threshold_is_kept(n_rows):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 2)), columns=["x", "y"])
    uniform = ca.ResidualConditional(HalfSum(), temperature=math.inf)
    graph = ca.read_graph("x -> y")
    tied = ca.augment(frame, graph, uniform, ca.PrunedExpansion(1.0 / n_rows))
    assert len(tied) == n_rows**2
    above = ca.augment(frame, graph, uniform, ca.PrunedExpansion(1.0 / n_rows * (1.0 + 1e-9)))
    assert len(above) == 0


@pytest.mark.parametrize("threshold", [1e-3, 1e-2, 0.1])
def test_pruning_loses_exactly_the_mass_it_reports(frame, threshold):
    everything = by_rows(ca.augment(frame, GRAPH, CONDITIONAL, EVERYTHING))
    pruned = ca.augment(frame, GRAPH, CONDITIONAL, ca.PrunedExpansion(threshold))
    kept = {rows: weight for rows, weight in everything.items() if weight >= threshold / 7}
    assert by_rows(pruned) == pytest.approx(kept)
    assert 0 < len(kept) < len(everything)
    assert pruned.dropped_mass == pytest.approx(1.0 - sum(kept.values()))


def test_draws_keep_to_their_pillow_where_paths_ended_and_the_next_value_moves():
    frame = pd.DataFrame(
        {"x": [0.0, 0.0, 5.0], "y": [0.0, 5.0, 5.0], "d": [0, 1, 2], "e": [10.0, 20.0, 30.0]}
    )
    graph = ca.read_graph("{x, y} -> d; {x, y} -> e")
    kernel = ca.KernelConditional(kernel="epanechnikov", bandwidth=1.0)
    conditional = ca.ResidualConditional(kernel=kernel)
    expected = ca.augment(frame, graph, conditional, ca.PrunedExpansion(0.0, merge_equal=False))
    assert expected.mass == pytest.approx(8 / 9)
    found = ca.augment(frame, graph, conditional, ca.SampledExpansion(9000), random_state=0)
    assert found.mass == pytest.approx(8 / 9, abs=0.02)
    assert set(map(tuple, found.rows)) == set(map(tuple, expected.rows))


@settings(max_examples=50)
@given(problems(max_rows=4, max_nodes=3, kernels=("gaussian",)))
def test_a_wide_beam_and_a_large_budget_are_the_tree(problem):
    conditional = ca.ResidualConditional(HalfSum(), kernel=problem.conditional)
    tree, beam, budget = (
        ca.augment(problem.frame, problem.graph, conditional, expansion, problem.order)
        for expansion in (EVERYTHING, ca.BeamExpansion(1000), ca.BudgetExpansion(1000))
    )
    expected = {rows: weight for rows, weight in by_rows(tree).items() if weight > 1e-250}
    for each in (beam, budget):
        found = {rows: weight for rows, weight in by_rows(each).items() if weight > 1e-250}
        assert found == pytest.approx(expected, rel=1e-9)


@settings(max_examples=50)
@given(problems(max_rows=4, max_nodes=3, kernels=("gaussian",)), st.integers(0, 999))
def test_shuffling_rows_shuffles_the_answer(problem, seed):
    conditional = ca.ResidualConditional(HalfSum(), kernel=problem.conditional)
    everything = ca.PrunedExpansion(0.0, merge_equal=False)
    order = np.random.default_rng(seed).permutation(len(problem.frame))
    plain, shuffled = (
        ca.augment(frame, problem.graph, conditional, everything, problem.order)
        for frame in (problem.frame, problem.frame.iloc[order])
    )
    found = {tuple(order[list(rows)]): weight for rows, weight in by_rows(shuffled).items()}
    assert found == pytest.approx(by_rows(plain), rel=1e-7, abs=1e-300)


@pytest.mark.parametrize("rows", [9, 25])
def test_a_budget_biases_no_weight(frame, rows):
    exact = by_rows(ca.augment(frame, GRAPH, CONDITIONAL, EVERYTHING))
    total = dict.fromkeys(exact, 0.0)
    for seed in range(250):
        result = ca.augment(frame, GRAPH, CONDITIONAL, ca.BudgetExpansion(rows), random_state=seed)
        assert len(result) == rows
        assert result.mass == pytest.approx(1.0)
        for path, weight in by_rows(result).items():
            total[path] += weight / 250
    # Marginals of the last variable's row and of the first: 250 draws of a few rows each.
    for column in range(3):
        found, expected = np.zeros(7), np.zeros(7)
        for path, weight in exact.items():
            expected[path[column]] += weight
            found[path[column]] += total[path]
        np.testing.assert_allclose(found, expected, atol=0.03)


def test_draws_come_near_to_the_tree(frame):
    exact = ca.augment(frame, GRAPH, CONDITIONAL, EVERYTHING)
    drawn = ca.augment(frame, GRAPH, CONDITIONAL, ca.SampledExpansion(40_000), random_state=0)
    for column in "xyz":
        for power in (1, 2):
            expected = np.average(exact.frame[column] ** power, weights=exact.weights)
            found = np.average(drawn.frame[column] ** power, weights=drawn.weights)
            assert found == pytest.approx(expected, abs=0.03)


def test_a_level_that_several_moved_variables_share(frame):
    graph = ca.read_graph("x -> y; x -> z")
    fitted = CONDITIONAL.fit(ca.Table.from_frame(frame), ca.factorize(graph))
    assert fitted[1].weigher is fitted[2].weigher
    exact = ca.augment(frame, graph, CONDITIONAL, EVERYTHING)
    drawn = ca.augment(frame, graph, CONDITIONAL, ca.SampledExpansion(40_000), random_state=0)
    for one, other in [("y", "z"), ("x", "z")]:
        expected = np.average(exact.frame[one] * exact.frame[other], weights=exact.weights)
        assert np.mean(drawn.frame[one] * drawn.frame[other]) == pytest.approx(expected, abs=0.03)
