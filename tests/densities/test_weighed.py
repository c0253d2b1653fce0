import numpy as np

from causalaug.densities._weighed import WeighedRows
from causalaug.kernels import RowWeigher

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


def test_the_array_of_a_weigher_is_not_written_to():
    weigher = Remembering()
    before = weigher.table.copy()
    WeighedRows(weigher, 5).without_own(PILLOW, np.arange(5))
    np.testing.assert_array_equal(weigher.table, before)
