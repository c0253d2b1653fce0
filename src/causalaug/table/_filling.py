"""Cells written into the holes of a frame, which stays what it is: its library, dtypes, names."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd

from causalaug.exceptions import TableError
from causalaug.table._coding import level_cells
from causalaug.table._sources import open_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from causalaug.table._table import Table
    from causalaug.typing import BoolArray, FloatArray, IntArray

    Cells = tuple[IntArray, Sequence[Any]]

MARGIN = 0.5
"""How far beyond the observed range a number may be written, in standard deviations: as far as a
new row may move one."""

FARTHEST_OUT = 0.25
"""How far beyond the range of an integer dtype a number of the same dtype can be drawn, in widths
of that range: half a standard deviation, which is at most half a width."""


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
    slack = FARTHEST_OUT * (float(range_.max) - float(range_.min))
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
