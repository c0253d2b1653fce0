"""How the work is cut into blocks must not show in the answer."""

from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug import _segments
from causalaug.expansion import _bounds, _children, _draw, _enumeration, _tree, _trellis
from causalaug.kernels import _product, _whole
from oracles import dense_pruned_tree
from strategies import by_rows, by_values, problems

TINY = {
    (_segments, "LARGEST_LOOKUP"): 2,
    (_segments, "CHUNK"): 2,
    (_trellis, "LARGEST_LOOKUP"): 2,
    (_segments, "LARGEST_KEY"): 8,
    (_tree, "LARGEST_KEY"): 8,
    (_trellis, "BLOCK_EDGES"): 3,
    (_enumeration, "BLOCK_NODES"): 3,
    (_children, "LARGEST_CACHE"): 0,
    (_children, "MOST_PATHS"): 2,
    (_whole, "BLOCK_ENTRIES"): 4,
    (_product, "BLOCK_ENTRIES"): 4,
    (_product, "BATCH_QUERIES"): 3,
    (_draw, "STRIDE"): 2,
}


def patched(settings_):
    stack = ExitStack()
    for (module, name), value in settings_.items():
        stack.enter_context(patch.object(module, name, value))
    return stack


@given(problems(), st.sampled_from([0.0, 1e-3, 0.1, 20.0]))
@settings(max_examples=40)
def test_pruned(problem, threshold):
    expansion = ca.PrunedExpansion(threshold, merge_equal=False)
    expected = by_rows(problem.augment(expansion))
    with patched(TINY):
        found = by_rows(problem.augment(expansion))
    assert found.keys() == expected.keys()
    assert all(found[rows] == pytest.approx(expected[rows], rel=1e-12) for rows in found)


@given(problems(), st.integers(1, 30), st.integers(0, 99))
@settings(max_examples=40)
def test_budget(problem, rows, seed):
    expected = problem.augment(ca.BudgetExpansion(rows), seed)
    with patched(TINY):
        found = problem.augment(ca.BudgetExpansion(rows), seed)
    assert len(found) == len(expected)
    np.testing.assert_allclose(np.sort(found.weights), np.sort(expected.weights), rtol=1e-9)


@given(problems(), st.integers(1, 30))
@settings(max_examples=40)
def test_beam(problem, width):
    expected = problem.augment(ca.BeamExpansion(width))
    with patched(TINY):
        found = problem.augment(ca.BeamExpansion(width))
    np.testing.assert_allclose(np.sort(found.weights), np.sort(expected.weights), rtol=1e-9)


@given(problems(), st.sampled_from([1e-3, 0.1]), st.integers(0, 4))
@settings(max_examples=40)
def test_the_cut_and_the_bounds_make_no_difference(problem, threshold, cut):
    expansion = ca.PrunedExpansion(threshold)
    expected = by_values(problem.augment(expansion))
    cut = min(cut, len(problem.graph.nodes))
    with (
        patch.object(_enumeration, "_choose_cut", lambda trellis: cut),
        patch.object(_bounds, "MOST_VALUES", 0),
    ):
        found = by_values(problem.augment(expansion))
    assert found.keys() == expected.keys()
    assert all(found[values] == pytest.approx(expected[values], rel=1e-9) for values in found)


@pytest.mark.parametrize("temperature", [0.3, 1.5])
def test_two_variables_of_one_wide_pillow_whose_keys_do_not_fit_an_integer(temperature):
    rng = np.random.default_rng(0)
    causes = [f"x{i}" for i in range(5)]
    nodes = [*causes, "y", "z"]
    edges = [(a, b) for i, a in enumerate(causes) for b in [*causes[i + 1 :], "y", "z"]]
    values = rng.normal(size=(40, 1)) + 0.5 * rng.normal(size=(40, 7))
    conditional = ca.KernelConditional(temperature=temperature)
    expansion = ca.PrunedExpansion(1e-2)
    expected = by_rows(ca.augment(values, ca.ADMG(nodes, edges), conditional, expansion))
    with patched({(_segments, "LARGEST_KEY"): 1 << 12, (_tree, "LARGEST_KEY"): 1 << 12}):
        found = by_rows(ca.augment(values, ca.ADMG(nodes, edges), conditional, expansion))
    assert found.keys() == expected.keys()
    assert all(found[rows] == pytest.approx(expected[rows], rel=1e-9) for rows in found)


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


def test_equal_rows_too_light_alone_reach_a_low_threshold_together():
    """300 rows of one value, each just below the threshold, on which 14 variables depend."""
    n_heavy, n_light, threshold = 20, 300, 1e-18
    n_rows = n_heavy + n_light + 1
    apart = np.append(np.arange(n_heavy), np.full(n_light + 1, 100.0))
    dependants = {f"c{k}": apart for k in range(14)}
    frame = pd.DataFrame(
        {
            "a": np.repeat([0.0, 1.0, 1000.0], [n_heavy, n_light, 1]),
            "b": np.append(np.linspace(0.0, 1e-6, n_heavy), np.full(n_light + 1, 50.0)),
            **dependants,
        }
    )
    graph = ca.read_graph({"b": ["a"], **dict.fromkeys(dependants, ["b"])})
    weights = np.repeat([1.0, 1e-3], [n_heavy, n_light + 1])
    bandwidth = 1.0 / np.sqrt(-2.0 * np.log(0.9 * threshold / 1e-3))
    conditional = ca.KernelConditional(bandwidth={"a": bandwidth, "b": 1.0})
    found = [
        ca.augment(frame, graph, conditional, ca.PrunedExpansion(t * n_rows), sample_weight=weights)
        for t in (threshold, threshold / 10)
    ]
    heavy = [(result.weights >= threshold).sum() for result in found]
    assert heavy[0] == heavy[1] == 3
