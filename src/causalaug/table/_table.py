"""The table that everything else works on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd

from causalaug._magnitudes import (
    FAR,
    LARGEST,
    LARGEST_NUMBER,
    LARGEST_WEIGHT,
    check_weight_range,
)
from causalaug._validation import some, typing_slips
from causalaug.exceptions import ParameterError, TableError
from causalaug.table._columns import (
    Column,
    ColumnKind,
    KindName,
    Limits,
    are_whole,
    check_cells,
    check_names,
    default_limits,
    encode,
    origin_of,
    resolution,
    resolve_kinds,
    resolve_limits,
)
from causalaug.table._equal_rows import EqualRows, repeated_rows
from causalaug.table._sources import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from causalaug.typing import BoolArray, FloatArray, IntArray


_T = TypeVar("_T")


class Coding(NamedTuple):
    """The distinct values of a column, sorted; the first row of each; the code of every row.

    A missing cell has the code -1.
    """

    values: FloatArray
    first_rows: IntArray
    codes: IntArray

    @classmethod
    def of(cls, values: FloatArray) -> Coding:
        """Code some values."""
        return cls(*np.unique(values, return_index=True, return_inverse=True))


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as float values, with the frame that they came from.

    Build it with `Table.from_frame`, which checks the data.

    Parameters
    ----------
    columns : tuple of str
        The column names.
    kinds : tuple of {"continuous", "ordered", "nominal"}
        The kind of each column.
    values : array of shape (n_rows, n_columns)
        Read-only and stored by column. Numbers are as they are. Strings and other objects are
        codes in sorted order (in order of appearance if they have none), categories are codes
        in category order, booleans are 0 and 1, dates, datetimes and durations are seconds since
        the smallest of their column. Integers that a float cannot hold exactly are codes if
        they are ordered or nominal, offsets from the smallest if they are continuous. So are
        numbers that are very far from zero, compared with how much they differ; see `origin`.
        Values of a column that is not continuous are equal exactly where the cells are; -0.0
        equals 0.0.
    numeric : tuple of bool
        Whether the values of each column are numbers on a scale, so that their differences
        mean something. False for codes, except those of ordered categories, which are ranks.
    resolution : tuple of float or None
        How finely the cells of each column can be changed: 0.0 for floats, 1.0 for integers;
        None for all others, and for ordered and nominal columns, whose cells can only be copied.
    limits : tuple of (float, float)
        The least and the largest value of each column: what the caller said of its numbers, or
        else what its dtype can hold, and 0 or 1 where rows come close to it and none goes beyond;
        see `default_limits`.
    source : frame or array, or None
        What the table was made from; `take` copies its cells. None for a part of a table that
        needs no cells.
    row_weights : array of shape (n_rows,), optional
        How much each row counts, positive; by default all rows count the same.
    total_weight : float
        What the weights of all rows add up to; without weights the number of rows.
    missing : array of bool of shape (n_rows, n_columns), optional
        Where cells are missing; their values are NaN. None if all are there.
    origin : tuple of float, optional
        What was subtracted from the numbers of each column to get its values, and is added by
        `numbers`: 0 for most, the smallest for columns that are very far from zero. None if it
        is 0 for all.
    is_normal : bool
        Whether equal rows are in the form that `normal` gives them, and weights count no rows.

    Examples
    --------
    Cylinders are a few integers, hence ranks, unless the caller says otherwise:

    >>> import pandas as pd
    >>> cars = pd.DataFrame({"cylinders": [4, 8], "mpg": [33.5, 14.0], "make": ["VW", "Ford"]})
    >>> Table.from_frame(cars)
    Table(columns=('cylinders', 'mpg', 'make'), kinds=('ordered', 'continuous', 'nominal'), \
numeric=(True, True, False))
    >>> Table.from_frame(cars, kinds={"cylinders": "continuous"}).kinds
    ('continuous', 'continuous', 'nominal')

    Codes are in sorted order, not in order of appearance, so they do not depend on the rows
    being shuffled:

    >>> Table.from_frame(cars).values[:, 2]
    array([1., 0.])
    """

    columns: tuple[str, ...]
    kinds: tuple[ColumnKind, ...]
    values: FloatArray = field(repr=False)
    numeric: tuple[bool, ...]
    resolution: tuple[float | None, ...] = field(repr=False)
    limits: tuple[tuple[float, float], ...] = field(repr=False)
    source: Any = field(repr=False)
    row_weights: FloatArray | None = field(default=None, repr=False)
    total_weight: float = field(default=0.0, repr=False)
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)
    missing: BoolArray | None = field(default=None, repr=False)
    origin: tuple[float, ...] | None = field(default=None, repr=False)
    is_normal: bool = field(default=False, repr=False)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        names: Sequence[str] | None = None,
        kinds: Mapping[str, KindName] | None = None,
        limits: Mapping[str, Limits] | None = None,
        row_weights: FloatArray | None = None,
        holes: bool = False,
    ) -> Table:
        """Check a frame and code its cells.

        Parameters
        ----------
        frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, d)
            The data, without missing or infinite values.
        names : sequence of str, optional
            The column names of an array, by default ``x0``, ``x1`` and so on. A frame has
            its own names, and this argument is ignored.
        kinds : mapping of str to {"continuous", "ordered", "nominal"}, optional
            The kinds that differ from the default: floats, decimals, dates, datetimes,
            durations, and integers with more than 10 distinct values are continuous; other
            integers and ordered categories are ordered; booleans, categories, strings and times
            of day are nominal. An object column is what its cells are. Strings and unordered
            categories can only be nominal. ``"discrete"`` is another word for nominal.
        limits : mapping of str to (float or None, float or None), optional
            The least and the largest value of continuous columns, as in ``{"dose": (0, None)}``;
            None where there is no bound. They replace the limits that a column would have.
        row_weights : array of shape (n,), optional
            How much each row counts: positive and finite. Whole weights are numbers of rows; of
            others only the ratios matter.
        holes : bool, default=False
            Whether cells may be missing (NaN, None, NaT, NA, null). What a column is follows
            from the cells that are there; floats that are all whole count as integers then.

        Returns
        -------
        Table
            The table. It keeps a copy of `frame` as its `source`, so that later changes to
            the frame do not show.

        Raises
        ------
        TableError
            If the data are of another type, empty, missing or infinite somewhere, or if their
            names are not distinct strings.
        GraphMismatchError
            If an array has not as many columns as there are `names`.
        ParameterError
            If `kinds` names no column, no kind, or a scale where there is none, if `limits` are
            not numbers around the observed values of a continuous column, or if `row_weights` are
            not positive numbers, one per row.

        Examples
        --------
        All columns with missing values are named at once:

        >>> import numpy as np
        >>> holes = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 6.0]])
        >>> Table.from_frame(holes, names=["a", "b", "c"])
        Traceback (most recent call last):
            ...
        causalaug.exceptions.TableError: The data must have no missing values \
(null, None, NaN, NaT). Found 1 in 'a' (first at row 1), 2 in 'b' (first at row 0); \
rows count from 0. Drop the rows (`dropna` in pandas, `drop_nulls` and `drop_nans` in polars) \
or fill the cells in.
        """
        source = open_source(frame, names)
        check_names(source.names)
        _check_shape(source.n_rows, len(source.names))
        columns = source.columns()
        present = check_cells(columns, holes=holes)
        is_missing = np.asfortranarray(np.column_stack([column.missing for column in columns]))
        is_missing.flags.writeable = False
        missing = is_missing if is_missing.any() else None
        chosen = resolve_kinds(present, kinds)
        values, numeric, origin = _encode_all(present, chosen, missing)
        weights = _check_row_weights(row_weights, source.n_rows)
        ends = (
            tuple(map(default_limits, present, chosen))
            if limits is None
            else resolve_limits(present, chosen, limits)
        )
        return cls(
            columns=tuple(column.name for column in present),
            kinds=chosen,
            values=values,
            numeric=numeric,
            resolution=tuple(map(resolution, present, chosen)),
            limits=tuple(map(_limits_of_values, ends, origin, values.T)),
            # Other frames are immutable.
            source=frame.copy() if isinstance(frame, pd.DataFrame | np.ndarray) else frame,
            **_weighing(weights),
            missing=missing,
            origin=origin if any(origin) else None,
        )

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.values.shape[0])

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.columns)

    def coding(self, column: int) -> Coding:
        """Return the distinct values of a column and the code of each row, found once."""
        return self._once(column, lambda: self._coded(column))

    def _once(self, key: Hashable, compute: Callable[[], _T]) -> _T:
        """Return what was computed under this key before, or compute it now."""
        if key not in self._known:
            self._known[key] = compute()
        known: _T = self._known[key]
        return known

    def _coded(self, column: int) -> Coding:
        coding = Coding.of(self.values[:, column])
        if self.missing is None or not self.missing[:, column].any():
            return coding
        # NaN comes last in a sorted column, and all of them are one value.
        last = len(coding.values) - 1
        codes = np.where(coding.codes == last, -1, coding.codes)
        return Coding(coding.values[:-1], coding.first_rows[:-1], codes)

    def present(self, column: int) -> FloatArray:
        """Return the values of a column that are there."""
        values: FloatArray = self.values[:, column]
        return values if self.missing is None else values[~self.missing[:, column]]

    def summary(self, column: int, function: Callable[..., float]) -> float:
        """Return a function of the values of a column, such as a bandwidth, computed once.

        Where whole weights stand for numbers of rows, they are its second argument.
        """

        def compute() -> float:
            counts = self.present_counts(column)
            return function(self.present(column), *(() if counts is None else (counts,)))

        return self._once((column, function), compute)

    def numbers(self, column: int, values: FloatArray) -> FloatArray:
        """Return the numbers that values of a column stand for: what its cells would hold.

        >>> table = Table.from_frame(np.array([[1e15], [1e15 + 2.0]]))
        >>> table.values[:, 0], table.numbers(0, table.values[:, 0]) - 1e15
        (array([0., 2.]), array([0., 2.]))
        """
        return values if self.origin is None else values + self.origin[column]

    def limits_of_numbers(self, column: int) -> tuple[float, float]:
        """Return the limits of a column as a caller would say them, of its numbers."""
        low, high = self.numbers(column, np.array(self.limits[column]))
        return float(low), float(high)

    def present_counts(self, column: int) -> FloatArray | None:
        """Return how many rows each value stands for that is there; None: one each."""
        weights = self.original_weights()
        if self.is_normal or weights.max() <= 1.0 or not are_whole(weights):
            return None
        return weights if self.missing is None else weights[~self.missing[:, column]]

    def n_present(self, column: int) -> float:
        """Return the number of values that are there, as many as whole weights count."""
        counts = self.present_counts(column)
        return float(len(self.present(column)) if counts is None else counts.sum())

    def equal_rows(self) -> EqualRows:
        """Return the rows by their contents, found once."""
        return self._once(
            "equal rows",
            lambda: EqualRows.of(self.values, self.original_weights(), self.kinds),
        )

    def normal(self) -> tuple[Table, IntArray | None]:
        """Return a table in which weights and repetitions of rows mean the same, and its rows.

        Copies become one row of their summed weight; where equal rows are chance, whole weights
        repeat rows. The rows are numbers of rows of this table, None if they are the same. The
        result has no source.

        >>> import pandas as pd
        >>> once = pd.DataFrame({"x": [0.1, 0.2, 0.3], "y": [0.5, 0.1, 0.9]})
        >>> for table in (Table.from_frame(once), Table.from_frame(pd.concat([once] * 3))):
        ...     table.normal()[0].n_rows
        3
        3
        """
        return (self, None) if self.is_normal else self._once("normal", self._in_normal_form)

    def _in_normal_form(self) -> tuple[Table, IntArray | None]:
        equal = self.equal_rows()
        if equal.are_copies:
            # Ordered by contents, so that copies and weights agree to the last bit.
            return self.with_values_of(equal.first).weighed(equal.summed_weights), equal.first
        table, rows = self.repeated()
        if rows is not None:
            return table, rows
        # What is known of columns stays true, unless weights were counted.
        known = self._known if self.present_counts(0) is None else {}
        return replace(self, is_normal=True, _known=known), None

    def repeated(self) -> tuple[Table, IntArray | None]:
        """Return the rows as often as whole weights say, and their numbers; None if as they are.

        The result has no source.
        """
        rows = None if self.is_normal else repeated_rows(self.original_weights())
        if rows is None:
            return self, None
        return self.with_values_of(rows).weighed(np.ones(len(rows))), rows

    def weighed(self, weights: FloatArray) -> Table:
        """Return the same rows with other weights, which count no rows."""
        return replace(self, **_weighing(weights), is_normal=True, _known={})

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        return {**vars(self), "_known": {}}

    def index(self, column: str) -> int:
        """Return the position of a column."""
        if column not in self.columns:
            raise ParameterError(
                f"The name must be one of the columns {some(self.columns)}. Found {column!r}. "
                + typing_slips([column], self.columns).rstrip()
            )
        return self.columns.index(column)

    def check_magnitudes(self, most: float = LARGEST_NUMBER) -> None:
        """Raise if a continuous column has numbers that are huge.

        A table may hold any number; whoever measures distances asks here first. Numbers out of
        range are refused, not scaled: a learner would meet the same cells.
        """
        for column, kind in enumerate(self.kinds):
            if kind != "continuous":
                continue
            values = self.values[:, column]
            # These two pass over missing cells.
            ends = np.array([np.fmin.reduce(values), np.fmax.reduce(values)])
            least, largest = map(float, self.numbers(column, ends))
            if max(-least, largest) > most:
                raise TableError(
                    f"Numbers must be at most {most:g}, or their squares and cubes would "
                    f"overflow. Found values from {least:g} to {largest:g} in "
                    f"{self.columns[column]!r}. Express the column in another unit, or take "
                    "logarithms."
                )

    def original_weights(self) -> FloatArray:
        """Return the weight of each row, in the scale that it was given in."""
        if self.row_weights is not None:
            return self.row_weights
        return np.full(self.n_rows, self.total_weight / self.n_rows)

    def select(self, rows: IntArray) -> Table:
        """Return the table of some rows, coded and weighed as they are here."""
        selected = self.with_values_of(rows)
        if self.source is None:
            return selected
        source = self.take(np.repeat(rows[:, np.newaxis], self.n_columns, axis=1))
        return replace(selected, source=source)

    def with_values_of(self, rows: IntArray) -> Table:
        """Return the same without a source: all that a conditional needs, and fast."""
        values = np.asfortranarray(self.values[rows])
        values.flags.writeable = False
        missing = None if self.missing is None else np.asfortranarray(self.missing[rows])
        return replace(
            self,
            _known={},
            values=values,
            source=None,
            row_weights=None if self.row_weights is None else self.row_weights[rows],
            missing=missing if missing is None or missing.any() else None,
            total_weight=float(self.original_weights()[rows].sum()),
        )

    def filled(self, frame: Any, values: FloatArray, weights: FloatArray | None = None) -> Table:
        """Return a table of the same columns, kinds and limits, with rows that have no holes.

        They are the same rows, or copies that have other weights.
        """
        values = np.asfortranarray(values)
        values.flags.writeable = False
        other = {} if weights is None else _weighing(weights)
        return replace(self, _known={}, values=values, source=frame, missing=None, **other)

    def labels(self, column: str, rows: IntArray) -> tuple[str, ...]:
        """Return the cells of a column in some rows as text, as a reader would write them.

        >>> import pandas as pd
        >>> cars = pd.DataFrame({"make": pd.Categorical(["VW", "Ford"])})
        >>> Table.from_frame(cars).labels("make", np.array([1, 0]))
        ('Ford', 'VW')
        """
        number = self.index(column)
        taken = self.take(np.repeat(rows[:, np.newaxis], self.n_columns, axis=1))
        if isinstance(taken, np.ndarray):
            return tuple(map(str, taken[:, number].tolist()))
        return tuple(map(str, nw.from_native(taken, eager_only=True)[column].to_list()))

    def take(self, rows: IntArray, changed: Mapping[int, FloatArray] | None = None) -> Any:
        """Copy cells of the source into a new frame of the same kind.

        Parameters
        ----------
        rows : integer array of shape (m, n_columns)
            The row number that each new cell comes from, from 0 to ``n_rows - 1``. It is read
            column by column, so an array stored by column is read fastest.
        changed : mapping of int to array of shape (m,), optional
            By column number, values to write instead of copying cells. Only columns whose
            `resolution` is not None can be changed; they keep their dtype.

        Returns
        -------
        frame or array
            The library, the columns and the dtypes are those of the source. A pandas frame
            gets a fresh index.

        Examples
        --------
        A new row may mix cells of several rows; the dtypes survive:

        >>> import pandas as pd
        >>> cars = pd.DataFrame({"mpg": [33.5, 14.0], "make": pd.Categorical(["VW", "Ford"])})
        >>> mixed = Table.from_frame(cars).take(np.array([[0, 1], [1, 1], [1, 0]]))
        >>> mixed
            mpg  make
        0  33.5  Ford
        1  14.0  Ford
        2  14.0    VW
        >>> bool((mixed.dtypes == cars.dtypes).all())
        True
        """
        if rows.ndim != 2 or rows.shape[1] != self.n_columns or rows.dtype.kind not in "iu":
            raise ParameterError(
                f"`rows` must be integers of shape (m, {self.n_columns}), one per column. "
                f"Found {rows.dtype} of shape {rows.shape}."
            )
        written = {column: self.numbers(column, each) for column, each in (changed or {}).items()}
        return open_source(self.source).take(rows, written)


def _weighing(weights: FloatArray) -> dict[str, Any]:
    """Return the fields of a table that say how much its rows count."""
    varied = weights if np.ptp(weights) > 0.0 else None
    return {"row_weights": varied, "total_weight": float(weights.sum())}


def _encode_all(
    columns: Sequence[Column], kinds: Sequence[ColumnKind], missing: BoolArray | None
) -> tuple[FloatArray, tuple[bool, ...], tuple[float, ...]]:
    """Return the values of all columns, stored by column, which are on a scale, and the origins."""
    n_rows = len(columns[0].cells) if missing is None else len(missing)
    values = np.full((n_rows, len(columns)), np.nan, order="F")
    numeric, origins = [], []
    for j, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
        there = slice(None) if missing is None else ~missing[:, j]
        coded, has_scale = encode(column, kind)
        origins.append(origin_of(coded) if kind == "continuous" else 0.0)
        values[there, j] = coded - origins[-1]
        numeric.append(has_scale)
    values.flags.writeable = False
    return values, tuple(numeric), tuple(origins)


def _limits_of_values(
    limits: tuple[float, float], origin: float, values: FloatArray
) -> tuple[float, float]:
    """Return the limits of numbers as those of values; very far ones bound nothing.

    Those of a column whose origin is zero are what they are.
    """
    if origin == 0.0:
        return limits
    width = float(np.nanmax(values))
    low, high = (limit - origin for limit in limits)
    return (
        low if -low <= FAR * width else -LARGEST,
        high if high <= FAR * width else LARGEST,
    )


def _check_shape(n_rows: int, n_columns: int) -> None:
    """Raise unless there is at least one row and one column."""
    if n_rows == 0 or n_columns == 0:
        raise TableError(
            "The data must have at least one row and one column. "
            f"Found {n_rows} rows and {n_columns} columns. Was every row filtered out?"
        )


def _check_row_weights(weights: object, n_rows: int) -> FloatArray:
    """Return the weights as floats, ones if there are none; or raise."""
    if weights is None:
        return np.ones(n_rows)
    if isinstance(weights, np.ma.MaskedArray) and np.ma.is_masked(weights):
        masked = int(np.flatnonzero(np.ma.getmaskarray(weights))[0])
        raise ParameterError(
            f"Row weights must be numbers. Found a masked one at row {masked}. Drop rows that "
            "shall not count."
        )
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
    check_weight_range("Row weights", numbers, LARGEST_WEIGHT)
    return numbers
