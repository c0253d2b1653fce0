"""The probability tree, described but never built, and the paths that grow through it.

A level of the tree chooses a value for one variable. Paths that agree on the variables which later
pillows still need share everything that follows, so a tree is processed in the order that keeps
the fewest variables *live*. A `Frontier` holds the paths so far: what later pillows need of them,
and for the rest a history to trace back.
"""

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from causalaug._ragged import LARGEST_KEY, Groups, Ragged, RowWeights, combine_codes, group_by_key
from causalaug.densities import Shift
from causalaug.expansion._base import FittedModel, Paths
from causalaug.kernels import RowWeigher
from causalaug.table import Coding
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
    choices: Groups
    """Which rows are one choice."""
    row_of_choice: IntArray
    """The row of the table that represents each choice."""
    code_of_choice: IntArray
    lender_of_choice: IntArray
    """The same row by its number among those that can lend: all, unless cells are missing."""

    @property
    def n_choices(self) -> int:
        """Number of choices."""
        return self.choices.n_groups

    def choose(self, weights: RowWeights) -> RowWeights:
        """Return the weights of the choices, given those of the rows."""
        return weights if self.choices.is_trivial else weights.merged(self.choices)


def code_variable(coding: Coding, *, merge_equal: bool, among: IntArray | None = None) -> Variable:
    """Return a column as the tree sees it; the first of its rows represents a merged choice.

    Where only some rows can lend, given by `among`, the coding is theirs.
    """
    values, first_rows, codes = coding
    n_rows, n_values = len(codes), len(values)
    rows: IntArray = np.arange(n_rows + 1)
    if merge_equal and n_values < n_rows:
        choices, lenders, codes = group_by_key(codes, n_values), first_rows, np.arange(n_values)
    else:
        choices, lenders = Groups(rows[:-1], rows, rows[:-1]), rows[:-1]
    lenders = lenders.astype(np.int32)
    of_table = lenders if among is None else among[lenders].astype(np.int32)
    return Variable(values, choices, of_table, codes, lenders)


@dataclass(frozen=True, eq=False)
class Level:
    """One step of the tree: choose `column` given `pillow`, all by column number.

    `live` lists the columns that a later pillow needs, once this level is done. With a
    `shift`, the value of a choice depends on the pillow.
    """

    column: int
    pillow: tuple[int, ...]
    live: tuple[int, ...]
    weigher: RowWeigher
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
    open_choices: range | None = None
    """The choices that are open at the first level, if not all are."""

    @property
    def n_choices(self) -> int:
        """The number of paths, if no conditional vanishes on any of them."""
        counts = {column: variable.n_choices for column, variable in enumerate(self.variables)}
        if self.open_choices is not None:
            counts[self.levels[0].column] = len(self.open_choices)
        return math.prod(counts.values())

    def restricted(self, block: int, n_blocks: int) -> "ProbabilityTree":
        """Return the tree with one of `n_blocks` equal parts of the choices at its first level."""
        if n_blocks == 1:
            return self
        n_choices = self.variables[self.levels[0].column].n_choices
        start, stop = (n_choices * each // n_blocks for each in (block, block + 1))
        return replace(self, open_choices=range(start, stop))

    def only_open(self, level: Level, choices: Ragged) -> Ragged:
        """Return the choices that are open at a level: at the first one some may not be."""
        if self.open_choices is None or level is not self.levels[0]:
            return choices
        low, high = self.open_choices.start, self.open_choices.stop
        return choices.at(np.flatnonzero((choices.index >= low) & (choices.index < high)))

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
        sizes = [len(self.variables[column].values) for column in level.pillow]
        return combine_codes([codes[column] for column in level.pillow], sizes, length)

    def has_stable_keys(self, level: Level) -> bool:
        """Return whether a pillow tuple has the same key whichever paths are alive.

        It has not where so many tuples are possible that keys must be ranks.
        """
        return math.prod(len(self.variables[c].values) for c in level.pillow) < LARGEST_KEY

    def pillow_values(self, level: Level, codes: Codes, paths: IntArray) -> FloatArray:
        """Return the values of the pillow at the given paths, one row each."""
        query = np.empty((len(paths), len(level.pillow)))
        for position, column in enumerate(level.pillow):
            query[:, position] = self.variables[column].values[codes[column][paths]]
        return query


def describe_tree(model: FittedModel, *, merge_equal: bool) -> ProbabilityTree:
    """Lay out the levels of the tree of a fitted model."""
    table, factors, fitted = model.table, model.factors, model.fitted
    column_of = {name: number for number, name in enumerate(table.columns)}
    fits = {column_of[f.target]: each for f, each in zip(factors, fitted, strict=True)}
    variables = []
    for column in range(table.n_columns):
        shift, among = fits[column].shift, fits[column].rows
        if shift is not None:
            coding = Coding.of(shift.marks)
        elif among is not None:
            coding = Coding.of(table.values[among, column])
        else:
            coding = table.coding(column)
        variables.append(code_variable(coding, merge_equal=merge_equal, among=among))
    pillows = [tuple(column_of[name] for name in factor.pillow) for factor in factors]
    targets = [column_of[factor.target] for factor in factors]
    order = plan_order(targets, pillows)
    # A column is live from the level that chooses it to the last level whose pillow holds it.
    last_use = {column: place for place, number in enumerate(order) for column in pillows[number]}
    levels, live = [], list[int]()
    for place, number in enumerate(order):
        column = targets[number]
        live = [each for each in (*live, column) if last_use.get(each, -1) > place]
        each = fitted[number]
        levels.append(Level(column, pillows[number], tuple(live), each.weigher, each.shift))
    return ProbabilityTree(table.n_rows, tuple(variables), tuple(levels))


def plan_order(targets: Sequence[int], pillows: Sequence[Sequence[int]]) -> list[int]:
    """Return an order of the factors that keeps few variables live at a time.

    Any order in which a variable comes after its pillow gives the same tree. At each step
    the factor is taken that leaves the fewest variables live, the earliest among equals.

    >>> plan_order([0, 1, 2, 3], [(), (), (0,), (1, 2)])
    [0, 2, 1, 3]
    """
    waiting: dict[int, set[int]] = {target: set() for target in targets}
    for number, pillow in enumerate(pillows):
        for column in pillow:
            waiting[column].add(number)
    n_missing = [len(pillow) for pillow in pillows]

    def change(number: int) -> int:
        """Return how many more variables are live after a factor; it can only fall."""
        released = sum(len(waiting[column]) == 1 for column in pillows[number])
        return bool(waiting[targets[number]]) - released

    heap = [(change(number), number) for number, n in enumerate(n_missing) if n == 0]
    heapq.heapify(heap)
    order: list[int] = []
    done = set[int]()
    while heap:
        _, number = heapq.heappop(heap)
        if number in done:
            continue
        order.append(number)
        done.add(number)
        touched = set(waiting[targets[number]])
        for other in touched:
            n_missing[other] -= 1
        for column in pillows[number]:
            waiting[column].discard(number)
            if len(waiting[column]) == 1:
                touched |= waiting[column]
        for other in touched:
            if n_missing[other] == 0:
                heapq.heappush(heap, (change(other), other))
    return order


@dataclass(frozen=True, eq=False)
class Pillows:
    """Paths grouped by pillow tuple: group `k` holds the tuple ``query[k]``."""

    groups: Groups
    query: FloatArray

    def at(self, paths: IntArray) -> "Pillows":
        """Return some of the paths, grouped in the same way."""
        ranks = self.groups.ranks[paths]
        groups = group_by_key(ranks, len(self.query))
        return Pillows(groups, self.query[ranks[groups.first]])


@dataclass(frozen=True, eq=False)
class _Step:
    """What one level added to the paths: rows, and values where these are shifted."""

    column: int
    parent: IntArray
    rows: IntArray
    values: FloatArray | None

    def at(self, positions: IntArray) -> "_Step":
        """Return what was added to some of the paths."""
        values = None if self.values is None else self.values[positions]
        return _Step(self.column, self.parent[positions], self.rows[positions], values)


@dataclass(eq=False)
class Frontier:
    """The paths so far. Only what later pillows need is carried along; the rest is history.

    Values that are shifted on their way are not known before: the tree's own values of that
    variable are replaced by those that the paths hold.
    """

    tree: ProbabilityTree
    log_weights: FloatArray = field(default_factory=lambda: np.zeros(1))
    codes: dict[int, IntArray] = field(default_factory=dict)
    _history: list[_Step] = field(default_factory=list)
    _pillows: Pillows | None = None
    """The paths by the pillow of the next level, once asked for."""

    def __len__(self) -> int:
        """Return the number of paths."""
        return len(self.log_weights)

    def variable(self, level: Level) -> Variable:
        """Return the variable that a level chooses."""
        return self.tree.variables[level.column]

    def pillows(self, level: Level) -> Pillows:
        """Return the paths grouped by pillow tuple; `level` is the next one to grow."""
        if self._pillows is None:
            groups = group_by_key(*self.tree.pillow_key(level, self.codes, len(self)))
            query = self.tree.pillow_values(level, self.codes, groups.first)
            self._pillows = Pillows(groups, query)
        return self._pillows

    def grow(self, level: Level, children: Ragged) -> None:
        """Replace the paths by their children: the owners are the paths."""
        variable, parent, choice = self.variable(level), children.owner, children.index
        rows = variable.row_of_choice[choice]
        values = None
        if level.shift is not None:
            pillows = self.pillows(level)
            lenders = variable.lender_of_choice[choice]
            values = level.shift.values(pillows.query, pillows.groups.ranks[parent], lenders)
        codes = {c: self.codes[c][parent] for c in level.live if c != level.column}
        if level.is_live:
            codes[level.column] = variable.code_of_choice[choice]
            if values is not None:
                distinct, codes[level.column] = np.unique(values, return_inverse=True)
                self.tree = self.tree.with_values(level.column, distinct)
        self._history.append(_Step(level.column, parent.astype(np.int32), rows, values))
        self._pillows = None
        self.codes, self.log_weights = codes, children.log_weight

    def at(self, positions: IntArray, log_weights: FloatArray) -> "Frontier":
        """Return some of the paths, with other weights, as a frontier of their own."""
        codes = {column: code[positions] for column, code in self.codes.items()}
        history = [*self._history[:-1], *(step.at(positions) for step in self._history[-1:])]
        return Frontier(self.tree, log_weights, codes, history)

    def paths(self) -> Paths:
        """Trace each path back to the root."""
        stacked = np.empty((len(self._history), len(self)), dtype=np.int32)
        shifted: dict[int, FloatArray] = {}
        position: IntArray = np.arange(len(self))
        for step in reversed(self._history):
            np.take(step.rows, position, out=stacked[step.column], mode="clip")
            if step.values is not None:
                shifted[step.column] = step.values[position]
            position = step.parent[position]
        return Paths(stacked.T, self.log_weights, shifted)
