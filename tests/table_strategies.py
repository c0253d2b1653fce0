"""Frames of every library, with columns of every kind, for hypothesis."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

_CELLS = {
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "small_float": st.sampled_from([-0.0, 0.0, 0.5, 1.0]),
    "integer": st.integers(-(2**63), 2**63 - 1),
    "identifier": st.integers(2**60, 2**60 + 5),
    "boolean": st.booleans(),
    "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    "date": st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1)),
    "time": st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
}
_ARRAY_DTYPES = {"float": "f8", "small_float": "f4", "integer": "i8", "boolean": "?", "text": "O"}


@st.composite
def contents(draw, min_columns=1):
    """Draw the cells of some columns, as lists of equal length by name."""
    n_rows = draw(st.integers(1, 8))
    names = draw(st.lists(st.sampled_from(sorted(_CELLS)), min_size=min_columns, unique=True))
    return {name: draw(st.lists(_CELLS[name], min_size=n_rows, max_size=n_rows)) for name in names}


@st.composite
def frames(draw, library):
    """Draw a frame of the library "pandas", "polars" or "numpy"."""
    if library == "numpy":
        name = draw(st.sampled_from(sorted(_ARRAY_DTYPES)))
        shape = st.tuples(st.integers(1, 8), st.integers(1, 3))
        n_rows, n_columns = draw(shape)
        row = st.lists(_CELLS[name], min_size=n_columns, max_size=n_columns)
        rows = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
        return np.array(rows, dtype=_ARRAY_DTYPES[name])
    cells = draw(contents())
    if library == "polars":
        return pl.DataFrame(cells)
    frame = pd.DataFrame(cells)
    categories = [name for name in frame.columns if draw(st.booleans())]
    return frame.astype(dict.fromkeys(categories, "category"))


@st.composite
def frames_with_rows(draw, library):
    """Draw a frame and row numbers to take from it."""
    frame = draw(frames(library))
    n_rows, n_columns = frame.shape
    row = st.lists(st.integers(0, n_rows - 1), min_size=n_columns, max_size=n_columns)
    rows = draw(st.lists(row, max_size=6))
    dtype = draw(st.sampled_from([np.int32, np.int64]))
    order = draw(st.sampled_from("CF"))
    return frame, np.array(rows, dtype=dtype, order=order).reshape(len(rows), n_columns)
