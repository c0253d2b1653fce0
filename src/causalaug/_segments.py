"""Arithmetic on ragged arrays: many short segments laid end to end in one flat array.

A ragged array is ``(offsets, flat)``: segment `k` is ``flat[offsets[k]:offsets[k + 1]]``.
All functions here are vectorised over segments; none loops over them in Python.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from causalaug.typing import BoolArray, FloatArray, IntArray

LARGEST_LOOKUP = 1 << 20
"""Keys below this bound are ranked by a lookup table, larger ones by sorting."""

LARGEST_SHARE = 8
"""Neither are keys looked up in a table that is so many times as long as they are many."""

LARGEST_KEY = 1 << 62
"""Keys that would not stay below it are replaced by their ranks."""

FEW = 1 << 10
"""So few values are sorted faster than some of them are found not to need it."""

FEW_KEYS = 1 << 11
"""So few keys are sorted at once, more of them by two digits, one after the other."""

FEW_RUNS = 8
"""So few ascending runs are merged faster than anything is sorted."""

DIGIT = 16
"""Bits of a digit: NumPy sorts numbers of so many bits in linear time."""

CHUNK = 1 << 15
"""Segments searched at a time: small enough for the processor's cache."""


def offsets_of(counts: IntArray) -> IntArray:
    """Return the boundaries of segments with the given lengths, from 0 to their sum."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def lengths_of(offsets: IntArray) -> IntArray:
    """Return the lengths of segments with the given boundaries."""
    lengths: IntArray = offsets[1:] - offsets[:-1]
    return lengths


def run_offsets(sorted_keys: IntArray) -> IntArray:
    """Return the boundaries of the runs of equal keys.

    >>> run_offsets(np.array([2, 2, 7]))
    array([0, 2, 3])
    """
    is_start = np.ones(len(sorted_keys) + 1, dtype=bool)
    np.not_equal(sorted_keys[1:], sorted_keys[:-1], out=is_start[1:-1])
    return np.flatnonzero(is_start) if len(sorted_keys) else np.zeros(1, dtype=np.int64)


def concatenated_ranges(starts: IntArray, counts: IntArray) -> IntArray:
    """Return ``start, start + 1, ..., start + count - 1`` for each pair, end to end.

    >>> concatenated_ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    offsets = offsets_of(counts)
    flat: IntArray = np.repeat(starts - offsets[:-1], counts)
    flat += np.arange(offsets[-1])
    return flat


def owned_ranges(starts: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return concatenated ranges, and before them the number of the range of each entry.

    >>> owned_ranges(np.array([5, 0]), np.array([2, 3]))
    (array([0, 0, 1, 1, 1]), array([5, 6, 0, 1, 2]))
    """
    offsets = offsets_of(counts)
    owner: IntArray = np.repeat(np.arange(len(counts)), counts)
    flat: IntArray = (starts - offsets[:-1]).take(owner)
    flat += np.arange(offsets[-1])
    return owner, flat


def blocks_by_size(counts: IntArray, limit: int) -> Iterator[slice]:
    """Cut ``0..len(counts)`` into slices whose counts add up to at most `limit`.

    A single count above the limit gets a slice of its own.

    >>> list(blocks_by_size(np.array([2, 2, 9, 1]), limit=4))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    ends = np.cumsum(counts)
    start, done = 0, 0
    while start < len(counts):
        stop = int(np.searchsorted(ends, done + limit, side="right"))
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start, done = stop, int(ends[stop - 1])


def even_blocks(counts: IntArray, limit: int) -> Iterator[slice]:
    """Cut as `blocks_by_size` does, but without a small remainder at the end.

    >>> list(even_blocks(np.array([1, 1, 1, 1, 1]), limit=4))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    total = int(counts.sum())
    n_blocks = -(-total // limit)
    if n_blocks > 1:
        yield from blocks_by_size(counts, -(-total // n_blocks))
    else:
        yield slice(0, len(counts))


def first_below(
    values: FloatArray, starts: IntArray, stops: IntArray, floor: FloatArray
) -> IntArray:
    """Return, per segment sorted in descending order, the first position below its floor.

    Segment `k` is ``values[starts[k]:stops[k]]``; where nothing is below, the answer is
    ``stops[k]``. One binary search runs for all segments at once.

    >>> first_below(np.array([9.0, 5.0, 1.0, 4.0]), np.array([0, 3]), np.array([3, 4]),
    ...             floor=np.array([5.0, 6.0]))
    array([2, 3])
    """
    found = np.empty(len(starts), dtype=np.int64)
    for begin in range(0, len(starts), CHUNK):
        part = slice(begin, begin + CHUNK)
        found[part] = _first_below(values, starts[part], stops[part], floor[part])
    return found


def _first_below(values: FloatArray, low: IntArray, high: IntArray, floor: FloatArray) -> IntArray:
    """Search the segments where neither end is the answer; very often one of them is."""
    if not len(values):
        return low.astype(np.int64)
    filled = low < high
    none_below = filled & (values.take(high - 1, mode="clip") >= floor)
    found: IntArray = np.where(none_below, high, low).astype(np.int64)
    some_above = filled & (values.take(low, mode="clip") >= floor)
    within = np.flatnonzero(some_above & ~none_below)
    if within.size:
        found[within] = _bisect_below(values, low[within] + 1, high[within] - 1, floor[within])
    return found


def _bisect_below(values: FloatArray, low: IntArray, high: IntArray, floor: FloatArray) -> IntArray:
    last = len(values) - 1
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        goes_right = (values[np.minimum(middle, last)] >= floor) & (low < high)
        low = np.where(goes_right, middle + 1, low)
        high = np.where(goes_right, high, middle)
    return low


def first_reaching(
    values: FloatArray, starts: IntArray, stops: IntArray, target: FloatArray, *, strictly: bool
) -> IntArray:
    """Return, per segment sorted in ascending order, the first position at or past its target.

    With `strictly` the first position past it. Segment `k` is ``values[starts[k]:stops[k]]``.
    """
    found = np.empty(len(starts), dtype=np.int64)
    for begin in range(0, len(starts), CHUNK):
        part = slice(begin, begin + CHUNK)
        found[part] = _bisect_reaching(values, starts[part], stops[part], target[part], strictly)
    return found


def _bisect_reaching(
    values: FloatArray, low: IntArray, high: IntArray, target: FloatArray, strictly: bool
) -> IntArray:
    last = len(values) - 1
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        value = values[np.minimum(middle, last)]
        goes_right = ((value <= target) if strictly else (value < target)) & (low < high)
        low = np.where(goes_right, middle + 1, low)
        high = np.where(goes_right, high, middle)
    return low


def segment_reduce(
    ufunc: np.ufunc, flat: FloatArray, offsets: IntArray, empty: float
) -> FloatArray:
    """Reduce each segment with `ufunc`; an empty segment gives `empty`.

    >>> segment_reduce(np.maximum, np.array([3.0, 1.0, 7.0]), np.array([0, 2, 2, 3]), -1.0)
    array([ 3., -1.,  7.])
    """
    reduced = np.full(len(offsets) - 1, empty)
    filled = offsets[1:] > offsets[:-1]
    if filled.any():
        reduced[filled] = ufunc.reduceat(flat, offsets[:-1][filled])
    return reduced


def keep_in_segments(offsets: IntArray, keep: BoolArray) -> IntArray:
    """Return the offsets of the segments after the flat array was filtered by `keep`."""
    return offsets_of(keep.astype(np.int64))[offsets]


def combine_codes(
    codes: Sequence[IntArray], sizes: Sequence[int], length: int
) -> tuple[IntArray, int]:
    """Fold several code columns into one integer key per row, and a bound on the keys.

    Equal rows get equal keys, different rows different keys. Where the product of the
    sizes would overflow, the key so far is ranked first. No columns give the key 0.
    """
    key: IntArray = np.zeros(length, dtype=np.int64)
    bound = 1
    for column, size in zip(codes, sizes, strict=True):
        if bound * size >= LARGEST_KEY:
            distinct, key = np.unique(key, return_inverse=True)
            bound = len(distinct)
        key = key * size + column
        bound *= size
    return key, bound


@dataclass(frozen=True)
class Groups:
    """Positions grouped by equal keys; groups follow the order of the keys.

    `order` lists the positions group by group, within a group in ascending order; group
    `k` is ``order[offsets[k]:offsets[k + 1]]``; `ranks` names the group of each position.

    >>> groups = group_by_key(np.array([7, 2, 7]), bound=8)
    >>> groups.order, groups.offsets, groups.ranks
    (array([1, 0, 2]), array([0, 1, 3]), array([1, 0, 1]))
    """

    order: IntArray
    offsets: IntArray
    ranks: IntArray

    @property
    def first(self) -> IntArray:
        """One position of each group."""
        return self.order[self.offsets[:-1]]


def group_by_key(key: IntArray, bound: int) -> Groups:
    """Group the positions of equal keys; all keys must be in ``0..bound - 1``."""
    order = _stable_order(key, bound)
    offsets = run_offsets(key[order])
    ranks = np.empty(len(key), dtype=np.int64)
    ranks[order] = np.repeat(np.arange(len(offsets) - 1), lengths_of(offsets))
    return Groups(order, offsets, ranks)


def _stable_order(key: IntArray, bound: int) -> IntArray:
    """Return the order that sorts the keys, positions of equal keys as they stand."""
    length = len(key)
    n_bits = length.bit_length()
    if np.count_nonzero(key[1:] < key[:-1]) < FEW_RUNS:
        return np.argsort(key, kind="stable")
    if length > FEW_KEYS and bound <= 1 << 2 * DIGIT:
        order = np.argsort(key.astype(np.uint16), kind="stable")
        if bound > 1 << DIGIT:
            order = order[np.argsort((key >> DIGIT).astype(np.uint16)[order], kind="stable")]
        return order
    if bound << n_bits > LARGEST_KEY:
        return np.argsort(key, kind="stable")
    packed = (key.astype(np.int64) << n_bits) | np.arange(length)
    packed.sort()
    packed &= (1 << n_bits) - 1
    return packed


def rank_keys(key: IntArray, bound: int) -> tuple[IntArray, IntArray]:
    """Return the rank of each key among the distinct keys, and one position of each rank.

    >>> rank_keys(np.array([7, 2, 7]), bound=8)[0]
    array([1, 0, 1])
    """
    if bound > min(LARGEST_LOOKUP, LARGEST_SHARE * len(key)):
        groups = group_by_key(key, bound)
        return groups.ranks, groups.first
    position = np.full(bound, -1, dtype=np.int64)
    position[key[::-1]] = np.arange(len(key) - 1, -1, -1)
    present = position >= 0
    ranks_of_keys = np.cumsum(present) - 1
    return ranks_of_keys[key], position[present]


def descending_order(owner: IntArray, values: FloatArray) -> IntArray:
    """Return the order that sorts each owner's values, largest first, ties as they stand.

    The owners must be ascending. Where there are many values, those without a rival are not
    sorted at all.

    >>> descending_order(np.array([0, 0, 4, 7, 7]), np.array([1.0, 2.0, 9.0, 5.0, 5.0]))
    array([1, 0, 2, 3, 4])
    """
    if len(owner) <= FEW:
        return np.lexsort([-values, owner])
    order: IntArray = np.arange(len(owner))
    same_as_next = owner[1:] == owner[:-1]
    has_rival = np.zeros(len(owner), dtype=bool)
    has_rival[:-1] = same_as_next
    has_rival[1:] |= same_as_next
    rivals = np.flatnonzero(has_rival)
    by_value = rivals[np.argsort(-values[rivals], kind="stable")]
    groups = group_by_key(owner[by_value], int(owner[-1]) + 1)
    order[rivals] = by_value[groups.order]
    return order
