"""Cells of a file that are more than text: numbers, dates, and what another file says they are.

Whether a column of a text file holds numbers is decided by its cells, all of them: one that is no
number makes the column text, and a remark says so if most are. Dates are told from text in the
same way. Marks such as ``-`` are missing cells where all others are numbers, and text where they
are not. Digits with superfluous zeros, as in 007, are names and no numbers. Two files that belong
together must agree, so the types of the second follow the first.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

import pandas as pd

from causalaug._validation import brief
from causalaug.exceptions import ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from pathlib import Path

SPACES = " \N{NO-BREAK SPACE}"
"""What does not count around a cell. Tabs and line breaks do: they were quoted on purpose."""
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")
"""What stands for a missing cell in every column, as in pandas."""
DASHES = ("-", "--", "---", "\N{EN DASH}", "\N{EM DASH}")
MARKS = (*DASHES, ".", "..", "?", "na", "n/a", "n.a.", "#n/a", "null", "none", "nan")
"""What stands for a missing cell where all others are numbers, in small letters.

Among words they may be an answer, as ``none`` is to a question about children.
"""
PLAIN_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[iI][nN][fF](?:inity)?)"
)
DRESSED_NUMBER = re.compile(
    r"[+\-\N{MINUS SIGN}]?[$€£¥]?\s?[+\-\N{MINUS SIGN}]?"
    r"(?:[0-9]+|[0-9]{1,3}(?:[,.'\s][0-9]{3})+)(?:[.,][0-9]+)?\s?[%‰$€£¥]?"
)
"""A number for people: thousands apart, a sign for percent or money, a typographic minus."""
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+")
BOOLEANS = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False}
BOOLEANS |= {"false": False}
N_EXAMPLES = 3
"""Cells that a remark shows."""

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
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?)"
)
"""A number with a decimal point, or with a decimal comma and perhaps points between thousands."""
CONTENTS = {
    "string": "text",
    "boolean": "booleans",
    "integer": "numbers",
    "floating": "numbers",
    "mixed-integer-float": "numbers",
    "decimal": "numbers",
    "date": "dates",
    "datetime": "dates",
    "datetime64": "dates",
}
"""What cells hold, by the words of `pandas.api.types.infer_dtype`; other cells are left alone."""
LOOKS_LIKE: dict[str, Callable[[pd.Series[str]], pd.Series[bool]]] = {
    "text": lambda cells: cells.isna(),  # None: a column that is not text holds no text.
    "booleans": lambda cells: cells.str.lower().isin(["true", "false"]),
    "numbers": lambda cells: pd.to_numeric(cells, errors="coerce").notna() | is_mark(cells),
    "dates": lambda cells: pd.to_datetime(
        cells, format="ISO8601", errors="coerce", utc=True
    ).notna(),
}
"""Which cells, as they are written, could be in a column of each content."""


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


def check_numbers(
    frame: pd.DataFrame,
    path: Path,
    decimal: str | None,
    separator: str,
    written: Callable[[], pd.DataFrame],
) -> None:
    """Raise if a column of text holds numbers that are written with another decimal sign.

    `written` returns the frame with its cells as they are written. It is called if there is
    something to raise, and decides what to advise: a table with points and commas in its numbers
    cannot be read with either.
    """
    if decimal == ".":
        return
    pattern, sign = (POINT_OR_COMMA, ".") if decimal == "," else (DECIMAL_COMMA, ",")
    found = _with_sign(frame, pattern, sign)
    if not found:
        return
    where = f"in {_such_as(found)} of {str(path)!r}"
    if decimal == ",":
        raise TableError(_about_points(where, _with_sign(written(), DECIMAL_COMMA, ",")))
    points = _with_sign(written(), PLAIN_NUMBER, ".")
    in_thousands = all(_only_thousands(frame[name]) for name in found)
    raise TableError(_about_commas(where, points, separator, in_thousands=in_thousands))


def _about_points(where: str, commas: dict[str, str]) -> str:
    """Return what to say of points in numbers, if the decimal sign is to be a comma."""
    also = f" and write the numbers in {_such_as(commas)} without commas" if commas else ""
    return (
        "Numbers must be written with a decimal comma if --decimal says so. Found a point "
        f"{where}. Take the points between the thousands out, or leave --decimal out if they are "
        f"decimal points{also}. Put a letter before cells that are words."
    )


def _about_commas(where: str, points: dict[str, str], separator: str, *, in_thousands: bool) -> str:
    """Return what to say of commas in numbers; the advice must work for the table as it is."""
    words = "Say --decimal . if they are words."
    if points:
        how = (
            "Take the commas between the thousands out."
            if in_thousands
            else "Write all numbers with a point, or all with a comma and say --decimal ,."
        )
        return (
            "Numbers must be written with one decimal sign in the whole table. Found a comma "
            f"{where}, and a point in {_such_as(points)}. {how} {words}"
        )
    comma = (
        "say --decimal ,"
        if separator != ","
        else "write the table with ';' between its cells and say --separator ';' --decimal ,"
    )
    if in_thousands:
        return (
            "Numbers must be written without a sign between thousands, and with a decimal point "
            f"unless --decimal says otherwise. Found a comma {where}, which may be either. Take "
            f"the commas out if they stand between thousands; if they are decimal commas, {comma}. "
            f"{words}"
        )
    return (
        "Numbers must be written with a decimal point, or --decimal must say with what. Found "
        f"a decimal comma {where}. {comma[0].upper()}{comma[1:]}. {words}"
    )


def _with_sign(frame: pd.DataFrame, pattern: re.Pattern[str], sign: str) -> dict[str, str]:
    """Return the columns whose cells all look so, each with its first cell that has the sign."""
    likely = {name: _first_with(sign, frame[name]) for name in _columns_like(frame, pattern)}
    return {name: cell for name, cell in likely.items() if cell is not None}


def _such_as(found: dict[str, str]) -> str:
    return ", ".join(f"{name!r} (such as {cell!r})" for name, cell in found.items())


def _only_thousands(cells: pd.Series[str]) -> bool:
    """Return whether every comma in the cells may stand between thousands."""
    return all(THOUSANDS.fullmatch(cell.strip()) for cell in cells.dropna() if "," in cell)


def bare_text(cells: pd.Series[Any], missing: Collection[str] = ()) -> pd.Series[Any]:
    """Return text without the spaces around it; what is then empty, or NA, is missing.

    So is what the user says, in `missing`.

    >>> bare_text(pd.Series(["hi", "hi ", " NA", "  "])).tolist()
    ['hi', 'hi', nan, nan]
    """
    bare = cells.str.strip(SPACES)
    return bare.mask(bare.isin([*MISSING, *missing]))


def distinct(cells: pd.Series[Any]) -> list[Any]:
    """Return the different cells that are there, in the order of their first rows."""
    # As objects: other arrays of strings are slow to walk through.
    return list(cells.dropna().astype(object).unique())


def is_mark(cells: pd.Series[Any]) -> pd.Series[bool]:
    """Return which cells stand for a missing one where all others are numbers."""
    return cells.str.lower().isin(MARKS)


def all_numbers(cells: Iterable[str], decimal: str = ".") -> bool:
    """Return whether all cells are written as numbers are.

    >>> all_numbers(["1", "-.5", "2e3"]), all_numbers(["1", "10,696.5"]), all_numbers(["1,5"], ",")
    (True, False, True)
    """
    return all(PLAIN_NUMBER.fullmatch(_with_point(cell, decimal)) for cell in cells)


def as_numbers(cells: pd.Series[Any], decimal: str = ".") -> pd.Series[Any]:
    """Return the numbers that cells of text are; whole ones are integers if none is missing.

    >>> as_numbers(pd.Series(["1,5", None]), ",").tolist()
    [1.5, nan]
    """
    if cells.notna().all() and all(map(WHOLE_NUMBER.fullmatch, cells)):
        return pd.Series([int(cell) for cell in cells], index=cells.index)
    numbers = [
        float(_with_point(cell, decimal)) if isinstance(cell, str) else float("nan")
        for cell in cells
    ]
    return pd.Series(numbers, index=cells.index, dtype=float)


def _with_point(cell: str, decimal: str) -> str:
    """Return a cell with a decimal point; a point that is none is no part of a number."""
    return cell if decimal == "." else cell.replace(".", "x").replace(decimal, ".")


def as_booleans(cells: pd.Series[Any]) -> pd.Series[Any]:
    """Return the booleans that cells of text are."""
    return cells.map(BOOLEANS, na_action="ignore")


def are_identifiers(cells: Collection[str]) -> bool:
    """Return whether cells are names made of digits: one begins with a superfluous zero.

    >>> are_identifiers(["01000", "20095"]), are_identifiers(["0", "10"]), are_identifiers(["0.5"])
    (True, False, False)
    >>> are_identifiers(["007", "2.5"]), are_identifiers(["2021-01-05"])
    (False, False)
    >>> are_identifiers(["-01", "02"]), are_identifiers(["-1", "-0"])
    (True, False)
    """
    return all(map(WHOLE_NUMBER.fullmatch, cells)) and any(map(has_superfluous_zero, cells))


def has_superfluous_zero(digits: str) -> bool:
    """Return whether a whole number would be the same without its first digit."""
    return re.match("[+-]?0.", digits) is not None


def may_have_identifiers(text: str, separator: str) -> bool:
    """Return whether a cell in the text of a file may begin with a superfluous zero.

    Most files have none, and their numbers need not be looked at one by one.

    >>> may_have_identifiers("day,x\\n2021-01-05,0.5", ","), may_have_identifiers("x\\n007", ",")
    (False, True)
    """
    return re.search(rf'(?:^|[{re.escape(separator)}"\s])[+-]?0[0-9]', text) is not None


def on_identifiers(found: dict[str, str]) -> str:
    """Return a remark on columns of digits that are names, each with a cell that shows it."""
    kinds = ",".join(f"{name}=continuous" for name in found)
    return (
        f"Read as text, since whole numbers do not begin with a superfluous zero: "
        f"{_such_as(found)}. --kinds {shlex.quote(kinds)} makes them numbers."
    )


def on_marks(name: str, marks: pd.Series[Any]) -> str:
    """Return a remark on marks that are taken for missing cells."""
    cells = "1 cell is" if len(marks) == 1 else f"{len(marks)} cells are"
    return (
        f"{name!r}: {cells} taken as missing ({_examples(marks)}), since all others are numbers. "
        "Write a word if it is a value."
    )


def on_text(
    name: str, cells: pd.Series[Any], decimal: str = ".", *, dates: bool = True
) -> str | None:
    """Return a remark on a column of text whose cells are numbers, or dates, for the most part.

    >>> on_text("wear", pd.Series(["1.5", "2", "3 mm"])).partition(". Write")[0]
    "'wear' is read as text: 2 of 3 cells are numbers, others are '3 mm'"
    >>> on_text("day", pd.Series(["2020-02-28", "2020-02-30"])).partition(". Write")[0]
    "'day' is read as text: 1 of 2 cells are dates, others are '2020-02-30'"
    """
    different = [str(cell) for cell in distinct(cells)]
    numbers = {cell for cell in different if all_numbers([cell], decimal)}
    like_numbers = numbers.union(filter(DRESSED_NUMBER.fullmatch, different))
    # Names made of digits may have letters in them as well.
    if _are_most(cells, like_numbers) and not are_identifiers(
        list(filter(WHOLE_NUMBER.fullmatch, numbers))
    ):
        return _on_others(name, cells, numbers, "numbers", "plain numbers such as 10696.5")
    like_dates = set(filter(_looks_like_date, different))
    if dates and _are_most(cells, like_dates):
        real = {cell for cell in like_dates if ISO_DATE.fullmatch(cell) and _is_real_date(cell)}
        return _on_others(name, cells, real, "dates", "real dates such as 2024-02-29")
    return None


def _are_most(cells: pd.Series[Any], some_cells: Collection[str]) -> bool:
    """Return whether more than half of the cells that are there are among some."""
    return bool(2 * cells.isin(list(some_cells)).sum() > cells.notna().sum())


def _on_others(
    name: str, cells: pd.Series[Any], plain: Collection[str], what: str, example: str
) -> str:
    """Return a remark on the cells for which a column is text, though others are as they should."""
    is_plain = cells.isin(list(plain))
    return (
        f"{name!r} is read as text: {is_plain.sum()} of {cells.notna().sum()} cells are {what}, "
        f"others are {_examples(cells[~is_plain].dropna())}. Write these as {example}, leave them "
        "empty if they are missing, or take their rows out. If they are words, "
        f"--kinds {shlex.quote(f'{name}=nominal')} says so."
    )


def _looks_like_date(cell: str) -> bool:
    return bool(ISO_DATE.fullmatch(cell) or DRESSED_DATE.fullmatch(cell))


def _is_real_date(cell: str) -> bool:
    """Return whether there is such a day: February has no 30th."""
    return bool(pd.notna(pd.to_datetime(cell, format="ISO8601", errors="coerce", utc=True)))


def _examples(cells: pd.Series[Any]) -> str:
    """Return some of the cells, the most frequent first."""
    shown = [brief(cell) for cell in cells.value_counts().index]
    more = ", ..." if len(shown) > N_EXAMPLES else ""
    return ", ".join(shown[:N_EXAMPLES]) + more


def columns_with(content: str, frame: pd.DataFrame) -> list[str]:
    """Return the columns that hold "text", "numbers", "booleans" or "dates"."""
    return [name for name in frame.columns if content_of(frame[name]) == content]


def check_like(frame: pd.DataFrame, other: pd.DataFrame, path: Path, decimal: str | None) -> None:
    """Raise unless the columns of a file hold what those of the same name in another table do.

    Booleans are the numbers 0 and 1, and a column of missing cells may be anything.
    """
    for name in [name for name in frame.columns if name in other.columns]:
        wanted, found = content_of(other[name]), content_of(frame[name])
        if wanted is None or wanted == found or {wanted, found} == {"numbers", "booleans"}:
            continue
        cells = frame[name].dropna().astype(object)
        if not cells.size:
            continue
        written = cells.astype(str).str.replace(decimal or ".", ".", regex=False)
        first = cells.iloc[int(LOOKS_LIKE[wanted](written).to_numpy().argmin())]
        raise TableError(
            f"Column {name!r} of {str(path)!r} must hold {wanted}, as in DATA. Found "
            f"{brief(first)}. Write such cells as {wanted}, or leave them empty if they are "
            "missing."
        )


def dates_in(frame: pd.DataFrame) -> dict[str, pd.Series[Any]]:
    """Return the columns of ISO dates, as dates; what is no real date stays text.

    >>> dates_in(pd.DataFrame({"day": ["2024-02-28", "2024-02-29"]}))["day"].dt.day.tolist()
    [28, 29]
    """
    dates = {}
    for name in _columns_like(frame, ISO_DATE):
        cells = frame[name]
        zoned = cells.dropna().str.contains(r"(?:Z|[+-]\d\d:?\d\d)$", regex=True)
        times = cells.dropna().str.len() > len("2024-02-29")
        try:
            dates[name] = pd.to_datetime(cells, format="ISO8601", utc=bool((zoned & times).any()))
        except ValueError:
            continue
    return dates


def _columns_like(frame: pd.DataFrame, pattern: re.Pattern[str]) -> list[str]:
    """Return the columns of text whose every cell looks so; cells that are missing do not count."""
    return [
        name
        for name in frame.columns
        if not pd.api.types.is_numeric_dtype(frame[name])
        and (cells := frame[name].dropna()).size
        and all(isinstance(cell, str) and pattern.fullmatch(cell.strip()) for cell in cells)
    ]


def _first_with(sign: str, cells: pd.Series[str]) -> str | None:
    return next((cell for cell in cells.dropna() if sign in cell), None)


def content_of(cells: pd.Series[Any]) -> str | None:
    """Return what the cells of a column hold; categories are their labels."""
    is_category = isinstance(cells.dtype, pd.CategoricalDtype)
    labels = cells.cat.categories if is_category else cells.dropna()
    return CONTENTS.get(pd.api.types.infer_dtype(labels))
