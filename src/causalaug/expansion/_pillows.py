"""Paths grouped by pillow tuple, and the rows' weights given each tuple, kept while few."""

from collections.abc import Iterator
from dataclasses import dataclass

from causalaug._segments import Groups, group_by_key
from causalaug.conditionals import RowWeigher
from causalaug.kernels import ListedRows, RowWeights
from causalaug.typing import FloatArray, IntArray

LARGEST_KEPT = 1 << 21
"""Entries of kernel weights that are kept for the next variable of equal pillow."""

AT_A_TIME = 1 << 16
"""Tuples whose kept weights are handed over at a time."""


class PillowWeights:
    """Weights of the rows given each of some pillow tuples.

    Parameters
    ----------
    weigher : RowWeigher
        Weighs the rows.
    query : float array of shape (n_tuples, n_columns)
        The tuples.
    keep : bool, default=False
        Whether the weights will be asked for again. Then those of all tuples are kept, once
        most of them are wanted, unless they are too many.
    """

    def __init__(self, weigher: RowWeigher, query: FloatArray, *, keep: bool = False) -> None:
        self.weigher = weigher
        self.query = query
        self._keep = keep
        self._kept: ListedRows | None = None

    def weigh(self, numbers: IntArray, log_cut: float = 0.0) -> Iterator[RowWeights]:
        """Yield the weights given some tuples, by their ascending numbers, block after block.

        Rows may be left out as in `RowWeigher.weigh`.
        """
        if log_cut > 0.0:
            return self.weigher.weigh(self.query[numbers], log_cut)
        if self._keep and 2 * len(numbers) > len(self.query):
            self._kept = self._weigh_all()
            self._keep = False
        if self._kept is None:
            return self.weigher.weigh(self.query[numbers])
        return _parts(self._kept, numbers)

    def _weigh_all(self) -> ListedRows | None:
        """Return the weights given all tuples; None if they are too many."""
        blocks: list[ListedRows] = []
        n_entries = 0
        for weights in self.weigher.weigh(self.query):
            n_entries += len(weights.kernel)
            if n_entries > LARGEST_KEPT or not isinstance(weights, ListedRows):
                return None
            blocks.append(weights)
        return ListedRows.joined(blocks)


def _parts(weights: ListedRows, numbers: IntArray) -> Iterator[ListedRows]:
    for start in range(0, len(numbers), AT_A_TIME):
        yield weights.at(numbers[start : start + AT_A_TIME])


@dataclass(frozen=True, eq=False)
class Pillows:
    """Paths grouped by pillow tuple: group `k` holds the tuple of number ``numbers[k]``."""

    groups: Groups
    numbers: IntArray
    weights: PillowWeights

    @property
    def query(self) -> FloatArray:
        """The values of all tuples, by their numbers."""
        return self.weights.query

    def of(self, paths: IntArray) -> IntArray:
        """Return the number of the tuple that each of some paths holds."""
        return self.numbers[self.groups.ranks[paths]]

    def at(self, paths: IntArray) -> "Pillows":
        """Return some of the paths, or of their descendants, grouped in the same way."""
        ranks = self.groups.ranks[paths]
        groups = group_by_key(ranks, len(self.numbers))
        return Pillows(groups, self.numbers[ranks[groups.first]], self.weights)

    def weigh(self, log_cut: float = 0.0) -> Iterator[RowWeights]:
        """Yield the weights given the tuple of each group, block after block."""
        return self.weights.weigh(self.numbers, log_cut)
