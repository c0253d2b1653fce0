"""The survey: a user's file, or a table rebuilt from Stata files by the written rules."""

import os
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from causalaug.datasets import fetch_gss, load_dataset
from causalaug.exceptions import DataNotFoundError, ParameterError, TableError

COLUMNS = ["v1", "v2", "v3", "v4", "v5", "v6"]
MAN = {
    "year": 1990,
    "age": 40,
    "sex": 1,
    "race": 1,
    "wrkstat": 1,
    "pasei": 50.5,
    "realrinc": 30000.0,
    "paeduc": 12,
    "sei": 60.5,
    "educ": 16,
    "sibs": 3,
    "paocc80": 100.0,
    "paocc16": np.nan,
    "paind80": 700.0,
    "paind16": np.nan,
}
VALUES = [50.5, 30000.0, 12.0, 60.5, 16.0, 3.0]


def survey(*changes):
    return pd.DataFrame([MAN | change for change in changes])


def write_years(folder, *frames):
    for i, frame in enumerate(frames):
        frame.to_stata(folder / f"GSS{1990 + i}.dta", write_index=False)


@pytest.mark.parametrize(
    "change",
    [
        {"year": 2008},
        {"age": 34},
        {"age": 45},
        {"age": np.nan},
        {"sex": 2},
        {"race": 2},
        {"wrkstat": 3},
        {"pasei": np.nan},
        {"realrinc": np.nan},
        {"realrinc": 0.0},
        {"paeduc": np.nan},
        {"paeduc": 97},
        {"sei": 99.8},
        {"educ": 98},
        {"sibs": 99},
        {"sibs": -1},
        *({"paocc80": float(code)} for code in (473, 475, 477, 479)),
        *({"paocc16": float(code)} for code in (801, 802, 806, 821, 826)),
        *({"paind80": float(code)} for code in (10, 11)),
        *({"paind16": float(code)} for code in (17, 18)),
    ],
    ids=str,
)
def test_each_rule_leaves_a_man_out(tmp_path, change):
    write_years(tmp_path, survey({}, change, {"sibs": 5}))
    frame = fetch_gss(tmp_path, raw=True).frame
    assert frame["v6"].tolist() == [3.0, 5.0]


@pytest.mark.parametrize(
    "change",
    [
        {"year": 2006},
        {"age": 35},
        {"age": 44},
        {"wrkstat": 2},
        {"paeduc": 0},
        {"paocc80": 478.0},
        {"paocc80": np.nan},
        {"paind80": 12.0},
        {"paocc16": 820.0},
    ],
    ids=str,
)
def test_the_borders_of_the_rules_keep_him(tmp_path, change):
    write_years(tmp_path, survey({"sibs": 7}, change))
    assert len(fetch_gss(tmp_path)) == 2


def test_columns_are_in_order_and_real(tmp_path):
    write_years(tmp_path, survey({}))
    frame = fetch_gss(tmp_path, raw=True).frame
    assert list(frame) == COLUMNS
    assert set(frame.dtypes) == {np.dtype(np.float64)}
    np.testing.assert_allclose(frame.to_numpy(), [VALUES])


def test_years_may_lack_columns_and_differ_in_case(tmp_path):
    old = survey({"sibs": 1}).drop(columns=["paocc80", "paind80"])
    old["paocc16"] = 100.0
    shouting = survey({"sibs": 2}).rename(columns=str.upper)
    without_income = survey({"sibs": 8}).drop(columns="realrinc")
    write_years(tmp_path, old, shouting, without_income)
    dataset = fetch_gss(tmp_path, raw=True)
    assert dataset.frame["v6"].tolist() == [1.0, 2.0]
    assert "Rebuilt from 3 files" in dataset.description
    assert "re-creation" in dataset.description


def test_zipped_years_are_read_as_well(tmp_path):
    write_years(tmp_path, survey({"sibs": 1}, {"sibs": 2}))
    unpacked = fetch_gss(tmp_path).frame
    stata = tmp_path / "GSS1990.dta"
    with zipfile.ZipFile(tmp_path / "1990_stata.zip", "w") as archive:
        archive.write(stata, "year/GSS1990.DTA")
        archive.writestr("ReadMe.txt", "hello")
    # Both together: the packed year must not count twice.
    pd.testing.assert_frame_equal(fetch_gss(tmp_path).frame, unpacked)
    stata.unlink()
    pd.testing.assert_frame_equal(fetch_gss(tmp_path).frame, unpacked)


def test_a_file_of_the_user_comes_first(tmp_path, monkeypatch):
    own = pd.DataFrame([[1, 2, 3, 4, 5, 6], [2, 4, 6, 8, 10, 3]], columns=COLUMNS)
    own.assign(id=[7, 8])[["id", *reversed(COLUMNS)]].to_csv(tmp_path / "gss.csv", index=False)
    write_years(tmp_path, survey({}))
    dataset = fetch_gss(str(tmp_path), raw=True)
    pd.testing.assert_frame_equal(dataset.frame, own.astype(float))
    assert "Read from a file of the user" in dataset.description
    monkeypatch.setenv("CAUSALAUG_DATA", str(tmp_path))
    scaled = load_dataset("gss").frame.to_numpy()
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0), 1.0)


def test_the_graph_is_that_of_status_attainment(tmp_path):
    write_years(tmp_path, survey({}))
    dataset = fetch_gss(tmp_path, raw=True)
    arrows = "v1->v4 v1->v5 v3->v5 v4->v2 v5->v2 v5->v4 v6->v4 v6->v5"
    assert dataset.target == "v4"
    assert dataset.graph.nodes == tuple(COLUMNS)
    assert set(dataset.graph.directed) == {tuple(arrow.split("->")) for arrow in arrows.split()}
    assert dataset.graph.bidirected == (("v1", "v3"), ("v1", "v6"), ("v3", "v6"))


def test_the_home_folder_is_the_last_resort(tmp_path, monkeypatch):
    monkeypatch.delenv("CAUSALAUG_DATA", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    with pytest.raises(DataNotFoundError, match="causalaug_data.*gss.norc.org.*CAUSALAUG_DATA"):
        fetch_gss()
    assert issubclass(DataNotFoundError, FileNotFoundError)


def test_a_survey_without_the_men_is_refused(tmp_path):
    write_years(tmp_path, survey({"sex": 2}))
    with pytest.raises(TableError, match="Found none in 1 rows"):
        fetch_gss(tmp_path)


def test_a_file_without_the_columns_is_refused(tmp_path):
    pd.DataFrame({"v1": [1.0], "w": [2.0]}).to_csv(tmp_path / "gss.csv", index=False)
    with pytest.raises(TableError, match=r"Missing: \['v2', 'v3', 'v4', 'v5', 'v6'\]. Found"):
        fetch_gss(tmp_path)


def test_raw_is_a_flag():
    with pytest.raises(ParameterError, match="`raw` must be True or False"):
        fetch_gss(raw=None)


def test_the_rows_of_the_paper():
    folder = os.environ.get("CAUSALAUG_DATA")
    if not folder or not (Path(folder) / "gss.csv").is_file():
        pytest.skip("CAUSALAUG_DATA names no folder with gss.csv")
    dataset = fetch_gss(raw=True)
    expected = pd.read_csv(Path(folder) / "gss.csv")
    assert dataset.frame.shape == (1380, 6)
    np.testing.assert_allclose(dataset.frame.to_numpy(), expected.to_numpy(), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(fetch_gss().frame.std(ddof=0), 1.0)
