"""Tables with holes: codes, values that are there, and cells that are written into holes."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import causalaug as ca
from causalaug.exceptions import TableError
from causalaug.table import cells_of, rows_of, stack_frames, take_and_fill


def holed():
    frame = pd.DataFrame(
        {
            "x": [2.5, None, 1.0, 2.5],
            "day": pd.to_datetime(["2024-01-01", "2024-01-03", None, "2024-01-11"]),
            "count": [1.0, 30.0, None, 7.0],
        }
    )
    return ca.Table.from_frame(frame, kinds={"count": "continuous"}, holes=True)


def test_missing_cells_have_no_code():
    values, first_rows, codes = holed().coding(0)
    assert values.tolist() == [1.0, 2.5]
    assert first_rows.tolist() == [2, 0]
    assert codes.tolist() == [1, -1, 0, 1]
    assert holed().present(0).tolist() == [2.5, 1.0, 2.5]
    assert holed().summary(0, np.max) == 2.5


def test_a_part_of_a_table_has_no_source_and_can_be_divided_again():
    part = holed().with_values_of(np.array([0, 3]))
    assert part.missing is None
    assert part.source is None
    assert part.total_weight == 2.0
    assert part.select(np.array([1])).values.tolist() == [[2.5, 864000.0, 7.0]]


def test_what_cannot_be_changed_is_copied_from_the_nearest():
    cells = cells_of(holed(), 1, np.array([-5.0, 100_000.0, 1e9]))
    assert cells == [
        pd.Timestamp("2024-01-01"),
        pd.Timestamp("2024-01-03"),
        pd.Timestamp("2024-01-11"),
    ]


def test_numbers_stay_near_what_was_seen():
    table = holed()
    low, inside, high = cells_of(table, 0, np.array([-99.0, 1.75, 99.0]))
    assert (low, inside) == (max(1.0 - 0.5 * np.std([2.5, 1.0, 2.5]), 0.0), 1.75)
    assert high == pytest.approx(2.5 + 0.5 * np.std([2.5, 1.0, 2.5]))
    assert cells_of(table, 2, np.array([6.6, -3.0])) == [7.0, 0.0]


def test_rows_are_taken_with_their_labels_and_filled():
    frame = pd.DataFrame({"a": [1.0, np.nan]}, index=["u", "v"])
    filled = take_and_fill(frame, (), np.array([0, 1, 1]), {"a": (np.array([1, 2]), [5.0, 6.0])})
    assert filled["a"].tolist() == [1.0, 5.0, 6.0]
    assert filled.index.tolist() == ["u", "v", "v"]
    assert np.isnan(frame["a"].iloc[1])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda d: np.array([d["a"]]).T])
def test_frames_are_stacked(make):
    upper, lower = make({"a": [1, 2]}), make({"a": [3]})
    stacked = stack_frames(rows_of(upper, np.array([1, 0])), lower)
    assert type(stacked) is type(upper)
    assert np.asarray(stacked).ravel().tolist() == [2, 1, 3]


MAKERS = {
    "pandas": lambda name, cells, dtype: pd.DataFrame({name: pd.array(cells, dtype=dtype)}),
    "polars": lambda name, cells, dtype: pl.DataFrame(
        {name: pl.Series(cells, dtype=getattr(pl, dtype))}
    ),
    "arrow": lambda name, cells, dtype: pa.table(
        {name: pa.array(cells, getattr(pa, dtype.lower())())}
    ),
}
every_library = pytest.mark.parametrize("library", list(MAKERS))


def fill(library, dtype, cells):
    """Return the cells that are written below one that is there."""
    frame = MAKERS[library]("a", [1, None], dtype)
    rows = np.array([0, *[1] * len(cells)])
    filled = take_and_fill(frame, (), rows, {"a": (np.arange(1, len(rows)), cells)})
    before, after = (
        table.schema.types if library == "arrow" else list(table.dtypes)
        for table in (frame, filled)
    )
    assert before == after
    return (filled["a"].to_pylist() if library == "arrow" else filled["a"].to_list())[1:]


@every_library
@pytest.mark.parametrize("dtype", ["Int8", "UInt8", "Int64", "UInt64"])
def test_integers_are_filled_with_integers(library, dtype):
    found = fill(library, dtype, [5.0, 6.4, 7])
    assert found == [5, 6, 7]


@every_library
@pytest.mark.parametrize("dtype", ["Int8", "UInt8", "Int64"])
def test_integers_near_the_end_of_their_dtype_stay_within_it(library, dtype):
    held = np.iinfo(dtype.lower())
    width = float(held.max) - float(held.min)
    found = fill(library, dtype, [held.max + 0.2 * width, held.min - 0.2 * width])
    assert found == [held.max, held.min]


@every_library
@pytest.mark.parametrize(
    ("dtype", "cell"), [("Int8", 366.0), ("Int64", 1e30), ("Int64", "VW"), ("Float32", 1e60)]
)
def test_cells_that_a_column_cannot_hold_are_refused(library, dtype, cell):
    with pytest.raises(TableError, match=rf"(?s)'a' must be able to hold .*{str(cell)[:2]}.*dtype"):
        fill(library, dtype, [cell])


def test_a_level_called_nan_does_not_become_a_hole():
    frame = pd.DataFrame({"a": np.array([np.nan], dtype="float32")})
    with pytest.raises(TableError, match="'a' must be able to hold the cells .* such as 'nan'"):
        take_and_fill(frame, (), np.array([0]), {"a": (np.array([0]), ["nan"])})


def test_a_column_of_nothing_but_holes_has_no_dtype_to_be_filled_with():
    frame = pl.DataFrame({"a": [None, None]})
    with pytest.raises(TableError, match="dtype Null"):
        take_and_fill(frame, (), np.array([0]), {"a": (np.array([0]), [1.5])})


def test_an_array_of_numbers_is_not_filled_with_words():
    with pytest.raises(TableError, match="'VW'. Found dtype float64"):
        take_and_fill(np.array([[np.nan]]), ("a",), np.array([0]), {"a": (np.array([0]), ["VW"])})


@pytest.mark.parametrize("library", ["polars", "arrow"])
def test_a_model_completes_rows_of_integers(library):
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    counts = [None if row % 4 == 0 else int(5 * value) for row, value in enumerate(x)]
    frame = pl.DataFrame({"x": x, "n": pl.Series(counts, dtype=pl.Int64)})
    frame = frame if library == "polars" else frame.to_arrow()
    completed = ca.fit_model(frame, "x -> n").complete(frame, random_state=0).frame
    assert completed.schema == frame.schema
    cells = completed["n"]
    assert None not in (cells.to_pylist() if library == "arrow" else cells.to_list())
