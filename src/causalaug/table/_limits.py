"""What a column may hold: the limits of its values, said or taken from what was observed."""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TypeAlias

import numpy as np

from causalaug._validation import check_columns_exist
from causalaug.exceptions import ParameterError
from causalaug.table._columns import Column, ColumnKind, resolution

Limits: TypeAlias = tuple[float | None, float | None]
"""The least and the largest value that a column may hold; None where there is no bound."""


def limits(column: Column, kind: ColumnKind) -> tuple[float, float]:
    """Return the least and the largest number that a cell of the column may hold.

    A quantity that was never negative, such as a price, cannot become so, and one that stayed
    between 0 and 1 is taken for a share. An integer keeps within what its dtype can hold.

    >>> limits(Column("price", "float32", np.array([0.5, 2.0], dtype=np.float32)), "continuous")
    (0.0, 3.4028234663852886e+38)
    >>> limits(Column("share", "float64", np.array([0.5, 1.0])), "continuous")
    (0.0, 1.0)
    >>> limits(Column("age", "uint8", np.array([3, 90], dtype=np.uint8)), "continuous")
    (0.0, 255.0)
    """
    kept = _held(column)
    if resolution(column, kind) is None or column.cells.min() < 0:
        return kept
    is_share = column.cells.dtype.kind == "f" and column.cells.max() <= 1.0
    return 0.0, 1.0 if is_share else kept[1]


def _held(column: Column) -> tuple[float, float]:
    """Return the least and the largest number that the dtype of a column can hold."""
    kind = column.cells.dtype.kind
    if column.ordered is not None or kind not in "fiu":
        return -np.inf, np.inf
    held = np.finfo(column.cells.dtype) if kind == "f" else np.iinfo(column.cells.dtype)
    return float(held.min), float(held.max)


def resolve_limits(
    columns: Sequence[Column],
    kinds: Sequence[ColumnKind],
    wanted: Mapping[str, Limits] | None,
) -> tuple[tuple[float, float], ...]:
    """Return the limits of each column: those in `wanted`, or else its default."""
    given = {} if wanted is None else wanted
    _check_limits(given, [column.name for column in columns])
    found = []
    for column, kind in zip(columns, kinds, strict=True):
        if column.name not in given:
            found.append(limits(column, kind))
            continue
        if resolution(column, kind) is None:
            raise ParameterError(
                "`limits` are for continuous columns of numbers, whose values may move. Found "
                f"{column.name!r} ({kind}, dtype {column.dtype}). Leave it out of `limits`, or "
                f'make it continuous: kinds={{{column.name!r}: "continuous"}}.'
            )
        low, high = given[column.name]
        least, largest = _held(column)
        ends = (
            least if low is None else max(least, float(low)),
            largest if high is None else min(largest, float(high)),
        )
        _check_within(column, ends)
        found.append(ends)
    return tuple(found)


def _check_limits(wanted: object, names: Sequence[str]) -> None:
    """Raise unless `limits` maps names of columns to a pair of numbers, the smaller first."""
    if not isinstance(wanted, Mapping):
        raise ParameterError(
            "`limits` must map column names to their least and largest value, as in "
            f'{{"dose": (0, None)}}. Found {wanted!r}.'
        )
    check_columns_exist("limits", wanted, names)
    for name, ends in wanted.items():
        is_pair = isinstance(ends, Sequence) and not isinstance(ends, str) and len(ends) == 2
        if not is_pair or not all(_is_end(end) for end in ends):
            raise ParameterError(
                f"`limits[{name!r}]` must be a pair of numbers, None where there is no limit, as "
                f"in (0, None). Found {ends!r}."
            )
        if None not in ends and not ends[0] < ends[1]:
            raise ParameterError(
                f"`limits[{name!r}]` must have the smaller number first. Found {ends!r}."
            )


def _is_end(end: object) -> bool:
    if isinstance(end, bool):
        return False
    return end is None or (isinstance(end, Real) and not math.isnan(end))


def _check_within(column: Column, ends: tuple[float, float]) -> None:
    least, largest = column.cells.min(), column.cells.max()
    if least < ends[0] or largest > ends[1]:
        raise ParameterError(
            f"The observed values of {column.name!r} must lie within its `limits`, {ends[0]:g} to "
            f"{ends[1]:g}. Found values from {least:g} to {largest:g}. Widen the limits, or drop "
            "the rows."
        )
