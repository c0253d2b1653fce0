"""`causalaug augment`."""

import json

import pandas as pd
import pytest

import causalaug as ca
from command import EXACTLY, run, succeed

GRAPH = "fever <- sick -> cough"


def augmented(data, out, *options):
    succeed("augment", data, "--graph", GRAPH, "--out", out, *options)
    return pd.read_csv(out)


def test_the_rows_are_those_of_the_library(data, graph, tmp_path):
    out = tmp_path / "new.csv"
    succeed("augment", data, "--graph", graph, "--out", out, "--seed", "3")
    expected = ca.augment(pd.read_csv(data), ca.read_graph(GRAPH), random_state=3)
    written = pd.read_csv(out, **EXACTLY)
    pd.testing.assert_frame_equal(written.drop(columns="weight"), expected.frame)
    assert written["weight"].tolist() == expected.weights.tolist()


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "feather", "arrow"])
def test_every_format_can_be_written_and_read_back(data, tmp_path, ending):
    first = tmp_path / f"first.{ending}"
    succeed("augment", data, "--graph", GRAPH, "--out", first)
    second = tmp_path / "second.csv"
    succeed("augment", first, "--graph", GRAPH, "--drop", "weight", "--out", second)
    # All combinations are there the first time, and no others the second time.
    columns = ["sick", "fever", "cough"]
    expected = augmented(data, tmp_path / "new.csv")[columns]
    found = pd.read_csv(second)[columns]
    assert set(found.itertuples(index=False)) == set(expected.itertuples(index=False))


def test_integers_stay_integers(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("n,x\n1,0.1\n2,0.2\n1,0.30000000000000004\n")
    succeed("augment", data, "--graph", "n -> x", "--out", tmp_path / "new.csv")
    lines = (tmp_path / "new.csv").read_text().splitlines()
    assert {line.split(",")[0] for line in lines[1:]} == {"1", "2"}
    assert {line.split(",")[1] for line in lines[1:]} == {"0.1", "0.2", "0.30000000000000004"}


def test_it_says_the_kinds_and_where_the_rows_are(data, tmp_path):
    out = tmp_path / "new.csv"
    result = succeed("augment", data, "--graph", GRAPH, "--out", out)
    line = "Kinds: nominal: sick; continuous: fever, cough (--kinds changes them)."
    assert line in result.stdout.splitlines()
    assert f"Wrote 18 rows to {out}" in result.stdout
    assert result.stderr == ""


def test_the_document_is_all_there_is(data, tmp_path):
    out = tmp_path / "new.csv"
    result = succeed("augment", data, "-g", GRAPH, "-o", out, "--kinds", "fever=discrete", "--json")
    document = json.loads(result.stdout)
    assert document["kinds"] == {"sick": "nominal", "fever": "nominal", "cough": "continuous"}
    assert document["rows"] == document["rows_written"] == len(pd.read_csv(out))
    assert document["mass"] == pytest.approx(1.0)
    assert document["factors"] == ["p(sick)", "p(fever | sick)", "p(cough | sick)"]
    assert result.stderr == ""


def test_quiet_says_nothing(data, tmp_path):
    result = succeed("augment", data, "-g", GRAPH, "-o", tmp_path / "new.csv", "--quiet")
    assert result.stdout == result.stderr == ""


def test_the_observed_rows_get_the_rest_of_the_weight(data, tmp_path):
    new = augmented(data, tmp_path / "new.csv", "--originals", "--share", "0.25", "--provenance")
    observed = pd.read_csv(data)
    pd.testing.assert_frame_equal(new[: len(observed)][list(observed)], observed)
    assert new["weight"][: len(observed)].sum() == pytest.approx(0.75 * len(observed))
    assert new["weight"].sum() == pytest.approx(len(observed))
    assert new["row_of_cough"][: len(observed)].tolist() == list(range(len(observed)))


def test_each_cell_is_credited_to_its_row(data, tmp_path):
    new = augmented(data, tmp_path / "new.csv", "--provenance")
    observed = pd.read_csv(data)
    for column in observed:
        credited = observed[column].to_numpy()[new[f"row_of_{column}"]]
        assert credited.tolist() == new[column].tolist()


@pytest.mark.parametrize(
    ("options", "strategies"),
    [
        (["--rows", "4"], {"expansion": ca.BudgetExpansion(4)}),
        (["--expansion", "sampled", "--rows", "9"], {"expansion": ca.SampledExpansion(9)}),
        (["--expansion", "beam", "--rows", "3"], {"expansion": ca.BeamExpansion(3)}),
        (["--expansion", "pruned"], {"expansion": ca.PrunedExpansion()}),
        (
            ["--expansion", "pruned", "--threshold", "0.3"],
            {"expansion": ca.PrunedExpansion(0.3)},
        ),
        (["--conditional", "residual"], {"conditional": ca.ResidualConditional()}),
        (
            ["--conditional", "residual", "--temperature", "0.5"],
            {"conditional": ca.ResidualConditional(temperature=0.5)},
        ),
        (["--temperature", "3"], {"conditional": ca.KernelConditional(temperature=3.0)}),
        (["--kinds", "cough=discrete"], {"kinds": {"cough": "discrete"}}),
        (["--kinds", "cough=ordered"], {"kinds": {"cough": "ordered"}}),
        (
            ["--limits", "cough=-2:12.5,fever=30:", "--conditional", "residual"],
            {
                "limits": {"cough": (-2, 12.5), "fever": (30, None)},
                "conditional": ca.ResidualConditional(),
            },
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_are_those_of_the_library(data, tmp_path, options, strategies):
    graph = "cough -> fever; cough -> sick"
    out = tmp_path / "new.csv"
    succeed("augment", data, "--graph", graph, "--out", out, *options)
    frame = pd.read_csv(data)
    expected = ca.augment(frame, ca.read_graph(graph), random_state=0, **strategies)
    written = pd.read_csv(out, **EXACTLY)
    pd.testing.assert_frame_equal(written.drop(columns="weight"), expected.frame)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--expansion", "beam"], "'--rows': is needed for --expansion beam"),
        (["--expansion", "pruned", "--rows", "5"], "'--rows': is not for --expansion pruned"),
        (["--threshold", "0.1"], "'--threshold': is for --expansion pruned"),
        (["--expansion", "bush"], "--expansion"),
        (["--rows", "0"], "--rows"),
        (["--share", "2"], "--share"),
        (["--share", "0.5"], "'--share': is for --originals"),
        (["--kinds", "fever=metric"], "'--kinds': must be COLUMN=continuous, COLUMN=ordered"),
        (["--kinds", ""], "'--kinds'"),
        (["--limits", "fever"], "'--limits': must be COLUMN=LOW:HIGH, either number left out"),
        (["--limits", "fever=0:x"], "Found fever=0:x"),
        (["--no-such-option"], "No such option"),
    ],
    ids=str,
)
def test_wrong_options_are_mistakes_of_usage(data, tmp_path, options, message):
    result = run("augment", data, "--graph", GRAPH, "--out", tmp_path / "new.csv", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "new.csv").exists()


def test_safe_csv_is_for_files_that_spreadsheets_open(data, tmp_path):
    result = run("augment", data, "-g", GRAPH, "-o", tmp_path / "new.parquet", "--safe-csv")
    assert result.exit_code == 1
    assert "--safe-csv is for .csv and .tsv" in result.stderr


def test_a_full_disk_leaves_the_old_file(data, tmp_path, monkeypatch):
    def fail(frame, file, **_):
        file.write("half")
        raise OSError(28, "No space left on device")

    out = tmp_path / "new.csv"
    out.write_text("old")
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(pd.DataFrame, "to_csv", fail)
    result = run("augment", data, "--graph", GRAPH, "--out", out)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: The output ")
    assert "No space left on device" in result.stderr
    assert out.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == before
