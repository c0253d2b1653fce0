"""Equal rows: weights and repetitions of rows mean the same.

A row that is there three times is a row of weight three. What that means depends on whether equal
rows are to be expected. In a table of few levels they are: rows are drawn one by one, and their
number is what counts. Where a column of numbers tells rows apart they are not: a copy says nothing
that its row has not said, and if one of the two is left out, the other tells what it holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from causalaug.table._columns import are_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causalaug.typing import BoolArray, FloatArray, IntArray

    Keys = NDArray[np.uint64]

MOST_REPEATED = 100_000
"""Whole weights repeat rows unless that makes a longer table than this: a table of counts must not
become one of millions of rows."""


def repeated_rows(weights: FloatArray) -> IntArray | None:
    """Return the rows, each as often as its weight says; None if weights stay weights.

    >>> repeated_rows(np.array([1.0, 3.0])), repeated_rows(np.array([1.0, 2.5]))
    (array([0, 1, 1, 1]), None)
    """
    if weights.max() <= 1.0 or weights.sum() > MOST_REPEATED or not are_whole(weights):
        return None
    rows: IntArray = np.repeat(np.arange(len(weights)), weights.astype(np.int64))
    return rows


def column_keys(values: FloatArray) -> Keys:
    """Return a number for each cell, equal where the cells are; a missing cell equals another.

    It is that of the cell's rank among the distinct ones: in which unit a column is measured, and
    from where, says nothing about its rows.
    """
    _, ranks = np.unique(values, return_inverse=True)
    keys: Keys = pd.util.hash_array(ranks.astype(np.uint64))
    return keys


def row_keys(columns: Sequence[Keys], n_rows: int) -> Keys:
    """Return a number for each row that depends on its contents alone, not on where it stands.

    Two rows that differ share a number once in 2^64 pairs. Sorted by it, rows are in an order that
    is as good as drawn at random, and the same however the table was sorted before.

    >>> columns = [column_keys(np.array([1.0, 2.0, 1.0])), column_keys(np.array([5.0, 5.0, 5.0]))]
    >>> keys = row_keys(columns, 3)
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    keys = np.zeros(n_rows, dtype=np.uint64)
    for column in columns:
        # Twice, so that columns that are equal, or swapped, do not cancel each other.
        keys = pd.util.hash_array(pd.util.hash_array(keys) + column)
    return keys


def _with_ranked_levels(values: FloatArray, is_nominal: BoolArray) -> FloatArray:
    """Return the values with the levels of nominal columns numbered by the rows that have them.

    How levels are called, and so the order of their codes, says nothing about the rows. A level is
    known by the other cells of its rows, those of nominal columns by their levels in turn: twice,
    as the levels of one column tell those of another apart. Levels that are alike even then, as in
    a table that is symmetric in them, stay in the order of their codes.

    >>> x = [1.0, 2.0, 3.0]
    >>> _with_ranked_levels(np.column_stack([x, [0, 0, 1]]), np.array([False, True]))[:, 1].tolist()
    [1.0, 1.0, 0.0]
    >>> _with_ranked_levels(np.column_stack([x, [1, 1, 0]]), np.array([False, True]))[:, 1].tolist()
    [1.0, 1.0, 0.0]
    """
    if not is_nominal.any():
        return values
    # Each distinct row once: copies must not tell levels apart, since weights do not.
    exact = row_keys([column_keys(column) for column in values.T], len(values))
    first = np.unique(exact, return_index=True)[1]
    numbers = {
        place: np.unique(values[:, place], return_inverse=True)[1]
        for place in np.flatnonzero(is_nominal).tolist()
    }
    keys = [
        np.zeros(len(values), np.uint64) if flag else column_keys(column)
        for flag, column in zip(is_nominal, values.T, strict=True)
    ]
    of_levels = {}
    for _ in range(2):
        rows = row_keys(keys, len(values))
        for place, number in numbers.items():
            of_levels[place] = np.zeros(number.max(initial=0) + 1, np.uint64)
            # A sum has no order; it may overflow, which is as good as any other number.
            np.add.at(of_levels[place], number[first], rows[first])
        keys = [
            of_levels[place][numbers[place]] if place in numbers else key
            for place, key in enumerate(keys)
        ]
    ranked = values.copy()
    for place, number in numbers.items():
        rank = np.argsort(np.argsort(of_levels[place], kind="stable"), kind="stable")
        ranked[:, place] = rank[number]
    return ranked


@dataclass(frozen=True, eq=False)
class EqualRows:
    """The rows of a table by their contents.

    Parameters
    ----------
    columns : sequence of arrays
        The keys of the cells, column by column.
    weights : array of shape (n_rows,)
        How much each row counts.
    is_continuous : array of bool of shape (n_columns,)
        Which columns hold numbers that may tell rows apart.
    """

    columns: Sequence[Keys]
    weights: FloatArray
    is_continuous: BoolArray

    @classmethod
    def of(cls, values: FloatArray, weights: FloatArray, kinds: Sequence[str]) -> EqualRows:
        """Return the rows of an array, numbers in each column."""
        is_nominal = np.array([kind == "nominal" for kind in kinds], dtype=bool)
        columns = [column_keys(each) for each in _with_ranked_levels(values, is_nominal).T]
        return cls(columns, weights, np.array([kind == "continuous" for kind in kinds]))

    @cached_property
    def keys(self) -> Keys:
        """A number for each row, by its contents."""
        return row_keys(self.columns, len(self.weights))

    @cached_property
    def _distinct(self) -> tuple[IntArray, IntArray]:
        _, first, number = np.unique(self.keys, return_index=True, return_inverse=True)
        return first, number

    @property
    def first(self) -> IntArray:
        """The first row of each distinct one, by contents."""
        return self._distinct[0]

    @property
    def number(self) -> IntArray:
        """The number of each row among the distinct ones."""
        return self._distinct[1]

    @property
    def has_equal(self) -> bool:
        """Whether any two rows are equal."""
        return len(self.first) < len(self.weights)

    @property
    def n_with_equal(self) -> int:
        """The number of rows that have an equal one."""
        return int((np.bincount(self.number)[self.number] > 1).sum())

    @property
    def are_counts(self) -> bool:
        """Whether the weights are numbers of rows, and not all one."""
        return are_whole(self.weights) and float(self.weights.max()) > 1.0

    @cached_property
    def are_copies(self) -> bool:
        """Whether equal rows, as many as weights count, are more than chance would have.

        By chance, two rows that agree in all other columns agree in the finest column of numbers as
        often as two rows that differ elsewhere do. Equal rows are copies if that explains less than
        half of them. Without a column of numbers nothing tells rows apart, and they are chance.
        """
        fine = np.flatnonzero(self.is_continuous).tolist()
        if not fine or not (self.has_equal or self.are_counts):
            return False
        tied = [self._pairs(self.columns[column]) for column in fine]
        column, in_column = fine[int(np.argmin(tied))], min(tied)
        rest = [keys for place, keys in enumerate(self.columns) if place != column]
        in_rest = self._pairs(row_keys(rest, len(self.weights)))
        equal = self._pairs(self.keys)
        elsewhere = self._pairs(np.zeros(len(self.weights), dtype=np.uint64)) - in_rest
        # Where all rows agree elsewhere nothing is known of chance, and all may be.
        chance = in_rest * (in_column - equal) / elsewhere if elsewhere > 0.0 else equal
        return equal > 2.0 * chance

    def _pairs(self, keys: Keys) -> float:
        """Return how many pairs of rows have the same key."""
        counts = self.weights if are_whole(self.weights) else np.ones(len(self.weights))
        _, number = np.unique(keys, return_inverse=True)
        rows = np.bincount(number, counts)
        return float((rows * (rows - 1.0)).sum()) / 2.0

    @property
    def summed_weights(self) -> FloatArray:
        """How much the distinct rows count, by contents."""
        summed: FloatArray = np.bincount(self.number, self.weights).astype(np.float64)
        return summed
