"""Inverse cumulative sums of kernel weights: where along a query's entries a share falls."""

import numpy as np

from causalaug._segments import first_reaching
from causalaug.kernels import ListedRows, RowWeights, WholeRows
from causalaug.typing import FloatArray, IntArray

STRIDE = 32
"""Entries of a whole row that are first added up, so that few cumulative sums are needed."""


def spread_draws(
    masses: FloatArray, n_draws: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Return points spread over some owners: whose each is, and its offset in their mass.

    Every point stands for the same mass `c`, so an owner of mass `m` gets ``m / c`` points,
    rounded down or up so that there are `n_draws` in all, by one systematic draw. Points of
    one owner are `c` apart. Where its first point lies is drawn for each owner on its own,
    given their number: over all draws it is uniform, so any part of its mass that is
    lighter than `c` is hit with a probability in proportion, and never twice.
    """
    running = np.cumsum(masses)
    spacing = running[-1] / n_draws
    positions = (np.arange(n_draws) + rng.random()) * spacing
    last = int(np.flatnonzero(masses)[-1])
    owner = np.minimum(np.searchsorted(running, positions, side="right"), last)
    owners, first, counts = np.unique(owner, return_index=True, return_counts=True)
    earliest = np.maximum(masses[owners] - counts * spacing, 0.0)
    latest = np.minimum(masses[owners] - (counts - 1) * spacing, spacing)
    phase = earliest + rng.random(len(owners)) * np.maximum(latest - earliest, 0.0)
    number = np.arange(n_draws) - np.repeat(first, counts)
    offset = np.repeat(phase, counts) + number * spacing
    return owner, np.clip(offset, 0.0, masses[owner])


def draw_entries(weights: RowWeights, owner: IntArray, share: FloatArray) -> IntArray:
    """Return the entry of each owner at which a share of its weight is used up.

    `owner` are query numbers with at least one entry, `share` lies in ``[0, 1)``. An entry
    of zero weight is never returned.
    """
    if isinstance(weights, WholeRows):
        return _draw_from_whole_rows(weights, owner, share)
    return _draw_from_listed_rows(weights, owner, share)


def _draw_from_listed_rows(weights: ListedRows, owner: IntArray, share: FloatArray) -> IntArray:
    running = np.concatenate([[0.0], np.cumsum(weights.kernel)])
    starts, stops = weights.offsets[owner], weights.offsets[owner + 1]
    target = _below(running[starts] + share * (running[stops] - running[starts]), running[stops])
    return first_reaching(running[1:], starts, stops, target, strictly=True)


def _draw_from_whole_rows(weights: WholeRows, owner: IntArray, share: FloatArray) -> IntArray:
    """Find the stride of entries first, then the entry in it."""
    n_rows = weights.matrix.shape[1]
    begins = np.arange(0, n_rows, STRIDE)
    running = np.cumsum(np.add.reduceat(weights.matrix, begins, axis=1), axis=1)
    last = len(begins) - 1
    target = _below(share * running[owner, last], running[owner, last])
    flat, first = running.ravel(), owner * len(begins)
    found = first_reaching(flat, first, first + last, target, strictly=True)
    stride = found - first
    target -= np.where(stride > 0, flat[found - 1], 0.0)
    column = begins[stride][:, np.newaxis] + np.arange(STRIDE)
    inside = weights.matrix[owner[:, np.newaxis], np.minimum(column, n_rows - 1)]
    inside[column >= n_rows] = 0.0
    np.cumsum(inside, axis=1, out=inside)
    target = _below(target, inside[:, -1])
    position = (inside <= target[:, np.newaxis]).sum(axis=1)
    entries: IntArray = owner * n_rows + begins[stride] + position
    return entries


def _below(target: FloatArray, total: FloatArray) -> FloatArray:
    """Return the target, or the number just below the total where rounding reached it."""
    return np.minimum(target, np.nextafter(total, -np.inf))
