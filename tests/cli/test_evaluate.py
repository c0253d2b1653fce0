"""`causalaug evaluate`."""

import json

import pandas as pd
import pytest

import causalaug as ca
from causalaug.evaluation import named_learner
from command import succeed

GRAPH = "{alloy, load} -> wear -> {vibration, heat, noise, debris}; heat <-> noise"
FAST = ["--estimator", "ridge", "--folds", "2"]


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    path = tmp_path_factory.mktemp("parts") / "parts.csv"
    frame = ca.datasets.make_machine_wear(30, random_state=0).frame
    frame.assign(worn=(frame["wear"] > 0).map({True: "yes", False: "no"})).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def evaluated(parts):
    report = parts.with_name("report.html")
    words = ["--graph", GRAPH, "--target", "wear", "--drop", "worn", *FAST, "--report", report]
    return succeed("evaluate", parts, *words), report


def test_the_verdict_comes_first_and_the_report_last(evaluated):
    result, report = evaluated
    lines = result.stdout.splitlines()
    assert "MSE" in lines[0]
    assert "The data contradict" in lines[0]
    assert lines[-1] == f"Report: {report.resolve()}"
    for method in ("baseline", "augmented", "control", "ridge", "forest", "boosting"):
        assert any(line.split()[:1] == [method] for line in lines)
    assert result.stderr == ""


def test_the_report_is_a_page_that_says_the_same(evaluated):
    result, report = evaluated
    page = report.read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert result.stdout.splitlines()[0].split(".")[0] in page
    assert "causalaug evaluate" not in result.stdout


@pytest.mark.parametrize("ending", ["md", "json"])
def test_the_figures_are_those_of_the_library(parts, tmp_path, ending):
    report = tmp_path / f"report.{ending}"
    words = ["-g", GRAPH, "-t", "wear", "--drop", "worn", *FAST, "-r", report, "--json"]
    result = succeed("evaluate", parts, *words, "--seed", "5")
    document = json.loads(result.stdout)
    frame = pd.read_csv(parts).drop(columns="worn")
    learner = named_learner("ridge", frame.drop(columns="wear"), classification=False)
    expected = ca.compare(frame, ca.read_graph(GRAPH), "wear", learner, n_splits=2, random_state=5)
    assert document["gain"]["total"]["change"] == pytest.approx(expected.total.change)
    assert document["report"] == str(report)
    written = report.read_text(encoding="utf-8")
    if ending == "json":
        assert json.loads(written)["gain"] == document["gain"]
    else:
        assert written.startswith("# Does the graph help to predict wear?")


def test_quiet_leaves_the_verdict(parts):
    words = ["-g", GRAPH, "-t", "wear", "--drop", "worn", *FAST, "--quiet"]
    result = succeed("evaluate", parts, *words)
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("estimator", "learner"), [("logistic", "LogisticRegression"), ("xgboost", "XGBClassifier")]
)
def test_text_is_classified(parts, estimator, learner):
    graph = GRAPH.replace("wear", "worn")
    words = ["-g", graph, "-t", "worn", "--drop", "wear", "--folds", "2", "--json"]
    result = succeed("evaluate", parts, *words, "--estimator", estimator)
    assert json.loads(result.stdout)["learner"] == learner
    assert ("0 = no, 1 = yes" in result.stderr) == (estimator == "xgboost")


def test_numbers_are_classified_if_asked(tmp_path):
    data = ca.datasets.make_trivariate(40, random_state=0)
    data.frame.to_csv(tmp_path / "data.csv", index=False)
    words = ["-g", "X1 <- Y -> X2", "-t", "Y", "--estimator", "logistic", "--folds", "2", "--json"]
    document = json.loads(succeed("evaluate", tmp_path / "data.csv", *words).stdout)
    assert document["loss"] == "log-loss"
