"""Frame in, arrays inside, the same kind of frame out.

All knowledge of data frames is in this package; the rest of the library works on the
float values, the kinds and the row numbers of a `Table`.
"""

from causalaug.table._cells import (
    UNSEEN,
    cells_of,
    check_no_times,
    code_rows,
    level_cells,
    missing_cells,
    rows_of,
    stack_frames,
    take_and_fill,
)
from causalaug.table._columns import (
    KINDS,
    MOST_RANKS,
    ColumnKind,
    KindName,
    Limits,
    are_whole,
    canonical_kind,
    check_names,
)
from causalaug.table._equal_rows import EqualRows, column_keys, repeated_rows
from causalaug.table._sources import EXTRA, extra_columns, warn_of_extra, without_extra
from causalaug.table._table import Coding, Table

__all__ = [
    "MOST_RANKS",
    "EXTRA",
    "KINDS",
    "UNSEEN",
    "Coding",
    "ColumnKind",
    "EqualRows",
    "KindName",
    "Limits",
    "Table",
    "are_whole",
    "canonical_kind",
    "cells_of",
    "check_names",
    "check_no_times",
    "code_rows",
    "column_keys",
    "extra_columns",
    "level_cells",
    "missing_cells",
    "repeated_rows",
    "rows_of",
    "stack_frames",
    "take_and_fill",
    "warn_of_extra",
    "without_extra",
]
