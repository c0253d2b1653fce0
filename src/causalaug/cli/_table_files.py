"""Tables in files: read by their ending, written in full or not at all."""

from __future__ import annotations

import codecs
import csv
import io
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import numpy as np
import pandas as pd

from causalaug._atomic import atomic_path, check_output
from causalaug._memory import memory_of_process
from causalaug._optional import import_optional
from causalaug._validation import brief, check_columns_exist
from causalaug.cli._cells import (
    BOOLEANS,
    WHOLE_NUMBER,
    all_numbers,
    are_identifiers,
    as_booleans,
    as_numbers,
    bare_text,
    check_decimal,
    check_like,
    check_numbers,
    columns_with,
    dates_in,
    distinct,
    has_superfluous_zero,
    is_mark,
    may_have_identifiers,
    on_identifiers,
    on_marks,
    on_text,
)
from causalaug.cli._files import check_input
from causalaug.cli._options import ChosenColumns, TextFormat
from causalaug.cli._spreadsheet import has_returns, without_formulas
from causalaug.exceptions import ParameterError, TableError
from causalaug.table import check_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
}
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
"""What spreadsheets save. Renaming would not help."""
DEFAULT_TEXT, ALL_COLUMNS = TextFormat(), ChosenColumns()
SEPARATORS = {"csv": ",", "tsv": "\t"}
SPELLED = {"tab": "\t", "\\t": "\t"}
EXACTLY: dict[str, Any] = (
    {}
    if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    else {"float_precision": "round_trip"}
)
"""What makes pandas read every digit of a number; newer versions do so unasked."""
LONGEST_REASON = 300
"""Characters of what a library says of a file."""
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
MOST_DIGITS = 20
"""Digits of a whole number of 64 bits."""
BYTE_ORDER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def table_format(path: Path, what: str) -> str:
    """Return the format that the ending of a path stands for, if it can be had here."""
    ending = path.suffix.lower()
    if ending in SPREADSHEETS:
        raise ParameterError(
            f"{what} must end in one of {', '.join(FORMATS)}. Found {brief(str(path))}, a "
            "spreadsheet. Export it as CSV, and name that file."
        )
    if ending not in FORMATS:
        raise ParameterError(
            f"{what} must end in one of {', '.join(FORMATS)}. Found {brief(str(path))}. Rename it."
        )
    if FORMATS[ending] not in SEPARATORS:
        import_optional("pyarrow", extra="cli", purpose=f"A {ending} file")
    return FORMATS[ending]


@dataclass(frozen=True)
class Expected:
    """What a command knows of the columns of a table before it is read."""

    nodes: Collection[str] | None = None
    """The columns that are used, by default all; the others are left as they are written."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """What the user says of columns: numbers with a scale or ranks, or names."""
    like: pd.DataFrame = field(default_factory=pd.DataFrame)
    """A table whose columns hold the same as those of the same name here."""

    @property
    def numbers(self) -> set[str]:
        """The columns that hold numbers, whatever their cells look like."""
        said = {name for name, kind in self.kinds.items() if kind in ("continuous", "ordered")}
        return said | set(columns_with("numbers", self.like))

    @property
    def text(self) -> list[str]:
        """The columns that hold text, whatever their cells look like."""
        return columns_with("text", self.like)

    def is_known(self, name: str) -> bool:
        """Return whether it is no surprise if a column is text."""
        return name in self.like.columns or self.kinds.get(name) in ("nominal", "discrete")


ANYTHING = Expected()


def read_table(
    path: Path,
    text: TextFormat = DEFAULT_TEXT,
    chosen: ChosenColumns = ALL_COLUMNS,
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
    remarks: list[str] = []
    if kind in SEPARATORS:
        frame, remarks = _read_text(path, SEPARATORS[kind], text, chosen, expected)
    else:
        frame = _only_chosen(_read_arrow(path, kind), chosen)
    check_like(frame, expected.like, path, text.decimal)
    for line in remarks:
        remark(line)
    return frame


def is_text_file(path: Path) -> bool:
    """Return whether a table at that path consists of cells that are written out."""
    return FORMATS.get(path.suffix.lower()) in SEPARATORS


def _read_text(
    path: Path, separator: str, text: TextFormat, chosen: ChosenColumns, expected: Expected
) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame in a text file, with numbers, dates and text, and remarks on its cells."""
    sign = separator_of(text, separator)
    return frame_of_text(_decoded(path, text.encoding), path, sign, text, chosen, expected)


def separator_of(text: TextFormat, separator: str) -> str:
    """Return the sign between cells, of the user or of the ending; it must not be in numbers."""
    sign = _one_sign(text.separator) or separator
    check_decimal(text.decimal, sign)
    return sign


def frame_of_text(
    content: str,
    path: Path,
    sign: str,
    text: TextFormat,
    chosen: ChosenColumns,
    expected: Expected,
) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame in the content of a file, and remarks on its cells."""
    decimal, missing = text.decimal or ".", text.missing or []
    parsed = partial(_parsed, content, path, sign)
    # Before the cells are looked at: a column that is left out may hold anything.
    frame = _only_chosen(
        parsed(
            decimal=decimal,
            dtype=dict.fromkeys(expected.text, str),
            na_values=missing,
            **EXACTLY,
        ),
        chosen,
    )
    written = cache(lambda: parsed(dtype=str, na_filter=False))
    is_used = [expected.nodes is None or name in expected.nodes for name in frame]
    used = frame.loc[:, is_used]
    if may_have_identifiers(content, sign):
        used = _replaced(used, _identifiers(used, written, expected))
    used, remarks = _without_marks(used, text, expected)
    typed = used[[name for name in used if name not in expected.text]]
    check_numbers(
        _replaced(typed, {name: typed[name].mask(is_mark(typed[name])) for name in _texts(typed)}),
        path,
        text.decimal,
        sign,
        lambda: _replaced(
            typed, {name: bare_text(written()[name], missing) for name in typed.columns}
        ),
    )
    dates = dates_in(typed) if text.dates else {}
    found, more = _typed_text(typed.drop(columns=list(dates)), text, expected)
    mended = _replaced(used, {**found, **dates})
    columns = {name: mended[name] if name in mended else written()[name] for name in frame.columns}
    return _replaced(frame, columns), [*remarks, *more]


def _texts(frame: pd.DataFrame) -> list[str]:
    return columns_with("text", frame)


def _replaced(frame: pd.DataFrame, columns: Mapping[str, pd.Series[Any]]) -> pd.DataFrame:
    """Return the frame with other cells in some of its columns."""
    # Not `assign`, which would take a column of the name "self" for an argument of its own.
    mixed = {name: columns.get(name, frame[name]) for name in frame.columns}
    return pd.DataFrame(mixed, index=frame.index, columns=frame.columns)


def _identifiers(
    frame: pd.DataFrame, written: Callable[[], pd.DataFrame], expected: Expected
) -> dict[str, pd.Series[Any]]:
    """Return the columns of digits with superfluous zeros that were read as numbers, as text."""
    numbers = [name for name in columns_with("numbers", frame) if name not in expected.numbers]
    whole = [name for name in numbers if (frame[name].dropna() % 1 == 0).all()]
    cells = {name: bare_text(written()[name]).mask(frame[name].isna()) for name in whole}
    return {name: each for name, each in cells.items() if are_identifiers(distinct(each))}


def _without_marks(
    frame: pd.DataFrame, text: TextFormat, expected: Expected
) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame with bare text, without marks of missing cells, and remarks on those."""
    columns, remarks, decimal = {}, [], text.decimal or "."
    for name in _texts(frame):
        cells = bare_text(frame[name], text.missing or ())
        marks = is_mark(cells)
        others = distinct(cells[~marks])
        if name in expected.text:
            others += distinct(expected.like[name])
        has_numbers = bool(others) or name in expected.numbers
        if marks.any() and has_numbers and all_numbers(others, decimal):
            remarks.append(on_marks(name, cells[marks]))
            cells = cells.mask(marks)
        # A column without cells is one of numbers, as pandas has it.
        columns[name] = cells.astype(float) if cells.isna().all() else cells
    return _replaced(frame, columns), remarks


def _typed_text(
    frame: pd.DataFrame, text: TextFormat, expected: Expected
) -> tuple[dict[str, pd.Series[Any]], list[str]]:
    """Return the columns of text that hold numbers or booleans, and remarks on the others."""
    found: dict[str, pd.Series[Any]] = {}
    remarks, identifiers, decimal = [], {}, text.decimal or "."
    _check_whole_numbers(frame.drop(columns=_texts(frame)))
    for name in _texts(frame):
        cells = frame[name]
        different = distinct(cells)
        if are_identifiers(different) and name not in expected.numbers:
            identifiers[name] = next(filter(has_superfluous_zero, different))
        elif all_numbers(different, decimal):
            _check_whole_numbers(frame[[name]])
            found[name] = as_numbers(cells, decimal)
        elif all(cell in BOOLEANS for cell in different):
            found[name] = as_booleans(cells)
        elif not expected.is_known(name):
            remarks.append(on_text(name, cells, decimal, dates=text.dates))
    told = {name: cell for name, cell in identifiers.items() if not expected.is_known(name)}
    remarks.append(on_identifiers(told) if told else None)
    return found, [line for line in remarks if line is not None]


def _only_chosen(frame: pd.DataFrame, chosen: ChosenColumns) -> pd.DataFrame:
    """Return the columns that were asked for, in the order of the table."""
    used = _listed("--columns", chosen.columns, frame) or set(frame.columns)
    left_out = _listed("--drop", chosen.drop, frame)
    kept: pd.DataFrame = frame[[name for name in frame if name in used - left_out]]
    return kept


def without_unchosen(frame: pd.DataFrame, chosen: ChosenColumns) -> pd.DataFrame:
    """Return a second table without the columns that the first is read without.

    It need not have them.
    """
    used = _split(chosen.columns, frame) or set(frame.columns)
    left_out = _split(chosen.drop, frame)
    kept: pd.DataFrame = frame[[name for name in frame if name in used and name not in left_out]]
    return kept


def _listed(option: str, given: Sequence[str] | None, frame: pd.DataFrame) -> set[str]:
    """Return the columns that an option names; raise if there is no such column."""
    names = _split(given, frame)
    check_columns_exist(option, names, list(frame.columns))
    return names


def _split(given: Sequence[str] | None, frame: pd.DataFrame) -> set[str]:
    """Return names that were written with commas between; a name may itself hold commas."""
    names: list[str] = []
    for text in given or ():
        names += [text] if text in frame.columns else [name.strip() for name in text.split(",")]
    return set(names)


def check_table_output(path: Path, *, safe: bool = False) -> None:
    """Raise unless a table could be written there; worth asking before long work."""
    kind = table_format(path, "The output")
    if safe and kind not in SEPARATORS:
        raise ParameterError(
            f"--safe-csv is for .csv and .tsv files, which spreadsheets open. Found {str(path)!r}. "
            "Leave it out."
        )
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
    with atomic_path(path) as temporary:
        if kind not in SEPARATORS:
            parts: list[pd.DataFrame] = []
            yield parts.append
            whole = parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)
            _write_arrow(whole, temporary, kind)
            return
        with open(temporary, "w", encoding="utf-8", newline="") as file:
            yield partial(_write_text, file, SEPARATORS[kind], headed=[])


def _write_text(file: TextIO, separator: str, frame: pd.DataFrame, headed: list[bool]) -> None:
    """Write rows; their names come before the first of them, and `headed` is no more empty."""
    header = not headed
    headed.append(True)
    frame.to_csv(
        file,
        index=False,
        header=header,
        sep=separator,
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if has_returns(frame) else csv.QUOTE_MINIMAL,
    )


def _write_arrow(frame: pd.DataFrame, path: Path, kind: str) -> None:
    # pyarrow writes to a file whose name is no Unicode, but would not open it.
    with open(path, "wb") as file:
        if kind == "parquet":
            frame.to_parquet(file, index=False)
        else:
            frame.to_feather(file)


def _one_sign(separator: str | None) -> str | None:
    """Return the separator as one character."""
    if separator is None:
        return None
    sign = SPELLED.get(separator, separator)
    if len(sign) != 1:
        raise ParameterError(
            f"--separator must be one character, or 'tab'. Found {separator!r}. "
            "Quote it in the shell: --separator ';'."
        )
    return sign


def _decoded(path: Path, encoding: str) -> str:
    """Return the text of a file, or say which byte cannot be read and what may help."""
    content = path.read_bytes()
    try:
        text = content.decode(text_codec(encoding))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        other = "utf-16" if content.startswith(BYTE_ORDER_MARKS) else "cp1252"
        raise TableError(
            f"The table must be {encoding} text. Found byte {content[error.start]:#04x} at place "
            f"{error.start}, line {line}, of {str(path)!r}. Say what it is, perhaps "
            f"--encoding {other}."
        ) from error
    except UnicodeError as error:  # idna, for example, does not say where
        raise TableError(
            f"The table must be {encoding} text. Found that {brief(str(path))} is not. "
            "Say another --encoding."
        ) from error
    check_characters(text, path)
    return text


def check_characters(text: str, path: Path) -> None:
    """Raise if what was decoded cannot be text."""
    if LONE_SURROGATE.search(text):
        raise TableError(
            f"The table must be text. Found half of a character in {str(path)!r}. "
            "Say another --encoding."
        )
    if "\0" in text:
        raise TableError(
            f"The table must be text. Found zero bytes in {str(path)!r}. Is it a binary file, or "
            "--encoding utf-16?"
        )


def text_codec(encoding: str) -> str:
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


def _parsed(text: str, path: Path, separator: str, **options: Any) -> pd.DataFrame:
    """Return the frame in some text; the options are those of pandas."""
    names = _header(text, path, separator)
    try:
        frame: pd.DataFrame = pd.read_csv(
            io.StringIO(text), sep=separator, header=0, names=names, low_memory=False, **options
        )
    except pd.errors.ParserError as error:
        raise _ragged(path, str(error).rpartition("error: ")[2]) from error
    if not isinstance(frame.index, pd.RangeIndex):
        raise _ragged(path, f"more cells than the {len(names)} names in the first line")
    return frame


def _check_whole_numbers(frame: pd.DataFrame) -> None:
    """Raise if whole numbers have more digits than pandas makes numbers of.

    It would hand them on as objects or as text, which are discrete: something else than numbers.
    """
    for name, column in frame.select_dtypes(exclude="number").items():
        cells = distinct(column)
        if cells and all(map(_is_whole_number, cells)) and not _fit_into_64_bits(cells):
            longest = max(cells, key=lambda cell: len(cell) if isinstance(cell, str) else abs(cell))
            shown = brief(longest).strip("'")
            raise TableError(
                f"Whole numbers of a table must fit into 64 bits. Found {shown} in "
                f"{brief(name)}. Put a decimal point behind the numbers of that column, or a "
                "letter before them if they are names."
            )


def _is_whole_number(cell: object) -> bool:
    return type(cell) is int or (isinstance(cell, str) and bool(WHOLE_NUMBER.fullmatch(cell)))


def _fit_into_64_bits(cells: Sequence[int | str]) -> bool:
    """Return whether one type of whole numbers holds all the cells.

    >>> _fit_into_64_bits(["-1", "7"]), _fit_into_64_bits([2**63]), _fit_into_64_bits([-1, 2**63])
    (True, True, False)
    """
    # Python itself refuses to read a number of some thousand digits.
    if any(isinstance(cell, str) and len(cell.lstrip("+-0")) > MOST_DIGITS for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    least, most = min(numbers), max(numbers)
    return least >= -(2**63) and most < (2**64 if least >= 0 else 2**63)


def _header(text: str, path: Path, separator: str) -> list[str]:
    """Return the names in the first line, checked: pandas would number repeated ones."""
    # Without `newline` only "\n" would end a line; old Macs wrote "\r", and pandas knows both.
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        cells = next((cells for cells in lines if cells), None)
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


def _ragged(path: Path, found: str) -> TableError:
    return TableError(
        f"Each line of a table must have as many cells as there are names. Found {found.strip()} "
        f"in {str(path)!r}. Quote cells that hold a separator, or say --separator."
    )


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
        raise _too_large(
            f"{brief(str(path))}, which does not ({str(error)[:LONGEST_REASON]})"
        ) from error
    except TableError:
        raise
    except (ValueError, OSError, TypeError, OverflowError, KeyError, arrow.ArrowException) as error:
        raise TableError(
            f"The table must be a {kind} file. Found {brief(str(path))}, which cannot be read as "
            f"one: {str(error)[:LONGEST_REASON]}"
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
    n_bytes = metadata.num_rows * sum(map(_bytes_per_cell, metadata.schema.to_arrow_schema().types))
    memory = memory_of_process()
    if n_bytes > memory:
        n_columns = metadata.num_columns
        raise _too_large(
            f"{metadata.num_rows:,} rows and {n_columns} column{'s' * (n_columns != 1)} in "
            f"{brief(str(path))}: {n_bytes / 1e9:,.1f} GB, where there are {memory / 1e9:,.1f}"
        )


def _bytes_per_cell(dtype: Any) -> float:
    """Return what a cell takes at least; other cells than numbers are objects elsewhere."""
    try:
        return float(dtype.bit_width / 8)
    except ValueError:
        return float(np.dtype(object).itemsize)


def _too_large(found: str) -> TableError:
    return TableError(
        f"A table must fit into memory. Found {found}. Take fewer rows, for example a random "
        "sample of them, or fewer columns."
    )
