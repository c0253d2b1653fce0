"""The pillow as the inputs of a regression."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from causalaug.table import Table
from causalaug.typing import FloatArray

NEVER: FloatArray = np.array([np.nan])
"""A value that nothing equals, so that its indicator is always zero."""


@dataclass(frozen=True, eq=False)
class Design:
    """Numbers as they are, and one indicator per value of what has no scale or is nominal.

    `levels` holds, for each column of the pillow, the values that get an indicator, or None
    for a number. Every value gets one, so that none is special: to leave one out, as where all
    others are zero, would shrink the others towards it, and which one would be a matter of names.
    Of two values one says all, whichever it is. A column that never varied tells nothing,
    whatever new rows hold there: it is a column of zeros.
    """

    columns: list[int]
    levels: tuple[FloatArray | None, ...]

    @classmethod
    def of(cls, table: Table, pillow: Sequence[str]) -> "Design":
        """Return the design of some columns of a table."""
        columns = [table.index(name) for name in pillow]
        weights = table.original_weights()
        # Of the numbers that are codes the names are the values.
        measured = [c for c in columns if table.numeric[c] and table.kinds[c] != "nominal"]
        numbers = [table.values[:, c] for c in measured]
        facts = np.column_stack([weights, *(weights * each for each in numbers)])
        return cls(columns, tuple(_indicated(table, column, facts) for column in columns))

    def is_number(self, position: int) -> bool:
        """Return whether a column of the pillow is an input as it is."""
        return self.levels[position] is None

    @property
    def has_one_input_each(self) -> bool:
        """Whether the inputs are as many as the columns, and in their order."""
        return all(levels is None or len(levels) == 1 for levels in self.levels)

    def __call__(self, pillow: FloatArray) -> FloatArray:
        """Return the inputs, one row per row of pillow values."""
        blocks = [
            values[:, np.newaxis]
            if levels is None
            else (values[:, np.newaxis] == levels).astype(np.float64)
            for values, levels in zip(pillow.T, self.levels, strict=True)
        ]
        return np.hstack([np.empty((len(pillow), 0)), *blocks])


def _indicated(table: Table, column: int, facts: FloatArray) -> FloatArray | None:
    """Return the values that get an indicator, or None for numbers that vary.

    Of nominal numbers, such as the codes of sites, it is of no account which is larger.
    """
    values = table.values[:, column]
    if np.ptp(values) == 0.0:
        return NEVER
    if table.numeric[column] and table.kinds[column] != "nominal":
        return None
    levels = _in_own_order(values, facts)
    return levels if len(levels) > 2 else levels[1:]


def _in_own_order(values: FloatArray, facts: FloatArray) -> FloatArray:
    """Return the levels of a column in an order that their names do not bear on.

    By the sums of `facts` in the rows of each: how much these weigh, and their numbers. The
    order of the rows decides between levels that are equal in all of them.
    """
    levels, first, level_of = np.unique(values, return_index=True, return_inverse=True)
    sums = [np.bincount(level_of, fact, len(levels)) for fact in facts.T]
    order = np.lexsort([first, *sums[::-1]])
    ordered: FloatArray = levels[order]
    return ordered
