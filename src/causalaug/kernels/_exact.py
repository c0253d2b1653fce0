"""Columns on which a row must match exactly: they cut the table into groups."""

from collections.abc import Mapping

import numpy as np

from causalaug._segments import offsets_of
from causalaug.typing import FloatArray, IntArray


class ExactMatch:
    """Groups of rows with equal values in some columns, and the group of a new row.

    The columns are matched one after the other, each time by a search in the sorted list
    of what was seen: the group so far and the code of the next value. No key overflows,
    whatever the number of columns. No columns give one group.
    """

    def __init__(self, columns: Mapping[int, FloatArray], n_rows: int) -> None:
        self._known: dict[int, tuple[FloatArray, IntArray]] = {}
        self.groups: IntArray = np.zeros(n_rows, dtype=np.int64)
        for column, reference in columns.items():
            values, codes = np.unique(reference, return_inverse=True)
            key = self.groups * len(values) + codes
            pairs, self.groups = np.unique(key, return_inverse=True)
            self._known[column] = (values, pairs)
        self._offsets = offsets_of(np.bincount(self.groups))

    @property
    def is_trivial(self) -> bool:
        """Whether nothing has to match."""
        return not self._known

    def group_of(self, query: FloatArray) -> IntArray:
        """Return the group that each query row matches, or -1."""
        groups: IntArray = np.zeros(len(query), dtype=np.int64)
        for column, (values, pairs) in self._known.items():
            codes = _position(values, query[:, column])
            known = (groups >= 0) & (codes >= 0)
            groups = np.where(known, _position(pairs, groups * len(values) + codes), -1)
        return groups

    def segments(self, groups: IntArray) -> tuple[IntArray, IntArray]:
        """Return where each group starts and stops among rows sorted by group; -1 is empty."""
        known = groups >= 0
        starts = np.where(known, self._offsets[groups], 0)
        return starts, np.where(known, self._offsets[groups + 1], 0)


def _position(sorted_values: FloatArray | IntArray, wanted: FloatArray | IntArray) -> IntArray:
    """Return the position of each wanted value in a sorted list of distinct ones, or -1."""
    position = np.minimum(np.searchsorted(sorted_values, wanted), len(sorted_values) - 1)
    found: IntArray = np.where(sorted_values[position] == wanted, position, -1)
    return found
