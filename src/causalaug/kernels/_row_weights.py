"""The values that a product kernel returns: weighted rows for each query.

Two forms share their verbs: `ListedRows` names the rows of each query, in logarithms, as
exact as a double allows; `WholeRows` holds a matrix of all rows, where entries too small to
matter may have become zero. `merged` turns weights of rows into weights of groups of rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from causalaug._segments import (
    concatenated_ranges,
    lengths_of,
    offsets_of,
    run_offsets,
    segment_reduce,
)
from causalaug.typing import FloatArray, IntArray

SMALLEST_POSITIVE = np.nextafter(0.0, 1.0)

SMALLEST_LOG = -700.0
"""Below it ``exp`` is slow, and too small to matter in a sum with 1."""


def exp_or_zero(log_kernel: FloatArray) -> FloatArray:
    """Return the exponential, 0 where it would be too small to matter in a sum with 1."""
    if log_kernel.min(initial=0.0) >= SMALLEST_LOG:
        return np.exp(log_kernel)
    kernel: FloatArray = np.exp(np.maximum(log_kernel, SMALLEST_LOG))
    kernel[log_kernel < SMALLEST_LOG] = 0.0
    return kernel


@dataclass(frozen=True, eq=False)
class RowGroups:
    """A partition of the rows: the number of each row's group, and the rows group by group."""

    group_of_row: IntArray
    n_groups: int

    @cached_property
    def order(self) -> IntArray:
        """The rows, group after group."""
        return np.argsort(self.group_of_row, kind="stable")

    @cached_property
    def sizes(self) -> IntArray:
        """Number of rows of each group."""
        return np.bincount(self.group_of_row, minlength=self.n_groups)

    @property
    def is_trivial(self) -> bool:
        """Whether every row is a group of its own."""
        return self.n_groups == len(self.group_of_row)


@dataclass(frozen=True, eq=False)
class Heaviest:
    """The entries that passed a floor: query, row (or group) and log-weight of each."""

    owner: IntArray
    rows: IntArray
    log_weights: FloatArray


@dataclass(frozen=True, eq=False)
class ListedRows:
    """Some rows of each query, end to end; all others weigh nothing that matters.

    Parameters
    ----------
    offsets : int array of shape (n_queries + 1,)
        Query `k` owns the entries from ``offsets[k]`` to ``offsets[k + 1]``. It owns none
        where the kernel vanishes on every row.
    rows : int array of shape (n_entries,)
        Row numbers.
    log_kernel : float array of shape (n_entries,)
        Logarithms of the kernel, relative to about the largest of the query, so that
        ``exp`` of them is safe.
    """

    offsets: IntArray
    rows: IntArray
    log_kernel: FloatArray

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.offsets) - 1

    @cached_property
    def counts(self) -> IntArray:
        """Number of entries of each query."""
        return lengths_of(self.offsets)

    @cached_property
    def kernel(self) -> FloatArray:
        """The kernel of each entry."""
        return exp_or_zero(self.log_kernel)

    @cached_property
    def totals(self) -> FloatArray:
        """The sum of each query's kernel, 0 where there is no entry."""
        return segment_reduce(np.add, self.kernel, self.offsets, empty=0.0)

    @cached_property
    def log_weights(self) -> FloatArray:
        """Logarithms of the weights; the weights of each query sum to one."""
        with np.errstate(divide="ignore"):
            log_totals = np.log(self.totals)
        log_weights: FloatArray = self.log_kernel - np.repeat(log_totals, self.counts)
        return log_weights

    @property
    def largest(self) -> FloatArray:
        """The largest kernel of each query, 0 where there is no entry."""
        return segment_reduce(np.maximum, self.kernel, self.offsets, empty=0.0)

    @classmethod
    def joined(cls, blocks: Sequence["ListedRows"]) -> "ListedRows":
        """Return the queries of all blocks, one after the other."""
        counts = np.concatenate([block.counts for block in blocks])
        rows = np.concatenate([block.rows for block in blocks])
        return cls(offsets_of(counts), rows, np.concatenate([b.log_kernel for b in blocks]))

    def at(self, queries: IntArray) -> "ListedRows":
        """Return some of the queries, given by ascending number; neighbours are not copied."""
        first, last = int(queries[0]), int(queries[-1])
        if last - first + 1 == len(queries):
            begin, end = self.offsets[first], self.offsets[last + 1]
            offsets = self.offsets[first : last + 2] - begin
            return ListedRows(offsets, self.rows[begin:end], self.log_kernel[begin:end])
        counts = self.counts[queries]
        entries = concatenated_ranges(self.offsets[queries], counts)
        return ListedRows(offsets_of(counts), self.rows[entries], self.log_kernel[entries])

    def rows_at(self, entries: IntArray) -> IntArray:
        """Return the row numbers of some entries."""
        return self.rows[entries]

    def log_weights_at(self, entries: IntArray, owner: IntArray) -> FloatArray:
        """Return the log-weights of some entries, given the queries that own them."""
        return self.log_weights[entries]

    def heaviest(self, log_floor: FloatArray) -> Heaviest:
        """Return the entries whose log-weight is at least the floor of their query."""
        owner = np.repeat(np.arange(self.n_queries), self.counts)
        keep = np.flatnonzero(self.log_weights >= log_floor[owner])
        return Heaviest(owner[keep], self.rows[keep], self.log_weights[keep])

    def times(self, masses: FloatArray) -> FloatArray:
        """Return the weight of each entry, times the mass of its query."""
        totals = np.where(self.totals > 0.0, self.totals, 1.0)
        return self.kernel * np.repeat(masses / totals, self.counts)

    def merged(self, groups: RowGroups) -> "ListedRows":
        """Add up the entries of each query whose rows lie in the same group.

        Sums are taken relative to the heaviest entry of each group, so that a group of
        very small weights does not underflow.
        """
        owner = np.repeat(np.arange(self.n_queries), self.counts)
        key = owner * groups.n_groups + groups.group_of_row[self.rows]
        order = np.argsort(key, kind="stable")
        key, log_kernel = key[order], self.log_kernel[order]
        if not len(key):
            return self
        runs = run_offsets(key)
        first = runs[:-1]
        heaviest = np.maximum.reduceat(log_kernel, first)
        relative = np.exp(log_kernel - np.repeat(heaviest, lengths_of(runs)))
        merged = heaviest + np.log(np.add.reduceat(relative, first))
        owner, group = np.divmod(key[first], groups.n_groups)
        return ListedRows(offsets_of(np.bincount(owner, minlength=self.n_queries)), group, merged)


@dataclass(frozen=True, eq=False)
class WholeRows:
    """All rows of each query: a kernel matrix of shape (n_queries, n_rows)."""

    matrix: FloatArray

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.matrix)

    @cached_property
    def offsets(self) -> IntArray:
        """Where the entries of each query start, in the flat matrix."""
        return np.arange(0, self.matrix.size + 1, self.matrix.shape[1])

    @cached_property
    def counts(self) -> IntArray:
        """Number of entries of each query."""
        return np.full(self.n_queries, self.matrix.shape[1])

    @cached_property
    def rows(self) -> IntArray:
        """Row numbers."""
        return np.tile(np.arange(self.matrix.shape[1]), self.n_queries)

    @property
    def kernel(self) -> FloatArray:
        """The kernel of each entry."""
        return self.matrix.ravel()

    @cached_property
    def totals(self) -> FloatArray:
        """The sum of each query's kernel, 0 where it vanishes on every row."""
        totals: FloatArray = np.einsum("ij->i", self.matrix)
        return totals

    @cached_property
    def log_weights(self) -> FloatArray:
        """Logarithms of the weights; the weights of each query sum to one."""
        totals = np.where(self.totals > 0.0, self.totals, 1.0)
        with np.errstate(divide="ignore"):
            log_weights: FloatArray = np.log(self.matrix / totals[:, np.newaxis])
        return log_weights.ravel()

    @property
    def largest(self) -> FloatArray:
        """The largest kernel of each query."""
        largest: FloatArray = self.matrix.max(axis=1)
        return largest

    def rows_at(self, entries: IntArray) -> IntArray:
        """Return the row numbers of some entries."""
        rows: IntArray = entries % self.matrix.shape[1]
        return rows

    def log_weights_at(self, entries: IntArray, owner: IntArray) -> FloatArray:
        """Return the log-weights of some entries, given the queries that own them."""
        with np.errstate(divide="ignore"):
            log_weights: FloatArray = np.log(self.kernel[entries] / self.totals[owner])
        return log_weights

    def heaviest(self, log_floor: FloatArray) -> Heaviest:
        """Return the entries whose log-weight is at least the floor of their query."""
        least = np.exp(np.clip(log_floor, SMALLEST_LOG, 1.0)) * self.totals
        least = np.maximum(least, SMALLEST_POSITIVE)
        entries = np.flatnonzero(self.matrix >= least[:, np.newaxis])
        owner, rows = np.divmod(entries, self.matrix.shape[1])
        return Heaviest(owner, rows, self.log_weights_at(entries, owner))

    def times(self, masses: FloatArray) -> FloatArray:
        """Return the weight of each entry, times the mass of its query."""
        totals = np.where(self.totals > 0.0, self.totals, 1.0)
        weights: FloatArray = self.matrix * (masses / totals)[:, np.newaxis]
        return weights.ravel()

    def merged(self, groups: RowGroups) -> "WholeRows":
        """Add up the rows of each group."""
        starts = offsets_of(groups.sizes)[:-1]
        return WholeRows(np.add.reduceat(self.matrix[:, groups.order], starts, axis=1))


RowWeights: TypeAlias = ListedRows | WholeRows
