"""Tables of any length, some rows after the others, with the types of the whole.

What a column holds is decided by all of its cells, and a block has only some. So the file is read
twice: once to learn what each block makes of its columns, once to hand the blocks out with the
types that they have in common. Where one block has something to remark on, or differs from others
in more than whole numbers beside broken ones, its cells alone do not decide: then the whole table
is read at once, as `read_table` does, and cut into the same blocks.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import partial, reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from causalaug.cli._cells import check_like
from causalaug.cli._files import check_input
from causalaug.cli._options import ChosenColumns, TextFormat
from causalaug.cli._table_files import (
    SEPARATORS,
    Expected,
    check_characters,
    frame_of_text,
    read_table,
    separator_of,
    table_format,
    text_codec,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BLOCK_ROWS = 20_000
"""Rows that are read, predicted and written at a time: 20 MB of a hundred numbers a row."""

Types = dict[str, Any]
"""By column, its dtype; None where no cell was seen."""


class _NoCommonTypeError(Exception):
    """Blocks of a file differ, or one of them cannot be read alone."""


@dataclass(frozen=True)
class Blocks:
    """The rows of a table, as often as they are wanted.

    Parameters
    ----------
    rows : callable
        Returns an iterator over frames, each with the next rows.
    n_blocks, n_rows : int
        How many frames there are, and how many rows in all.
    """

    rows: Callable[[], Iterator[pd.DataFrame]]
    n_blocks: int
    n_rows: int

    def __iter__(self) -> Iterator[pd.DataFrame]:
        """Yield the frames."""
        return self.rows()


def read_blocks(
    path: Path, text: TextFormat, expected: Expected, remark: Callable[[str], None]
) -> Blocks:
    """Return the rows of a table in blocks; the cells are those that `read_table` gives."""
    check_input(path, "A table")
    kind = table_format(path, "A table")
    read = {"csv": _text_frames, "tsv": _text_frames, "parquet": _parquet_frames}.get(kind)
    if read is not None:
        try:
            return _scanned(partial(read, path, kind, text, expected))
        except Exception:  # noqa: BLE001  whatever it is, who reads the whole says it best
            pass
    frame = read_table(path, text, expected=expected, remark=remark)
    return Blocks(partial(_cut, frame), max(-(-len(frame) // BLOCK_ROWS), 1), len(frame))


def _cut(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    for start in range(0, max(len(frame), 1), BLOCK_ROWS):
        yield frame[start : start + BLOCK_ROWS].reset_index(drop=True)


def _scanned(read: Callable[[], Iterator[pd.DataFrame]]) -> Blocks:
    """Return the blocks with the types that they have in common, after a look at all of them."""
    found = [(_types(frame), len(frame)) for frame in read()]
    types = reduce(_common, [types for types, _ in found])
    n_rows = sum(size for _, size in found)
    if n_rows == 0:
        raise _NoCommonTypeError
    return Blocks(lambda: (_typed(frame, types) for frame in read()), len(found), n_rows)


def _types(frame: pd.DataFrame) -> Types:
    return {
        str(name): cells.dtype if cells.notna().any() else None for name, cells in frame.items()
    }


def _common(types: Types, more: Types) -> Types:
    """Return the types of the rows of two blocks together.

    >>> whole, broken = np.dtype("int64"), np.dtype("float64")
    >>> _common({"n": whole, "x": None}, {"n": broken, "x": whole})
    {'n': dtype('float64'), 'x': dtype('float64')}
    """
    if list(types) != list(more):
        raise _NoCommonTypeError
    return {name: _common_type(types[name], more[name]) for name in types}


def _common_type(one: Any, other: Any) -> Any:
    # To numpy None is another name of float64: it must be asked for by identity.
    if one is None or other is None:
        known = other if one is None else one
        # A block without any cell has no say, if the others can hold missing cells.
        if known is None or (known != np.dtype("bool") and known.kind not in "iu"):
            return known
        if known == np.dtype("int64"):
            return np.dtype("float64")
        raise _NoCommonTypeError
    if one == other:
        return one
    # A column of whole numbers is one of broken ones as soon as a cell is missing.
    if {one, other} == {np.dtype("int64"), np.dtype("float64")}:
        return np.dtype("float64")
    raise _NoCommonTypeError


def _typed(frame: pd.DataFrame, types: Types) -> pd.DataFrame:
    """Return a block whose columns have the types of all blocks."""
    columns = {
        name: frame[name]
        if wanted is None or frame[name].dtype == wanted
        else _as_type(frame[name], wanted)
        for name, wanted in types.items()
    }
    return pd.DataFrame(columns, index=frame.index, columns=frame.columns)


def _as_type(cells: pd.Series[Any], wanted: Any) -> pd.Series[Any]:
    """Return whole numbers as broken ones, or a column without a cell as one of any type."""
    if cells.notna().any():
        return cells.astype(wanted)
    return pd.Series(index=cells.index, dtype=wanted)


def _text_frames(
    path: Path, kind: str, text: TextFormat, expected: Expected
) -> Iterator[pd.DataFrame]:
    """Yield the rows of a text file; raise if a block has a cell to remark on."""
    sign = separator_of(text, SEPARATORS[kind])
    for content in _pieces(path, text.encoding, sign):
        check_characters(content, path)
        frame, remarks = frame_of_text(content, path, sign, text, ChosenColumns(), expected)
        check_like(frame, expected.like, path, text.decimal)
        if remarks:
            raise _NoCommonTypeError
        yield frame


def _pieces(path: Path, encoding: str, sign: str) -> Iterator[str]:
    """Yield the text of a file in pieces that end where a row does, each below the names."""
    with open(path, encoding=text_codec(encoding), newline="") as file:
        kept: list[str] = []

        def noted() -> Iterator[str]:
            for line in file:
                kept.append(line)
                yield line

        rows = csv.reader(noted(), delimiter=sign)
        next(cells for cells in rows if cells)
        names = "".join(kept)
        kept.clear()
        n_rows = 0
        for _ in rows:
            n_rows += 1
            if n_rows == BLOCK_ROWS:
                yield names + "".join(kept)
                kept.clear()
                n_rows = 0
        if kept:
            yield names + "".join(kept)


def _parquet_frames(
    path: Path, kind: str, text: TextFormat, expected: Expected
) -> Iterator[pd.DataFrame]:
    """Yield the rows of a Parquet file; an index with a name is a column like any other."""
    pyarrow = import_module("pyarrow")
    with open(path, "rb") as file:
        parquet = import_module("pyarrow.parquet").ParquetFile(file)
        for batch in parquet.iter_batches(batch_size=BLOCK_ROWS):
            frame = pyarrow.Table.from_batches([batch]).to_pandas()
            named = any(name is not None for name in frame.index.names)
            frame = frame.reset_index(drop=not named)
            check_like(frame, expected.like, path, text.decimal)
            yield frame
