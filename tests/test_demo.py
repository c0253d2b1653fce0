"""The example that `make demo` runs."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pandas as pd
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
    monkeypatch.setattr(demo, "N_TABLES", 3)
    demo.main()
    return capsys.readouterr().out


def test_it_shows_the_factors_the_accounting_and_the_comparison(printed, demo):
    assert "p(wear | alloy, load)" in printed
    assert "p(noise | wear, heat)" in printed
    assert re.search(r"^rows +200$", printed, re.M)
    assert re.search(r"^mass +1\.000 ", printed, re.M)
    assert re.search(r"^dropped mass +0\.000 ", printed, re.M)
    for name in (demo.ALONE, demo.AUGMENTED, demo.CONTROL):
        assert len(re.findall(rf"^  {name} .*\+-", printed, re.M)) == len(demo.TABLE_SIZES)


def test_it_ends_with_a_verdict_and_what_to_read(printed, demo):
    for n_rows in demo.TABLE_SIZES:
        assert re.search(rf"^At {n_rows} rows: .*standard errors\)\.$", printed, re.M)
    assert printed.splitlines()[-1].startswith("Read next: README.md")


def test_it_fits_a_screen(printed):
    lines = printed.splitlines()
    assert len(lines) < 40
    assert max(map(len, lines)) <= 100


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


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_weights_add_up_to_the_number_of_originals(demo, share):
    frame = demo.simulate(20, np.random.default_rng(0))
    pruned = ca.augment(frame, ca.read_graph(demo.GRAPH), expansion=ca.BeamExpansion(50))
    together, weights = demo.stacked(frame, pruned, share)
    assert len(together) == len(weights) == 70
    assert weights.sum() == pytest.approx(20.0)
    assert weights[20:].sum() == pytest.approx(20.0 * share)


@pytest.mark.parametrize(
    ("augmented", "expected"),
    [
        ([0.8, 0.9, 0.8, 0.9], r"the graph helps \(-15\.0% error"),
        ([1.2, 1.1, 1.2, 1.1], r"the graph hurts \(\+15\.0% error"),
        ([0.8, 1.2, 0.8, 1.3], r"no clear difference \(\+2\.5% error"),
    ],
)
def test_a_verdict_needs_two_standard_errors(demo, augmented, expected):
    errors = pd.DataFrame({demo.AUGMENTED: augmented, demo.CONTROL: np.ones(4)})
    assert re.match(expected, demo.verdict(errors))
