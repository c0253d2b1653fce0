"""The benchmarks with records: one tiny unit each, and two files of records side by side."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import causalaug as ca

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run(script, *words):
    """Return what a benchmark prints."""
    done = subprocess.run(
        [sys.executable, BENCHMARKS / script, *map(str, words)],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def lines_of(printed):
    """Return the lines of the first table as lists of cells, without its head."""
    rows = [line for line in printed.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def worse(path, factor):
    """Return a copy of a file of records in which all losses are so many times as large."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        if "loss" in record["unit"]:
            record["unit"]["loss"] *= factor
    copy = path.with_name("worse.jsonl")
    copy.write_text("\n".join(map(json.dumps, records)))
    return copy


@pytest.mark.parametrize(
    ("script", "words", "cell"),
    [
        (
            "partial_graphs.py",
            ["--models", "foreign", "--graphs", "a quarter missing", "--learners", "graph model"],
            ["waves", "a quarter missing", "graph model", "1"],
        ),
        pytest.param(
            "networks.py",
            ["--networks", "asia", "--sizes", 50],
            ["asia", "50", "1"],
            marks=pytest.mark.skipif(find_spec("pgmpy") is None, reason="pgmpy ships the networks"),
        ),
    ],
)
def test_one_unit_and_the_comparison_of_two_files(script, words, cell, tmp_path):
    records = tmp_path / "records.jsonl"
    asked = ["--units", 1, "--first-seed", 1, "--jobs", 1, "--records", records, *words]
    first = run(script, *asked)
    assert lines_of(first)
    written = records.read_text()
    assert run(script, *asked, "--units", 9, "--recorded") == first
    assert records.read_text() == written, "only what is recorded is shown"
    compared = lines_of(run(script, "--compare", records, worse(records, 2.0)))
    assert compared[0][: len(cell)] == cell
    assert compared[0][len(cell)].startswith("+69.3")


@pytest.mark.parametrize(
    ("seeds", "words"),
    [([(1, "auto"), (1, "full")], "each unit once"), ([(2, "auto")], "must share units")],
)
def test_files_that_cannot_be_compared(seeds, words, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from records import comparison

    paths = [tmp_path / "before.jsonl", tmp_path / "after.jsonl"]
    for path, chosen in zip(paths, ([(1, "auto")], seeds), strict=True):
        keys = [json.dumps({"learner": "a", "seed": s, "trust": trust}) for s, trust in chosen]
        records = [{"key": key, "unit": {"loss": 1.0, "seconds": 1.0}} for key in keys]
        path.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(ValueError, match=words):
        comparison(*paths, ["learner"], ["learner", "seed"])


def test_graphs_are_wrong_by_as_much_as_they_say(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from partial_graphs import GRAPHS, given_graph, model_of

    right = model_of("linear", 3).graph
    edges = set(right.directed)
    n_edges = len(edges)
    given = {kind: given_graph(kind, right, 3) for kind in GRAPHS}
    found = {kind: set(graph.directed) for kind, graph in given.items()}
    assert found["right"] == edges
    assert found["a quarter missing"] < edges
    assert len(found["a quarter missing"]) == n_edges - round(n_edges / 4)
    assert len(found["half missing"]) == n_edges - round(n_edges / 2)
    assert found["half too many"] > edges
    assert len(found["half too many"]) == n_edges + round(n_edges / 2)
    turned = {(b, a) for a, b in found["a quarter reversed"] - edges}
    assert turned == edges - found["a quarter reversed"]
    assert len(turned) == round(n_edges / 4)
    assert found["order only"] > edges
    n_nodes = len(right.nodes)
    assert len(found["order only"]) == n_nodes * (n_nodes - 1) // 2
    assert len(found["shuffled"]) == n_edges
    assert found["shuffled"] != edges


# A collider with a child below it: the target has a parent, a spouse and a child.
GRAPH = ca.ADMG(list("ABCD"), [("A", "B"), ("B", "C"), ("D", "C")])
FAMILIES = ((0,), (1, 0), (2, 1, 3), (3,))


@pytest.fixture
def networks(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import networks

    return networks


def tables(networks, rng):
    n_levels = (2, 3, 2, 2)
    shapes = [tuple(n_levels[node] for node in family) for family in FAMILIES]
    found = tuple(shares / shares.sum(0) for shares in (rng.random(shape) for shape in shapes))
    levels = tuple(tuple("abc"[:n]) for n in n_levels)
    return networks.Tables(GRAPH, FAMILIES, levels, found)


@pytest.mark.parametrize("target", range(4))
def test_levels_are_predicted_by_the_joint_law(networks, target):
    network = tables(networks, np.random.default_rng(0))
    a, ba, cbd, d = network.tables
    joint = np.einsum("a,ba,cbd,d->abcd", a, ba, cbd, d)
    law = np.moveaxis(joint / joint.sum(target, keepdims=True), target, -1)
    rows = np.argwhere(joint > 0.0)
    expected = law[tuple(np.delete(rows, target, axis=1).T)]
    np.testing.assert_allclose(network.predict(target, rows), expected)


def test_learnt_tables_approach_the_true_ones(networks):
    rng = np.random.default_rng(0)
    network = tables(networks, rng)
    rows = networks.sample(network, 100_000, rng)
    for learnt in (network.learnt(rows), network.learnt(rows, size=10.0)):
        for found, true in zip(learnt.tables, network.tables, strict=True):
            np.testing.assert_allclose(found, true, atol=0.02)


def test_tables_without_rows_are_uniform(networks):
    network = tables(networks, np.random.default_rng(0))
    none = np.zeros((0, 4), dtype=int)
    np.testing.assert_allclose(network.learnt(none, size=5.0).tables[1], 1 / 3)


@pytest.mark.parametrize("target", range(4))
def test_numbers_are_predicted_by_the_line_through_all_others(networks, target):
    rng = np.random.default_rng(0)
    lines = tuple((rng.normal(size=len(family)), rng.uniform(0.5, 2.0)) for family in FAMILIES)
    network = networks.Lines(GRAPH, FAMILIES, lines)
    rows = networks.sample(network, 200_000, rng)
    others = np.column_stack([np.ones(len(rows)), np.delete(rows, target, axis=1)])
    best = others @ np.linalg.lstsq(others, rows[:, target], rcond=None)[0]
    np.testing.assert_allclose(network.predict(target, rows), best, atol=0.1)
    np.testing.assert_allclose(network.learnt(rows).predict(target, rows), best, atol=0.1)
