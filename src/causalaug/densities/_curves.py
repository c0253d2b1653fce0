"""Densities of many weighted rows as curves: tabulated at knots, read off between them.

A posterior asks for the density of a row's cell at dozens of values of the target, round after
round. With a Gaussian kernel on the target's column the sums over all weighted rows are products of
matrices, ``W K``: `W` weighs the rows by the other columns, once for every row that is asked, and
`K` is the kernel of that column at the knots, the same for all. Between two knots the logarithm is
a line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug._threads import one_blas_thread
from causalaug.densities._weighed import WeighedRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from causalaug.densities._base import Along
    from causalaug.typing import BoolArray, FloatArray, IntArray

FEWEST_ROWS = 400
"""With fewer rows they are weighed anew for every point, which takes no minute."""

KNOTS_PER_BANDWIDTH = 4
"""A line between two knots is off by at most ``1 / (8 * 4^2)`` in logarithm, where a single bump is
all there is; the sums above and below the bar of a frequency have most of that in common."""

WIDEST = 200.0
"""With more bandwidths than this in a range the knots would be more than the rows."""


@dataclass(frozen=True, eq=False)
class Curves:
    """The log-density of each row at even knots: shapes (n_knots,) and (n_rows, n_knots).

    NaN is not known. There, and beyond the knots, the slow way is asked.
    """

    knots: FloatArray
    logs: FloatArray
    slow: Along = field(repr=False)

    def __call__(self, rows: IntArray, points: FloatArray) -> FloatArray:
        """Return the log-density of some rows at points: shape of the points."""
        last = len(self.knots) - 1
        place = (points - self.knots[0]) / (self.knots[1] - self.knots[0])
        left = np.clip(place, 0, last - 1).astype(np.int64)
        beside = rows[:, np.newaxis]
        low, high = self.logs[beside, left], self.logs[beside, left + 1]
        with np.errstate(invalid="ignore"):
            result: FloatArray = low + (place - left) * (high - low)
        unknown = (place < 0.0) | (place > last) | np.isnan(result)
        row, column = np.nonzero(unknown)
        if len(row):
            result[row, column] = self.slow(rows[row], points[row, column][:, np.newaxis])[:, 0]
        return result


def knots_over(values: FloatArray, bandwidth: float) -> FloatArray | None:
    """Return even knots where bumps on some values are; None if there would be too many."""
    low, high = float(values.min()), float(values.max())
    n_bandwidths = (high - low) / bandwidth
    if not n_bandwidths <= WIDEST:
        return None
    margin = 6.0 * bandwidth  # beyond the outermost rows
    n_knots = int(KNOTS_PER_BANDWIDTH * (n_bandwidths + 12.0)) + 2
    return np.linspace(low - margin, high + margin, n_knots)


@dataclass(frozen=True, eq=False)
class RowsAlong:
    """Weighted rows along one column of the pillow.

    `kernel` is how much each row counts at each knot, shape (n_rows, n_knots); `others` weigh the
    rows by the rest of the pillow.
    """

    others: WeighedRows
    n_others: int
    knots: FloatArray
    kernel: FloatArray
    kept: dict[bytes, FloatArray] = field(default_factory=dict, repr=False)
    """Curves that were computed before, by what they are curves of."""

    @classmethod
    def of(cls, rows: WeighedRows, position: int, n_columns: int) -> RowsAlong | None:
        """Return the rows along a column; None where that is no faster than to weigh them anew."""
        if rows.n_rows < FEWEST_ROWS:
            return None
        split = rows.weigher.split(position)
        if split is None:
            return None
        others, column = split
        knots = knots_over(column.values, column.distance.bandwidth)
        if knots is None:
            return None
        kernel = np.exp(column.log_kernel(knots, column.values[:, np.newaxis]))
        return cls(WeighedRows(others, rows.n_rows, rows.among), n_columns - 1, knots, kernel)

    def weights(self, rest: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return weights of all rows by distinct tuples of the other columns, and each one's tuple.

        Relative to the heaviest. Seven digits of them suffice, and are had ten times as fast.
        """
        distinct, tuple_of = np.unique(rest, axis=0, return_inverse=True)
        logs = self.others.log_weights(distinct)
        heaviest = logs.max(axis=1, keepdims=True)
        logs = logs - np.where(np.isfinite(heaviest), heaviest, 0.0)
        return exp_roughly(logs), tuple_of.reshape(-1)

    @cached_property
    def numbers(self) -> dict[int, FloatArray | None]:
        """The other columns whose kernel is Gaussian, and knots over each, if not too many."""
        found = {}
        for column in range(self.n_others):
            split = self.others.weigher.split(column)
            if split is not None:
                found[column] = knots_over(split[1].values, split[1].distance.bandwidth)
        return found

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return what weights add up to at the knots: shape (n, n_knots)."""
        with one_blas_thread():
            sums: FloatArray = weights @ self.kernel
        return sums

    def counts(self, weights: FloatArray, totals: FloatArray) -> FloatArray:
        """Return how many rows there effectively are at the knots; NaN where none has weight."""
        with one_blas_thread():
            squares = np.square(weights) @ np.square(self.kernel)
        is_known: BoolArray = squares > 0.0
        counts: FloatArray = np.full_like(totals, np.nan)
        np.divide(np.square(totals), squares, out=counts, where=is_known)
        return counts

    def between(
        self,
        keys: FloatArray,
        axis: int,
        grid: FloatArray,
        compute: Callable[[FloatArray], FloatArray],
    ) -> FloatArray:
        """Return the curves of keys, each mixed of those at the two next knots of one number.

        `axis` is the column of the keys in which the number stands, `grid` the knots over it, and
        `compute` the slow way to curves. All rows that are ever asked share those at the knots.
        """
        place = (keys[:, axis] - grid[0]) / (grid[1] - grid[0])
        inside = np.flatnonzero((place >= 0.0) & (place <= len(grid) - 1))
        below = np.minimum(place[inside].astype(np.int64), len(grid) - 2)
        ends = np.repeat(keys[inside][np.newaxis], 2, axis=0)
        ends[0, :, axis], ends[1, :, axis] = grid[below], grid[below + 1]
        low, high = self.remembered(ends.reshape(-1, keys.shape[1]), compute).reshape(
            2, len(inside), len(self.knots)
        )
        part = (place[inside] - below)[:, np.newaxis]
        curves = np.empty((len(keys), len(self.knots)))
        with np.errstate(invalid="ignore"):  # nothing at all at one end: the slow way is asked
            curves[inside] = (1.0 - part) * low + part * high
        outside = np.flatnonzero((place < 0.0) | (place > len(grid) - 1))
        if len(outside):
            curves[outside] = compute(keys[outside])
        return curves

    def remembered(
        self, keys: FloatArray, compute: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return the curves of keys, computing those that nobody has asked for before."""
        distinct, number = np.unique(keys, axis=0, return_inverse=True)
        names = [key.tobytes() for key in distinct]
        new = [place for place, name in enumerate(names) if name not in self.kept]
        if new:
            curves = compute(distinct[new])
            self.kept.update(
                (names[place], curve) for place, curve in zip(new, curves, strict=True)
            )
        if not names:
            return np.empty((0, len(self.knots)))
        found: FloatArray = np.stack([self.kept[name] for name in names])[number.reshape(-1)]
        return found


class WithCurves:
    """A density of weighted rows, which keeps what it has worked out of them along a column."""

    rows: WeighedRows

    def rows_along(self, position: int, n_columns: int) -> RowsAlong | None:
        """Return the rows along a column of the pillow, once for all who ask."""
        if position not in self._rows_along:
            self._rows_along[position] = RowsAlong.of(self.rows, position, n_columns)
        return self._rows_along[position]

    @cached_property
    def _rows_along(self) -> dict[int, RowsAlong | None]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be made again: it is far larger than all else."""
        return {name: value for name, value in vars(self).items() if name != "_rows_along"}


def exp_roughly(logs: FloatArray) -> FloatArray:
    """Return exponentials with the digits of a short float."""
    rough: FloatArray = np.exp(logs.astype(np.float32)).astype(np.float64)
    return rough
