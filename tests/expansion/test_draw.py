import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from causalaug.expansion._draw import draw_entries
from causalaug.kernels import ListedRows, WholeRows

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


def same_place(kernel, found, expected):
    """Return whether two entries are equal but for rounding of the running sum."""
    low, high = sorted([found, expected])
    return found == expected or sum(kernel[low + 1 : high]) <= 1e-9 * sum(kernel)


@given(kernels.filter(any), shares)
def test_whole_rows_are_drawn_by_their_running_sum(kernel, share):
    matrix = np.array([kernel[::-1], kernel])
    owner = np.ones(len(share), dtype=np.int64)
    found = draw_entries(WholeRows(matrix), owner, np.array(share)) - len(kernel)
    assert (np.array(kernel)[found] > 0.0).all()
    for entry, each in zip(found, share, strict=True):
        assert same_place(kernel, entry, slow_entry(kernel, each))


@given(kernels.map(lambda kernel: [w for w in kernel if w > 1e-100]).filter(any), shares)
def test_listed_rows_are_drawn_by_their_running_sum(kernel, share):
    log_kernel = np.log([1.0, 1.0, *kernel])
    weights = ListedRows(np.array([0, 2, len(log_kernel)]), np.arange(len(log_kernel)), log_kernel)
    owner = np.ones(len(share), dtype=np.int64)
    found = draw_entries(weights, owner, np.array(share)) - 2
    for entry, each in zip(found, share, strict=True):
        assert same_place(kernel, entry, slow_entry(kernel, each))
