"""Branches of the trellis: the choices of each pillow tuple, and what is still to come at best.

A variable with no pillow, or with a single variable in it, can be weighed for every value
beforehand. Its best weight is then credited to the variable it hangs on, as soon as that
one is chosen, and debited again when its own turn comes. Whole paths weigh the same as
before, but a prefix already counts what its dependants will cost, so that hopeless branches are cut
early. Without these bounds the low thresholds of `make bench` take up to ten times as long.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from causalaug._ragged import Ragged, offsets_of
from causalaug.expansion._frontier import Codes, Level, ProbabilityTree
from causalaug.kernels import NEGLIGIBLE
from causalaug.typing import FloatArray, IntArray

MOST_VALUES = 4096
"""Variables with more distinct values get no bound: it would cost more than it saves."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Credits by column and code, debits by column and code of its single pillow variable."""

    credits: dict[int, FloatArray]
    debits: dict[int, FloatArray]
    at_start: float

    def shape(
        self, tree: ProbabilityTree, level: Level, codes: Codes, contexts: IntArray
    ) -> "Shape":
        """Return what is added to the weights of a level in some contexts."""
        credit = self.credits[level.column][tree.variables[level.column].code_of_choice]
        debit = self.debits.get(level.column, np.zeros(1))
        if level.pillow and level.column in self.debits:
            return Shape(credit, debit[codes[level.pillow[0]][contexts]])
        return Shape(credit, np.broadcast_to(debit, len(contexts)))


def no_bounds(tree: ProbabilityTree) -> Bounds:
    """Return bounds that credit nothing."""
    return Bounds({c: np.zeros(len(v.values)) for c, v in enumerate(tree.variables)}, {}, 0.0)


def bound_levels(tree: ProbabilityTree, log_threshold: float) -> Bounds:
    """Weigh the variables whose pillow is empty or single, last ones first.

    A choice lighter than the threshold is on no path that reaches it; equal rows may reach it
    together.
    """
    cut = float(np.log(tree.n_rows)) - log_threshold
    credits, debits = no_bounds(tree).credits, dict[int, FloatArray]()
    at_start = 0.0
    for level in reversed(tree.levels):
        values = [tree.variables[column].values for column in level.pillow]
        if len(values) > 1 or any(len(distinct) > MOST_VALUES for distinct in values):
            continue
        query = values[0][:, np.newaxis] if values else np.empty((1, 0))
        variable = tree.variables[level.column]
        credit = credits[level.column][variable.code_of_choice]
        blocks = level.weigher.weigh(query, cut)
        best = np.concatenate([variable.choose(weights).best(credit) for weights in blocks])
        debits[level.column] = np.where(np.isfinite(best), best, 0.0)
        if values:
            credits[level.pillow[0]] += best
        else:
            at_start += float(best[0])
    return Bounds(credits, debits, at_start)


@dataclass(frozen=True, eq=False)
class Shape:
    """What is added to the log-weights of a level before they meet the floor.

    `credit` is added per choice, `debit` is taken off per tuple.
    """

    credit: FloatArray
    debit: FloatArray

    def lowest(self, log_floor: FloatArray) -> FloatArray:
        """Return the least log-weight that can reach the floor of each tuple."""
        lowest: FloatArray = log_floor + self.debit - self.credit.max()
        return lowest

    @property
    def is_flat(self) -> bool:
        """Whether nothing is added at all."""
        return not self.credit.any() and not self.debit.any()


def heaviest_choices(
    tree: ProbabilityTree,
    levels: Sequence[Level],
    query: FloatArray,
    log_floor: FloatArray,
    shapes: Sequence[Shape],
) -> list[Ragged]:
    """Return the choices of each tuple that reach its floor once shaped, level by level.

    They come heaviest first. The levels must share what weighs their rows: the weights are
    computed once for all of them.
    """
    groups = [tree.variables[level.column].choices for level in levels]
    lowest = np.minimum.reduce([shape.lowest(log_floor) for shape in shapes])
    worth = np.flatnonzero(lowest <= 0.0)
    lowest, log_floor = lowest[worth], log_floor[worth]
    shapes = [Shape(shape.credit, shape.debit[worth]) for shape in shapes]
    # Levels that choose rows as they are weighed have the same branches: work of kind -1.
    kinds = [
        -1 if group.is_trivial and shape.is_flat else number
        for number, (group, shape) in enumerate(zip(groups, shapes, strict=True))
    ]
    # The sum of all rows below the cut is below the precision of a weight at the lowest floor.
    cut = float(np.log(tree.n_rows)) + NEGLIGIBLE - float(lowest.min(initial=0.0))
    parts: dict[int, list[Ragged]] = {kind: [] for kind in kinds}
    done = 0
    for weights in levels[0].weigher.weigh(query[worth], cut):
        tuples = slice(done, done + weights.n_owners)
        done = tuples.stop
        of_rows: Ragged | None = None
        for kind, part in parts.items():
            group, shape = groups[kinds.index(kind)], shapes[kinds.index(kind)]
            if group.is_trivial:
                found = of_rows = of_rows or weights.at_least(lowest[tuples])
            else:
                found = weights.merged(group).at_least(shape.lowest(log_floor)[tuples])
            part.append(_shaped(found, log_floor[tuples], shape.credit, shape.debit[tuples]))
    joined = {kind: Ragged.joined(parts.pop(kind)) for kind in [*parts]}
    branches = {kind: _spread(part, worth, len(query)) for kind, part in joined.items()}
    return [branches[kind] for kind in kinds]


def _shaped(found: Ragged, log_floor: FloatArray, credit: FloatArray, debit: FloatArray) -> Ragged:
    """Return the choices whose shaped weight reaches the floor of their tuple, heaviest first."""
    shaped = found.log_weight + credit[found.index] - debit[found.owner]
    return Ragged(found.offsets, found.index, shaped).at_least(log_floor).heaviest_first()


def _spread(branches: Ragged, tuples: IntArray, n_tuples: int) -> Ragged:
    """Renumber the tuples: the k-th becomes number ``tuples[k]`` of `n_tuples`."""
    counts = np.zeros(n_tuples, dtype=np.int64)
    counts[tuples] = branches.counts
    return Ragged(offsets_of(counts), branches.index, branches.log_weight)
