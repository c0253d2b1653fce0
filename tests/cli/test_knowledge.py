"""Orders, beliefs and trust on the command line: the same as in the library."""

import json

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from command import run, succeed

LACKING = "load -> wear -> heat -> noise"
ORDER = "load, wear < heat < noise"
BELIEVED = "load -> wear; wear -> heat [0.25]; heat -> noise"


@pytest.fixture
def machine(tmp_path):
    rng = np.random.default_rng(0)
    load = rng.normal(size=60)
    wear = load + 0.7 * rng.normal(size=60)
    heat = np.sin(wear) + load + 0.4 * rng.normal(size=60)
    noise = heat + 0.5 * rng.normal(size=60)
    frame = pd.DataFrame({"load": load, "wear": wear, "heat": heat, "noise": noise})
    frame.to_csv(tmp_path / "machine.csv", index=False)
    return tmp_path / "machine.csv", frame


@pytest.mark.parametrize("text", [ORDER, "load<wear"])
def test_an_order_is_a_graph(text):
    document = json.loads(succeed("graph", "show", text, "--json").stdout)
    assert ca.read_graph(document["arrows"]) == ca.read_graph(text)
    assert "Used in full:  yes" in succeed("graph", "show", text).stdout


def test_an_order_in_a_file(tmp_path):
    path = tmp_path / "known.txt"
    path.write_text("/knowledge\naddtemporal\n1 load wear\n2 heat\n3 noise\n")
    document = json.loads(succeed("graph", "show", path, "--json").stdout)
    assert ca.read_graph(document["arrows"]) == ca.read_graph(ORDER)


def test_beliefs_are_written_with_the_graph(tmp_path):
    document = json.loads(succeed("graph", "show", BELIEVED, "--json").stdout)
    assert document["beliefs"] == [["wear", "->", "heat", 0.25]]
    succeed("graph", "convert", BELIEVED, "--out", tmp_path / "graph.dot")
    assert ca.read_graph(tmp_path / "graph.dot") == ca.read_graph(BELIEVED)


def test_a_check_says_what_the_data_want(machine):
    data, frame = machine
    expected = ca.check_graph(frame, LACKING, random_state=0)
    assert expected.wishes
    lines = succeed("check", data, "--graph", LACKING).stdout.splitlines()
    assert [line for line in lines if "the data also want" in line] == list(expected.wishes)
    document = json.loads(succeed("check", data, "--graph", LACKING, "--json").stdout)
    assert document["wishes"] == list(expected.wishes)
    assert document["trust"] == expected.trust.to_dict(orient="records")
    assert "want" not in succeed("check", data, "--graph", ORDER).stdout


@pytest.mark.parametrize(("option", "trust"), [("0.25", 0.25), ("auto", "auto"), ("full", "full")])
def test_new_rows_go_by_the_trust(machine, tmp_path, option, trust):
    data, frame = machine
    out = tmp_path / "new.csv"
    succeed("augment", data, "--graph", LACKING, "--out", out, "--trust", option)
    expected = ca.augment(frame, LACKING, trust=trust, random_state=0)
    np.testing.assert_allclose(pd.read_csv(out)["weight"], expected.weights)


@pytest.mark.parametrize("model", ["graph", "blend"])
def test_predictions_go_by_the_trust(machine, tmp_path, model):
    data, frame = machine
    words = ["predict", data, data, "--target", "heat", "--model", model, "--graph"]
    options = ["--estimator", "ridge"] if model == "blend" else []
    found = {}
    for graph, trust in [(LACKING, []), (LACKING, ["--trust", "0"]), (BELIEVED, [])]:
        succeed(*words, graph, "--out", tmp_path / "p.csv", *options, *trust)
        found[graph, *trust] = pd.read_csv(tmp_path / "p.csv")["heat"].to_numpy()
    ways = list(found.values())
    assert not any(np.allclose(ways[i], ways[j]) for i, j in [(0, 1), (0, 2), (1, 2)])
    if model == "graph":
        expected = ca.fit_model(frame, LACKING, "auto", trust=0.0).predict("heat", frame).mean
        np.testing.assert_allclose(ways[1], expected)


def test_cells_are_filled_in_by_the_trust(machine, tmp_path):
    data, frame = machine
    frame.assign(noise=frame["noise"].where(frame.index > 20)).to_csv(data, index=False)
    out = tmp_path / "full.csv"
    succeed("complete", data, "--graph", LACKING, "--out", out, "--trust", "0")
    model = ca.fit_model(pd.read_csv(data), LACKING, "auto", trust=0.0).refined(random_state=0)
    expected = model.complete(pd.read_csv(data), random_state=0).frame
    np.testing.assert_allclose(pd.read_csv(out)["noise"], expected["noise"])


def test_an_evaluation_goes_by_the_trust(machine):
    data, frame = machine
    words = ["evaluate", data, "--graph", LACKING, "--target", "heat", "--estimator", "ridge"]
    document = json.loads(
        succeed(*words, "--quick", "--folds", "2", "--trust", "0.5", "--json").stdout
    )
    assert document["settings"]["trust"] == "0.5"
    assert document["check"]["wishes"][0].startswith("heat given wear: the data also want load")
    assert [row["variable"] for row in document["check"]["trust"]] == list(frame)


@pytest.mark.parametrize("trust", ["1.5", "-1", "half", "nan", ""])
@pytest.mark.parametrize("command", ["augment", "complete"])
def test_what_is_no_trust_is_refused(machine, tmp_path, command, trust):
    out = tmp_path / "out.csv"
    words = [command, machine[0], "--graph", LACKING, "--out", out, "--trust", trust]
    result = run(*words)
    assert result.exit_code != 0
    assert "must be full, auto, or a number" in " ".join(result.stderr.replace("│", "").split())
