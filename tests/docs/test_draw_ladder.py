"""The figure of the ladder of knowledge is drawn from the measured table alone."""

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", exc_type=ImportError)

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("draw_ladder", ROOT / "tools" / "draw_ladder.py")
draw_ladder = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(draw_ladder)

HEAD = (
    "| graph given | mechanism | units | in total, % | without knowledge, % | by the order, % "
    "| by the independences, % |\n|---|---|---|---|---|---|---|\n"
)
PAGE = (
    "# What knowledge is worth\n\n## Ridge regression\n\n"
    + HEAD
    + "| right | linear | 12 | -15.0 ± 1.7 | -1.0 ± 0.3 | -6.0 ± 1.4 | -8.0 ± 1.9 |\n"
    + "\n## Boosting\n\n"
    + HEAD
    + "| shuffled | linear | 8 | +1.0 ± 0.2 | -4.0 ± 0.5 | +0.0 ± 0.0 | +5.0 ± 2.0 |\n"
)


def test_each_step_begins_where_the_last_one_ended():
    learners = draw_ladder.read_steps(PAGE)
    assert list(learners) == ["Ridge regression", "Boosting"]
    steps = draw_ladder.steps_of(learners["Boosting"].loc[("shuffled", "linear")])
    assert steps == [(0.0, -4.0, 0.5), (-4.0, 0.0, 0.0), (-4.0, 5.0, 2.0)]


def test_the_page_that_is_published_can_be_drawn():
    page = (ROOT / "docs" / "results" / "ladder.md").read_text(encoding="utf-8")
    for table in draw_ladder.read_steps(page).values():
        for case in draw_ladder.CASES:
            total = sum(change for _, change, _ in draw_ladder.steps_of(table.loc[case]))
            assert -100.0 < total < 100.0


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("# Nothing yet\n", "must have a section per learner"),
        ("## Ridge\n\nNo table.\n", "Missing in 'Ridge': .*'mechanism'"),
        (PAGE.replace("by the order, %", "other"), r"\['by the order, %'\]"),
    ],
)
def test_a_page_without_the_table_is_refused(page, said):
    with pytest.raises(ValueError, match=said):
        draw_ladder.read_steps(page)


def test_the_figure_is_written(tmp_path, monkeypatch):
    page, out = tmp_path / "ladder.md", tmp_path / "images"
    arguments = ["draw_ladder", "--results", str(page), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", arguments)
    page.write_text("# Nothing yet\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="must have a section"):
        draw_ladder.main()
    assert not out.exists()
    page.write_text(PAGE, encoding="utf-8")
    draw_ladder.main()
    assert sorted(path.name for path in out.iterdir()) == ["ladder.png", "ladder.svg"]
