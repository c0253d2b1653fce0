"""What a column may hold: the limits of its values, said or taken from what was observed."""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TypeAlias

from causalaug._validation import check_columns_exist
from causalaug.exceptions import ParameterError
from causalaug.table._columns import (
    Column,
    ColumnKind,
    default_limits,
    dtype_limits,
    resolution,
)

Limits: TypeAlias = tuple[float | None, float | None]
"""The least and the largest value that a column may hold; None where there is no bound."""


def resolve_limits(
    columns: Sequence[Column],
    kinds: Sequence[ColumnKind],
    given: Mapping[str, Limits],
) -> tuple[tuple[float, float], ...]:
    """Return the limits of each column: those given, or else its default."""
    _check_limits(given, [column.name for column in columns])
    found = []
    for column, kind in zip(columns, kinds, strict=True):
        if column.name not in given:
            found.append(default_limits(column, kind))
            continue
        if resolution(column, kind) is None:
            raise ParameterError(
                "`limits` are for continuous columns of numbers, whose values may move. Found "
                f"{column.name!r} ({kind}, dtype {column.dtype}). Leave it out of `limits`, or "
                f'make it continuous: kinds={{{column.name!r}: "continuous"}}.'
            )
        low, high = given[column.name]
        least, largest = dtype_limits(column)
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
