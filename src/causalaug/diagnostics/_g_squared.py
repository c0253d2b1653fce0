"""The likelihood-ratio test of independence in strata: G-squared.

Where cells are well filled its law is chi-squared. Elsewhere the values of one variable are
shuffled within the strata, which is exact however few rows a stratum has.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import xlogy

from causalaug._ragged import group_by_key, offsets_of
from causalaug.diagnostics._independence import Outcome, rows_needed, too_few
from causalaug.typing import FloatArray, IntArray

ENOUGH_EXCEEDANCES = 10
"""Shuffles that reach the statistic before the p-value is clear (Besag and Clifford, 1991)."""

MOST_SHUFFLES = 10_000
"""Shuffles of one test. A level that asks for more, with over 100 tests, goes by their tail."""

SHARE_IN_TAIL = 0.01
"""Share of the shuffles, the most dependent ones, that the law of the tail is taken from."""

LARGEST_BATCH, LARGEST_WORK = 1_000_000, 200_000_000
"""Rows and cells shuffled at a time, and for one test if its level allows."""

NO_STRATUM = "in no stratum of the pillow can the two be compared"


@dataclass(frozen=True, eq=False)
class Strata:
    """The rows of the strata in which two variables can be compared, sorted by stratum.

    Levels that a stratum does not have are no cells of it.

    Parameters
    ----------
    stratum, x, y : array of shape (n_rows,)
        The stratum of each row, and the levels of its variables among those of the stratum,
        all coded from 0.
    n_x, n_y : array of shape (n_strata,)
        The number of levels that each stratum has.
    """

    stratum: IntArray
    x: IntArray
    y: IntArray
    n_x: IntArray
    n_y: IntArray

    @property
    def n_cells(self) -> int:
        """The number of cells of all strata."""
        return int((self.n_x * self.n_y).sum())

    @property
    def degrees(self) -> int:
        """The degrees of freedom that the cells have once their margins are known."""
        return int(((self.n_x - 1) * (self.n_y - 1)).sum())

    def counts(self) -> tuple[IntArray, IntArray]:
        """Return how many rows each level of x has, stratum by stratum, and each of y."""
        of_x = np.bincount(offsets_of(self.n_x)[self.stratum] + self.x)
        return of_x, np.bincount(offsets_of(self.n_y)[self.stratum] + self.y)

    def cell_entropies(self, y: IntArray) -> FloatArray:
        """Return the sum of ``n log n`` over all cells, for several arrangements of y.

        Shapes: y (n_arrangements, n_rows), result (n_arrangements,).
        """
        first = offsets_of(self.n_x * self.n_y)[self.stratum] + self.x * self.n_y[self.stratum]
        arrangement = np.arange(len(y))[:, np.newaxis] * self.n_cells
        counts = np.bincount((arrangement + first + y).ravel(), minlength=len(y) * self.n_cells)
        # A table of the few counts that occur: logarithms of all cells would take the most time.
        possible = np.arange(int(counts.max(initial=0)) + 1)
        total: FloatArray = xlogy(possible, possible)[counts].reshape(len(y), -1).sum(axis=1)
        return total

    def statistic(self) -> float:
        """Return G-squared."""
        independent = sum(float(xlogy(counts, counts).sum()) for counts in self.counts())
        sizes = np.bincount(self.stratum)
        cells = float(self.cell_entropies(self.y[np.newaxis])[0])
        return max(2.0 * (cells - independent + float(xlogy(sizes, sizes).sum())), 0.0)

    def least_expected(self) -> float:
        """Return the smallest number of rows that a cell expects if both are independent."""
        of_x, of_y = self.counts()
        rarest_x = np.minimum.reduceat(of_x, offsets_of(self.n_x)[:-1])
        rarest_y = np.minimum.reduceat(of_y, offsets_of(self.n_y)[:-1])
        return float((rarest_x * rarest_y / np.bincount(self.stratum)).min())


def g_squared(
    x: IntArray, y: IntArray, stratum: IntArray, level: float, rng: np.random.Generator
) -> Outcome:
    """Test whether two discrete variables are independent in every stratum.

    Shapes: x, y and stratum (n_rows,), each coded from 0.
    """
    strata = informative_strata(pool_rare(x), pool_rare(y), stratum)
    if not len(strata.n_x):
        return Outcome("g_squared", reason=NO_STRATUM)
    reason = too_few(len(strata.x), rows_needed(strata.degrees, level))
    if reason:
        return Outcome("g_squared", reason=reason)
    statistic = strata.statistic()
    # Chi-squared is trusted if every cell expects ten rows.
    if strata.least_expected() >= 10.0:
        return Outcome("g_squared", statistic, float(stats.chi2.sf(statistic, strata.degrees)))
    return Outcome("g_squared", statistic, shuffled_p_value(strata, level, rng))


def pool_rare(codes: IntArray, most: int = 10) -> IntArray:
    """Return the codes with all but the most common levels made one, at `most` levels in all.

    What is independent of a variable is independent of its pooled levels too.
    """
    counts = np.bincount(codes)
    if len(counts) <= most:
        return codes
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    pooled: IntArray = np.minimum(rank, most - 1)[codes]
    return pooled


def informative_strata(x: IntArray, y: IntArray, stratum: IntArray) -> Strata:
    """Leave out the strata in which a variable is constant, or takes no value twice.

    However their rows are arranged, G-squared is the same.
    """
    order = np.argsort(stratum, kind="stable")
    x, y, stratum = x[order], y[order], stratum[order]
    sizes = np.bincount(stratum)
    levels = np.array([_levels_within(codes, stratum)[1] for codes in (x, y)])
    informative = np.all((levels > 1) & (levels < sizes), axis=0)
    rows = informative[stratum]
    stratum = group_by_key(stratum[rows], len(informative)).ranks
    x_within, n_x = _levels_within(x[rows], stratum)
    y_within, n_y = _levels_within(y[rows], stratum)
    return Strata(stratum, x_within, y_within, n_x, n_y)


def _levels_within(codes: IntArray, stratum: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rank of each code among those of its stratum, and how many there are.

    The strata must be sorted, and coded from 0 without a gap.
    """
    n_levels = int(codes.max(initial=0)) + 1
    n_strata = int(stratum[-1]) + 1 if len(stratum) else 0
    groups = group_by_key(stratum * n_levels + codes, n_strata * n_levels)
    sizes = np.bincount(stratum[groups.first], minlength=n_strata)
    within: IntArray = groups.ranks - offsets_of(sizes)[stratum]
    return within, sizes


def shuffled_p_value(strata: Strata, level: float, rng: np.random.Generator) -> float:
    """Return the share of shuffles within strata that are at least as dependent.

    Few shuffles settle a large p-value, so they stop once enough have reached the statistic.
    Only the cells change, so that G-squared compares as the sum over them does.

    A small p-value would take as many shuffles as there are tests, and many times more: a
    thousand tests would take a million times as long as one. So beyond `MOST_SHUFFLES` the p-value
    is that of `tail_p_value`, and shuffles stop early where that is far below the level.
    """
    work = len(strata.x) + strata.n_cells
    most = int(np.clip(LARGEST_WORK / work, 2.0 / level, 5.0 / level))
    by_tail, most = most > MOST_SHUFFLES, min(most, MOST_SHUFFLES)
    observed = strata.cell_entropies(strata.y[np.newaxis])[0]
    slack = 1e-9 * max(observed, 1.0)
    largest = np.empty(0)
    done = reached = 0
    while done < most:
        batch = min(max(LARGEST_BATCH // work, 1), max(done, 100), most - done)
        keys = strata.stratum + rng.random((batch, len(strata.x)))
        shuffled = strata.cell_entropies(strata.y[np.argsort(keys, axis=1)])
        hits = np.flatnonzero(shuffled >= observed - slack)
        if reached + len(hits) >= ENOUGH_EXCEEDANCES:
            last = int(hits[ENOUGH_EXCEEDANCES - reached - 1])
            return ENOUGH_EXCEEDANCES / (done + last + 1)
        done += batch
        reached += len(hits)
        if by_tail:
            largest = np.sort(np.append(largest, shuffled))[-int(SHARE_IN_TAIL * most) - 1 :]
            p_value = tail_p_value(2.0 * largest, done, 2.0 * float(observed))
            if p_value * ENOUGH_EXCEEDANCES < level:
                return p_value
    return min(p_value, 1.0) if by_tail else (reached + 1) / (done + 1)


def tail_p_value(largest: FloatArray, n_shuffles: int, observed: float) -> float:
    """Return the p-value of a statistic that no shuffle may have reached.

    Beyond a high quantile the statistics fall off at least as fast as an exponential law does: the
    tail of chi-squared is exponential, that of a sum over many cells is nearly normal. The mean
    excess of that law is itself an estimate, of k excesses, so that the probability of a larger
    one is ``(1 + x / sum) ** -k``, an F-distribution with 2 and 2 k degrees.

    `largest` holds the largest statistics of all shuffles in ascending order. Where there are too
    few to judge a tail by, the answer is 1; where they are all the same, the share of shuffles.

    >>> statistics = np.sort(stats.chi2(4).rvs(10_000, random_state=0))
    >>> 1e-6 < tail_p_value(statistics[-101:], 10_000, stats.chi2(4).isf(1e-5)) < 1e-4
    True
    """
    k = int(SHARE_IN_TAIL * n_shuffles)
    if k < ENOUGH_EXCEEDANCES:
        return 1.0
    start, excesses = largest[-k - 1], largest[-k:] - largest[-k - 1]
    total = float(excesses.sum())
    if observed <= start or total <= 0.0:
        return (1 + int((largest >= observed).sum())) / (n_shuffles + 1)
    return k / n_shuffles * float((1.0 + (observed - start) / total) ** -k)
