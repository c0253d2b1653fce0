import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalaug.kernels import ColumnKernel, _candidates
from causalaug.kernels._candidates import CandidateFinder
from causalaug.kernels._column import KernelColumn
from oracles import exact_log_weights

MIXTURES = {
    "nothing": [],
    "identity": [("identity", 0.0)],
    "two identities": [("identity", 0.0), ("identity", 0.0)],
    "aitchison-aitken": [("aitchison_aitken", 0.1)],
    "one gaussian": [("gaussian", 0.2)],
    "one narrow gaussian": [("gaussian", 1e-4)],
    "gaussian in groups": [("identity", 0.0), ("gaussian", 0.1)],
    "two gaussians": [("gaussian", 0.05), ("gaussian", 0.4)],
    "two narrow gaussians": [("gaussian", 1e-4), ("gaussian", 1e-3)],
    "narrow gaussians in groups": [("gaussian", 0.01), ("gaussian", 0.02), ("identity", 0.0)],
    "compact": [("epanechnikov", 0.3)],
    "two compacts": [("tricube", 0.3), ("biweight", 0.8)],
    "compact and gaussians in groups": [
        ("gaussian", 0.1),
        ("triweight", 0.5),
        ("gaussian", 0.1),
        ("identity", 0.0),
    ],
}
CUT = 40.0
"""More than the logarithm of the rows and of what is negligible."""


def finder_of(kernels, reference):
    columns = [
        KernelColumn(ColumnKernel(*kernel), np.ascontiguousarray(values))
        for kernel, values in zip(kernels, reference.T, strict=True)
    ]
    return CandidateFinder(columns, len(reference))


def listed(found, n_queries):
    """Return the candidates of each query, and check that blocks make no difference."""
    assert found.counts.tolist() == [len(found.rows(slice(k, k + 1))) for k in range(n_queries)]
    rows = np.split(found.rows(slice(0, n_queries)), np.cumsum(found.counts)[:-1])
    for k in range(n_queries):
        np.testing.assert_array_equal(found.rows(slice(k, k + 1)), rows[k])
    return [row.tolist() for row in rows]


@pytest.mark.parametrize("mixture", list(MIXTURES))
@pytest.mark.parametrize("neighbours", [(1, 2), (2, 8)])
@pytest.mark.parametrize("log_cut", [CUT, np.inf])
@given(seed=st.integers(0, 10**6), n_rows=st.sampled_from([1, 2, 5, 30]))
@settings(max_examples=25)
def test_no_row_that_matters_is_missed(mixture, neighbours, log_cut, seed, n_rows):
    rng = np.random.default_rng(seed)
    kernels = MIXTURES[mixture]
    reference = rng.integers(0, 9, (n_rows, len(kernels))) / 8
    query = reference[rng.integers(0, n_rows, (4, len(kernels))), np.arange(len(kernels))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_candidates, "N_NEAREST", neighbours)
        found = finder_of(kernels, reference).find(query, log_cut + 5.0 * len(kernels))
    for point, rows in zip(query, listed(found, 4), strict=True):
        assert len(set(rows)) == len(rows)
        exact = exact_log_weights(reference, kernels, point)
        matters = (exact >= exact.max() - log_cut) & (exact > -np.inf)
        assert set(np.flatnonzero(matters)) <= set(rows)


@pytest.mark.parametrize("mixture", ["two gaussians", "two narrow gaussians"])
@given(seed=st.integers(0, 10**6), n_rows=st.sampled_from([1, 2, 5, 30]))
@settings(max_examples=25)
def test_lists_of_cells_miss_no_row_that_matters_either(mixture, seed, n_rows):
    rng = np.random.default_rng(seed)
    kernels = MIXTURES[mixture]
    reference = rng.integers(0, 9, (n_rows, 2)) / 8
    query = rng.integers(-1, 10, (6, 2)) / 8
    finder = finder_of(kernels, reference)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_candidates, "QUERIES_FOR_CELLS", 0)
        found = finder.find(query, CUT)
    for point, rows in zip(query, listed(found, 6), strict=True):
        assert len(set(rows)) == len(rows)
        exact = exact_log_weights(reference, kernels, point)
        assert set(np.flatnonzero(exact >= exact.max() - CUT)) <= set(rows)


@pytest.mark.parametrize("n_gaussians", [1, 2])
def test_a_query_that_matches_no_group_has_no_candidate(n_gaussians):
    rng = np.random.default_rng(0)
    kernels = [("identity", 0.0), *[("gaussian", 1e-3)] * n_gaussians]
    reference = np.column_stack([np.repeat([1.0, 2.0], 10), rng.random((20, n_gaussians))])
    query = np.column_stack([[7.0, 1.0, -7.0], reference[:3, 1:]])
    finder = finder_of(kernels, reference)
    assert finder.find(query, CUT).counts.tolist() == [0, 1, 0]
    assert finder.find(query[[0, 2]], CUT).counts.tolist() == [0, 0]


@pytest.mark.parametrize("kernel", [("gaussian", 0.01), ("tricube", 0.1)])
def test_windows_are_narrow(kernel):
    reference = np.linspace(0.0, 1.0, 1001)[:, np.newaxis]
    rows = listed(finder_of([kernel], reference).find(np.array([[0.5], [9.0]]), CUT), 2)
    assert 150 < len(rows[0]) < 210
    assert rows[1] == ([1000] if kernel[0] == "gaussian" else [])


def test_a_few_neighbours_do_without_a_window():
    reference = np.repeat(np.arange(50.0), 3)[:, np.newaxis] + [[0.0, 0.0]]
    found = finder_of([("gaussian", 0.1)] * 2, reference).find(np.array([[7.0, 7.0]]), CUT)
    assert found.near.known.tolist() == [True]
    assert sorted(found.rows(slice(0, 1))) == [21, 22, 23]


def test_named_rows_and_windows_mix():
    reference = np.concatenate([np.zeros((20, 2)), [[5.0, 5.0], [6.0, 6.0]]])
    query = np.array([[5.0, 5.0], [0.0, 0.0], [6.0, 6.0]])
    found = finder_of([("gaussian", 0.01)] * 2, reference).find(query, CUT)
    assert found.near.known.tolist() == [True, False, True]
    rows = listed(found, 3)
    assert [rows[0], sorted(rows[1]), rows[2]] == [[20], list(range(20)), [21]]


@pytest.mark.parametrize("queries_for_cells", [0, 10**9], ids=["cells", "tree"])
@pytest.mark.parametrize("bandwidth", [1.1e-4, 1.1e-5, 7e-7])
def test_rows_at_equal_distance_are_found_however_large_the_numbers(
    bandwidth, queries_for_cells, monkeypatch
):
    monkeypatch.setattr(_candidates, "QUERIES_FOR_CELLS", queries_for_cells)
    steps = np.random.default_rng(0).integers(0, 30, (40, 2))
    query = np.stack(np.meshgrid(np.arange(30), np.arange(30)), axis=-1).reshape(-1, 2)
    finder = finder_of([("gaussian", bandwidth)] * 2, 1.6e9 + steps)
    rows = listed(finder.find(1.6e9 + query, CUT), len(query))
    squared = np.square(query[:, np.newaxis] - steps).sum(axis=2)
    nearest = squared == squared.min(axis=1, keepdims=True)
    for found, expected in zip(rows, nearest, strict=True):
        assert set(np.flatnonzero(expected)) <= set(found)
