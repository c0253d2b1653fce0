"""Laws of the probability tree that every expansion obeys."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import causalaug as ca
from graph_strategies import admgs
from strategies import KERNELS, Problem, by_rows, by_values, problems

EVERY_KERNEL = (*KERNELS, "identity")
thresholds = st.sampled_from([0.0, 1e-6, 1e-3, 0.02, 0.1, 0.5])
budgets = st.integers(1, 60)


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for key, weight in expected.items():
        assert found[key] == pytest.approx(weight, rel=1e-9, abs=1e-300)


@given(problems(kernels=EVERY_KERNEL))
def test_threshold_zero_is_the_brute_force_product(problem):
    found = by_rows(problem.augment(ca.PrunedExpansion(0.0, merge_equal=False)))
    assert_same(found, problem.exact_paths())


@given(problems(kernels=EVERY_KERNEL))
def test_threshold_zero_merged_is_the_brute_force_product_merged(problem):
    result = problem.augment(ca.PrunedExpansion(0.0))
    expected = problem.exact_values()
    assert len(result) == len(expected)
    assert_same(by_values(result), expected)


@given(problems(kernels=EVERY_KERNEL), thresholds)
def test_pruning_keeps_exactly_the_paths_at_or_above_the_threshold(problem, threshold):
    exact = problem.exact_paths()
    theta = threshold / len(problem.frame)
    assume(all(abs(weight - theta) > 1e-9 * theta for weight in exact.values()))
    found = by_rows(problem.augment(ca.PrunedExpansion(threshold, merge_equal=False)))
    assert_same(found, {rows: weight for rows, weight in exact.items() if weight >= theta})


@given(problems(kernels=EVERY_KERNEL), thresholds)
def test_pruning_loses_exactly_the_mass_it_reports(problem, threshold):
    exact = problem.exact_values()
    theta = threshold / len(problem.frame)
    assume(all(abs(weight - theta) > 1e-9 * theta for weight in exact.values()))
    result = problem.augment(ca.PrunedExpansion(threshold))
    lost = 1.0 - sum(weight for weight in exact.values() if weight >= theta)
    assert result.dropped_mass == pytest.approx(lost, abs=1e-9)
    assert result.mass + result.dropped_mass == pytest.approx(1.0)


@given(problems())
def test_a_tie_with_the_threshold_is_kept(problem):
    lightest = min(problem.exact_values().values())
    assume(lightest > 1e-300)
    result = problem.augment(ca.PrunedExpansion(lightest * len(problem.frame)))
    assert len(result) == len(problem.exact_values())


@given(problems(kernels=EVERY_KERNEL), st.integers(0, 2**32))
def test_a_budget_as_large_as_the_tree_is_the_tree(problem, seed):
    exact = problem.exact_values()
    n_values = [len(set(column)) for column in problem.table.values.T]
    result = problem.augment(ca.BudgetExpansion(int(np.prod(n_values))), seed)
    assert_same(by_values(result), {key: weight for key, weight in exact.items() if weight > 0.0})


@given(problems(kernels=EVERY_KERNEL), budgets, st.booleans(), st.integers(0, 2**32))
def test_a_budget_loses_no_mass_and_is_never_exceeded(problem, rows, merge_equal, seed):
    exact = problem.exact_paths()
    result = problem.augment(ca.BudgetExpansion(rows, merge_equal), seed)
    assert len(result) <= rows
    assert set(by_rows(result)) <= set(exact) or merge_equal
    assert set(by_values(result)) <= set(problem.exact_values())
    if sum(exact.values()) > 1.0 - 1e-12:
        assert result.mass == pytest.approx(1.0)
        weights = (problem.exact_values() if merge_equal else exact).values()
        assert len(result) >= min(rows, sum(weight > 1e-9 for weight in weights))


@given(problems(kernels=EVERY_KERNEL), budgets, st.booleans())
def test_a_wide_beam_is_the_tree_and_a_narrow_one_never_invents(problem, width, merge_equal):
    exact = problem.exact_values() if merge_equal else problem.exact_paths()
    result = problem.augment(ca.BeamExpansion(width, merge_equal))
    found = by_values(result) if merge_equal else by_rows(result)
    assert len(result) <= width
    assert_same(found, {key: exact[key] for key in found})
    assert result.mass + result.dropped_mass == pytest.approx(1.0)
    if width >= np.prod([len(problem.frame)] * len(problem.graph.nodes)):
        assert len(found) == sum(weight > 0.0 for weight in exact.values())


@given(problems(kernels=EVERY_KERNEL), st.integers(1, 40), st.integers(0, 2**32))
def test_samples_lie_in_the_tree_and_weigh_the_same(problem, rows, seed):
    result = problem.augment(ca.SampledExpansion(rows), seed)
    assert {tuple(row) for row in result.rows.tolist()} <= set(problem.exact_paths())
    np.testing.assert_allclose(result.weights, 1.0 / rows)
    if sum(problem.exact_paths().values()) > 1.0 - 1e-12:
        assert len(result) == rows


@given(problems(), thresholds, st.randoms(use_true_random=False))
def test_shuffling_the_rows_shuffles_the_answer(problem, threshold, random):
    exact = problem.exact_paths().values()
    theta = threshold / len(problem.frame)
    assume(all(abs(weight - theta) > 1e-9 * theta for weight in exact))
    order = list(range(len(problem.frame)))
    random.shuffle(order)
    shuffled = problem.frame.iloc[order].reset_index(drop=True)
    expansion = ca.PrunedExpansion(threshold, merge_equal=False)
    before = by_rows(problem.augment(expansion))
    after = by_rows(
        Problem(shuffled, problem.graph, problem.order, problem.conditional).augment(expansion)
    )
    assert_same({tuple(order[i] for i in rows): weight for rows, weight in after.items()}, before)


@given(problems(max_rows=4, max_nodes=3, kernels=EVERY_KERNEL), st.integers(2, 3))
def test_stacking_the_table_on_itself_changes_no_weight(problem, copies):
    stacked = pd.concat([problem.frame] * copies, ignore_index=True)
    once = problem.augment(ca.PrunedExpansion(0.0))
    again = Problem(stacked, problem.graph, problem.order, problem.conditional).augment(
        ca.PrunedExpansion(0.0, merge_equal=False)
    )
    assert_same(by_values(again.merged()), by_values(once))


@pytest.mark.parametrize(
    "expansion",
    [
        ca.PrunedExpansion(1e-3),
        ca.BudgetExpansion(7),
        ca.SampledExpansion(9),
        ca.BeamExpansion(5),
    ],
    ids=lambda expansion: type(expansion).__name__,
)
@given(problem=problems(), random=st.randoms(use_true_random=False))
def test_column_order_changes_nothing(problem, random, expansion):
    columns = list(problem.frame.columns)
    random.shuffle(columns)
    permuted = Problem(
        problem.frame[columns], problem.graph, problem.order, problem.conditional
    ).augment(expansion)
    result = problem.augment(expansion)
    pd.testing.assert_frame_equal(permuted.frame[list(problem.frame.columns)], result.frame)
    np.testing.assert_array_equal(permuted.weights, result.weights)


@given(st.lists(st.tuples(st.floats(-3, 3), st.booleans(), st.floats(-3, 3)), min_size=1))
def test_the_trivariate_example_weighs_all_combinations_within_a_stratum_alike(rows):
    frame = pd.DataFrame(rows, columns=["X1", "Y", "X2"]).head(12)
    graph = ca.read_graph("X1 <- Y -> X2")
    result = ca.augment(frame, graph, expansion=ca.PrunedExpansion(0.0, merge_equal=False))
    sizes = frame.groupby("Y")["Y"].transform("size").to_numpy()
    expected = 1.0 / (len(frame) * sizes[result.rows[:, 1]] ** 2)
    np.testing.assert_allclose(result.weights, expected)
    assert len(result) == sum(size**2 for size in sizes)


@given(problems(max_nodes=5), st.integers(0, 3))
def test_merging_adds_weights_and_is_idempotent(problem, seed):
    result = problem.augment(ca.SampledExpansion(30), seed)
    merged = result.merged()
    assert_same(by_values(merged), by_values(result))
    assert len(merged) == len(by_values(result)) == len(merged.merged())
    assert merged.mass == pytest.approx(result.mass)
    assert merged.novel_mass == pytest.approx(result.novel_mass)


@given(problems())
def test_novel_mass_is_the_mass_of_rows_that_were_never_seen(problem):
    result = problem.augment(ca.PrunedExpansion(0.0))
    seen = {tuple(row) for row in problem.frame.to_numpy()}
    novel = sum(weight for row, weight in by_values(result).items() if row not in seen)
    assert result.novel_mass == pytest.approx(novel, abs=1e-12)


@st.composite
def mixed_tables(draw):
    """Draw a frame of floats, strings and booleans, and a graph of its columns."""
    graph = draw(admgs(max_nodes=4))
    n_rows = draw(st.integers(1, 6))
    cells = st.sampled_from(
        [st.floats(-1e6, 1e6), st.integers(-2, 2).map(float), st.sampled_from("abc"), st.booleans()]
    )
    columns = {
        name: draw(cells.flatmap(lambda cell: st.lists(cell, min_size=n_rows, max_size=n_rows)))
        for name in graph.nodes
    }
    return pd.DataFrame(columns), graph


@pytest.mark.parametrize(
    "expansion",
    [
        ca.PrunedExpansion(0.0),
        ca.PrunedExpansion(0.0, merge_equal=False),
        ca.BudgetExpansion(),
        ca.BudgetExpansion(7),
        ca.SampledExpansion(15),
    ],
    ids=repr,
)
@given(table=mixed_tables(), seed=st.integers(0, 99))
def test_by_default_no_path_ends_and_no_mass_is_lost(expansion, table, seed):
    frame, graph = table
    result = ca.augment(frame, graph, expansion=expansion, random_state=seed)
    assert result.dropped_mass == 0.0
    assert result.mass == pytest.approx(1.0)
