"""Rows that are proposed and accepted follow the weights."""

import numpy as np
import pytest
from scipy.stats import chi2

from causalaug.kernels import (
    CONTINUOUS_KERNELS,
    ColumnKernel,
    KernelColumn,
    ProductKernel,
    _product,
)
from causalaug.kernels._proposals import symmetric_slabs

N_ROWS = 300


def reference(seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.normal(size=N_ROWS), rng.integers(3, size=N_ROWS)])


KERNELS = {
    "wide": [ColumnKernel("gaussian", 1.0), ColumnKernel("aitchison_aitken", 0.3)],
    "ranks": [ColumnKernel("gaussian", 1.0), ColumnKernel("li_racine", 0.3)],
    "nearest": [ColumnKernel("gaussian", 0.7), ColumnKernel("nearest")],
    "exact": [ColumnKernel("gaussian", 0.7), ColumnKernel("identity")],
    "compact": [ColumnKernel("epanechnikov", 1.5), ColumnKernel("identity")],
    "both": [ColumnKernel("gaussian", 0.4), ColumnKernel("gaussian", 0.8)],
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_accepted_rows_follow_the_weights(name, weighted, monkeypatch):
    monkeypatch.setattr(_product, "LARGE_TABLE", 0)
    monkeypatch.setattr(_product, "FEWEST_TO_PROPOSE", 0)
    values = reference()
    row_weights = np.linspace(0.5, 2.0, N_ROWS) if weighted else None
    weigher = ProductKernel(values, KERNELS[name], row_weights)
    query = np.array([[0.3, 1.0], [-0.8, 2.0]])
    owner = np.repeat([0, 1], 20_000)
    rows = weigher.propose(query, owner, np.random.default_rng(0))
    for number in (0, 1):
        drawn = rows[(owner == number) & (rows >= 0)]
        assert len(drawn) > 15_000
        expected = np.exp(weigher.log_weights(query[[number]])[0]) * len(drawn)
        counts = np.bincount(drawn, minlength=N_ROWS)
        assert (counts[expected == 0.0] == 0).all()
        common = expected > 5.0
        statistic = (np.square(counts - expected)[common] / expected[common]).sum()
        assert statistic < chi2.isf(1e-4, common.sum())


def test_nothing_is_proposed_in_small_tables_or_for_narrow_kernels():
    small = ProductKernel(np.arange(10.0)[:, np.newaxis], [ColumnKernel("gaussian", 5.0)])
    rng = np.random.default_rng(0)
    assert (small.propose(np.zeros((1, 1)), np.zeros(50, dtype=int), rng) == -1).all()
    narrow = ProductKernel(np.arange(1000.0)[:, np.newaxis], [ColumnKernel("gaussian", 1e-3)])
    assert (narrow.propose(np.zeros((1, 1)), np.zeros(50, dtype=int), rng) == -1).all()


@pytest.mark.parametrize("bandwidths", [(1e-2,), (0.1, 0.1)], ids=str)
def test_in_a_large_table_rows_are_found_without_weighing_all(bandwidths):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20_000, len(bandwidths)))
    kernel = ProductKernel(values, [ColumnKernel("gaussian", h) for h in bandwidths])
    query = values[:500]
    rows = kernel.propose(query, np.arange(500), rng)
    assert (rows >= 0).mean() > 0.95
    found = rows >= 0
    apart = np.abs(values[rows[found]] - query[found]) / bandwidths
    assert apart.max() < 6.0
    assert 0.5 < apart.mean() < 1.1


def test_few_entries_are_not_given_up_too_soon():
    values = np.random.default_rng(0).normal(size=(50_000, 2))
    kernel = ProductKernel(values, [ColumnKernel("gaussian", 0.05)] * 2)
    for seed in range(20):
        rows = kernel.propose(values[:1], np.zeros(2, dtype=int), np.random.default_rng(seed))
        assert (rows >= 0).all()


def test_without_columns_every_proposal_is_accepted():
    kernel = ProductKernel(np.empty((5, 0)), [])
    rows = kernel.propose(np.empty((1, 0)), np.zeros(5000, dtype=int), np.random.default_rng(0))
    counts = np.bincount(rows, minlength=5)
    assert counts.sum() == 5000
    assert np.abs(counts - 1000).max() < 150


def test_a_query_beyond_all_rows_is_given_up(monkeypatch):
    monkeypatch.setattr(_product, "LARGE_TABLE", 0)
    monkeypatch.setattr(_product, "FEWEST_TO_PROPOSE", 0)
    kernel = ProductKernel(reference()[:, :1], [ColumnKernel("epanechnikov", 0.5)])
    rows = kernel.propose(np.array([[50.0]]), np.zeros(20, dtype=int), np.random.default_rng(0))
    assert (rows == -1).all()


@pytest.mark.parametrize("name", ["nearest", "identity"])
def test_a_query_that_equals_no_row_is_given_up(name, monkeypatch):
    """Rows that differ in the fewest columns are not known before all are compared."""
    monkeypatch.setattr(_product, "LARGE_TABLE", 0)
    monkeypatch.setattr(_product, "FEWEST_TO_PROPOSE", 0)
    kernel = ProductKernel(reference(), [ColumnKernel("gaussian", 1.0), ColumnKernel(name)])
    query, owner = np.array([[0.0, 1.0], [0.0, 9.0]]), np.repeat([0, 1], 500)
    rows = kernel.propose(query, owner, np.random.default_rng(0))
    assert (rows[owner == 0] >= 0).mean() > 0.7
    assert (rows[owner == 1] == -1).all()


@pytest.mark.parametrize("name", CONTINUOUS_KERNELS)
def test_slabs_cover_the_line_and_bound_the_kernel(name):
    kernel = ColumnKernel(name, 1.0).on(KernelColumn(ColumnKernel(name, 1.0), np.arange(3.0)))
    edges, inner = symmetric_slabs(kernel.slab_edges)
    assert len(inner) == len(edges) + 1
    assert (np.diff(edges) > 0.0).all()
    np.testing.assert_array_equal(edges, -edges[::-1])
    nearest = np.minimum(np.abs(np.append(-np.inf, edges)), np.abs(np.append(edges, np.inf)))
    crosses = (np.append(-np.inf, edges) < 0.0) & (np.append(edges, np.inf) > 0.0)
    np.testing.assert_array_equal(inner, np.where(crosses, 0.0, nearest))
