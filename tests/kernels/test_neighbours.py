import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalaug.kernels import ColumnKernel, KernelColumn, _neighbours
from causalaug.kernels._neighbours import ExactMatch, NeighbourFinder
from causalaug.kernels._univariate import GaussianKernel
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
    return NeighbourFinder(columns, len(reference))


def find(finder, query, log_cut):
    return finder.find(query, finder.match.group_of(query), log_cut)


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
        patch.setattr(_neighbours, "N_NEAREST", neighbours)
        found = find(finder_of(kernels, reference), query, log_cut + 5.0 * len(kernels))
    for point, rows in zip(query, listed(found, 4), strict=True):
        assert len(set(rows)) == len(rows)
        exact = exact_log_weights(reference, kernels, point)
        matters = (exact >= exact.max() - log_cut) & (exact > -np.inf)
        assert set(np.flatnonzero(matters)) <= set(rows)


@pytest.mark.parametrize("mixture", ["one gaussian", "two gaussians", "two narrow gaussians"])
@given(seed=st.integers(0, 10**6), n_rows=st.sampled_from([1, 2, 5, 30]))
@settings(max_examples=25)
def test_nor_is_one_if_the_query_is_new(mixture, seed, n_rows):
    rng = np.random.default_rng(seed)
    kernels = MIXTURES[mixture]
    reference = rng.integers(0, 9, (n_rows, len(kernels))) / 8
    query = rng.integers(-1, 10, (6, len(kernels))) / 8
    found = find(finder_of(kernels, reference), query, CUT)
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
    assert find(finder, query, CUT).counts.tolist() == [0, 1, 0]
    assert find(finder, query[[0, 2]], CUT).counts.tolist() == [0, 0]


@pytest.mark.parametrize("kernel", [("gaussian", 0.01), ("tricube", 0.1)])
def test_windows_are_narrow(kernel):
    reference = np.linspace(0.0, 1.0, 1001)[:, np.newaxis]
    rows = listed(find(finder_of([kernel], reference), np.array([[0.5], [9.0]]), CUT), 2)
    assert 150 < len(rows[0]) < 210
    assert rows[1] == ([1000] if kernel[0] == "gaussian" else [])


def test_a_few_neighbours_do_without_a_window():
    reference = np.repeat(np.arange(50.0), 3)[:, np.newaxis] + [[0.0, 0.0]]
    found = find(finder_of([("gaussian", 0.1)] * 2, reference), np.array([[7.0, 7.0]]), CUT)
    assert found.is_named.tolist() == [True]
    assert sorted(found.rows(slice(0, 1))) == [21, 22, 23]


def test_named_rows_and_windows_mix():
    reference = np.concatenate([np.zeros((20, 2)), [[5.0, 5.0], [6.0, 6.0]]])
    query = np.array([[5.0, 5.0], [0.0, 0.0], [6.0, 6.0]])
    found = find(finder_of([("gaussian", 0.01)] * 2, reference), query, CUT)
    assert found.is_named.tolist() == [True, False, True]
    rows = listed(found, 3)
    assert [rows[0], sorted(rows[1]), rows[2]] == [[20], list(range(20)), [21]]


@pytest.mark.parametrize("bandwidth", [1.1e-4, 1.1e-5, 7e-7])
def test_rows_at_equal_distance_are_found_however_large_the_numbers(bandwidth):
    steps = np.random.default_rng(0).integers(0, 30, (40, 2))
    query = np.stack(np.meshgrid(np.arange(30), np.arange(30)), axis=-1).reshape(-1, 2)
    finder = finder_of([("gaussian", bandwidth)] * 2, 1.6e9 + steps)
    rows = listed(find(finder, 1.6e9 + query, CUT), len(query))
    squared = np.square(query[:, np.newaxis] - steps).sum(axis=2)
    nearest = squared == squared.min(axis=1, keepdims=True)
    for found, expected in zip(rows, nearest, strict=True):
        assert set(np.flatnonzero(expected)) <= set(found)


@pytest.mark.parametrize("n_gaussians", [0, 1, 2])
def test_queries_that_match_no_group_can_be_given_every_row(n_gaussians):
    values = np.repeat(np.arange(20.0), 2)[:, np.newaxis] + np.zeros(n_gaussians)
    reference = np.column_stack([np.repeat([1.0, 2.0], 20), values])
    query = reference[[0, 10, 30]]
    query[1, 0] = 7.0
    finder = finder_of([("nearest", 0.0), *[("gaussian", 0.01)] * n_gaussians], reference)
    found = find(finder, query, CUT)
    before, after = listed(found, 3), listed(found.opened(np.array([False, True, False])), 3)
    assert [after[0], after[2]] == [before[0], before[2]]
    assert (before[1], sorted(after[1])) == ([], list(range(40)))


@given(st.floats(0.0, 50.0), st.floats(0.0, 50.0), st.floats(0.1, 200.0))
def test_what_is_beyond_the_reach_is_lighter_by_the_cut(nearest, apart, log_cut):
    (reach,) = GaussianKernel(1.0).reach(np.array([nearest]), log_cut)
    lighter = 0.5 * ((nearest + apart) ** 2 - nearest**2)
    assert (nearest + apart > reach) <= (lighter > log_cut)
    assert reach**2 == pytest.approx(nearest**2 + 2.0 * log_cut)


# Groups of exact match.


@st.composite
def matches(draw):
    """Draw a reference, the columns that must match, and queries that may match nothing."""
    n_columns = draw(st.integers(1, 4))
    row = st.lists(st.sampled_from([-1.5, -0.0, 0.0, 2.0]), min_size=n_columns, max_size=n_columns)
    other = st.lists(st.sampled_from([-2.0, -1.5, 0.0, 1.0, 2.0, 9.0]), min_size=n_columns)
    reference = np.array(draw(st.lists(row, min_size=1, max_size=8)))
    queries = draw(st.lists(row | other.map(lambda q: q[:n_columns]), max_size=6))
    columns = draw(st.lists(st.integers(0, n_columns - 1), unique=True))
    return reference, columns, np.array(queries, dtype=float).reshape(-1, n_columns)


@given(matches())
def test_groups_are_the_rows_that_match(problem):
    reference, columns, query = problem
    match = ExactMatch({c: reference[:, c] for c in columns}, len(reference))
    assert match.is_trivial == (not columns)
    groups = match.group_of(query)
    starts, stops = match.bounds(groups)
    order = np.argsort(match.groups, kind="stable")
    for k, point in enumerate(query):
        equal = [i for i, row in enumerate(reference) if (row[columns] == point[columns]).all()]
        assert order[starts[k] : stops[k]].tolist() == equal
        assert (groups[k] < 0) == (not equal)


@given(matches())
def test_every_reference_row_finds_its_own_group(problem):
    reference, columns, _ = problem
    match = ExactMatch({c: reference[:, c] for c in columns}, len(reference))
    np.testing.assert_array_equal(match.group_of(reference), match.groups)


def test_many_columns_of_many_values_do_not_overflow():
    reference = np.random.default_rng(0).random((500, 12))
    match = ExactMatch(dict(enumerate(reference.T)), 500)
    assert len(set(match.groups)) == 500
    assert (match.group_of(reference[::-1]) == match.groups[::-1]).all()
    assert (match.group_of(np.roll(reference, 1, axis=1)) == -1).all()


@pytest.mark.parametrize("n_queries", [0, 3])
def test_without_columns_there_is_one_group(n_queries):
    match = ExactMatch({}, 4)
    assert match.group_of(np.empty((n_queries, 0))).tolist() == [0] * n_queries
    starts, stops = match.bounds(np.zeros(n_queries, dtype=np.int64))
    assert (starts.tolist(), stops.tolist()) == ([0] * n_queries, [4] * n_queries)
