"""`causalaug check`."""

import json

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from command import succeed


@pytest.fixture
def chain(tmp_path):
    drawn = ca.datasets.make_sem(200, "chain", n_variables=4, random_state=0)
    drawn.frame.to_csv(tmp_path / "chain.csv", index=False)
    (tmp_path / "chain.txt").write_text(ca.write_graph(drawn.graph))
    return tmp_path / "chain.csv", tmp_path / "chain.txt"


def test_the_verdict_comes_first(chain):
    result = succeed("check", chain[0], "--graph", chain[1])
    first = "Verdict: not rejected. The data contradict none of the graph's 3 independences."
    assert result.stdout.startswith(first)
    assert "(--kinds changes them)." in result.stdout


def test_what_is_not_rejected_is_listed_on_demand(chain):
    short = succeed("check", chain[0], "--graph", chain[1]).stdout
    assert "\n3 not rejected; --all lists them.\n" in short
    assert "gcm" not in short
    whole = succeed("check", chain[0], "--graph", chain[1], "--all").stdout
    assert "--all" not in whole
    assert whole.count("gcm") == 3


def test_violations_come_first_then_what_cannot_be_told(chain):
    frame = pd.read_csv(chain[0]).assign(X9=1.0)
    frame.to_csv(chain[0], index=False)
    graph = "X1; X2; X3; X9 -> Y"
    lines = succeed("check", chain[0], "--graph", graph).stdout.splitlines()
    assert lines[0].startswith("Verdict: violated. The data contradict the graph in ")
    told = ["violated" if "violated" in line else "cannot tell" for line in lines[3:-3]]
    assert told == sorted(told, reverse=True)
    assert set(told) == {"violated", "cannot tell"}


def test_quiet_leaves_the_verdict(chain):
    result = succeed("check", chain[0], "--graph", chain[1], "--quiet")
    assert len(result.stdout.splitlines()) == 1
    assert result.stdout.startswith("Verdict: ")


@pytest.mark.parametrize("test", ["auto", "gcm", "partial_correlation"])
def test_the_document_is_what_the_library_finds(chain, test):
    words = ["check", chain[0], "--graph", chain[1], "--json", "--test", test, "--alpha", "0.1"]
    document = json.loads(succeed(*words).stdout)
    graph = ca.read_graph(chain[1])
    expected = ca.check_graph(pd.read_csv(chain[0]), graph, test=test, alpha=0.1, random_state=0)
    assert document["verdict"] == expected.verdict
    assert document["alpha"] == 0.1
    p_values = [each["p_value"] for each in document["independences"]]
    assert p_values == pytest.approx(expected.frame["p_value"].tolist())


def test_what_cannot_be_told_has_no_figures(chain):
    frame = pd.read_csv(chain[0])[:6]
    frame.to_csv(chain[0], index=False)
    document = json.loads(succeed("check", chain[0], "--graph", chain[1], "--json").stdout)
    assert document["verdict"] == "cannot tell"
    assert all(each["p_value"] is None and each["reason"] for each in document["independences"])
    assert "cannot tell: " in succeed("check", chain[0], "--graph", chain[1]).stdout


def test_with_missing_cells_the_rows_of_each_factor_are_said(chain):
    frame = pd.read_csv(chain[0])
    frame.iloc[:50, 0] = None
    frame.to_csv(chain[0], index=False)
    words = ["check", chain[0], "--graph", chain[1]]
    printed = succeed(*words).stdout
    assert "Cells are missing. Of 200 rows, so many have a variable and its pillow: " in printed
    document = json.loads(succeed(*words, "--json").stdout)
    expected = ca.check_graph(frame, chain[1], random_state=0)
    assert document["rows"] == 200
    assert document["factor_rows"] == expected.factor_rows
    assert min(document["factor_rows"].values()) == 150


def test_a_graph_without_independences_has_no_table(data):
    printed = succeed("check", data, "--graph", "sick -> fever -> cough; sick -> cough").stdout
    assert "so that there is none to test" in printed
    assert "variable" not in printed


def test_kinds_change_what_is_discrete(data):
    printed = succeed("check", data, "-g", "fever <- sick -> cough", "--kinds", "cough=discrete")
    line = "Kinds: nominal: sick, cough; continuous: fever (--kinds changes them)."
    assert line in printed.stdout.splitlines()


def test_what_time_left_out_is_said_and_listed(tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd")).to_csv(
        tmp_path / "rows.csv", index=False
    )
    words = ["check", tmp_path / "rows.csv", "--graph", "a -> b; a -> c; a -> d", "--seconds"]
    printed = succeed(*words, "1e-9").stdout
    assert "Verdict: cannot tell" in printed
    assert "left out for want of time" in printed
    assert "For want of time 3 of 3 independences were left out" in printed
    assert json.loads(succeed(*words, "1e-9", "--json").stdout)["left_out"] == 3
    assert json.loads(succeed(*words, "600", "--json").stdout)["left_out"] == 0
