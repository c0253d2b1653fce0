"""The examples of the gallery run, draw, and find what their text says they find."""

import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import causalaug as ca

ROOT = Path(__file__).parents[2]
EXAMPLES = {path.stem: path for path in sorted((ROOT / "examples").glob("plot_*.py"))}
PICTURE = re.compile(r"gallery/images/sphx_glr_(\w+?)_(\d{3})\.png")


def used_pictures():
    """Return the highest number of a picture of each example that a page shows."""
    used = {}
    for path in (ROOT / "docs").glob("*.md"):
        for name, number in PICTURE.findall(path.read_text(encoding="utf-8")):
            used[name] = max(used.get(name, 1), int(number))
    return used


def check_idea(names):
    assert len(set(names["result"].weights.round(12))) <= 2


def check_tree(names):
    assert names["sparse"].novel_mass > names["result"].novel_mass > 0.1


def check_weights(names):
    novel_mass, size, correlation = np.transpose(names["figures"])
    assert np.all(np.diff(novel_mass) >= 0.0)
    assert np.all(np.diff(size) >= 0.0)
    assert correlation[-1] < 0.3 < correlation[3]


def check_does_it_help(names):
    total, *_, independences = names["mean"]
    assert total < -2.0 * names["error"][0]
    assert independences < 0.5 * total
    one_table = names["result"].total
    assert one_table.standard_error > 0.25 * abs(one_table.change)
    assert "no clear change" in names["result"].verdict
    assert names["result"].best_plain != "baseline"


def check_wrong_graph(names):
    assert names["name"] == "wrong"
    assert max(names["trusted"]["wrong"]) < 0.8 < 0.9 < min(names["trusted"]["true"])
    assert np.mean(names["ratios"]) < 1.05 < names["fixed"][0]
    assert set(names["found"]) == {"violated"}


def check_hidden_cause(names):
    assert names["found"].verdict == "not rejected"
    assert not ca.m_separated(names["data"].graph, "heat", "noise", given="wear")


def check_mixed_classes(names):
    in_errors = names["change"].mean() / names["error"]
    assert abs(in_errors["new rows"]) < 2.0
    assert in_errors["new rows, drawn classes"] < in_errors["new rows"]
    assert in_errors["the graph's model"] > in_errors["new rows"]
    assert in_errors["the graph's model, ranks"] > in_errors["the graph's model"]


def check_discovery(names):
    assert names["data"].graph in names["graphs"]


def check_two_tables(names):
    errors = names["errors"]
    assert errors["survey and check-up"] < 0.5 * errors["survey alone"]
    columns = ["absences", "satisfaction"]
    assert not names["both"][columns].notna().all(axis=1).any()


CLAIMS = {
    "plot_1_idea": check_idea,
    "plot_2_tree": check_tree,
    "plot_4_weights": check_weights,
    "plot_5_does_it_help": check_does_it_help,
    "plot_6_wrong_graph": check_wrong_graph,
    "plot_7_hidden_cause": check_hidden_cause,
    "plot_8_mixed_classes": check_mixed_classes,
    "plot_9_discovery": check_discovery,
    "plot_a_two_tables": check_two_tables,
}


@pytest.fixture(autouse=True)
def _no_figures():
    plt.close("all")
    yield
    plt.close("all")


SLOW = ("plot_5_does_it_help", "plot_6_wrong_graph", "plot_8_mixed_classes", "plot_a_two_tables")
"""Examples that fit dozens of learners; `make docs` runs them, too."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in EXAMPLES],
)
def test_the_example_runs_and_draws(name, capsys):
    names = runpy.run_path(str(EXAMPLES[name]), run_name="__main__")
    assert len(plt.get_fignums()) >= used_pictures().get(name, 1)
    if name in CLAIMS:
        CLAIMS[name](names)


def test_there_are_enough_examples():
    assert len(EXAMPLES) >= 6
    assert set(CLAIMS) <= set(EXAMPLES)
    assert set(used_pictures()) <= set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_title_is_underlined(name):
    text = EXAMPLES[name].read_text(encoding="utf-8")
    title, line = re.match(r'"""\n(.+)\n(=+)\n\n', text).groups()
    assert len(title) == len(line)
