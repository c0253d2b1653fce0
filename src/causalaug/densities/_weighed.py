"""Rows that are weighed by the pillow, for many pillows at a time, and how much they count.

What is smoothed is counted in rows: the weighted rows of a pillow count as many as they
effectively are, ``N = 1 / sum(w^2)``, and a few rows' worth of the column's overall distribution
is added to them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import logsumexp

from causalaug.kernels import RowWeigher
from causalaug.typing import FloatArray, IntArray

BLOCK_ENTRIES = 1 << 21
"""Entries of a matrix of queries by rows that are held at a time: 16 MB."""

MOST_LEFT_OUT = 300
"""Rows that are left out, one at a time, to judge a density; they tell as well as all would."""

ROWS_TO_JUDGE = 1_000
"""In longer tables so many rows decide how a factor is modelled: which kernel, or a mean."""

ROWS_THAT_SUFFICE = 5_000
"""In longer tables a density of weighted rows is made of so many. With 500, 1,000 and 2,000 of
5,000 rows the squared error of a model that has two-branched factors was higher by 33 to 53, 24 to
35 and 12 to 19%, on tables without such factors by 0 to 2%: `docs/results/growth.md`."""


def some_rows(n_rows: int) -> IntArray:
    """Return the rows that are left out to judge a density: evenly spaced, or all.

    Of a long table they are some of those that decide how its factors are modelled.
    """
    enough = spread_rows(n_rows, ROWS_TO_JUDGE)
    if enough is None:
        return _evenly_spaced(n_rows, MOST_LEFT_OUT)
    some: IntArray = enough[_evenly_spaced(len(enough), MOST_LEFT_OUT)]
    return some


def rows_that_suffice(n_rows: int) -> IntArray | None:
    """Return the rows that a density of weighted rows is made of; None: all of them."""
    return spread_rows(n_rows, ROWS_THAT_SUFFICE)


def rows_to_judge(n_rows: int) -> IntArray | None:
    """Return the rows that decide how a factor is modelled; None: all of them."""
    return spread_rows(n_rows, ROWS_TO_JUDGE)


def spread_rows(n_rows: int, most: int) -> IntArray | None:
    """Return at most so many rows, from all over the table; None: all of them.

    One row of each of as many equal stretches of the table: rows that are ordered by their cells
    are represented evenly. Where in its stretch a row lies is drawn, always in the same way, since
    every n-th row of a designed experiment may hold the same cell.
    """
    return None if n_rows <= most else _drawn_from_stretches(n_rows, most)


@lru_cache(maxsize=128)
def _drawn_from_stretches(n_rows: int, most: int) -> IntArray:
    """Return a row of each stretch, ascending; every factor of a table gets the same array."""
    edges = np.linspace(0.0, n_rows, most + 1)
    places = np.random.default_rng(0).uniform(edges[:-1], edges[1:])
    rows = np.minimum(places.astype(np.int64), n_rows - 1)
    rows.flags.writeable = False
    return rows


@lru_cache(maxsize=128)
def _evenly_spaced(n_rows: int, most: int) -> IntArray:
    """Return so many of the rows at most; every factor of a table gets the same array."""
    rows = np.unique(np.linspace(0, n_rows - 1, most).astype(np.int64))
    rows.flags.writeable = False
    return rows


@dataclass(frozen=True, eq=False)
class WeighedRows:
    """The rows of a table as a weigher sees them, for distinct pillows, block after block."""

    weigher: RowWeigher
    n_rows: int
    among: IntArray | None = None

    def log_weights(self, query: FloatArray) -> FloatArray:
        """Return the log-weights of all rows; rows that do not count have none."""
        log_weights = self.weigher.log_weights(query)
        if self.among is None:
            return log_weights
        kept = np.full_like(log_weights, -np.inf)
        kept[:, self.among] = log_weights[:, self.among]
        total = logsumexp(kept, axis=1, keepdims=True)
        relative: FloatArray = kept - np.where(np.isfinite(total), total, 0.0)
        return relative

    def blocks(self, pillow: FloatArray) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Yield members, the block's query of each member, and log-weights by query and row."""
        asked = pillow if self.weigher.uses_pillow else pillow[:, :0]
        distinct, query_of = np.unique(asked, axis=0, return_inverse=True)
        query_of = query_of.reshape(-1)
        order = np.argsort(query_of, kind="stable")
        size = max(BLOCK_ENTRIES // self.n_rows, 1)
        edges = np.searchsorted(query_of[order], np.arange(0, len(distinct) + size, size))
        for number, (start, stop) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
            first = number * size
            if start == stop:
                continue
            weights = self.log_weights(distinct[first : first + size])
            # One query may have many members: a root has one query in all.
            for begin in range(start, stop, size):
                members = order[begin : min(begin + size, stop)]
                yield members, query_of[members] - first, weights

    def without_own(self, pillow: FloatArray, some: IntArray) -> FloatArray:
        """Return the weights of all rows given the pillows of some, each without itself.

        Shape: (len(some), n_rows). The others share what the row would have had.
        """
        weights = self.weigher.relative(pillow[some])
        weights[np.arange(len(some)), some] = 0.0
        total = np.einsum("ij->i", weights)[:, np.newaxis]
        weights /= np.where(total > 0.0, total, 1.0)
        return weights


def effective_rows(weights: FloatArray) -> FloatArray:
    """Return how many rows the weights of each query amount to, 0 where there are none."""
    squares: FloatArray = np.einsum("...j,...j->...", weights, weights)
    count: FloatArray = np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 0.0)
    return count


def add_log_shares(
    log_own: FloatArray, rows: FloatArray, log_common: FloatArray, smoothing: float
) -> FloatArray:
    """Return the log of ``(N own + s common) / (N + s)``; only the common part where N is 0."""
    with np.errstate(divide="ignore"):
        own = np.log(rows) + log_own
        common = np.log(smoothing) + log_common
        mixed: FloatArray = np.logaddexp(own, common) - np.log(rows + smoothing)
    return np.where(rows + smoothing > 0.0, mixed, -np.inf)
