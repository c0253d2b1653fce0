import numpy as np
import pytest

from causalaug.densities._weighed import WeighedRows, effective_rows, row_products
from causalaug.kernels import ColumnKernel, ProductKernel, RowWeigher

PILLOW = np.arange(5.0)[:, np.newaxis]


class Remembering(RowWeigher):
    """A weigher that hands out its own array, as somebody's may."""

    def __init__(self):
        self.table = -np.abs(PILLOW - PILLOW.T)

    def log_kernel(self, query):
        return self.table


def test_rows_without_themselves_share_the_weight():
    weigher, every = Remembering(), np.arange(5)
    found = WeighedRows(weigher, 5).without_own(PILLOW, every)
    expected = np.exp(weigher.log_weights(PILLOW))
    np.fill_diagonal(expected, 0.0)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected)


def test_a_row_far_from_all_others_still_has_them():
    """Their weight is below the normal range of a double, so that its reciprocal would overflow."""
    pillow = np.array([[0.0], [38.1], [38.1], [900.0]])
    rows = WeighedRows(ProductKernel(pillow, [ColumnKernel("gaussian", 1.0)]), 4)
    found = rows.without_own(pillow, np.array([0]))
    np.testing.assert_allclose(found, [[0.0, 0.5, 0.5, 0.0]])


@pytest.mark.parametrize("scale", [1.0, 30.0, 300.0])
def test_sums_without_own_are_those_of_weights_that_sum_to_one(scale):
    """Others may be so far away that their squares vanish, or all of their weight."""
    pillow = np.append(np.random.default_rng(0).normal(size=11), 9.0)[:, np.newaxis]
    rows = WeighedRows(ProductKernel(scale * pillow, [ColumnKernel("gaussian", 1.0)]), 12)
    some = np.arange(12)
    slow = rows.without_own(scale * pillow, some)
    blocks = rows.sums_without_own(scale * pillow, some, 5)
    for start, (weights, total, count) in zip((0, 5, 10), blocks, strict=True):
        own = slow[start : start + 5]
        whole = np.where(total > 0.0, total, 1.0)[:, np.newaxis]
        np.testing.assert_allclose(weights / whole, own, rtol=1e-9, atol=1e-300)
        np.testing.assert_allclose(count, effective_rows(own), rtol=1e-9)


def test_the_products_of_rows_are_sums_of_products():
    left, right = np.random.default_rng(0).normal(size=(2, 4, 7))
    np.testing.assert_allclose(row_products(left, right), (left * right).sum(axis=1))
    assert row_products(left[:0], right[:0]).shape == (0,)


def test_the_array_of_a_weigher_is_not_written_to():
    weigher = Remembering()
    before = weigher.table.copy()
    WeighedRows(weigher, 5).without_own(PILLOW, np.arange(5))
    list(WeighedRows(weigher, 5).sums_without_own(PILLOW, np.arange(5), 5))
    np.testing.assert_array_equal(weigher.table, before)
