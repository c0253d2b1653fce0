"""`causalaug demo`, which `make demo` runs."""

import re

import causalaug as ca
from causalaug.cli import _demo
from command import run, succeed


def test_it_shows_factors_rows_check_and_comparison_and_ends_with_a_report(tmp_path, monkeypatch):
    monkeypatch.setattr(_demo, "N_ROWS", 24)
    monkeypatch.setattr(_demo, "N_FOLDS", 2)
    report = tmp_path / "demo.html"
    printed = succeed("demo", "--report", report).stdout
    assert "p(wear | alloy, load)" in printed
    assert "p(noise | wear, heat)" in printed
    assert re.search(r"^\d+ independences: ", printed, re.M)
    for method in ("baseline", "augmented", "control", "graph model", "forest", "boosting"):
        assert re.search(rf"^ +{method}\b", printed, re.M)
    lines = printed.splitlines()
    assert len(lines) < 60
    assert lines[-1] == f"Report: {report.resolve()}"
    assert report.read_text(encoding="utf-8").lower().startswith("<!doctype html>")


def test_a_folder_that_is_missing_is_told_before_any_work(tmp_path):
    result = run("demo", "--report", tmp_path / "gone" / "demo.html")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: The folder of an output must exist")


def test_rows_that_are_shown_are_new_and_credited_to_their_source():
    data = ca.datasets.make_machine_wear(40, random_state=0)
    augmented = ca.augment(data.frame, data.graph, random_state=0)
    head, rows = _demo._heaviest_new_rows(data, augmented)
    observed = set(data.frame.itertuples(index=False, name=None))
    assert len(rows) == 5
    assert head[-2:] == ["weight", "from rows"]
    for *cells, _, numbers in rows:
        assert tuple(cells) not in observed
        sources = [int(number) for number in numbers.split()]
        assert cells == [data.frame.iloc[source, j] for j, source in enumerate(sources)]
