"""Frames of any library as Arrow tables, which is what Parquet holds."""

import hashlib
from collections.abc import Mapping
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd

from causalaug._optional import import_optional
from causalaug.exceptions import TableError
from causalaug.table import Table

EXTRA = "dask"


def import_arrow(module: str = "pyarrow") -> Any:
    """Return pyarrow, or one of its modules."""
    return import_optional(module, extra=EXTRA, purpose="A data set in Parquet files")


def source_schema(table: Table) -> Any:
    """Return the Arrow schema of a table's source; raise unless Parquet can hold it."""
    arrow, parquet = import_arrow(), import_arrow("pyarrow.parquet")
    try:
        found = as_arrow(table.source, table.columns)
        parquet.write_table(found.slice(0, 1), arrow.BufferOutputStream())
    except (arrow.ArrowException, TypeError, ValueError) as error:
        raise TableError(
            f"All columns must be of types that Parquet can hold. Found: {error}. Convert the "
            "column, to strings or to categories for example."
        ) from error
    return found.schema


def as_arrow(frame: Any, columns: tuple[str, ...]) -> Any:
    """Return a frame or an array as an Arrow table.

    Codes of categories may differ from process to process in other libraries than pandas, so
    there the values are taken.
    """
    arrow = import_arrow()
    if isinstance(frame, np.ndarray):
        return arrow.table([arrow.array(cells) for cells in frame.T], names=list(columns))
    if isinstance(frame, pd.DataFrame):
        return arrow.Table.from_pandas(frame, preserve_index=False)
    found = nw.from_native(frame, eager_only=True).to_arrow()
    cells = [
        column.cast(column.type.value_type) if arrow.types.is_dictionary(column.type) else column
        for column in found.columns
    ]
    return arrow.table(cells, names=list(columns))


def find_categories(table: Table) -> dict[str, dict[str, Any]]:
    """Return the categories of each category column, those that no row has included.

    Parquet files keep only the values that they hold. Categories that JSON cannot hold, dates
    for example, are left out: such columns are read as plain values.
    """
    if isinstance(table.source, np.ndarray):
        return {}
    known: dict[str, dict[str, Any]] = {}
    for name in table.columns:
        column = table.source[name]
        if isinstance(column, pd.Series):
            if isinstance(column.dtype, pd.CategoricalDtype):
                values, ordered = column.cat.categories.tolist(), bool(column.cat.ordered)
                known[name] = {"values": values, "ordered": ordered}
            continue
        series = nw.from_native(column, series_only=True)
        if series.dtype in (nw.Categorical, nw.Enum):
            ordered = series.dtype == nw.Enum
            values = series.cat.get_categories().to_list()
            known[name] = {"values": values if ordered else sorted(values), "ordered": ordered}
    return {name: each for name, each in known.items() if _fits_json(each["values"])}


def _fits_json(values: list[Any]) -> bool:
    return all(isinstance(value, str | int | float) for value in values)


def as_pandas(rows: Any, categories: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return Arrow rows as a pandas frame, with all categories of its category columns."""
    frame: pd.DataFrame = rows.to_pandas()
    for name, known in categories.items():
        dtype = pd.CategoricalDtype(known["values"], known["ordered"])
        frame[name] = frame[name].astype(dtype)
    return frame


def hash_source(table: Table) -> str:
    """Return a digest of all that is known of the observed rows: cells, dtypes and weights."""
    arrow = import_arrow()
    found = as_arrow(table.source, table.columns).combine_chunks()
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, found.schema) as writer:
        writer.write_table(found)
    digest = hashlib.sha256(sink.getvalue())
    digest.update(repr((table.kinds, table.limits)).encode())
    if table.row_weights is not None:
        digest.update(table.row_weights.tobytes())
    return digest.hexdigest()
