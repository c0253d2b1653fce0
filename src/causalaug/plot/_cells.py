"""The cells of a frame of any library, as arrays and as text."""

from __future__ import annotations

from typing import Any

import numpy as np


def column_cells(frame: Any, name: str, number: int) -> np.ndarray[Any, Any]:
    """Return the cells of a column; those of an array are found by number."""
    return np.asarray(frame[:, number] if isinstance(frame, np.ndarray) else frame[name])


def short(value: object) -> str:
    """Return a cell in few letters: numbers rounded, all else as text.

    >>> short(3.14159), short(np.int64(7)), short("sick"), short(np.True_)
    ('3.14', '7', 'sick', 'True')
    """
    is_float = isinstance(value, float | np.floating)
    return f"{value:.3g}" if is_float else str(value)
