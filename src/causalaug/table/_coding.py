"""New rows in the coding of a table that was fitted before.

A model knows its columns as float values: codes of levels, seconds since the first date. New
rows must get the same values for the same cells. Two kinds of cell have no value there: one
that is missing is NaN, and a level that the table never held is `UNSEEN`. A column of another
sort of cells than the table has, such as text instead of numbers, is refused: all its cells would
be unseen, or measured on another scale.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
from causalaug.table._sources import ArraySource, NarwhalsSource, PandasSource, Source, open_source

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from causalaug.table._table import Table
    from causalaug.typing import FloatArray

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
    cells = _objects(open_source(table.source, table.columns), name)
    return values[there], [cells[row] for row in first[there]]


def _look_up(table: Table, source: Source, column: Column) -> FloatArray:
    """Return the values of the cells that the table holds; the others are `UNSEEN`."""
    values, levels = level_cells(table, column.name)
    code = dict(zip(levels, values, strict=True))
    cells = _objects(source, column.name)
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
    labels = np.array(_objects(source, column.name), dtype=object)
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


def _objects(source: Source, name: str) -> list[Any]:
    """Return the cells of a column as plain objects, categories as their labels."""
    if isinstance(source, PandasSource):
        return source.frame[name].astype(object).to_list()
    if isinstance(source, NarwhalsSource):
        return source.frame[name].to_list()
    assert isinstance(source, ArraySource)
    cells: list[Any] = source.array[:, list(source.names).index(name)].tolist()
    return cells
