"""A tree that is cut into blocks is still the tree."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug.expansion import _budget
from causalaug.expansion._budget import cut_tree
from causalaug.expansion._frontier import describe_tree
from causalaug.model import BlockJob, count_blocks
from strategies import by_rows, by_values, problems

MIXED = pd.DataFrame(
    {
        "a": [0.0, 0.0, 1.0, 2.0, 2.5],
        "b": [0.3, -1.2, 0.8, 0.8, 1.9],
        "c": [1.0, 1.0, 2.0, 1.0, 2.0],
        "d": [0.1, 1.4, -0.6, 2.2, 0.9],
    }
)
GRAPH = ca.read_graph("a -> b; a -> c; {b, c} -> d; b <-> c")
CONDITIONAL = ca.KernelConditional(kernel={"c": "identity"}, bandwidth=0.7)


def in_blocks(problem, expansion, n_blocks, seed=0):
    """Return the augmented table of a problem, grown in so many blocks."""
    job = BlockJob(problem.fit(), expansion, n_blocks, seed=seed)
    return [ca.AugmentedTable(problem.table, job.grow(block), ()) for block in range(n_blocks)]


def all_by_rows(parts):
    """Return {rows: weight} of several blocks, which must have no path in common."""
    found = [by_rows(part) for part in parts]
    merged = {rows: weight for part in found for rows, weight in part.items()}
    assert len(merged) == sum(map(len, found))
    return merged


@given(problems(), st.sampled_from([0.0, 1e-3, 0.1]), st.booleans(), st.integers(2, 7))
@settings(max_examples=30)
def test_the_blocks_of_a_pruned_tree_are_the_tree(problem, threshold, merge_equal, n_blocks):
    expansion = ca.PrunedExpansion(threshold, merge_equal=merge_equal)
    expected = by_rows(problem.augment(expansion))
    found = all_by_rows(in_blocks(problem, expansion, n_blocks))
    assert found.keys() == expected.keys()
    assert all(found[rows] == pytest.approx(expected[rows], rel=1e-12) for rows in found)


@pytest.mark.parametrize("n_blocks", [2, 3, 5])
def test_the_blocks_of_a_pruned_tree_are_the_tree_if_values_move(n_blocks):
    options = {"conditional": ca.ResidualConditional(), "expansion": ca.PrunedExpansion(1e-2)}
    frame, graph = MIXED[["a", "b", "d"]], ca.read_graph("a -> b -> d")
    expected = ca.augment(frame, graph, **options)
    found = ca.augment(frame, graph, **options, block_rows=-(-500 // n_blocks))
    assert len(found) == len(expected) > 20
    np.testing.assert_allclose(
        found.frame.sort_values(["a", "b", "d"]), expected.frame.sort_values(["a", "b", "d"])
    )


@given(problems(kernels=["gaussian"]), st.integers(1, 40), st.integers(2, 6), st.integers(0, 9))
@settings(max_examples=40)
def test_the_blocks_of_a_budget_keep_all_mass_and_hardly_more_rows(problem, rows, n_blocks, seed):
    parts = in_blocks(problem, ca.BudgetExpansion(rows), n_blocks, seed)
    assert sum(part.mass for part in parts) == pytest.approx(1.0, abs=1e-9)
    assert sum(map(len, parts)) <= rows + n_blocks
    for part in parts:
        assert part.mass <= (1.0 + 2.0 * _pieces.TOLERANCE) / n_blocks + 1e-9


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


@pytest.mark.parametrize("pieces", [_pieces.MOST_PIECES, 1], ids=["fine", "shared"])
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


def test_the_draws_of_blocks_add_up_to_the_draws_asked_for():
    job = BlockJob(ca.fit_model(MIXED, GRAPH, CONDITIONAL), ca.SampledExpansion(20), 3, seed=0)
    parts = [job.grow(block) for block in range(3)]
    assert [len(part) for part in parts] == [6, 7, 7]
    assert np.ptp(np.concatenate([part.log_weights for part in parts])) == 0.0
    assert not np.array_equal(parts[1].rows, parts[2].rows)


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


@pytest.mark.parametrize(
    "expansion", [ca.BudgetExpansion(60), ca.SampledExpansion(500), ca.PrunedExpansion(1e-3)]
)
def test_threads_give_what_one_after_the_other_gives(expansion):
    options = {"expansion": expansion, "random_state": 3, "block_rows": 15}
    serial = ca.augment(MIXED, GRAPH, CONDITIONAL, **options)
    threads = ca.augment(MIXED, GRAPH, CONDITIONAL, **options, engine="threads")
    assert len(serial) > 50
    np.testing.assert_array_equal(serial.rows, threads.rows)
    np.testing.assert_array_equal(serial.weights, threads.weights)
    pd.testing.assert_frame_equal(serial.frame, threads.frame)


def test_a_job_of_one_block_is_the_expansion_itself():
    expansion = ca.BudgetExpansion(30)
    model = ca.fit_model(MIXED, GRAPH, CONDITIONAL)
    expected = expansion.expand(model, np.random.default_rng(7))
    found = ca.augment(MIXED, GRAPH, CONDITIONAL, expansion, random_state=7, engine="threads")
    job = BlockJob(model, expansion, n_blocks=1, seed=7)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(job.grow(0).rows, expected.rows)


def test_seeds_matter_and_generators_give_other_rows_each_time():
    job = MIXED, GRAPH, CONDITIONAL, ca.BudgetExpansion(30)
    rng = np.random.default_rng(0)
    draws = [ca.augment(*job, random_state=rng, block_rows=10) for _ in range(2)]
    draws += [ca.augment(*job, random_state=seed, block_rows=10) for seed in (0, 1)]
    assert len({draw.weights.tobytes() + draw.rows.tobytes() for draw in draws}) == 4


def test_a_pruned_tree_is_refused_if_its_blocks_have_too_many_rows_together():
    expansion = ca.PrunedExpansion(0.0, max_rows=200)
    frame = pd.DataFrame({"x": np.arange(20.0), "y": np.arange(20.0)})
    with pytest.raises(ca.exceptions.TreeTooLargeError, match="at most max_rows=200 rows"):
        ca.augment(frame, ca.ADMG(["x", "y"]), expansion=expansion, block_rows=20)


def test_a_pruned_tree_has_no_more_blocks_than_rows_to_begin_with():
    assert count_blocks(ca.PrunedExpansion(1e-9), 3, block_rows=1) == 3
    assert count_blocks(ca.PrunedExpansion(0.1), 1000, block_rows=4000) == 3


def test_what_cannot_be_cut_is_one_block():
    assert count_blocks(ca.BeamExpansion(50), 5, block_rows=1) == 1
    cut = ca.augment(MIXED, GRAPH, CONDITIONAL, ca.BeamExpansion(50), block_rows=10)
    whole = ca.augment(MIXED, GRAPH, CONDITIONAL, ca.BeamExpansion(50))
    np.testing.assert_array_equal(cut.rows, whole.rows)


@pytest.mark.parametrize("block_rows", [0, 2.5, True])
def test_a_size_of_blocks_that_is_no_number_of_rows_is_refused(block_rows):
    with pytest.raises(ca.exceptions.ParameterError, match="`block_rows` must be an integer"):
        ca.augment(MIXED, GRAPH, block_rows=block_rows)


@pytest.mark.parametrize("kind", [ca.BudgetExpansion, ca.SampledExpansion])
def test_five_rows_are_made_of_each_observed_one_unless_told(kind):
    assert kind().most_rows(10) == 50
    assert kind(7).most_rows(10) == 7
