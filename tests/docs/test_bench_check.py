"""The guard that compares the speed with the committed table."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "bench_check.py"
_spec = importlib.util.spec_from_file_location("bench_check", PATH)
bench_check = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(bench_check)

HEAD = ["table", "temperature", "rows out", "causalaug", "dense", "ratio", "floor"]


def committed():
    return bench_check.rows_of(bench_check.SPEED.read_text(encoding="utf-8"), bench_check.TITLE)


def test_the_committed_table_can_be_read():
    rows = committed()
    assert len(rows) >= 9
    assert all(list(row) == HEAD and float(row["ratio"]) > 1.0 for row in rows)


def test_the_same_figures_are_no_complaint():
    assert bench_check.complaints(committed(), [list(row.values()) for row in committed()]) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ratio": "1"}, ": 1 times the dense speed, was "),
        ({"rows out": "7"}, ": 7 rows out, committed "),
        ({"temperature": "9"}, ": not in the committed table"),
    ],
)
def test_what_fell_behind_is_named(changes, words):
    first, *rest = committed()
    measured = [list({**first, **changes}.values()), *(list(row.values()) for row in rest)]
    (found,) = bench_check.complaints(committed(), measured)
    assert words in found


def test_a_missing_table_is_told():
    with pytest.raises(ValueError, match="There must be a table below '## Speed'"):
        bench_check.rows_of("# Speed\n\n| a |\n", "## Speed")
