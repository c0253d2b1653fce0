"""Columns as tests see them: numbers on a scale, or levels without one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from causalaug._ragged import combine_codes, group_by_key
from causalaug.table import ColumnKind, Table
from causalaug.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Variable:
    """One column: numbers, or the codes of its levels.

    Parameters
    ----------
    name : str
        The column name.
    values : array of shape (n_rows,)
        Numbers with mean 0 and variance 1, all zero if constant; or codes from 0. NaN where the
        cell is missing; tests take the rows that have none, by `at`.
    n_levels : int
        The number of levels; 0 for numbers.
    """

    name: str
    values: FloatArray
    n_levels: int

    @property
    def is_number(self) -> bool:
        """Whether the values are on a scale."""
        return not self.n_levels

    @cached_property
    def there(self) -> BoolArray:
        """Mask of the cells that are not missing."""
        return ~np.isnan(self.values)

    def at(self, rows: BoolArray) -> "Variable":
        """Return the variable on some rows, at least one, none missing: scaled and coded anew."""
        return _coded(self.name, self.values[rows], is_number=self.is_number)

    @cached_property
    def varies(self) -> bool:
        """Whether there are two values."""
        return bool(np.any(self.values != self.values[0]))

    @property
    def codes(self) -> IntArray:
        """The levels as integers."""
        return self.values.astype(np.int64)

    @cached_property
    def scores(self) -> FloatArray:
        """Numbers that rank as the values do, but are spread like a normal sample.

        A variable is asked for them in each question that it is part of.
        """
        normal: FloatArray = ndtri((rankdata(self.values) - 0.5) / len(self.values))
        return normal

    def indicators(self) -> FloatArray:
        """Return one column of zeros and ones per level, the most common one left out.

        Shape (n_rows, n_levels - 1).
        """
        counts = np.bincount(self.codes, minlength=self.n_levels)
        others = np.delete(np.arange(self.n_levels), counts.argmax())
        columns: FloatArray = (self.values[:, np.newaxis] == others).astype(np.float64)
        return columns

    def columns(self) -> FloatArray:
        """Return what a regression uses of the variable, shape (n_rows, n_columns)."""
        return self.values[:, np.newaxis] if self.is_number else self.indicators()

    def testable_columns(self) -> FloatArray:
        """Return the columns that a regression can be tested on: no constant, no rare level."""
        columns = self.columns()
        if self.is_number:
            return columns if self.varies else columns[:, :0]
        # A level with fewer rows is too rare for a regression to be tested on.
        return columns[:, columns.sum(axis=0) >= 10]


def read_variables(table: Table, most_levels: int | None) -> dict[str, Variable]:
    """Return the columns of a table by name, as tests see them.

    An ordered or nominal column has levels. An ordered one that holds numbers, more than
    `most_levels` of them, is read as numbers; with a limit of 0 nominal numbers are, too.
    """
    return {
        name: _read(name, table.values[:, j], table.kinds[j], table.numeric[j], most_levels)
        for j, name in enumerate(table.columns)
    }


def _read(
    name: str, values: FloatArray, kind: ColumnKind, is_numeric: bool, most_levels: int | None
) -> Variable:
    there = ~np.isnan(values)
    few = most_levels is None or len(np.unique(values[there])) <= most_levels
    # Of nominal numbers it is of no account which is larger, however many there are.
    has_order = kind == "ordered" or most_levels == 0
    is_number = kind == "continuous" or (is_numeric and has_order and not few)
    present = _coded(name, values[there], is_number=is_number)
    if there.all():
        return present
    spread = np.full(len(values), np.nan)
    spread[there] = present.values
    return Variable(name, spread, present.n_levels)


def _coded(name: str, values: FloatArray, *, is_number: bool) -> Variable:
    if is_number:
        return Variable(name, standardized(values), 0)
    levels, codes = np.unique(values, return_inverse=True)
    return Variable(name, codes.astype(np.float64), len(levels))


def standardized(values: FloatArray) -> FloatArray:
    """Return values with mean 0 and variance 1; all zero if they are constant.

    Divides by the largest first, so that no square overflows or vanishes.
    """
    largest = np.abs(values).max()
    if largest == 0.0:
        return np.zeros(len(values))
    centred = values / largest
    centred = centred - centred.mean()
    deviation = float(np.sqrt(np.square(centred).mean()))
    # What varies by less, relative to its size, is constant but for rounding.
    return centred / deviation if deviation > 1e-12 else np.zeros(len(values))


def strata_of(variables: Sequence[Variable], n_rows: int) -> IntArray:
    """Return a code per row from 0, equal where all variables have the same level."""
    codes = [variable.codes for variable in variables]
    key, bound = combine_codes(codes, [variable.n_levels for variable in variables], n_rows)
    return group_by_key(key, bound).ranks
