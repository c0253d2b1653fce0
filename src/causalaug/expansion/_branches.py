"""The choices at a level, with their weights, for each distinct pillow."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from causalaug._segments import offsets_of
from causalaug.expansion._tree import Level, ProbabilityTree
from causalaug.kernels import NEGLIGIBLE, RowWeights
from causalaug.typing import FloatArray, IntArray


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
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False)
class Shape:
    """What is added to the log-weights of a level before they meet the floor.

    `credit` is added per choice, `debit` is taken off per tuple.
    """

    credit: FloatArray
    debit: FloatArray

    def lowest(self, log_floor: FloatArray) -> FloatArray:
        """Return the least log-weight that can reach the floor of each tuple."""
        return log_floor + self.debit - self.credit.max()


def heaviest_branches(
    weights: RowWeights, tuples: slice, log_floor: FloatArray, shape: Shape
) -> Branches:
    """Return the choices whose shaped weight reaches the floor of their tuple, heaviest first.

    `tuples` are those that the weights belong to.
    """
    found = weights.heaviest(shape.lowest(log_floor)[tuples])
    shaped = found.log_weights + shape.credit[found.rows] - shape.debit[tuples][found.owner]
    keep = np.flatnonzero(shaped >= log_floor[tuples][found.owner])
    owner, choices, shaped = found.owner[keep], found.rows[keep], shaped[keep]
    counts = np.bincount(owner, minlength=weights.n_queries)
    if counts.max(initial=0) > 1:
        order = np.lexsort((-shaped, owner))
        choices, shaped = choices[order], shaped[order]
    return Branches(offsets_of(counts), choices, shaped)


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
    lowest = min(float(shape.lowest(log_floor).min(initial=0.0)) for shape in shapes)
    parts = [list[Branches]() for _ in levels]
    done = 0
    for weights in levels[0].conditional.weigh(query, log_cut(lowest, tree.n_rows)):
        tuples = slice(done, done + weights.n_queries)
        done = tuples.stop
        for level, shape, part in zip(levels, shapes, parts, strict=True):
            chosen = tree.variables[level.column].choose(weights)
            part.append(heaviest_branches(chosen, tuples, log_floor, shape))
    return [concatenate(part) for part in parts]


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
