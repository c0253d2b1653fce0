"""What is still to come, at best: bounds that let hopeless branches be cut early.

A variable with no pillow, or with a single variable in it, can be weighed for every value
beforehand. Its best weight is then credited to the variable it hangs on, as soon as that
one is chosen, and debited again when its own turn comes. Whole paths weigh the same as
before, but a prefix already counts what its dependants will cost.
"""

from dataclasses import dataclass

import numpy as np

from causalaug._segments import segment_reduce
from causalaug.expansion._tree import Codes, Level, ProbabilityTree
from causalaug.typing import FloatArray, IntArray

MOST_VALUES = 4096
"""Variables with more distinct values get no bound: it would cost more than it saves."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Credits by column and code, debits by column and code of its single pillow variable."""

    credits: dict[int, FloatArray]
    debits: dict[int, FloatArray]
    at_start: float

    def credit(self, tree: ProbabilityTree, level: Level) -> FloatArray:
        """Return what each choice of the level is credited."""
        codes = tree.variables[level.column].code_of_choice
        return self.credits[level.column][codes]

    def debit(self, level: Level, codes: Codes, contexts: IntArray) -> FloatArray:
        """Return what the level is debited in some contexts."""
        if level.column not in self.debits:
            return np.zeros(len(contexts))
        debit = self.debits[level.column]
        if not level.pillow:
            return np.broadcast_to(debit, len(contexts))
        return debit[codes[level.pillow[0]][contexts]]


def no_bounds(tree: ProbabilityTree) -> Bounds:
    """Return bounds that credit nothing."""
    credits = {
        level.column: np.zeros(tree.variables[level.column].n_values) for level in tree.levels
    }
    return Bounds(credits, {}, 0.0)


def bound_levels(tree: ProbabilityTree) -> Bounds:
    """Weigh the variables whose pillow is empty or single, last ones first."""
    credits, debits = no_bounds(tree).credits, dict[int, FloatArray]()
    at_start = 0.0
    for level in reversed(tree.levels):
        values = [tree.variables[column].values for column in level.pillow]
        if len(values) > 1 or any(len(distinct) > MOST_VALUES for distinct in values):
            continue
        query = values[0][:, np.newaxis] if values else np.empty((1, 0))
        credit = credits[level.column][tree.variables[level.column].code_of_choice]
        best = _best_choice(tree, level, query, credit)
        debits[level.column] = np.where(np.isfinite(best), best, 0.0)
        if values:
            credits[level.pillow[0]] += best
        else:
            at_start += float(best[0])
    return Bounds(credits, debits, at_start)


def _best_choice(
    tree: ProbabilityTree, level: Level, query: FloatArray, credit: FloatArray
) -> FloatArray:
    """Return the most that a choice and what is credited to it can weigh, per query."""
    parts = []
    for weights in level.conditional.weigh(query):
        chosen = tree.variables[level.column].choose(weights)
        rows = chosen.rows_at(np.arange(chosen.offsets[-1]))
        total = chosen.log_weights + credit[rows]
        parts.append(segment_reduce(np.maximum, total, chosen.offsets, empty=-np.inf))
    return np.concatenate(parts)
