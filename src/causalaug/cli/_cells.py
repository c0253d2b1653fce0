"""Cells of a text file that are more than text: dates, and numbers with a decimal comma."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd

from causalaug.exceptions import ParameterError, TableError

if TYPE_CHECKING:
    from pathlib import Path

ISO_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
DECIMAL_COMMA = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+")


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
    """Raise if a column holds numbers with a decimal comma that were read as text."""
    if decimal == ".":
        return
    found = {name: _first(frame[name]) for name in _columns_like(frame, DECIMAL_COMMA)}
    if not found:
        return
    shown = ", ".join(f"{name!r} (such as {cell!r})" for name, cell in found.items())
    way_out = (
        "Take the points between the thousands out."
        if decimal == ","
        else "Say --decimal , with --separator ';' or whatever stands between the cells; or "
        "--decimal . if they are words."
    )
    raise TableError(
        f"Numbers must be written with a decimal point, or --decimal must say with what. Found a "
        f"decimal comma in {shown} of {str(path)!r}. {way_out}"
    )


def with_dates(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with columns of ISO dates as dates; what is no real date stays text.

    >>> with_dates(pd.DataFrame({"day": ["2024-02-28", "2024-02-29"]}))["day"].dt.day.tolist()
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
    return frame.assign(**dates) if dates else frame


def _columns_like(frame: pd.DataFrame, pattern: re.Pattern[str]) -> list[str]:
    """Return the columns of text whose every cell looks so; cells that are missing do not count."""
    return [
        name
        for name in frame.columns
        if not pd.api.types.is_numeric_dtype(frame[name])
        and (cells := frame[name].dropna()).size
        and all(isinstance(cell, str) and pattern.fullmatch(cell.strip()) for cell in cells)
    ]


def _first(cells: pd.Series[str]) -> str:
    return str(cells.dropna().iloc[0])
