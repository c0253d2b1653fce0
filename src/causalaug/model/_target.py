"""From a model, a target and coded rows to a `Prediction`: which factors matter where.

A row may lack cells. What it lacks is integrated out jointly with the target. Rows that lack the
same cells are answered together: they need the same factors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp

from causalaug.model._bounds import MeanBounds
from causalaug.model._posterior import (
    BLOCK_ROWS,
    Child,
    Posterior,
    distributions,
    means,
    normalised,
    padded,
    probabilities,
)
from causalaug.model._prediction import Prediction
from causalaug.table import Table, level_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from causalaug.densities import Density
    from causalaug.factorization import Factor
    from causalaug.typing import BoolArray, FloatArray, IntArray

MOST_COMPLETIONS = 256
"""Hidden levels are enumerated if they have at most so many combinations, and else drawn."""

N_DRAWS = 256
"""Completions that are drawn for a row."""

N_KEPT = 24
"""Completions that are kept of these, by weight; the target is integrated given each."""

SEED = 0
"""The seed of draws that are no random result: in predictions, and of holes of originals."""


@dataclass(frozen=True, eq=False)
class Target:
    """One variable as the target, with all factors of the model."""

    table: Table
    factors: Sequence[Factor]
    densities: Sequence[Density]
    name: str

    @property
    def density(self) -> Density:
        """The density of the target given its pillow."""
        return self.densities[self._number(self.name)]

    def _number(self, name: str) -> int:
        return [factor.target for factor in self.factors].index(name)

    def predict(self, values: FloatArray) -> Prediction:
        """Return the distribution of the target in each row; NaN is a missing cell."""
        levels = self.density.levels
        if levels is not None:
            result = np.empty((len(values), len(levels)))
            for rows, hidden in self._patterns(values):
                result[rows] = self._probabilities(values[rows], hidden, levels)
            return Prediction(self.name, _cells_of(self.table, self.name, levels), result)
        parts = [
            (rows, *self._distributions(values[rows], hidden))
            for rows, hidden in self._patterns(values)
        ]
        column = self.table.index(self.name)
        is_integer = self.table.resolution[column] == 1.0
        points, cumulative = _gathered(parts, len(values))
        numbers, bounds = (
            self.table.numbers(column, each)
            for each in (points, np.column_stack(self.bounds(values)))
        )
        return Prediction(self.name, None, None, numbers, cumulative, is_integer, bounds)

    def means(self, values: FloatArray) -> FloatArray:
        """Return the mean of a number in complete rows, without its whole distribution."""
        unbounded = means(self.posterior(range(len(self.factors))), values)
        found = self.bounds.clip(unbounded, values)
        return self.table.numbers(self.table.index(self.name), found)

    @cached_property
    def bounds(self) -> MeanBounds:
        """How far the mean of a number may lie beyond the rows, in the coding of the table."""
        return MeanBounds.of(self.table, self.name)

    def posterior(self, factors: Sequence[int]) -> Posterior:
        """Return the product of some of the factors, as a function of the target."""
        children = []
        for number in factors:
            factor = self.factors[number]
            if self.name in factor.pillow:
                pillow = np.array([self.table.index(name) for name in factor.pillow])
                position = factor.pillow.index(self.name)
                column = self.table.index(factor.target)
                children.append(Child(self.densities[number], column, pillow, position))
        own = self.factors[self._number(self.name)]
        columns = np.array([self.table.index(name) for name in own.pillow], dtype=np.int64)
        return Posterior(self.density, columns, tuple(children))

    def _probabilities(
        self, values: FloatArray, hidden: tuple[str, ...], levels: FloatArray
    ) -> FloatArray:
        factors, joint = relevant_factors(self.factors, self.name, hidden)
        posterior = self.posterior(factors)
        if not joint:
            return probabilities(posterior, values, levels)
        result = np.empty((len(values), len(levels)))
        for rows, completed, log_weights in self._completions(values, factors, joint):
            points = np.broadcast_to(levels, (len(completed), len(levels)))
            log_joint = posterior.log_joint(completed, points)
            if self._is_drawn(joint):
                # Draws follow their own probability already, whatever the target.
                log_joint -= logsumexp(log_joint, axis=1, keepdims=True)
            by_row = (log_joint + log_weights.reshape(-1, 1)).reshape(len(rows), -1, len(levels))
            result[rows] = normalised(logsumexp(by_row, axis=1))
        return result

    def _distributions(
        self, values: FloatArray, hidden: tuple[str, ...]
    ) -> tuple[FloatArray, FloatArray]:
        factors, joint = relevant_factors(self.factors, self.name, hidden)
        posterior = self.posterior(factors)
        if not joint:
            return distributions(posterior, values)[:2]
        points, cumulative = [], []
        for rows, completed, log_weights in self._completions(values, factors, joint):
            own, running, log_mass = distributions(posterior, completed)
            if not self._is_drawn(joint):
                log_weights = log_weights + log_mass.reshape(log_weights.shape)
            mixed = mix_distributions(own, running, normalised(log_weights))
            assert len(mixed[0]) == len(rows)
            points.append(mixed[0])
            cumulative.append(mixed[1])
        return np.concatenate(points), np.concatenate(cumulative)

    def _is_drawn(self, joint: Sequence[str]) -> bool:
        """Say whether hidden cells are drawn, not enumerated."""
        levels = [self.densities[self._number(name)].levels for name in joint]
        counts = [MOST_COMPLETIONS + 1 if each is None else len(each) for each in levels]
        return bool(np.prod(counts, dtype=float) > MOST_COMPLETIONS)

    def _completions(
        self, values: FloatArray, factors: Sequence[int], joint: Sequence[str]
    ) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """Yield rows, their completions one row after the other, and log-weights of these.

        Shapes: (m,), (m * n_completions, n_columns), (m, n_completions). Enumerated completions
        are weighed by the factors that do not hold the target; drawn ones are all alike.
        """
        size = max(BLOCK_ROWS // N_DRAWS, 1)
        for start in range(0, len(values), size):
            block = values[start : start + size]
            rows = np.arange(start, start + len(block))
            if self._is_drawn(joint):
                completed = self._drawn(block, factors, joint)
                yield rows, completed, np.zeros((len(block), N_KEPT))
                continue
            completed = self.enumerated(block, joint)
            others = [
                number
                for number in factors
                if self.name not in (self.factors[number].target, *self.factors[number].pillow)
            ]
            log_weights = self.log_product(completed, others)
            yield rows, completed, log_weights.reshape(len(block), -1)

    def enumerated(self, values: FloatArray, joint: Sequence[str]) -> FloatArray:
        """Return every completion of the hidden cells by levels, row by row."""
        levels = [self.densities[self._number(name)].levels for name in joint]
        grid = np.array(list(product(*(each for each in levels if each is not None))))
        completed = np.repeat(values, len(grid), axis=0)
        columns = [self.table.index(name) for name in joint]
        completed[:, columns] = np.tile(grid, (len(values), 1))
        return completed

    def _drawn(
        self, values: FloatArray, factors: Sequence[int], joint: Sequence[str]
    ) -> FloatArray:
        """Return completions drawn along the graph and chosen by how well they fit the rest."""
        completed, weights = self.candidates(values, factors, joint)
        chosen = systematic(weights, N_KEPT)
        chosen += np.arange(len(values))[:, np.newaxis] * N_DRAWS
        kept: FloatArray = completed[chosen.ravel()]
        return kept

    def candidates(
        self, values: FloatArray, factors: Sequence[int], joint: Sequence[str]
    ) -> tuple[FloatArray, FloatArray]:
        """Return completions drawn along the graph, and how well each fits the rest.

        Shapes: (n_rows * N_DRAWS, n_columns), one row after the other, and (n_rows, N_DRAWS).
        All unknown cells, the target among them, are drawn from their own factors in order;
        each draw is weighed by the factors of the cells that are known. The numbers behind
        the draws are the same for every row, so that a row's answer does not depend on others.
        """
        unknown = {*joint, self.name}
        completed = np.repeat(values, N_DRAWS, axis=0)
        log_weights = np.zeros(len(completed))
        rng = np.random.default_rng(SEED)
        for number in sorted(factors):
            factor = self.factors[number]
            pillow = completed[:, [self.table.index(name) for name in factor.pillow]]
            column = self.table.index(factor.target)
            if factor.target in unknown:
                even = (rng.permutation(N_DRAWS) + rng.random(N_DRAWS)) / N_DRAWS
                uniform = np.tile(even, len(values))
                completed[:, column] = self.densities[number].draw(pillow, uniform)
            else:
                log_weights += self.densities[number].log_density(completed[:, column], pillow)
        return completed, normalised(log_weights.reshape(len(values), N_DRAWS))

    def log_product(self, values: FloatArray, factors: Sequence[int]) -> FloatArray:
        """Return the log of the product of some factors in complete rows."""
        total = np.zeros(len(values))
        for number in factors:
            factor = self.factors[number]
            pillow = values[:, [self.table.index(name) for name in factor.pillow]]
            own = values[:, self.table.index(factor.target)]
            total += self.densities[number].log_density(own, pillow)
        return total

    def _patterns(self, values: FloatArray) -> Iterator[tuple[IntArray, tuple[str, ...]]]:
        """Yield rows that lack the same cells, with the names of these; never the target."""
        missing: BoolArray = np.isnan(values)
        missing[:, self.table.index(self.name)] = False
        patterns, of_row = np.unique(missing, axis=0, return_inverse=True)
        of_row = of_row.reshape(-1)
        for number, pattern in enumerate(patterns):
            hidden = tuple(
                name for name, lacks in zip(self.table.columns, pattern, strict=True) if lacks
            )
            yield np.flatnonzero(of_row == number), hidden


def relevant_factors(
    factors: Sequence[Factor], target: str, hidden: Sequence[str]
) -> tuple[list[int], tuple[str, ...]]:
    """Return the factors that say something of the target, and the hidden cells they touch.

    A hidden variable that no other factor looks at sums to one with its own factor, and both are
    left out; then perhaps the next. Of the factors that are left, those count that reach the
    target through unknown variables.

    >>> from causalaug import factorize, read_graph
    >>> chain = factorize(read_graph("a -> y; y -> b; b -> c"))
    >>> relevant_factors(chain, "y", ["c"])
    ([1, 2], ())
    >>> relevant_factors(chain, "y", ["b"])
    ([1, 2, 3], ('b',))
    """
    kept = dict(enumerate(factors))
    unknown = set(hidden)
    for number in sorted(kept, reverse=True):
        name = factors[number].target
        if name in unknown and not any(name in each.pillow for each in kept.values()):
            del kept[number]
            unknown.discard(name)
    reached, frontier = {target}, [target]
    while frontier:
        name = frontier.pop()
        for each in kept.values():
            scope = {each.target, *each.pillow}
            new = (scope & unknown) - reached if name in scope else set()
            reached |= new
            frontier += sorted(new)
    touched = [number for number, each in kept.items() if reached & {each.target, *each.pillow}]
    return touched, tuple(name for name in hidden if name in reached)


def systematic(weights: FloatArray, n_kept: int) -> IntArray:
    """Return the numbers of `n_kept` entries of each row, each about as often as it weighs.

    >>> systematic(np.array([[0.5, 0.25, 0.25]]), 4)
    array([[0, 0, 1, 2]])
    """
    running = np.cumsum(weights, axis=1)
    levels = (np.arange(n_kept) + 0.5) / n_kept * running[:, -1:]
    chosen: IntArray = (running[:, np.newaxis, :-1] < levels[:, :, np.newaxis]).sum(axis=2)
    return chosen


def mix_distributions(
    points: FloatArray, cumulative: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return one distribution for each row of weights, mixed of as many as it has columns.

    Shapes: points and cumulative (n * n_parts, n_points), weights (n, n_parts). Every space
    between two points counts as its middle; of these, quantiles are kept.
    """
    n_rows = len(weights)
    middles = (0.5 * (points[:, 1:] + points[:, :-1])).reshape(n_rows, -1)
    masses = np.diff(cumulative, axis=1) * weights.reshape(-1, 1)
    masses = masses.reshape(n_rows, -1)
    order = np.argsort(middles, axis=1, kind="stable")
    running = np.cumsum(np.take_along_axis(masses, order, 1), axis=1)
    running /= running[:, -1:]
    levels = np.concatenate([[0.0, 1e-3], np.linspace(0.005, 0.995, 199), [0.999, 1.0]])
    at = np.stack([np.searchsorted(each, levels - 1e-12) for each in running])
    at = np.take_along_axis(order, np.minimum(at, middles.shape[1] - 1), 1)
    return np.take_along_axis(middles, at, 1), np.broadcast_to(levels, at.shape).copy()


def mix_predictions(parts: Sequence[Prediction], weights: FloatArray) -> Prediction:
    """Return the mixture of what several models say of the same rows.

    The models know the same table, so that levels and bounds are the same. Of numbers quantiles are
    kept: for an exact mean, take the weighted one of the means.
    """
    first = parts[0]
    if len(parts) == 1 or not len(first):
        return first
    if first.probabilities is not None:
        chances = [each.probabilities for each in parts if each.probabilities is not None]
        return replace(first, probabilities=np.tensordot(weights, np.stack(chances), axes=1))
    points = _side_by_side([each.points for each in parts])
    cumulative = _side_by_side([each.cumulative for each in parts])
    by_row = np.broadcast_to(weights, (len(first), len(parts)))
    points, cumulative = mix_distributions(points, cumulative, by_row)
    return replace(first, points=points, cumulative=cumulative)


def _side_by_side(parts: Sequence[FloatArray | None]) -> FloatArray:
    """Return the rows of several arrays in turns: the first of each, then the second of each."""
    arrays = [each for each in parts if each is not None]
    width = max(each.shape[1] for each in arrays)
    stacked = np.stack([padded(each, width) for each in arrays], axis=1)
    return stacked.reshape(-1, width)


def _cells_of(table: Table, name: str, levels: FloatArray) -> Any:
    """Return the cells that levels stand for, as an array."""
    _, cells = level_cells(table, name)
    # One by one: numpy would take apart cells that are tuples.
    objects = np.empty(len(cells), dtype=object)
    for number, cell in enumerate(cells):
        objects[number] = cell
    if any(isinstance(cell, tuple) for cell in cells):
        return objects
    array = np.array(cells)
    return array if array.ndim == 1 and array.dtype.kind in "biufUM" else objects


def _gathered(
    parts: Sequence[tuple[IntArray, FloatArray, FloatArray]], n_rows: int
) -> tuple[FloatArray, FloatArray]:
    """Return points and cumulative distributions of all rows, in their order."""
    width = max((points.shape[1] for _, points, _ in parts), default=2)
    points, cumulative = np.empty((n_rows, width)), np.empty((n_rows, width))
    for rows, own, running in parts:
        points[rows], cumulative[rows] = padded(own, width), padded(running, width)
    return points, cumulative
