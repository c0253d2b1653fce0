"""Tables that a spreadsheet may open: no text in them is taken for a formula."""

from itertools import chain
from typing import Any

import pandas as pd

ACTIVE = tuple("=+-@\t\r\n＝＋－＠")
"""What a cell must not start with; the last four are the wide forms of the first."""


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with an apostrophe before text that a spreadsheet would run.

    Numbers stay numbers:

    >>> from causalaug.cli._spreadsheet import without_formulas
    >>> risky = pd.DataFrame({"@note": ["=1+1", "fine"], "change": [-3.5, 2.0]})
    >>> print(without_formulas(risky).to_csv(index=False), end="")
    '@note,change
    '=1+1,-3.5
    fine,2.0
    """
    columns = {place: _guarded_column(frame.iloc[:, place]) for place in range(frame.shape[1])}
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


def _guarded_column(column: "pd.Series[Any]") -> "pd.Series[Any]":
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    return column.astype(object).map(guarded_text)
