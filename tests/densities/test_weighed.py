import numpy as np

from causalaug.densities._weighed import WeighedRows
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


def test_the_array_of_a_weigher_is_not_written_to():
    weigher = Remembering()
    before = weigher.table.copy()
    WeighedRows(weigher, 5).without_own(PILLOW, np.arange(5))
    np.testing.assert_array_equal(weigher.table, before)
