import datetime as dt
import pickle
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from causalaug.exceptions import GraphMismatchError, ParameterError, TableError
from causalaug.table import Table
from causalaug.table._sources import NarwhalsSource, open_source
from table_strategies import frames, frames_with_rows

LIBRARIES = ["pandas", "polars", "numpy"]
# Categories declared in an order that is neither sorted nor that of appearance.
SIZES = ["small", "large", "medium"]
BERLIN = "Europe/Berlin"
TIMES = [dt.datetime(2024, 3, 31, hour) for hour in (4, 1, 12)]


@pytest.fixture(params=LIBRARIES)
def frame_library(request):
    return request.param


def make_frame(library, columns):
    """Return float columns as a frame of the library; an array has no names."""
    if library == "numpy":
        return np.column_stack(list(columns.values()))
    return {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library](columns)


def make_table(library, columns, **options):
    return Table.from_frame(make_frame(library, columns), names=list(columns), **options)


def column(series, **options):
    """Return the kind, the numeric flag and the values of a single column."""
    frame = series.rename("x").to_frame() if hasattr(series, "rename") else series
    table = Table.from_frame(frame, **options)
    return table.kinds[0], table.numeric[0], table.values[:, 0].tolist()


def pandas_series(cells, dtype=None):
    return pd.Series(cells, dtype=dtype, name="x")


def polars_series(cells, dtype=None):
    return pl.Series("x", cells, dtype=dtype)


def cells_of(frame):
    """Return the cells of a frame as one list per column."""
    if isinstance(frame, np.ndarray):
        return frame.T.tolist()
    names = frame.column_names if isinstance(frame, pa.Table) else frame.columns
    return [getattr(frame[name], "to_list", frame[name].to_numpy)() for name in names]


def assert_same_frame(left, right):
    """Check that two frames have the same type, names, dtypes and cells."""
    assert type(left) is type(right)
    if isinstance(left, np.ndarray):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    elif isinstance(left, pd.DataFrame):
        pd.testing.assert_frame_equal(left, right)
    else:
        assert left.equals(right)
        assert left.schema == right.schema


# What every library has in common.


def test_a_table_has_names_kinds_and_values(frame_library):
    table = make_table(frame_library, {"a": [3.5, -1.0, 2.0], "b": [0.0, 1e300, 5e-324]})
    assert table.columns == ("a", "b")
    assert table.kinds == ("continuous", "continuous")
    assert table.numeric == (True, True)
    assert (table.n_rows, table.n_columns) == (3, 2)
    np.testing.assert_array_equal(table.values, [[3.5, 0.0], [-1.0, 1e300], [2.0, 5e-324]])


def test_values_are_stored_by_column_and_cannot_be_changed(frame_library):
    values = make_table(frame_library, {"a": [1.0, 2.0], "b": [3.0, 4.0]}).values
    assert values.flags.f_contiguous
    assert not values.flags.writeable


def test_take_returns_the_same_kind_of_frame(frame_library):
    frame = make_frame(frame_library, {"a": [1.0, 2.0], "b": [3.0, 4.0]})
    taken = Table.from_frame(frame).take(np.array([[1, 0], [0, 0], [1, 1]]))
    assert type(taken) is type(frame)
    assert cells_of(taken) == [[2.0, 1.0, 2.0], [3.0, 3.0, 4.0]]


def test_take_of_no_rows_keeps_the_dtypes(frame_library):
    frame = make_frame(frame_library, {"a": [1.0, 2.0], "b": [3.0, 4.0]})
    taken = Table.from_frame(frame).take(np.empty((0, 2), dtype=np.int32))
    assert_same_frame(taken, frame[:0])


def test_negative_zero_equals_zero(frame_library):
    values = make_table(frame_library, {"a": [-0.0, 0.0]}).values
    assert not np.signbit(values).any()


def test_the_kind_of_a_column_can_be_chosen(frame_library):
    table = make_table(frame_library, {"a": [0.25], "b": [2.0]}, kinds={"b": "ordered"})
    assert table.kinds == ("continuous", "ordered")
    assert table.numeric == (True, True)


def test_discrete_is_another_word_for_nominal(frame_library):
    table = make_table(frame_library, {"a": [0.25], "b": [2.0]}, kinds={"b": "discrete"})
    assert table.kinds == ("continuous", "nominal")


def test_a_table_survives_pickling(frame_library):
    table = make_table(frame_library, {"a": [1.0, 2.0]})
    again = pickle.loads(pickle.dumps(table))
    np.testing.assert_array_equal(again.values, table.values)
    assert_same_frame(again.take(np.array([[0]])), table.take(np.array([[0]])))


def test_index_is_the_position_of_a_column():
    table = make_table("pandas", {"weight": [1.0], "mpg": [2.0]})
    assert table.index("mpg") == 1
    with pytest.raises(ParameterError, match="A typing slip.*'weigth' -> 'weight'"):
        table.index("weigth")


# Kinds and values, dtype by dtype.


@pytest.mark.parametrize(
    ("series", "values"),
    [
        (pandas_series([1.5, 2.5]), [1.5, 2.5]),
        (pandas_series([1.5, 2.5], "float32"), [1.5, 2.5]),
        (pandas_series([1.5, 2.5], "float16"), [1.5, 2.5]),
        (pandas_series([1.5, 2.5], "Float64"), [1.5, 2.5]),
        (pandas_series([1.5, 2.5], "double[pyarrow]"), [1.5, 2.5]),
        (pandas_series([1.5, 2], object), [1.5, 2.0]),
        (pandas_series([1.5, 2.5], object), [1.5, 2.5]),
        (pandas_series(pd.arrays.SparseArray([0.0, 2.5])), [0.0, 2.5]),
        (pandas_series([Decimal("1.5"), Decimal("2")]), [1.5, 2.0]),
        (pandas_series(TIMES), [10_800.0, 0.0, 39_600.0]),
        (pandas_series(TIMES, "datetime64[s]"), [10_800.0, 0.0, 39_600.0]),
        (pandas_series(TIMES, f"datetime64[ns, {BERLIN}]"), [7_200.0, 0.0, 36_000.0]),
        (pandas_series(TIMES, "timestamp[us, UTC][pyarrow]"), [10_800.0, 0.0, 39_600.0]),
        (pandas_series(TIMES, object), [10_800.0, 0.0, 39_600.0]),
        (pandas_series(pd.to_timedelta([90, 30], unit="s")), [60.0, 0.0]),
        (pandas_series(pd.to_timedelta([3, 1], unit="ns"), object), [2e-9, 0.0]),
        (pandas_series([dt.timedelta(1), dt.timedelta(0)], object), [86_400.0, 0.0]),
        (pandas_series([np.datetime64(3, "ns"), np.datetime64(1, "ns")], object), [2e-9, 0.0]),
        (pandas_series([dt.date(9999, 1, 2), dt.date(9999, 1, 1)], object), [86_400.0, 0.0]),
        (
            pandas_series([dt.date(2024, 1, 2), dt.date(2024, 1, 1)], "date32[pyarrow]"),
            [86_400.0, 0.0],
        ),
        (polars_series([1.5, 2.5]), [1.5, 2.5]),
        (polars_series([1.5, 2.5], pl.Float32), [1.5, 2.5]),
        (polars_series([Decimal("1.5"), Decimal("2.0")]), [1.5, 2.0]),
        (polars_series(TIMES), [10_800.0, 0.0, 39_600.0]),
        (polars_series(TIMES, pl.Datetime("ms")), [10_800.0, 0.0, 39_600.0]),
        (polars_series(TIMES).dt.replace_time_zone(BERLIN), [7_200.0, 0.0, 36_000.0]),
        (polars_series([dt.date(2024, 1, 2), dt.date(2024, 1, 1)]), [86_400.0, 0.0]),
        (polars_series([dt.timedelta(1), dt.timedelta(0)]), [86_400.0, 0.0]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_floats_decimals_and_times_are_continuous(series, values):
    assert column(series) == ("continuous", True, values)


@pytest.mark.parametrize(
    ("series", "values"),
    [
        (pandas_series([3, -2]), [3.0, -2.0]),
        (pandas_series([3, -2], "int8"), [3.0, -2.0]),
        (pandas_series([3, 2], "uint64"), [3.0, 2.0]),
        (pandas_series([3, -2], "Int64"), [3.0, -2.0]),
        (pandas_series([3, -2], "int32[pyarrow]"), [3.0, -2.0]),
        (pandas_series([3, -2], object), [3.0, -2.0]),
        (polars_series([3, -2]), [3.0, -2.0]),
        (polars_series([3, -2], pl.Int8), [3.0, -2.0]),
        (pandas_series([2**53, -(2**53)]), [2.0**53, -(2.0**53)]),
        (pandas_series([2**70, 1, 2**70], object), [1.0, 0.0, 1.0]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_few_integers_are_ordered(series, values):
    assert column(series) == ("ordered", True, values)


@pytest.mark.parametrize(
    "dtype", ["int64", "uint8", "Int64", "int32[pyarrow]", object, pl.Int16, pl.UInt64]
)
@pytest.mark.parametrize(("n_distinct", "kind"), [(10, "ordered"), (11, "continuous")])
def test_integers_with_more_than_ten_values_are_continuous(dtype, n_distinct, kind):
    cells = [*range(n_distinct), *range(n_distinct)]
    is_polars = isinstance(dtype, type) and issubclass(dtype, pl.DataType)
    series = (polars_series if is_polars else pandas_series)(cells, dtype)
    assert column(series) == (kind, True, cells)


OF_EACH_SORT = {
    "float": [0.5, 1.5],
    "decimal": [Decimal("0.5")],
    "date": [dt.date(2024, 3, 31)],
    "datetime": TIMES,
    "duration": [dt.timedelta(hours=1)],
    "integer, more than 10 distinct values": range(11),
    "integer, at most 10 distinct values": range(10),
    "ordered category": pd.Categorical(["s", "m"], ordered=True),
    "boolean": [True, False],
    "category": pd.Categorical(["s", "m"]),
    "text": ["s", "m"],
    "time of day": [dt.time(4), dt.time(1)],
}


def test_the_guide_names_the_kind_of_every_sort_of_cells():
    page = Path(__file__).parents[1] / "docs" / "mixed_data.md"
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    said = {}
    for cells, kind in (line.strip("| ").split(" | ") for line in lines[2:]):
        separator = "; " if "distinct" in cells else ", "
        said |= dict.fromkeys(cells.split(separator), kind)
    assert said == {sort: column(pandas_series(cells))[0] for sort, cells in OF_EACH_SORT.items()}


@pytest.mark.parametrize(("n_distinct", "kind"), [(10, "ordered"), (11, "continuous")])
def test_integers_of_arrow_and_numpy_have_the_same_kinds(n_distinct, kind):
    cells = np.arange(n_distinct)
    assert Table.from_frame(pa.table({"a": cells})).kinds == (kind,)
    assert Table.from_frame(cells[:, np.newaxis]).kinds == (kind,)


@pytest.mark.parametrize(
    "series",
    [
        pandas_series([True, False]),
        pandas_series([True, False], "boolean"),
        pandas_series([True, False], object),
        polars_series([True, False]),
    ],
    ids=lambda series: str(series.dtype),
)
def test_booleans_are_nominal_numbers(series):
    assert column(series) == ("nominal", True, [1.0, 0.0])


@pytest.mark.parametrize(
    ("series", "values"),
    [
        (pandas_series(["b", "a", "b"]), [1.0, 0.0, 1.0]),
        (pandas_series(["b", "a", "b"], object), [1.0, 0.0, 1.0]),
        (pandas_series(["b", "a", "b"], "string"), [1.0, 0.0, 1.0]),
        (pandas_series(["b", "a", "b"], "string[pyarrow]"), [1.0, 0.0, 1.0]),
        (pandas_series(["b", "a", "b"], pd.ArrowDtype(pa.string())), [1.0, 0.0, 1.0]),
        (pandas_series(["a", "a\0"], object), [0.0, 1.0]),
        (pandas_series(["large", "small"], pd.CategoricalDtype(SIZES)), [1.0, 0.0]),
        (pandas_series([20, 10], "category"), [1.0, 0.0]),
        (pandas_series([(2, "x"), (1, "y")], object), [1.0, 0.0]),
        (pandas_series(["b", 1, int, 1.0, True], object), [0.0, 1.0, 2.0, 1.0, 1.0]),
        (pandas_series([frozenset("b"), frozenset("a"), frozenset("b")]), [0.0, 1.0, 0.0]),
        (pandas_series(pd.period_range("2024-01", periods=2, freq="M")), [0.0, 1.0]),
        (pandas_series(pd.interval_range(0, 2)), [0.0, 1.0]),
        (polars_series(["b", "a", "b"]), [1.0, 0.0, 1.0]),
        (polars_series(["a\0", "a"]), [1.0, 0.0]),
        (polars_series(["b", "a", "b"], pl.Categorical), [1.0, 0.0, 1.0]),
        (polars_series([dt.time(8), dt.time(7)]), [1.0, 0.0]),
        (polars_series([b"b", b"a"]), [1.0, 0.0]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_strings_categories_and_objects_are_codes_without_a_scale(series, values):
    assert column(series) == ("nominal", False, values)


@pytest.mark.parametrize(
    "series",
    [
        pandas_series(["large", "medium", "small"], pd.CategoricalDtype(SIZES, ordered=True)),
        polars_series(["large", "medium", "small"], pl.Enum(SIZES)),
    ],
    ids=["pandas", "polars"],
)
def test_codes_of_ordered_categories_are_ranks(series):
    assert column(series) == ("ordered", True, [1.0, 2.0, 0.0])
    assert column(series, kinds={"x": "continuous"}) == ("continuous", True, [1.0, 2.0, 0.0])


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "int64[pyarrow]"])
def test_integers_that_no_float_can_tell_apart_are_coded(dtype):
    ids = pandas_series([2**60 + 2, 2**60 + 1, 2**60 + 2], dtype)
    assert column(ids) == ("ordered", True, [1.0, 0.0, 1.0])
    assert column(ids, kinds={"x": "nominal"}) == ("nominal", False, [1.0, 0.0, 1.0])
    assert column(ids, kinds={"x": "continuous"}) == ("continuous", True, [1.0, 0.0, 1.0])


def test_integers_may_span_their_whole_range():
    extremes = pandas_series([2**63 - 1, -(2**63)])
    assert column(extremes, kinds={"x": "continuous"})[2] == [2.0**64, 0.0]


def test_the_most_negative_integer_is_coded():
    assert column(pandas_series([-(2**60), -(2**60) - 1]))[2] == [1.0, 0.0]


@pytest.mark.parametrize(
    "series",
    [
        pandas_series([Decimal("1.00000000000000000002"), Decimal("1.00000000000000000001")]),
        pandas_series(pd.to_datetime([2**60 + 1, 2**60])),
        pandas_series([np.nextafter(np.longdouble(1), 2), 1], np.longdouble),
    ],
    ids=["decimal", "nanoseconds", "longdouble"],
)
def test_discrete_values_tell_apart_what_a_float_cannot(series):
    assert column(series, kinds={"x": "nominal"}) == ("nominal", False, [1.0, 0.0])
    assert column(series, kinds={"x": "ordered"}) == ("ordered", True, [1.0, 0.0])


def test_nanoseconds_survive_far_from_the_epoch():
    times = pandas_series(pd.to_datetime([2**60 + 3, 2**60]))
    assert column(times)[2] == [3e-9, 0.0]


@pytest.mark.parametrize("cells", [[1, 0], [True, False]])
def test_whole_numbers_can_be_continuous(cells):
    assert column(pandas_series(cells), kinds={"x": "continuous"}) == ("continuous", True, [1, 0])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_codes_do_not_depend_on_the_order_of_rows(library):
    make = {"pandas": pandas_series, "polars": polars_series}[library]
    assert column(make(["c", "a", "b"]))[2] == column(make(["b", "a", "c"]))[2][::-1]


# Arrays.


@pytest.mark.parametrize(
    ("dtype", "kind", "numeric"),
    [
        ("f8", "continuous", True),
        ("f2", "continuous", True),
        (">f8", "continuous", True),
        ("longdouble", "continuous", True),
        ("i8", "ordered", True),
        (">i4", "ordered", True),
        ("u1", "ordered", True),
        ("?", "nominal", True),
        ("U3", "nominal", False),
        ("S3", "nominal", False),
        ("M8[D]", "continuous", True),
        ("M8[M]", "continuous", True),
        ("m8[25s]", "continuous", True),
        ("m8[ns]", "continuous", True),
    ],
)
def test_the_dtype_of_an_array_decides_and_is_kept(dtype, kind, numeric):
    array = np.array([[0, 1], [1, 1], [0, 0]]).astype(dtype)
    table = Table.from_frame(array)
    assert table.kinds == (kind, kind)
    assert table.numeric == (numeric, numeric)
    assert [len(set(table.values[:, j])) for j in range(2)] == [2, 2]
    assert_same_frame(table.take(np.array([[2, 0], [1, 2]])), array[[[2, 0], [1, 2]], [0, 1]])


def test_each_column_of_an_object_array_is_what_its_cells_are():
    array = np.array([[1.5, "b", 3, dt.date(2024, 1, 2)], [2.5, "a", 4, dt.date(2024, 1, 1)]], "O")
    table = Table.from_frame(array)
    assert table.kinds == ("continuous", "nominal", "ordered", "continuous")
    np.testing.assert_array_equal(table.values, [[1.5, 1, 3, 86_400], [2.5, 0, 4, 0]])
    assert_same_frame(table.take(np.array([[1, 0, 1, 0]])), array[[1, 0, 1, 0], range(4)][None])


def test_names_of_an_array_default_to_numbers():
    assert Table.from_frame(np.ones((1, 2))).columns == ("x0", "x1")


def test_names_are_ignored_for_a_frame():
    assert Table.from_frame(pd.DataFrame({"a": [1]}), names=["b", "c"]).columns == ("a",)


# The frame that comes back.


@pytest.mark.parametrize(
    "series",
    [
        pandas_series([1.5, -0.0], "float32"),
        pandas_series([1, 2], "int8"),
        pandas_series([True, False]),
        pandas_series(["b", "a"]),
        pandas_series(["b", "a"], object),
        pandas_series(["b", "a"], "string"),
        pandas_series(["b", "a"], "string[pyarrow]"),
        pandas_series(["b", "a"], pd.ArrowDtype(pa.string())),
        pandas_series([1, 2], "Int64"),
        pandas_series([1, 2], "Float64"),
        pandas_series([True, False], "boolean"),
        pandas_series([1, 2], "int64[pyarrow]"),
        pandas_series(["large", "small"], pd.CategoricalDtype(SIZES)),
        pandas_series(["large", "small"], pd.CategoricalDtype(SIZES, ordered=True)),
        pandas_series([20, 10], "category"),
        pandas_series(TIMES, "datetime64[ns]"),
        pandas_series(TIMES, "datetime64[s]"),
        pandas_series(TIMES, f"datetime64[ns, {BERLIN}]"),
        pandas_series(pd.to_timedelta([90, 30], unit="s")),
        pandas_series([dt.date(2024, 1, 2), dt.date(2024, 1, 1)], object),
        pandas_series([dt.date(2024, 1, 2), dt.date(2024, 1, 1)], "date32[pyarrow]"),
        pandas_series([1, "a"], object),
        pandas_series(pd.arrays.SparseArray([0.0, 2.5])),
        polars_series([1.5, -0.0], pl.Float32),
        polars_series([1, 2], pl.Int8),
        polars_series([True, False]),
        polars_series(["b", "a"]),
        polars_series(["b", "a"], pl.Categorical),
        polars_series(["large", "small"], pl.Enum(SIZES)),
        polars_series(TIMES, pl.Datetime("ns")),
        polars_series(TIMES).dt.replace_time_zone(BERLIN),
        polars_series([dt.timedelta(1), dt.timedelta(0)]),
        polars_series([dt.date(2024, 1, 2), dt.date(2024, 1, 1)]),
        polars_series([dt.time(8), dt.time(7)]),
        polars_series([Decimal("1.5"), Decimal("2.0")]),
    ],
    ids=lambda series: f"{type(series).__module__.partition('.')[0]}-{series.dtype}",
)
@pytest.mark.parametrize("rows", [[0, 1], [1, 1, 0], []])
def test_take_keeps_the_dtype(series, rows):
    frame = series.to_frame()
    taken = Table.from_frame(frame).take(np.array(rows, dtype=np.int32).reshape(-1, 1))
    expected = frame.iloc[rows].reset_index(drop=True) if hasattr(frame, "iloc") else frame[rows]
    assert_same_frame(taken, expected)


def test_take_from_pandas_gives_a_fresh_index_and_the_same_columns():
    columns = pd.Index(["b", "a"], name="variable")
    frame = pd.DataFrame([[1.0, 2], [3.0, 4]], columns=columns, index=["first", "first"])
    taken = Table.from_frame(frame).take(np.array([[1, 0]]))
    pd.testing.assert_index_equal(taken.index, pd.RangeIndex(1))
    pd.testing.assert_index_equal(taken.columns, columns)


def test_take_copies_what_pandas_cannot():
    frame = pd.DataFrame({"a": np.array([1, 2], dtype=">i4")})
    taken = Table.from_frame(frame).take(np.array([[1], [0]]))
    assert taken["a"].dtype == np.dtype(">i4")
    assert taken["a"].tolist() == [2, 1]


@given(
    arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.floats(width=64)),
    st.data(),
)
def test_a_frame_of_floats_is_taken_as_one_of_several_dtypes(cells, data):
    n_rows, n_columns = cells.shape
    floats = pd.DataFrame(cells, columns=[f"c{j}" for j in range(n_columns)])
    rows = data.draw(arrays(np.int64, (5, n_columns), elements=st.integers(0, n_rows - 1)))
    changed = {0: np.arange(5.0)} if data.draw(st.booleans()) else {}
    mixed = floats.assign(other=np.arange(n_rows))
    more = np.column_stack([rows, rows[:, 0]])
    together = open_source(floats).take(rows, changed)
    one_by_one = open_source(mixed).take(more, changed).drop(columns="other")
    pd.testing.assert_frame_equal(together, one_by_one, check_exact=True)
    assert together.to_numpy().flags.f_contiguous
    read, asked = (
        open_source(floats).columns(),
        NarwhalsSource(nw.from_native(floats), list(floats)).columns(),
    )
    for quick, slow in zip(read, asked, strict=True):
        assert (quick.name, quick.dtype, quick.ordered) == (slow.name, slow.dtype, slow.ordered)
        np.testing.assert_array_equal(quick.cells, slow.cells)


@pytest.mark.parametrize("dtype", [">f8", "float32", "Float64", "int64"])
def test_columns_that_are_no_plain_floats_keep_their_dtype(dtype):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}).astype(dtype)
    taken = open_source(frame).take(np.array([[1, 0]]), {})
    assert (taken.dtypes == frame.dtypes).all()
    assert taken.astype(float).to_numpy().tolist() == [[2.0, 3.0]]


def test_take_leaves_the_source_alone():
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    taken = Table.from_frame(frame).take(np.array([[0], [1]]))
    taken.loc[0, "a"] = 99.0
    assert frame["a"].tolist() == [1.0, 2.0]


def test_an_arrow_table_comes_back_as_one():
    frame = pa.table(
        {
            "a": [1.5, 2.5],
            "b": pa.array(["y", "x"]).dictionary_encode(),
            "c": pa.array(TIMES[:2], pa.timestamp("us")),
            "d": pa.array([dt.date(2024, 1, 1), dt.date(2024, 1, 2)]),
        }
    )
    table = Table.from_frame(frame)
    assert table.kinds == ("continuous", "nominal", "continuous", "continuous")
    np.testing.assert_array_equal(table.values, [[1.5, 1, 10_800, 0], [2.5, 0, 0, 86_400]])
    taken = table.take(np.array([[0, 1, 0, 1]]))
    assert taken.schema == frame.schema
    assert taken.to_pylist() == [{**frame.to_pylist()[0], "b": "x", "d": dt.date(2024, 1, 2)}]


@pytest.mark.parametrize(
    "rows", [np.zeros((3, 1), int), np.zeros(2, int), np.zeros((3, 2)), np.zeros((3, 2), bool)]
)
def test_take_wants_one_row_number_per_column(rows):
    table = make_table("pandas", {"a": [1.0], "b": [2.0]})
    with pytest.raises(ParameterError, match=r"integers of shape \(m, 2\).*Found "):
        table.take(rows)


# Errors.


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (pl.LazyFrame({"a": [1]}), r"Found polars.LazyFrame.*call `.collect\(\)`"),
        (sparse.csr_array(np.eye(2)), r"Found scipy.csr_array.*call `.toarray\(\)`"),
        (pd.Series([1]), r"Found pandas.Series.*`.to_frame\(\)`"),
        (pl.Series([1]), r"Found polars.Series.*`.to_frame\(\)`"),
        ({"a": [1]}, r"Found builtins.dict.*`pandas.DataFrame\(data\)`"),
        ([[1.0]], r"Found builtins.list.*`pandas.DataFrame\(data\)`"),
        (None, r"Found builtins.NoneType"),
        (np.ones(3), r"Found an array of shape \(3,\).*reshape\(-1, 1\)"),
        (np.ones((1, 1, 1)), r"Found an array of shape \(1, 1, 1\)"),
        (np.zeros(2, dtype=[("a", int)]), "is masked or structured"),
        (np.ma.masked_invalid([[1.0, np.nan]]), "is masked or structured"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_data_are_refused(data, found):
    with pytest.raises(TableError, match=rf"must be a pandas or polars DataFrame.*{found}"):
        Table.from_frame(data)


@pytest.mark.parametrize(
    ("frame", "found"),
    [
        (pd.DataFrame({"a": []}), "0 rows and 1 columns"),
        (pd.DataFrame(index=range(3)), "3 rows and 0 columns"),
        (pl.DataFrame({"a": []}), "0 rows and 1 columns"),
        (pl.DataFrame(), "0 rows and 0 columns"),
        (np.empty((0, 2)), "0 rows and 2 columns"),
        (np.empty((2, 0)), "2 rows and 0 columns"),
    ],
)
def test_empty_data_are_refused(frame, found):
    with pytest.raises(TableError, match=f"at least one row and one column. Found {found}"):
        Table.from_frame(frame)


def test_an_array_has_one_column_per_name():
    with pytest.raises(GraphMismatchError, match=r"Found 2 columns and 3 variables: \['a', 'b'"):
        Table.from_frame(np.ones((2, 2)), names=["a", "b", "c"])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2]], columns=["a", 7]),
        pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", 7)])),
    ],
)
def test_names_must_be_strings(frame):
    with pytest.raises(TableError, match=r"must be strings.*7.*frame.columns.map\(str\)"):
        Table.from_frame(frame)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2, 3]], columns=["b", "a", "b"]),
        pa.Table.from_arrays([pa.array([1])] * 3, names=["b", "a", "b"]),
    ],
    ids=["pandas", "pyarrow"],
)
def test_names_must_be_distinct(frame):
    with pytest.raises(TableError, match=r"must be distinct. Found more than once: \['b'\]"):
        Table.from_frame(frame)


def test_names_of_an_array_must_be_distinct():
    with pytest.raises(TableError, match="must be distinct"):
        Table.from_frame(np.ones((2, 2)), names=["a", "a"])


@pytest.mark.parametrize(
    "series",
    [
        pandas_series([1.0, np.nan, np.nan]),
        pandas_series([1, None, pd.NA], "Int64"),
        pandas_series([1, None, pd.NA], "int64[pyarrow]"),
        pandas_series([True, None, None], "boolean"),
        pandas_series(["a", None, None]),
        pandas_series(["a", None, np.nan], object),
        pandas_series(["a", None, None], "string"),
        pandas_series(["a", None, None], "category"),
        pandas_series([TIMES[0], None, None], "datetime64[ns]"),
        pandas_series([TIMES[0], None, None], f"datetime64[ns, {BERLIN}]"),
        pandas_series([dt.timedelta(1), None, None], "timedelta64[ns]"),
        polars_series([1.0, None, np.nan]),
        polars_series([1, None, None]),
        polars_series([True, None, None]),
        polars_series(["a", None, None]),
        polars_series(["a", None, None], pl.Categorical),
        polars_series(["large", None, None], pl.Enum(SIZES)),
        polars_series([TIMES[0], None, None]),
        polars_series([dt.date(2024, 1, 1), None, None]),
        polars_series([Decimal("1.5"), None, None]),
    ],
    ids=lambda series: f"{type(series).__module__.partition('.')[0]}-{series.dtype}",
)
def test_missing_values_are_refused(series):
    with pytest.raises(TableError, match=r"no missing values.*Found 2 in 'x' \(first at row 1\)"):
        Table.from_frame(series.to_frame())


def test_a_column_of_nulls_is_missing():
    with pytest.raises(TableError, match=r"Found 2 in 'x' \(first at row 0\)"):
        Table.from_frame(polars_series([None, None]).to_frame())


def test_all_columns_with_missing_values_are_named(frame_library):
    with pytest.raises(TableError, match=r"1 in 'a' \(first at row 2\), 2 in 'c' \(first at row 0"):
        make_table(
            frame_library,
            {"a": [1.0, 2.0, np.nan], "b": [1.0, 2.0, 3.0], "c": [np.nan, 1.0, np.nan]},
        )


def test_missing_cells_of_an_object_array_are_refused():
    with pytest.raises(TableError, match=r"Found 1 in 'x1' \(first at row 0\)"):
        Table.from_frame(np.array([["a", None], ["b", 2]], dtype=object))


def test_infinite_values_are_refused(frame_library):
    with pytest.raises(TableError, match=r"must be finite. Found 2 in 'b' \(first at row 1\)"):
        make_table(frame_library, {"a": [1.0, 2.0, 3.0], "b": [1.0, np.inf, -np.inf]})


@pytest.mark.parametrize(
    ("series", "dtype"),
    [
        (pandas_series([[1], [2]]), "object"),
        (pandas_series([([1],), ([2],)]), "object"),
        (pandas_series([1j, 2j]), "complex128"),
        (pandas_series([[1], [2]], pd.ArrowDtype(pa.list_(pa.int64()))), "list"),
        (polars_series([[1], [2]]), "List"),
        (polars_series([{"a": 1}, {"a": 2}]), "Struct"),
        (polars_series([[1], [2]], pl.Array(pl.Int64, 1)), "Array"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_cells_that_are_no_scalars_are_refused(series, dtype):
    with pytest.raises(TableError, match=rf"must be numbers.*'x' \({dtype}"):
        Table.from_frame(series.to_frame())


@pytest.mark.parametrize("other", [TIMES[0].astimezone(dt.UTC), dt.date(2024, 1, 1)])
def test_times_that_cannot_be_compared_are_refused(other):
    times = pandas_series([TIMES[0], other], object)
    with pytest.raises(TableError, match="all of one sort.*Found a mixture in 'x'.*utc=True"):
        Table.from_frame(times.to_frame())


def test_kinds_must_name_columns():
    with pytest.raises(ParameterError, match=r"\['cilinders'\].*slip\? 'cilinders' -> 'cylinders'"):
        make_table("pandas", {"cylinders": [4.0]}, kinds={"cilinders": "continuous"})


def test_kinds_must_be_known():
    with pytest.raises(ParameterError, match=r"`kinds\['a'\]` must be one of.*Found 'ordinal'"):
        make_table("pandas", {"a": [4.0]}, kinds={"a": "ordinal"})


def test_kinds_must_be_a_mapping():
    words = "must map column names to 'continuous', 'ordered' or 'nominal'.*Found 'continuous'"
    with pytest.raises(ParameterError, match=words):
        make_table("pandas", {"a": [4.0]}, kinds="continuous")


@pytest.mark.parametrize(
    ("series", "content"),
    [
        (pandas_series(["a", "b"], object), "string, dtype object"),
        (pandas_series(["a", "b"], "category"), "category, dtype category"),
        (pandas_series([1, "b"], object), "mixed-integer, dtype object"),
        (polars_series(["a", "b"]), "string, dtype String"),
        (polars_series(["a", "b"], pl.Categorical), "string, dtype Categorical"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("kind", ["continuous", "ordered"])
def test_cells_without_distances_are_nominal(series, content, kind):
    words = rf"only if its cells have distances or ranks.*'x' \({content}.*Leave it nominal"
    with pytest.raises(ParameterError, match=words):
        Table.from_frame(series.to_frame(), kinds={"x": kind})


def test_optional_frame_libraries_are_not_imported():
    code = "import sys, causalaug.table as t; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Laws.


@pytest.mark.parametrize("library", LIBRARIES)
@given(data=st.data())
@settings(deadline=None)
def test_taking_every_row_in_turn_gives_the_input(library, data):
    frame = data.draw(frames(library))
    table = Table.from_frame(frame)
    identity = np.repeat(np.arange(table.n_rows)[:, np.newaxis], table.n_columns, axis=1)
    assert_same_frame(table.take(identity), frame)


@pytest.mark.parametrize("library", LIBRARIES)
@given(data=st.data())
@settings(deadline=None)
def test_take_picks_exactly_the_cells(library, data):
    frame, rows = data.draw(frames_with_rows(library))
    taken = Table.from_frame(frame).take(rows)
    source = cells_of(frame)
    expected = [[source[j][i] for i in rows[:, j]] for j in range(rows.shape[1])]
    assert cells_of(taken) == expected


@pytest.mark.parametrize("library", LIBRARIES)
@given(data=st.data())
@settings(deadline=None)
def test_discrete_values_are_equal_exactly_where_the_cells_are(library, data):
    frame = data.draw(frames(library))
    names = [f"x{j}" for j in range(frame.shape[1])] if library == "numpy" else list(frame.columns)
    table = Table.from_frame(frame, kinds=dict.fromkeys(names, "discrete"))
    for j, cells in enumerate(cells_of(frame)):
        equal_cells = [[a == b for b in cells] for a in cells]
        equal_values = np.equal.outer(table.values[:, j], table.values[:, j])
        assert equal_values.tolist() == equal_cells


@pytest.mark.parametrize("library", LIBRARIES)
@given(data=st.data())
@settings(deadline=None)
def test_shuffling_rows_shuffles_the_values(library, data):
    frame = data.draw(frames(library))
    order = data.draw(st.permutations(range(len(frame))))
    shuffled = frame.iloc[order] if library == "pandas" else frame[order]
    np.testing.assert_array_equal(
        Table.from_frame(shuffled).values, Table.from_frame(frame).values[order]
    )


@given(st.lists(st.fractions() | st.integers() | st.text(max_size=2), min_size=1, max_size=6))
def test_mixed_objects_are_told_apart(cells):
    values = column(pandas_series(cells, object), kinds={"x": "discrete"})[2]
    assert [[a == b for b in values] for a in values] == [[a == b for b in cells] for a in cells]


# Cells that can be changed, rows that count differently, and some of the rows.


@pytest.mark.parametrize(
    ("series", "kind", "resolution"),
    [
        (pandas_series([1.5, 2.0]), "continuous", 0.0),
        (pandas_series([1.5, 2.0], "float32"), "continuous", 0.0),
        (pandas_series([1.5, 2.0], "Float64"), "continuous", 0.0),
        (pandas_series([1.5, 2.0]), "nominal", None),
        (pandas_series([1.5, 2.0]), "ordered", None),
        (pandas_series([1, 2]), "continuous", 1.0),
        (pandas_series([1, 2], "UInt8"), "continuous", 1.0),
        (pandas_series([1, 2]), "discrete", None),
        (pandas_series([2**60, 1]), "continuous", None),
        (pandas_series([True, False]), "continuous", None),
        (pandas_series([1.5, 2], object), "continuous", None),
        (pandas_series([Decimal(1), Decimal(2)]), "continuous", None),
        (pandas_series(TIMES), "continuous", None),
        (pandas_series(pd.Categorical(["a", "b"], ordered=True)), "continuous", None),
        (pandas_series(["a", "b"]), "discrete", None),
    ],
)
def test_only_numbers_that_are_measured_can_be_changed(series, kind, resolution):
    table = Table.from_frame(series.to_frame(), kinds={"x": kind})
    assert table.resolution == (resolution,)


@pytest.mark.parametrize(
    ("series", "limits"),
    [
        (pandas_series([-1, 2], "int8"), (-128.0, 127.0)),
        (pandas_series([1, 2], "uint8"), (0.0, 255.0)),
        (pandas_series([1, 9], "Int8"), (0.0, 127.0)),
        (pandas_series([7, 9], "Int8"), (-128.0, 127.0)),
        (pandas_series([-1, 2], "float16"), (-65504.0, 65504.0)),
        (pandas_series([0, 2], "float16"), (0.0, 65504.0)),
        (pandas_series([0.0, 1.0]), (0.0, 1.0)),
        (pandas_series([0.1, 0.9]), (0.0, 1.0)),
        (pandas_series([0.1, 0.4], "float16"), (0.0, 65504.0)),
        (polars_series([1, 2], pl.UInt16), (0.0, 65535.0)),
        (polars_series([0.1, 0.9], pl.Float32), (0.0, 1.0)),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_limits_are_what_a_cell_can_hold_and_what_was_never_left(series, limits):
    table = Table.from_frame(series.to_frame(), kinds={"x": "continuous"})
    assert table.limits == (limits,)


@pytest.mark.parametrize(
    "series", [pandas_series(["a", "b"]), pandas_series(pd.Categorical(["a", "b"]))]
)
def test_what_cannot_move_has_no_limits(series):
    assert Table.from_frame(series.to_frame()).limits == ((-np.inf, np.inf),)


def test_limits_that_are_given_replace_the_others(frame_library):
    columns = {"a": [0.25, 0.5], "b": [-1.0, 2.0], "c": [0.5, 4.0]}
    limits = {"a": (None, 10), "b": (-1, 2)}
    table = make_table(frame_library, columns, limits=limits)
    largest = np.finfo(np.float64).max
    assert table.limits == ((-largest, 10.0), (-1.0, 2.0), (0.0, largest))


def test_given_limits_do_not_leave_the_dtype():
    frame = pandas_series([1, 2], "uint8").to_frame()
    kinds = {"x": "continuous"}
    assert Table.from_frame(frame, kinds=kinds, limits={"x": (-5, 300)}).limits == ((0.0, 255.0),)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ([("a", (0, 1))], r"`limits` must map column names to their least and largest value.*dose"),
        ({"q": (0, 1)}, r"`limits` names columns that the data do not have: \['q'\]"),
        ({"a": 3}, r"`limits\['a'\]` must be a pair of numbers, None where.*Found 3"),
        ({"a": "01"}, r"must be a pair of numbers.*Found '01'"),
        ({"a": (0, "1")}, r"must be a pair of numbers.*Found \(0, '1'\)"),
        ({"a": (0, float("nan"))}, r"must be a pair of numbers.*Found \(0, nan\)"),
        ({"a": (False, None)}, r"must be a pair of numbers.*Found \(False, None\)"),
        ({"a": (9, 1)}, r"must have the smaller number first. Found \(9, 1\)"),
        (
            {"a": (2, None)},
            r"observed values of 'a' must lie within its `limits`, 2 to 1.79769e\+308. "
            r"Found values from 1.5 to 4.5. Widen the limits",
        ),
        ({"a": (None, 2)}, r"must lie within its `limits`.*Found values from 1.5 to 4.5"),
        (
            {"b": (0, None)},
            r"are for continuous columns of numbers.*Found 'b' \(nominal, dtype .*"
            r"kinds=\{'b': \"continuous\"\}",
        ),
    ],
)
def test_limits_must_be_pairs_around_what_was_observed(limits, words):
    frame = pd.DataFrame({"a": [1.5, 4.5], "b": [True, False]})
    with pytest.raises(ParameterError, match=words):
        Table.from_frame(frame, limits=limits)


def test_take_writes_changed_values_in_place_of_cells(frame_library):
    table = make_table(frame_library, {"a": [1.0, 2.0], "b": [3.0, 4.0]})
    taken = table.take(np.array([[0, 1], [1, 0], [1, 1]]), {1: np.array([7.5, -1.0, 0.25])})
    assert cells_of(taken) == [[1.0, 2.0, 2.0], [7.5, -1.0, 0.25]]
    assert type(taken) is type(table.source)


def test_select_gives_some_rows_coded_and_weighed_as_they_were(frame_library):
    columns = {"a": [1.0, 2.0, 3.0, 4.0], "b": [9.0, 7.0, 8.0, 7.0]}
    table = make_table(frame_library, columns, row_weights=np.array([1.0, 2.0, 3.0, 4.0]))
    some = table.select(np.array([3, 0]))
    assert cells_of(some.source) == [[4.0, 1.0], [7.0, 9.0]]
    np.testing.assert_array_equal(some.values, table.values[[3, 0]])
    np.testing.assert_array_equal(some.row_weights, [4.0, 1.0])
    assert (some.n_rows, some.columns, some.kinds) == (2, table.columns, table.kinds)
    with pytest.raises(ValueError, match="read-only"):
        some.values[0, 0] = 1.0


def test_select_keeps_the_codes_of_values_that_it_leaves_out():
    table = Table.from_frame(pd.DataFrame({"town": ["Kiel", "Ulm", "Bonn"]}))
    some = table.select(np.array([1, 0]))
    np.testing.assert_array_equal(some.values[:, 0], [2.0, 1.0])
    assert some.source["town"].tolist() == ["Ulm", "Kiel"]
    assert some.row_weights is None


# Holes.


HOLES = {
    "pandas": lambda cells, dtype=None: pandas_series(cells, dtype).to_frame(),
    "polars": lambda cells, dtype=None: polars_series(cells).to_frame(),
    "pyarrow": lambda cells, dtype=None: pa.table({"x": cells}),
}


@pytest.mark.parametrize("library", HOLES)
@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        ([1.5, None, 2.5], "continuous", [1.5, np.nan, 2.5]),
        ([3, None, -2], "ordered", [3.0, np.nan, -2.0]),
        ([*range(11), None], "continuous", [*range(11), np.nan]),
        ([True, None, False], "nominal", [1.0, np.nan, 0.0]),
        (["b", None, "a"], "nominal", [1.0, np.nan, 0.0]),
        ([TIMES[0], None, TIMES[1]], "continuous", [10_800.0, np.nan, 0.0]),
        ([dt.date(2024, 1, 2), None, dt.date(2024, 1, 1)], "continuous", [86_400.0, np.nan, 0.0]),
        ([Decimal("1.5"), None, Decimal("2.5")], "continuous", [1.5, np.nan, 2.5]),
    ],
    ids=["float", "integer", "integers", "boolean", "text", "time", "date", "decimal"],
)
def test_a_table_may_have_holes_if_it_is_asked_to(library, cells, kind, values):
    frame = HOLES[library](cells)
    table = Table.from_frame(frame, holes=True)
    assert table.kinds == (kind,)
    np.testing.assert_array_equal(table.values[:, 0], values)
    np.testing.assert_array_equal(table.missing, np.isnan(values)[:, np.newaxis])
    with pytest.raises(TableError, match="must have no missing values.*Found 1 in 'x'"):
        Table.from_frame(frame)


@pytest.mark.parametrize(
    "series",
    [
        pandas_series([3, pd.NA, 2], "Int64"),
        pandas_series([3.0, np.nan, 2.0]),
        pandas_series([3, None, 2], object),
        pandas_series([3, None, 2], "int64[pyarrow]"),
        pandas_series([3.0, np.nan, 2.0], "Float64"),
    ],
    ids=lambda series: str(series.dtype),
)
def test_whole_numbers_with_holes_are_integers(series):
    table = Table.from_frame(series.to_frame(), holes=True)
    assert table.kinds == ("ordered",)
    np.testing.assert_array_equal(table.values[:, 0], [3.0, np.nan, 2.0])
    full = Table.from_frame(series.astype("float64").fillna(1.0).to_frame(), holes=True)
    assert full.kinds == ("continuous",)


@pytest.mark.parametrize(
    ("series", "values"),
    [
        (pandas_series(pd.Categorical(["b", None, "a"])), [1.0, np.nan, 0.0]),
        (pandas_series(pd.to_datetime(["2024-01-02", None, "2024-01-01"])), [86_400, np.nan, 0.0]),
        (polars_series(["b", None, "a"], pl.Categorical), [1.0, np.nan, 0.0]),
        (polars_series([1.5, float("nan"), None]), [1.5, np.nan, np.nan]),
    ],
    ids=["category", "NaT", "polars category", "polars NaN"],
)
def test_every_sort_of_nothing_is_a_hole(series, values):
    table = Table.from_frame(series.to_frame(), holes=True)
    np.testing.assert_array_equal(table.values[:, 0], values)


def test_integers_with_holes_may_move_as_integers():
    cells = np.array([*range(12), np.nan])
    table = Table.from_frame(pandas_series(cells).to_frame(), holes=True)
    assert (table.resolution, table.limits[0][0]) == ((1.0,), 0.0)


def test_arrays_have_holes_too():
    table = Table.from_frame(np.array([[1.5, np.nan], [np.nan, 2.0]]), holes=True)
    assert table.kinds == ("continuous", "ordered")
    np.testing.assert_array_equal(table.missing, [[False, True], [True, False]])
    some = table.select(np.array([1]))
    np.testing.assert_array_equal(some.missing, [[True, False]])


def test_a_column_of_nothing_is_refused():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, np.nan]})
    with pytest.raises(
        TableError, match=r"a cell that is not missing. Found none in \['b'\]. Drop"
    ):
        Table.from_frame(frame, holes=True)
    with pytest.raises(TableError, match="must be finite. Found 1 in 'a'"):
        Table.from_frame(pd.DataFrame({"a": [np.inf, np.nan, 1.0]}), holes=True)


@pytest.mark.parametrize("library", LIBRARIES)
@given(data=st.data())
@settings(deadline=None)
def test_without_holes_nothing_changes_to_the_bit(library, data):
    frame = data.draw(frames(library))
    with_flag, without = Table.from_frame(frame, holes=True), Table.from_frame(frame)
    assert with_flag.missing is None
    assert with_flag.values.tobytes() == without.values.tobytes()
    for name in ("columns", "kinds", "numeric", "resolution", "limits"):
        assert getattr(with_flag, name) == getattr(without, name)
