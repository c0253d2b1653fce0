"""Cells of a file that are more than text: numbers, dates, and what another file says they are.

Whether a column of a text file holds numbers is decided by its cells, all of them: one that is no
number makes the column text. Two files that belong together must agree, so the types of the
second follow the first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pandas as pd

from causalaug._validation import brief
from causalaug.exceptions import ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ISO_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
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
    "numbers": lambda cells: pd.to_numeric(cells, errors="coerce").notna(),
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
            f"{separator!r} for both. Say --separator ';', or quote the numbers and leave "
            "--decimal out."
        )


def check_numbers(frame: pd.DataFrame, path: Path, decimal: str | None) -> None:
    """Raise if a column of text holds numbers that are written with another decimal sign."""
    if decimal == ".":
        return
    pattern, sign = (POINT_OR_COMMA, ".") if decimal == "," else (DECIMAL_COMMA, ",")
    likely = {name: _first_with(sign, frame[name]) for name in _columns_like(frame, pattern)}
    found = {name: cell for name, cell in likely.items() if cell is not None}
    if not found:
        return
    shown = ", ".join(f"{name!r} (such as {cell!r})" for name, cell in found.items())
    where = f"in {shown} of {str(path)!r}"
    raise TableError(
        "Numbers must be written with a decimal comma if --decimal says so. Found a point "
        f"{where}. Take the points between the thousands out, or leave --decimal out if they are "
        "decimal points. Put a letter before cells that are words."
        if decimal == ","
        else "Numbers must be written with a decimal point, or --decimal must say with what. Found "
        f"a decimal comma {where}. Say --decimal , with --separator ';' or whatever stands between "
        "the cells; or --decimal . if they are words."
    )


def text_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns that hold text."""
    return [name for name in frame.columns if _content(frame[name]) == "text"]


def check_like(frame: pd.DataFrame, other: pd.DataFrame, path: Path, decimal: str | None) -> None:
    """Raise unless the columns of a file hold what those of the same name in another table do.

    Booleans are the numbers 0 and 1, and a column of missing cells may be anything.
    """
    for name in [name for name in frame.columns if name in other.columns]:
        wanted, found = _content(other[name]), _content(frame[name])
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


def _content(cells: pd.Series[Any]) -> str | None:
    """Return what the cells of a column hold; categories are their labels."""
    is_category = isinstance(cells.dtype, pd.CategoricalDtype)
    labels = cells.cat.categories if is_category else cells.dropna()
    return CONTENTS.get(pd.api.types.infer_dtype(labels))
