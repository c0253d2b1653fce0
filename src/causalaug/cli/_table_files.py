"""Tables in files: read by their ending, written in full or not at all."""

from __future__ import annotations

import codecs
import csv
import io
import re
from typing import TYPE_CHECKING, Any

import pandas as pd

from causalaug._atomic import atomic_path, check_output
from causalaug._optional import import_optional
from causalaug._validation import brief, check_columns_exist
from causalaug.cli._cells import (
    check_decimal,
    check_like,
    check_numbers,
    dates_in,
    text_columns,
)
from causalaug.cli._files import check_input
from causalaug.cli._options import ChosenColumns, TextFormat
from causalaug.cli._spreadsheet import has_returns, without_formulas
from causalaug.exceptions import ParameterError, TableError
from causalaug.table import check_names

if TYPE_CHECKING:
    from collections.abc import Sequence
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
DEFAULT_TEXT, ALL_COLUMNS, NO_TABLE = TextFormat(), ChosenColumns(), pd.DataFrame()
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
WHOLE_NUMBER = re.compile(r"\s*[+-]?[0-9]+\s*")
BYTE_ORDER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def table_format(path: Path, what: str) -> str:
    """Return the format that the ending of a path stands for, if it can be had here."""
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise ParameterError(
            f"{what} must end in one of {', '.join(FORMATS)}. Found {brief(str(path))}. Rename it."
        )
    if FORMATS[ending] not in SEPARATORS:
        import_optional("pyarrow", extra="cli", purpose=f"A {ending} file")
    return FORMATS[ending]


def read_table(
    path: Path,
    text: TextFormat = DEFAULT_TEXT,
    chosen: ChosenColumns = ALL_COLUMNS,
    like: pd.DataFrame = NO_TABLE,
) -> pd.DataFrame:
    """Return the table in a file: the columns to be used, without those to be dropped.

    Columns that `like` has as well must hold what they hold there. Where that is text, the cells
    of a text file are taken as they are written: a level "1" is no number.
    """
    check_input(path, "A table")
    kind = table_format(path, "A table")
    if kind in SEPARATORS:
        frame = _read_text(path, SEPARATORS[kind], text, chosen, text_columns(like))
    else:
        frame = _only_chosen(_read_arrow(path, kind), chosen)
    check_like(frame, like, path, text.decimal)
    return frame


def _read_text(
    path: Path, separator: str, text: TextFormat, chosen: ChosenColumns, as_written: Sequence[str]
) -> pd.DataFrame:
    """Return the frame in a text file: numbers, dates, and text, some columns as written."""
    sign = _one_sign(text.separator) or separator
    check_decimal(text.decimal, sign)
    content = _decoded(path, text.encoding)
    # Before the cells are looked at: a column that is left out may hold anything.
    kept = _only_chosen(_parsed(content, path, sign, text.decimal or ".", as_written), chosen)
    typed = kept[[name for name in kept if name not in as_written]]
    _check_whole_numbers(typed)
    check_numbers(typed, path, text.decimal)
    return kept.assign(**dates_in(typed)) if text.dates else kept


def _only_chosen(frame: pd.DataFrame, chosen: ChosenColumns) -> pd.DataFrame:
    """Return the columns that were asked for, in the order of the table."""
    used = _listed("--columns", chosen.columns, frame) or set(frame.columns)
    left_out = _listed("--drop", chosen.drop, frame)
    kept: pd.DataFrame = frame[[name for name in frame if name in used - left_out]]
    return kept


def _listed(option: str, given: Sequence[str] | None, frame: pd.DataFrame) -> set[str]:
    """Return names that were written with commas between; a name may itself hold commas."""
    names: list[str] = []
    for text in given or ():
        names += [text] if text in frame.columns else [name.strip() for name in text.split(",")]
    check_columns_exist(option, names, list(frame.columns))
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


def write_table(frame: pd.DataFrame, path: Path, *, safe: bool = False) -> None:
    """Write the table, in the format of the ending, in full or not at all."""
    kind = table_format(path, "The output")
    frame = without_formulas(frame) if safe else frame
    with atomic_path(path) as temporary:
        if kind not in SEPARATORS:
            _write_arrow(frame, temporary, kind)
        else:
            frame.to_csv(
                temporary,
                index=False,
                sep=SEPARATORS[kind],
                encoding="utf-8",
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
    codec = _text_codec(encoding)
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig" if codec == "utf-8" else codec)
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
    return text


def _text_codec(encoding: str) -> str:
    """Return the name by which Python knows an encoding of text."""
    try:
        codec = codecs.lookup(encoding).name
        # rot13 and hex, for example, are no encodings of text. All that are can read this.
        b"\0\0\0\0".decode(codec)
    except (LookupError, ValueError):
        raise ParameterError(
            "--encoding must be a known encoding of text, such as utf-8, latin-1 or cp1252. "
            f"Found {brief(encoding)}."
        ) from None
    return codec


def _parsed(
    text: str, path: Path, separator: str, decimal: str, as_written: Sequence[str]
) -> pd.DataFrame:
    """Return the frame in some text; numbers keep all their digits, some columns stay text."""
    names = _header(text, path, separator)
    try:
        frame: pd.DataFrame = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            header=0,
            names=names,
            low_memory=False,
            decimal=decimal,
            dtype=dict.fromkeys(as_written, str),
            **EXACTLY,
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
        cells = list(column.dropna().unique())
        if cells and all(map(_is_whole_number, cells)):
            longest = max(cells, key=lambda cell: len(cell) if isinstance(cell, str) else abs(cell))
            shown = brief(longest).strip("'")
            raise TableError(
                f"Whole numbers of a table must fit into 64 bits. Found {shown} in "
                f"{brief(name)}. Put a decimal point behind the numbers of that column, or a "
                "letter before them if they are names."
            )


def _is_whole_number(cell: object) -> bool:
    return type(cell) is int or (isinstance(cell, str) and bool(WHOLE_NUMBER.fullmatch(cell)))


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
            frame = read(file)
    except (ValueError, OSError, TypeError, OverflowError, KeyError, arrow.ArrowException) as error:
        raise TableError(
            f"The table must be a {kind} file. Found {brief(str(path))}, which cannot be read as "
            f"one: {str(error)[:LONGEST_REASON]}"
        ) from error
    named = any(name is not None for name in frame.index.names)
    return frame.reset_index(drop=not named)
