import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.expansion import _draw
from causalaug.expansion._draw import draw_entries, draw_rows, spread_draws
from causalaug.expansion._pillows import PillowWeights
from causalaug.kernels import ColumnKernel, ListedRows, ProductKernel, WholeRows, _product

kernels = st.lists(st.sampled_from([0.0, 1e-200, 1e-3, 0.5, 1.0]), min_size=1, max_size=90)
shares = st.lists(st.floats(0.0, 1.0, exclude_max=True), min_size=1, max_size=5)


def slow_entry(kernel, share):
    """Return the first entry at which the running sum passes a share of the total."""
    target = share * np.cumsum(kernel)[-1]
    running = 0.0
    for entry, weight in enumerate(kernel):
        running += weight
        if running > target:
            return entry
    return max(entry for entry, weight in enumerate(kernel) if weight > 0.0)


def is_right(kernel, share, found):
    """Return whether an entry is the one at the share, but for rounding of the running sum."""
    low, high = sorted([found, slow_entry(kernel, share)])
    between = [sum(kernel[: low + 1]) - share * sum(kernel), sum(kernel[low + 1 : high])]
    return low == high or np.abs(between).max() <= 1e-9 * sum(kernel)


@given(kernels.filter(any), shares)
def test_whole_rows_are_drawn_by_their_running_sum(kernel, share):
    matrix = np.array([kernel[::-1], kernel])
    owner = np.ones(len(share), dtype=np.int64)
    found = draw_entries(WholeRows(matrix), owner, np.array(share)) - len(kernel)
    assert (np.array(kernel)[found] > 0.0).all()
    for entry, each in zip(found, share, strict=True):
        assert is_right(kernel, each, entry)


@given(kernels.map(lambda kernel: [w for w in kernel if w > 1e-100]).filter(any), shares)
def test_listed_rows_are_drawn_by_their_running_sum(kernel, share):
    log_kernel = np.log([1.0, 1.0, *kernel])
    weights = ListedRows(np.array([0, 2, len(log_kernel)]), np.arange(len(log_kernel)), log_kernel)
    owner = np.ones(len(share), dtype=np.int64)
    found = draw_entries(weights, owner, np.array(share)) - 2
    for entry, each in zip(found, share, strict=True):
        assert is_right(kernel, each, entry)


# Points spread over owners.

masses = st.lists(st.sampled_from([0.0, 0.01, 0.3, 1.0, 2.0]), min_size=1, max_size=12).filter(any)


@given(masses, st.integers(1, 40), st.integers(0, 5))
def test_every_owner_gets_its_share_of_points_rounded_down_or_up(masses, n_draws, seed):
    masses = np.array(masses)
    owner, offset = spread_draws(masses, n_draws, np.random.default_rng(seed))
    expected = masses * n_draws / masses.sum()
    counts = np.bincount(owner, minlength=len(masses))
    assert counts.sum() == n_draws
    assert (np.abs(counts - expected) < 1.0 + 1e-9).all()
    assert (offset >= 0.0).all()
    assert (offset <= masses[owner]).all()


@given(masses, st.integers(2, 40), st.integers(0, 5))
def test_points_of_one_owner_are_evenly_spaced(masses, n_draws, seed):
    masses = np.array(masses)
    owner, offset = spread_draws(masses, n_draws, np.random.default_rng(seed))
    together = np.diff(owner) == 0
    spacing = masses.sum() / n_draws
    np.testing.assert_allclose(np.diff(offset)[together], spacing, rtol=1e-9)


def test_where_a_point_lies_is_uniform_and_says_nothing_about_the_next_owner():
    masses = np.array([1.0, 0.7, 1.3, 1.0, 2.0])
    hits, first = np.zeros((5, 10)), []
    for seed in range(4000):
        owner, offset = spread_draws(masses, 6, np.random.default_rng(seed))
        place = np.minimum((10 * offset / masses[owner]).astype(int), 9)
        np.add.at(hits, (owner, place), 1.0)
        first.append(offset[np.searchsorted(owner, [3, 4])])
    expected = np.repeat(masses[:, np.newaxis], 10, axis=1) / 10 * 4000
    z = (hits - expected) / np.sqrt(expected)
    assert np.abs(z).max() < 4.0
    assert abs(np.corrcoef(np.transpose(first))[0, 1]) < 0.06


# Rows drawn by their weights, proposed or weighed.


@pytest.mark.parametrize("at_once", [4000, 1 << 17])
@pytest.mark.parametrize("n_rows", [40, 400])
def test_rows_are_drawn_by_their_weights_whether_proposed_or_not(n_rows, at_once, monkeypatch):
    values = np.sort(np.random.default_rng(0).normal(size=n_rows))[:, np.newaxis]
    kernel = ProductKernel(values, [ColumnKernel("gaussian", 0.4)])
    query = np.array([[0.0], [6.0]])
    owner = np.repeat([0, 1], 15_000)
    monkeypatch.setattr(_draw, "MOST_AT_ONCE", at_once)
    first, second = draw_rows(PillowWeights(kernel, query), owner, 2, np.random.default_rng(1))
    for number in (0, 1):
        (weights,) = kernel.weigh(query[[number]])
        share = np.zeros(n_rows)
        share[weights.rows_at(np.arange(len(weights.kernel)))] = weights.kernel / weights.totals[0]
        for rows in (first, second):
            drawn = rows[owner == number]
            mean, sd = share @ values[:, 0], np.sqrt(share @ values[:, 0] ** 2)
            assert (share[drawn] > 0.0).all()
            assert abs(values[drawn, 0].mean() - mean) < 5.0 * sd / np.sqrt(15_000)
    assert np.mean(first == second) < 0.9


@pytest.mark.parametrize("at_once", [1, 3, 7])
@pytest.mark.parametrize("batch", [2, 1 << 14])
def test_drawn_a_part_at_a_time_every_entry_gets_a_row_of_its_own_query(
    at_once, batch, monkeypatch
):
    monkeypatch.setattr(_draw, "MOST_AT_ONCE", at_once)
    monkeypatch.setattr(_product, "BATCH_QUERIES", batch)
    values = np.arange(30.0)[:, np.newaxis]
    kernel = ProductKernel(values, [ColumnKernel("gaussian", 1e-3)])
    owner = np.random.default_rng(0).integers(0, 12, 40)
    query = values[::-2][:12]
    rows = draw_rows(PillowWeights(kernel, query), owner, 2, np.random.default_rng(1))
    np.testing.assert_array_equal(values[rows, 0], np.tile(query[owner, 0], (2, 1)))


def test_a_query_on_which_the_kernel_vanishes_draws_nothing():
    kernel = ProductKernel(np.array([[1.0], [2.0]]), [ColumnKernel("identity")])
    weights = PillowWeights(kernel, np.array([[1.0], [3.0]]))
    rows = draw_rows(weights, np.array([0, 1, 0]), 1, np.random.default_rng(0))
    assert rows.tolist() == [[0, -1, 0]]
