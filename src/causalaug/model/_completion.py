"""Missing cells drawn given the observed ones, or all their completions with probabilities.

The law of the missing cells of a row is proportional to the product of all factors that touch one
of them. It falls into parts that know nothing of each other, and each is done in the best way
that there is:

- a variable that no other factor looks at follows its own factor, given its pillow, and comes last;
- a single variable is drawn from its posterior, which `GraphModel.predict` integrates as well;
- a few levels are enumerated;
- all else is drawn along the graph, weighed by the factors of the cells that are known, and chosen
  by weight.

Rows that need the same are done together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from causalaug.exceptions import ParameterError
from causalaug.model._posterior import distributions, normalised, probabilities
from causalaug.model._prediction import Prediction
from causalaug.model._target import MOST_COMPLETIONS, Target, relevant_factors
from causalaug.table import Table, cells_of, code_rows, missing_cells, rows_of, take_and_fill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from causalaug.densities import Density
    from causalaug.factorization import Factor
    from causalaug.typing import BoolArray, FloatArray, IntArray

MOST_LISTED = 100_000
"""Completions of one row that may be listed; more are better drawn."""

AT_A_TIME = 256
"""Rows whose missing cells are drawn at a time."""


@dataclass(frozen=True, eq=False)
class Completion:
    """Rows whose missing cells are filled in, one or several copies of each.

    Parameters
    ----------
    frame : frame or array
        The copies, row by row, in the library and the dtypes of the input. A row without holes
        is there once, as it was.
    weights : array of shape (m,)
        How much each copy counts. Those of the copies of one row sum to its weight.
    rows : int array of shape (m,)
        The input row of each copy.
    """

    frame: Any = field(repr=False)
    weights: FloatArray
    rows: IntArray

    def __len__(self) -> int:
        """Return the number of copies."""
        return len(self.weights)


def each_copy(completion: Completion, copies: int) -> Iterator[Any]:
    """Yield frames that hold every input row once, each with another copy of those with holes."""
    if copies == 1:
        yield completion.frame
        return
    counts = np.bincount(completion.rows)
    first = np.cumsum(counts) - counts
    for number in range(copies):
        yield rows_of(completion.frame, first + np.minimum(number, counts - 1))


@dataclass(frozen=True)
class Part:
    """Missing variables that depend on each other, and all factors that touch one of them."""

    names: tuple[str, ...]
    factors: tuple[int, ...]


def divide_hidden(
    factors: Sequence[Factor], hidden: Sequence[str]
) -> tuple[tuple[Part, ...], tuple[int, ...]]:
    """Return the parts of the missing cells, and the factors of those that no other looks at.

    >>> from causalaug import factorize, read_graph
    >>> chain = factorize(read_graph("a -> b; b -> c; c -> d; d -> e"))
    >>> parts, last = divide_hidden(chain, ["a", "c", "e"])
    >>> parts
    (Part(names=('a',), factors=(0, 1)), Part(names=('c',), factors=(2, 3)))
    >>> last
    (4,)
    """
    kept, last = dict(enumerate(factors)), []
    for number in sorted(kept, reverse=True):
        name = factors[number].target
        if name in hidden and not any(name in each.pillow for each in kept.values()):
            del kept[number]
            last.append(number)
    parts, done = [], {factors[number].target for number in last}
    for name in hidden:
        if name not in done:
            others = [each for each in hidden if each != name]
            touching, joint = relevant_factors(factors, name, others)
            parts.append(Part((name, *joint), tuple(touching)))
            done |= {name, *joint}
    return tuple(parts), tuple(reversed(last))


@dataclass(frozen=True, eq=False)
class Completer:
    """Fills the holes of coded rows; NaN is a hole."""

    table: Table
    factors: Sequence[Factor]
    densities: Sequence[Density]

    def draw(self, values: FloatArray, copies: int, numbers: Numbers) -> FloatArray:
        """Return `copies` completions of each row, one row after the other, equally likely."""
        completed = np.repeat(values, copies, axis=0)
        of_part, of_last = self._work(np.isnan(values))
        for part, rows in of_part.items():
            columns = [self.table.index(name) for name in part.names]
            for start in range(0, len(rows), AT_A_TIME):
                some = rows[start : start + AT_A_TIME]
                at = (some[:, np.newaxis] * copies + np.arange(copies)).ravel()
                uniform = numbers(columns[0], len(some), copies)
                completed[at[:, np.newaxis], columns] = self._draw_part(part, values[some], uniform)
        for number in sorted(of_last):
            rows = of_last[number]
            at = (rows[:, np.newaxis] * copies + np.arange(copies)).ravel()
            pillow = completed[at][:, self._pillow(number)]
            column = self.table.index(self.factors[number].target)
            uniform = numbers(column, len(rows), copies).ravel()
            completed[at, column] = self.densities[number].draw(pillow, uniform)
        return completed

    def _work(self, missing: BoolArray) -> tuple[dict[Part, IntArray], dict[int, IntArray]]:
        """Return which rows need which part, and which rows need which factor at the end."""
        of_part: dict[Part, list[IntArray]] = {}
        of_last: dict[int, list[IntArray]] = {}
        patterns, of_row = np.unique(missing, axis=0, return_inverse=True)
        of_row = of_row.reshape(-1)
        for number, pattern in enumerate(patterns):
            hidden = [self.table.columns[column] for column in np.flatnonzero(pattern)]
            parts, last = divide_hidden(self.factors, hidden)
            rows = np.flatnonzero(of_row == number)
            for part in parts:
                of_part.setdefault(part, []).append(rows)
            for factor in last:
                of_last.setdefault(factor, []).append(rows)
        return (
            {part: np.sort(np.concatenate(rows)) for part, rows in of_part.items()},
            {factor: np.sort(np.concatenate(rows)) for factor, rows in of_last.items()},
        )

    def _draw_part(self, part: Part, values: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return the cells of one part: shape (n_rows * n_copies, n_names)."""
        target = Target(self.table, self.factors, self.densities, part.names[0])
        if len(part.names) == 1:
            return self._draw_single(target, part, values, uniform).reshape(-1, 1)
        if self._n_completions(part.names) <= MOST_COMPLETIONS:
            candidates = target.enumerated(values, part.names)
            weights = normalised(
                target.log_product(candidates, part.factors).reshape(len(values), -1)
            )
        else:
            candidates, weights = target.candidates(values, part.factors, part.names)
        chosen = reaching(weights, uniform)
        chosen += np.arange(len(values))[:, np.newaxis] * weights.shape[1]
        columns = [self.table.index(name) for name in part.names]
        drawn: FloatArray = candidates[chosen.ravel()][:, columns]
        return drawn

    def _draw_single(
        self, target: Target, part: Part, values: FloatArray, uniform: FloatArray
    ) -> FloatArray:
        """Return values of one variable at shares of its posterior mass: shape as uniform."""
        posterior, levels = target.posterior(part.factors), target.density.levels
        if levels is None:
            points, cumulative, _ = distributions(posterior, values)
            return Prediction(target.name, None, None, points, cumulative).at_shares(uniform)
        drawn: FloatArray = levels[reaching(probabilities(posterior, values, levels), uniform)]
        return drawn

    def every(self, values: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the row of each completion, the completions, and their probabilities."""
        rows, completed, masses = [], [], []
        for row, own in enumerate(values):
            hidden = tuple(self.table.columns[column] for column in np.flatnonzero(np.isnan(own)))
            grid = self._grid(hidden)
            listed = np.repeat(own[np.newaxis], len(grid), axis=0)
            listed[:, [self.table.index(name) for name in hidden]] = grid
            touching = [
                number
                for number, each in enumerate(self.factors)
                if {each.target, *each.pillow} & set(hidden)
            ]
            target = Target(self.table, self.factors, self.densities, self.factors[0].target)
            log_weights = target.log_product(listed, touching)
            rows.append(np.full(len(grid), row))
            completed.append(listed)
            masses.append(normalised(log_weights[np.newaxis])[0])
        if not rows:
            return np.empty(0, np.int64), values, np.empty(0)
        return np.concatenate(rows), np.concatenate(completed), np.concatenate(masses)

    def _grid(self, hidden: Sequence[str]) -> FloatArray:
        """Return every combination of the levels of some variables, or raise."""
        numbers = [name for name in hidden if self._levels[name] is None]
        if numbers:
            raise ParameterError(
                "With copies=None all missing cells must have levels, to be listed. Found numbers "
                f"missing in {numbers}. Draw them: write copies=5, say."
            )
        if self._n_completions(hidden) > MOST_LISTED:
            raise ParameterError(
                f"With copies=None a row may have at most {MOST_LISTED:,} completions. Found "
                f"{self._n_completions(hidden):,.0f}, of {list(hidden)}. Draw them: write "
                "copies=5, say."
            )
        levels = [np.asarray(self._levels[name]) for name in hidden]
        return np.array(list(product(*levels))).reshape(-1, len(hidden))

    def _n_completions(self, names: Sequence[str]) -> float:
        counts = [
            np.inf if self._levels[name] is None else len(self._levels[name]) for name in names
        ]
        return float(np.prod(counts))

    @cached_property
    def _levels(self) -> dict[str, Any]:
        pairs = zip(self.factors, self.densities, strict=True)
        return {factor.target: density.levels for factor, density in pairs}

    def _pillow(self, number: int) -> list[int]:
        return [self.table.index(name) for name in self.factors[number].pillow]


Numbers: TypeAlias = "Callable[[int, int, int], FloatArray]"
"""Returns numbers between 0 and 1 for the cells of a column: given it, n_rows and n_copies."""


def own_numbers(rng: np.random.Generator, column: int, n_rows: int, n_copies: int) -> FloatArray:
    """Return numbers that are spread evenly over each row: every row has its own."""
    return stratified(n_rows, n_copies, rng)


def shared_numbers(seed: int, column: int, n_rows: int, n_copies: int) -> FloatArray:
    """Return the same numbers for all rows: what a row gets does not depend on the others."""
    numbers = stratified(1, n_copies, np.random.default_rng([seed, column]))
    return np.repeat(numbers, n_rows, axis=0)


def stratified(n_rows: int, n_copies: int, rng: np.random.Generator) -> FloatArray:
    """Return numbers between 0 and 1 that are spread evenly over each row, in random order.

    Each is uniform by itself; the copies of a row are more even than chance would have them.
    """
    places = np.tile(np.arange(n_copies), (n_rows, 1))
    uniform: FloatArray = (rng.permuted(places, axis=1) + rng.random(places.shape)) / n_copies
    return uniform


def reaching(weights: FloatArray, uniform: FloatArray) -> IntArray:
    """Return the position at which the running weight of each row passes each number.

    Shapes: weights (n, n_choices), uniform (n, n_copies), result as uniform.

    >>> reaching(np.array([[0.5, 0.0, 0.5]]), np.array([[0.2, 0.5, 0.9]]))
    array([[0, 2, 2]])
    """
    running = np.cumsum(weights, axis=1)
    point = uniform * running[:, -1:]
    found: IntArray = (running[:, np.newaxis, :-1] <= point[:, :, np.newaxis]).sum(axis=2)
    return found


def summed_over_unwritten(
    rows: IntArray, completed: FloatArray, masses: FloatArray, written: BoolArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return listed completions, those added up that differ in no cell that is written.

    `written` says which cells of each input row are.
    """
    keys = np.column_stack([rows, np.where(written[rows], completed, 0.0)])
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    total: FloatArray = np.bincount(group.reshape(-1), masses).astype(np.float64)
    return rows[first], completed[first], total


def complete_frame(
    completer: Completer,
    frame: Any,
    names: Sequence[str],
    copies: int | None,
    numbers: Numbers,
    sample_weight: FloatArray | None = None,
) -> Completion:
    """Return the rows of a frame with their holes filled; `names` are those of an array."""
    table = completer.table
    values, missing = code_rows(table, frame, names), missing_cells(frame, names)
    own = _check_weights(sample_weight, len(values))
    written = np.zeros(values.shape, dtype=bool)
    for name, mask in missing.items():
        written[:, table.index(name)] = mask
    lacks = written.any(axis=1)
    holes, whole = np.flatnonzero(lacks), np.flatnonzero(~lacks)
    # A level that was never seen says nothing that the model could use.
    known = np.where(np.isinf(values[holes]), np.nan, values[holes])
    if copies is None:
        every = completer.every(known)
        drawn, completed, masses = summed_over_unwritten(*every, written[holes])
    else:
        drawn = np.repeat(np.arange(len(holes)), copies)
        completed = completer.draw(known, copies, numbers)
        masses = np.full(len(drawn), 1.0 / copies)
    rows = np.concatenate([whole, holes[drawn]])
    order = np.argsort(rows, kind="stable")
    rows, completed = rows[order], np.concatenate([values[whole], completed])[order]
    weights = np.concatenate([np.ones(len(whole)), masses])[order] * own[rows]
    filled = {}
    for name in missing:
        column = table.index(name)
        positions = np.flatnonzero(written[rows, column])
        if len(positions):
            filled[name] = positions, cells_of(table, column, completed[positions, column])
    return Completion(take_and_fill(frame, names, rows, filled), weights, rows)


def _check_weights(sample_weight: FloatArray | None, n_rows: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ParameterError(
            f"`sample_weight` must hold one number for each of the {n_rows} rows. "
            f"Found an array of shape {weights.shape}."
        )
    return weights
