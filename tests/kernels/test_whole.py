import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.kernels import ColumnKernel, _whole
from causalaug.kernels._column import KernelColumn
from causalaug.kernels._whole import WholeRowEvaluator
from oracles import exact_log_weights

KERNELS = [("gaussian", 0.3), ("epanechnikov", 0.8), ("identity", 0.0), ("aitchison_aitken", 0.2)]


def evaluator_of(kernels, reference):
    columns = [
        KernelColumn(ColumnKernel(*kernel), np.ascontiguousarray(values))
        for kernel, values in zip(kernels, reference.T, strict=True)
    ]
    return WholeRowEvaluator(columns, len(reference))


def weights_of(evaluator, query):
    blocks = [block.matrix for block in evaluator.evaluate(query, 40.0)]
    kernel = np.concatenate(blocks)
    totals = kernel.sum(axis=1, keepdims=True)
    return kernel / np.where(totals > 0.0, totals, 1.0), [len(block) for block in blocks]


@pytest.mark.parametrize("largest_table", [0, 1 << 20])
@pytest.mark.parametrize("new_values", [False, True])
@given(
    seed=st.integers(0, 10**6),
    n_rows=st.sampled_from([1, 2, 9]),
    kernels=st.lists(st.sampled_from(KERNELS), max_size=4),
)
def test_whole_rows_are_exact_with_and_without_tables(
    largest_table, new_values, seed, n_rows, kernels
):
    rng = np.random.default_rng(seed)
    reference = rng.integers(0, 5, (n_rows, len(kernels))) / 4
    query = reference[rng.integers(0, n_rows, (5, len(kernels))), np.arange(len(kernels))]
    query += 0.125 * new_values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_whole, "LARGEST_TABLE", largest_table)
        found, _ = weights_of(evaluator_of(kernels, reference), query)
    expected = [np.exp(exact_log_weights(reference, kernels, point)) for point in query]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize(
    ("entries", "blocks"), [(1 << 16, [7]), (12, [3, 3, 1]), (8, [2, 2, 2, 1]), (1, [1] * 7)]
)
@pytest.mark.parametrize("n_columns", [0, 1, 3])
def test_blocks_make_no_difference(entries, blocks, n_columns, monkeypatch):
    reference = np.random.default_rng(1).random((4, n_columns))
    query = reference[np.arange(7) % 4]
    evaluator = evaluator_of([("gaussian", 0.4)] * n_columns, reference)
    expected, _ = weights_of(evaluator, query)
    monkeypatch.setattr(_whole, "BLOCK_ENTRIES", entries)
    found, lengths = weights_of(evaluator, query)
    assert lengths == blocks
    np.testing.assert_array_equal(found, expected)


def test_totals_lost_to_underflow_are_recovered():
    values = np.linspace(0.0, 1.0, 5)
    reference = np.column_stack([values, values])
    kernels = [("gaussian", 0.01), ("gaussian", 0.02)]
    query = np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])
    found, _ = weights_of(evaluator_of(kernels, reference), query)
    expected = [np.exp(exact_log_weights(reference, kernels, point)) for point in query]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize(("offset", "away"), [(0.0, 0.0), (2.0**20, 0.0), (0.0, 2.0**20)])
def test_neither_a_table_nor_a_query_far_away_costs_digits(offset, away):
    rng = np.random.default_rng(0)
    kernels = [("gaussian", 0.25), ("gaussian", 2.0), ("aitchison_aitken", 0.2)]
    reference = rng.integers(0, 16, (40, 3)) / 8 + offset
    query = rng.integers(0, 16, (9, 3)) / 8 + offset + away * np.array([0.0, 1.0, 0.0])
    found, _ = weights_of(evaluator_of(kernels, reference), query)
    expected = [np.exp(exact_log_weights(reference, kernels, point)) for point in query]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)


def test_a_query_on_which_every_row_vanishes_has_no_kernel():
    reference = np.array([[0.0, 0.0], [1.0, 1.0]])
    evaluator = evaluator_of([("gaussian", 1.0), ("identity", 0.0)], reference)
    (weights,) = evaluator.evaluate(np.array([[0.0, 5.0], [0.0, 0.0]]), 40.0)
    assert weights.matrix[0].tolist() == [0.0, 0.0]
    assert weights.totals.tolist() == [0.0, 1.0]


def test_the_bound_of_no_query():
    evaluator = evaluator_of([("gaussian", 1.0)] * 2, np.eye(2))
    assert evaluator.log_heaviest_bound(np.empty((0, 2))).shape == (0,)
