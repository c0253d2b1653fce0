"""Ragged arrays: many short lists laid end to end, and the grouping of flat arrays.

List `k` of a ragged array is ``flat[offsets[k]:offsets[k + 1]]``. All functions are vectorised
over the lists; none loops over them in Python. One type, `Ragged`, holds weighted entries owner
by owner, whatever they are: the observed rows of a pillow tuple, the choices of a level, the
children of a path. `Dense` is the same where every owner holds every entry.

>>> import numpy as np
>>> weights = Ragged.normalised(np.array([0, 2, 3]), np.array([4, 7, 7]), np.log([3.0, 1.0, 5.0]))
>>> [(int(k), int(i), round(float(w), 9)) for k, i, w in
...  zip(weights.owner, weights.index, weights.weight)]
[(0, 4, 0.75), (0, 7, 0.25), (1, 7, 1.0)]
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from causalaug.typing import BoolArray, FloatArray, IntArray

# The constants below change how long something takes, never the result. Each was chosen by
# `make bench` (the rows "low threshold" and "rows per second"); a factor of four either way costs
# a few per cent.

LARGEST_KEY = 1 << 62
"""Keys that would not stay below it are replaced by their ranks, so that none overflows."""

FEW_KEYS = 1 << 11
"""So few keys are sorted at once, more of them by two digits, one after the other. Without digits,
100,000 rows of narrow kernels take a fifth longer."""

FEW_RUNS = 8
"""So few ascending runs are merged by a stable sort faster than anything is sorted."""

CHUNK = 1 << 15
"""Lists searched at a time: small enough for the processor's cache."""

SMALLEST_LOG = -700.0
"""Below it ``exp`` is slow, and too small to matter in a sum with 1."""


def offsets_of(counts: IntArray | BoolArray) -> IntArray:
    """Return the boundaries of lists with the given lengths, from 0 to their sum."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def lengths_of(offsets: IntArray) -> IntArray:
    """Return the lengths of lists with the given boundaries."""
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


def owned_ranges(starts: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return ``start, ..., start + count - 1`` of each pair, end to end, after their owners.

    >>> owned_ranges(np.array([5, 0]), np.array([2, 3]))
    (array([0, 0, 1, 1, 1]), array([5, 6, 0, 1, 2]))
    """
    offsets = offsets_of(counts)
    owner: IntArray = np.repeat(np.arange(len(counts)), counts)
    flat: IntArray = (starts - offsets[:-1]).take(owner)
    flat += np.arange(offsets[-1])
    return owner, flat


def concatenated_ranges(starts: IntArray, counts: IntArray) -> IntArray:
    """Return ``start, ..., start + count - 1`` of each pair, end to end.

    >>> concatenated_ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    return owned_ranges(starts, counts)[1]


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


def first_below(
    values: FloatArray, starts: IntArray, stops: IntArray, floor: FloatArray
) -> IntArray:
    """Return, per list sorted in descending order, the first position below its floor.

    List `k` is ``values[starts[k]:stops[k]]``; where nothing is below, the answer is
    ``stops[k]``. One binary search runs for all lists at once.

    >>> first_below(np.array([9.0, 5.0, 1.0, 4.0]), np.array([0, 3]), np.array([3, 4]),
    ...             floor=np.array([5.0, 6.0]))
    array([2, 3])
    """
    return _search(values, starts, stops, np.greater_equal, floor)


def first_reaching(
    values: FloatArray, starts: IntArray, stops: IntArray, target: FloatArray, *, strictly: bool
) -> IntArray:
    """Return, per list sorted in ascending order, the first position at or past its target.

    With `strictly` the first position past it. List `k` is ``values[starts[k]:stops[k]]``.
    """
    is_before = np.less_equal if strictly else np.less
    return _search(values, starts, stops, is_before, target)


def _search(
    values: FloatArray, starts: IntArray, stops: IntArray, is_before: np.ufunc, bound: FloatArray
) -> IntArray:
    """Return the first position of each list whose value is not before the bound."""
    found = stops.astype(np.int64)
    # Very often all values are before the bound, and there is nothing to search for.
    filled = np.flatnonzero(stops > starts)
    searched = filled[~is_before(values.take(stops[filled] - 1), bound[filled])]
    for begin in range(0, len(searched), CHUNK):
        part = searched[begin : begin + CHUNK]
        low, high, wanted = starts[part], stops[part] - 1, bound[part]
        for _ in range(int((high - low).max(initial=0)).bit_length()):
            middle = (low + high) >> 1
            goes_right = is_before(values.take(middle), wanted) & (low < high)
            low, high = np.where(goes_right, middle + 1, low), np.where(goes_right, high, middle)
        found[part] = low
    return found


def find_places(
    running: FloatArray, starts: IntArray, stops: IntArray, place: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return the position at a place in the sum of each list, and how far into it the place is.

    The running sums go on from one list to the next.
    """
    before = np.where(starts > 0, running[starts - 1], 0.0)
    total = running[stops - 1]
    target = before + place * (total - before)
    # Where rounding reached the total, the number just below it.
    np.minimum(target, np.nextafter(total, -np.inf), out=target)
    found = np.searchsorted(running, target, side="right")
    return found, target - np.where(found > 0, running[found - 1], 0.0)


def segment_reduce(
    ufunc: np.ufunc, flat: FloatArray, offsets: IntArray, empty: float
) -> FloatArray:
    """Reduce each list with `ufunc`; an empty one gives `empty`.

    >>> segment_reduce(np.maximum, np.array([3.0, 1.0, 7.0]), np.array([0, 2, 2, 3]), -1.0)
    array([ 3., -1.,  7.])
    """
    reduced = np.full(len(offsets) - 1, empty)
    filled = offsets[1:] > offsets[:-1]
    if filled.any():
        reduced[filled] = ufunc.reduceat(flat, offsets[:-1][filled])
    return reduced


def largest_of_each(number: IntArray, values: FloatArray, length: int) -> FloatArray:
    """Return the largest value of each number, -inf where there is none."""
    largest = np.full(length, -np.inf)
    np.maximum.at(largest, number, values)
    return largest


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

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.offsets) - 1

    @property
    def is_trivial(self) -> bool:
        """Whether every position is a group of its own."""
        return self.n_groups == len(self.ranks)


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
    if length > FEW_KEYS and bound <= 1 << 32:
        # Two digits of 16 bits, one after the other: NumPy sorts those in linear time.
        order = np.argsort(key.astype(np.uint16), kind="stable")
        if bound > 1 << 16:
            order = order[np.argsort((key >> 16).astype(np.uint16)[order], kind="stable")]
        return order
    if bound << n_bits > LARGEST_KEY:
        return np.argsort(key, kind="stable")
    # Key and position in one number: sorting numbers is faster than sorting positions by key.
    packed = (key.astype(np.int64) << n_bits) | np.arange(length)
    packed.sort()
    packed &= (1 << n_bits) - 1
    return packed


def descending_order(owner: IntArray, values: FloatArray) -> IntArray:
    """Return the order that sorts each owner's values, largest first, ties as they stand.

    The owners must be ascending. A complex number sorts by its real part, then by its imaginary
    one: that is twice as fast as two sorts, one after the other, and more if lists are short.

    >>> descending_order(np.array([0, 0, 4, 7, 7]), np.array([1.0, 2.0, 9.0, 5.0, 5.0]))
    array([1, 0, 2, 3, 4])
    """
    key = np.empty(len(values), dtype=complex)
    key.real, key.imag = owner, -values
    return np.argsort(key, kind="stable")


def exp_or_zero(log_weight: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Return the exponential, 0 where it would be too small to matter in a sum with 1.

    It may be written to `out`, the logarithms themselves if they are no longer needed.
    """
    if log_weight.min(initial=0.0) >= SMALLEST_LOG:
        return np.exp(log_weight, out=out)
    weight: FloatArray = np.maximum(log_weight, SMALLEST_LOG)
    np.exp(weight, out=weight)
    np.copyto(weight, 0.0, where=log_weight < SMALLEST_LOG)
    return weight


@dataclass(frozen=True, eq=False)
class Ragged:
    """Weighted entries, owner by owner, in logarithms as exact as a double allows.

    Parameters
    ----------
    offsets : int array of shape (n_owners + 1,)
        Owner `k` holds the entries from ``offsets[k]`` to ``offsets[k + 1]``, or none.
    index : int array of shape (n_entries,)
        What each entry is: the number of a row or of a choice.
    log_weight : float array of shape (n_entries,)
        The logarithm of its weight.
    """

    offsets: IntArray
    index: IntArray
    log_weight: FloatArray

    @classmethod
    def normalised(cls, offsets: IntArray, index: IntArray, log_kernel: FloatArray) -> "Ragged":
        """Return the entries with weights that sum to one for each owner that has any.

        The logarithms must be relative to about the largest of their owner.
        """
        kernel = exp_or_zero(log_kernel)
        totals = segment_reduce(np.add, kernel, offsets, empty=1.0)
        counts = lengths_of(offsets)
        ragged = cls(offsets, index, log_kernel - np.repeat(np.log(totals), counts))
        kernel *= np.repeat(1.0 / totals, counts)
        # The exponentials are at hand: fill the cache of `weight` instead of taking them twice.
        vars(ragged)["weight"] = kernel
        return ragged

    @classmethod
    def of_owners(
        cls, owner: IntArray, index: IntArray, log_weight: FloatArray, n_owners: int
    ) -> "Ragged":
        """Return the entries of the named owners, which may come in any order."""
        if (owner[1:] < owner[:-1]).any():
            order = group_by_key(owner, n_owners).order
            owner, index, log_weight = owner[order], index[order], log_weight[order]
        counts = np.bincount(owner, minlength=n_owners)
        ragged = cls(offsets_of(counts), index, log_weight)
        vars(ragged)["owner"] = owner
        return ragged

    @classmethod
    def joined(cls, parts: Sequence["Ragged"]) -> "Ragged":
        """Return the owners of all parts, one after the other."""
        counts = np.concatenate([np.empty(0, np.int64), *(part.counts for part in parts)])
        index = np.concatenate([np.empty(0, np.int32), *(part.index for part in parts)])
        logs = np.concatenate([np.empty(0), *(part.log_weight for part in parts)])
        return cls(offsets_of(counts), index, logs)

    @property
    def n_owners(self) -> int:
        """Number of owners."""
        return len(self.offsets) - 1

    @property
    def n_entries(self) -> int:
        """Number of entries of all owners."""
        return len(self.index)

    @cached_property
    def counts(self) -> IntArray:
        """Number of entries of each owner."""
        return lengths_of(self.offsets)

    @cached_property
    def owner(self) -> IntArray:
        """The owner of each entry."""
        return np.repeat(np.arange(self.n_owners), self.counts)

    @cached_property
    def weight(self) -> FloatArray:
        """The weight of each entry, 0 where it is too small to matter beside 1."""
        return exp_or_zero(self.log_weight)

    @property
    def is_alive(self) -> BoolArray:
        """Whether each owner has any entry."""
        return self.counts > 0

    def index_at(self, entries: IntArray) -> IntArray:
        """Return what some entries are."""
        return self.index[entries]

    def log_weight_at(self, entries: IntArray) -> FloatArray:
        """Return the log-weights of some entries."""
        return self.log_weight[entries]

    def best(self, credit: FloatArray) -> FloatArray:
        """Return the largest log-weight of each owner, each with the credit of its index."""
        credited = self.log_weight + credit[self.index]
        return segment_reduce(np.maximum, credited, self.offsets, empty=-np.inf)

    def at(self, entries: IntArray) -> "Ragged":
        """Return some of the entries, given in ascending order; owners may end up with none."""
        offsets = np.searchsorted(entries, self.offsets)
        return Ragged(offsets, self.index[entries], self.log_weight[entries])

    def of(self, start: int, stop: int) -> "Ragged":
        """Return the entries of consecutive owners."""
        begin, end = self.offsets[start], self.offsets[stop]
        offsets = self.offsets[start : stop + 1] - begin
        return Ragged(offsets, self.index[begin:end], self.log_weight[begin:end])

    def at_least(self, log_floor: FloatArray) -> "Ragged":
        """Return the entries whose log-weight is at least the floor of their owner."""
        return self.at(np.flatnonzero(self.log_weight >= log_floor[self.owner]))

    def heaviest_first(self) -> "Ragged":
        """Return the entries of each owner in descending order of weight."""
        order = descending_order(self.owner, self.log_weight)
        return Ragged(self.offsets, self.index[order].astype(np.int32), self.log_weight[order])

    def merged(self, groups: Groups) -> "Ragged":
        """Add up the entries of each owner whose index lies in the same group.

        Sums are taken relative to the heaviest entry of each group, so that a group of
        very small weights does not underflow.
        """
        if not self.n_entries:
            return self
        key = self.owner * groups.n_groups + groups.ranks[self.index]
        order = np.argsort(key, kind="stable")
        key, logs = key[order], self.log_weight[order]
        runs = run_offsets(key)
        heaviest = np.maximum.reduceat(logs, runs[:-1])
        relative = np.exp(logs - np.repeat(heaviest, lengths_of(runs)))
        logs = heaviest + np.log(np.add.reduceat(relative, runs[:-1]))
        owner, group = np.divmod(key[runs[:-1]], groups.n_groups)
        return Ragged.of_owners(owner, group, logs, self.n_owners)


@dataclass(frozen=True, eq=False)
class Dense:
    """The weights of all entries of each owner, where most of them matter.

    It has the verbs of `Ragged`; entry `e` is entry ``e % n`` of owner ``e // n``. Weights too
    small to matter beside 1 may have become zero.

    Parameters
    ----------
    matrix : float array of shape (n_owners, n)
        The weights; each row sums to one, or is zero throughout.
    is_alive : bool array of shape (n_owners,)
        Whether a row is not zero throughout.
    """

    matrix: FloatArray
    is_alive: BoolArray

    @classmethod
    def normalised(cls, kernel: FloatArray) -> "Dense":
        """Divide each row by its sum, in place."""
        totals: FloatArray = np.einsum("ij->i", kernel)
        is_alive = totals > 0.0
        kernel *= (1.0 / np.where(is_alive, totals, 1.0))[:, np.newaxis]
        return cls(kernel, is_alive)

    @property
    def n_owners(self) -> int:
        """Number of owners."""
        return len(self.matrix)

    @property
    def n_entries(self) -> int:
        """Number of entries of all owners."""
        return self.matrix.size

    @property
    def offsets(self) -> IntArray:
        """Where the entries of each owner start."""
        return np.arange(0, self.matrix.size + 1, self.matrix.shape[1])

    @property
    def counts(self) -> IntArray:
        """Number of entries of each owner."""
        return np.full(self.n_owners, self.matrix.shape[1])

    @property
    def weight(self) -> FloatArray:
        """The weight of each entry."""
        return self.matrix.ravel()

    def index_at(self, entries: IntArray) -> IntArray:
        """Return what some entries are."""
        index: IntArray = entries % self.matrix.shape[1]
        return index

    def log_weight_at(self, entries: IntArray) -> FloatArray:
        """Return the log-weights of some entries."""
        with np.errstate(divide="ignore"):
            return np.log(self.weight[entries])

    def best(self, credit: FloatArray) -> FloatArray:
        """Return the largest log-weight of each owner, each with the credit of its index."""
        largest: FloatArray = (self.matrix * np.exp(credit)).max(axis=1)
        with np.errstate(divide="ignore"):
            return np.log(largest)

    def of(self, start: int, stop: int) -> "Dense":
        """Return the entries of consecutive owners."""
        return Dense(self.matrix[start:stop], self.is_alive[start:stop])

    def at_least(self, log_floor: FloatArray) -> Ragged:
        """Return the entries, not zero, whose log-weight is at least the floor of their owner."""
        least = np.maximum(np.exp(np.clip(log_floor, SMALLEST_LOG, 1.0)), np.nextafter(0.0, 1.0))
        entries = np.flatnonzero(self.matrix >= least[:, np.newaxis])
        owner, index = np.divmod(entries, self.matrix.shape[1])
        return Ragged.of_owners(owner, index, self.log_weight_at(entries), self.n_owners)

    def merged(self, groups: Groups) -> "Dense":
        """Add up the entries of each group."""
        sums = np.add.reduceat(self.matrix[:, groups.order], groups.offsets[:-1], axis=1)
        return Dense(sums, self.is_alive)


RowWeights: TypeAlias = Ragged | Dense
"""The weights of the observed rows given some pillow tuples, each an owner."""
