"""Cells of text files: which are numbers, dates, booleans, words, or missing.

A file is read as text, and each column is typed by its cells, all of them: one that is no number
makes the column text, and a remark says so if most are. Dates are told from text in the same way.
Marks such as ``-`` are missing cells where all others are numbers, and text where they are not.
Digits with superfluous zeros, as in 007, are names and no numbers. Two files that belong together
must agree, so the types of the second follow the first, and each part of it can be typed alone.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from causalaug._validation import brief
from causalaug.exceptions import ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    from causalaug.cli._options import TableFormat

SPACES = " \N{NO-BREAK SPACE}"
"""What does not count around a word. Tabs and line breaks do: they were quoted on purpose."""
MISSING = frozenset(
    ["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A", "#NA", "-NaN"]
    + ["-nan", "#N/A N/A", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"]
)
"""What stands for a missing cell in every column, as in pandas."""
MARKS = frozenset(
    ["-", "--", "---", "\N{EN DASH}", "\N{EM DASH}", ".", "..", "?"]
    + ["na", "n/a", "n.a.", "#n/a", "null", "none", "nan"]
)
"""What stands for a missing cell where all others are numbers, in small letters.

Among words they may be an answer, as ``none`` is to a question about children.
"""
PLAIN_NUMBER = re.compile(
    r"\s*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf(?:inity)?))\s*"
)
DRESSED_NUMBER = re.compile(
    r"[+\-\N{MINUS SIGN}]?[$€£¥]?\s?[+\-\N{MINUS SIGN}]?"
    r"(?:[0-9]+|[0-9]{1,3}(?:[,.'\s][0-9]{3})+)(?:[.,][0-9]+)?\s?[%‰$€£¥]?"
)
"""A number for people: thousands apart, a sign for percent or money, a typographic minus."""
WHOLE_NUMBER = re.compile(r"\s*[+-]?[0-9]+\s*")
THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+")
BOOLEANS = dict.fromkeys(["True", "TRUE", "true"], True)
BOOLEANS |= dict.fromkeys(["False", "FALSE", "false"], False)
ISO_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
DAY, MONTH = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
DRESSED_DATE = re.compile(
    rf"(?:(?:{DAY}[./-]{MONTH}|{MONTH}[./-]{DAY})[./-](?:\d{{4}}|\d\d)"
    rf"|\d{{4}}[./-]{MONTH}[./-]{DAY})(?:[T ]\d\d?:\d\d(?::\d\d)?)?"
)
"""A date for people: the day or the month first, or other signs between them than dashes."""
DECIMAL_COMMA = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?")
"""A number with a decimal comma, or a whole one, and perhaps points between thousands."""
POINT_OR_COMMA = re.compile(
    rf"(?:{DECIMAL_COMMA.pattern}|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
)
"""A number with a decimal point, or with a decimal comma and perhaps points between thousands."""
CONTENTS = {
    "string": "text",
    "boolean": "booleans",
    **dict.fromkeys(["integer", "floating", "mixed-integer-float", "decimal"], "numbers"),
    **dict.fromkeys(["date", "datetime", "datetime64"], "dates"),
}
"""What cells hold, by the words of `pandas.api.types.infer_dtype`; other cells are left alone."""
LOOKS_LIKE: dict[str, Callable[[str], bool]] = {
    "text": lambda cell: False,  # a column that is not text holds no text
    "booleans": BOOLEANS.__contains__,
    "numbers": lambda cell: cell.lower() in MARKS or bool(PLAIN_NUMBER.fullmatch(cell)),
    "dates": lambda cell: is_real_date(cell),
}
"""Which cells, as they are written, could be in a column of each content."""


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
        named = {name for name, kind in self.kinds.items() if kind in ("continuous", "ordered")}
        return named | self.like_columns("numbers")

    def like_columns(self, content: str) -> set[str]:
        """Return the columns of the other table that hold this."""
        return {str(name) for name, cells in self.like.items() if content_of(cells) == content}

    def is_known(self, name: str) -> bool:
        """Return whether it is no surprise if a column is text."""
        return name in self.like.columns or self.kinds.get(name) in ("nominal", "discrete")


@dataclass
class Columns:
    """Types the columns of a text file, all its rows at once or some after the others.

    What a user might not expect of the cells is kept, and said at the end by `remarks`.
    """

    path: Path
    table: TableFormat
    separator: str
    expected: Expected
    marks: dict[str, Counter[str]] = field(default_factory=dict)
    read_as_text: list[str] = field(default_factory=list)
    identifiers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look once at what is known of the columns."""
        check_decimal(self.table.decimal, self.separator)
        self.decimal = self.table.decimal or "."
        self.text, self.numbers = self.expected.like_columns("text"), self.expected.numbers

    def typed(self, written: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with numbers, dates and booleans where its text says so."""
        nodes, missing = self.expected.nodes, self.table.missing or ()
        used = [name for name in written.columns if nodes is None or name in nodes]
        bare = {name: bare_text(written[name], missing) for name in used}
        maybe_numbers = {name: cells for name, cells in bare.items() if name not in self.text}
        _check_decimal_signs(maybe_numbers, self.path, self.table.decimal, self.separator)
        for name, cells in bare.items():
            bare[name] = self._typed_column(name, self._without_marks(name, cells))
        # Not `assign`, which would take a column of the name "self" for an argument of its own.
        columns = {name: bare.get(name, written[name]) for name in written.columns}
        frame = pd.DataFrame(columns, index=written.index, columns=written.columns)
        check_like(frame, self.expected.like, self.path, self.table.decimal)
        return frame

    def remarks(self) -> list[str]:
        """Return what a user might not expect of the cells, one line for each finding."""
        marks = [_on_marks(name, marks) for name, marks in self.marks.items()]
        kinds = shlex.quote(",".join(f"{name}=continuous" for name in self.identifiers))
        digits = (
            "Read as text, since whole numbers do not begin with a superfluous zero: "
            f"{_such_as(self.identifiers)}. --kinds {kinds} makes them numbers."
        )
        return [*marks, *self.read_as_text, *([digits] if self.identifiers else [])]

    def _without_marks(self, name: str, cells: pd.Series[Any]) -> pd.Series[Any]:
        """Return the cells without marks of missing ones, if all others are numbers."""
        marks = cells.str.lower().isin(MARKS)
        if not marks.any():
            return cells
        # A file that belongs to another has its marks where the other would have them.
        others = _distinct(self.expected.like[name] if name in self.text else cells[~marks])
        if not (others or name in self.numbers) or not all_numbers(others, self.decimal):
            return cells
        self.marks.setdefault(name, Counter()).update(cells[marks])
        return cells.mask(marks)

    def _typed_column(self, name: str, cells: pd.Series[Any]) -> pd.Series[Any]:
        """Return numbers, booleans or dates if all cells are such; else the text."""
        if cells.isna().all():
            return cells.astype(float)  # a column without cells is one of numbers, as in pandas
        different, is_known = _distinct(cells), self.expected.is_known(name)
        if name in self.text:
            return cells
        if are_identifiers(different) and name not in self.numbers:
            if not is_known:
                self.identifiers[name] = next(filter(_has_superfluous_zero, different))
            return cells
        if all_numbers(different, self.decimal):
            return _as_numbers(name, cells, self.decimal)
        if all(cell in BOOLEANS for cell in different):
            return cells.map(BOOLEANS, na_action="ignore")
        if self.table.dates and all(ISO_DATE.fullmatch(cell.strip()) for cell in different):
            zoned = any(re.search(r":.*(?:Z|[+-]\d\d:?\d\d)$", cell) for cell in different)
            with suppress(ValueError):  # a day that is none, such as the 30th of February
                return pd.to_datetime(cells, format="ISO8601", utc=zoned)
        if not is_known:
            found = _on_text(name, cells, different, self.decimal, dates=self.table.dates)
            self.read_as_text += found
        return cells


def bare_text(cells: pd.Series[Any], missing: Collection[str] = ()) -> pd.Series[Any]:
    """Return text without the spaces around it; what is then empty, or NA, is missing.

    So is what the user says, in `missing`.

    >>> bare_text(pd.Series(["hi", "hi ", " NA", "  "])).tolist()
    ['hi', 'hi', nan, nan]
    """
    bare = cells.str.strip(SPACES)
    return bare.mask(bare.isin([*MISSING, *missing]))


def _distinct(cells: pd.Series[Any]) -> list[Any]:
    """Return the different cells that are there, in the order of their first rows."""
    # As objects: other arrays of strings are slow to walk through.
    return list(cells.dropna().astype(object).unique())


def all_numbers(cells: Iterable[str], decimal: str = ".") -> bool:
    """Return whether all cells are written as numbers are.

    >>> all_numbers(["1", "-.5", "2e3"]), all_numbers(["1", "10,696.5"]), all_numbers(["1,5"], ",")
    (True, False, True)
    """
    return all(map(PLAIN_NUMBER.fullmatch, _with_points(cells, decimal)))


def _with_points(cells: Iterable[str], decimal: str) -> Iterable[str]:
    """Return cells with decimal points; a point that is none is no part of a number."""
    if decimal == ".":
        return cells
    return [cell.replace(".", "x").replace(decimal, ".") for cell in cells]


def _as_numbers(name: str, cells: pd.Series[Any], decimal: str) -> pd.Series[Any]:
    """Return the numbers that cells of text are; whole ones are integers if none is missing."""
    places, different = pd.factorize(cells)
    written = list(different.astype(object))
    if all(map(WHOLE_NUMBER.fullmatch, written)):
        _check_64_bits(name, written)
        if cells.notna().all():
            whole = pd.Series([int(cell) for cell in written]).to_numpy()
            return pd.Series(whole[places], index=cells.index)
    numbers = [float(cell) for cell in _with_points(written, decimal)]
    # The place of a missing cell is -1, the last.
    return pd.Series(np.array([*numbers, np.nan])[places], index=cells.index)


def _check_64_bits(name: str, cells: list[str]) -> None:
    """Raise unless one type of whole numbers holds all the cells.

    >>> _check_64_bits("n", ["-1", "7"]), _check_64_bits("n", [str(2**63)])
    (None, None)
    >>> _check_64_bits("n", ["-1", str(2**63)])
    Traceback (most recent call last):
    causalaug.exceptions.TableError: Whole numbers of a table must fit into 64 bits. Found ...
    """
    # Python itself refuses to read a number of some thousand digits; 64 bits are 20 of them.
    if max(len(cell.strip().lstrip("+-0")) for cell in cells) <= 20:
        numbers = [int(cell) for cell in cells]
        least, most = min(numbers), max(numbers)
        if least >= -(2**63) and most < (2**64 if least >= 0 else 2**63):
            return
    shown = brief(max(cells, key=len)).strip("'")
    raise TableError(
        f"Whole numbers of a table must fit into 64 bits. Found {shown} in {brief(name)}. Put a "
        "decimal point behind the numbers of that column, or a letter before them if they are "
        "names."
    )


def are_identifiers(cells: Collection[str]) -> bool:
    """Return whether cells are names made of digits: one begins with a superfluous zero.

    >>> are_identifiers(["01000", "20095"]), are_identifiers(["0", "10"]), are_identifiers(["0.5"])
    (True, False, False)
    >>> are_identifiers(["007", "2.5"]), are_identifiers(["2021-01-05"])
    (False, False)
    >>> are_identifiers(["-01", "02"]), are_identifiers(["-1", "-0"])
    (True, False)
    """
    return all(map(WHOLE_NUMBER.fullmatch, cells)) and any(map(_has_superfluous_zero, cells))


def _has_superfluous_zero(digits: str) -> bool:
    """Return whether a whole number would be the same without its first digit."""
    return re.match("[+-]?0[0-9]", digits.strip()) is not None


# The decimal sign.


def check_decimal(decimal: str | None, separator: str) -> None:
    """Raise unless the decimal sign is a point or a comma, and no separator."""
    if decimal not in (None, ".", ","):
        raise ParameterError(f"--decimal must be '.' or ','. Found {decimal!r}.")
    if decimal == separator:
        raise ParameterError(
            "A sign must not both separate cells and stand in numbers. Found "
            f"{separator!r} for both. Write the table with ';' between its cells and say "
            "--separator ';', or write its numbers with a point and leave --decimal out."
        )


def _check_decimal_signs(
    columns: Mapping[str, pd.Series[Any]], path: Path, decimal: str | None, separator: str
) -> None:
    """Raise if a column holds numbers that are written with another decimal sign.

    The advice must work for the table as it is: one with points and commas in its numbers cannot be
    read with either.
    """

    def with_sign(sign: str, pattern: re.Pattern[str]) -> dict[str, str]:
        """Return the columns that look so, each with its first cell that has the sign."""
        found = {}
        for name in columns:
            with_it = [cell for cell in distinct[name] if sign in cell and cell not in MARKS]
            others = (cell.strip() for cell in distinct[name] if cell.lower() not in MARKS)
            if with_it and all(map(pattern.fullmatch, others)):
                found[name] = with_it[0]
        return found

    if decimal == ".":
        return
    distinct = {name: _distinct(cells) for name, cells in columns.items()}
    found = with_sign(".", POINT_OR_COMMA) if decimal else with_sign(",", DECIMAL_COMMA)
    if not found:
        return
    where = f"in {_such_as(found)} of {str(path)!r}"
    if decimal:
        commas = with_sign(",", DECIMAL_COMMA)
        also = f" and write the numbers in {_such_as(commas)} without commas" if commas else ""
        raise TableError(
            "Numbers must be written with a decimal comma if --decimal says so. Found a point "
            f"{where}. Take the points between the thousands out, or leave --decimal out if they "
            f"are decimal points{also}. Put a letter before cells that are words."
        )
    points = with_sign(".", PLAIN_NUMBER)
    commas_apart = [cell for name in found for cell in distinct[name] if "," in cell]
    in_thousands = all(THOUSANDS.fullmatch(cell.strip()) for cell in commas_apart)
    comma = (
        "say --decimal ,"
        if separator != ","
        else "write the table with ';' between its cells and say --separator ';' --decimal ,"
    )
    if points:
        must = "with one decimal sign in the whole table"
        what = f"a comma {where}, and a point in {_such_as(points)}"
        way = (
            "Take the commas between the thousands out"
            if in_thousands
            else "Write all numbers with a point, or all with a comma and say --decimal ,"
        )
    elif in_thousands:
        must = (
            "without a sign between thousands, and with a decimal point unless --decimal says "
            "otherwise"
        )
        what = f"a comma {where}, which may be either"
        way = (
            "Take the commas out if they stand between thousands; if they are decimal commas, "
            f"{comma}"
        )
    else:
        must = "with a decimal point, or --decimal must say with what"
        what, way = f"a decimal comma {where}", f"{comma[0].upper()}{comma[1:]}"
    raise TableError(
        f"Numbers must be written {must}. Found {what}. {way}. Say --decimal . if they are words."
    )


# Remarks.


def _on_marks(name: str, marks: Counter[str]) -> str:
    """Return a remark on marks that are taken for missing cells."""
    cells = "1 cell is" if marks.total() == 1 else f"{marks.total()} cells are"
    return (
        f"{name!r}: {cells} taken as missing ({_examples(marks)}), since all others are numbers. "
        "Write a word if it is a value."
    )


def _on_text(
    name: str, cells: pd.Series[Any], different: list[str], decimal: str, *, dates: bool
) -> list[str]:
    """Return a remark on a column of text if most of its cells are numbers, or dates.

    >>> def shown(cells):
    ...     (line,) = _on_text("wear", pd.Series(cells), cells, ".", dates=True)
    ...     return line.partition(". Write")[0]
    >>> shown(["1.5", "2", "3 mm"])
    "'wear' is read as text: 2 of 3 cells are numbers, others are '3 mm'"
    >>> shown(["2020-02-28", "2020-02-30"])
    "'wear' is read as text: 1 of 2 cells are dates, others are '2020-02-30'"
    """
    counts = Counter(cells.dropna())
    numbers = {cell for cell in different if all_numbers([cell], decimal)}
    like_numbers = numbers.union(filter(DRESSED_NUMBER.fullmatch, different))
    # Names made of digits may have letters in them as well.
    if _are_most(counts, like_numbers) and not are_identifiers(
        list(filter(WHOLE_NUMBER.fullmatch, numbers))
    ):
        return [_on_others(name, counts, numbers, "numbers", "plain numbers such as 10696.5")]
    like_dates = {c for c in different if ISO_DATE.fullmatch(c) or DRESSED_DATE.fullmatch(c)}
    if dates and _are_most(counts, like_dates):
        real = set(filter(is_real_date, like_dates))
        return [_on_others(name, counts, real, "dates", "real dates such as 2024-02-29")]
    return []


def _are_most(counts: Counter[str], some: Iterable[str]) -> bool:
    """Return whether more than half of the cells are among some."""
    return 2 * sum(counts[cell] for cell in some) > counts.total()


def _on_others(
    name: str, counts: Counter[str], plain: Collection[str], what: str, example: str
) -> str:
    """Return a remark on the cells for which a column is text, though others are as they should."""
    others = Counter({cell: count for cell, count in counts.items() if cell not in plain})
    n_plain = counts.total() - others.total()
    return (
        f"{name!r} is read as text: {n_plain} of {counts.total()} cells are {what}, others are "
        f"{_examples(others)}. Write these as {example}, leave them empty if they are missing, or "
        f"take their rows out. If they are words, --kinds {shlex.quote(f'{name}=nominal')} says so."
    )


def _examples(cells: Counter[str]) -> str:
    """Return some of the cells, the most frequent first."""
    first, more = cells.most_common(3), ", ..." if len(cells) > 3 else ""
    return ", ".join(brief(cell) for cell, _ in first) + more


def _such_as(found: Mapping[str, str]) -> str:
    return ", ".join(f"{name!r} (such as {cell!r})" for name, cell in found.items())


def is_real_date(cell: str) -> bool:
    """Return whether there is such a day, written as ISO has it: February has no 30th."""
    if not ISO_DATE.fullmatch(cell):
        return False
    return bool(pd.notna(pd.to_datetime(cell, format="ISO8601", errors="coerce", utc=True)))


# Two files that belong together.


def content_of(cells: pd.Series[Any]) -> str | None:
    """Return whether a column holds "text", "numbers", "booleans" or "dates"; None if it is other.

    Categories are their labels.
    """
    is_category = isinstance(cells.dtype, pd.CategoricalDtype)
    labels = cells.cat.categories if is_category else cells.dropna()
    return CONTENTS.get(pd.api.types.infer_dtype(labels))


def check_like(frame: pd.DataFrame, other: pd.DataFrame, path: Path, decimal: str | None) -> None:
    """Raise unless the columns of a file hold what those of the same name in another table do.

    Booleans are the numbers 0 and 1, and a column of missing cells may be anything.
    """
    for name in [name for name in frame.columns if name in other.columns]:
        wanted, found = content_of(other[name]), content_of(frame[name])
        cells = _distinct(frame[name])
        if wanted in (None, found) or {wanted, found} == {"numbers", "booleans"} or not cells:
            continue
        fits = LOOKS_LIKE[str(wanted)]
        written = (cell for cell in cells if not fits(str(cell).replace(decimal or ".", ".")))
        raise TableError(
            f"Column {name!r} of {str(path)!r} must hold {wanted}, as in DATA. Found "
            f"{brief(next(written, cells[0]))}. Write such cells as {wanted}, or leave them empty "
            "if they are missing."
        )
