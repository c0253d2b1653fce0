"""Level tables that back off: frequencies given all of the pillow, smoothed by those given less.

The levels of a variable are counted at every distinct tuple of its pillow. What a tuple says is
smoothed by what its shorter tuples say, each without one of the columns, these by still shorter
ones, and the last, the frequencies of all rows, by equal chances::

    p(y | x_S) = (count(x_S, y) + strength * mean of p(y | x_S without j) over j in S)
                 / (count(x_S) + strength)
    p(y)       = (1 - share) * frequency(y) + share / number of levels

Strength and share are weighed by how likely they make rows that are left out, which needs no second
fit: the row is subtracted from all counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from scipy.special import logsumexp

from causalaug.densities._levels import DensityOfLevels, rank_spreads
from causalaug.densities._weighed import BLOCK_ENTRIES
from causalaug.factorization import Factor
from causalaug.table import Coding, Table
from causalaug.typing import FloatArray, IntArray

STRENGTHS = np.array([0.5, 2.0, 8.0, 32.0])
"""Rows' worth of shorter tuples that are added to a tuple. With a fifth at 0.125 or at 128, or with
nine, log-losses on four of five networks differ by less than 0.3%; one of nearly certain tables
would have 10% less with 0.125."""

SHARES = np.array([0.03, 0.2, 0.6])
"""Shares of equal chances in the frequencies of all rows. Five of them are as good."""

MOST_CROSSED = 4
"""Of so many columns of the pillow all subsets are counted; of others only the chain that leaves
out the least telling first. On complete graphs over 12 columns of three networks 3, 5 and 8 differ
by 0.003 in log-density, in favour of fewer, and 8 take four times as long."""

ROUNDS = 20
"""How often the odds of all factors are pooled. Without it the log-loss on five networks was higher
by 2.7% in the mean, most of it on one of nearly certain tables; 3 rounds gain 1.6 of these."""


@dataclass(frozen=True, eq=False)
class TupleCounts:
    """The levels at each distinct tuple of some columns.

    Tuples are numbered by their keys: the number of the tuple without its last column, among those
    of the `shorter` table, and the code of that column. `back` are the tables to back off to.
    """

    shorter: int
    last: int
    back: tuple[int, ...]
    keys: IntArray
    counts: FloatArray

    def find(self, keys: IntArray) -> IntArray:
        """Return the number of each tuple; -1 where it was never seen."""
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, at, -1)


@dataclass(frozen=True, eq=False)
class LevelTables:
    """The counts of levels at the tuples of a pillow and of its parts, fewest columns first.

    Of the pillow `columns` are the positions, most telling first, and `values` their levels. No
    table stands for the empty tuple, which has the number 0: the first has number 1.
    """

    columns: tuple[int, ...]
    values: tuple[FloatArray, ...]
    tables: tuple[TupleCounts, ...]

    @classmethod
    def of(
        cls, pillow: Sequence[Coding], level: IntArray, n_levels: int, weights: FloatArray
    ) -> tuple["LevelTables", list[IntArray]]:
        """Count the levels; also return the number of each row's tuple in every table."""
        told = [_information(each, level, n_levels, weights) for each in pillow]
        columns = tuple(np.argsort(-np.array(told), kind="stable").tolist())
        sets = column_sets(len(columns))
        number = {each: place for place, each in enumerate(sets)}
        rows: list[IntArray] = [np.zeros(len(level), dtype=np.int64)]
        tables = []
        for each in sets[1:]:
            shorter, coding = number[each[:-1]], pillow[columns[each[-1]]]
            keys, own = np.unique(
                rows[shorter] * len(coding.values) + coding.codes, return_inverse=True
            )
            counts = _sums(own * n_levels + level, weights, len(keys) * n_levels)
            back = tuple(
                number[less] for less in combinations(each, len(each) - 1) if less in number
            )
            tables.append(TupleCounts(shorter, each[-1], back, keys, counts.reshape(-1, n_levels)))
            rows.append(own)
        return cls(columns, tuple(pillow[each].values for each in columns), tuple(tables)), rows

    def spread(self, spread: FloatArray) -> "LevelTables":
        """Return the tables with every row counted for each level as much as `spread` says."""
        tables = tuple(replace(each, counts=each.counts @ spread) for each in self.tables)
        return replace(self, tables=tables)

    def said(self, pillow: FloatArray, strengths: FloatArray, n_levels: int) -> FloatArray:
        """Return what is said of each level, and in the end what is left to the frequencies.

        Shape: (n_strengths, n, n_levels + 1). A level that was never seen is left out.
        """
        codes = [
            _codes(values, pillow[:, column])
            for column, values in zip(self.columns, self.values, strict=True)
        ]
        rows: list[IntArray] = [np.zeros(len(pillow), dtype=np.int64)]
        counts = []
        for each in self.tables:
            shorter, own = rows[each.shorter], codes[each.last]
            keys = shorter * len(self.values[each.last]) + own
            at = each.find(np.where((shorter < 0) | (own < 0), -1, keys))
            rows.append(at)
            counts.append(np.where(at[:, np.newaxis] >= 0, each.counts[at], 0.0))
        totals = [each.sum(axis=1) for each in counts]
        return self._back_off(counts, totals, strengths, (len(pillow), n_levels))

    def said_without(
        self, rows: Sequence[IntArray], level: IntArray, own: FloatArray, weights: FloatArray
    ) -> FloatArray:
        """Return the same of the level of each observed row, which is left out of all counts.

        Rows count `weights` in all, of which `own` for their own level. Shape: (n_strengths, n, 2).
        """
        pairs = list(zip(self.tables, rows[1:], strict=True))
        # Sums of weights that are not whole are not exact: what is left must not be negative.
        counts = [np.maximum(each.counts[at, level] - own, 0.0) for each, at in pairs]
        totals = [np.maximum(each.counts.sum(axis=1)[at] - weights, 0.0) for each, at in pairs]
        columns = [each[:, np.newaxis] for each in counts]
        return self._back_off(columns, totals, STRENGTHS, (len(level), 1))

    def _back_off(
        self,
        counts: Sequence[FloatArray],
        totals: Sequence[FloatArray],
        strengths: FloatArray,
        shape: tuple[int, int],
    ) -> FloatArray:
        """Return what the longest tuples say, given the counts of those of every table.

        All of it is linear in the frequencies of all rows, which stay open: the last column is
        their factor, to which the share of equal chances then costs nothing.
        """
        strength = strengths[:, np.newaxis, np.newaxis]
        said = [np.zeros((len(strengths), shape[0], shape[1] + 1))]
        said[0][..., -1] = 1.0
        for each, seen, total in zip(self.tables, counts, totals, strict=True):
            mixed = sum(said[number] for number in each.back) * (strength / len(each.back))
            mixed[..., :-1] += seen
            mixed /= total[:, np.newaxis] + strength
            said.append(mixed)
        return said[-1]


def column_sets(n_columns: int, most_crossed: int = MOST_CROSSED) -> list[tuple[int, ...]]:
    """Return the sets of columns at which levels are counted, smallest first.

    >>> column_sets(4, most_crossed=2)
    [(), (0,), (1,), (0, 1), (0, 1, 2), (0, 1, 2, 3)]
    """
    crossed = range(min(most_crossed, n_columns))
    sets = [each for size in range(len(crossed) + 1) for each in combinations(crossed, size)]
    return sets + [tuple(range(size)) for size in range(len(crossed) + 1, n_columns + 1)]


def _sums(numbers: IntArray, weights: FloatArray, n_numbers: int) -> FloatArray:
    """Return the sum of the weights of each number."""
    sums: FloatArray = np.bincount(numbers, weights, n_numbers).astype(np.float64)
    return sums


def _codes(values: FloatArray, column: FloatArray) -> IntArray:
    """Return the place of each cell among some values; -1 if it is none of them."""
    at = np.minimum(np.searchsorted(values, column), len(values) - 1)
    return np.where(values[at] == column, at, -1)


def _information(coding: Coding, level: IntArray, n_levels: int, weights: FloatArray) -> float:
    """Return what a column tells about the levels, in nats, less what chance would have it tell."""
    n_values = len(coding.values)
    flat = _sums(coding.codes * n_levels + level, weights, n_values * n_levels)
    joint = flat.reshape(n_values, n_levels)
    value, own = np.nonzero(joint > 0.0)
    there = joint[value, own]
    # In logarithms: products of two tiny weights would vanish.
    apart = np.log(joint.sum(axis=1)[value]) + np.log(joint.sum(axis=0)[own]) - np.log(joint.sum())
    told = float(there @ (np.log(there) - apart))
    return told - (n_values - 1) * (n_levels - 1) / 2.0


@dataclass(frozen=True, eq=False)
class Counted:
    """The level tables of a factor, and how likely each row's level is without the row.

    `logs` has the shape (n_strengths, n_shares, n_rows).
    """

    levels: FloatArray
    tables: LevelTables
    overall: FloatArray
    spread: FloatArray
    weights: FloatArray
    logs: FloatArray

    @classmethod
    def of(cls, table: Table, factor: Factor) -> "Counted":
        """Count the levels of a factor; of ranks, with those beside them counted, too."""
        column = table.index(factor.target)
        levels, _, level = table.coding(column)
        weights = _rows_worth(table.original_weights())
        pillow = [table.coding(table.index(name)) for name in factor.pillow]
        plain, rows = LevelTables.of(pillow, level, len(levels), weights)
        overall = _sums(level, weights, len(levels))
        has_ranks = table.kinds[column] == "ordered" and len(levels) > 2
        # Rows that are equal are equally likely: each is asked once.
        keys = np.column_stack([rows[-1], level, weights])
        _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        asked = [each[first] for each in rows], level[first], weights[first]
        best: Counted | None = None
        for spread in rank_spreads(len(levels)) if has_ranks else [np.eye(len(levels))]:
            tables = plain.spread(spread)
            logs = _log_left_out(tables, overall @ spread, spread, *asked)[..., number.reshape(-1)]
            fit = cls(levels, tables, overall, spread, weights, logs)
            if best is None or logsumexp(fit.totals) > logsumexp(best.totals):
                best = fit
        assert best is not None
        return best

    @property
    def totals(self) -> FloatArray:
        """The log-likelihood of all rows, each left out: shape (n_strengths, n_shares)."""
        return self.logs @ self.weights


def _rows_worth(weights: FloatArray) -> FloatArray:
    """Return weights that add up to the number of rows that they effectively are."""
    # Squares of weights as they come, 1e-200 or 1e200, would vanish or overflow.
    share = weights / weights.max()
    scaled: FloatArray = share * (share.sum() / np.square(share).sum())
    return scaled


def _log_left_out(
    tables: LevelTables,
    overall: FloatArray,
    spread: FloatArray,
    rows: Sequence[IntArray],
    level: IntArray,
    weights: FloatArray,
) -> FloatArray:
    """Return the log-probability of each row's level without the row: (n_strengths, n_shares, n).

    Of a single row nothing is left, and all levels are alike.
    """
    own, even = weights * spread[level, level], 1.0 / len(overall)
    total = np.maximum(overall.sum() - weights, 0.0)
    seen = np.maximum(overall[level] - own, 0.0)
    frequency = np.divide(seen, total, out=np.full(len(level), even), where=total > 0.0)
    share = SHARES[:, np.newaxis]
    common = (1.0 - share) * frequency + share * even
    said = tables.said_without(rows, level, own, weights)[:, np.newaxis]
    logs: FloatArray = np.log(said[..., 0] + said[..., 1] * common)
    return logs


@dataclass(frozen=True, eq=False)
class BackOff(DensityOfLevels):
    """The probability of each level: that of tables that back off, over strengths and shares.

    `odds` are the weights of strengths and shares, shape (n_strengths, n_shares). `left_out` is the
    log-probability of each observed row's level under what the others say, odds included.
    """

    levels: FloatArray = field()
    tables: LevelTables
    overall: FloatArray
    spread: FloatArray
    left_out: FloatArray
    odds: FloatArray
    strengths: FloatArray = field(default_factory=STRENGTHS.copy)
    shares: FloatArray = field(default_factory=SHARES.copy)

    def density(self) -> "BackOff":
        """Return itself: it was made when it was judged."""
        return self

    def widened(self, table: Table, factor: Factor) -> "BackOff":
        """Return the density with all levels of a table, of which these rows are a part.

        The frequencies to which all tuples back off in the end are those of that table.
        """
        levels, _, codes = table.coding(table.index(factor.target))
        there = codes >= 0
        overall = _sums(codes[there], table.original_weights()[there], len(levels))
        place = np.searchsorted(levels, self.levels)
        spread, wide = np.eye(len(levels)), np.eye(len(levels))[place]
        spread[np.ix_(place, place)] = self.spread
        tables = self.tables.spread(wide)
        return replace(self, levels=levels, tables=tables, overall=overall, spread=spread)

    def log_probabilities(self, pillow: FloatArray) -> FloatArray:
        """Return the log-probability of each level: shape (n, n_levels)."""
        distinct, number = np.unique(pillow, axis=0, return_inverse=True)
        parts = [np.log(self._probabilities(each)) for each in self._blocks(distinct)]
        result: FloatArray = np.concatenate(parts)[number.reshape(-1)]
        return result

    def _blocks(self, pillow: FloatArray) -> Iterator[FloatArray]:
        """Yield some rows at a time, so that what their tuples say fits into memory."""
        entries = (len(self.tables.tables) + 1) * len(self.strengths) * (len(self.levels) + 1)
        size = max(BLOCK_ENTRIES // entries, 1)
        for start in range(0, max(len(pillow), 1), size):
            yield pillow[start : start + size]

    def _probabilities(self, pillow: FloatArray) -> FloatArray:
        said = self.tables.said(pillow, self.strengths, len(self.levels))
        frequency = self.overall @ self.spread / self.overall.sum()
        # What is said is linear in the share: its mean serves all shares of a strength.
        weights, even = self.odds.sum(axis=1), self.odds @ self.shares
        common = np.outer(weights - even, frequency) + even[:, np.newaxis] / len(self.levels)
        probabilities: FloatArray = np.tensordot(weights, said[..., :-1], 1) + np.einsum(
            "sn,sl->nl", said[..., -1], common
        )
        return probabilities


def are_levels(table: Table, factor: Factor) -> bool:
    """Say whether a variable and all of its pillow have levels."""
    names = (factor.target, *factor.pillow)
    return all(table.kinds[table.index(name)] != "continuous" for name in names)


def fit_back_off(tables: Sequence[Table], factors: Sequence[Factor]) -> list[BackOff]:
    """Return one density per factor, each of the table beside it, all of which have levels.

    Strength and share have odds by how likely they make left-out rows, times prior odds that are
    pooled over all factors: few rows say little about them.
    """
    counted = [Counted.of(*each) for each in zip(tables, factors, strict=True)]
    if not counted:
        return []
    totals = [each.totals for each in counted]
    prior = pooled_log_odds(np.reshape(totals, (len(counted), len(STRENGTHS) * len(SHARES))))
    return [_weighed(each, prior) for each in counted]


def pooled_log_odds(totals: FloatArray) -> FloatArray:
    """Return the logs of prior odds under which the likelihoods of all factors are likeliest.

    Shapes: totals (n_factors, n_ways), result (n_ways,). One more factor, which finds all ways
    alike, keeps any from having no odds at all.

    >>> np.exp(pooled_log_odds(np.array([[0.0, -40.0], [0.0, -40.0]]))).round(2)
    array([0.83, 0.17])
    """
    n_factors, n_ways = totals.shape
    prior = np.full(n_ways, 1.0 / n_ways)
    for _ in range(ROUNDS):
        logs = totals + np.log(prior)
        own = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
        prior = (own.sum(axis=0) + 1.0 / n_ways) / (n_factors + 1.0)
    log_odds: FloatArray = np.log(prior)
    return log_odds


def _weighed(counted: Counted, prior: FloatArray) -> BackOff:
    """Return the density with the odds that follow from prior ones."""
    logs = counted.logs.reshape(len(prior), -1)
    log_odds = prior + counted.totals.reshape(-1)
    # A row that is left out has no say in the odds either.
    without = log_odds[:, np.newaxis] - counted.weights * logs
    left_out = logsumexp(without + logs, axis=0) - logsumexp(without, axis=0)
    odds = np.exp(log_odds - logsumexp(log_odds)).reshape(counted.totals.shape)
    return BackOff(counted.levels, counted.tables, counted.overall, counted.spread, left_out, odds)
