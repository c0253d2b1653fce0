"""`causalaug evaluate`."""

import json
import re

import pandas as pd
import pytest

import causalaug as ca
import causalaug.report
from causalaug.evaluation import named_learner
from command import EXACTLY, run, start, succeed

GRAPH = "{alloy, load} -> wear -> heat; load <-> heat"


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    path = tmp_path_factory.mktemp("parts") / "parts.csv"
    frame = ca.datasets.make_machine_wear(24, random_state=0).frame
    frame = frame[["alloy", "load", "wear", "heat"]]
    frame.assign(worn=(frame["wear"] > 0).map({True: "yes", False: "no"})).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def printed(parts, few_trees):
    words = ["--graph", GRAPH, "--target", "wear", "--drop", "worn", "--estimator", "ridge"]
    words += ["--folds", "2", "--seed", "5", "--report", parts.with_name("report.html")]
    result = succeed("evaluate", parts, *words)
    # A slow machine may get to say how far it is.
    said = [each for each in result.stderr.splitlines() if not each.startswith("Fitting learners:")]
    assert said == []
    return result.stdout.splitlines()


@pytest.fixture(scope="module")
def evaluation(parts, few_trees):
    frame = pd.read_csv(parts, **EXACTLY).drop(columns="worn")
    learner = named_learner("ridge", frame.drop(columns="wear"), classification=False)
    graph = ca.read_graph(GRAPH)
    return ca.evaluate(frame, graph, "wear", estimator=learner, n_splits=2, random_state=5)


@pytest.fixture
def asked(monkeypatch, evaluation):
    """Let the library answer at once, and keep what it was asked."""
    calls = []

    def answer(frame, graph, target, **options):
        calls.append({"frame": frame, "graph": graph, "target": target, **options})
        options["callback"](1, 1)
        return evaluation

    monkeypatch.setattr(causalaug.report, "evaluate", answer)
    return calls


def test_the_verdict_comes_first_and_the_report_last(printed, evaluation, parts):
    assert printed[0] == evaluation.findings[0]
    reasons = [f"- {finding}" for finding in evaluation.findings[1:]]
    assert printed[1 : 1 + len(reasons)] == reasons
    assert sum(line.count("standard error") for line in printed) == 1
    assert printed[-1] == f"Report: {parts.with_name('report.html').resolve()}"


def test_all_methods_have_their_figures(printed, evaluation):
    losses = evaluation.comparison.losses.mean()
    for method in ("baseline", "augmented", "without knowledge", "order", "forest", "boosting"):
        row = next(line.strip() for line in printed if re.match(rf" *{method} +[\d.]", line))
        assert row.removeprefix(method).split()[0] == f"{losses[method]:.4g}"


def test_the_report_is_a_page_that_says_the_same(printed, evaluation, parts):
    page = parts.with_name("report.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert evaluation.findings[0].partition(":")[0] in page


def test_the_same_command_writes_the_same_bytes(parts):
    # Two processes: within one, a function has one address.
    report = parts.with_name("again.html")
    words = ["evaluate", parts, "-g", GRAPH, "-t", "wear", "--drop", "worn", "--json"]
    words += ["--quick", "--folds", "2", "--estimator", "ridge", "--report", report]
    found = []
    for _ in range(2):
        printed, complained = start(*words).communicate(timeout=120)
        found.append((printed, report.read_bytes()))
        assert "ridge" in printed.lower(), complained
    assert found[0] == found[1]


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("ending", ["md", "json"])
def test_the_document_and_other_reports_are_those_of_the_library(
    parts, tmp_path, ending, evaluation
):
    report = tmp_path / f"report.{ending}"
    words = ["-g", GRAPH, "-t", "wear", "--drop", "worn", "-r", report, "--json"]
    document = json.loads(succeed("evaluate", parts, *words).stdout)
    assert document["report"] == str(report)
    assert document["gain"] == evaluation.to_dict()["gain"]
    written = report.read_text(encoding="utf-8")
    assert written == evaluation.to_markdown() or json.loads(written)["gain"] == document["gain"]


@pytest.mark.usefixtures("asked")
def test_quiet_leaves_the_verdict(parts, evaluation):
    result = succeed("evaluate", parts, "-g", GRAPH, "-t", "wear", "--drop", "worn", "--quiet")
    assert result.stdout == f"{evaluation.verdict}\n"
    assert result.stderr == ""


def test_options_are_those_of_the_library(parts, asked):
    words = ["-g", GRAPH, "-t", "wear", "--drop", "worn", "--folds", "3", "--repeats", "2"]
    succeed("evaluate", parts, *words, "--kinds", "load=discrete", "--seed", "9")
    (call,) = asked
    assert call["graph"] == ca.read_graph(GRAPH)
    assert (call["target"], call["n_splits"], call["repeats"]) == ("wear", 3, 2)
    assert call["kinds"] == {"load": "discrete"}
    assert call["random_state"] == 9
    assert (call["rivals"], call["minutes"], call["n_jobs"]) == (True, None, 1)
    assert list(call["frame"]) == [c for c in pd.read_csv(parts) if c != "worn"]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], {"n_splits": 5, "rivals": True}),
        (["--quick"], {"n_splits": 3, "rivals": False}),
        (["--quick", "--folds", "4"], {"n_splits": 4, "rivals": False}),
        (["--minutes", "0.5", "--jobs", "2"], {"minutes": 0.5, "n_jobs": 2, "rivals": True}),
    ],
    ids=str,
)
def test_time_can_be_saved(parts, asked, words, options):
    succeed("evaluate", parts, "-g", GRAPH, "-t", "wear", "--drop", "worn", *words)
    assert options.items() <= asked[0].items()


@pytest.mark.parametrize("command", ["evaluate", "check"])
def test_no_process_at_all_is_a_mistake_in_the_options(parts, command):
    target = ["-t", "wear"] if command == "evaluate" else []
    result = run(command, parts, "-g", GRAPH, *target, "--jobs", "0")
    assert result.exit_code == 2
    assert "must be a number of processes, or -1 for all cores. Found 0" in result.stderr


@pytest.mark.parametrize(
    ("target", "options", "learner"),
    [
        ("wear", [], "GradientBoostingRegressor"),
        ("wear", ["--estimator", "forest"], "RandomForestRegressor"),
        ("wear", ["--estimator", "ridge"], "Ridge"),
        ("wear", ["--estimator", "xgboost"], "XGBRegressor"),
        ("worn", [], "GradientBoostingClassifier"),
        ("worn", ["--estimator", "logistic"], "LogisticRegression"),
        ("worn", ["--estimator", "xgboost"], "XGBClassifier"),
        ("wear", ["--task", "classification"], "GradientBoostingClassifier"),
        ("wear", ["--estimator", "logistic"], "LogisticRegression"),
    ],
    ids=str,
)
def test_the_learner_follows_the_target_and_the_options(parts, asked, target, options, learner):
    succeed("evaluate", parts, "--graph", GRAPH, "--target", target, *options)
    assert type(asked[0]["estimator"].steps[-1][1]).__name__ == learner


def test_classes_are_numbered_for_xgboost_and_that_is_said(parts, asked):
    words = ["--graph", GRAPH, "--target", "worn", "--estimator", "xgboost"]
    result = succeed("evaluate", parts, *words)
    assert "0 = no, 1 = yes" in result.stderr
    observed = pd.read_csv(parts)["worn"]
    assert asked[0]["frame"]["worn"].tolist() == [int(label == "yes") for label in observed]


def test_a_report_that_cannot_be_written_leaves_the_old_one(parts, asked, tmp_path, monkeypatch):
    report = tmp_path / "report.md"
    report.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    result = run("evaluate", parts, "-g", GRAPH, "-t", "wear", "--drop", "worn", "-r", report)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "No space left on device" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]
    assert report.read_text() == "old"


def test_classes_that_are_missing_stay_missing_as_numbers(parts, asked, tmp_path):
    frame = pd.read_csv(parts)
    frame.assign(worn=frame["worn"].where(frame.index > 2)).to_csv(tmp_path / "some.csv")
    words = ["--graph", GRAPH, "--target", "worn", "--estimator", "xgboost"]
    assert "0 = no, 1 = yes" in succeed("evaluate", tmp_path / "some.csv", *words).stderr
    coded = asked[0]["frame"]["worn"]
    assert coded.isna().tolist() == [True] * 3 + [False] * (len(frame) - 3)
    assert coded[3:].tolist() == [int(label == "yes") for label in frame["worn"][3:]]
