"""The density of levels: weighted frequencies, smoothed by those of the column, or by rank."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from causalaug.densities._base import Along, Density, beside
from causalaug.densities._curves import Curves, RowsAlong, WithCurves
from causalaug.densities._weighed import WeighedRows, add_log_shares, effective_rows
from causalaug.factorization import Factor
from causalaug.kernels import RowWeigher
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

DEFAULT_SMOOTHING = 1.0
"""Rows' worth of the overall frequencies that are added to those of each pillow."""

RANK_STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9)
"""Weights of the next rank that are tried for ordered levels; with 0 the order says nothing."""


class DensityOfLevels(Density):
    """A density that tells the probabilities of all levels at once."""

    levels: FloatArray

    @abstractmethod
    def log_probabilities(self, pillow: FloatArray) -> FloatArray:
        """Return the log-probability of each level: shape (n, n_levels)."""

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-probability of each value; -inf for a level that was never seen."""
        at = np.minimum(np.searchsorted(self.levels, values), len(self.levels) - 1)
        row = beside(np.arange(len(values)), values)
        log_probability = self.log_probabilities(pillow)[row, at]
        return np.where(self.levels[at] == values, log_probability, -np.inf)

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return the levels, whatever the number of points."""
        return np.broadcast_to(self.levels, (len(pillow), len(self.levels)))

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return the level at which the running probability reaches each number."""
        running = np.cumsum(np.exp(self.log_probabilities(pillow)), axis=1)
        point = uniform * running[:, -1]
        at = (running[:, :-1] <= point[:, np.newaxis]).sum(axis=1)
        drawn: FloatArray = self.levels[at]
        return drawn


@dataclass(frozen=True, eq=False)
class LevelDensity(WithCurves, DensityOfLevels):
    """The weighted frequency of each level, smoothed by that of the whole column.

    `spread` says how much of a row counts for each level, shape (n_levels, n_levels): its own,
    unless levels have an order, in which those beside it count, too.
    """

    rows: WeighedRows
    levels: FloatArray = field()
    level_of_row: IntArray
    share: FloatArray
    smoothing: float
    spread: FloatArray

    @classmethod
    def of(
        cls, weigher: RowWeigher, values: FloatArray, share: FloatArray, smoothing: float
    ) -> "LevelDensity":
        """Return the density of a discrete column, given what weighs its rows."""
        levels, level_of_row = np.unique(values, return_inverse=True)
        overall = np.bincount(level_of_row, share, len(levels))
        rows = WeighedRows(weigher, len(values))
        spread = np.eye(len(levels))
        return cls(rows, levels, level_of_row, overall / overall.sum(), smoothing, spread)

    def widened(self, table: Table, factor: Factor) -> "LevelDensity":
        """Return the density with all levels of a table, of which these rows are a part.

        A level that was only seen where a cell of the pillow is missing is smoothed in as often
        as it was seen.
        """
        levels, _, codes = table.coding(table.index(factor.target))
        there = codes >= 0
        overall = np.bincount(codes[there], table.original_weights()[there], len(levels))
        place = np.searchsorted(levels, self.levels)
        spread = np.eye(len(levels))
        spread[np.ix_(place, place)] = self.spread
        share = overall / overall.sum()
        rows = place[self.level_of_row]
        return replace(self, levels=levels, level_of_row=rows, share=share, spread=spread)

    def smoothed_by_rank(self, pillow: FloatArray, some: IntArray) -> "LevelDensity":
        """Return the density with the step between ranks under which left-out rows are likeliest.

        A count of 4 is likelier where 3 and 5 were seen. The kernel is Li and Racine's.
        """
        weights = self.rows.without_own(pillow, some)
        best, largest = self, -np.inf
        for spread in rank_spreads(len(self.levels)):
            fit = replace(self, spread=spread)
            likelihood = float(fit._of_levels(weights, some).sum())
            if likelihood > largest:
                best, largest = fit, likelihood
        return best

    def log_probabilities(self, pillow: FloatArray) -> FloatArray:
        """Return the log-probability of each level: shape (n, n_levels)."""
        result = np.empty((len(pillow), len(self.levels)))
        for members, query, log_weights in self.rows.blocks(pillow):
            result[members] = self._of_weights(np.exp(log_weights))[query]
        return result

    def _of_weights(self, weights: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            own = np.log(weights @ self.spread[self.level_of_row])
            common = np.log(self.share @ self.spread)
        rows = effective_rows(weights)[:, np.newaxis]
        return add_log_shares(own, rows, common, self.smoothing)

    def log_left_out(self, pillow: FloatArray, some: IntArray) -> FloatArray:
        """Return the log-probability of the levels of some rows, each without its own row."""
        return self._of_levels(self.rows.without_own(pillow, some), some)

    def _of_levels(self, weights: FloatArray, some: IntArray) -> FloatArray:
        """Return the log-probability of the levels of some rows, given weights of all rows."""
        return self._of_weights(weights)[np.arange(len(some)), self.level_of_row[some]]

    def along(self, values: FloatArray, pillow: FloatArray, position: int) -> Along:
        """Return the log-probabilities along a column of the pillow: of many rows, as curves."""
        slow = super().along(values, pillow, position)
        rows = self.rows_along(position, pillow.shape[1])
        at = np.minimum(np.searchsorted(self.levels, values), len(self.levels) - 1)
        if rows is None or (self.levels[at] != values).any():
            return slow
        keys = np.column_stack([at, np.delete(pillow, position, axis=1)])
        curves, grids = partial(self._curves, rows), list(rows.numbers.items())
        if len(grids) == 1 and grids[0][1] is not None:
            logs = rows.between(keys, 1 + grids[0][0], grids[0][1], curves)
        else:
            logs = curves(keys) if grids else rows.remembered(keys, curves)
        return Curves(rows.knots, logs, slow)

    def _curves(self, rows: RowsAlong, keys: FloatArray) -> FloatArray:
        """Return log-probabilities at the knots of keys: a level, and the rest of a pillow."""
        weights, own = rows.weights(keys[:, 1:])
        totals, level = rows.sums(weights), keys[:, 0].astype(np.int64)
        of_level = weights[own] * self.spread[:, level].T[:, self.level_of_row]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(rows.sums(of_level)) - np.log(totals)[own]
            common = np.log(self.share @ self.spread)[level][:, np.newaxis]
        return add_log_shares(logs, rows.counts(weights, totals)[own], common, self.smoothing)


def rank_spreads(n_levels: int) -> Iterator[FloatArray]:
    """Yield how much a row of each rank counts for every rank, for each step that is tried."""
    apart = np.abs(np.subtract.outer(np.arange(n_levels), np.arange(n_levels)))
    for step in RANK_STEPS:
        kernel = step ** apart.astype(np.float64)
        yield kernel / kernel.sum(axis=1, keepdims=True)
