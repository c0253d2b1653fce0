"""Densities of one factor: levels, kernel densities, noise around a mean, atoms.

All of them answer in logarithms, and none is ever zero on a value that could be a number:
rows far from all others meet heavy tails, not minus infinity. What is smoothed is counted in
rows: the weighted rows of a pillow count as many as they effectively are, ``N = 1 / sum(w^2)``,
and a few rows' worth of the column's overall distribution is added to them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import gammaln, logsumexp, stdtrit

from causalaug.conditionals._base import (
    Density,
    FittedConditional,
    RowWeigher,
    Shift,
    dense_log_weights,
)
from causalaug.conditionals._mean import spread
from causalaug.factorization import Factor
from causalaug.kernels import silverman
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

NO_ATOMS: FloatArray = np.empty(0)

BLOCK_ENTRIES = 1 << 21
"""Entries of a matrix of queries by rows that are held at a time: 16 MB."""

DEFAULT_SMOOTHING = 1.0
"""Rows' worth of the overall frequencies that are added to those of each pillow."""

TAIL_ROWS = 1.0
"""Rows' worth of the broad tail in a kernel density. One row hardly moves a density where rows
are, and bounds the loss where none is."""

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


# Rows that are weighed by the pillow.


@dataclass(frozen=True, eq=False)
class WeighedRows:
    """The rows of a table as a weigher sees them, for distinct pillows, block after block."""

    weigher: RowWeigher
    n_rows: int

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
            members = order[start:stop]
            weights = dense_log_weights(self.weigher, distinct[first : first + size], self.n_rows)
            yield members, query_of[members] - first, weights


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
    """The weighted frequency of each level, smoothed by that of the whole column."""

    rows: WeighedRows
    levels: FloatArray
    level_of_row: IntArray
    share: FloatArray
    smoothing: float
    atoms: FloatArray = field(default_factory=NO_ATOMS.copy)

    @classmethod
    def of(
        cls, weigher: RowWeigher, values: FloatArray, share: FloatArray, smoothing: float
    ) -> "LevelDensity":
        """Return the density of a discrete column, given what weighs its rows."""
        levels, level_of_row = np.unique(values, return_inverse=True)
        overall = np.bincount(level_of_row, share, len(levels))
        rows = WeighedRows(weigher, len(values))
        return cls(rows, levels, level_of_row, overall / overall.sum(), smoothing)

    @cached_property
    def _indicator(self) -> FloatArray:
        return np.asarray(self.level_of_row[:, np.newaxis] == np.arange(len(self.levels)), float)

    def log_probabilities(self, pillow: FloatArray) -> FloatArray:
        """Return the log-probability of each level: shape (n, n_levels)."""
        result = np.empty((len(pillow), len(self.levels)))
        for members, query, log_weights in self.rows.blocks(pillow):
            result[members] = self._of_weights(np.exp(log_weights))[query]
        return result

    def _of_weights(self, weights: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            own = np.log(weights @ self._indicator)
            common = np.log(self.share)
        rows = effective_rows(weights)[:, np.newaxis]
        return add_log_shares(own, rows, common, self.smoothing)

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-probability of each value; -inf for a level that was never seen."""
        at = np.minimum(np.searchsorted(self.levels, values), len(self.levels) - 1)
        log_probability = self.log_probabilities(pillow)[np.arange(len(values)), at]
        return np.where(self.levels[at] == values, log_probability, -np.inf)

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return the levels, whatever the number of points."""
        return np.broadcast_to(self.levels, (len(pillow), len(self.levels)))

    def draw(self, pillow: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw a level for each row of the pillow."""
        running = np.cumsum(np.exp(self.log_probabilities(pillow)), axis=1)
        point = rng.random(len(pillow)) * running[:, -1]
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
        result = np.empty(len(values))
        for members, query, log_weights in self.rows.blocks(pillow):
            count = effective_rows(np.exp(log_weights))
            # A query may have many members, so that those are cut into pieces as well.
            size = max(BLOCK_ENTRIES // self.rows.n_rows, 1)
            for start in range(0, len(members), size):
                some, own = members[start : start + size], query[start : start + size]
                distance = (values[some][:, np.newaxis] - self._lent(pillow[some])) / self.bandwidth
                log_bump = log_student(distance, float(np.log(self.bandwidth)), np.inf)
                mixed = logsumexp(log_weights[own] + log_bump, axis=1)
                common = self.tail.log_density(values[some])
                result[some] = add_log_shares(mixed, count[own], common, TAIL_ROWS)
        return result

    def _lent(self, pillow: FloatArray) -> FloatArray:
        """Return what each row holds, or lends to each pillow: shape (1 or n, n_rows)."""
        if self.shift is None:
            return self.values[np.newaxis]
        owner, rows = np.divmod(np.arange(len(pillow) * self.rows.n_rows), self.rows.n_rows)
        return self.shift.values(pillow, owner, rows).reshape(len(pillow), self.rows.n_rows)

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return weighted quantiles of the rows, mixed with points of the tail."""
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

    def draw(self, pillow: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw a row for each pillow, and a value near what it holds."""
        result = np.empty(len(pillow))
        point, is_tail, normal = rng.random((3, len(pillow)))
        normal = rng.standard_normal(len(pillow))
        student = rng.standard_t(TAIL_FREEDOM, len(pillow))
        for members, query, log_weights in self.rows.blocks(pillow):
            weights = np.exp(log_weights)
            count = effective_rows(weights)[query]
            running = np.cumsum(weights, axis=1)[query]
            at = (running[:, :-1] <= (point[members] * running[:, -1])[:, np.newaxis]).sum(axis=1)
            held = np.broadcast_to(self._lent(pillow[members]), running.shape)
            near = held[np.arange(len(members)), at] + self.bandwidth * normal[members]
            far = self.tail.centre + self.tail.scale * student[members]
            from_tail = is_tail[members] * (count + TAIL_ROWS) < TAIL_ROWS
            result[members] = np.where(from_tail, far, near)
        return result


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

    def draw(self, pillow: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return the value for each row."""
        return np.full(len(pillow), self.value)


# Noise around a mean.


class LocationScale(Protocol):
    """A centre and a scale, given the pillow."""

    def __call__(self, pillow: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the centre and the scale at each row of the pillow."""


@dataclass(frozen=True, eq=False)
class NoiseDensity:
    """Student's t around a mean; the scale may depend on the pillow."""

    location: LocationScale
    freedom: float
    atoms: FloatArray = field(default_factory=NO_ATOMS.copy)
    levels: FloatArray | None = None

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value."""
        centre, scale = self.location(pillow)
        return log_student((values - centre) / scale, np.log(scale), self.freedom)

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return quantiles of the noise around the mean."""
        centre, scale = self.location(pillow)
        points = student_levels(n_points, self.freedom)
        return centre[:, np.newaxis] + scale[:, np.newaxis] * points

    def draw(self, pillow: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw a value for each row of the pillow."""
        centre, scale = self.location(pillow)
        if np.isinf(self.freedom):
            return centre + scale * rng.standard_normal(len(pillow))
        return centre + scale * rng.standard_t(self.freedom, len(pillow))


def fit_student_scale(residuals: FloatArray, share: FloatArray, freedom: float) -> float:
    """Return the scale of Student's t that makes weighted residuals most likely.

    A few steps of expectation and maximisation; each residual counts the less, the farther
    it is out. The Gaussian takes one.
    """
    scale = float(np.sqrt(share @ np.square(residuals)))
    if np.isinf(freedom) or scale == 0.0:
        return scale
    for _ in range(60):
        calm = (freedom + 1.0) / (freedom + np.square(residuals / scale))
        new = float(np.sqrt(share @ (calm * np.square(residuals))))
        if abs(new - scale) <= 1e-6 * scale or new == 0.0:
            return new
        scale = new
    return scale


def density_of(fitted: FittedConditional, table: Table, factor: Factor) -> Density:
    """Return the density of a factor: its own, or one made of the weighted rows.

    The slow default serves any conditional that can weigh rows: the frequency of each level,
    or a kernel density of what the weighted rows lend.
    """
    maker = RowDensities(fitted.weigher, fitted.shift) if fitted.density is None else fitted.density
    return maker.make_density(table, factor)


@dataclass(frozen=True, eq=False)
class RowDensities:
    """Makes densities of weighted rows."""

    weigher: RowWeigher
    shift: Shift | None = None
    level_smoothing: float = DEFAULT_SMOOTHING

    def make_density(self, table: Table, factor: Factor) -> Density:
        """Return the density of one factor."""
        column = table.index(factor.target)
        values = np.asarray(table.values[:, column])
        share = table.original_weights() / table.total_weight
        if table.kinds[column] != "continuous":
            return LevelDensity.of(self.weigher, values, share, self.level_smoothing)
        if np.ptp(values) == 0.0:
            return AtomDensity(float(values[0]))
        apart = values if self.shift is None else self.shift.marks
        return KernelDensity.of(self.weigher, values, share, silverman(apart), self.shift)
