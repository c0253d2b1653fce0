"""Cells on their way into a table that was fitted before, and back into frames.

A model knows its columns as float values: codes of levels, seconds since the first date. New
rows must get the same values for the same cells. Two kinds of cell have no value there: one
that is missing is NaN, and a level that the table never held is `UNSEEN`. A column of another
sort of cells than the table has, such as text instead of numbers, is refused: all its cells would
be unseen, or measured on another scale. Cells that are drawn for the holes of a frame are written
into it, and it stays what it is: its library, dtypes, names.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd

from causalaug._magnitudes import LARGEST_NUMBER
from causalaug._validation import check_columns_exist
from causalaug.exceptions import TableError
from causalaug.table._columns import (
    DATES,
    TIMES,
    WITH_ZONE,
    WITHOUT_ZONE,
    Column,
    check_names,
    encode,
    sort_of,
)
from causalaug.table._sources import Source, open_source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from causalaug.table._table import Table
    from causalaug.typing import BoolArray, FloatArray, IntArray

    Cells = tuple[IntArray, Sequence[Any]]


UNSEEN = float(np.inf)
"""The value of a level that the fitted table does not hold; finite values are all seen."""


def code_rows(table: Table, frame: Any, names: Sequence[str] | None = None) -> FloatArray:
    """Return the cells of new rows as values of the table: NaN where missing, or `UNSEEN`.

    Shape: (n_new, n_columns), columns as in the table. A column that the frame lacks is missing
    throughout, and one without any cell may have any dtype; one that the table lacks is refused,
    since it may be a typing slip. `names` are those of an array.

    >>> import pandas as pd
    >>> from causalaug import Table
    >>> cars = pd.DataFrame({"make": ["VW", "Ford"], "mpg": [33.5, 14.0]})
    >>> code_rows(Table.from_frame(cars), pd.DataFrame({"make": ["VW", None, "Lada"]}))
    array([[ 1., nan],
           [nan, nan],
           [inf, nan]])
    """
    source = open_source(frame, table.columns if names is None else names)
    check_names(source.names)
    check_columns_exist("frame", [str(name) for name in source.names], table.columns)
    columns = {column.name: column for column in source.columns()}
    known = open_source(table.source, table.columns).columns()
    values = np.full((source.n_rows, table.n_columns), np.nan)
    for number, name in enumerate(table.columns):
        if name in columns and not columns[name].missing.all():
            is_measured = table.kinds[number] == "continuous" and known[number].ordered is None
            values[:, number] = (
                _measure(table, number, known[number], _labelled(source, columns[name]))
                if is_measured
                else _look_up(table, source, columns[name])
            )
    return values


def check_no_times(table: Table, name: str) -> None:
    """Raise if a column holds dates or durations: its values are seconds since the earliest."""
    number = table.index(name)
    if table.resolution[number] is not None or table.kinds[number] != "continuous":
        return
    known = open_source(table.source, table.columns).columns()[number]
    if known.content in TIMES:
        raise TableError(
            f"What is predicted must be a number or a label. Found {known.content} cells in "
            f"{name!r}, of which a model knows the seconds since the earliest. Fit numbers: "
            "subtract a date and divide by a unit, `(t - t.min()) / pandas.Timedelta(days=1)`."
        )


def level_cells(table: Table, name: str) -> tuple[FloatArray, list[Any]]:
    """Return the distinct values of a column in order, and a cell that each stands for."""
    number = table.index(name)
    values, first = np.unique(table.values[:, number], return_index=True)
    there = ~np.isnan(values)
    cells = open_source(table.source, table.columns).objects(name)
    return values[there], [cells[row] for row in first[there]]


def _look_up(table: Table, source: Source, column: Column) -> FloatArray:
    """Return the values of the cells that the table holds; the others are `UNSEEN`."""
    values, levels = level_cells(table, column.name)
    code = dict(zip(levels, values, strict=True))
    cells = source.objects(column.name)
    coded = np.array([code.get(cell, UNSEEN) for cell in cells], dtype=np.float64)
    coded[column.missing] = np.nan
    if not np.isfinite(coded).any():
        known = {sort_of(level) for level in levels}
        found = {sort_of(cells[row]) for row in np.flatnonzero(~column.missing)}
        if known.isdisjoint(found):
            raise _another_sort(column, known, found)
    return coded


def _measure(table: Table, number: int, known: Column, column: Column) -> FloatArray:
    """Return cells on the scale of the table, which may start at its own smallest cell.

    One cell of the table is coded together with the new ones, to tie the two scales.
    """
    anchor = int(np.flatnonzero(~known.missing)[0])
    values = np.full(len(column.cells), np.nan)
    there = ~column.missing
    first = replace(known, cells=known.cells[anchor : anchor + 1])
    new = replace(column, cells=column.cells[there])
    try:
        cells = np.concatenate(_on_one_scale(first, new))
        coded, _ = encode(Column(column.name, column.dtype, cells), "continuous")
    except (TypeError, ValueError):
        raise _another_sort(column, first.sorts, new.sorts) from None
    if np.isinf(coded).any():
        raise TableError(
            f"The data must be finite. Found an infinite cell in {column.name!r}. "
            "Replace it by a finite value, or by a missing one."
        )
    if len(coded) and np.abs(coded).max() > LARGEST_NUMBER:
        raise TableError(
            f"Numbers must be at most {LARGEST_NUMBER:g}. Found {np.abs(coded).max():g} in "
            f"{column.name!r}. Was the table fitted in the same unit?"
        )
    values[there] = coded[1:] + (table.values[anchor, number] - coded[0])
    return values


def _labelled(source: Source, column: Column) -> Column:
    """Return a category column with its labels as cells, not their codes; any other as it is."""
    if column.ordered is None:
        return column
    labels = np.array(source.objects(column.name), dtype=object)
    return Column(column.name, column.dtype, labels)


def _on_one_scale(*columns: Column) -> list[NDArray[Any]]:
    """Return the cells of columns that can be measured together; or raise a TypeError.

    numpy itself would take durations for counts of ticks, and times in UTC for local ones.
    """
    sorts = frozenset().union(*(column.sorts for column in columns))
    if sorts == {WITH_ZONE}:
        # Cells are in UTC already, or objects that know their zone.
        return [
            pd.to_datetime(column.cells, utc=True).tz_localize(None).to_numpy()
            for column in columns
        ]
    # Some libraries hold dates as the midnights at which they begin.
    if len(sorts) > 1 and sorts != {DATES, WITHOUT_ZONE}:
        raise TypeError(f"no common scale: {sorted(sorts)}")
    return [column.cells for column in columns]


def _another_sort(column: Column, known: Collection[str], found: Collection[str]) -> TableError:
    """Return the error about a column of which some cells are of no sort that the table holds.

    Where the sorts are the same, the dtype is what differs: numpy cannot join them.
    """
    odd = set(found) - set(known) or found
    return TableError(
        f"Column {column.name!r} must hold {' or '.join(sorted(known))}, as in the fitted table. "
        f"Found {' and '.join(sorted(odd))} (dtype {column.dtype}). Convert it."
    )


MARGIN = 0.5
"""How far beyond the observed range a number may be written, in standard deviations: as far as a
new row may move one."""


def missing_cells(frame: Any, names: Sequence[str]) -> dict[str, BoolArray]:
    """Return the mask of the missing cells of each column; `names` are those of an array."""
    return {column.name: column.missing for column in open_source(frame, names).columns()}


def take_and_fill(
    frame: Any, names: Sequence[str], rows: IntArray, filled: Mapping[str, Cells]
) -> Any:
    """Return rows of a frame by number, with cells written at positions of some columns.

    A pandas frame keeps the labels of its rows, so that a copy can be told by its row.
    """
    if isinstance(frame, np.ndarray):
        taken = frame[rows]
        for name, (positions, cells) in filled.items():
            with _held_by(name, frame.dtype, cells):
                taken[positions, list(names).index(name)] = cells
        return taken
    if isinstance(frame, pd.DataFrame):
        return _fill_pandas(frame.iloc[rows], filled)
    opened = nw.from_native(frame, eager_only=True)[rows]
    return opened.with_columns(
        *(_filled(opened[name], *cells) for name, cells in filled.items())
    ).to_native()


def rows_of(frame: Any, rows: IntArray) -> Any:
    """Return rows of a frame or an array by number, as often as they are named."""
    return take_and_fill(frame, (), rows, {})


def stack_frames(upper: Any, lower: Any) -> Any:
    """Return the rows of one frame above those of another, which has the same columns."""
    if isinstance(upper, np.ndarray):
        return np.concatenate([upper, lower])
    if isinstance(upper, pd.DataFrame):
        return pd.concat([upper, lower], ignore_index=True)
    return nw.concat(
        [nw.from_native(upper, eager_only=True), nw.from_native(lower, eager_only=True)]
    ).to_native()


def cells_of(table: Table, column: int, values: FloatArray) -> Sequence[Any]:
    """Return cells that hold values of a column, in the coding of its table.

    What cannot be changed is copied from the observed cell that is nearest. Other numbers are
    kept near the observed range and within the limits of their column; integers are rounded.
    """
    known = table.coding(column).values
    if table.resolution[column] is None:
        right = np.clip(np.searchsorted(known, values), 1, max(len(known) - 1, 1))
        right = np.minimum(right, len(known) - 1)
        left = np.maximum(right - 1, 0)
        is_left = np.abs(values - known[left]) <= np.abs(known[right] - values)
        _, cells = level_cells(table, table.columns[column])
        return [cells[at] for at in np.where(is_left, left, right)]
    margin = MARGIN * float(np.std(table.present(column)))
    least, largest = table.limits[column]
    near = np.clip(values, max(known[0] - margin, least), min(known[-1] + margin, largest))
    is_integer = table.resolution[column] == 1.0
    numbers: FloatArray = np.clip(np.round(near), least, largest) + 0.0 if is_integer else near
    written: list[float] = table.numbers(column, numbers).tolist()
    return written


def _fill_pandas(frame: pd.DataFrame, filled: Mapping[str, Cells]) -> pd.DataFrame:
    columns = {}
    for number, name in enumerate(frame.columns):
        series = frame.iloc[:, number]
        if name in filled:
            positions, cells = filled[name]
            own = series.to_numpy() if isinstance(series.dtype, np.dtype) else series.array
            own = own.copy()
            with _held_by(name, series.dtype, cells):
                own[positions] = _as_held(nw.from_native(series, series_only=True).dtype, cells)
                series = pd.Series(own, index=frame.index, dtype=series.dtype)
                if series.isna().to_numpy()[positions].any():
                    raise TypeError("a level 'nan' that became a hole among numbers")
        columns[number] = series
    result = pd.DataFrame(columns, index=frame.index)
    result.columns = frame.columns
    return result


def _filled(series: nw.Series[Any], positions: IntArray, cells: Sequence[Any]) -> nw.Series[Any]:
    """Return a column with other cells."""
    native = series.to_native()
    with _held_by(
        series.name, native.type if series.implementation.is_pyarrow() else native.dtype, cells
    ):
        held = series.to_list()
        for position, cell in zip(positions.tolist(), _as_held(series.dtype, cells), strict=True):
            held[position] = cell
        made = _made_anew(series, held)
        if made.is_null().to_numpy()[positions].any():
            raise TypeError("a column of nothing but holes")
    return made


def _made_anew(series: nw.Series[Any], held: Sequence[Any]) -> nw.Series[Any]:
    """Return a column of the same name and dtype; its own library knows its dtype best."""
    native, library = series.to_native(), nw.get_native_namespace(series)
    if series.implementation.is_polars():
        made = library.Series(series.name, held, dtype=native.dtype)
        return nw.from_native(made, series_only=True)
    if series.implementation.is_pyarrow():
        made = library.chunked_array([library.array(held, type=_plain_type(native, library))])
        made = made.cast(native.type)
        named: nw.Series[Any] = nw.from_native(made, series_only=True).alias(series.name)
        return named
    return nw.new_series(series.name, held, series.dtype, native_namespace=library)


def _as_held(dtype: Any, cells: Sequence[Any]) -> Sequence[Any]:
    """Return cells as a column holds them: in one of integers, the nearest that it can hold.

    A model counts in floats, and may know the column from a frame of another dtype.
    """
    if dtype == nw.Float32:
        # Raises where one becomes infinite, which not every library does.
        np.asarray(cells, dtype=np.float64).astype(np.float32)
    # By name: the oldest narwhals that is supported knows no `is_integer`.
    if not str(dtype).startswith(("Int", "UInt")):
        return cells
    # numpy has no integers of 128 bits; no number of ours is beyond those of 64.
    range_ = np.iinfo(str(dtype).lower().replace("128", "64"))
    # As far beyond the range a number of the same dtype can be drawn: half a standard deviation,
    # which is at most half the width of the range.
    slack = 0.25 * (float(range_.max) - float(range_.min))
    if not all(range_.min - slack <= cell <= range_.max + slack for cell in cells):
        raise OverflowError(f"beyond the range of {dtype}")
    return [min(max(round(cell), range_.min), range_.max) for cell in cells]


@contextmanager
def _held_by(name: Any, dtype: Any, cells: Sequence[Any]) -> Iterator[None]:
    """Turn whatever a library says of cells that a column cannot hold into an error of ours."""
    try:
        with np.errstate(over="raise"):
            yield
    except Exception as error:
        raise TableError(
            f"Column {name!r} must be able to hold the cells that are drawn for its holes, such as "
            f"{str(cells[0])[:40]!r}. Found dtype {dtype}. Give it the dtype that it had in the "
            "fitted table."
        ) from error


def _plain_type(native: Any, library: Any) -> Any:
    """Return the type of the values; a dictionary of values is made of them."""
    is_dictionary = library.types.is_dictionary(native.type)
    return native.type.value_type if is_dictionary else native.type
