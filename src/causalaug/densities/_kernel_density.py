"""The density of a number as weighted rows tell it: a bump on each, and a broad tail.

It is never zero on a value that could be a number: rows far from all others meet heavy tails, not
minus infinity.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from causalaug._threads import one_blas_thread
from causalaug.densities._base import (
    NO_ATOMS,
    Along,
    Density,
    HeldDensity,
    Shift,
    SlowWays,
)
from causalaug.densities._curves import FEWEST_ROWS, Curves, RowsAlong, exp_roughly, knots_over
from causalaug.densities._spread import spread
from causalaug.densities._student import (
    floor_of_scale,
    log_student,
    student_levels,
    student_quantile,
)
from causalaug.densities._weighed import (
    WeighedRows,
    add_log_shares,
    effective_rows,
    row_products,
)
from causalaug.kernels import RowWeigher
from causalaug.typing import FloatArray, IntArray

TAIL_ROWS = 1.0
"""Rows' worth of the broad tail in a kernel density. One row hardly moves a density where rows
are, and bounds the loss where none is."""

TABLE_POINTS = 2048
"""Points of a table from which densities are interpolated, at most."""

POINTS_PER_BANDWIDTH = 32
"""A line between points so close is off by at most 4e-4 in logarithm in half of all columns, and
by 6e-3 in wide ones, whose table is as long as it may be (150 columns of 10 to 300 rows, skewed,
of two humps and of heavy tails among them). With the longest table for all, and bumps added up in
logarithms, `log_density` of 40 rows took six times as long (160 rows of 12 columns)."""

SMALLEST_SUM = 1e-290
"""Sums of bumps below it may have lost digits to underflow."""

NARROWEST_IN_TABLE = 200.0
"""With more bandwidths than this in the range of a column, a table would be too coarse."""

LEFT_OUT_ENTRIES = 40_000
"""Weights held at a time where rows are left out: small enough for the processor's cache. Four
times as many take a fifth longer on 300 rows (`benchmarks/before_after.py`, fixed share, Ridge);
of 1,000 rows an eighth of those that are left out is one block."""

TAIL_FREEDOM = 3.0
"""Degrees of freedom of broad tails."""


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
        return log_student(distance, float(np.log(self.scale)), TAIL_FREEDOM)


def weighted_quantile(values: FloatArray, share: FloatArray, level: float) -> float:
    """Return the least value that at least `level` of the weight does not exceed."""
    order = np.argsort(values, kind="stable")
    running = np.cumsum(share[order])
    at = int(np.searchsorted(running, level * running[-1] * (1.0 - 1e-12)))
    return float(values[order[min(at, len(order) - 1)]])


@dataclass(frozen=True, eq=False)
class KernelDensity(SlowWays):
    """A Gaussian bump on what each weighted row holds (or lends, with a shift), and a tail."""

    rows: WeighedRows
    values: FloatArray
    bandwidth: float
    tail: Broad
    shift: Shift | None = None
    atoms: FloatArray = field(default_factory=NO_ATOMS.copy)
    levels: FloatArray | None = None

    @classmethod
    def of(
        cls,
        weigher: RowWeigher,
        values: FloatArray,
        share: FloatArray,
        bandwidth: float,
        shift: Shift | None = None,
    ) -> "KernelDensity":
        """Return the density of a column of numbers, given what weighs its rows."""
        rows = WeighedRows(weigher, len(values))
        bandwidth = max(bandwidth, floor_of_scale(values))
        return cls(rows, values, bandwidth, Broad.of(values, share), shift)

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value."""
        if not pillow.shape[1] and self._table is not None:
            return self._from_table(values, *self._table)
        return self._exact(values, pillow)

    def _exact(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
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

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray] | None:
        """Points and log-densities without a pillow, where rows are; None if bumps are narrow.

        Between points that are far closer than the bumps are wide, a line is exact to more
        digits than the density itself is known to. A posterior asks for a million values.
        """
        low, high = self.values.min(), self.values.max()
        margin = 6.0 * self.bandwidth
        if self.shift is not None or high - low > NARROWEST_IN_TABLE * self.bandwidth:
            return None
        n_bandwidths = (high - low + 2.0 * margin) / self.bandwidth
        n_points = min(int(POINTS_PER_BANDWIDTH * n_bandwidths), TABLE_POINTS)
        knots = np.linspace(low - margin, high + margin, n_points)
        return knots, self._without_pillow(knots)

    def _without_pillow(self, values: FloatArray) -> FloatArray:
        """Return what `_exact` does where there is no pillow, and no value is far from all rows.

        Bumps need not be added up in logarithms: where they vanish, the tail is all there is.
        """
        weights = np.exp(self.rows.log_weights(np.empty((1, 0)))[0])
        sums = np.empty(len(values))
        size = max(LEFT_OUT_ENTRIES // self.rows.n_rows, 1)
        for start in range(0, len(values), size):
            bumps = np.subtract.outer(values[start : start + size], self.values)
            bumps *= 1.0 / self.bandwidth
            bumps *= bumps
            bumps *= -0.5
            sums[start : start + size] = np.exp(bumps, out=bumps) @ weights
        with np.errstate(divide="ignore"):
            mixed = np.log(sums) - np.log(self.bandwidth * np.sqrt(2.0 * np.pi))
        count = np.full(len(values), self._count)
        return add_log_shares(mixed, count, self.tail.log_density(values), TAIL_ROWS)

    def _from_table(
        self, values: FloatArray, knots: FloatArray, log_densities: FloatArray
    ) -> FloatArray:
        result: FloatArray = np.interp(values, knots, log_densities)
        outside = (values < knots[0]) | (values > knots[-1])
        # Beyond six bandwidths only the tail is left.
        weight = np.log(TAIL_ROWS) - np.log(self._count + TAIL_ROWS)
        result[outside] = self.tail.log_density(values[outside]) + weight
        return result

    @cached_property
    def _count(self) -> float:
        """How many rows there are, effectively, without a pillow."""
        log_weights = self.rows.log_weights(np.empty((1, 0)))
        return float(effective_rows(np.exp(log_weights))[0])

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
        weighed = [way.sums_without_own(pillow, some, size) for way in ways]
        room = np.empty((min(size, len(some)), self.rows.n_rows))
        for start in range(0, len(some), size):
            part = slice(start, start + size)
            bumps = self._log_bumps(pillow, some[part], room=room)
            np.exp(bumps, out=bumps)
            for number, way in enumerate(weighed):
                weights, total, count[number, part] = next(way)
                logs = _log_mixed(weights, bumps, partial(self._log_bumps, pillow, some[part]))
                mixed[number, part] = logs - np.log(np.where(total > 0.0, total, 1.0))
        # The height of a bump: what was added up are bumps of height one.
        mixed -= np.log(self.bandwidth) + 0.5 * np.log(2.0 * np.pi)
        result = add_log_shares(mixed, count, self.tail.log_density(self.values[some]), TAIL_ROWS)
        return result if rows else result[0]

    def _log_bumps(
        self,
        pillow: FloatArray,
        some: IntArray,
        among: IntArray | slice = slice(None),
        room: FloatArray | None = None,
    ) -> FloatArray:
        """Return the logarithm of the bumps of all rows, of height one, at the values of some.

        Only those numbered `among` these are wanted. They are written to an array that may be
        given: to fetch memory for each block takes as long as a pass over it.
        """
        some = some[among]
        out = None if room is None else room[: len(some)]
        own = self.values[some][:, np.newaxis]
        distance: FloatArray = np.subtract(own, self._lent(pillow[some]), out=out)
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
            n_tail, TAIL_FREEDOM
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
        rows = None if self.shift is not None else self._along(position, pillow.shape[1])
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

    def _along(self, position: int, n_columns: int) -> RowsAlong | None:
        """Return the rows along a column of the pillow, once for all who ask."""
        if position not in self._kept:
            self._kept[position] = RowsAlong.of(self.rows, position, n_columns)
        return self._kept[position]

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what `_along` can make again: it is far larger than all else."""
        return {name: value for name, value in vars(self).items() if name != "_kept"}

    @cached_property
    def _kept(self) -> dict[int, RowsAlong | None]:
        """What `_along` has returned, by position."""
        return {}

    def _bumps(self, values: FloatArray) -> FloatArray:
        """Return the bumps of all rows, of height one, at some values: shape (n, n_rows)."""
        distance = np.subtract.outer(values, self.values)
        distance *= 1.0 / self.bandwidth
        with np.errstate(over="ignore"):  # so far out that nothing is left of the bump
            distance *= distance
        distance *= -0.5
        return exp_roughly(distance)

    def held(self, pillow: FloatArray) -> Density:
        """Return the density given rows of the pillow: of many rows, as curves."""
        held = super().held(pillow)
        is_short = self.rows.n_rows < FEWEST_ROWS or not pillow.shape[1]
        knots = (
            None if is_short or self.shift is not None else knots_over(self.values, self.bandwidth)
        )
        if knots is None:
            return held
        distinct, tuple_of = np.unique(pillow, axis=0, return_inverse=True)
        weights = exp_roughly(self.rows.log_weights(distinct))
        with one_blas_thread(), np.errstate(divide="ignore"):
            mixed = np.log(weights @ self._bumps(knots).T)
        mixed -= np.log(self.bandwidth) + 0.5 * np.log(2.0 * np.pi)
        counts = effective_rows(weights)[:, np.newaxis]
        logs = add_log_shares(mixed, counts, self.tail.log_density(knots), TAIL_ROWS)
        return HeldCurves(self, pillow, knots, logs[tuple_of.reshape(-1)])

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
                np.minimum(point / of_tail, 1.0), TAIL_FREEDOM
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


@dataclass(frozen=True, eq=False)
class HeldCurves(HeldDensity):
    """A density given rows of its pillow, as a curve for each: shape of `logs` (n, n_knots)."""

    knots: FloatArray
    logs: FloatArray

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value given the row whose number is beside it."""
        curves = Curves(self.knots, self.logs, self._slow)
        rows = pillow[:, 0].astype(np.int64)
        return curves(rows, values.reshape(len(rows), -1)).reshape(values.shape)

    def _slow(self, rows: IntArray, points: FloatArray) -> FloatArray:
        return self.density.log_density(points, self.pillow[rows])


def _log_mixed(
    weights: FloatArray, bumps: FloatArray, log_bumps: Callable[[IntArray], FloatArray]
) -> FloatArray:
    """Return the logarithm of the weighted sum of each row's bumps; a row of nothing has -inf.

    The logarithms of bumps are only asked for of rows whose bumps are too small to be added up.
    """
    sums = row_products(weights, bumps)
    small = np.flatnonzero(sums < SMALLEST_SUM)
    with np.errstate(divide="ignore"):
        mixed: FloatArray = np.log(sums)
        if len(small):
            mixed[small] = _log_sums(np.log(weights[small]) + log_bumps(small))
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
