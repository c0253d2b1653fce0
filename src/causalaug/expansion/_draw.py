"""Inverse cumulative sums of kernel weights: where along a query's entries a target falls."""

import numpy as np

from causalaug._segments import first_reaching
from causalaug.kernels import RowWeights, WholeRows
from causalaug.typing import FloatArray, IntArray

STRIDE = 32
"""Entries of a whole row that are first added up, so that few cumulative sums are needed."""


def draw_entries(weights: RowWeights, owner: IntArray, target: FloatArray) -> IntArray:
    """Return the entry of each owner at which the running sum of the kernel passes the target.

    `owner` are query numbers, `target` lies between 0 and the total of the owner's kernel.
    """
    if isinstance(weights, WholeRows) and weights.matrix.shape[1] > 2 * STRIDE:
        return _draw_from_whole_rows(weights, owner, target)
    running = np.cumsum(weights.kernel)
    starts, stops = weights.offsets[owner], weights.offsets[owner + 1]
    before = np.where(starts > 0, running[starts - 1], 0.0)
    entries = first_reaching(running, starts, stops, before + target, strictly=True)
    return np.minimum(entries, stops - 1)


def _draw_from_whole_rows(weights: WholeRows, owner: IntArray, target: FloatArray) -> IntArray:
    """Find the stride of entries first, then the entry in it."""
    n_queries, n_rows = weights.matrix.shape
    starts = np.arange(0, n_rows, STRIDE)
    running = np.cumsum(np.add.reduceat(weights.matrix, starts, axis=1), axis=1)
    n_strides = len(starts)
    flat = running.ravel()
    first = owner * n_strides
    found = first_reaching(flat, first, first + n_strides - 1, target, strictly=True)
    stride = found - first
    target = target - np.where(stride > 0, flat[found - 1], 0.0)
    column = np.minimum(starts[stride][:, np.newaxis] + np.arange(STRIDE), n_rows - 1)
    entry = owner[:, np.newaxis] * n_rows + column
    inside = np.cumsum(weights.kernel[entry], axis=1)
    position = (inside <= target[:, np.newaxis]).sum(axis=1)
    size = np.minimum(STRIDE, n_rows - starts[stride])
    entries: IntArray = owner * n_rows + starts[stride] + np.minimum(position, size - 1)
    return entries
