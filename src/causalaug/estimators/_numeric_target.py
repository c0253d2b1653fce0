"""The target of a regression: numbers that a learner can square and sum, or an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from causalaug._magnitudes import check_regressed
from causalaug._validation import brief
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from causalaug.typing import FloatArray

LARGEST_WHOLE = 2.0**53
"""Beyond it floats are further apart than whole numbers."""

_TIMES = frozenset({"date", "datetime", "datetime64", "time", "period"})
_SPANS = frozenset({"timedelta", "timedelta64"})
_WORDS = frozenset({"string", "bytes", "mixed", "mixed-integer", "categorical"})


def check_numbers(y: Any) -> None:
    """Raise if a target holds words, times or spans of time, which have no mean squared error.

    Whether cells are missing, and whether there are as many as rows, is looked at later.

    >>> check_numbers(np.array(["low", "high"]))
    Traceback (most recent call last):
        ...
    causalaug.exceptions.ParameterError: The target of a regression must be numbers. Found cells \
such as 'low' (string). Convert them to numbers, or use the classifier for classes.
    """
    cells = np.asarray(y.astype(object) if isinstance(y, pd.Series) else y)
    if cells.dtype.kind in "biuf" or not cells.size:
        return
    if cells.dtype.kind == "c":
        raise ParameterError(
            "Complex data not supported: the target of a regression must be numbers on a line. "
            "Found an array of complex numbers. Take the real part, or the modulus."
        )
    flat = cells.reshape(-1)
    content = str(pd.api.types.infer_dtype(flat, skipna=True))
    if content not in _TIMES | _SPANS | _WORDS:
        return
    there = [cell for cell in flat if not _is_null(cell)]
    if not there:
        return
    example = brief(str(there[0]))
    raise ParameterError(
        "The target of a regression must be numbers. "
        f"Found cells such as {example} ({content}). {_remedy(content)}"
    )


def as_numbers(target: Any) -> FloatArray:
    """Return a target as floats, or raise if that cannot be."""
    try:
        numbers: FloatArray = np.asarray(target, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(
            f"The target of a regression must be numbers that a float can hold. Found that {error}."
        ) from error
    return numbers


def are_whole(numbers: FloatArray) -> bool:
    """Say whether all numbers are whole, and a float tells each from the next."""
    most = float(np.abs(numbers).max(initial=0.0))
    return most < LARGEST_WHOLE and bool((numbers == np.rint(numbers)).all())


def regression_target(target: Any, name: str | None = None) -> FloatArray:
    """Return a target as floats, neither huge nor all but equal."""
    numbers = as_numbers(target)
    check_regressed(name or "y", numbers)
    return numbers


def _remedy(content: str) -> str:
    if content in _TIMES:
        return "Subtract a date and divide by a unit: `(y - y.min()) / pandas.Timedelta(days=1)`."
    if content in _SPANS:
        return "Divide by a unit: `y / pandas.Timedelta(days=1)`."
    return "Convert them to numbers, or use the classifier for classes."


def _is_null(cell: Any) -> bool:
    return bool(pd.api.types.is_scalar(cell) and pd.isna(cell))
