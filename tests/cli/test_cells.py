"""Cells of text files: numbers, names made of digits, marks of missing cells, and words."""

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causalaug as ca
import causalaug.report
from causalaug.cli._cells import Expected
from causalaug.cli._options import TableFormat
from causalaug.cli._tables import read_table
from command import run, succeed


@pytest.fixture
def read(tmp_path):
    """Return what reads a column x of some cells: the column, and the remarks on it."""

    def cells_and_remarks(cells, text=TableFormat(), name="x", **expected):  # noqa: B008
        path, remarks = tmp_path / "table.csv", []
        pd.DataFrame({name: cells, "other": range(len(cells))}).to_csv(path, index=False)
        frame = read_table(path, text, Expected(**expected), remarks.append)
        return frame[name], remarks

    return cells_and_remarks


# Names made of digits.


@pytest.mark.parametrize(
    "cells",
    [
        ["000", "001", "010"],
        ["01000", "20095", "10115"],
        ["00", "1"],
        ["01000", "", "NA"],
        ["01000", "20095", "-NaN"],
        ["0" * 20 + "1", "9" * 30],
        ["-01", "02"],
        ["+01", "-20", "3"],
        ["-00", "1"],
    ],
)
def test_digits_with_a_superfluous_zero_are_text_and_told(read, cells):
    column, remarks = read(cells)
    there = [cell for cell in cells if cell not in ("", "NA", "-NaN")]
    assert column.dropna().tolist() == there
    assert remarks == [
        "Read as text, since whole numbers do not begin with a superfluous zero: "
        f"'x' (such as '{there[0]}'). --kinds x=continuous makes them numbers."
    ]


@pytest.mark.parametrize(
    "cells",
    [
        ["0", "1", "10"],
        ["0.5", "-0.5", "0"],
        ["20210105", "20210106"],
        ["1e05", "100"],
        ["-05", "07.5"],
        ["-0", "-10"],
    ],
)
def test_other_digits_are_numbers(read, cells):
    column, remarks = read(cells)
    assert column.tolist() == [float(cell) for cell in cells]
    assert remarks == []


def test_zeros_in_dates_are_not_superfluous(read):
    column, remarks = read(["2021-01-05", "2021-01-06"])
    assert column.dt.day.tolist() == [5, 6]
    assert remarks == []


@given(st.lists(st.from_regex(r"[+-]?[0-9]{1,4}", fullmatch=True), min_size=1))
def test_whole_numbers_are_text_exactly_if_a_zero_would_be_lost(tmp_path_factory, cells):
    path = tmp_path_factory.mktemp("digits") / "table.csv"
    path.write_text("\n".join(["x", *cells, ""]))
    as_text = any(len(str(abs(int(cell)))) < len(cell.lstrip("+-")) for cell in cells)
    assert read_table(path)["x"].tolist() == (cells if as_text else [int(cell) for cell in cells])


@pytest.mark.parametrize("kind", ["continuous", "ordered"])
def test_digits_are_numbers_if_the_user_says_so(read, kind):
    column, remarks = read(["007", "010"], kinds={"x": kind})
    assert column.tolist() == [7, 10]
    assert remarks == []


def test_nothing_is_said_of_names_that_the_user_calls_so(read):
    column, remarks = read(["007", "010"], kinds={"x": "nominal"})
    assert column.tolist() == ["007", "010"]
    assert remarks == []


def test_new_rows_keep_the_zeros_of_zip_codes(tmp_path):
    path, out = tmp_path / "towns.csv", tmp_path / "new.csv"
    path.write_text("zip,rent\n01000,5.5\n01000,6.5\n20095,9.5\n20095,8.5\n")
    result = succeed("augment", path, "--graph", "zip -> rent", "--out", out)
    assert "'zip' (such as '01000')" in result.stderr
    assert "nominal: zip" in result.stdout
    assert set(pd.read_csv(out, dtype=str)["zip"]) == {"01000", "20095"}
    words = ["augment", path, "--graph", "zip -> rent", "--out", out]
    assert succeed(*words, "--kinds", "zip=continuous").stderr == ""
    assert set(pd.read_csv(out)["zip"]) == {1000, 20095}


# Missing cells.

MARKS = ["-", "--", ".", "?", "n/a", "N/A", "#N/A", "null", "none", "None", "NaN", "n.a."]


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_is_a_missing_cell_where_all_others_are_numbers(read, mark):
    column, remarks = read(["1.5", mark, "2", f" {mark} "])
    assert column.dtype.kind == "f"
    assert column.isna().tolist() == [False, True, False, True]
    known = {"n/a", "N/A", "#N/A", "null", "None", "NaN"}
    told = f"'x': 2 cells are taken as missing ('{mark}'), since all others are numbers."
    assert [line.startswith(told) for line in remarks] == [True] * (mark not in known)


@pytest.mark.parametrize("mark", ["-", ".", "?", "none", "--"])
def test_a_mark_among_words_is_a_word(read, mark):
    column, remarks = read(["one", mark, "2"])
    assert column.tolist() == ["one", mark, "2"]
    assert remarks == []


@pytest.mark.parametrize("cell", [" NA", "NA ", " ", "  null  ", "\N{NO-BREAK SPACE}"])
@pytest.mark.parametrize(
    ("others", "kind"), [(["1.5", "2"], "f"), (["True", "False"], "O"), (["2024-02-29"] * 2, "M")]
)
def test_spaces_around_a_missing_cell_change_nothing(read, cell, others, kind):
    column, remarks = read([*others, cell])
    assert column.dtype.kind == kind
    assert column.isna().tolist() == [False, False, True]
    assert column.tolist()[:2] == read([*others, "NA"])[0].tolist()[:2]
    assert remarks == []


def test_spaces_around_words_make_no_other_words(read):
    assert read(["hi", "hi ", " lo", "a b"])[0].tolist() == ["hi", "hi", "lo", "a b"]


def test_whole_numbers_between_spaces_are_whole(read):
    column, _ = read([f"{2**62 + 1}\N{NO-BREAK SPACE}", "7"])
    assert column.tolist() == [2**62 + 1, 7]


def test_a_name_may_be_that_of_an_argument(read):
    assert read(["2024-02-29", " NA"], name="self")[0].notna().tolist() == [True, False]


@pytest.mark.parametrize("mark", ["*", "-999", "not measured", "(none)"])
def test_a_mark_that_the_user_names_is_a_missing_cell_in_every_column(read, mark):
    text = TableFormat(missing=[mark])
    column, remarks = read(["1.5", mark, "2", f" {mark} "], text)
    assert column.dtype.kind == "f"
    assert column.isna().tolist() == [False, True, False, True]
    assert remarks == []
    column, _ = read(["hi", mark, "lo", f" {mark} "], text)
    assert column.isna().tolist() == [False, True, False, True]
    column, _ = read(["007", mark, "010"], text)
    assert column.dropna().tolist() == ["007", "010"]


def test_every_command_takes_marks_of_missing_cells(data, tmp_path):
    data.write_text(data.read_text().replace("39.6", "*").replace("yes,39.1", "x,39.1"))
    words = ["complete", data, "--graph", "fever <- sick -> cough", "--out", tmp_path / "full.csv"]
    result = succeed(*words, "--missing", "*", "--missing", "x")
    assert "read as text" not in result.stderr
    full = pd.read_csv(tmp_path / "full.csv")
    assert set(full["sick"]) == {"yes", "no"}
    assert full["fever"].between(30, 45).all()


# Numbers among which some are none.


@pytest.mark.parametrize(
    "odd", ["10,696.5", "12%", "7 mm", "\N{MINUS SIGN}5", "Total", "1_0", "<0.5", "- -"]
)
def test_few_cells_that_are_no_numbers_are_told(read, odd):
    column, remarks = read(["1.5", "2", "3", "", odd])
    assert column.dropna().tolist() == ["1.5", "2", "3", odd]
    assert len(remarks) == 1
    told = f"'x' is read as text: 3 of 4 cells are numbers, others are '{odd}'. Write these as"
    assert remarks[0].startswith(told)
    assert remarks[0].endswith("--kinds x=nominal says so.")
    assert read(["1.5", "2", "3", "", odd], kinds={"x": "nominal"})[1] == []


@pytest.mark.parametrize("cells", [["1,234.5", "10,696.5"], ["12%", "3%"], ["$5", "$1,200"]])
def test_numbers_that_are_all_written_for_people_are_told(read, cells):
    assert read(cells)[1][0].startswith("'x' is read as text: 0 of 2 cells are numbers, others")


# Dates among which some are none, and dates that are written for people.

DAYS = ["2020-02-27", "2020-02-28", "2020-02-29T12:30"]


@pytest.mark.parametrize("odd", ["2020-02-30", "2021-02-29", "31/12/2020", "soon", "2020-13-01"])
def test_few_cells_that_are_no_dates_are_told(read, odd):
    column, remarks = read([*DAYS, "", odd])
    assert column.dropna().tolist() == [*DAYS, odd]
    assert remarks == [
        f"'x' is read as text: 3 of 4 cells are dates, others are '{odd}'. Write these as real "
        "dates such as 2024-02-29, leave them empty if they are missing, or take their rows out. "
        "If they are words, --kinds x=nominal says so."
    ]
    assert read([*DAYS, "", odd], kinds={"x": "nominal"})[1] == []
    assert read([*DAYS, "", odd], TableFormat(dates=False))[1] == []


@pytest.mark.parametrize(
    "cells",
    [
        ["31/12/2020", "1/2/2021"],
        ["31.12.20", "01.02.21"],
        ["12-31-2020", "02-01-2021"],
        ["2020/12/31", "2021/2/1"],
        ["31/12/2020 23:59", "01/02/2021 00:00:30"],
    ],
)
def test_dates_that_are_all_written_for_people_are_told(read, cells):
    (remark,) = read(cells)[1]
    assert remark.startswith("'x' is read as text: 0 of 2 cells are dates, others are")


@pytest.mark.parametrize("cells", [["1/2", "3/4"], ["1.2.3", "1.10.4"], ["40/50/2020"] * 2])
def test_nothing_is_said_of_what_is_no_date(read, cells):
    assert read(cells)[1] == []


@pytest.mark.parametrize("cells", [["a", "b"], ["1", "two", "three"], ["M-001", "M-002"]])
def test_nothing_is_said_of_words(read, cells):
    assert read(cells)[1] == []


def test_nothing_is_said_of_columns_that_are_not_used(read):
    column, remarks = read(["1.5", "2", "3 mm", " NA", "007"], nodes=["other"])
    assert column.tolist() == ["1.5", "2", "3 mm", " NA", "007"]
    assert remarks == []


@pytest.mark.parametrize("command", ["check", "augment", "complete", "discover", "evaluate"])
def test_every_command_says_it_once_on_the_error_stream(tmp_path, monkeypatch, command):
    def stop(*_, **__):
        raise ca.exceptions.ParameterError("Here the work would begin.")

    monkeypatch.setattr(causalaug.report, "evaluate", stop)
    wear = ["-" if row == 3 else str(row / 3) for row in range(40)]
    noise = ["off" if row == 5 else str(row / 2) for row in range(40)]
    path = tmp_path / "table.csv"
    pd.DataFrame({"wear": wear, "noise": noise}).to_csv(path, index=False)
    more = [] if command == "discover" else ["--graph", "wear -> noise"]
    more += ["--out", tmp_path / "out.csv"] if command in ("augment", "complete") else []
    more += ["--target", "wear", "--quick", "--estimator", "ridge"] if command == "evaluate" else []
    lines = run(command, path, *more).stderr.splitlines()
    assert sum(line.startswith("'wear': 1 cell is taken as missing ('-')") for line in lines) == 1
    told = "'noise' is read as text: 39 of 40 cells are numbers, others are 'off'. "
    assert sum(line.startswith(told) for line in lines) == 1
    quiet = run(command, path, *more, "--quiet").stderr
    assert "is read as text" not in quiet


def test_machines_get_their_document_and_nothing_else(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("zip,y\n01000,1.5\n20095,-\n01000,2.5\n")
    document = json.loads(succeed("check", path, "--graph", "zip -> y", "--json").stdout)
    assert document["kinds"] == {"zip": "nominal", "y": "continuous"}


# Options that name columns.


@pytest.mark.parametrize(
    "options",
    [
        ["--kinds", "fever=ordered,fever=nominal"],
        ["--kinds", "fever=ordered", "--kinds", "fever=ordered"],
        ["--limits", "fever=0:,fever=:50"],
    ],
)
def test_a_column_that_is_named_twice_is_an_error(data, options, tmp_path):
    words = ["augment", data, "--graph", "fever <- sick -> cough", "--out", tmp_path / "new.csv"]
    result = run(*words, *options)
    assert result.exit_code == 2
    assert f"'{options[0]}': must name each column once. Found 'fever' twice" in result.stderr
