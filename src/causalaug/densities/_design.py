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
    for a number. The first value needs none: it is where all the others are zero. A column that
    never varied tells nothing, whatever new rows hold there: it is a column of zeros.
    """

    columns: list[int]
    levels: tuple[FloatArray | None, ...]

    @classmethod
    def of(cls, table: Table, pillow: Sequence[str]) -> "Design":
        """Return the design of some columns of a table."""
        columns = [table.index(name) for name in pillow]
        return cls(columns, tuple(_indicated(table, column) for column in columns))

    def __call__(self, pillow: FloatArray) -> FloatArray:
        """Return the inputs, one row per row of pillow values."""
        blocks = [
            values[:, np.newaxis]
            if levels is None
            else (values[:, np.newaxis] == levels).astype(np.float64)
            for values, levels in zip(pillow.T, self.levels, strict=True)
        ]
        return np.hstack(blocks)


def _indicated(table: Table, column: int) -> FloatArray | None:
    """Return the values that get an indicator; none is for numbers that vary.

    Of nominal numbers, such as the codes of sites, it is of no account which is larger. If there
    are two, the number says the same as an indicator.
    """
    values, is_number = table.values[:, column], table.numeric[column]
    if np.ptp(values) == 0.0:
        return NEVER
    if is_number and table.kinds[column] != "nominal":
        return None
    distinct = np.unique(values)
    return None if is_number and len(distinct) == 2 else distinct[1:]
