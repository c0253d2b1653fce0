"""No cell of an exported table is a formula."""

import csv
import io

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalaug.cli._tables import ACTIVE, without_formulas, write_table
from command import succeed

SIGNS = st.sampled_from([*ACTIVE, "a", "1", " ", "'", '"', ",", ""])
CELLS = st.tuples(SIGNS, st.text(st.characters(codec="utf-8", exclude_characters="\0"))).map(
    "".join
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("sheets") / "table.csv"


@settings(max_examples=30)
@given(st.lists(CELLS, min_size=1), CELLS, st.floats(allow_nan=False))
def test_no_guarded_text_starts_with_an_active_sign(path, cells, name, number):
    frame = pd.DataFrame({f"x{name}": 0, name: cells, "number": number})
    write_table(frame, path, safe=True)
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert not any(cell.startswith(ACTIVE) for cell in (*head, *(row[1] for row in rows)))
    assert [float(row[2]) for row in rows] == [number] * len(cells)


@settings(max_examples=30)
@given(st.lists(CELLS, min_size=1))
def test_only_text_that_starts_with_an_active_sign_is_changed(cells):
    guarded = without_formulas(pd.DataFrame({"text": cells}))["text"].tolist()
    for cell, now in zip(cells, guarded, strict=True):
        assert now == (f"'{cell}" if cell.startswith(ACTIVE) else cell)


@pytest.mark.parametrize("dtype", ["category", object, "string"])
def test_text_of_any_dtype_is_guarded(dtype):
    frame = pd.DataFrame({"text": pd.Series(["=1", "b"], dtype=dtype)})
    assert without_formulas(frame)["text"].tolist() == ["'=1", "b"]


@pytest.fixture
def risky(tmp_path):
    path = tmp_path / "risky.csv"
    path.write_text('@who,change\n=SUM(A1),-3.5\n+49,2.25\nplain,-1.0\n"\ttab",0.5\n')
    return path


def test_what_the_data_have_is_written_as_it_is(risky, tmp_path):
    out = tmp_path / "new.csv"
    succeed("augment", risky, "--graph", '"@who" -> change', "--out", out, "--provenance")
    head, *rows = csv.reader(io.StringIO(out.read_text(), newline=""))
    assert {row[0] for row in rows} == {"=SUM(A1)", "+49", "plain", "\ttab"}
    assert [name for name in head if name.startswith(ACTIVE)] == ["@who"]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_safe_csv_guards_text_and_names_and_leaves_numbers(risky, tmp_path, ending):
    out = tmp_path / f"new.{ending}"
    succeed("augment", risky, "--graph", '"@who" -> change', "--out", out, "--safe-csv")
    separator = "," if ending == "csv" else "\t"
    head, *rows = csv.reader(io.StringIO(out.read_text(), newline=""), delimiter=separator)
    assert head == ["'@who", "change", "weight"]
    assert {row[0] for row in rows} == {"'=SUM(A1)", "'+49", "plain", "'\ttab"}
    assert {float(row[1]) for row in rows} == {-3.5, 2.25, -1.0, 0.5}
