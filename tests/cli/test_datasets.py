"""`causalaug datasets`."""

import json

import pandas as pd
import pytest

import causalaug as ca
from command import run, succeed


@pytest.fixture(autouse=True)
def _no_files_of_the_user(monkeypatch):
    monkeypatch.delenv("CAUSALAUG_DATA", raising=False)


def test_all_tables_are_listed():
    printed = succeed("datasets", "list").stdout
    assert all(name in printed for name in ca.datasets.list_datasets())
    assert "Sachs et al." in printed


def test_the_list_has_a_document():
    listed = json.loads(succeed("datasets", "list", "--json").stdout)["datasets"]
    by_name = {each["name"]: each for each in listed}
    assert list(by_name) == list(ca.datasets.list_datasets())
    assert by_name["sachs"]["rows"] == 853
    assert by_name["sachs"]["target"] == "PKA"
    assert by_name["gss"] == {"name": "gss", "bundled": False}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_exported_is_the_table_and_its_graph(tmp_path, ending):
    words = ["datasets", "export", "auto_mpg", "--folder", tmp_path, "--format", ending]
    printed = succeed(*words).stdout
    data = ca.datasets.load_auto_mpg()
    table, arrows = tmp_path / f"auto_mpg.{ending}", tmp_path / "auto_mpg.graph.txt"
    read = pd.read_csv if ending == "csv" else pd.read_parquet
    pd.testing.assert_frame_equal(read(table), data.frame)
    assert ca.read_graph(arrows) == data.graph
    assert f"causalaug evaluate {table} --graph {arrows} --target mpg" in printed


def test_files_that_are_there_are_replaced_only_if_asked(tmp_path):
    (tmp_path / "auto_mpg.graph.txt").write_text("mine")
    words = ["datasets", "export", "auto_mpg", "--folder", tmp_path]
    result = run(*words)
    assert result.exit_code == 1
    assert "Use --force to replace them" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["auto_mpg.graph.txt"]
    document = json.loads(succeed(*words, "--force", "--json").stdout)
    assert document["target"] == "mpg"
    assert (tmp_path / "auto_mpg.graph.txt").read_text() != "mine"


def test_a_name_misspelt_is_guessed(tmp_path):
    result = run("datasets", "export", "auto_mgp", "--folder", tmp_path)
    assert result.exit_code == 1
    assert "'auto_mgp' -> 'auto_mpg'" in result.stderr
