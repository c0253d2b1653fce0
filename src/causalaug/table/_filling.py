"""Cells written into the holes of a frame, which stays what it is: its library, dtypes, names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd

from causalaug.table._coding import level_cells
from causalaug.table._sources import open_source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from causalaug.table._table import Table
    from causalaug.typing import BoolArray, FloatArray, IntArray

    Cells = tuple[IntArray, Sequence[Any]]

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
    written: list[float] = numbers.tolist()
    return written


def _fill_pandas(frame: pd.DataFrame, filled: Mapping[str, Cells]) -> pd.DataFrame:
    columns = {}
    for number, name in enumerate(frame.columns):
        series = frame.iloc[:, number]
        if name in filled:
            positions, cells = filled[name]
            own = series.to_numpy() if isinstance(series.dtype, np.dtype) else series.array
            own = own.copy()
            own[positions] = cells
            series = pd.Series(own, index=frame.index, dtype=series.dtype)
        columns[number] = series
    result = pd.DataFrame(columns, index=frame.index)
    result.columns = frame.columns
    return result


def _filled(series: nw.Series[Any], positions: IntArray, cells: Sequence[Any]) -> nw.Series[Any]:
    """Return a column with other cells; its own library knows its dtype best."""
    held = series.to_list()
    for position, cell in zip(positions.tolist(), cells, strict=True):
        held[position] = cell
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


def _plain_type(native: Any, library: Any) -> Any:
    """Return the type of the values; a dictionary of values is made of them."""
    is_dictionary = library.types.is_dictionary(native.type)
    return native.type.value_type if is_dictionary else native.type
