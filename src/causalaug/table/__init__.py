"""Frame in, arrays inside, the same kind of frame out.

All knowledge of data frames is in this package; the rest of the library works on the
float values, the kinds and the row numbers of a `Table`.
"""

from causalaug.table._checks import check_names
from causalaug.table._coding import UNSEEN, code_rows, level_cells
from causalaug.table._columns import ColumnKind
from causalaug.table._table import Table

__all__ = ["UNSEEN", "ColumnKind", "Table", "check_names", "code_rows", "level_cells"]
