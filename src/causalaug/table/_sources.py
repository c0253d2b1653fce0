"""The kinds of frame that data come in, each with two abilities.

A source hands out its columns as `Column`, and takes cells by row number into a new frame of
its own kind, one column at a time: beside the result there is never more than a column. Columns
that are no node of the graph are left out here.
"""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd

from causalaug._validation import check_choice, check_same_variables, some
from causalaug.exceptions import CausalAugWarning, GraphMismatchError, TableError
from causalaug.table._columns import Column, check_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from causalaug.typing import FloatArray, IntArray

    Changes = Mapping[int, FloatArray]


_ACCEPTED = "The data must be a pandas or polars DataFrame, a pyarrow Table, or a 2-d numpy array."


@dataclass(frozen=True, eq=False)
class Source(ABC):
    """A frame or an array that a table is made from, and its column names, not yet checked."""

    frame: Any
    names: Sequence[object]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.frame)

    @abstractmethod
    def columns(self) -> list[Column]:
        """Return all columns; their names must be distinct strings."""

    @abstractmethod
    def take(self, rows: IntArray, changed: Changes) -> Any:
        """Return a new frame: cell ``(i, j)`` is the one at row ``rows[i, j]`` of column j.

        Columns in `changed` hold the numbers given there instead.
        """

    @abstractmethod
    def objects(self, name: str) -> list[Any]:
        """Return the cells of a column as plain objects, categories as their labels."""


def open_source(data: object, names: Sequence[str] | None = None) -> Source:
    """Return the source for a frame or an array, or raise and say what is accepted."""
    if isinstance(data, pd.DataFrame):
        return PandasSource(data, list(data.columns))
    if isinstance(data, np.ndarray):
        return _open_array(data, names)
    # An arrow table may repeat a name, which narwhals would refuse in its own words.
    check_names(getattr(data, "column_names", ()))
    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        raise TableError(f"{_ACCEPTED} Found {_type_name(data)}. {_way_out(data)}") from None
    return NarwhalsSource(frame, frame.columns)


def _open_array(array: NDArray[Any], names: Sequence[str] | None) -> Source:
    """Return the source for an array, unless it has no plain rows and columns."""
    if isinstance(array, np.ma.MaskedArray) or array.dtype.names is not None:
        raise TableError(
            f"{_ACCEPTED} Found {_type_name(array)} of dtype {array.dtype}, "
            "which is masked or structured. Use `pandas.DataFrame(array)`."
        )
    if array.ndim != 2:
        raise TableError(
            f"{_ACCEPTED} Found an array of shape {array.shape}. "
            "For a single column, use `array.reshape(-1, 1)`."
        )
    n_columns = array.shape[1]
    if names is None:
        names = [f"x{j}" for j in range(n_columns)]
    if len(names) != n_columns:
        raise GraphMismatchError(
            "An array must have one column per variable of the graph, in the order of its nodes. "
            f"Found {n_columns} columns and {len(names)} variables: {some(names)}. "
            "Drop columns, project variables out with `latent_projection(graph, keep=...)`, or "
            "pass a data frame, whose columns are matched by name."
        )
    return ArraySource(np.asarray(array), tuple(names))


def _type_name(data: object) -> str:
    """Return the type of an object with the package that it comes from."""
    return f"{type(data).__module__.partition('.')[0]}.{type(data).__qualname__}"


def _way_out(data: object) -> str:
    """Return what turns an object that is not accepted into one that is."""
    if hasattr(data, "collect"):
        return "A lazy frame has no rows yet: call `.collect()` first."
    if hasattr(data, "toarray"):
        return "A sparse matrix must be made dense: call `.toarray()` first."
    if hasattr(data, "to_frame"):
        return "A single column is made a frame by `.to_frame()`."
    if isinstance(data, str | os.PathLike):
        return f"A file must be read first: `pandas.read_csv({os.fspath(data)!r})`."
    return "Wrap it: `pandas.DataFrame(data)`."


class PandasSource(Source):
    """A pandas frame."""

    def columns(self) -> list[Column]:
        """Return all columns."""
        return [_pandas_column(self.frame[name]) for name in self.frame.columns]

    def objects(self, name: str) -> list[Any]:
        """Return the cells of a column as plain objects."""
        return list(self.frame[name].astype(object))

    def take(self, rows: IntArray, changed: Changes) -> pd.DataFrame:
        """Return a frame with the same column labels and a fresh index."""
        if self._is_one_block():
            # As learners read it: a frame of single columns is put together at each fit.
            cells = ArraySource(self.frame.to_numpy(), self.names).take(rows, changed)
            return pd.DataFrame(cells, columns=self.frame.columns, copy=False)
        taken = {
            j: pd.Series(changed[j]).astype(self.frame.dtypes.iloc[j])
            if j in changed
            else _take_pandas(series, rows[:, j])
            for j, (_, series) in enumerate(self.frame.items())
        }
        result = pd.DataFrame(taken, copy=False)
        result.columns = self.frame.columns
        return result

    def _is_one_block(self) -> bool:
        """Say whether all columns are floats as numpy has them, so that one array holds them."""
        return all(dtype == np.float64 for dtype in self.frame.dtypes)


class NarwhalsSource(Source):
    """A frame of another library that narwhals knows: polars, pyarrow."""

    def columns(self) -> list[Column]:
        """Return all columns."""
        return [_narwhals_column(self.frame[name]) for name in self.frame.columns]

    def objects(self, name: str) -> list[Any]:
        """Return the cells of a column as plain objects."""
        return list(self.frame[name].to_list())

    def take(self, rows: IntArray, changed: Changes) -> Any:
        """Return a frame of the same library."""
        taken = {
            name: self._new_series(name, changed[j])
            if j in changed
            else self.frame[rows[:, j], name]
            for j, name in enumerate(self.frame.columns)
        }
        return nw.from_dict(taken).to_native()

    def _new_series(self, name: str, values: FloatArray) -> nw.Series[Any]:
        namespace = nw.get_native_namespace(self.frame)
        series = nw.new_series(name, values, nw.Float64(), native_namespace=namespace)
        return series.cast(self.frame[name].dtype)


class ArraySource(Source):
    """A two-dimensional array, with names for its columns."""

    def columns(self) -> list[Column]:
        """Return all columns; text becomes objects, so that no trailing NUL is lost."""
        cells = self.frame.astype(object) if self.frame.dtype.kind in "UST" else self.frame
        dtype = str(self.frame.dtype)
        return [Column(str(name), dtype, cells[:, j]) for j, name in enumerate(self.names)]

    def objects(self, name: str) -> list[Any]:
        """Return the cells of a column as plain objects."""
        return list(self.frame[:, list(self.names).index(name)].tolist())

    def take(self, rows: IntArray, changed: Changes) -> NDArray[Any]:
        """Return an array, stored by column."""
        result = np.empty(rows.shape, dtype=self.frame.dtype, order="F")
        for j in range(self.frame.shape[1]):
            result[:, j] = changed[j] if j in changed else self.frame[:, j].take(rows[:, j])
        return result


def _take_pandas(series: pd.Series[Any], rows: IntArray) -> Any:
    """Return cells of a pandas column; numpy takes what pandas refuses, such as big-endian.

    Of objects the dtype is said again, because pandas would turn strings into a dtype of its own.
    A frame of plain arrays is made three times as fast as one of series.
    """
    if isinstance(series.dtype, np.dtype) and series.dtype.kind != "O":
        return series.to_numpy().take(rows)
    cells = series.to_numpy() if isinstance(series.dtype, np.dtype) else series.array
    return pd.Series(cells.take(rows), dtype=series.dtype, copy=False)


def _pandas_column(series: pd.Series[Any]) -> Column:
    """Return a pandas column; only pandas itself knows the codes of its categories."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy()
        return Column(str(series.name), str(series.dtype), codes, bool(series.cat.ordered))
    if series.dtype == np.float64:
        # The most common case: to ask narwhals takes a hundred times as long.
        return Column(str(series.name), str(series.dtype), series.to_numpy())
    return _narwhals_column(nw.from_native(series, series_only=True))


def _narwhals_column(series: nw.Series[Any]) -> Column:
    """Return a column of any library, its dtype in the words of that library."""
    native = series.to_native()
    dtype = str(getattr(native, "dtype", None) or native.type)
    if series.dtype == nw.Enum:
        codes = _enum_codes(series)
        return Column(series.name, dtype, codes, ordered=True)
    has_zone = getattr(series.dtype, "time_zone", None) is not None
    return Column(series.name, dtype, _cells(series), has_zone=has_zone)


def _enum_codes(series: nw.Series[Any]) -> NDArray[np.int64]:
    """Return the position of each cell among the categories, -1 if it is missing."""
    position = {category: i for i, category in enumerate(series.cat.get_categories().to_list())}
    return np.array([position.get(cell, -1) for cell in series.to_list()], dtype=np.int64)


def _cells(series: nw.Series[Any]) -> NDArray[Any]:
    """Return the cells as numpy holds them; where it cannot hold them well, as objects."""
    if series.dtype in (nw.String, nw.Categorical, nw.Int128, nw.UInt128):
        return np.array(series.to_list(), dtype=object)
    return np.asarray(series.to_numpy())


EXTRA = ("ignore", "error")
"""What may become of them."""


def without_extra(frame: Any, nodes: Sequence[str], extra: str) -> tuple[Any, tuple[str, ...]]:
    """Return a frame without the columns that are no node, and their names; or raise.

    The columns of an array are the nodes, in their order: it cannot have others.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"id": [7, 8], "rain": [0.5, 2.0]})
    >>> kept, left_out = without_extra(table, ["rain"], "ignore")
    >>> list(kept.columns), left_out
    (['rain'], ('id',))
    """
    check_choice("extra", extra, EXTRA)
    source = open_source(frame, nodes)
    check_names(source.names)
    outside = extra_columns([str(name) for name in source.names], nodes, extra)
    if not outside or isinstance(frame, np.ndarray):
        return frame, outside
    return nw.from_native(frame, eager_only=True).drop(*outside).to_native(), outside


def extra_columns(columns: Sequence[str], nodes: Sequence[str], extra: str) -> tuple[str, ...]:
    """Return the columns that are no node; raise if a node is no column, or none is allowed."""
    check_choice("extra", extra, EXTRA)
    outside = tuple(name for name in columns if name not in nodes)
    if extra == "error" or not set(nodes) <= set(columns):
        check_same_variables(nodes, columns)
    return outside


def warn_of_extra(outside: Sequence[str], stacklevel: int = 3) -> None:
    """Name the columns that were left out, if there are any."""
    if outside:
        warnings.warn(
            f"Columns that are no node of the graph: {some(outside)}. Learners see them, the "
            "graph's model does not. Drop them, or add them to the graph.",
            CausalAugWarning,
            stacklevel=stacklevel,
        )
