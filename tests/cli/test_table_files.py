"""Tables in files."""

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from causalaug.cli._options import TableFormat
from causalaug.cli._tables import read_table, write_table
from causalaug.exceptions import MissingDependencyError, TableError

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@settings(max_examples=40)
@given(st.lists(NUMBERS, min_size=1), st.sampled_from(["csv", "tsv", "parquet", "feather"]))
def test_numbers_come_back_to_the_last_digit(folder, numbers, ending):
    frame = pd.DataFrame({"x": numbers})
    write_table(frame, folder / f"numbers.{ending}")
    read = read_table(folder / f"numbers.{ending}")["x"].astype(float).tolist()
    assert read == numbers


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)


@settings(max_examples=40)
@given(st.lists(TEXT.map(lambda text: f"x{text}"), min_size=1))
@example(["x\r", "x\r\n=1"])
def test_text_comes_back_as_it_was_but_for_spaces_around_it(folder, texts):
    frame = pd.DataFrame({"number": range(len(texts)), "text": texts})
    write_table(frame, folder / "text.csv")
    bare = [text.strip(" \N{NO-BREAK SPACE}") for text in texts]
    assert read_table(folder / "text.csv")["text"].tolist() == bare


def test_a_byte_order_mark_is_no_part_of_a_name(folder):
    (folder / "marked.csv").write_bytes("a,b\n1,2\n".encode("utf-8-sig"))
    assert list(read_table(folder / "marked.csv")) == ["a", "b"]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_an_encoding_can_be_named(folder, encoding):
    (folder / "coded.csv").write_bytes("Stadt,Größe\nKöln,1\n".encode(encoding))
    frame = read_table(folder / "coded.csv", TableFormat(encoding=encoding))
    assert list(frame) == ["Stadt", "Größe"]
    assert frame["Stadt"].tolist() == ["Köln"]


@pytest.mark.parametrize(("separator", "sign"), [(";", ";"), ("tab", "\t"), ("\\t", "\t")])
def test_a_separator_can_be_named(folder, separator, sign):
    (folder / "separated.csv").write_text(f"a{sign}b\n1{sign}2\n")
    assert list(read_table(folder / "separated.csv", TableFormat(separator=separator))) == [
        "a",
        "b",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_as_on_any_system(folder, end):
    (folder / "ends.csv").write_bytes(end.join(["a,b", "1,2", "3,4", ""]).encode())
    assert read_table(folder / "ends.csv").to_dict("list") == {"a": [1, 3], "b": [2, 4]}


def test_a_whole_number_that_no_float_holds_may_be_left_out(folder):
    (folder / "long.csv").write_text(f"id,b\n{10**30},2\n{10**30 + 1},4\n")
    assert list(read_table(folder / "long.csv", table=TableFormat(drop=["id"]))) == ["b"]


def test_spaces_around_names_do_not_count_and_no_name_is_numbered(folder):
    (folder / "spaces.csv").write_text("\n a , b ,\n1,2,3\n")
    assert list(read_table(folder / "spaces.csv")) == ["a", "b", "Unnamed: 2"]


def test_names_that_pandas_would_make_are_kept(folder):
    (folder / "names.csv").write_text("a,a.1\n1,2\n")
    assert list(read_table(folder / "names.csv")) == ["a", "a.1"]


def test_kinds_follow_the_cells(folder):
    (folder / "kinds.csv").write_text("n,x,s,b\n1,1.0,a,True\n2,2.5,b,False\n")
    kinds = read_table(folder / "kinds.csv").dtypes.map(lambda dtype: dtype.kind).tolist()
    assert kinds[:2] == ["i", "f"]
    assert kinds[3] == "b"


def test_an_index_with_a_name_is_a_column(folder):
    frame = pd.DataFrame({"x": [1.5, 2.5]}, index=pd.Index([7, 8], name="id"))
    frame.to_parquet(folder / "indexed.parquet")
    assert list(read_table(folder / "indexed.parquet")) == ["id", "x"]


def test_an_index_without_a_name_is_none(folder):
    frame = pd.DataFrame({"x": [1.5, 2.5]}, index=[7, 8])
    frame.to_parquet(folder / "indexed.parquet")
    read = read_table(folder / "indexed.parquet")
    assert list(read) == ["x"]
    assert read.index.tolist() == [0, 1]


def test_a_file_cut_in_half_is_told(folder):
    pd.DataFrame({"x": [1.5, 2.5]}).to_parquet(folder / "half.parquet")
    content = (folder / "half.parquet").read_bytes()
    (folder / "half.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(TableError, match="must be a parquet file"):
        read_table(folder / "half.parquet")


def test_without_arrow_the_extra_is_named(folder, monkeypatch):
    (folder / "some.parquet").write_text("")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"causalaug\[cli\]"):
        read_table(folder / "some.parquet")
