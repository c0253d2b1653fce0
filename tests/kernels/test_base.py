"""A weigher that only says how near rows are has weights, blocks and draws all the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from causalaug._ragged import Ragged
from causalaug.kernels import RowWeigher, _base


class Table(RowWeigher):
    """Looks the log-kernel up: query `k` is row `k` of a matrix."""

    def __init__(self, matrix):
        self.matrix = matrix
        self.asked = []

    def log_kernel(self, query):
        self.asked.append(len(query))
        return self.matrix[query[:, 0].astype(int)]


log_kernels = st.floats(-800.0, 800.0) | st.sampled_from([0.0, -np.inf])


@st.composite
def tables(draw):
    n_rows = draw(st.integers(1, 6))
    row = st.lists(log_kernels, min_size=n_rows, max_size=n_rows)
    matrix = np.array(draw(st.lists(row, max_size=6)), dtype=float)
    return Table(matrix.reshape(-1, n_rows)), np.arange(len(matrix), dtype=float)[:, np.newaxis]


@given(tables())
def test_weights_are_the_kernel_over_its_sum(problem):
    weigher, query = problem
    found = weigher.log_weights(query)
    with np.errstate(invalid="ignore"):
        totals = logsumexp(weigher.matrix, axis=1, keepdims=True)
        expected = np.where(np.isneginf(totals), -np.inf, weigher.matrix - totals)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    sums = np.exp(found).sum(axis=1)
    np.testing.assert_allclose(sums, (weigher.matrix > -np.inf).any(axis=1), rtol=1e-12)


@given(tables())
def test_a_constant_added_to_the_kernel_changes_nothing(problem):
    weigher, query = problem
    moved = Table(weigher.matrix + np.linspace(-50.0, 50.0, len(query) or 1)[: len(query), None])
    found, expected = moved.log_weights(query), weigher.log_weights(query)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("entries", [1, 7, 1 << 17])
@given(problem=tables())
@settings(max_examples=50)
def test_blocks_hold_the_weights_of_all_queries_in_their_order(entries, problem):
    weigher, query = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_base, "BLOCK_ENTRIES", entries)
        blocks = list(weigher.weigh(query))
    joined = Ragged.joined(blocks)
    expected = weigher.log_weights(query)
    assert joined.n_owners == len(query)
    found = np.full(expected.shape, -np.inf)
    found[joined.owner, joined.index] = joined.log_weight
    np.testing.assert_array_equal(found, expected)
    n_rows = weigher.matrix.shape[1]
    assert max(weigher.asked[:-1], default=0) <= max(1, entries // n_rows)


def test_nothing_is_proposed_and_nothing_promised():
    weigher = Table(np.zeros((1, 3)))
    rows = weigher.propose(np.zeros((1, 1)), np.zeros(4, dtype=int), np.random.default_rng(0))
    assert rows.tolist() == [-1] * 4
    assert weigher.may_vanish
    assert weigher.may_end


def test_what_does_not_say_how_near_rows_are_is_no_weigher():
    with pytest.raises(TypeError, match="log_kernel"):
        RowWeigher()
