"""The figure "How many rows a graph is worth" is drawn from the measured table alone."""

import importlib.util
import math
import sys
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("matplotlib", exc_type=ImportError)

SOURCE = Path(__file__).parents[2] / "tools" / "draw_worth.py"
SPEC = importlib.util.spec_from_file_location("draw_worth", SOURCE)
draw_worth = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(draw_worth)

PAGE = """# Does the graph help?

## How many rows a graph is worth

Geometric mean of the test MSE over shapes.

| mechanism | n | units | plain boosting | best plain by folds | blended boosting | graph model |
|---|---|---|---|---|---|---|
| nonlinear | 240 | 8 | 0.500 | 0.250 | 0.125 | 0.1 |
| nonlinear | 60 | 8 | 1.000 | 0.500 | 0.250 | 0.2 |
| linear | 60 | 8 | 1.000 | 0.500 | 0.250 | 0.2 |
| linear | 240 | 8 | 0.125 | 0.125 | 0.125 | 0.1 |

## Another section

| mechanism | n |
|---|---|
| nonlinear | 7 |
"""


def curve_of(mechanism):
    curves = draw_worth.read_curves(PAGE)
    return curves[curves["mechanism"] == mechanism]


def test_the_table_of_the_section_is_read_and_no_other():
    curves = draw_worth.read_curves(PAGE)
    assert curves[["mechanism", "n"]].values.tolist() == [
        ["linear", 60],
        ["linear", 240],
        ["nonlinear", 60],
        ["nonlinear", 240],
    ]


def test_rows_are_read_off_where_the_plain_curve_is_as_low():
    wanted, needed = draw_worth.worth_of(curve_of("nonlinear"))
    assert wanted == 0.25
    assert needed["best plain by folds"] == pytest.approx(240)
    assert needed["plain boosting"] == math.inf
    # Of a fall by 8 in two doublings, a fall by 4 takes two thirds: 60 * 4 ** (2 / 3).
    assert draw_worth.worth_of(curve_of("linear"))[1]["plain boosting"] == pytest.approx(
        151.19, abs=0.01
    )


@given(st.floats(0.3, 2.0), st.floats(0.05, 20.0), st.floats(25.0, 380.0))
def test_a_power_law_is_inverted_exactly(power, scale, rows):
    n = pd.Series([20.0, 60.0, 150.0, 400.0])
    found = draw_worth.rows_needed(n, scale * n**-power, scale * rows**-power)
    assert found == pytest.approx(rows)


def test_the_first_of_several_crossings_counts():
    n, loss = pd.Series([20.0, 40.0, 80.0, 160.0]), pd.Series([4.0, 1.0, 3.0, 0.5])
    assert draw_worth.rows_needed(n, loss, 1.0) == pytest.approx(40)
    assert draw_worth.rows_needed(n, loss, 5.0) == pytest.approx(20)


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("# Nothing yet\n", "must have a section .* Missing there: .*'blended boosting'"),
        (PAGE.replace("blended boosting", "other"), r"Missing there: \['blended boosting'\]"),
        ("\n".join(PAGE.splitlines()[:8]) + "\n", "Missing there: its rows. Measure it by"),
    ],
)
def test_a_page_without_the_table_is_refused(page, said):
    with pytest.raises(ValueError, match=said):
        draw_worth.read_curves(page)


def test_a_curve_without_the_start_is_refused():
    with pytest.raises(ValueError, match="one line for 30 rows of each mechanism. Found 0"):
        draw_worth.worth_of(curve_of("linear"), start=30)


def test_the_figure_is_written_and_its_numbers_are_printed(tmp_path, monkeypatch, capsys):
    page = tmp_path / "learning.md"
    page.write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(
        sys, "argv", ["draw_worth", "--results", str(page), "--out", str(tmp_path / "images")]
    )
    draw_worth.main()
    assert sorted(path.name for path in (tmp_path / "images").iterdir()) == [
        "rows_worth.png",
        "rows_worth.svg",
    ]
    said = capsys.readouterr().out
    assert (
        "nonlinear: 60 rows and the graph, MSE 0.250: more than 240 rows (plain boosting)" in said
    )


def test_without_the_table_nothing_is_written(tmp_path, monkeypatch):
    page = tmp_path / "learning.md"
    page.write_text("# Nothing yet\n", encoding="utf-8")
    monkeypatch.setattr(
        sys, "argv", ["draw_worth", "--results", str(page), "--out", str(tmp_path / "images")]
    )
    with pytest.raises(SystemExit, match="must have a section"):
        draw_worth.main()
    assert not (tmp_path / "images").exists()
