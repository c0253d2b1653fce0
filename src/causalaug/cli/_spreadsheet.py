"""Tables that a spreadsheet may open: no text in them is taken for a formula."""

from collections.abc import Collection
from itertools import chain
from typing import Any

import pandas as pd

from causalaug.cli._cells import PLAIN_NUMBER

ACTIVE = tuple("=+-@\t\r\n＝＋－＠")
"""What a cell must not start with; the last four are the wide forms of the first."""


def without_formulas(frame: pd.DataFrame, as_written: Collection[str] = ()) -> pd.DataFrame:
    """Return the frame with an apostrophe before text that a spreadsheet would run.

    Numbers stay numbers, in columns that are text `as_written`, too:

    >>> from causalaug.cli._spreadsheet import without_formulas
    >>> risky = pd.DataFrame({"@note": ["=1+1", "fine"], "change": [-3.5, 2.0]})
    >>> print(without_formulas(risky).to_csv(index=False), end="")
    '@note,change
    '=1+1,-3.5
    fine,2.0
    >>> without_formulas(pd.DataFrame({"id": ["-3", "-A1"]}), ["id"])["id"].tolist()
    ['-3', "'-A1"]
    """
    columns = {
        place: _guarded_column(frame.iloc[:, place], as_written=name in as_written)
        for place, name in enumerate(frame.columns)
    }
    guarded = pd.DataFrame(columns, index=frame.index)
    guarded.columns = pd.Index([guarded_text(name) for name in frame.columns])
    return guarded


def has_returns(frame: pd.DataFrame) -> bool:
    """Return whether some text has a carriage return.

    Not every version of Python puts quotes around it, and without them a reader may take it for
    the end of a row, and what follows for the start of a cell.
    """
    text = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name].dtype)]
    cells = chain(frame.columns, *(frame[name].unique() for name in text))
    return any(isinstance(cell, str) and "\r" in cell for cell in cells)


def guarded_text(cell: Any) -> Any:
    """Return the cell; text that starts with an active sign gets an apostrophe before it."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(ACTIVE) else cell


def _guarded_column(column: "pd.Series[Any]", *, as_written: bool) -> "pd.Series[Any]":
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    guarded = column.astype(object).map(guarded_text)
    if as_written:
        numbers = column.map(lambda cell: PLAIN_NUMBER.fullmatch(str(cell)) is not None)
        return column.astype(object).where(numbers.astype(bool), guarded)
    return guarded
