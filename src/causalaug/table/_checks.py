"""What a table must be, checked before any work; each error says what to do next."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from causalaug._validation import check_choice, typing_slips
from causalaug.exceptions import ParameterError, TableError
from causalaug.table._columns import Column, ColumnKind
from causalaug.typing import FloatArray


def check_names(names: Sequence[object]) -> None:
    """Raise unless the column names are distinct strings."""
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise TableError(
            f"Column names must be strings, as the nodes of a graph are. Found {odd}. "
            "Rename them; in pandas, `frame.columns = frame.columns.map(str)`."
        )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise TableError(
            f"Column names must be distinct. Found more than once: {repeated}. "
            "Rename or drop the repeated columns."
        )


def check_shape(n_rows: int, n_columns: int) -> None:
    """Raise unless there is at least one row and one column."""
    if n_rows == 0 or n_columns == 0:
        raise TableError(
            "The data must have at least one row and one column. "
            f"Found {n_rows} rows and {n_columns} columns. Was every row filtered out?"
        )


def check_cells(columns: Sequence[Column]) -> None:
    """Raise unless all cells are scalars, none is missing, and none is infinite."""
    nested = [f"{c.name!r} ({c.dtype})" for c in columns if not c.is_supported]
    if nested:
        raise TableError(
            "Cells must be numbers, strings, categories, times or other scalars that can be "
            f"hashed. Found columns of another type: {', '.join(nested)}. "
            "Drop these columns, or split them into columns of scalars."
        )
    _check_none(
        [(c.name, c.missing) for c in columns],
        must="The data must have no missing values (null, None, NaN, NaT).",
        remedy="Drop the rows (`dropna` in pandas, `drop_nulls` and `drop_nans` in polars) "
        "or fill the cells in.",
    )
    _check_none(
        [(c.name, c.infinite) for c in columns],
        must="The data must be finite.",
        remedy="Drop the rows, or replace the infinite cells by finite values.",
    )


def _check_none(masks: Sequence[tuple[str, NDArray[np.bool_]]], must: str, remedy: str) -> None:
    """Raise if any mask is true anywhere, naming every column, its count and its first row."""
    found = [
        f"{mask.sum()} in {name!r} (first at row {mask.argmax()})"
        for name, mask in masks
        if mask.any()
    ]
    if found:
        raise TableError(f"{must} Found {', '.join(found)}; rows count from 0. {remedy}")


def resolve_kinds(
    columns: Sequence[Column], kinds: Mapping[str, ColumnKind] | None
) -> tuple[ColumnKind, ...]:
    """Return the kind of each column: the one in `kinds`, or else its default."""
    wanted = {} if kinds is None else kinds
    _check_kinds(wanted, [column.name for column in columns])
    flat = [c for c in columns if wanted.get(c.name) == "continuous" and not c.has_scale]
    if flat:
        held = ", ".join(f"{c.name!r} ({c.content}, dtype {c.dtype})" for c in flat)
        raise ParameterError(
            "A column in `kinds` can be 'continuous' only if its cells have distances: numbers, "
            f"times, or ordered categories, whose ranks are then used. Found {held}. "
            "Leave it discrete, convert it to numbers, or make it an ordered category."
        )
    return tuple(wanted.get(column.name, column.default_kind) for column in columns)


def _check_kinds(kinds: object, names: Sequence[str]) -> None:
    """Raise unless `kinds` maps some of the names to a column kind."""
    if not isinstance(kinds, Mapping):
        raise ParameterError(
            "`kinds` must map column names to 'continuous' or 'discrete', as in "
            f'{{"cylinders": "continuous"}}. Found {kinds!r}.'
        )
    unknown = [str(name) for name in kinds if name not in names]
    if unknown:
        raise ParameterError(
            f"`kinds` must name columns of the data. Found {unknown}, the columns are "
            f"{list(names)}. " + typing_slips(unknown, names) + "Correct or drop these entries."
        )
    for name, kind in kinds.items():
        check_choice(f"kinds[{name!r}]", kind, ("continuous", "discrete"))


def check_row_weights(weights: object, n_rows: int) -> FloatArray:
    """Return the weights as floats, ones if there are none; or raise."""
    if weights is None:
        return np.ones(n_rows)
    try:
        numbers = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (n_rows,):
        raise ParameterError(
            f"Row weights must be numbers, one for each of the {n_rows} rows. "
            f"Found {type(weights).__name__}."
        )
    if not (np.isfinite(numbers) & (numbers > 0.0)).all():
        worst = int(np.argmin(np.where(np.isfinite(numbers), numbers, -np.inf)))
        raise ParameterError(
            "Row weights must be positive and finite. "
            f"Found {numbers[worst]} at row {worst}. Drop rows that shall not count."
        )
    return numbers
