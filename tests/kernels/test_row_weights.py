import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug._segments import offsets_of
from causalaug.kernels import ListedRows, RowGroups, WholeRows

log_kernels = st.floats(-650.0, 0.0) | st.sampled_from([0.0, -np.inf])


def listed(matrix):
    """Return the rows on which the kernel does not vanish, from a matrix of logarithms."""
    keep = matrix > -np.inf
    return ListedRows(offsets_of(keep.sum(axis=1)), np.nonzero(keep)[1], matrix[keep])


def whole(matrix):
    return WholeRows(np.exp(matrix))


both_forms = pytest.mark.parametrize("form", [listed, whole])


@st.composite
def matrices(draw):
    """Draw the log-kernels of some queries by some rows; the largest of a query is 0."""
    n_rows = draw(st.integers(1, 6))
    row = st.lists(log_kernels, min_size=n_rows, max_size=n_rows)
    matrix = np.array(draw(st.lists(row, max_size=4)), dtype=float).reshape(-1, n_rows)
    heaviest = matrix.max(axis=1, keepdims=True)
    return matrix - np.where(np.isfinite(heaviest), heaviest, 0.0)


@st.composite
def partitions(draw, n_rows):
    groups = draw(st.lists(st.integers(0, n_rows - 1), min_size=n_rows, max_size=n_rows))
    _, group_of_row = np.unique(groups, return_inverse=True)
    return RowGroups(group_of_row, int(group_of_row.max()) + 1)


def by_query(weights, n_columns):
    """Return a matrix of log-weights, -inf where there is no entry or no weight."""
    matrix = np.full((weights.n_queries, n_columns), -np.inf)
    entries = np.arange(weights.offsets[-1])
    owner = np.repeat(np.arange(weights.n_queries), weights.counts)
    alive = weights.totals[owner] > 0.0
    matrix[owner[alive], weights.rows_at(entries[alive])] = weights.log_weights[alive]
    np.testing.assert_array_equal(
        weights.log_weights_at(entries[alive], owner[alive]), weights.log_weights[alive]
    )
    return matrix


def slow_log_weights(matrix):
    log_totals = [np.log(np.exp(row).sum()) if row.max() > -np.inf else 0.0 for row in matrix]
    return matrix - np.reshape(log_totals, (-1, 1))


@both_forms
@given(matrix=matrices())
def test_weights_of_each_query_sum_to_one_or_are_none(form, matrix):
    weights = form(matrix)
    assert weights.n_queries == len(matrix)
    np.testing.assert_allclose(weights.totals, np.exp(matrix).sum(axis=1))
    np.testing.assert_array_equal(np.diff(weights.offsets), weights.counts)
    assert len(weights.kernel) == weights.offsets[-1]
    found = by_query(weights, matrix.shape[1])
    np.testing.assert_allclose(found, slow_log_weights(matrix), rtol=1e-12, atol=1e-12)


@both_forms
@given(data=st.data(), matrix=matrices())
def test_masses_are_shared_out_by_weight(form, data, matrix):
    masses = np.array([data.draw(st.floats(0.0, 10.0)) for _ in matrix])
    weights = form(matrix)
    shares = weights.times(masses)
    owner = np.repeat(np.arange(len(matrix)), weights.counts)
    alive = weights.totals[owner] > 0.0
    expected = np.where(alive, masses[owner] * np.exp(weights.log_weights), 0.0)
    np.testing.assert_allclose(shares, expected, rtol=1e-12, atol=1e-300)


@both_forms
@given(data=st.data(), matrix=matrices())
def test_heaviest_entries_are_those_at_or_above_the_floor(form, data, matrix):
    floors = st.sampled_from([-np.inf, -600.0, -30.5, -3.5, -0.25, 0.5, 600.0])
    floor = np.array(data.draw(st.lists(floors, min_size=len(matrix), max_size=len(matrix))))
    found = form(matrix).heaviest(floor)
    expected = slow_log_weights(matrix)
    near = np.isclose(expected, floor[:, np.newaxis], rtol=0.0, atol=1e-9) & np.isfinite(expected)
    above = (expected >= floor[:, np.newaxis]) & (expected > -np.inf)
    is_found = np.zeros_like(above)
    is_found[found.owner, found.rows] = True
    np.testing.assert_array_equal(is_found[~near], above[~near])
    np.testing.assert_allclose(found.log_weights, expected[found.owner, found.rows], atol=1e-9)
    assert (np.diff(found.owner) >= 0).all()


def test_an_entry_of_no_weight_is_never_among_the_heaviest():
    weights = WholeRows(np.array([[1e-200, 0.0, 1e-200], [0.0, 0.0, 0.0]]))
    assert weights.heaviest(np.array([-np.inf, -np.inf])).rows.tolist() == [0, 2]


@both_forms
@given(data=st.data(), matrix=matrices())
def test_merged_weights_add_up(form, data, matrix):
    groups = data.draw(partitions(matrix.shape[1]))
    merged = form(matrix).merged(groups)
    expected = np.full((len(matrix), groups.n_groups), -np.inf)
    for i, group in enumerate(groups.group_of_row):
        expected[:, group] = np.logaddexp(expected[:, group], slow_log_weights(matrix)[:, i])
    found = by_query(merged, groups.n_groups)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@given(st.data(), st.integers(1, 8))
def test_groups_of_rows(data, n_rows):
    groups = data.draw(partitions(n_rows))
    assert groups.sizes.sum() == n_rows
    assert groups.is_trivial == (max(groups.sizes) == 1)
    expected = [
        i for g in range(groups.n_groups) for i in range(n_rows) if g == groups.group_of_row[i]
    ]
    assert groups.order.tolist() == expected


def test_listed_weights_are_exact_far_below_what_exp_can_hold():
    weights = ListedRows(np.array([0, 3]), np.array([4, 1, 0]), np.array([0.0, -5000.0, -5000.0]))
    assert weights.kernel.tolist() == [1.0, 0.0, 0.0]
    assert weights.log_weights.tolist() == [0.0, -5000.0, -5000.0]
    merged = weights.merged(RowGroups(np.array([0, 0, 2, 2, 1]), 3))
    assert merged.rows.tolist() == [0, 1]
    np.testing.assert_allclose(merged.log_weights, [-5000.0 + np.log(2.0), 0.0], rtol=1e-15)


def test_merging_no_entries_at_all():
    nothing = ListedRows(np.zeros(3, dtype=int), np.empty(0, dtype=int), np.empty(0))
    merged = nothing.merged(RowGroups(np.zeros(5, dtype=int), 1))
    assert (merged.n_queries, merged.totals.tolist()) == (2, [0.0, 0.0])


def test_whole_weights_of_a_query_without_any_are_zero():
    weights = WholeRows(np.array([[0.0, 0.0], [1.0, 3.0]]))
    np.testing.assert_allclose(
        weights.log_weights, [-np.inf, -np.inf, np.log(0.25), np.log(0.75)], rtol=1e-12
    )
