"""The example that `make demo` runs."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import causalaug as ca

DEMO = Path(__file__).parents[1] / "examples" / "demo.py"


@pytest.fixture(scope="module")
def demo():
    spec = importlib.util.spec_from_file_location("demo", DEMO)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def printed(demo, monkeypatch, capsys):
    monkeypatch.setattr(demo, "N_ROWS", 30)
    monkeypatch.setattr(demo, "N_FOLDS", 2)
    demo.main()
    return capsys.readouterr().out


def test_it_shows_the_factors_the_accounting_the_check_and_the_comparison(printed):
    assert "p(wear | alloy, load)" in printed
    assert "p(noise | wear, heat)" in printed
    assert re.search(r"^rows +150$", printed, re.M)
    assert re.search(r"^mass +1\.000 ", printed, re.M)
    assert re.search(r"^dropped mass +0\.000 ", printed, re.M)
    assert re.search(r"^Does the graph fit the data\? \d+ independences", printed, re.M)
    for method in ("baseline", "augmented", "control", "ridge", "forest", "boosting"):
        assert re.search(rf"^\| {method}\b", printed, re.M)
    lines = printed.splitlines()
    assert len(lines) < 60
    assert lines[-1].startswith("Read next: README.md")


def test_rows_that_are_shown_are_new_and_credited_to_their_source(demo):
    frame = demo.simulate(40, np.random.default_rng(0))
    augmented = ca.augment(frame, ca.read_graph(demo.GRAPH), random_state=0)
    shown = demo.heaviest_new_rows(frame, augmented, count=3).splitlines()[1:]
    assert len(shown) == 3
    for line in shown:
        cells = line.split()
        assert cells[0] == frame["alloy"][int(cells[8])]
        for j in range(1, 7):
            assert float(cells[j]) == pytest.approx(frame.iloc[int(cells[8 + j]), j], abs=1e-4)
