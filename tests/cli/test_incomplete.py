"""A table as it comes, start to report: holes, dates, a row number, spaces in names."""

import json

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from command import run, succeed

ARROWS = """\
"first used" -> "wear (mm)"
"work load" -> "wear (mm)"
"wear (mm)" -> "oil temp"
"wear (mm)" -> "noise level"
alloy -> "wear (mm)"
"""
MARKERS = ["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A"]


def machines(n_rows=60, seed=0):
    """Return rows of every kind; the row number is no node."""
    rng = np.random.default_rng(seed)
    days, load = rng.integers(0, 900, n_rows), rng.normal(size=n_rows)
    alloy = rng.choice(["brass", "steel", "tin"], n_rows)
    wear = 0.004 * days + load + (alloy == "tin") + 0.3 * rng.normal(size=n_rows)
    return pd.DataFrame(
        {
            "machine id": [f"M-{number:03}" for number in range(n_rows)],
            "first used": (pd.Timestamp("2020-01-01") + pd.to_timedelta(days, "D")).strftime(
                "%Y-%m-%d"
            ),
            "work load": load.round(3),
            "alloy": alloy,
            "wear (mm)": wear.round(3),
            "oil temp": (60 + 5 * wear + rng.normal(size=n_rows)).round(1),
            "noise level": np.clip(np.round(wear + 3), 0, 8).astype(int),
        }
    )


def with_markers(frame, share, seed=0):
    """Return the table as text, a share of its cells replaced by what stands for missing."""
    rng = np.random.default_rng(seed)
    text = frame.astype(str)
    for name in text.columns[1:]:
        gone = np.flatnonzero(rng.random(len(text)) < share)
        text.loc[gone, name] = rng.choice(MARKERS, len(gone))
    return text


@pytest.fixture
def shop(tmp_path):
    with_markers(machines(), 0.15).to_csv(tmp_path / "shop floor.csv", index=False)
    (tmp_path / "graph.txt").write_text(ARROWS)
    return tmp_path


def asked(folder, command, *more):
    return [command, folder / "shop floor.csv", "--graph", folder / "graph.txt", *more]


def read(folder):
    frame = pd.read_csv(folder / "shop floor.csv")
    return frame.assign(**{"first used": pd.to_datetime(frame["first used"])})


def test_what_stands_for_missing_is_missing(shop):
    written = with_markers(machines(), 0.15)
    expected = {name: int(written[name].isin(MARKERS).sum()) for name in written.columns[1:]}
    printed = succeed(*asked(shop, "complete", "--out", shop / "full.csv", "--json")).stdout
    assert json.loads(printed)["filled_in"] == expected


def test_check(shop):
    result = succeed(*asked(shop, "check"))
    assert result.stderr == "Left out, since they are no node of the graph: machine id\n"
    document = json.loads(succeed(*asked(shop, "check", "--json")).stdout)
    assert document["kinds"]["first used"] == "continuous"
    assert document["kinds"]["noise level"] == "ordered"
    assert document["rows"] == 60
    frame = read(shop)
    cells = ["wear (mm)", "first used", "work load", "alloy"]
    assert document["factor_rows"]["wear (mm)"] == len(frame[cells].dropna())
    counted = f"wear (mm) {document['factor_rows']['wear (mm)']}"
    assert counted in result.stdout


def test_augment(shop):
    result = succeed(*asked(shop, "augment", "--out", shop / "new.csv", "--originals"))
    frame, new = read(shop), pd.read_csv(shop / "new.csv")
    n_missing = int(frame.iloc[:, 1:].isna().sum().sum())
    assert f"Missing cells: {n_missing}. Each factor goes by the rows" in result.stdout
    assert "Left out, since they are no node of the graph: machine id" in result.stderr
    assert not new.isna().any(axis=None)
    assert new["weight"].sum() == pytest.approx(60.0)
    assert pd.to_datetime(new["first used"]).notna().all()
    document = json.loads(
        succeed(*asked(shop, "augment", "--out", shop / "b.csv", "--json")).stdout
    )
    assert document["missing_cells"] == n_missing
    assert document["dropped_mass"] == 0.0


def test_predict(shop):
    with_markers(machines(20, seed=1), 0.3).to_csv(shop / "new.csv", index=False)
    words = ["predict", shop / "shop floor.csv", shop / "new.csv", "--graph", shop / "graph.txt"]
    out = shop / "wear.csv"
    result = succeed(*words, "--target", "wear (mm)", "--out", out, "--model", "graph")
    assert "Left out, since they are no node of the graph: machine id" in result.stderr
    found = pd.read_csv(out)
    assert len(found) == 20
    assert not found.isna().any(axis=None)
    assert (found["wear (mm)_q0.05"] < found["wear (mm)_q0.95"]).all()


def test_complete_keeps_the_dates_and_the_row_numbers(shop):
    succeed(*asked(shop, "complete", "--out", shop / "full.csv"))
    before, after = read(shop), pd.read_csv(shop / "full.csv")
    assert list(after) == list(before)
    assert (after["machine id"] == before["machine id"]).all()
    there = before["first used"].notna()
    assert (pd.to_datetime(after["first used"])[there] == before["first used"][there]).all()
    assert after["noise level"].dtype.kind == "i"
    assert not after.isna().any(axis=None)


def test_discover_names_the_ways_out_and_one_of_them_works(shop, monkeypatch):
    result = run("discover", shop / "shop floor.csv", "--drop", "machine id,alloy")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: To look for a graph, no cell may be missing. Found ")
    assert "in the shell `causalaug complete`" in result.stderr
    words = ["complete", shop / "shop floor.csv", "--drop", "machine id,alloy"]
    succeed(*words, "--out", shop / "full.csv")
    assert not pd.read_csv(shop / "full.csv").isna().any(axis=None)


def test_evaluate_to_report(shop):
    report = shop / "report.html"
    options = ["--target", "wear (mm)", "--estimator", "ridge", "--quick", "--folds", 2, "--json"]
    result = succeed(*asked(shop, "evaluate", *options, "--report", report))
    text, document = report.read_text(encoding="utf-8"), json.loads(result.stdout)
    unlabelled = int(read(shop)["wear (mm)"].isna().sum())
    for said in (document["verdict"], text):
        assert f"Rows without a target: {unlabelled}." in said
        assert "an IterativeImputer filled them in" in said
    assert "warning: Columns that are no node of the graph: ['machine id']" in (result.stderr)
    assert "Cells are missing. Each variable is modelled by those of the 60 rows" in text
    assert document["check"]["rows"] == 60
    assert document["augmentation"]["dropped mass"] == pytest.approx(0.0, abs=1e-9)


def test_the_library_says_the_same(shop):
    printed = succeed(*asked(shop, "check", "--json", "--quiet")).stdout
    with pytest.warns(ca.exceptions.CausalAugWarning, match="machine id"):
        expected = ca.check_graph(read(shop), shop / "graph.txt", random_state=0)
    assert json.loads(printed)["factor_rows"] == expected.factor_rows
