"""Tables as they come: an id, dates, spaces in names, decimal commas."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from causalaug.cli._options import TableFormat
from causalaug.cli._tables import read_table
from causalaug.exceptions import ParameterError, TableError
from command import run, succeed

GRAPH = '"day of visit" -> "blood pressure" <- dose; "blood pressure" -> outcome'


@pytest.fixture
def visits(tmp_path):
    rng = np.random.default_rng(0)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 40), unit="D")
    dose = rng.integers(0, 4, 40)
    pressure = 120.0 - 5.0 * dose + rng.normal(size=40)
    frame = pd.DataFrame(
        {
            "id": np.arange(40) + 1000,
            "day of visit": day.strftime("%Y-%m-%d"),
            "dose": dose,
            "blood pressure": pressure.round(1),
            "outcome": (pressure + rng.normal(size=40)).round(2),
        }
    )
    path = tmp_path / "visits.csv"
    frame.to_csv(path, index=False)
    return path


KINDS = "continuous: day of visit, blood pressure, outcome; ordered: dose"


def test_from_a_file_to_a_report(visits, tmp_path):
    report = tmp_path / "report.html"
    words = ["-g", GRAPH, "-t", "outcome", "--estimator", "ridge", "--quick", "--folds", "2"]
    words += ["-r", report]
    result = succeed("evaluate", visits, *words)
    assert f"Kinds: {KINDS} (--kinds changes them)." in result.stdout.splitlines()
    assert result.stderr.count("warning: ") == 1
    assert "Columns that are no node of the graph: ['id']" in result.stderr
    assert "columns outside the graph" in report.read_text()


def test_a_check_says_what_it_left_out_and_the_kinds(visits):
    result = succeed("check", visits, "-g", GRAPH)
    assert (
        "Kinds: continuous: day of visit, blood pressure, outcome; ordered: dose" in result.stdout
    )
    assert result.stderr == "Left out, since they are no node of the graph: id\n"
    assert succeed("check", visits, "-g", GRAPH, "--drop", "id").stderr == ""


def test_new_rows_have_dates_and_no_id(visits, tmp_path):
    out = tmp_path / "new.csv"
    result = succeed("augment", visits, "-g", GRAPH, "-o", out, "--rows", "50")
    assert result.stderr == "Left out, since they are no node of the graph: id\n"
    written, observed = pd.read_csv(out), pd.read_csv(visits)
    assert list(written) == [*observed.columns[1:], "weight"]
    assert set(written["day of visit"]) <= set(observed["day of visit"])
    assert succeed("augment", visits, "-g", GRAPH, "-o", out, "-q").stderr == ""


def test_lost_mass_is_a_warning(visits, tmp_path):
    words = ["-g", GRAPH, "-o", tmp_path / "new.csv", "--expansion", "beam", "--rows", "9"]
    result = succeed("augment", visits, *words, "--drop", "id", "--json")
    assert "% of the mass was dropped: paths were pruned" in result.stderr
    assert result.stderr.startswith("warning: ")
    assert json.loads(result.stdout)["dropped_mass"] > 0.01


# Columns.


def test_columns_can_be_chosen_and_dropped_with_commas_between(visits):
    def names(**chosen):
        return list(read_table(visits, TableFormat(**chosen)))

    assert names(columns=["dose,id"]) == ["id", "dose"]
    assert names(columns=["dose", "id"]) == ["id", "dose"]
    assert names(drop=["id, dose", "outcome"]) == ["day of visit", "blood pressure"]
    assert names(columns=["id,dose"], drop=["id"]) == ["dose"]


def test_a_name_may_hold_a_comma(tmp_path):
    path = tmp_path / "comma.csv"
    path.write_text('"a,b",a,b\n1,2,3\n')
    assert list(read_table(path, table=TableFormat(drop=["a,b"]))) == ["a", "b"]
    assert list(read_table(path, table=TableFormat(drop=["b,a"]))) == ["a,b"]


@pytest.mark.parametrize("option", ["--columns", "--drop"])
def test_columns_must_be_there(visits, tmp_path, option):
    result = run("augment", visits, "-g", GRAPH, "-o", tmp_path / "new.csv", option, "id,dosis")
    assert result.exit_code == 1
    assert f"`{option}` names columns that the data do not have: ['dosis']" in result.stderr


# Dates.


@pytest.mark.parametrize(
    ("cells", "seconds"),
    [
        (["2024-01-01", "2024-01-03"], 2 * 86_400),
        (["2024-01-01 10:00", "2024-01-01T10:01:30"], 90),
        (["2024-01-01T10:00:00.25", "2024-01-01T10:00:01.75"], 1.5),
        (["2024-01-01T10:00:00Z", "2024-01-01T10:00:00-01:00"], 3_600),
    ],
)
def test_iso_dates_become_dates(tmp_path, cells, seconds):
    (tmp_path / "dates.csv").write_text("\n".join(["t", *cells]) + "\n")
    read = read_table(tmp_path / "dates.csv")["t"]
    assert (read[1] - read[0]).total_seconds() == seconds
    assert read_table(tmp_path / "dates.csv", TableFormat(dates=False))["t"].tolist() == cells


@pytest.mark.parametrize("cell", ["2024-02-30", "2024-1-1", "20240101", "2024-01-01 or so"])
def test_what_is_no_date_stays_text(tmp_path, cell):
    (tmp_path / "text.csv").write_text(f"t,x\n2024-01-01,1\n{cell},2\n")
    assert read_table(tmp_path / "text.csv")["t"].tolist() == ["2024-01-01", cell]


def test_dates_can_be_switched_off(visits):
    words = ["check", visits, "-g", GRAPH, "--drop", "id", "--json"]
    kinds = json.loads(succeed(*words).stdout)["kinds"]
    assert kinds["day of visit"] == "continuous"
    kinds = json.loads(succeed(*words, "--no-dates").stdout)["kinds"]
    assert kinds["day of visit"] == "nominal"


# Decimal commas.

SEMICOLONS = TableFormat(separator=";")


def test_a_decimal_comma_can_be_said(tmp_path):
    (tmp_path / "comma.csv").write_text("x;y\n1,5;-0,25\n2,5;3\n")
    read = read_table(tmp_path / "comma.csv", TableFormat(separator=";", decimal=","))
    assert read.to_numpy().tolist() == [[1.5, -0.25], [2.5, 3.0]]


@pytest.mark.parametrize("cells", [["1,5", "2,25"], ["1,5", "2"], ["1.234,5", "-7,0"]])
def test_a_decimal_comma_is_named(tmp_path, cells):
    (tmp_path / "comma.csv").write_text("\n".join(["x;y", *(f"{cell};a" for cell in cells)]) + "\n")
    words = (
        rf"Found a decimal comma in 'x' \(such as '{cells[0]}'\) of .*comma.csv'. Say --decimal ,"
    )
    with pytest.raises(TableError, match=words):
        read_table(tmp_path / "comma.csv", SEMICOLONS)
    kept = read_table(tmp_path / "comma.csv", TableFormat(separator=";", decimal="."))
    assert kept["x"].tolist() == cells
    assert list(read_table(tmp_path / "comma.csv", TableFormat(separator=";", drop=["x"]))) == ["y"]


def test_commas_that_may_stand_between_thousands_are_read_in_neither_way(tmp_path):
    (tmp_path / "comma.csv").write_text("x;y\n10,696;1\n9,100;2\n12;3\n")
    words = (
        r"Found a comma in 'x' \(such as '10,696'\) of .*comma.csv', which may be either. Take the "
        "commas out if they stand between thousands; if they are decimal commas, say --decimal ,"
    )
    with pytest.raises(TableError, match=words):
        read_table(tmp_path / "comma.csv", SEMICOLONS)
    read = read_table(tmp_path / "comma.csv", TableFormat(separator=";", decimal=","))
    assert read["x"].tolist() == [10.696, 9.1, 12.0]


@pytest.mark.parametrize(
    ("cell", "advice"),
    [
        ("10,696", "Take the commas between the thousands out"),
        ("1,5", "Write all numbers with a point, or all with a comma and say --decimal ,"),
    ],
)
def test_no_advice_leads_to_an_error_that_takes_it_back(tmp_path, cell, advice):
    path = tmp_path / "both.csv"
    path.write_text(f"x;y\n{cell};1.5\n9,100;2.5\n")
    words = rf"Found a comma in 'x' \(such as '{cell}'\) .*, and a point in 'y' \(such as '1.5'\)"
    with pytest.raises(TableError, match=rf"{words}. {advice}"):
        read_table(path, SEMICOLONS)
    with pytest.raises(TableError, match=rf"leave --decimal out .* 'x' \(such as '{cell}'\) with"):
        read_table(path, TableFormat(separator=";", decimal=","))


def test_a_decimal_comma_between_commas_needs_another_separator(tmp_path):
    (tmp_path / "comma.csv").write_text('x,y\n"1,5",a\n"2,25",b\n')
    words = "Write the table with ';' between its cells and say --separator ';' --decimal ,"
    with pytest.raises(TableError, match=words):
        read_table(tmp_path / "comma.csv")


def test_a_mark_of_a_missing_cell_does_not_hide_a_decimal_comma(tmp_path):
    (tmp_path / "comma.csv").write_text("x;y\n1,5;1\n-;2\n")
    with pytest.raises(TableError, match="Found a decimal comma in 'x'"):
        read_table(tmp_path / "comma.csv", SEMICOLONS)
    read = read_table(tmp_path / "comma.csv", TableFormat(separator=";", decimal=","))
    assert read["x"].isna().tolist() == [False, True]


def test_points_between_thousands_are_named(tmp_path):
    (tmp_path / "comma.csv").write_text("x;y\n1.234,5;1\n2,5;2\n")
    with pytest.raises(TableError, match="Take the points between the thousands out"):
        read_table(tmp_path / "comma.csv", TableFormat(separator=";", decimal=","))


@pytest.mark.parametrize("cells", [["2", "1.5"], ["-.5", "1.5e3"], ["2,5", "1.234"]])
def test_a_decimal_point_beside_a_decimal_comma_is_named(tmp_path, cells):
    (tmp_path / "point.csv").write_text("\n".join(["x;y", *(f"{cell};a" for cell in cells)]) + "\n")
    shown = re.escape(next(cell for cell in cells if "." in cell))
    words = rf"Found a point in 'x' \(such as '{shown}'\) of .*point.csv'.* leave --decimal out"
    with pytest.raises(TableError, match=words):
        read_table(tmp_path / "point.csv", TableFormat(separator=";", decimal=","))


def test_words_with_digits_beside_a_decimal_comma_are_words(tmp_path):
    (tmp_path / "words.csv").write_text("x;y;z\n1.2.3;1.5 m;٣\n10.0.0.1;2.5 m;٤\n")
    read = read_table(tmp_path / "words.csv", TableFormat(separator=";", decimal=","))
    assert read.iloc[0].tolist() == ["1.2.3", "1.5 m", "٣"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"decimal": ";"}, r"--decimal must be '\.' or ','. Found ';'"),
        ({"decimal": ","}, r"must not both separate cells and stand in numbers. Found ','"),
    ],
)
def test_the_decimal_sign_is_checked(tmp_path, options, words):
    (tmp_path / "some.csv").write_text("x,y\n1,2\n")
    with pytest.raises(ParameterError, match=words):
        read_table(tmp_path / "some.csv", TableFormat(**options))
