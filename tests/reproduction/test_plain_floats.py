"""The tree of the published code against a literal twin."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from oracles import published_tree
from reproduction import PlainFloatConditional, PublishedProtocol
from reproduction.published import merged_in_tree_order, published_order
from reproduction.splits import Split

GRAPHS = [
    "a -> c <- b; c -> d",
    "a -> b -> c -> d",
    "a; b; a -> c; b -> c; a -> d; b -> d",
    "a -> b; b <-> c; c -> d",
]


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    n_rows = draw(st.integers(2, 7))
    frame = pd.DataFrame({name: rng.normal(size=n_rows).round(1) for name in "abc"})
    frame["d"] = rng.integers(3, size=n_rows)
    return frame, ca.read_graph(draw(st.sampled_from(GRAPHS)))


def by_value(augmented, weights):
    return dict(zip(map(tuple, augmented.frame.to_numpy()), weights, strict=True))


@settings(deadline=None)
@given(tables(), st.sampled_from([1.0, 0.1, 1e-3]), st.sampled_from(["multiply", "add"]))
def test_rows_and_weights_are_those_of_the_published_algorithm(case, temperature, equal_rows):
    frame, graph = case
    protocol = PublishedProtocol(equal_rows=equal_rows, temperature=temperature)
    augmented, weights = protocol.make_rows(Split(frame, frame, graph, "d", 0), frame)
    table = ca.Table.from_frame(frame)
    kernels = ca.KernelConditional(temperature=temperature).column_kernels(table)
    factors = ca.factorize(graph, published_order(graph))
    expected = published_tree(
        table.values,
        [(table.index(f.target), [*map(table.index, f.pillow)]) for f in factors],
        [kernel.bandwidth if kernel.name == "gaussian" else 0.0 for kernel in kernels],
        theta=1e-3 / len(frame),
        multiply=equal_rows == "multiply",
    )
    found = by_value(augmented, weights)
    assert list(found) == list(expected)
    for row, weight in expected.items():
        assert found[row] == pytest.approx(weight, rel=1e-9)


def test_narrow_kernels_lose_mass_that_logarithms_keep():
    dataset = ca.datasets.load_sachs()
    frame = dataset.frame.iloc[:60].reset_index(drop=True)
    narrow = ca.KernelConditional(temperature=1e-3)
    kept = ca.augment(frame, dataset.graph, narrow, ca.PrunedExpansion(merge_equal=False))
    lost = ca.augment(
        frame, dataset.graph, PlainFloatConditional(narrow), ca.PrunedExpansion(merge_equal=False)
    )
    assert kept.mass > 0.5
    assert lost.mass < 0.1
    assert set(map(tuple, lost.rows)) <= set(map(tuple, kept.rows))


def test_where_nothing_underflows_plain_floats_are_exact():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=list("abc"))
    graph = ca.read_graph("a -> c <- b")
    wide = ca.KernelConditional(temperature=1.0)
    budget = ca.BudgetExpansion(10_000_000)
    exact = ca.augment(frame, graph, wide, budget, random_state=0)
    plain = ca.augment(frame, graph, PlainFloatConditional(wide), budget, random_state=0)
    exact_weights, plain_weights = by_value(exact, exact.weights), by_value(plain, plain.weights)
    assert len(exact_weights) == 30**3
    for row, weight in plain_weights.items():
        assert exact_weights[row] == pytest.approx(weight, rel=1e-9)


def test_sampling_meets_the_same_kernels():
    frame = pd.DataFrame({"a": [0.0, 1.0], "b": [0.0, 1.0], "c": [0.0, 1.0]})
    graph = ca.read_graph("a -> c <- b")
    plain = PlainFloatConditional()
    sampled = ca.augment(frame, graph, plain, ca.SampledExpansion(400), random_state=0)
    assert sampled.mass == pytest.approx(0.5, abs=0.1)


def test_equal_leaves_multiply():
    frame = pd.DataFrame({"x": [1, 1, 2], "y": [5, 6, 6]})
    leaves = ca.augment(
        frame, ca.ADMG(["x", "y"]), expansion=ca.PrunedExpansion(0, merge_equal=False)
    )
    products = by_value(*merged_in_tree_order(leaves, "multiply"))
    assert list(products) == [(1, 5), (1, 6), (2, 5), (2, 6)]
    assert products[(1, 6)] == pytest.approx((1 / 9) ** 4)
    assert products[(2, 5)] == pytest.approx(1 / 9)
