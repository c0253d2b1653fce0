"""What users pass to the learners: features, a target and weights, checked in words of ours.

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

from causalaug._magnitudes import check_regressed, check_weight_range
from causalaug._validation import brief, some
from causalaug.estimators._learner_errors import check_finite
from causalaug.exceptions import CausalAugError, CausalAugWarning, ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from numpy.typing import NDArray

    from causalaug.typing import BoolArray, FloatArray

_NUMBERS = frozenset({"integer", "floating", "mixed-integer-float", "decimal", "boolean"})
_ZONED = "times with a zone"
TIMES = ("times", _ZONED)
"""The sorts of columns that hold dates, times or durations."""

_DATES, _SPANS = ("date", "datetime", "datetime64"), ("timedelta", "timedelta64")

_REMEDIES = {
    **dict.fromkeys(
        (*_DATES, "time", "period"),
        "Subtract a date and divide by a unit: `(y - y.min()) / pandas.Timedelta(days=1)`.",
    ),
    **dict.fromkeys(_SPANS, "Divide by a unit: `y / pandas.Timedelta(days=1)`."),
    **dict.fromkeys(
        ("string", "bytes", "mixed", "mixed-integer", "categorical"),
        "Convert them to numbers, or use the classifier for classes.",
    ),
}
"""What to do about a target that is to be regressed, by what its cells hold."""


class _WrongTypeError(TableError, TypeError):
    """The data are of a type that cannot be used: a TypeError to scikit-learn."""


def is_frame(data: object) -> bool:
    """Say whether data have named columns of a dataframe library."""
    if isinstance(data, pd.DataFrame):
        return True
    return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)


def read_rows(
    learner: Any, X: Any, y: Any, sample_weight: Any = None, *, holes: bool
) -> tuple[Any, Any, FloatArray]:
    """Return features, target and weights that a learner is fitted to, checked.

    A frame stays what it is, for `Table` to check: integers and booleans that pandas calls nullable
    must not become floats or objects on their way. With `holes` cells may be missing; labels that
    are missing are NaN, NA or None.
    """
    is_number = learner._kind_of_target == "continuous"
    X, y = _features_and_cells(learner, X, _cells_of(y, is_number=is_number), holes, is_number)
    learner._sorts = sorts_of(X) if is_frame(X) else None
    missing = pd.isna(y)
    if not missing.any():
        return X, learner._check_target(y), check_weights(sample_weight, len(y))
    labels = as_column(labels_there(y, missing), int((~missing).sum()))
    labels = learner._check_target(labels)
    if labels.dtype.kind == "f":
        y = np.full(len(missing), np.nan)
        y[~missing] = labels
    elif is_number:
        y = pd.Series(pd.NA, index=range(len(missing)), dtype="Int64")
        y[~missing] = labels
    return X, y, check_weights(sample_weight, len(y))


def _cells_of(y: Any, *, is_number: bool) -> Any:
    """Return a target without a mask, what is masked is missing; numbers if these are wanted."""
    if isinstance(y, np.ma.MaskedArray):
        cells = y.data
        if np.ma.is_masked(y):
            cells = cells.astype(object)
            cells[np.ma.getmaskarray(y)] = None
        y = cells
    if is_number:
        check_numbers(y)
    if not isinstance(y, pd.Series):
        return y
    try:
        return y.astype(object).infer_objects().to_numpy()
    except OverflowError:  # from old versions of pandas, of integers that no float can hold
        return y.to_numpy()


def _features_and_cells(
    learner: Any, X: Any, y: Any, holes: bool, is_number: bool
) -> tuple[Any, Any]:
    """Return features and the cells of the target, None where a label is missing and may be."""
    missing = _missing_labels(y) if holes else None
    finite = "allow-nan" if holes else True
    if missing is None and not is_frame(X):
        checked: tuple[Any, Any] = validated(
            learner, X, y, y_numeric=is_number, ensure_all_finite=finite
        )
        return checked
    if missing is not None and missing.all():
        raise TableError(
            "At least one row must have a target. Found none: all "
            f"{len(missing)} cells of `y` are missing."
        )
    if missing is not None:
        opened = nw.from_native(y, series_only=True, pass_through=True)
        listed = opened.to_list() if isinstance(opened, nw.Series) else list(y)
        as_column(missing, len(X))
        y = pd.Series(listed, dtype=object).to_numpy(copy=True)
        y[missing] = None
    if is_frame(X):
        validated(learner, X, skip_check_array=True)
    else:
        X = validated(learner, X, ensure_all_finite=finite)
    return X, y if missing is not None else as_column(y, len(X))


def read_asked(
    learner: Any, X: Any, stacklevel: int, used: Callable[[Any], Any] = lambda features: features
) -> Any:
    """Return features that a fitted learner is asked about, as it was fitted to them.

    Only those are checked, and returned, that `used` leaves of them.
    """
    if is_frame(X) and learner._sorts is not None:
        validated(learner, X, skip_check_array=True, reset=False)
    else:
        names = names_at_fit(learner)
        if names and set(names) <= set(_columns_of(X)):
            # An array was fitted, whose names say which column of a frame is which.
            X = nw.from_native(X, eager_only=True).select(*names).to_native()
        # Without a model NaN is refused as well, in the words of scikit-learn.
        finite = learner.model_ is None
        X = validated(learner, X, reset=False, ensure_all_finite=finite, ensure_min_samples=0)
    X = used(X)
    check_same_sorts(learner._sorts or {}, X)
    warn_of_new_labels(learner._labels, X, stacklevel=stacklevel + 1)
    check_finite(X, names_at_fit(learner))
    return X


def names_at_fit(learner: Any) -> list[str]:
    """Return the names of the features, or none if nobody gave any."""
    names = getattr(learner, "feature_names_in_", learner.feature_names)
    return [] if names is None else list(map(str, names))


def labels_there(target: Any, missing: BoolArray) -> Any:
    """Return the labels that are not missing, in the dtype that they have without the others."""
    cells = target[~missing].tolist()
    try:
        labels = np.array(cells)
        # Words beside other cells stay what they are, and are refused: numpy would make all words.
        is_mixed = labels.dtype.kind == "U" and not all(isinstance(cell, str) for cell in cells)
        return np.array(cells, dtype=object) if is_mixed else labels
    except ValueError as error:
        odd = next(cell for cell in cells if isinstance(cell, tuple | list | np.ndarray))
        raise TableError(
            "The target must have one value in each row. Found cells that are sequences, such as "
            f"{brief(odd)}. Turn them into words."
        ) from error


def _missing_labels(y: Any) -> BoolArray | None:
    """Return which labels are missing; None if none is."""
    opened = nw.from_native(y, series_only=True, pass_through=True)
    cells = opened.to_list() if isinstance(opened, nw.Series) else y
    try:
        missing = np.asarray(pd.isna(np.asarray(cells, dtype=object)))
    except (TypeError, ValueError):
        return None
    return missing if missing.ndim == 1 and missing.any() else None


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
    if cells.dtype.kind in "biuf":
        return
    if cells.dtype.kind == "c":
        raise ParameterError(
            "Complex data not supported: the target of a regression must be numbers on a line. "
            "Found an array of complex numbers. Take the real part, or the modulus."
        )
    flat = cells.reshape(-1)
    content = str(pd.api.types.infer_dtype(flat, skipna=True))
    there = [cell for cell in flat if not (pd.api.types.is_scalar(cell) and pd.isna(cell))]
    if content in _REMEDIES and there:
        raise ParameterError(
            "The target of a regression must be numbers. Found cells such as "
            f"{brief(str(there[0]))} ({content}). {_REMEDIES[content]}"
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


def regression_target(target: Any, name: str | None = None) -> FloatArray:
    """Return a target as floats, neither huge nor all but equal."""
    numbers = as_numbers(target)
    check_regressed(name or "y", numbers)
    return numbers


def check_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return non-negative weights, ones by default."""
    if sample_weight is None:
        return np.ones(n_rows)
    if np.ma.is_masked(sample_weight):
        masked = np.flatnonzero(np.ma.getmaskarray(sample_weight))
        raise ParameterError(
            "`sample_weight` must hold a number for every row. Found masked ones at the rows "
            f"{some(masked.tolist())}, counted from 0. Fill them, sample_weight.filled(0.0), or "
            "drop the rows."
        )
    weights = np.asarray(sample_weight)
    if weights.shape != (n_rows,) or weights.dtype.kind not in "biuf":
        raise ParameterError(
            f"`sample_weight` must hold one number for each of the {n_rows} rows. "
            f"Found {weights.dtype} of shape {weights.shape}."
        )
    weights = weights.astype(np.float64)
    if not np.isfinite(weights).all() or weights.min() < 0.0 or weights.max() == 0.0:
        raise ParameterError(
            "`sample_weight` must be finite, not negative, and not all zero. Found values from "
            f"{weights.min()} to {weights.max()}."
        )
    check_weight_range("`sample_weight`", weights)
    return weights


def sorts_of(features: Any) -> dict[str, str]:
    """Return what the columns of a frame hold: "numbers", "times" or "words"; {} of an array.

    Times with a zone are a sort of their own: they cannot be compared with those without one.
    Columns without any cell, or with missing cells only, are left out: they fit to everything.

    >>> sorts_of(pd.DataFrame({"a": [1.5], "b": ["x"], "c": [None]}))
    {'a': 'numbers', 'b': 'words'}
    """
    sorts = {name: _sort_of(column) for name, column in _columns_of(features).items()}
    return {name: sort for name, sort in sorts.items() if sort}


def _columns_of(features: Any) -> dict[str, nw.Series[Any]]:
    """Return the columns of a frame by name; {} of an array."""
    if not is_frame(features):
        return {}
    opened = nw.from_native(features, eager_only=True)
    return {str(name): opened.get_column(name) for name in opened.columns}


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
    return "numbers" if content in _NUMBERS else "times" if content in _DATES + _SPANS else "words"


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


def _told_apart(found: str, fitted: str) -> str:
    return "times without a zone" if (found, fitted) == ("times", _ZONED) else found


def labels_of(features: Any) -> dict[str, frozenset[Any]]:
    """Return the labels of each column of words, by its name; {} of an array.

    Columns in which no two rows share a label, such as ids, are left out: nothing is learnt of
    their labels.

    >>> list(labels_of(pd.DataFrame({"id": ["k", "l", "m"], "site": ["A", "B", "B"]})))
    ['site']
    """
    columns = {
        name: [cell for cell in column.to_list() if not pd.isna(cell)]
        for name, column in _columns_of(features).items()
        if _sort_of(column) == "words"
    }
    labels = {name: frozenset(cells) for name, cells in columns.items()}
    return {name: known for name, known in labels.items() if len(known) < len(columns[name])}


def warn_of_new_labels(
    fitted: Mapping[str, frozenset[Any]], features: Any, stacklevel: int = 3
) -> None:
    """Name the labels that no row of `fit` has, if there are any."""
    news = []
    for name, column in _columns_of(features).items() if fitted else ():
        labels = set(column.to_list()) - fitted[name] if name in fitted else ()
        if unknown := sorted(str(label) for label in labels if not pd.isna(label)):
            news.append(f"{some(unknown)} in {name!r}")
    if news:
        warnings.warn(
            f"No row of `fit` has the labels {', '.join(news)}. Such a row is predicted by what "
            "its other cells say. Correct the label if it is a typing slip.",
            CausalAugWarning,
            stacklevel=stacklevel,
        )


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


def warn_of_no_graph(stacklevel: int = 3) -> None:
    """Say that without a graph there is nothing to gain."""
    warnings.warn(
        "`graph` is None: nothing is known, and the rows stay as they are. Pass graph=..., "
        'anything that `read_graph` reads, such as "rain -> wet -> slow".',
        CausalAugWarning,
        stacklevel=stacklevel,
    )
