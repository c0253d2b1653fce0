"""The data as discovery sees them: numbers that vary, or levels, and enough rows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from causalaug._validation import some
from causalaug.exceptions import ParameterError, TableError
from causalaug.table import KindName, Table
from causalaug.typing import FloatArray, IntArray

MOST_LEVELS = 10
"""A discrete column of numbers with more values than this is taken for continuous."""

ROUNDING = 1e-10
"""A column with a smaller share of its variance left is a combination of others."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows that have passed the checks.

    Parameters
    ----------
    columns : tuple of str
        The variables.
    values : array of shape (n_rows, n_columns)
        Numbers; of discrete columns, codes from 0.
    is_discrete : bool
        Whether all columns are levels without a scale, and not numbers.
    """

    columns: tuple[str, ...]
    values: FloatArray
    is_discrete: bool

    def at(self, rows: IntArray) -> "Sample":
        """Return the sample of some rows, which may repeat."""
        return replace(self, values=self.values[rows])

    @property
    def constant(self) -> list[str]:
        """The columns with a single value."""
        still = np.all(self.values == self.values[:1], axis=0)
        return [name for name, is_still in zip(self.columns, still, strict=True) if is_still]


def read_sample(
    frame: Any, kinds: Mapping[str, KindName] | None, *, discrete: bool | None
) -> Sample:
    """Return the checked rows of a frame.

    `discrete` says what the method takes: levels, numbers, or, if None, either.
    """
    table = Table.from_frame(frame, kinds=kinds, holes=True)
    is_discrete = _all_levels(table) if discrete is None else discrete
    if is_discrete:
        _check_discrete(table)
    else:
        _check_numbers(table)
    # After the columns: nobody is to fill in cells of a table that is then refused.
    _check_complete(table)
    table.check_magnitudes()
    coded = [_codes(column) if is_discrete else column for column in table.values.T]
    sample = Sample(table.columns, np.ascontiguousarray(np.transpose(coded)), is_discrete)
    _check_rows(sample)
    if sample.constant:
        raise TableError(
            "Columns must vary, or nothing can depend on them. "
            f"Found a single value in {sample.constant}. Drop these columns."
        )
    if not is_discrete:
        _check_independent(sample)
    return sample


def _check_complete(table: Table) -> None:
    """Raise if cells are missing: the libraries behind the methods take none."""
    if table.missing is None:
        return
    counts = dict(zip(table.columns, table.missing.sum(axis=0).tolist(), strict=True))
    found = ", ".join(f"{count} in {name!r}" for name, count in counts.items() if count)
    n_complete = int((~table.missing.any(axis=1)).sum())
    raise TableError(
        f"To look for a graph, no cell may be missing. Found {found}; {n_complete} of "
        f"{table.n_rows} rows are complete. Drop the other rows, or columns with many holes; or "
        "fill the cells in with a graph that assumes nothing: fit_model(frame, "
        "complete_graph(frame.columns)).complete(frame).frame, in the shell `causalaug complete`."
    )


def _all_levels(table: Table) -> bool:
    """Return whether every column has levels, and none has many numbers."""
    facts = zip(table.kinds, table.numeric, table.values.T, strict=True)
    return all(
        kind != "continuous"
        and not (numeric and len(np.unique(values[~np.isnan(values)])) > MOST_LEVELS)
        for kind, numeric, values in facts
    )


def _check_discrete(table: Table) -> None:
    facts = zip(table.columns, table.kinds, strict=True)
    continuous = [name for name, kind in facts if kind == "continuous"]
    if continuous:
        raise ParameterError(
            "The test 'g_squared' needs ordered or nominal columns. "
            f"Found continuous ones: {continuous}. Use test='auto', "
            "or say kinds={...: 'nominal'} if their values repeat."
        )


def _check_numbers(table: Table) -> None:
    facts = zip(table.columns, table.numeric, strict=True)
    without_scale = [name for name, numeric in facts if not numeric]
    if without_scale:
        raise TableError(
            "Columns must be numbers for this method, which fits straight lines. Found "
            f"columns without a scale: {some(without_scale)}. Drop them, in the shell with --drop, "
            "or make numbers or ordered categories of them; the methods 'pc', 'ges' and 'fci' also "
            "take a table in which all columns are discrete."
        )


def _check_rows(sample: Sample) -> None:
    n_rows, n_columns = sample.values.shape
    if n_rows < n_columns + 2:
        raise TableError(
            f"There must be at least two rows more than columns, here {n_columns + 2}. "
            f"Found {n_rows}. Collect more rows or drop columns."
        )


def _check_independent(sample: Sample) -> None:
    """Raise if a column is a sum of multiples of the ones before it."""
    scaled = sample.values - sample.values.mean(axis=0)
    scaled /= np.sqrt(np.square(scaled).sum(axis=0))
    basis = np.empty((len(scaled), 0))
    for name, column in zip(sample.columns, scaled.T, strict=True):
        # Projecting twice takes away what rounding left of the first projection.
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        size = np.sqrt(np.square(rest).sum())
        if size**2 < ROUNDING:
            raise TableError(
                "No column may be a linear combination of others, for then nothing tells which "
                f"of them is the cause. Found that {name!r} is one of the columns before it. "
                "Drop it, or one of those."
            )
        basis = np.column_stack([basis, rest / size])


def _codes(column: FloatArray) -> FloatArray:
    return np.unique(column, return_inverse=True)[1].astype(np.float64)
