"""One column: from its cells, whatever they are, to float values.

Two questions decide everything. What do the cells hold? (`Column.content`.) And shall
they be told apart only, or measured? (`ColumnKind`.) A discrete column needs values that
are equal exactly where its cells are; a continuous one needs values on a scale.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from causalaug.exceptions import TableError
from causalaug.typing import FloatArray

ColumnKind: TypeAlias = Literal["continuous", "discrete"]
"""How a column enters a kernel: by distance, or by being equal or not."""

# The words are those of `pandas.api.types.infer_dtype`, plus ours for categories.
_TIMES = frozenset({"date", "datetime", "datetime64", "timedelta", "timedelta64"})
_FLOATS = frozenset({"floating", "mixed-integer-float", "decimal"})
_COUNTS = frozenset({"integer", "boolean"})
_UNBOXED = {"floating": "f8", "integer": "i8", "boolean": "?", "datetime64": "M8[ns]"}
_ORDERED = "ordered category"
_UNORDERED = "category"

_LARGEST_EXACT_INTEGER = 2**53
_TICKS_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@dataclass(frozen=True, eq=False)
class Column:
    """The cells of one column, before they become floats.

    Parameters
    ----------
    name : str
        The name of the column.
    dtype : str
        The dtype in the words of the frame's own library, for messages.
    cells : array
        The cells; of a category column, the position of each cell among the categories,
        -1 where it is missing.
    ordered : bool, optional
        For a category column only: whether its categories are ranks.
    """

    name: str
    dtype: str
    cells: NDArray[Any]
    ordered: bool | None = None

    @cached_property
    def content(self) -> str:
        """What the cells hold, whatever they are stored as.

        Floats stored as objects are floats:

        >>> Column("dose", "object", np.array([0.5, 2], dtype=object)).content
        'mixed-integer-float'
        """
        if self.ordered is not None:
            return _ORDERED if self.ordered else _UNORDERED
        return str(pd.api.types.infer_dtype(self.cells, skipna=False))

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the cells that are NaN, None, NaT or any other null."""
        return self.cells == -1 if self.ordered is not None else np.asarray(pd.isna(self.cells))

    @property
    def infinite(self) -> NDArray[np.bool_]:
        """Mask of the cells that are plus or minus infinity."""
        if self.content in _FLOATS:
            return np.isinf(self.cells.astype(np.float64))
        return np.zeros(len(self.cells), dtype=np.bool_)

    @property
    def is_supported(self) -> bool:
        """Whether the cells are scalars that can be told apart."""
        if self.cells.ndim != 1 or self.cells.dtype.kind not in "biufmMO":
            return False
        try:
            set(self.cells.tolist() if self.cells.dtype.kind == "O" else ())
        except TypeError:
            return False
        return True

    @property
    def has_scale(self) -> bool:
        """Whether the cells can be measured: numbers, times and ordered categories."""
        return self.content in _TIMES | _FLOATS | _COUNTS | {_ORDERED}

    @property
    def default_kind(self) -> ColumnKind:
        """The kind of the column when the caller does not say."""
        return "continuous" if self.content in _TIMES | _FLOATS else "discrete"


def encode(column: Column, kind: ColumnKind) -> tuple[FloatArray, bool]:
    """Return the values of a column and whether they are numbers on a scale.

    Examples
    --------
    Two long identifiers differ, although no float can tell them apart. They are coded,
    and their codes are no numbers:

    >>> ids = Column("id", "int64", np.array([2**60 + 2, 2**60 + 1]))
    >>> encode(ids, "discrete")
    (array([1., 0.]), False)

    Measured, they are offsets from the smallest:

    >>> encode(ids, "continuous")
    (array([1., 0.]), True)
    """
    if column.ordered is not None:
        return _as_floats(column.cells), column.ordered
    cells = _unboxed(column)
    if _is_exact_in_float(cells):
        return _as_floats(cells), True
    if kind == "discrete":
        return _codes(cells), False
    if column.content in _TIMES:
        return _seconds(column.name, cells), True
    return (_offsets(cells) if cells.dtype.kind in "iu" else _as_floats(cells)), True


def resolution(column: Column, kind: ColumnKind) -> float | None:
    """Return how finely the cells of a column can be changed; None if only copied.

    >>> resolution(Column("dose", "float64", np.array([0.5, 2.0])), "continuous")
    0.0
    """
    is_number = column.ordered is None and column.cells.dtype.kind in "fiu"
    if kind == "discrete" or not is_number or not _is_exact_in_float(column.cells):
        return None
    return 0.0 if column.cells.dtype.kind == "f" else 1.0


def limits(column: Column) -> tuple[float, float]:
    """Return the least and the largest number that a cell of the column could hold.

    >>> limits(Column("age", "uint8", np.array([3, 90], dtype=np.uint8)))
    (0.0, 255.0)
    """
    kind = column.cells.dtype.kind
    if column.ordered is not None or kind not in "fiu":
        return -np.inf, np.inf
    held = np.finfo(column.cells.dtype) if kind == "f" else np.iinfo(column.cells.dtype)
    return float(held.min), float(held.max)


def _unboxed(column: Column) -> NDArray[Any]:
    """Return cells that are stored as objects as the numbers or times that they are, if all fit."""
    if column.cells.dtype.kind != "O" or column.content not in _UNBOXED:
        return column.cells
    try:
        return column.cells.astype(_UNBOXED[column.content])
    except OverflowError:
        return column.cells


def _as_floats(cells: NDArray[Any]) -> FloatArray:
    """Return the cells as floats; adding zero turns -0.0 into the 0.0 that it equals."""
    floats: FloatArray = cells.astype(np.float64) + 0.0
    return floats


def _is_exact_in_float(cells: NDArray[Any]) -> bool:
    """Say whether the cells are numbers, each of which a float64 holds exactly."""
    if cells.dtype.kind in "iu":
        largest = max(-int(cells.min()), int(cells.max()))
        return largest <= _LARGEST_EXACT_INTEGER
    return cells.dtype.kind in "bf" and cells.dtype.itemsize <= 8


def _offsets(integers: NDArray[Any]) -> FloatArray:
    """Return how far each integer is above the smallest, subtracted before rounding.

    Unsigned arithmetic wraps around, so that no span of 64-bit integers overflows.
    """
    unsigned = integers.astype(np.uint64)
    offsets: FloatArray = (unsigned - unsigned[np.argmin(integers)]).astype(np.float64)
    return offsets


def _seconds(name: str, cells: NDArray[Any]) -> FloatArray:
    """Return dates, times or durations in seconds above the smallest."""
    if cells.dtype.kind == "O":
        return _seconds_of_objects(name, cells)
    unit, count = np.datetime_data(cells.dtype)
    if unit not in _TICKS_PER_SECOND or count != 1:
        unit, cells = "s", cells.astype(f"{cells.dtype.kind}8[s]")
    return _offsets(cells.astype(np.int64)) / _TICKS_PER_SECOND[unit]


def _seconds_of_objects(name: str, cells: NDArray[Any]) -> FloatArray:
    """Return time objects of Python or pandas in seconds above the smallest."""
    try:
        smallest = cells.min()
    except TypeError:
        raise TableError(
            "Times in one column must be all of one sort: with a time zone, without one, or "
            f"plain dates. Found a mixture in {name!r}. Convert it with "
            "`pandas.to_datetime(column, utc=True)`."
        ) from None
    return np.array([(cell - smallest) / timedelta(seconds=1) for cell in cells])


def _codes(cells: NDArray[Any]) -> FloatArray:
    """Return the position of each cell among the distinct cells, sorted if they can be."""
    if cells.dtype.kind != "O":
        return np.unique(cells, return_inverse=True)[1].astype(np.float64)
    position = {cell: code for code, cell in enumerate(_sorted_if_possible(dict.fromkeys(cells)))}
    return np.array([position[cell] for cell in cells], dtype=np.float64)


def _sorted_if_possible(distinct: Iterable[Any]) -> Iterable[Any]:
    """Return some objects in sorted order, or in their own order if they have none."""
    try:
        return sorted(distinct)
    except TypeError:
        return distinct
