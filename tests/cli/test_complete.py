"""`causalaug complete`."""

import json

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from command import run, succeed


@pytest.fixture
def parts(tmp_path):
    """Return a folder with rows of every kind, holes in them, a row number and a graph."""
    data = ca.datasets.make_machine_wear(60, random_state=0)
    frame = data.frame.assign(hours=np.round(10 * data.frame["load"]).astype(int))
    frame = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.2)
    frame.insert(0, "id", np.arange(60) + 1000)
    frame.to_csv(tmp_path / "parts.csv", index=False)
    arrows = ca.write_graph(data.graph) + "load -> hours\n"
    (tmp_path / "graph.txt").write_text(arrows)
    return tmp_path


def words(folder, out="full.csv", *more):
    graph = ["--graph", folder / "graph.txt"]
    return ["complete", folder / "parts.csv", *graph, "--out", folder / out, *more]


def test_cells_that_are_there_stay_and_no_other_is_missing(parts):
    result = succeed(*words(parts))
    before, after = pd.read_csv(parts / "parts.csv"), pd.read_csv(parts / "full.csv")
    assert list(after) == list(before)
    assert len(after) == 60
    assert not after.isna().any(axis=None)
    pd.testing.assert_frame_equal(after.where(before.notna()), before)
    n_missing = int(before.isna().sum().sum())
    assert result.stdout.startswith(f"Cells filled in: {n_missing} (")
    assert "Kinds: " in result.stdout
    assert "Left as they are, since they are no node of the graph: id" in result.stderr


def test_the_cells_are_those_of_the_library(parts):
    succeed(*words(parts), "--seed", 3)
    frame = pd.read_csv(parts / "parts.csv").drop(columns="id")
    model = ca.fit_model(frame, parts / "graph.txt", "auto").refined(random_state=3)
    expected = model.complete(frame, random_state=3).frame
    found = pd.read_csv(parts / "full.csv").drop(columns="id")
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_whole_numbers_are_written_as_such(parts):
    succeed(*words(parts))
    assert pd.read_csv(parts / "full.csv")["hours"].dtype.kind == "i"
    assert pd.read_csv(parts / "parts.csv")["hours"].dtype.kind == "f"


def test_copies_share_the_weight_of_their_row(parts):
    printed = succeed(*words(parts), "--copies", 5, "--json").stdout
    full = pd.read_csv(parts / "full.csv")
    before = pd.read_csv(parts / "parts.csv").set_index("id")
    counts = full.groupby("id")["weight"].agg(["count", "sum"])
    np.testing.assert_allclose(counts["sum"], 1.0)
    has_holes = before.isna().any(axis=1)
    assert (counts["count"] == np.where(has_holes, 5, 1)).all()
    document = json.loads(printed)
    assert document["rows"] == len(full) == has_holes.sum() * 5 + (~has_holes).sum()
    assert document["filled_in"] == before.isna().sum().to_dict()
    assert document["kinds"]["alloy"] == "nominal"


def test_without_a_graph_nothing_is_assumed(parts):
    out = parts / "full.csv"
    succeed("complete", parts / "parts.csv", "--drop", "id,alloy", "--out", out)
    assert "id" not in pd.read_csv(out)
    assert not pd.read_csv(out).isna().any(axis=None)


def test_nothing_missing_leaves_the_table_as_it_is(parts):
    succeed(*words(parts))
    result = succeed(
        *["complete", parts / "full.csv", "--graph", parts / "graph.txt"],
        *["--out", parts / "again.csv"],
    )
    assert result.stdout.startswith("No cell was missing.\n")
    assert (parts / "again.csv").read_text() == (parts / "full.csv").read_text()


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--copies", 0], 2, "'--copies'"),
        (["--copies", 2, "--weight-column", "load"], 1, "The table has 'load' already. Choose"),
        (["--out", "full.txt"], 1, "The output must end in one of .csv"),
        (["--kinds", "alloy=continuous"], 1, "can be 'continuous' or 'ordered' only if"),
    ],
)
def test_what_cannot_be_is_said(parts, more, code, message):
    result = run(*words(parts), *more)
    assert result.exit_code == code
    assert message in result.stderr
    assert not (parts / "full.csv").exists()


STRAY = ["22", "", "NA", "007", " x ", "1.50", "-3", "2024-1-5", "1,5", "-", "=1+1", "1e3"]


@pytest.fixture
def stray(tmp_path):
    """Return a table with holes in a node, and cells of every look in columns that are none."""
    n_rows = len(STRAY)
    frame = pd.DataFrame(
        {
            "n": [str(22 + row) if row % 3 else "" for row in range(n_rows)],
            "x": [str(row / 2) if row % 4 else "" for row in range(n_rows)],
            "y": np.arange(n_rows) / 2 + 0.25,
            "stray": STRAY,
        }
    )
    frame.to_csv(tmp_path / "stray.csv", index=False)
    return tmp_path


def cells(path):
    return pd.read_csv(path, dtype=str, na_filter=False)


@pytest.mark.parametrize("more", [[], ["--copies", 2]])
def test_columns_that_are_no_node_are_written_cell_by_cell(stray, more):
    out = stray / "full.csv"
    result = succeed("complete", stray / "stray.csv", "-g", "x -> y", "-o", out, *more)
    before, after = cells(stray / "stray.csv"), cells(out)
    assert "Left as they are, since they are no node of the graph: n, stray" in result.stderr
    assert after[["n", "stray"]].drop_duplicates().values.tolist() == (
        before[["n", "stray"]].values.tolist()
    )
    assert not (after["x"] == "").any()


def test_a_safe_table_guards_formulas_and_no_numbers_beside_the_graph(stray):
    out = stray / "full.csv"
    succeed("complete", stray / "stray.csv", "-g", "x -> y", "-o", out, "--safe-csv")
    guarded = ["'-" if cell == "-" else "'=1+1" if cell == "=1+1" else cell for cell in STRAY]
    assert cells(out)["stray"].tolist() == guarded


def test_a_typed_output_has_numbers_beside_the_graph(stray):
    out = stray / "full.parquet"
    succeed("complete", stray / "stray.csv", "-g", "x -> y", "-o", out, "--drop", "stray")
    assert pd.read_parquet(out)["n"].dtype.kind == "f"


def test_an_input_is_not_replaced_unasked(parts):
    result = run(*words(parts, "parts.csv"))
    assert result.exit_code == 1
    assert "--overwrite" in result.stderr
    succeed(*words(parts, "parts.csv"), "--overwrite")
    assert not pd.read_csv(parts / "parts.csv").isna().any(axis=None)
