import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.kernels._exact import ExactMatch


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
    starts, stops = match.segments(groups)
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
    starts, stops = match.segments(np.zeros(n_queries, dtype=np.int64))
    assert (starts.tolist(), stops.tolist()) == ([0] * n_queries, [4] * n_queries)
