"""The door of the learners: scikit-learn's own checks, in errors of ours.

scikit-learn's texts are kept, since its users know them and its checks of estimators ask for
them; what to do next is added.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from causalaug._validation import brief, some
from causalaug.exceptions import CausalAugError, CausalAugWarning, ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from numpy.typing import NDArray

_NUMBERS = frozenset({"integer", "floating", "mixed-integer-float", "decimal", "boolean"})
_ZONED = "times with a zone"
TIMES = ("times", _ZONED)
"""The sorts of columns that hold dates, times or durations."""

_TIMES = frozenset({"date", "datetime", "datetime64", "timedelta", "timedelta64"})


class _WrongTypeError(TableError, TypeError):
    """The data are of a type that cannot be used: a TypeError to scikit-learn."""


def validated(estimator: Any, *data: Any, **options: Any) -> Any:
    """Return what `validate_data` returns; its complaints are errors of ours."""
    if data and np.ma.is_masked(data[0]):
        raise TableError(
            "The features must be a frame or a plain array. Found a masked array, whose mask would "
            "be ignored. Use `pandas.DataFrame(X)`, in which masked cells are missing."
        )
    return _in_our_words(lambda: validate_data(estimator, *data, **options))


def as_column(y: Any, n_rows: int) -> NDArray[Any]:
    """Return a target as one column of so many cells; or raise."""
    column: NDArray[Any] = _in_our_words(lambda: column_or_1d(y, warn=True))
    if len(column) != n_rows:
        raise TableError(
            "Features and target must have the same number of rows. Found input variables with "
            f"inconsistent numbers of samples: {[n_rows, len(column)]}."
        )
    return column


def classes_of(target: NDArray[Any]) -> NDArray[Any]:
    """Return the classes of a target, sorted; or raise if its cells are no classes."""
    # Looking whether infinite floats are whole warns, before they are refused.
    with np.errstate(invalid="ignore"):
        _in_our_words(lambda: check_classification_targets(target), ParameterError)
    classes: NDArray[Any] = _in_our_words(lambda: np.unique(target), ParameterError)
    return classes


def _in_our_words(call: Callable[[], Any], kind: type[CausalAugError] = TableError) -> Any:
    try:
        return call()
    except CausalAugError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        text = f"{str(error).rstrip()}{_advice(str(error))}"
        raise (_WrongTypeError if isinstance(error, TypeError) else kind)(text) from error


def _advice(text: str) -> str:
    """Return what to do about some of scikit-learn's complaints."""
    if "feature names" in text.lower():
        return "\nPass the columns of `fit` by name: `X[list(model.feature_names_in_)]`."
    if "Unknown label type" in text:
        return " For numbers use the regressor; classes must be words, whole numbers or booleans."
    return ""


def sorts_of(features: Any) -> dict[str, str]:
    """Return what the columns of a frame hold: "numbers", "times" or "words"; {} of an array.

    Times with a zone are a sort of their own: they cannot be compared with those without one.
    Columns without any cell, or with missing cells only, are left out: they fit to everything.

    >>> sorts_of(pd.DataFrame({"a": [1.5], "b": ["x"], "c": [None]}))
    {'a': 'numbers', 'b': 'words'}
    """
    opened = nw.from_native(features, eager_only=True, pass_through=True)
    if not isinstance(opened, nw.DataFrame):
        return {}
    sorts = {str(name): _sort_of(opened.get_column(name)) for name in opened.columns}
    return {name: sort for name, sort in sorts.items() if sort}


def _sort_of(column: Any) -> str:
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return "numbers"
    if getattr(column.dtype, "time_zone", None) is not None:
        return _ZONED
    if type(column.dtype).__name__ in ("Date", "Datetime", "Duration", "Time"):
        return "times"
    if column.dtype != nw.Object:
        return "words"
    cells = column.to_list()
    content = str(pd.api.types.infer_dtype(cells, skipna=True))
    if content == "empty":
        return ""
    if content == "datetime" and any(getattr(cell, "tzinfo", None) for cell in cells):
        return _ZONED
    return "numbers" if content in _NUMBERS else "times" if content in _TIMES else "words"


def warn_of_number_texts(opened: Any, known: Collection[str], stacklevel: int = 3) -> None:
    """Name the columns of text whose cells are numbers for the most part, if there are any.

    Such a column is one of names, each a level of its own; mostly it was meant to be numbers, and
    one odd cell made it text. Nothing is said of columns of which the user says what they are.
    """
    asked = [name for name in opened.columns if name not in known]
    found = {name: text for name in asked if (text := _number_text(opened.get_column(name)))}
    if not found:
        return
    first = next(iter(found))
    warnings.warn(
        f"Columns of text that hold numbers are taken for names: {some(list(found))}, such as "
        f"{brief(found[first])}. Convert them, X[{first!r}] = pd.to_numeric(X[{first!r}], "
        f"errors='coerce'), or say kinds={{{first!r}: 'nominal'}} if they are names.",
        CausalAugWarning,
        stacklevel=stacklevel,
    )


def warn_of_no_labels(missing: NDArray[Any], stacklevel: int = 3) -> None:
    """Say how many rows have no target, if there are any: they may be meant, or be a slip."""
    if missing.any():
        warnings.warn(
            f"The target is missing in {int(missing.sum())} of {len(missing)} rows. They serve the "
            "graph's model by their other cells, and no learner is trained on them. Drop them if "
            "that is not meant.",
            CausalAugWarning,
            stacklevel=stacklevel,
        )


def labels_of(features: Any) -> dict[str, frozenset[Any]]:
    """Return the labels of each column of words, by its name; {} of an array.

    Columns in which no two rows share a label, such as ids, are left out: nothing is learnt of
    their labels.

    >>> list(labels_of(pd.DataFrame({"id": ["k", "l", "m"], "site": ["A", "B", "B"]})))
    ['site']
    """
    opened = nw.from_native(features, eager_only=True, pass_through=True)
    if not isinstance(opened, nw.DataFrame):
        return {}
    columns = {
        str(name): [cell for cell in opened.get_column(name).to_list() if not pd.isna(cell)]
        for name in opened.columns
        if _sort_of(opened.get_column(name)) == "words"
    }
    labels = {name: frozenset(cells) for name, cells in columns.items()}
    return {name: known for name, known in labels.items() if len(known) < len(columns[name])}


def warn_of_new_labels(
    fitted: Mapping[str, frozenset[Any]], features: Any, stacklevel: int = 3
) -> None:
    """Name the labels that no row of `fit` has, if there are any."""
    if not fitted:
        return
    opened = nw.from_native(features, eager_only=True)
    found = {
        name: sorted(
            str(label)
            for label in set(opened.get_column(name).to_list()) - fitted[str(name)]
            if not pd.isna(label)
        )
        for name in opened.columns
        if str(name) in fitted
    }
    news = [f"{some(labels)} in {name!r}" for name, labels in found.items() if labels]
    if news:
        warnings.warn(
            f"No row of `fit` has the labels {', '.join(news)}. Such a row is predicted by what "
            "its other cells say. Correct the label if it is a typing slip.",
            CausalAugWarning,
            stacklevel=stacklevel,
        )


def _number_text(column: Any) -> str:
    """Return a text that is a number, if most cells of a column of text are such; else ''."""
    if column.dtype not in (nw.String, nw.Object):
        return ""
    cells = pd.Series([cell for cell in column.to_list() if isinstance(cell, str)], dtype=object)
    is_number = pd.to_numeric(cells, errors="coerce").notna()
    # Codes with superfluous zeros, such as 01000, are names that somebody took care to keep.
    if 2 * is_number.sum() <= len(cells) or cells.str.match(r"\s*[+-]?0\d").any():
        return ""
    return str(cells[is_number].iloc[0])


def _told_apart(found: str, fitted: str) -> str:
    return "times without a zone" if (found, fitted) == ("times", _ZONED) else found


def check_same_sorts(fitted: Mapping[str, str], features: Any) -> None:
    """Raise if a column holds another sort of cells than when the learner was fitted."""
    found = sorts_of(features)
    changed = [
        f"{name!r}: {sort} in `fit`, {_told_apart(found[name], sort)} now"
        for name, sort in fitted.items()
        if name in found and found[name] != sort
    ]
    if changed:
        raise TableError(
            "Columns must hold the same sort of cells as in `fit`. "
            f"Found {some(changed)}. Convert them."
        )
