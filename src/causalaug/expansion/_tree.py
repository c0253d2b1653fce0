"""The probability tree, described but never built: its levels and the choices at each.

A level chooses a value for one variable. Paths that agree on the variables which later
pillows still need, their *context*, share everything that follows; so a level is kept
short by processing the variables in the order that keeps the fewest of them live.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from causalaug._segments import LARGEST_KEY, Groups, combine_codes, group_by_key
from causalaug.conditionals import Conditional, FittedConditional, RowWeigher, Shift
from causalaug.factorization import Factor
from causalaug.kernels import RowGroups, RowWeights
from causalaug.table import Table
from causalaug.typing import FloatArray, IntArray

Codes = Mapping[int, IntArray]
"""For each live column, the code of the value that each path or context holds."""


@dataclass(frozen=True, eq=False)
class Variable:
    """One column as the tree sees it: distinct values, and the choices that lead to them.

    A choice is a distinct value if equal values are merged, else a row. Where values are
    shifted, what is distinct or equal is what a row lends.
    """

    values: FloatArray
    """The distinct values; a code is a position in them."""
    choices: RowGroups
    """Which rows are one choice."""
    row_of_choice: IntArray
    code_of_choice: IntArray

    @property
    def n_values(self) -> int:
        """Number of distinct values."""
        return len(self.values)

    def choose(self, weights: RowWeights) -> RowWeights:
        """Return the weights of the choices, given those of the rows."""
        return weights if self.choices.is_trivial else weights.merged(self.choices)


def code_variable(column: FloatArray, *, merge_equal: bool) -> Variable:
    """Code a column; a merged choice is represented by the first of its rows."""
    values, first, codes = np.unique(column, return_index=True, return_inverse=True)
    n_rows, n_values = len(column), len(values)
    if merge_equal and n_values < n_rows:
        groups = RowGroups(codes, n_values)
        return Variable(values, groups, first.astype(np.int32), np.arange(n_values))
    groups = RowGroups(np.arange(n_rows), n_rows)
    return Variable(values, groups, np.arange(n_rows, dtype=np.int32), codes)


@dataclass(frozen=True, eq=False)
class Level:
    """One step of the tree: choose `column` given `pillow`, all by column number.

    `live` lists the columns that a later pillow needs, once this level is done. With a
    `shift`, the value of a choice depends on the pillow.
    """

    column: int
    pillow: tuple[int, ...]
    live: tuple[int, ...]
    conditional: RowWeigher
    shift: Shift | None = None

    @property
    def is_live(self) -> bool:
        """Whether a later pillow needs the value that is chosen here."""
        return self.column in self.live


@dataclass(frozen=True, eq=False)
class ProbabilityTree:
    """All levels of a tree, in the order in which they are processed."""

    n_rows: int
    variables: tuple[Variable, ...]
    levels: tuple[Level, ...]
    first: range | None = None
    """The choices that are open at the first level, if not all are."""

    @property
    def n_choices(self) -> int:
        """The number of paths, if no conditional vanishes on any of them."""
        n_choices = {c: variable.choices.n_groups for c, variable in enumerate(self.variables)}
        if self.first is not None:
            n_choices[self.levels[0].column] = len(self.first)
        return math.prod(n_choices.values())

    def restricted(self, block: int, n_blocks: int) -> "ProbabilityTree":
        """Return the tree with one of `n_blocks` equal parts of the choices at its first level."""
        if n_blocks == 1:
            return self
        n_first = self.variables[self.levels[0].column].choices.n_groups
        first, stop = (n_first * each // n_blocks for each in (block, block + 1))
        return replace(self, first=range(first, stop))

    def following(self, level: Level) -> Level | None:
        """Return the level that comes next, None after the last."""
        number = self.levels.index(level) + 1
        return self.levels[number] if number < len(self.levels) else None

    def first_choices(self, choices: IntArray) -> IntArray:
        """Return the positions of those choices that are open at the first level."""
        if self.first is None:
            return np.arange(len(choices))
        return np.flatnonzero((choices >= self.first.start) & (choices < self.first.stop))

    @property
    def is_finite(self) -> bool:
        """Whether all values that a path may hold are known: none is shifted."""
        return all(level.shift is None for level in self.levels)

    def with_values(self, column: int, values: FloatArray) -> "ProbabilityTree":
        """Return the tree as seen by paths that hold other values of a variable."""
        variables = list(self.variables)
        variables[column] = replace(variables[column], values=values)
        return replace(self, variables=tuple(variables))

    def pillow_key(self, level: Level, codes: Codes, length: int) -> tuple[IntArray, int]:
        """Return one integer per path that tells its pillow values, and a bound on it."""
        columns = level.pillow
        sizes = [self.variables[column].n_values for column in columns]
        return combine_codes([codes[column] for column in columns], sizes, length)

    def has_stable_keys(self, level: Level) -> bool:
        """Return whether a pillow tuple has the same key whichever paths are alive.

        It has not where so many tuples are possible that keys must be ranks.
        """
        sizes = [self.variables[column].n_values for column in level.pillow]
        return math.prod(sizes) < LARGEST_KEY

    def group_pillows(self, level: Level, codes: Codes, length: int) -> tuple[Groups, FloatArray]:
        """Return the paths grouped by pillow tuple, and the distinct tuples' values."""
        groups = group_by_key(*self.pillow_key(level, codes, length))
        return groups, self.pillow_values(level, codes, groups.first)

    def pillow_values(self, level: Level, codes: Codes, first: IntArray) -> FloatArray:
        """Return the values of the pillow at the given paths, one row each."""
        query = np.empty((len(first), len(level.pillow)))
        for position, column in enumerate(level.pillow):
            query[:, position] = self.variables[column].values[codes[column][first]]
        return query


class FittedModel(Protocol):
    """What an expansion needs to know of a fitted model: rows, factors, one conditional each."""

    @property
    def conditional(self) -> Conditional:
        """How the factors were modelled."""

    @property
    def table(self) -> Table:
        """The observed rows."""

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The factors, in topological order."""

    @property
    def fitted(self) -> tuple[FittedConditional, ...]:
        """The fitted conditional of each factor."""


def describe_tree(model: FittedModel, *, merge_equal: bool) -> ProbabilityTree:
    """Lay out the levels of the tree of a fitted model."""
    table, factors, fitted = model.table, model.factors, model.fitted
    column_of = {name: number for number, name in enumerate(table.columns)}
    marks = list(table.values.T)
    for factor, each in zip(factors, fitted, strict=True):
        if each.shift is not None:
            marks[column_of[factor.target]] = each.shift.marks
    variables = tuple(code_variable(column, merge_equal=merge_equal) for column in marks)
    pillows = [frozenset(factor.pillow) for factor in factors]
    levels, done = [], set[str]()
    for number in plan_order([factor.target for factor in factors], pillows):
        done.add(factors[number].target)
        waiting = [p for f, p in zip(factors, pillows, strict=True) if f.target not in done]
        needed = frozenset[str]().union(*waiting) & done
        live = tuple(column_of[f.target] for f in factors if f.target in needed)
        pillow = tuple(column_of[name] for name in factors[number].pillow)
        column = column_of[factors[number].target]
        levels.append(Level(column, pillow, live, fitted[number].weigher, fitted[number].shift))
    return ProbabilityTree(table.n_rows, variables, tuple(levels))


def plan_order(targets: Sequence[str], pillows: Sequence[frozenset[str]]) -> list[int]:
    """Return an order of the factors that keeps few variables live at a time.

    Any order in which a variable comes after its pillow gives the same tree. At each step
    the factor is taken that leaves the fewest variables live, the earliest among equals.

    >>> plan_order("abcd", [frozenset(), frozenset(), frozenset("a"), frozenset("bc")])
    [0, 2, 1, 3]
    """
    left = list(range(len(targets)))
    done: set[str] = set()
    order: list[int] = []

    def n_live_after(number: int) -> int:
        waiting = (pillows[other] for other in left if other != number)
        return len((done | {targets[number]}) & frozenset[str]().union(*waiting))

    while left:
        ready = [number for number in left if pillows[number] <= done]
        best = min(ready, key=lambda number: (n_live_after(number), number))
        order.append(best)
        done.add(targets[best])
        left.remove(best)
    return order
