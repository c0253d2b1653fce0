"""The density of a number as weighted rows tell it: a bump on each, and a broad tail.

It is never zero on a value that could be a number: rows far from all others meet heavy tails, not
minus infinity.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from causalaug._threads import one_blas_thread
from causalaug.densities._base import Along, Density, Shift
from causalaug.densities._curves import (
    FEWEST_ROWS,
    Curves,
    RowsAlong,
    WithCurves,
    exp_roughly,
    knots_over,
)
from causalaug.densities._student import (
    DEFAULT_FREEDOM,
    floor_of_scale,
    log_student,
    spread,
    student_levels,
    student_quantile,
)
from causalaug.densities._weighed import (
    WeighedRows,
    add_log_shares,
    effective_rows,
)
from causalaug.typing import FloatArray, IntArray

TAIL_ROWS = 1.0
"""Rows' worth of the broad tail in a kernel density. One row hardly moves a density where rows
are, and bounds the loss where none is."""

LEFT_OUT_ENTRIES = 40_000
"""Weights held at a time where rows are left out: small enough for the processor's cache. Four
times as many take a fifth longer on 300 rows (`benchmarks/before_after.py`, fixed share, Ridge);
of 1,000 rows an eighth of those that are left out is one block."""


@dataclass(frozen=True, eq=False)
class Broad:
    """A heavy-tailed density of a whole column, whatever the pillow: Student's t."""

    centre: float
    scale: float

    @classmethod
    def of(cls, values: FloatArray, share: FloatArray) -> "Broad":
        """Return the tail of weighted values."""
        centre = float(weighted_quantile(values, share, 0.5))
        return cls(centre, max(float(spread(values, share)), floor_of_scale(values)))

    def log_density(self, values: FloatArray) -> FloatArray:
        """Return the log-density of each value."""
        distance = (values - self.centre) / self.scale
        return log_student(distance, float(np.log(self.scale)), DEFAULT_FREEDOM)


def weighted_quantile(values: FloatArray, share: FloatArray, level: float) -> float:
    """Return the least value that at least `level` of the weight does not exceed."""
    order = np.argsort(values, kind="stable")
    running = np.cumsum(share[order])
    at = int(np.searchsorted(running, level * running[-1] * (1.0 - 1e-12)))
    return float(values[order[min(at, len(order) - 1)]])


@dataclass(frozen=True, eq=False)
class KernelDensity(WithCurves, Density):
    """A Gaussian bump on what each weighted row holds (or lends, with a shift), and a tail."""

    rows: WeighedRows
    values: FloatArray
    bandwidth: float
    tail: Broad
    shift: Shift | None = None

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value."""
        points = values.reshape(len(values), -1)
        result = np.empty(points.shape)
        for members, query, log_weights in self.rows.blocks(pillow):
            count = effective_rows(np.exp(log_weights))[query]
            lent, log_weight = self._lent(pillow[members]), log_weights[query]
            # One point of every row at a time: a cube of all would not fit into memory.
            for number, own in enumerate(points[members].T):
                distance = (own[:, np.newaxis] - lent) / self.bandwidth
                log_bump = log_student(distance, float(np.log(self.bandwidth)), np.inf)
                mixed = _log_sums(log_weight + log_bump)
                common = self.tail.log_density(own)
                result[members, number] = add_log_shares(mixed, count, common, TAIL_ROWS)
        return result.reshape(values.shape)

    def log_left_out(
        self, pillow: FloatArray, some: IntArray, rows: Sequence[WeighedRows] = ()
    ) -> FloatArray:
        """Return the log-density of the values of some rows, each without its own row.

        If rows are weighed in other ways, one after the other, the result has one row for each of
        these ways: the bumps are the same, and computed once.

        A few rows at a time: weights of all of them would fall out of the processor's cache, and
        take gigabytes at 100,000 rows.
        """
        ways = rows or (self.rows,)
        mixed, count = np.empty((len(ways), len(some))), np.empty((len(ways), len(some)))
        size = max(LEFT_OUT_ENTRIES // self.rows.n_rows, 1)
        for start in range(0, len(some), size):
            part = some[start : start + size]
            log_bumps = self._log_bumps(self.values[part], self._lent(pillow[part]))
            bumps = np.exp(log_bumps)
            for number, way in enumerate(ways):
                weights = way.without_own(pillow, part)
                count[number, start : start + size] = effective_rows(weights)
                mixed[number, start : start + size] = _log_mixed(weights, bumps, log_bumps)
        # The height of a bump: what was added up are bumps of height one.
        mixed -= np.log(self.bandwidth) + 0.5 * np.log(2.0 * np.pi)
        result = add_log_shares(mixed, count, self.tail.log_density(self.values[some]), TAIL_ROWS)
        return result if rows else result[0]

    def _log_bumps(self, values: FloatArray, held: FloatArray) -> FloatArray:
        """Return the logarithm of the bumps of all rows, of height one, at some values."""
        distance: FloatArray = values[:, np.newaxis] - held
        distance *= 1.0 / self.bandwidth
        with np.errstate(over="ignore"):  # so far out that nothing is left of the bump
            distance *= distance
        distance *= -0.5
        return distance

    def _lent(self, pillow: FloatArray) -> FloatArray:
        """Return what each row holds, or lends to each pillow: shape (1 or n, n_rows)."""
        if self.shift is None:
            return self.values[np.newaxis]
        owner, rows = np.divmod(np.arange(len(pillow) * self.rows.n_rows), self.rows.n_rows)
        return self.shift.values(pillow, owner, rows).reshape(len(pillow), self.rows.n_rows)

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return weighted quantiles of the rows, mixed with points of the tail."""
        if not pillow.shape[1] and len(pillow) > 1:
            return np.repeat(self.cover(pillow[:1], n_points), len(pillow), axis=0)
        n_tail = max(n_points // 3, 3)
        levels = (np.arange(n_points - n_tail) + 0.5) / (n_points - n_tail)
        result = np.empty((len(pillow), n_points))
        result[:, :n_tail] = self.tail.centre + self.tail.scale * student_levels(
            n_tail, DEFAULT_FREEDOM
        )
        for members, query, log_weights in self.rows.blocks(pillow):
            held = np.broadcast_to(self._lent(pillow[members]), (len(members), self.rows.n_rows))
            order = np.argsort(held, axis=1)
            running = np.cumsum(np.take_along_axis(np.exp(log_weights)[query], order, axis=1), 1)
            for column, level in enumerate(levels):
                at = (running[:, :-1] < level * running[:, -1:]).sum(axis=1)
                chosen = order[np.arange(len(members)), at]
                result[members, n_tail + column] = held[np.arange(len(members)), chosen]
        result.sort(axis=1)
        return result

    def along(self, values: FloatArray, pillow: FloatArray, position: int) -> Along:
        """Return the density along a column of the pillow: of many rows, as curves."""
        slow = super().along(values, pillow, position)
        rows = None if self.shift is not None else self.rows_along(position, pillow.shape[1])
        if rows is None:
            return slow
        keys = np.column_stack([values, np.delete(pillow, position, axis=1)])
        curves, grid = partial(self._curves, rows), knots_over(self.values, self.bandwidth)
        # Curves at knots of the value serve all rows, unless the rest of the pillow has numbers.
        if grid is None or rows.numbers:
            return Curves(rows.knots, curves(keys), slow)
        return Curves(rows.knots, rows.between(keys, 0, grid, curves), slow)

    def _curves(self, rows: RowsAlong, keys: FloatArray) -> FloatArray:
        """Return log-densities at the knots of keys: a value, and the rest of a pillow."""
        weights, tuple_of = rows.weights(keys[:, 1:])
        totals, values = rows.sums(weights), keys[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            mixed = np.log(rows.sums(weights[tuple_of] * self._bumps(values)))
            mixed -= np.log(totals)[tuple_of]
        mixed -= np.log(self.bandwidth) + 0.5 * np.log(2.0 * np.pi)
        common = self.tail.log_density(values)[:, np.newaxis]
        counts = rows.counts(weights, totals)[tuple_of]
        return add_log_shares(mixed, counts, common, TAIL_ROWS)

    def _bumps(self, values: FloatArray) -> FloatArray:
        """Return the bumps of all rows, of height one, at some values: shape (n, n_rows)."""
        return exp_roughly(self._log_bumps(values, self.values))

    def given(self, pillow: FloatArray) -> Along:
        """Return the density given rows of the pillow: of many rows, as curves."""
        slow = super().given(pillow)
        is_short = self.rows.n_rows < FEWEST_ROWS or not pillow.shape[1]
        knots = (
            None if is_short or self.shift is not None else knots_over(self.values, self.bandwidth)
        )
        if knots is None:
            return slow
        distinct, tuple_of = np.unique(pillow, axis=0, return_inverse=True)
        weights = exp_roughly(self.rows.log_weights(distinct))
        with one_blas_thread(), np.errstate(divide="ignore"):
            mixed = np.log(weights @ self._bumps(knots).T)
        mixed -= np.log(self.bandwidth) + 0.5 * np.log(2.0 * np.pi)
        counts = effective_rows(weights)[:, np.newaxis]
        logs = add_log_shares(mixed, counts, self.tail.log_density(knots), TAIL_ROWS)
        return Curves(knots, logs[tuple_of.reshape(-1)], slow)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return a value of the tail, or one near what a row holds.

        The first part of the unit interval is the tail's; the rest is cut into the weights of
        the rows. Where in its piece a number lies says how far from the row the value is.
        """
        result = np.empty(len(pillow))
        for members, query, log_weights in self.rows.blocks(pillow):
            weights = np.exp(log_weights)
            of_tail = (TAIL_ROWS / (effective_rows(weights) + TAIL_ROWS))[query]
            point = uniform[members]
            far = self.tail.centre + self.tail.scale * student_quantile(
                np.minimum(point / of_tail, 1.0), DEFAULT_FREEDOM
            )
            rest = np.clip((point - of_tail) / np.maximum(1.0 - of_tail, 1e-12), 0.0, 1.0)
            running = np.cumsum(weights, axis=1)[query]
            wanted = rest * running[:, -1]
            each = np.arange(len(members))
            at = (running[:, :-1] <= wanted[:, np.newaxis]).sum(axis=1)
            before = np.where(at > 0, running[each, np.maximum(at - 1, 0)], 0.0)
            width = np.maximum(running[each, at] - before, 1e-300)
            bump = student_quantile((wanted - before) / width, np.inf)
            held = np.broadcast_to(self._lent(pillow[members]), running.shape)[each, at]
            near = held + self.bandwidth * bump
            result[members] = np.where(point < of_tail, far, near)
        return result


def _log_mixed(weights: FloatArray, bumps: FloatArray, log_bumps: FloatArray) -> FloatArray:
    """Return the logarithm of the weighted sum of each row's bumps; a row of nothing has -inf."""
    sums = np.einsum("ij,ij->i", weights, bumps)
    # Smaller sums may have lost digits to underflow.
    small = np.flatnonzero(sums < 1e-290)
    with np.errstate(divide="ignore"):
        mixed: FloatArray = np.log(sums)
        if len(small):
            mixed[small] = _log_sums(np.log(weights[small]) + log_bumps[small])
    return mixed


def _log_sums(logs: FloatArray) -> FloatArray:
    """Return the logarithm of the sum of each row, given logarithms; overwrites them.

    As `scipy.special.logsumexp` does, which took most of the time of a fit to many rows. A row
    of nothing has -inf.
    """
    largest = logs.max(axis=1)
    largest[largest == -np.inf] = 0.0
    logs -= largest[:, np.newaxis]
    with np.errstate(divide="ignore"):
        sums: FloatArray = np.log(np.exp(logs, out=logs).sum(axis=1)) + largest
    return sums
