import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.kernels import _cells
from causalaug.kernels._cells import CellTable, NearRows

CUT = 40.0


def split(near):
    """Return the rows of each point."""
    return [set(rows.tolist()) for rows in np.split(near.rows, near.offsets[1:-1])]


@pytest.mark.parametrize("block_points", [1, 7, 1 << 11])
@given(
    seed=st.integers(0, 10**6),
    n_rows=st.sampled_from([1, 2, 17, 60, 300]),
    width=st.sampled_from([1.0, 30.0, 1e3, 1e6]),
    ties=st.booleans(),
)
def test_exactly_the_rows_that_matter_are_listed(block_points, seed, n_rows, width, ties):
    rng = np.random.default_rng(seed)
    rows = width * rng.standard_normal((n_rows, 2))
    if ties:
        rows = np.round(rows / width) * width
    points = np.concatenate(
        [
            np.column_stack([rng.choice(column, 9) for column in rows.T]),
            rng.uniform(rows.min(axis=0), rows.max(axis=0), (5, 2)),
        ]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_cells, "BLOCK_POINTS", block_points)
        near = CellTable(rows, CUT).find(points)
    squared = np.square(points[:, np.newaxis] - rows).sum(axis=2)
    limit = squared.min(axis=1, keepdims=True) + 2.0 * CUT
    surely, perhaps = squared <= limit * (1.0 - 1e-8), squared <= limit * (1.0 + 1e-8)
    for known, found, least, most in zip(near.known, split(near), surely, perhaps, strict=True):
        if known:
            assert set(np.flatnonzero(least)) <= found <= set(np.flatnonzero(most))
        else:
            assert not found


def test_a_point_outside_the_rows_is_unknown():
    rows = np.random.default_rng(0).uniform(0.0, 1e4, (200, 2))
    inside, corners = rows[:3], np.array([rows.min(axis=0), rows.max(axis=0)])
    table = CellTable(rows, CUT)
    assert table.find(inside).known.all()
    assert not table.find(np.concatenate([corners[:1] - 1.0, corners[1:] + 1.0])).known.any()
    assert not table.find(np.column_stack([inside[:, 0], np.full(3, 2e4)])).known.any()


def test_a_crowded_cell_has_no_list():
    rng = np.random.default_rng(0)
    crowd, others = rng.uniform(-1.0, 1.0, (100, 2)), rng.uniform(1e3, 1e6, (400, 2))
    table = CellTable(np.concatenate([crowd, others]), CUT)
    assert not table.find(crowd).known.any()
    assert table.find(others).known.mean() > 0.5


def test_what_is_unknown_is_filled_in():
    here = NearRows(
        np.array([True, False, True, False]),
        np.array([2, 0, 1, 0]),
        np.array([5, 6, 9]),
        np.array([1.0, -1.0, 2.0, -1.0]),
    )
    others = NearRows(
        np.array([True, False]), np.array([1, 0]), np.array([7]), np.array([3.0, 4.0])
    )
    both = here.completed(others)
    assert both.known.tolist() == [True, True, True, False]
    assert split(both) == [{5, 6}, {7}, {9}, set()]
    assert both.reach.tolist() == [1.0, 3.0, 2.0, 4.0]
