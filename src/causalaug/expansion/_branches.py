"""The choices at a level, with their weights, for each distinct pillow."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from causalaug._segments import descending_order, lengths_of, offsets_of
from causalaug.conditionals import RowWeigher
from causalaug.expansion._tree import Level, ProbabilityTree
from causalaug.kernels import NEGLIGIBLE, Heaviest, RowGroups
from causalaug.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Branches:
    """Weighted choices, pillow tuple by pillow tuple, end to end, heaviest first.

    Tuple `k` owns the entries from ``offsets[k]`` to ``offsets[k + 1]``; lighter choices
    may have been left out.
    """

    offsets: IntArray
    choices: IntArray
    log_weights: FloatArray

    def __len__(self) -> int:
        """Return the number of pillow tuples."""
        return len(self.offsets) - 1

    @cached_property
    def counts(self) -> IntArray:
        """Number of choices of each tuple."""
        return lengths_of(self.offsets)

    def at(self, entries: IntArray) -> "Branches":
        """Return some of the entries, given in ascending order."""
        offsets = np.searchsorted(entries, self.offsets)
        return Branches(offsets, self.choices[entries], self.log_weights[entries])


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


def heaviest_choices(
    tree: ProbabilityTree,
    levels: Sequence[Level],
    query: FloatArray,
    log_floor: FloatArray,
    shapes: Sequence[Shape],
) -> list[Branches]:
    """Return the choices of each tuple that reach its floor once shaped, level by level.

    The levels must share their conditional: its weights are computed once for all of them.
    """
    conditional = levels[0].conditional
    groups = [tree.variables[level.column].choices for level in levels]
    lowest = np.minimum.reduce([shape.lowest(log_floor) for shape in shapes])
    possible = (lowest <= 0.0) & _may_reach(conditional, query, log_floor, groups, shapes)
    worth = np.flatnonzero(possible)
    lowest, log_floor = lowest[worth], log_floor[worth]
    shapes = [Shape(shape.credit, shape.debit[worth]) for shape in shapes]
    cut = log_cut(float(lowest.min(initial=0.0)), tree.n_rows)
    kinds = [_kind_of_work(number, groups[number], shapes[number]) for number in range(len(levels))]
    parts: dict[int, list[Branches]] = {kind: [] for kind in kinds}
    done = 0
    for weights in conditional.weigh(query[worth], cut):
        tuples = slice(done, done + weights.n_queries)
        done = tuples.stop
        of_rows: Heaviest | None = None
        for kind, part in parts.items():
            group, shape = groups[kinds.index(kind)], shapes[kinds.index(kind)]
            if group.is_trivial:
                found = of_rows = of_rows or weights.heaviest(lowest[tuples])
            else:
                found = weights.merged(group).heaviest(shape.lowest(log_floor)[tuples])
            part.append(_shaped(found, log_floor[tuples], shape.credit, shape.debit[tuples]))
    branches = {kind: _spread(concatenate(parts.pop(kind)), worth, len(query)) for kind in [*parts]}
    return [branches[kind] for kind in kinds]


def _kind_of_work(number: int, group: RowGroups, shape: Shape) -> int:
    """Return the number of the level, or -1 where rows are chosen as they are weighed.

    Several levels of the latter kind have the same branches.
    """
    plain = group.is_trivial and not shape.credit.any() and not shape.debit.any()
    return -1 if plain else number


def _may_reach(
    conditional: RowWeigher,
    query: FloatArray,
    log_floor: FloatArray,
    groups: Sequence[RowGroups],
    shapes: Sequence[Shape],
) -> BoolArray:
    """Return which tuples may have a choice whose shaped weight reaches their floor.

    A choice of `m` merged rows weighs at most ``m^(3/4)`` times what bounds a single row.
    """
    per_row = [
        shape.credit[group.group_of_row] + 0.75 * np.log(group.sizes[group.group_of_row])
        for group, shape in zip(groups, shapes, strict=True)
    ]
    debit = np.minimum.reduce([shape.debit for shape in shapes])
    bound = conditional.log_heaviest_bound(query, np.maximum.reduce(per_row))
    reachable: BoolArray = log_floor + debit <= bound
    return reachable


def _shaped(
    found: Heaviest, log_floor: FloatArray, credit: FloatArray, debit: FloatArray
) -> Branches:
    """Return the choices whose shaped weight reaches the floor of their tuple, heaviest first."""
    shaped = found.log_weights + credit[found.rows] - debit[found.owner]
    keep = np.flatnonzero(shaped >= log_floor[found.owner])
    return sorted_branches(
        Heaviest(found.owner[keep], found.rows[keep], shaped[keep]), len(log_floor)
    )


def sorted_branches(found: Heaviest, n_tuples: int) -> Branches:
    """Return some choices tuple by tuple, heaviest first."""
    order = descending_order(found.owner, found.log_weights)
    counts = np.bincount(found.owner, minlength=n_tuples)
    choices = found.rows[order].astype(np.int32)
    return Branches(offsets_of(counts), choices, found.log_weights[order])


def _spread(branches: Branches, tuples: IntArray, n_tuples: int) -> Branches:
    """Renumber the tuples: the k-th becomes number ``tuples[k]`` of `n_tuples`."""
    counts = np.zeros(n_tuples, dtype=np.int64)
    counts[tuples] = branches.counts
    return Branches(offsets_of(counts), branches.choices, branches.log_weights)


def log_cut(lowest: float, n_rows: int) -> float:
    """Return how much lighter than the heaviest a row may be before it cannot matter.

    The sum of all rows below the cut is below the precision of a weight at the lowest floor.
    """
    return float(np.log(n_rows)) + NEGLIGIBLE - lowest


def concatenate(parts: list[Branches]) -> Branches:
    """Join consecutive blocks of tuples into one."""
    if not parts:
        nothing: IntArray = np.empty(0, dtype=np.int64)
        return Branches(offsets_of(nothing), nothing, np.empty(0))
    counts = np.concatenate([part.counts for part in parts])
    choices = np.concatenate([part.choices for part in parts])
    log_weights = np.concatenate([part.log_weights for part in parts])
    return Branches(offsets_of(counts), choices, log_weights)
