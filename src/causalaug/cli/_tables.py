"""Tables in files: read by their ending, written in full or not at all.

A text file is read as text, and its cells are typed by `_cells`. So it can be read some rows after
the others: what its columns hold follows from a table that is known, not from rows that come later.
"""

from __future__ import annotations

import codecs
import csv
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TextIO

import pandas as pd

from causalaug._atomic import atomic_path, check_output
from causalaug._memory import memory_of_process
from causalaug._optional import import_optional
from causalaug._validation import brief, check_columns_exist
from causalaug.cli._cells import (
    PLAIN_NUMBER,
    Columns,
    Expected,
    check_like,
)
from causalaug.cli._files import TABLE_FORMATS, check_input
from causalaug.cli._options import TableFormat
from causalaug.exceptions import ParameterError, TableError
from causalaug.table import check_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
"""What spreadsheets save. Renaming would not help."""
SEPARATORS = {"csv": ",", "tsv": "\t"}
ACTIVE = tuple("=+-@\t\r\n＝＋－＠")
"""What a cell of a spreadsheet must not start with; the last four are wide forms of the first."""
BLOCK_ROWS = 20_000
"""Rows that are read, predicted and written at a time: 20 MB of a hundred numbers a row."""
ANY_FORMAT, ANYTHING = TableFormat(), Expected()


class Blocks(NamedTuple):
    """The rows of a table, some after the others, as often as they are wanted."""

    frames: Callable[[], Iterable[pd.DataFrame]]
    n_blocks: int
    n_rows: int


def table_format(path: Path, what: str) -> str:
    """Return the format that the ending of a path stands for, if it can be had here."""
    ending = path.suffix.lower()
    if ending not in TABLE_FORMATS:
        shown = brief(str(path))
        found = (
            f"{shown}, a spreadsheet. Export it as CSV, and name that file."
            if ending in SPREADSHEETS
            else f"{shown}. Rename it."
        )
        raise ParameterError(f"{what} must end in one of {', '.join(TABLE_FORMATS)}. Found {found}")
    if TABLE_FORMATS[ending] not in SEPARATORS:
        import_optional("pyarrow", extra="cli", purpose=f"A {ending} file")
    return TABLE_FORMATS[ending]


def is_text_file(path: Path) -> bool:
    """Return whether a table at that path consists of cells that are written out."""
    return TABLE_FORMATS.get(path.suffix.lower()) in SEPARATORS


def read_table(
    path: Path,
    table: TableFormat = ANY_FORMAT,
    expected: Expected = ANYTHING,
    remark: Callable[[str], None] = lambda text: None,
) -> pd.DataFrame:
    """Return the table in a file: the columns to be used, without those to be dropped.

    Columns that `expected.like` has as well must hold what they hold there. Where that is text,
    the cells of a text file are taken as they are written: a level "1" is no number. What a user
    might not expect of the cells goes to `remark`, line by line.
    """
    check_input(path, "A table")
    kind = table_format(path, "A table")
    if kind in SEPARATORS:
        columns = _columns(path, table, SEPARATORS[kind], expected)
        (frame,) = _text_frames(columns)
        for line in columns.remarks():
            remark(line)
    else:
        frame = only_chosen(_read_arrow(path, kind), table)
        check_like(frame, expected.like, path, table.decimal)
    return frame


def read_blocks(
    path: Path, table: TableFormat, expected: Expected, remark: Callable[[str], None]
) -> Blocks:
    """Return all columns of a table in blocks of rows; the memory for a text file does not grow.

    A text file is read twice, so that a wrong cell is found before any work. `expected.like`
    must say what its columns hold. Those that it does not have are typed block by block.
    """
    table = table.with_all_columns()
    if not is_text_file(path):
        frame = read_table(path, table, expected, remark)
        starts = range(0, max(len(frame), 1), BLOCK_ROWS)
        cut = [frame[start : start + BLOCK_ROWS].reset_index(drop=True) for start in starts]
        return Blocks(lambda: cut, len(cut), len(frame))
    check_input(path, "A table")
    separator = SEPARATORS[table_format(path, "A table")]
    columns = _columns(path, table, separator, expected)
    sizes = [len(frame) for frame in _text_frames(columns, BLOCK_ROWS)]
    for line in columns.remarks():
        remark(line)
    return Blocks(lambda: _text_frames(columns, BLOCK_ROWS), len(sizes), sum(sizes))


# Text.


def _columns(path: Path, table: TableFormat, separator: str, expected: Expected) -> Columns:
    """Return what types the columns of a text file, whose content is known to be text."""
    if table.separator is not None:
        separator = {"tab": "\t", "\\t": "\t"}.get(table.separator, table.separator)
    if len(separator) != 1:
        raise ParameterError(
            f"--separator must be one character, or 'tab'. Found {separator!r}. "
            "Quote it in the shell: --separator ';'."
        )
    columns = Columns(path, table, separator, expected)
    _check_text(path, table.encoding)
    return columns


def _text_frames(columns: Columns, rows: int | None = None) -> Iterator[pd.DataFrame]:
    """Yield the rows of a text file, typed: all at once, or so many at a time."""
    path, codec = columns.path, _text_codec(columns.table.encoding)
    with open(path, encoding=codec, newline="") as file:
        names = _header(file, path, columns.separator)
    with open(path, encoding=codec, newline="") as file:
        for written in _written(file, path, columns.separator, names, rows):
            # Before the cells are looked at: a column that is left out may hold anything.
            yield columns.typed(only_chosen(written, columns.table))


def _written(
    file: TextIO, path: Path, separator: str, names: list[str], rows: int | None
) -> Iterator[pd.DataFrame]:
    """Yield the cells of a text file as they are written."""
    options: dict[str, Any] = {"dtype": str, "na_filter": False, "chunksize": rows}
    try:
        read = pd.read_csv(file, sep=separator, header=0, names=names, **options)
        for frame in [read] if rows is None else read:
            if not isinstance(frame.index, pd.RangeIndex):
                raise _ragged(path, f"more cells than the {len(names)} names in the first line")
            yield frame.reset_index(drop=True)
    except pd.errors.ParserError as error:
        raise _ragged(path, str(error).rpartition("error: ")[2]) from error


def _ragged(path: Path, found: str) -> TableError:
    return TableError(
        f"Each line of a table must have as many cells as there are names. Found {found.strip()} "
        f"in {str(path)!r}. Quote cells that hold a separator, or say --separator."
    )


def _text_codec(encoding: str) -> str:
    """Return the name by which Python knows an encoding of text; a mark of bytes is no text."""
    try:
        codec = codecs.lookup(encoding).name
        # rot13 and hex, for example, are no encodings of text. All that are can read this.
        b"\0\0\0\0".decode(codec)
    except (LookupError, ValueError):
        raise ParameterError(
            "--encoding must be a known encoding of text, such as utf-8, latin-1 or cp1252. "
            f"Found {brief(encoding)}."
        ) from None
    return "utf-8-sig" if codec == "utf-8" else codec


def _check_text(path: Path, encoding: str) -> None:
    """Raise unless a file holds text of an encoding; say where not, and what may help."""
    shown, codec = repr(str(path)), _text_codec(encoding)
    try:
        with open(path, encoding=codec, newline="") as file:
            while text := file.read(2**16):
                text.encode("utf-8")  # fails on halves of characters, which some encodings have
                if "\0" in text:
                    raise TableError(
                        f"The table must be text. Found zero bytes in {shown}. Is it a binary "
                        "file, or --encoding utf-16?"
                    )
    except UnicodeEncodeError as error:
        raise TableError(
            f"The table must be text. Found half of a character in {shown}. Say another --encoding."
        ) from error
    except UnicodeError as error:
        raise TableError(
            f"The table must be {encoding} text. Found {_undecodable(path, codec)}."
        ) from error


def _undecodable(path: Path, codec: str) -> str:
    """Return which byte of a file is none of an encoding, and what the encoding may be."""
    content = path.read_bytes()
    try:
        content.decode(codec)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return (
            f"byte {content[error.start]:#04x} at place {error.start}, line {line}, of "
            f"{str(path)!r}. Say what it is, perhaps --encoding {'utf-16' if marked else 'cp1252'}"
        )
    except UnicodeError:  # idna, for example, does not say where
        pass
    return f"that {brief(str(path))} is not. Say another --encoding"


def _header(file: TextIO, path: Path, separator: str) -> list[str]:
    """Return the names in the first line, checked: pandas would number repeated ones."""
    try:
        cells = next((cells for cells in csv.reader(file, delimiter=separator) if cells), None)
    except csv.Error as error:
        raise TableError(
            f"The table must have a first line of names. Found {error} in {str(path)!r}. Is it a "
            "table, and are its quotes closed?"
        ) from error
    if cells is None:
        raise TableError(f"The table must have a first line of names. {str(path)!r} is empty.")
    names = [cell.strip() or f"Unnamed: {place}" for place, cell in enumerate(cells)]
    check_names(names)
    other = next((sign for sign in (";", "\t", "|", ",") if sign in names[0]), None)
    if len(names) == 1 and other is not None:
        shown = "tab" if other == "\t" else other
        raise TableError(
            f"The table must have its names in the first line. Found one: {names[0]!r}. "
            f"If that is several, say --separator '{shown}'."
        )
    return names


def only_chosen(
    frame: pd.DataFrame, table: TableFormat, *, must_exist: bool = True
) -> pd.DataFrame:
    """Return the columns that were asked for, in the order of the table."""

    def named(option: str, given: Sequence[str] | None) -> set[str]:
        """Return names that were written with commas between; a name may itself hold commas."""
        names: list[str] = []
        for text in given or ():
            names += [text] if text in frame else [name.strip() for name in text.split(",")]
        if must_exist:
            check_columns_exist(option, set(names), list(frame.columns))
        return set(names)

    used = named("--columns", table.columns) or set(frame.columns)
    left_out = named("--drop", table.drop)
    kept: pd.DataFrame = frame[[name for name in frame if name in used - left_out]]
    return kept


# Arrow.


def _read_arrow(path: Path, kind: str) -> pd.DataFrame:
    """Return the frame in a binary file; an index with a name is a column like any other."""
    read = pd.read_parquet if kind == "parquet" else pd.read_feather
    arrow = import_optional("pyarrow", extra="cli", purpose=f"A {kind} file")
    try:
        with open(path, "rb") as file:
            if kind == "parquet":
                _check_fits_into_memory(file, path)
            frame = read(file)
    except MemoryError as error:  # Also that of arrow, which says how much it asked for.
        raise _too_large(f"{brief(str(path))}, which does not ({str(error)[:300]})") from error
    except TableError:
        raise
    except (ValueError, OSError, TypeError, OverflowError, KeyError, arrow.ArrowException) as error:
        raise TableError(
            f"The table must be a {kind} file. Found {brief(str(path))}, which cannot be read as "
            f"one: {str(error)[:300]}"
        ) from error
    named = any(name is not None for name in frame.index.names)
    return frame.reset_index(drop=not named)


def _check_fits_into_memory(file: BinaryIO, path: Path) -> None:
    """Raise if the cells of a Parquet file take more memory than there is.

    Equal cells take next to no place in such a file. Where memory is promised and not there, the
    system ends the process without a word; so this is asked before.
    """
    metadata = import_module("pyarrow.parquet").ParquetFile(file).metadata
    file.seek(0)
    n_rows, n_columns, memory = metadata.num_rows, metadata.num_columns, memory_of_process()
    # Each cell becomes a number of 64 bits; a table and what is computed of it is there four times
    # at least, as is seen where many rows are read and tested.
    n_bytes = 4 * 8 * n_rows * n_columns
    if n_bytes > memory:
        raise _too_large(
            f"{n_rows:,} rows and {n_columns} column{'s' * (n_columns != 1)} in "
            f"{brief(str(path))}: {n_bytes / 1e9:,.1f} GB, where there are {memory / 1e9:,.1f}"
        )


def _too_large(found: str) -> TableError:
    return TableError(
        f"A table must fit into memory. Found {found}. Take fewer rows, for example a random "
        "sample of them, or fewer columns."
    )


# Writing.


def check_table_output(path: Path, *, safe: bool = False) -> None:
    """Raise unless a table could be written there; worth asking before long work."""
    if safe and table_format(path, "The output") not in SEPARATORS:
        raise ParameterError(
            f"--safe-csv is for .csv and .tsv files, which spreadsheets open. Found {str(path)!r}. "
            "Leave it out."
        )
    table_format(path, "The output")
    check_output(path)


def write_table(
    frame: pd.DataFrame, path: Path, *, safe: bool = False, as_written: Collection[str] = ()
) -> None:
    """Write the table, in the format of the ending, in full or not at all.

    Columns that are `as_written` are text although numbers may be in them.
    """
    frame = without_formulas(frame, as_written) if safe else frame
    with table_writer(path) as write:
        write(frame)


@contextmanager
def table_writer(path: Path) -> Iterator[Callable[[pd.DataFrame], None]]:
    """Yield what writes rows after those before; the file is there in full or not at all.

    All parts must have the same columns, with cells of the same types.
    """
    kind = table_format(path, "The output")
    parts: list[pd.DataFrame] = []
    with atomic_path(path) as temporary:
        if kind in SEPARATORS:
            with open(temporary, "w", encoding="utf-8", newline="") as file:

                def write(frame: pd.DataFrame) -> None:
                    _write_text(frame, file, SEPARATORS[kind], header=not parts)
                    parts[:] = [frame[:0]]

                yield write
            return
        yield parts.append
        whole = parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)
        # pyarrow writes to a file whose name is no Unicode, but would not open it.
        with open(temporary, "wb") as binary:
            if kind == "parquet":
                whole.to_parquet(binary, index=False)
            else:
                whole.to_feather(binary)


def _write_text(frame: pd.DataFrame, file: TextIO, separator: str, *, header: bool) -> None:
    """Write rows as text, quoted where there is a carriage return.

    Not every version of Python puts quotes around it, and without them a reader may take it for
    the end of a row, and what follows for the start of a cell.
    """
    text = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name].dtype)]
    cells = chain(frame.columns, *(frame[name].unique() for name in text))
    has_returns = any(isinstance(cell, str) and "\r" in cell for cell in cells)
    frame.to_csv(
        file,
        index=False,
        header=header,
        sep=separator,
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if has_returns else csv.QUOTE_MINIMAL,
    )


def without_formulas(frame: pd.DataFrame, as_written: Collection[str] = ()) -> pd.DataFrame:
    """Return the frame with an apostrophe before text that a spreadsheet would run.

    Numbers stay numbers, in columns that are text `as_written`, too:

    >>> risky = pd.DataFrame({"@note": ["=1+1", "fine"], "change": [-3.5, 2.0]})
    >>> print(without_formulas(risky).to_csv(index=False), end="")
    '@note,change
    '=1+1,-3.5
    fine,2.0
    >>> without_formulas(pd.DataFrame({"id": ["-3", "-A1"]}), ["id"])["id"].tolist()
    ['-3', "'-A1"]
    """

    def guarded(cell: Any, *, numbers_stay: bool = False) -> Any:
        is_active = isinstance(cell, str) and cell.startswith(ACTIVE)
        stays = not is_active or (numbers_stay and PLAIN_NUMBER.fullmatch(cell))
        return cell if stays else f"'{cell}"

    columns = {}
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(column.dtype):
            column = column.astype(object).map(partial(guarded, numbers_stay=name in as_written))
        columns[place] = column
    safe = pd.DataFrame(columns, index=frame.index)
    safe.columns = pd.Index([guarded(name) for name in frame.columns])
    return safe
