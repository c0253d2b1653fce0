"""Numbers that can be computed with: their squares do not overflow.

A table may hold any number; whoever measures distances asks here first. Numbers out of range
are refused, not scaled: a learner would meet the same cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causalaug._validation import LARGEST_NUMBER
from causalaug.exceptions import TableError

if TYPE_CHECKING:
    from causalaug.table._table import Table


def check_magnitudes(table: Table, most: float = LARGEST_NUMBER) -> None:
    """Raise if a continuous column has numbers that are huge."""
    for column, kind in enumerate(table.kinds):
        if kind != "continuous":
            continue
        values = table.values[:, column]
        # These two pass over missing cells.
        least, largest = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
        if max(-least, largest) > most:
            raise TableError(
                f"Numbers must be at most {most:g}, or their squares and cubes would "
                f"overflow. Found values from {least:g} to {largest:g} in "
                f"{table.columns[column]!r}. Express the column in another unit, or take "
                "logarithms."
            )
