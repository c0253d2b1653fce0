"""Densities of one factor: levels, kernel densities, noise around a mean, atoms.

All of them answer in logarithms, and none is ever zero on a value that could be a number:
rows far from all others meet heavy tails, not minus infinity. What is smoothed is counted in
rows: the weighted rows of a pillow count as many as they effectively are, ``N = 1 / sum(w^2)``,
and a few rows' worth of the column's overall distribution is added to them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np
from scipy.special import gammaln, logsumexp, ndtri, stdtrit

from causalaug.conditionals._base import (
    Density,
    FittedConditional,
    Shift,
)
from causalaug.conditionals._mean import spread
from causalaug.factorization import Factor
from causalaug.kernels import RowWeigher, silverman
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

AnyArray = TypeVar("AnyArray", FloatArray, IntArray)

NO_ATOMS: FloatArray = np.empty(0)

BLOCK_ENTRIES = 1 << 21
"""Entries of a matrix of queries by rows that are held at a time: 16 MB."""

DEFAULT_SMOOTHING = 1.0
"""Rows' worth of the overall frequencies that are added to those of each pillow."""

RANK_STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9)
"""Weights of the next rank that are tried for ordered levels; with 0 the order says nothing."""

MOST_LEFT_OUT = 300
"""Rows that are left out, one at a time, to judge a density; they tell as well as all would."""

TAIL_ROWS = 1.0
"""Rows' worth of the broad tail in a kernel density. One row hardly moves a density where rows
are, and bounds the loss where none is."""

FEWEST_AT_EDGE = 5
"""Fewer equal values on an edge are chance."""

LEAST_AT_EDGE = 0.1
"""The same as a share of all rows."""

TABLE_POINTS = 2048
"""Points of a table from which densities are interpolated."""

NARROWEST_IN_TABLE = 200.0
"""With more bandwidths than this in the range of a column, a table would be too coarse."""

TAIL_FREEDOM = 3.0
"""Degrees of freedom of broad tails."""

FARTHEST_LEVEL = 1e-4
"""Points of a quadrature start and end at this share of the mass."""


def log_student(distance: FloatArray, log_scale: FloatArray | float, freedom: float) -> FloatArray:
    """Return the log-density of Student's t at a distance in scales; ``inf`` is the Gaussian.

    >>> bool(np.isclose(np.exp(log_student(np.zeros(1), 0.0, 1.0))[0], 1.0 / np.pi))
    True
    """
    if np.isinf(freedom):
        gaussian: FloatArray = -0.5 * np.square(distance) - 0.5 * np.log(2.0 * np.pi) - log_scale
        return gaussian
    constant = gammaln(0.5 * (freedom + 1.0)) - gammaln(0.5 * freedom)
    constant -= 0.5 * np.log(freedom * np.pi)
    log_density: FloatArray = (
        constant - log_scale - 0.5 * (freedom + 1.0) * np.log1p(np.square(distance) / freedom)
    )
    return log_density


def student_levels(n_points: int, freedom: float) -> FloatArray:
    """Return points that cover Student's t, dense where its mass is.

    Levels are even on the scale of the logistic: half of the points are in the tails, which a
    posterior may need.
    """
    edge = np.log(1.0 / FARTHEST_LEVEL)
    levels = 1.0 / (1.0 + np.exp(-np.linspace(-edge, edge, n_points)))
    return np.asarray(stdtrit(min(freedom, 1e10), levels), dtype=np.float64)


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


def floor_of_scale(values: FloatArray) -> float:
    """Return the least scale of a noise: deterministic columns exist, infinite densities do not.

    A millionth of the spread, and what a double can resolve at the size of the values.
    """
    width = float(np.ptp(values)) if len(values) else 0.0
    size = float(np.abs(values).max(initial=0.0))
    return max(1e-6 * width, 1e-12 * size, float(np.finfo(float).tiny) * 1e10)


def weighted_quantile(values: FloatArray, share: FloatArray, level: float) -> float:
    """Return the least value that at least `level` of the weight does not exceed."""
    order = np.argsort(values, kind="stable")
    running = np.cumsum(share[order])
    at = int(np.searchsorted(running, level * running[-1] * (1.0 - 1e-12)))
    return float(values[order[min(at, len(order) - 1)]])


def some_rows(n_rows: int) -> IntArray:
    """Return the rows that are left out to judge a density: evenly spaced, or all."""
    return np.unique(np.linspace(0, n_rows - 1, MOST_LEFT_OUT).astype(np.int64))


def beside(by_row: AnyArray, values: FloatArray) -> AnyArray:
    """Return what there is for each row so that several values of a row may stand beside it."""
    return by_row[:, np.newaxis] if values.ndim == 2 else by_row


# Rows that are weighed by the pillow.


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
        distinct, query_of = np.unique(pillow, axis=0, return_inverse=True)
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
        weights = np.exp(self.weigher.log_weights(pillow[some]))
        weights[np.arange(len(some)), some] = 0.0
        total = weights.sum(axis=1, keepdims=True)
        shares: FloatArray = weights / np.where(total > 0.0, total, 1.0)
        return shares


def effective_rows(weights: FloatArray) -> FloatArray:
    """Return how many rows the weights of each query amount to, 0 where there are none."""
    squares = np.square(weights).sum(axis=-1)
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


@dataclass(frozen=True, eq=False)
class LevelDensity:
    """The weighted frequency of each level, smoothed by that of the whole column.

    `spread` says how much of a row counts for each level, shape (n_levels, n_levels): its own,
    unless levels have an order, in which those beside it count, too.
    """

    rows: WeighedRows
    levels: FloatArray
    level_of_row: IntArray
    share: FloatArray
    smoothing: float
    spread: FloatArray
    atoms: FloatArray = field(default_factory=NO_ATOMS.copy)

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

    def smoothed_by_rank(self, pillow: FloatArray, some: IntArray) -> "LevelDensity":
        """Return the density with the step between ranks under which left-out rows are likeliest.

        A count of 4 is likelier where 3 and 5 were seen. The kernel is Li and Racine's.
        """
        weights = self.rows.without_own(pillow, some)
        apart = np.abs(np.subtract.outer(np.arange(len(self.levels)), np.arange(len(self.levels))))
        best, largest = self, -np.inf
        for step in RANK_STEPS:
            kernel = step ** apart.astype(np.float64)
            fit = replace(self, spread=kernel / kernel.sum(axis=1, keepdims=True))
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

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-probability of each value; -inf for a level that was never seen."""
        at = np.minimum(np.searchsorted(self.levels, values), len(self.levels) - 1)
        row = beside(np.arange(len(values)), values)
        log_probability = self.log_probabilities(pillow)[row, at]
        return np.where(self.levels[at] == values, log_probability, -np.inf)

    def log_left_out(self, pillow: FloatArray, some: IntArray) -> FloatArray:
        """Return the log-probability of the levels of some rows, each without its own row."""
        return self._of_levels(self.rows.without_own(pillow, some), some)

    def _of_levels(self, weights: FloatArray, some: IntArray) -> FloatArray:
        """Return the log-probability of the levels of some rows, given weights of all rows."""
        return self._of_weights(weights)[np.arange(len(some)), self.level_of_row[some]]

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
class KernelDensity:
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
                mixed = logsumexp(log_weight + log_bump, axis=1)
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
        knots = np.linspace(low - margin, high + margin, TABLE_POINTS)
        return knots, self._exact(knots, np.empty((len(knots), 0)))

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

    def log_left_out(self, pillow: FloatArray, some: IntArray) -> FloatArray:
        """Return the log-density of the values of some rows, each without its own row."""
        weights = self.rows.without_own(pillow, some)
        values = self.values[some]
        distance = (values[:, np.newaxis] - self._lent(pillow[some])) / self.bandwidth
        log_bump = log_student(distance, float(np.log(self.bandwidth)), np.inf)
        with np.errstate(divide="ignore"):
            mixed = logsumexp(np.log(weights) + log_bump, axis=1)
        common = self.tail.log_density(values)
        return add_log_shares(mixed, effective_rows(weights), common, TAIL_ROWS)

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


def student_quantile(level: FloatArray, freedom: float) -> FloatArray:
    """Return the quantile of Student's t, or of the Gaussian; never infinite."""
    inside = np.clip(level, 1e-9, 1.0 - 1e-9)
    quantile = ndtri(inside) if np.isinf(freedom) else stdtrit(freedom, inside)
    return np.asarray(quantile, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class AtomDensity:
    """One value that has all the mass: a column that never varied."""

    value: float
    levels: FloatArray | None = None

    @property
    def atoms(self) -> FloatArray:
        """The value."""
        return np.array([self.value])

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return 0 at the value and -inf elsewhere."""
        return np.where(values == self.value, 0.0, -np.inf)

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return the value, as often as asked."""
        return np.full((len(pillow), n_points), self.value)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return the value for each row."""
        return np.full(len(pillow), self.value)


# Noise around a mean.


class LocationScale(Protocol):
    """A centre and a scale, given the pillow."""

    def __call__(self, pillow: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the centre and the scale at each row of the pillow."""


def fit_student_scale(residuals: FloatArray, share: FloatArray, freedom: float) -> float:
    """Return the scale of Student's t that makes weighted residuals most likely.

    A few steps of expectation and maximisation; each residual counts the less, the farther
    it is out. The Gaussian takes one.
    """
    unit = float(np.ldexp(1.0, np.frexp(np.abs(residuals).max(initial=0.0))[1]))
    squares = np.square(residuals / unit)
    scale = float(share @ squares)
    for _ in range(60 if np.isfinite(freedom) and scale > 0.0 else 0):
        new = float(share @ (squares * ((freedom + 1.0) / (freedom + squares / scale))))
        if abs(new - scale) <= 1e-4 * scale:
            break
        scale = new
    return unit * float(np.sqrt(scale))


@dataclass(frozen=True, eq=False)
class EdgeDensity:
    """Values that pile up on an edge, and a density of all others: a dose of zero, or some."""

    at_edge: LevelDensity
    beyond: Density
    edge: float
    levels: FloatArray | None = None

    @property
    def atoms(self) -> FloatArray:
        """The edge."""
        return np.array([self.edge])

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-probability of the edge, and the log-density of other values."""
        log_share = beside(self.at_edge.log_probabilities(pillow), values)
        beyond = self.beyond.log_density(values, pillow)
        return np.where(values == self.edge, log_share[..., 1], log_share[..., 0] + beyond)

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return points of the values beyond the edge."""
        return self.beyond.cover(pillow, n_points)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return the edge for the first numbers, and other values for the rest."""
        share = np.exp(self.at_edge.log_probabilities(pillow)[:, 1])
        rest = np.clip((uniform - share) / np.maximum(1.0 - share, 1e-12), 0.0, 1.0)
        return np.where(uniform < share, self.edge, self.beyond.draw(pillow, rest))


def find_edge(values: FloatArray, share: FloatArray) -> float | None:
    """Return the smallest or largest value if values pile up there, and nowhere else.

    >>> dose = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.3, 2.2, 0.7, 4.1, 3.3])
    >>> find_edge(dose, np.full(10, 0.1))
    0.0
    """
    distinct, number = np.unique(values, return_inverse=True)
    counts, weight = np.bincount(number), np.bincount(number, share)
    at = 0 if weight[0] >= weight[-1] else len(distinct) - 1
    inside = np.delete(counts, at)
    piles_up = counts[at] >= FEWEST_AT_EDGE and weight[at] >= LEAST_AT_EDGE
    if len(inside) < 2 or not piles_up or inside.max() * 3 > counts[at]:
        return None
    return float(distinct[at])


def density_of(fitted: FittedConditional, table: Table, factor: Factor) -> Density:
    """Return the density of a factor: its own, or one made of the weighted rows.

    The slow default serves any conditional that can weigh rows: the frequency of each level,
    or a kernel density of what the weighted rows lend. Where values pile up on an edge, that has
    a probability of its own, and the density is one of the other rows.
    """
    maker = RowDensities(fitted.weigher, fitted.shift) if fitted.density is None else fitted.density
    column = table.index(factor.target)
    values = np.asarray(table.values[:, column])
    share = table.original_weights() / table.total_weight
    edge = find_edge(values, share) if table.kinds[column] == "continuous" else None
    if edge is None:
        return maker.make_density(table, factor)
    on_edge = (values == edge).astype(np.float64)
    at_edge = LevelDensity.of(fitted.weigher, on_edge, share, DEFAULT_SMOOTHING)
    return EdgeDensity(
        at_edge, maker.make_density(table, factor, np.flatnonzero(on_edge == 0.0)), edge
    )


@dataclass(frozen=True, eq=False)
class RowDensities:
    """Makes densities of weighted rows."""

    weigher: RowWeigher
    shift: Shift | None = None
    level_smoothing: float = DEFAULT_SMOOTHING

    def make_density(self, table: Table, factor: Factor, among: IntArray | None = None) -> Density:
        """Return the density of one factor."""
        column = table.index(factor.target)
        values = np.asarray(table.values[:, column])
        share = table.original_weights() / table.total_weight
        if table.kinds[column] != "continuous":
            density = LevelDensity.of(self.weigher, values, share, self.level_smoothing)
            has_order = table.kinds[column] == "ordered" and len(density.levels) > 2
            if not has_order or self.level_smoothing == 0.0:
                return density
            pillow = table.values[:, [table.index(name) for name in factor.pillow]]
            return density.smoothed_by_rank(pillow, some_rows(table.n_rows))
        if np.ptp(values) == 0.0:
            return AtomDensity(float(values[0]))
        apart = values if self.shift is None else self.shift.marks
        if among is None:
            return KernelDensity.of(self.weigher, values, share, silverman(apart), self.shift)
        bandwidth = max(silverman(apart[among]), floor_of_scale(values))
        tail = Broad.of(values[among], share[among] / share[among].sum())
        rows = WeighedRows(self.weigher, len(values), among)
        return KernelDensity(rows, values, bandwidth, tail, self.shift)
