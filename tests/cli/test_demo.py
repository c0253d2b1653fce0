"""`causalaug demo`, which `make demo` runs."""

import json
import re

import pytest

import causalaug as ca
import causalaug.evaluation
import causalaug.report
from causalaug.cli import _examples
from command import run, succeed


def once(function):
    """Return a function that works the first time, and then gives the same again."""
    kept = []

    def answer(*args, **options):
        if not kept:
            kept.append(function(*args, **options))
        return kept[0]

    return answer


@pytest.fixture(scope="module", autouse=True)
def small(few_trees):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_examples, "N_ROWS", 24)
        patch.setattr(_examples, "N_FOLDS", 2)
        patch.setattr(causalaug.report, "evaluate", once(ca.evaluate))
        patch.setattr(causalaug.evaluation, "compare", once(ca.compare))
        yield


@pytest.fixture(scope="module")
def shown(small, tmp_path_factory):
    report = tmp_path_factory.mktemp("demo") / "demo.html"
    return succeed("demo", "--report", report).stdout, report


def test_it_shows_factors_rows_check_and_comparison_and_ends_with_a_verdict(shown):
    printed, report = shown
    assert "p(wear | alloy, load)" in printed
    assert "p(noise | wear, heat)" in printed
    assert re.search(r"^\d+ independences: ", printed, re.M)
    for method in (
        "baseline",
        "augmented",
        "without knowledge",
        "order",
        "graph model",
        "forest",
        "boosting",
    ):
        assert re.search(rf"^ +{method}\b", printed, re.M)
    lines = printed.splitlines()
    assert len(lines) < 70
    assert lines[-3] == f"Report: {report.resolve()}"
    assert "wear" in lines[-1] or "graph" in lines[-1]
    assert "(± is one standard error)" in lines[-1]
    assert printed.count("standard error") == 1
    assert report.read_text(encoding="utf-8").lower().startswith("<!doctype html>")


def test_a_wrong_graph_stands_beside_the_right_one(shown):
    printed, _ = shown
    assert f"Beside it a wrong graph, which somebody might have drawn: {_examples.WRONG_GRAPH}" in (
        printed
    )
    figure = r"[+-][\d.]+% ± [\d.]+"
    for part in ("in total", "without knowledge", "by the order", "by the independences"):
        assert re.search(rf"^ +change in MSE, {part} +{figure} +{figure}$", printed, re.M)
    assert re.search(
        r"independences that the data contradict +\d+ of \d+ +\d+ of \d+$", printed, re.M
    )
    assert re.search(rf"^The wrong graph does (no harm|harm here): {figure}\.", printed, re.M)


def test_the_wrong_graph_is_wrong_and_the_right_one_is_not():
    data = ca.datasets.make_machine_wear(120, random_state=0)
    assert ca.check_graph(data.frame, data.graph, random_state=0).verdict == "not rejected"
    wrong = ca.check_graph(data.frame, _examples.WRONG_GRAPH, random_state=0)
    assert wrong.verdict == "violated"


def test_quiet_leaves_the_verdict_and_machines_get_both_graphs(tmp_path):
    words = ["demo", "--report", tmp_path / "demo.html"]
    document = json.loads(succeed(*words, "--json").stdout)
    assert document["wrong_graph"]["graph"] == _examples.WRONG_GRAPH
    assert document["wrong_graph"]["violated"] >= 0
    quiet = succeed(*words, "--quiet")
    assert quiet.stdout == f"{document['findings'][0]}\n"


def test_a_folder_that_is_missing_is_told_before_any_work(tmp_path):
    result = run("demo", "--report", tmp_path / "gone" / "demo.html")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: The folder of an output must exist")


def test_rows_that_are_shown_are_new_and_credited_to_their_source():
    data = ca.datasets.make_machine_wear(40, random_state=0)
    augmented = ca.augment(data.frame, data.graph, random_state=0)
    head, rows = _examples._heaviest_new_rows(data, augmented)
    observed = set(data.frame.itertuples(index=False, name=None))
    assert len(rows) == 5
    assert head[-2:] == ["weight", "from rows"]
    for *cells, _, numbers in rows:
        assert tuple(cells) not in observed
        sources = [int(number) for number in numbers.split()]
        assert cells == [data.frame.iloc[source, j] for j, source in enumerate(sources)]
