"""What to say where the learner inside fails: whose fault it is, and what to do.

A learner may fail on words, on holes, on huge numbers, on a single class, or for a reason of its
own. Only its error tells, so that its text is read. A cause is named only where the text and the
data agree on it; everything else is passed on as the learner said it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from causalaug._validation import MOST_NAMED, brief, some
from causalaug.estimators._preprocessing import columns_of_times, columns_without_numbers
from causalaug.exceptions import CausalAugError, ParameterError, TableError
from causalaug.table import missing_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LARGEST_SINGLE = float(np.finfo(np.float32).max)
"""The largest number of single precision, in which trees hold their features."""

_NO_NUMBER = re.compile(r"could not convert string to float: (?:np\.str_\()?(['\"])(.*?)\1", re.S)
_OF_TIMES = re.compile("datetime|timestamp|timedelta", re.I)
_OF_TYPES = re.compile("dtype|'str'|strings?\\b", re.I)
_OF_HOLES = re.compile(r"\bnan\b|missing|\bnull\b", re.I)
_OF_SIZE = re.compile("infinity|too large", re.I)
_OF_CLASSES = re.compile(r"(?<!<)\bclass(es)?\b", re.I)
_OF_PARAMETERS = re.compile("parameter of")


class _LearnerTypeError(ParameterError, TypeError):
    """The learner inside raised a TypeError."""


def learner_failed(learner: Any, features: Any, target: Any, error: Exception) -> Exception:
    """Return the error to raise where the `fit` of a learner has failed."""
    if isinstance(error, CausalAugError):
        return error
    text = str(error)
    return (
        _one_class(learner, target, text)
        or _huge_cells(features, text)
        or _holes(learner, features, text)
        or _no_numbers(learner, features, text)
        or _own_error(learner, error)
    )


def check_finite(features: Any, names: Sequence[object] = ()) -> None:
    """Raise if a cell of the features is infinite."""
    columns = numbers_of(features, names).items()
    infinite = [name for name, cells in columns if np.isinf(cells).any()]
    if infinite:
        raise infinite_cells(infinite)


def infinite_cells(columns: Sequence[object]) -> TableError:
    """Return the error that some columns hold infinite cells."""
    return TableError(
        f"The data must be finite. Found infinite cells in {some(columns)}. Replace them by finite "
        "values, or by missing ones."
    )


def huge_cells(features: Any, error: Exception, names: Sequence[object] = ()) -> TableError | None:
    """Return the error that cells are infinite or too large for a learner; None if none is."""
    return _huge_cells(features, str(error), names)


def says_to_be(is_task: Callable[[Any], bool], learner: Any) -> bool:
    """Return what `is_classifier` or `is_regressor` says; False if a learner has no tags."""
    try:
        return bool(is_task(learner))
    except AttributeError:
        return False


def has_holes(features: Any) -> bool:
    """Say whether a cell of a frame or an array is missing."""
    names = () if not isinstance(features, np.ndarray) else list(map(str, range(features.shape[1])))
    return any(mask.any() for mask in missing_cells(features, names).values())


def numbers_of(features: Any, names: Sequence[object] = ()) -> dict[object, Any]:
    """Return the columns of a frame or an array that are numbers, as floats, by name.

    The columns of an array are named by `names`, or by their positions.

    >>> numbers_of(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    {'a': array([1., 2.])}
    """
    if isinstance(features, np.ndarray):
        # Without a graph nobody has looked whether there are as many names as columns.
        names = names if len(names) == features.shape[1] else range(features.shape[1])
        return {name: _floats(cells) for name, cells in zip(names, features.T, strict=True)}
    opened = nw.from_native(features, eager_only=True)
    odd = {*columns_without_numbers(features), *columns_of_times(features)}
    named = {name: opened.get_column(name) for name in opened.columns if name not in odd}
    return {name: _floats(column.to_numpy()) for name, column in named.items()}


def _floats(cells: Any) -> Any:
    if cells.dtype.kind == "f":
        return cells
    return pd.to_numeric(pd.Series(cells), errors="coerce").to_numpy(np.float64, na_value=np.nan)


def _one_class(learner: Any, target: Any, text: str) -> Exception | None:
    classes = pd.unique(pd.Series(target).dropna())
    if len(classes) > 1 or not _OF_CLASSES.search(text) or not says_to_be(is_classifier, learner):
        return None
    return ParameterError(
        "The target must have rows of at least two classes for this learner; rows of weight zero "
        f"do not count. Found one class, {brief(_plain(classes[0]))}, for {_name_of(learner)}. Add "
        "rows of another class, or use a learner that takes one."
    )


def _plain(cell: Any) -> Any:
    return cell.item() if isinstance(cell, np.generic) else cell


def _huge_cells(features: Any, text: str, names: Sequence[object] = ()) -> TableError | None:
    if not _OF_SIZE.search(text):
        return None
    # Unlike `max`, this one passes over missing cells.
    largest = {
        name: float(np.fmax.reduce(np.abs(cells), initial=0.0))
        for name, cells in numbers_of(features, names).items()
    }
    infinite = [name for name, number in largest.items() if np.isinf(number)]
    if infinite:
        return infinite_cells(infinite)
    huge = [f"{each:g} in {name!r}" for name, each in largest.items() if each > LARGEST_SINGLE]
    if not huge:
        return None
    return TableError(
        f"Features must be at most {LARGEST_SINGLE:.2g} for this learner, which holds them in "
        f"single precision. Found {', '.join(huge[:MOST_NAMED])}. Express the columns in another "
        "unit, as in `fit`, or take logarithms."
    )


def _holes(learner: Any, features: Any, text: str) -> Exception | None:
    if not _OF_HOLES.search(text) or not has_holes(features):
        return None
    return ParameterError(
        "The learner must take missing features, if it is to see them. Found a "
        f"{_name_of(learner)} that failed on them: {text.splitlines()[0]} With a graph, leave "
        "keep_holes=False, and it sees completed rows; or use a learner that takes NaN, such "
        "as HistGradientBoostingRegressor()."
    )


def _no_numbers(learner: Any, features: Any, text: str) -> Exception | None:
    odd = columns_to_blame(learner, features, text)
    if not odd:
        return None
    name = _name_of(learner)
    return ParameterError(
        f"The learner must take the columns as they are. Found {odd}, which hold no numbers, "
        f"and a {name} that failed on them: {text} Encode them inside: "
        "`make_pipeline(make_column_transformer((OneHotEncoder(handle_unknown='ignore'), "
        f"{odd}), remainder='passthrough'), {name}())`."
    )


def columns_to_blame(learner: Any, features: Any, text: str) -> list[str]:
    """Return the columns of words or times that an error is about; none if it is not about any.

    A pipeline may encode some of them: only those count that the text names, or whose cell it
    shows. Any other learner that cannot take one of them can take none.
    """
    words, times = columns_without_numbers(features), columns_of_times(features)
    if _OF_PARAMETERS.search(text):
        return []
    shown = _NO_NUMBER.search(text)
    if shown:
        # The word may be a label: those are no fault of the columns.
        blamed = [name for name in words if shown[2] in _texts(features, name)]
    elif times and _OF_TIMES.search(text):
        blamed = times
    else:
        mentioned = [name for name in [*words, *times] if _names(text, name)]
        blamed = mentioned if isinstance(learner, Pipeline) else [*words, *times]
        blamed = blamed if _OF_TYPES.search(text) else []
    return [*words, *times] if blamed and not isinstance(learner, Pipeline) else blamed


def _texts(features: Any, name: str) -> set[str]:
    return set(map(str, nw.from_native(features, eager_only=True)[name].to_list()))


def _names(text: str, name: str) -> bool:
    """Say whether a text names a column: in quotes, or before a colon. One may be called 'a'."""
    return re.search(rf"(?<!\w){re.escape(name)}:|(['\"]){re.escape(name)}\1", text) is not None


def _own_error(learner: Any, error: Exception) -> Exception:
    kind = _LearnerTypeError if isinstance(error, TypeError) else ParameterError
    return kind(
        f"The learner must be able to learn from the rows: try {_name_of(learner)} on them alone. "
        f"Found that it failed: {error}"
    )


def _name_of(learner: Any) -> str:
    last = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner
    return type(last).__name__
