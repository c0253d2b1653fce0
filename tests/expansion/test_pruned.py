"""Algorithm 1 as a plain loop, and the same paths by way of a trellis, in blocks or not."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import causalaug as ca
from block_cases import MIXED, all_by_rows, in_blocks
from causalaug.expansion import TooManyNodesError, fill_tree
from oracles import dense_pruned_tree
from regressors import HalfSum, Zero
from strategies import KERNELS, by_rows, problems

CONTINUOUS = {"n": "continuous"}
EVERY_KERNEL = (*KERNELS, "identity", "nearest")
thresholds = st.sampled_from([0.0, 1e-6, 1e-3, 0.02, 0.1, 0.5])


def kept_leaves(model, threshold, merge_equal):
    """Return {rows: weight} and {rows: values} of the leaves that the plain loop keeps."""
    nodes = fill_tree(model, threshold, merge_equal=merge_equal)
    column = {f.target: model.table.index(f.target) for f in model.factors}
    weights, values = {}, {}
    for node in nodes:
        if node.depth < len(model.factors) - 1 or not node.is_kept:
            continue
        rows, each = {}, node
        while True:
            rows[column[model.factors[each.depth].target]] = each.row
            if each.parent < 0:
                break
            each = nodes[each.parent]
        key = tuple(rows[j] for j in range(len(rows)))
        assert key not in weights
        weights[key] = node.weight
        values[key] = [node.values[j] for j in range(len(rows))]
    return weights, values


def is_clear(model, threshold, merge_equal):
    """Return whether no node is so near to the threshold that rounding decides."""
    theta = threshold / model.table.n_rows
    nodes = fill_tree(model, threshold, merge_equal=merge_equal)
    return all(abs(node.weight - theta) > 1e-10 * theta or theta == 0.0 for node in nodes)


def assert_as_the_loop(model, threshold, merge_equal):
    weights, values = kept_leaves(model, threshold, merge_equal)
    found = model.expand(ca.PrunedExpansion(threshold, merge_equal=merge_equal))
    light = 0.0 if threshold else 1e-290
    assert {k: w for k, w in by_rows(found).items() if w > light} == pytest.approx(
        {k: w for k, w in weights.items() if w > light}, rel=1e-9
    )
    for rows, cells in zip(found.rows.tolist(), found.frame.to_numpy(), strict=True):
        if tuple(rows) in values:
            np.testing.assert_allclose(cells.astype(float), values[tuple(rows)], rtol=1e-9)


@given(problems(kernels=EVERY_KERNEL), thresholds, st.booleans())
def test_the_trellis_gives_the_paths_of_the_plain_loop(problem, threshold, merge_equal):
    model = problem.fit()
    assume(is_clear(model, threshold, merge_equal))
    assert_as_the_loop(model, threshold, merge_equal)


@pytest.mark.parametrize("regressor", [None, HalfSum(), Zero()], ids=["smooth", "half", "zero"])
@given(
    problem=problems(max_rows=4, max_nodes=3, kernels=("gaussian", "tricube")),
    threshold=thresholds,
    merge_equal=st.booleans(),
)
@settings(max_examples=40)
def test_it_does_where_values_are_moved(regressor, problem, threshold, merge_equal):
    conditional = ca.ResidualConditional(regressor, kernel=problem.conditional)
    model = ca.fit_model(problem.frame, problem.graph, conditional, problem.order)
    assume(is_clear(model, threshold, merge_equal))
    assert_as_the_loop(model, threshold, merge_equal)


@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.3])
def test_it_does_where_different_residuals_lend_equal_values(threshold):
    """Integers are rounded: two branches may hold the same value, and are pruned apart."""
    frame = pd.DataFrame({"x": [0.0, 0.6, 1.3, 2.9], "n": [10, 11, 12, 18]})
    model = ca.fit_model(frame, "x -> n", ca.ResidualConditional(HalfSum()), kinds=CONTINUOUS)
    _, values = kept_leaves(model, 0.0, merge_equal=True)
    assert len({tuple(each) for each in values.values()}) < len(values)
    assert_as_the_loop(model, threshold, merge_equal=True)


@given(problems(), thresholds)
@settings(max_examples=50)
def test_nodes_of_the_loop_grow_from_nodes_that_are_kept(problem, threshold):
    nodes = fill_tree(problem.fit(), threshold)
    theta = threshold / len(problem.frame)
    for node in nodes:
        assert not node.is_kept or node.weight >= theta * (1.0 - 1e-10)
        assert node.is_kept or node.weight <= theta
        if node.parent < 0:
            assert node.depth == 0
            assert node.weight == node.edge_weight
        else:
            parent = nodes[node.parent]
            assert parent.is_kept
            assert parent.depth == node.depth - 1
            assert parent.values.items() <= node.values.items()
            assert node.weight == parent.weight * node.edge_weight


def test_a_loop_of_too_many_nodes_is_not_run_to_its_end():
    model = ca.fit_model(MIXED, ca.ADMG(list(MIXED.columns)))
    assert len(fill_tree(model, 0.0, max_nodes=1000)) == 4 + 4 * 4 + 16 * 2 + 32 * 5
    with pytest.raises(TooManyNodesError):
        fill_tree(model, 0.0, max_nodes=100)


# Blocks.


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


def test_a_pruned_tree_is_refused_if_its_blocks_have_too_many_rows_together():
    expansion = ca.PrunedExpansion(0.0, max_rows=200)
    frame = pd.DataFrame({"x": np.arange(20.0), "y": np.arange(20.0)})
    with pytest.raises(ca.exceptions.TreeTooLargeError, match="at most max_rows=200 rows"):
        ca.augment(frame, ca.ADMG(["x", "y"]), expansion=expansion, block_rows=20)


# Values that depend on the path.

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


# Against the dense algorithm.


def assert_as_dense(values, graph, temperature, threshold):
    """Compare with the dense algorithm: same paths, same weights."""
    names = list(graph.nodes)
    conditional = ca.KernelConditional(temperature=temperature)
    found = by_rows(ca.augment(values, graph, conditional, ca.PrunedExpansion(threshold)))
    table = ca.Table.from_frame(values, names=names)
    bandwidths = [kernel.bandwidth for kernel in conditional.column_kernels(table)]
    factors = ca.factorize(graph)
    order = [names.index(factor.target) for factor in factors]
    pillows = {names.index(f.target): [names.index(v) for v in f.pillow] for f in factors}
    theta = threshold / len(values)
    rows, log_weights = dense_pruned_tree(values, order, pillows, bandwidths, theta)
    expected = dict(zip(map(tuple, rows.tolist()), np.exp(log_weights), strict=True))
    assert found.keys() == expected.keys()
    assert all(found[key] == pytest.approx(expected[key], rel=1e-9) for key in found)


@pytest.mark.parametrize("temperature", [1e-3, 0.1, 1.0])
def test_a_larger_table_gives_what_the_dense_algorithm_gives(temperature):
    rng = np.random.default_rng(1)
    graph = ca.read_graph("a -> c <- b; c -> d; b -> e; d -> f <- e")
    a, b = rng.normal(size=(2, 60))
    c = a * b + 0.3 * rng.normal(size=60)
    d, e = c + 0.3 * rng.normal(size=60), np.tanh(b) + 0.3 * rng.normal(size=60)
    assert list(graph.nodes) == ["a", "c", "b", "d", "e", "f"]
    assert_as_dense(np.column_stack([a, c, b, d, e, d * e]), graph, temperature, 1e-3)


@pytest.mark.parametrize("arrows", ["a -> b -> c", "a -> c <- b", "a -> b; a -> c"])
@pytest.mark.parametrize("threshold", [1e-20, 1e-60, 1e-200])
@pytest.mark.parametrize("temperature", [3e-3, 0.02, 0.1])
def test_no_path_is_too_light_for_a_low_threshold(arrows, threshold, temperature):
    values = np.random.default_rng(0).normal(size=(12, 3))
    assert_as_dense(values, ca.read_graph(arrows), temperature, threshold)
