"""A budget: no weight biased and no mass lost, in blocks or not, moved values or not."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from block_cases import CONDITIONAL, GRAPH, MIXED, TINY, in_blocks, patched
from causalaug.expansion import _budget
from causalaug.expansion._budget import cut_tree
from causalaug.expansion._frontier import describe_tree
from causalaug.kernels import _product
from causalaug.model import BlockJob
from regressors import HalfSum
from strategies import by_rows, by_values, problems

MOVED_GRAPH = ca.read_graph("x -> y -> z; x -> z")
MOVED = ca.ResidualConditional(HalfSum(), temperature=0.7)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(7, 3)), columns=list("xyz"))


@given(problems(), st.integers(1, 30), st.integers(0, 99))
@settings(max_examples=40)
def test_how_the_work_is_cut_does_not_show(problem, rows, seed):
    expected = problem.augment(ca.BudgetExpansion(rows), seed)
    with patched(TINY):
        found = problem.augment(ca.BudgetExpansion(rows), seed)
    assert len(found) == len(expected)
    np.testing.assert_allclose(np.sort(found.weights), np.sort(expected.weights), rtol=1e-9)


@given(problems(kernels=["gaussian"]), st.integers(1, 40), st.integers(2, 6), st.integers(0, 9))
@settings(max_examples=40)
def test_the_blocks_of_a_budget_keep_all_mass_and_hardly_more_rows(problem, rows, n_blocks, seed):
    parts = in_blocks(problem, ca.BudgetExpansion(rows), n_blocks, seed)
    assert sum(part.mass for part in parts) == pytest.approx(1.0, abs=1e-9)
    assert sum(map(len, parts)) <= rows + n_blocks
    for part in parts:
        assert part.mass <= (1.0 + 2.0 * _budget.TOLERANCE) / n_blocks + 1e-9


@given(problems(), st.integers(2, 6))
@settings(max_examples=30)
def test_a_budget_as_large_as_the_tree_gives_the_tree_in_any_number_of_blocks(problem, n_blocks):
    expected = problem.exact_values()
    found = {}
    for part in in_blocks(problem, ca.BudgetExpansion(100_000), n_blocks):
        for values, weight in by_values(part).items():
            found[values] = found.get(values, 0.0) + weight
    assert found.keys() == {values for values, weight in expected.items() if weight > 0.0}
    assert all(found[values] == pytest.approx(expected[values], rel=1e-9) for values in found)


@pytest.mark.parametrize("pieces", [_budget.MOST_PIECES, 1], ids=["fine", "shared"])
@pytest.mark.parametrize(("rows", "n_blocks"), [(4, 2), (12, 3)])
def test_the_weights_of_blocks_are_right_on_average(rows, n_blocks, pieces):
    expected = by_values(ca.augment(MIXED, GRAPH, CONDITIONAL, ca.PrunedExpansion(0.0)))
    model = ca.fit_model(MIXED, GRAPH, CONDITIONAL)
    table = model.table
    n_seeds, n_columns = 500, table.n_columns
    place = {values: number for number, values in enumerate(expected)}
    weights = np.zeros((n_seeds, len(expected)))
    with patch.object(_budget, "MOST_PIECES", pieces):
        blocks = ca.BudgetExpansion(rows).in_blocks(model, n_blocks)
        for seed in range(n_seeds):
            for block in range(n_blocks):
                paths = blocks.grow(block, np.random.default_rng([seed, block]))
                for row, weight in zip(paths.rows, paths.weights, strict=True):
                    values = tuple(table.values[row, np.arange(n_columns)])
                    weights[seed, place[values]] += weight
    error = weights.std(axis=0) / np.sqrt(n_seeds) + 1e-9
    z = (weights.mean(axis=0) - list(expected.values())) / error
    common = np.array(list(expected.values())) > 20.0 / n_seeds * weights.mean(axis=0).max()
    assert common.sum() > 10
    assert np.abs(z[common]).max() < 4.5
    assert np.mean(z[common] ** 2) < 1.6


@pytest.mark.parametrize("rows", [62, 200, 350])
def test_a_block_does_not_depend_on_those_grown_before(rows):
    rng = np.random.default_rng(0)
    places = np.concatenate([-9.0 - rng.random(12), np.arange(19) * 9.0])
    frame = pd.DataFrame({"x": places, "y": rng.normal(size=31), "z": rng.normal(size=31)})
    kernel, expansion = ca.KernelConditional(bandwidth=1.0), ca.BudgetExpansion(rows)
    model = ca.fit_model(frame, "x -> y; x -> z", kernel)
    jobs = [BlockJob(model, expansion, 2, seed=0) for _ in range(2)]
    forwards = [jobs[0].grow(block) for block in (0, 1)]
    backwards = [jobs[1].grow(block) for block in (1, 0)]
    for one, other in zip(forwards, reversed(backwards), strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.log_weights, other.log_weights)


def test_a_first_variable_of_few_values_is_cut_further_on():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": [0, 1] * 20, "x": rng.normal(size=40), "y": rng.normal(size=40)})
    model = ca.fit_model(frame, "sex -> x -> y")
    tree = describe_tree(model, merge_equal=True)
    pieces = cut_tree(tree, n_blocks=4, budget=100_000)
    assert len(pieces.levels) == 1
    parts = ca.BudgetExpansion(1000).in_blocks(model, 4)
    sizes = [len(parts.grow(block, rng)) for block in range(4)]
    assert all(abs(size - 250) <= 50 for size in sizes)


@pytest.mark.parametrize("block_rows", [1, 2, 100])
def test_a_tree_on_which_every_path_ends_has_empty_blocks(block_rows):
    frame = pd.DataFrame({"a": [1.5, 1.5], "b": [-0.25, -0.5], "c": [0, 1]})
    kernel = ca.KernelConditional(kernel={"b": "epanechnikov"}, bandwidth=1e-3)
    found = ca.augment(
        frame,
        ca.read_graph("a -> b -> c"),
        ca.ResidualConditional(kernel=kernel),
        ca.BudgetExpansion(10),
        block_rows=block_rows,
        random_state=0,
    )
    assert len(found) == 0
    assert found.dropped_mass == 1.0


def test_a_value_that_holds_half_the_mass_is_shared_by_blocks():
    frame = pd.DataFrame({"x": [0] * 9 + [1]})
    blocks = ca.BudgetExpansion(10).in_blocks(ca.fit_model(frame, ca.ADMG(["x"])), 4)
    masses = [blocks.grow(block, np.random.default_rng(0)).weights.sum() for block in range(4)]
    np.testing.assert_allclose(masses, [0.25, 0.25, 0.25, 0.25])


@pytest.mark.parametrize("rows", [9, 25])
def test_a_budget_biases_no_weight(frame, rows):
    exact = by_rows(ca.augment(frame, MOVED_GRAPH, MOVED, ca.PrunedExpansion(0.0)))
    total = dict.fromkeys(exact, 0.0)
    for seed in range(250):
        result = ca.augment(frame, MOVED_GRAPH, MOVED, ca.BudgetExpansion(rows), random_state=seed)
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


def test_children_drawn_from_sums_are_unbiased_and_none_comes_twice(monkeypatch):
    monkeypatch.setattr(_product, "LARGE_TABLE", 0)
    rng = np.random.default_rng(0)
    # One row apart from all others: its only child is heavy, and stays as it is.
    frame = pd.DataFrame({"x": np.append(rng.normal(size=59), 8.0), "y": rng.normal(size=60)})
    model = ca.fit_model(frame, "x -> y", ca.KernelConditional(bandwidth=0.8))
    exact = np.exp(model.fitted[1].weigher.log_weights(frame[["x"]].to_numpy())) / 60
    total, n_seeds, rows = np.zeros((60, 60)), 400, 150
    with patch.object(_budget, "draw_rows", side_effect=AssertionError):
        for seed in range(n_seeds):
            paths = ca.BudgetExpansion(rows).expand(model, np.random.default_rng(seed))
            assert len(paths) == len(np.unique(paths.rows, axis=0)) == rows
            assert paths.weights.sum() == pytest.approx(1.0)
            light = paths.weights < paths.weights.max()
            assert light.sum() == rows - 1
            assert np.ptp(paths.log_weights[light]) == pytest.approx(0.0, abs=1e-9)
            np.add.at(total, tuple(paths.rows.T), paths.weights / n_seeds)
    assert total[59, 59] == pytest.approx(exact[59, 59])
    light = (1.0 - exact[59, 59]) / (rows - 1)
    error = np.sqrt(exact * np.maximum(light - exact, 0.0) / n_seeds) + 1e-12
    common = (exact > 0.03 * light) & (exact < light)
    assert common.sum() > 500
    z = ((total - exact) / error)[common]
    assert np.abs(z).max() < 5.0
    assert np.mean(z**2) == pytest.approx(1.0, abs=0.2)
