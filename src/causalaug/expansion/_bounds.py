"""What is still to come, at best: bounds that let hopeless branches be cut early.

A variable with no pillow, or with a single variable in it, can be weighed for every value
beforehand. Its best weight is then credited to the variable it hangs on, as soon as that
one is chosen, and debited again when its own turn comes. Whole paths weigh the same as
before, but a prefix already counts what its dependants will cost.
"""

from dataclasses import dataclass

import numpy as np

from causalaug._segments import lengths_of, segment_reduce
from causalaug.expansion._branches import Branches, sorted_branches
from causalaug.expansion._tree import Codes, Level, ProbabilityTree
from causalaug.kernels import Heaviest, RowWeights
from causalaug.typing import FloatArray, IntArray

MOST_VALUES = 4096
"""Variables with more distinct values get no bound: it would cost more than it saves."""

LARGEST_KEPT = 1 << 14
"""Weights of a variable that are kept for its branches, instead of computed again."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Credits by column and code, debits by column and code of its single pillow variable.

    `weighed` are the choices of variables with few of them, by column and the same code.
    """

    credits: dict[int, FloatArray]
    debits: dict[int, FloatArray]
    at_start: float
    weighed: dict[int, "CreditedChoices"]

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

    def branches(self, column: int, log_floor: FloatArray) -> Branches:
        """Return the weighed choices of a variable that reach the floor of their tuple."""
        return self.weighed[column].branches(self.debits[column], log_floor)


def no_bounds(tree: ProbabilityTree) -> Bounds:
    """Return bounds that credit nothing."""
    credits = {
        level.column: np.zeros(tree.variables[level.column].n_values) for level in tree.levels
    }
    return Bounds(credits, {}, 0.0, {})


def bound_levels(tree: ProbabilityTree, log_threshold: float) -> Bounds:
    """Weigh the variables whose pillow is empty or single, last ones first.

    A choice lighter than the threshold is on no path that reaches it; equal rows may reach it
    together.
    """
    cut = float(np.log(tree.n_rows)) - log_threshold
    credits, debits = no_bounds(tree).credits, dict[int, FloatArray]()
    weighed: dict[int, CreditedChoices] = {}
    at_start = 0.0
    for level in reversed(tree.levels):
        values = [tree.variables[column].values for column in level.pillow]
        if len(values) > 1 or any(len(distinct) > MOST_VALUES for distinct in values):
            continue
        query = values[0][:, np.newaxis] if values else np.empty((1, 0))
        variable = tree.variables[level.column]
        credit = credits[level.column][variable.code_of_choice]
        parts = []
        for weights in level.conditional.weigh(query, cut):
            credited = CreditedChoices.of(variable.choose(weights), credit)
            parts.append(credited.best())
            # A sum of rows would lack the digits of those that are too light to be weighed here.
            is_whole = variable.choices.is_trivial and weights.n_queries == len(query)
            if is_whole and len(credited.log_weights) <= LARGEST_KEPT:
                weighed[level.column] = credited
        best = np.concatenate(parts)
        debits[level.column] = np.where(np.isfinite(best), best, 0.0)
        if values:
            credits[level.pillow[0]] += best
        else:
            at_start += float(best[0])
    return Bounds(credits, debits, at_start, weighed)


@dataclass(frozen=True, eq=False)
class CreditedChoices:
    """The choices of each pillow, and their log-weights with what is credited to them."""

    offsets: IntArray
    choices: IntArray
    log_weights: FloatArray

    @classmethod
    def of(cls, weights: RowWeights, credit: FloatArray) -> "CreditedChoices":
        return cls(weights.offsets, weights.rows, weights.log_weights + credit[weights.rows])

    def best(self) -> FloatArray:
        """Return the most that a choice can weigh, per pillow."""
        return segment_reduce(np.maximum, self.log_weights, self.offsets, empty=-np.inf)

    def branches(self, debit: FloatArray, log_floor: FloatArray) -> Branches:
        """Return the choices of each pillow that reach its floor once it is debited."""
        lowest = np.repeat(log_floor + debit, lengths_of(self.offsets))
        keep = np.flatnonzero(self.log_weights >= lowest)
        owner = np.searchsorted(self.offsets, keep, side="right") - 1
        found = Heaviest(owner, self.choices[keep], self.log_weights[keep] - debit[owner])
        return sorted_branches(found, len(debit))
