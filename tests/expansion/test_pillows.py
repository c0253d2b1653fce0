"""Pillow tuples that are handed on from level to level, with the weights given them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug._segments import group_by_key
from causalaug.expansion import _pillows
from causalaug.expansion._pillows import Pillows, PillowWeights
from causalaug.kernels import ColumnKernel, ProductKernel

VALUES = np.random.default_rng(0).random((20, 2))
QUERY = VALUES[np.arange(10)[:, np.newaxis] * [1, 2], [0, 1]]


class CountingKernel(ProductKernel):
    """A kernel that notes how many queries it was asked for."""

    def __init__(self, bandwidth):
        super().__init__(VALUES, [ColumnKernel("gaussian", bandwidth)] * 2)
        self.asked = []

    def weigh(self, query, log_cut=0.0):
        self.asked.append(len(query))
        return super().weigh(query, log_cut)


def dense(blocks):
    """Return the weights of all rows, one line per query."""
    lines = []
    for weights in blocks:
        for first, stop in zip(weights.offsets[:-1], weights.offsets[1:], strict=True):
            entries = np.arange(first, stop)
            line = np.zeros(len(VALUES))
            line[weights.rows_at(entries)] = np.exp(weights.log_weights[entries])
            lines.append(line)
    return np.array(lines)


numbers_of = st.lists(st.integers(0, 9), min_size=1, unique=True).map(sorted).map(np.array)


@given(bandwidth=st.sampled_from([1e-3, 0.05]), wanted=st.lists(numbers_of, max_size=4))
@pytest.mark.parametrize("at_a_time", [1, 3, 1 << 16])
@pytest.mark.parametrize("keep", [True, False])
def test_weights_are_the_same_whether_kept_or_not(at_a_time, keep, bandwidth, wanted):
    kernel = CountingKernel(bandwidth)
    weights = PillowWeights(kernel, QUERY, keep=keep)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_pillows, "AT_A_TIME", at_a_time)
        for numbers in wanted:
            expected = dense(ProductKernel.weigh(kernel, QUERY[numbers]))
            np.testing.assert_allclose(dense(weights.weigh(numbers)), expected, rtol=1e-12)


def test_weights_are_kept_once_most_tuples_are_wanted():
    kernel = CountingKernel(1e-3)
    weights = PillowWeights(kernel, QUERY, keep=True)
    for numbers in ([2, 5], [0, 1, 2, 4, 6, 7, 9], [2, 5], range(10)):
        list(weights.weigh(np.array(numbers)))
    assert kernel.asked == [2, 10]


def test_a_deeper_cut_is_not_answered_from_memory():
    kernel = CountingKernel(1e-3)
    weights = PillowWeights(kernel, QUERY, keep=True)
    list(weights.weigh(np.arange(10)))
    list(weights.weigh(np.arange(10), 90.0))
    assert kernel.asked == [10, 10]


@pytest.mark.parametrize(("bandwidth", "largest"), [(1e-3, 3), (1.0, 1 << 21)])
def test_many_weights_are_not_kept(bandwidth, largest, monkeypatch):
    monkeypatch.setattr(_pillows, "LARGEST_KEPT", largest)
    kernel = CountingKernel(bandwidth)
    weights = PillowWeights(kernel, QUERY, keep=True)
    for _ in range(2):
        assert len(dense(weights.weigh(np.arange(10)))) == 10
    assert kernel.asked == [10, 10, 10]


@given(
    tuples=st.lists(st.integers(0, 9), min_size=1, max_size=30),
    descent=st.lists(st.lists(st.integers(0, 10**6), min_size=1, max_size=30), max_size=3),
)
def test_descendants_hold_the_tuples_of_their_ancestors(tuples, descent):
    held = np.array(tuples)
    weights = PillowWeights(CountingKernel(1e-3), QUERY, keep=True)
    groups = group_by_key(held, 10)
    pillows = Pillows(groups, held[groups.first], weights)
    for paths in descent:
        parent = np.array(paths) % len(held)
        held, pillows = held[parent], pillows.at(parent)
    np.testing.assert_array_equal(pillows.of(np.arange(len(held))), held)
    np.testing.assert_array_equal(pillows.numbers, np.unique(held))
    expected = dense(CountingKernel(1e-3).weigh(QUERY[pillows.numbers]))
    np.testing.assert_allclose(dense(pillows.weigh()), expected, rtol=1e-12)
