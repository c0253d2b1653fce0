"""One column: from its cells, whatever they are, to float values and their limits.

Two questions decide everything. What do the cells hold? (`Column.content`.) And shall
they be told apart only, ranked, or measured? (`ColumnKind`.) A nominal column needs values
that are equal exactly where its cells are, an ordered one needs ranks as well, a continuous
one a scale.

What columns must be is checked here too, once and before any work; each error says what to do
next.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import cached_property
from numbers import Number, Real
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from causalaug._magnitudes import FAR
from causalaug._validation import MOST_NAMED, check_choice, check_columns_exist, some, typing_slips
from causalaug.exceptions import ParameterError, TableError
from causalaug.typing import BoolArray, FloatArray

ColumnKind: TypeAlias = Literal["continuous", "ordered", "nominal"]
"""How a column enters a kernel: by distance, by difference in rank, or by being equal or not."""

KINDS: tuple[ColumnKind, ...] = ("continuous", "ordered", "nominal")
SYNONYMS: Mapping[str, ColumnKind] = {"discrete": "nominal"}
"""Words that are taken for a kind wherever kinds are given."""

KindName: TypeAlias = Literal["continuous", "ordered", "nominal", "discrete"]
"""What a caller may say."""

MOST_RANKS = 10
"""Integers with more distinct values are quantities: nobody lists that many grades."""

# The words are those of `pandas.api.types.infer_dtype`, plus ours for categories.
TIMES = frozenset({"date", "datetime", "datetime64", "timedelta", "timedelta64"})
_FLOATS = frozenset({"floating", "mixed-integer-float", "decimal"})
_COUNTS = frozenset({"integer", "boolean"})
_UNBOXED = {"floating": "f8", "integer": "i8", "boolean": "?", "datetime64": "M8[ns]"}
_ORDERED = "ordered category"
_UNORDERED = "category"

WITH_ZONE = "times with a zone"
WITHOUT_ZONE = "times without a zone"
DATES = "dates"
# A duration of numpy counts as a number, and a datetime of Python is a date: the order matters.
_SORTS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "text"),
    ((timedelta, np.timedelta64), "durations"),
    ((Number, np.bool_), "numbers or booleans"),
    ((datetime, np.datetime64), WITHOUT_ZONE),
    (date, DATES),
    (time, "times of day"),
)

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
    has_zone : bool, default=False
        Whether the column has a time zone; cells that numpy holds as times are in UTC then.
    """

    name: str
    dtype: str
    cells: NDArray[Any]
    ordered: bool | None = None
    has_zone: bool = False

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

    @cached_property
    def missing(self) -> BoolArray:
        """Mask of the cells that are NaN, None, NaT or any other null."""
        return self.cells == -1 if self.ordered is not None else np.asarray(pd.isna(self.cells))

    @property
    def sorts(self) -> frozenset[str]:
        """The sorts of the cells that are there; see `sort_of`. Not for categories.

        >>> sorted(Column("size", "object", np.array(["XL", 48, None], dtype=object)).sorts)
        ['numbers or booleans', 'text']
        """
        cells = self.cells[~self.missing]
        if cells.dtype.kind == "O":
            return frozenset(map(sort_of, cells))
        # One cell tells the sort of all: they have one dtype.
        return frozenset(WITH_ZONE if self.has_zone else sort_of(cell) for cell in cells[:1])

    def present(self) -> "Column":
        """Return the column of the cells that are there: itself, if none is missing.

        Missing cells turn integers into floats in many libraries. If all that are there are
        whole, they are integers again:

        >>> Column("age", "float64", np.array([30.0, np.nan, 41.0])).present().content
        'integer'
        """
        missing = self.missing
        if not missing.any():
            return self
        cells = self.cells[~missing]
        if cells.dtype.kind == "f" and are_whole(cells):
            cells = cells.astype(np.int64)
        return replace(self, cells=cells)

    @property
    def infinite(self) -> BoolArray:
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
        return self.content in TIMES | _FLOATS | _COUNTS | {_ORDERED}

    @property
    def default_kind(self) -> ColumnKind:
        """The kind of the column when the caller does not say.

        >>> [Column("n", "int64", np.arange(size)).default_kind for size in (10, 11)]
        ['ordered', 'continuous']
        """
        if self.content in TIMES | _FLOATS:
            return "continuous"
        if self.content == "integer":
            is_object = self.cells.dtype.kind == "O"
            distinct = set(self.cells) if is_object else np.unique(self.cells)
            return "ordered" if len(distinct) <= MOST_RANKS else "continuous"
        return "ordered" if self.content == _ORDERED else "nominal"


def sort_of(cell: object) -> str:
    """Return the sort of a cell, in words for a message; cells of two sorts are never equal.

    >>> [sort_of(cell) for cell in ("1", 1, 1.0, True, timedelta(1), b"1")]
    ['text', 'numbers or booleans', 'numbers or booleans', 'numbers or booleans', 'durations', \
'cells of type bytes']
    """
    if isinstance(cell, datetime) and cell.tzinfo is not None:
        return WITH_ZONE
    other = f"cells of type {type(cell).__name__}"
    return next((sort for types, sort in _SORTS if isinstance(cell, types)), other)


def check_names(names: Sequence[object]) -> None:
    """Raise unless the column names are distinct strings."""
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise TableError(
            f"Column names must be strings, as the nodes of a graph are. Found {some(odd)}. "
            "Rename them; in pandas, `frame.columns = frame.columns.map(str)`."
        )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise TableError(
            f"Column names must be distinct. Found more than once: {some(repeated)}. "
            "Rename or drop the repeated columns."
        )


def check_cells(columns: Sequence[Column], *, holes: bool = False) -> list[Column]:
    """Return the columns of the cells that are there; or raise.

    All cells must be scalars, none may be infinite, and none missing, unless holes are allowed:
    then each column must have a cell that is not.
    """
    nested = [f"{c.name!r} ({c.dtype})" for c in columns if not c.is_supported]
    if nested:
        raise TableError(
            "Cells must be numbers, strings, categories, times or other scalars that can be "
            f"hashed. Found columns of another type: {', '.join(nested)}. "
            "Drop these columns, or split them into columns of scalars."
        )
    if not holes:
        _check_none(
            [(c.name, c.missing) for c in columns],
            must="The data must have no missing values (null, None, NaN, NaT).",
            remedy="Drop the rows (`dropna` in pandas, `drop_nulls` and `drop_nans` in polars) "
            "or fill the cells in.",
        )
    present = [column.present() for column in columns] if holes else list(columns)
    empty = [column.name for column in present if not len(column.cells)]
    if empty:
        raise TableError(
            "Every column must have a cell that is not missing. "
            f"Found none in {some(empty)}. Drop these columns."
        )
    _check_none(
        [(c.name, c.infinite) for c in present],
        must="The data must be finite.",
        remedy="Drop the rows, or replace the infinite cells by finite values.",
    )
    return present


def _check_none(masks: Sequence[tuple[str, BoolArray]], must: str, remedy: str) -> None:
    """Raise if any mask is true anywhere, naming every column, its count and its first row."""
    found = [
        f"{mask.sum()} in {name!r} (first at row {mask.argmax()})"
        for name, mask in masks
        if mask.any()
    ]
    if found:
        more = f" and {len(found) - MOST_NAMED:,} columns more" if len(found) > MOST_NAMED else ""
        named = ", ".join(found[:MOST_NAMED]) + more
        raise TableError(f"{must} Found {named}; rows count from 0. {remedy}")


def resolve_kinds(
    columns: Sequence[Column], kinds: Mapping[str, KindName] | None
) -> tuple[ColumnKind, ...]:
    """Return the kind of each column: the one in `kinds`, or else its default."""
    wanted = {} if kinds is None else kinds
    _check_kinds(wanted, [column.name for column in columns])
    said = {name: canonical_kind(kind) for name, kind in wanted.items()}
    flat = [c for c in columns if said.get(c.name, "nominal") != "nominal" and not c.has_scale]
    if flat:
        held = ", ".join(f"{c.name!r} ({c.content}, dtype {c.dtype})" for c in flat)
        raise ParameterError(
            "A column in `kinds` can be 'continuous' or 'ordered' only if its cells have distances "
            "or ranks: numbers, times, or ordered categories, whose ranks are then used. Found "
            f"{held}. Leave it nominal, convert it to numbers, or make it an ordered category."
        )
    return tuple(said.get(column.name) or column.default_kind for column in columns)


def canonical_kind(kind: KindName) -> ColumnKind:
    """Return the kind that a word stands for.

    >>> canonical_kind("discrete"), canonical_kind("ordered")
    ('nominal', 'ordered')
    """
    return SYNONYMS.get(kind, kind)  # type: ignore[arg-type]


def _check_kinds(kinds: object, names: Sequence[str]) -> None:
    """Raise unless `kinds` maps some of the names to a column kind."""
    if not isinstance(kinds, Mapping):
        raise ParameterError(
            "`kinds` must map column names to 'continuous', 'ordered' or 'nominal', as in "
            f'{{"cylinders": "continuous"}}. Found {kinds!r}.'
        )
    unknown = [str(name) for name in kinds if name not in names]
    if unknown:
        raise ParameterError(
            f"`kinds` must name columns of the data. Found {some(unknown)}, the columns are "
            f"{some(names)}. " + typing_slips(unknown, names) + "Correct or drop these entries."
        )
    for name, kind in kinds.items():
        check_choice(f"kinds[{name!r}]", kind, (*KINDS, *SYNONYMS))


def encode(column: Column, kind: ColumnKind) -> tuple[FloatArray, bool]:
    """Return the values of a column and whether they are numbers on a scale.

    Examples
    --------
    Two long identifiers differ, although no float can tell them apart. They are coded,
    and their codes are no numbers:

    >>> ids = Column("id", "int64", np.array([2**60 + 2, 2**60 + 1]))
    >>> encode(ids, "nominal")
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
    if kind != "continuous":
        # Codes are in sorted order where there is one: those of what has a scale are ranks.
        return _codes(cells), kind == "ordered"
    if column.content in TIMES:
        return _seconds(column.name, cells), True
    return (_offsets(cells) if cells.dtype.kind in "iu" else _as_floats(cells)), True


def origin_of(numbers: FloatArray) -> float:
    """Return what to subtract from numbers before computing with them: 0 unless all are far out.

    Then it is the smallest of them. The differences are exact, since a double holds all numbers
    between two neighbours that differ by less than twice.

    >>> origin_of(np.array([40.0, 70.0])), origin_of(np.array([1e15 + 1.0, 1e15 - 1.0]))
    (0.0, 999999999999999.0)
    """
    least, largest = float(numbers.min()), float(numbers.max())
    # Halved, since the difference of two large numbers may overflow.
    width = largest / 2.0 - least / 2.0
    is_far = 0.0 < width < min(abs(least), abs(largest)) / (2.0 * FAR)
    return least if is_far else 0.0


def resolution(column: Column, kind: ColumnKind) -> float | None:
    """Return how finely the cells of a column can be changed; None if only copied.

    >>> resolution(Column("dose", "float64", np.array([0.5, 2.0])), "continuous")
    0.0
    """
    is_number = column.ordered is None and column.cells.dtype.kind in "fiu"
    if kind != "continuous" or not is_number or not _is_exact_in_float(column.cells):
        return None
    return 0.0 if column.cells.dtype.kind == "f" else 1.0


def default_limits(column: Column, kind: ColumnKind) -> tuple[float, float]:
    """Return the least and the largest number that a cell of the column may hold.

    A quantity that was never negative and comes close to 0, such as a price, cannot become
    negative, and one that stayed between 0 and 1 and comes close to 1 is taken for a share. Heights
    of adults are not negative either, but no row speaks for a limit there. Close is within
    a standard deviation. An integer keeps within what its dtype can hold.

    >>> prices = np.array([0.5, 2.0, 9.0], dtype=np.float32)
    >>> default_limits(Column("price", "float32", prices), "continuous")
    (0.0, 3.4028234663852886e+38)
    >>> heights = np.array([158.0, 171.0, 180.0], dtype=np.float32)
    >>> default_limits(Column("height", "float32", heights), "continuous")[0]
    -3.4028234663852886e+38
    >>> default_limits(Column("share", "float64", np.array([0.1, 0.5, 1.0])), "continuous")
    (0.0, 1.0)
    >>> default_limits(Column("age", "uint8", np.array([3, 90], dtype=np.uint8)), "continuous")
    (0.0, 255.0)
    """
    kept = dtype_limits(column)
    if resolution(column, kind) is None or column.cells.min() < 0:
        return kept
    values = np.asarray(column.cells, dtype=np.float64)
    # Of distinct values, so that copies of rows count once; in units of the largest, so that no
    # square overflows.
    largest = float(values.max()) or 1.0
    close = largest * float((np.unique(values) / largest).std())
    is_share = column.cells.dtype.kind == "f" and 0.0 <= 1.0 - values.max() <= close
    return (0.0 if values.min() <= close else kept[0]), (1.0 if is_share else kept[1])


def dtype_limits(column: Column) -> tuple[float, float]:
    """Return the least and the largest number that the dtype of a column can hold."""
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


def are_whole(numbers: NDArray[Any]) -> bool:
    """Say whether all numbers are whole, and a float64 tells each from its neighbours."""
    most = float(np.abs(numbers).max(initial=0.0))
    return most < _LARGEST_EXACT_INTEGER and bool((numbers == np.rint(numbers)).all())


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


Limits: TypeAlias = tuple[float | None, float | None]
"""The least and the largest value that a column may hold; None where there is no bound."""


def resolve_limits(
    columns: Sequence[Column],
    kinds: Sequence[ColumnKind],
    given: Mapping[str, Limits],
) -> tuple[tuple[float, float], ...]:
    """Return the limits of each column: those given, or else its default."""
    _check_limits(given, [column.name for column in columns])
    found = []
    for column, kind in zip(columns, kinds, strict=True):
        if column.name not in given:
            found.append(default_limits(column, kind))
            continue
        if resolution(column, kind) is None:
            raise ParameterError(
                "`limits` are for continuous columns of numbers, whose values may move. Found "
                f"{column.name!r} ({kind}, dtype {column.dtype}). Leave it out of `limits`, or "
                f'make it continuous: kinds={{{column.name!r}: "continuous"}}.'
            )
        low, high = given[column.name]
        least, largest = dtype_limits(column)
        ends = (
            least if low is None else max(least, float(low)),
            largest if high is None else min(largest, float(high)),
        )
        _check_within(column, ends)
        found.append(ends)
    return tuple(found)


def _check_limits(wanted: object, names: Sequence[str]) -> None:
    """Raise unless `limits` maps names of columns to a pair of numbers, the smaller first."""
    if not isinstance(wanted, Mapping):
        raise ParameterError(
            "`limits` must map column names to their least and largest value, as in "
            f'{{"dose": (0, None)}}. Found {wanted!r}.'
        )
    check_columns_exist("limits", wanted, names)
    for name, ends in wanted.items():
        is_pair = isinstance(ends, Sequence) and not isinstance(ends, str) and len(ends) == 2
        if not is_pair or not all(_is_end(end) for end in ends):
            raise ParameterError(
                f"`limits[{name!r}]` must be a pair of numbers, None where there is no limit, as "
                f"in (0, None). Found {ends!r}."
            )
        if None not in ends and not ends[0] < ends[1]:
            raise ParameterError(
                f"`limits[{name!r}]` must have the smaller number first. Found {ends!r}."
            )


def _is_end(end: object) -> bool:
    if isinstance(end, bool):
        return False
    return end is None or (isinstance(end, Real) and not math.isnan(end))


def _check_within(column: Column, ends: tuple[float, float]) -> None:
    least, largest = column.cells.min(), column.cells.max()
    if least < ends[0] or largest > ends[1]:
        raise ParameterError(
            f"The observed values of {column.name!r} must lie within its `limits`, {ends[0]:g} to "
            f"{ends[1]:g}. Found values from {least:g} to {largest:g}. Widen the limits, or drop "
            "the rows."
        )
