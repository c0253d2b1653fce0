"""The bundled tables are the published ones, to the last bit, and prepared as documented."""

import hashlib
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from causalaug import datasets
from causalaug.datasets import list_datasets, load_dataset
from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG

LOADERS = {
    "auto_mpg": datasets.load_auto_mpg,
    "boston_housing": datasets.load_boston_housing,
    "red_wine": datasets.load_red_wine,
    "sachs": datasets.load_sachs,
    "white_wine": datasets.load_white_wine,
}
NAMES = sorted(LOADERS)
INTEGERS = {
    "auto_mpg": ["cylinders", "model_year"],
    "boston_housing": ["CHAS"],
    "red_wine": ["quality"],
    "sachs": [],
    "white_wine": ["quality"],
}
# Of the little-endian doubles, row by row.
SHA256 = {
    "auto_mpg": "3ecfce49149ac927b56fdf581cdd67e1922322b5b22233fb1dd32cafa2158426",
    "boston_housing": "832e894115c56dd24ec63848d4a3d9bd921d268d0be1bee2a8f4ee5ea318f5f7",
    "red_wine": "d4f6a6d672e0ee31d41fdd93b4b58985b45a31f2f971499c18137c42229278ac",
    "sachs": "8b788d2ec161b4fe63c07ea10f9678994439178ca737e57d32807193a1478dbf",
    "white_wine": "8cc6071e55becf6ae84cdad82ef0b43ede7f74e6d85599fa8098d98b15f47b9d",
}


def reference(name):
    """Return a table that was obtained elsewhere, or skip."""
    folder = os.environ.get("CAUSALAUG_DATA")
    path = Path(folder or "") / f"{name}.csv"
    if not folder or not path.is_file():
        pytest.skip(f"CAUSALAUG_DATA names no folder with {name}.csv")
    return pd.read_csv(path)


@pytest.mark.parametrize("name", NAMES)
def test_the_values_are_the_published_ones(name):
    values = LOADERS[name](raw=True).frame.to_numpy(np.float64).astype("<f8")
    assert hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest() == SHA256[name]


@pytest.mark.parametrize(
    ("name", "shape", "target", "mean", "extremes"),
    [
        ("auto_mpg", (392, 7), "mpg", 23.445918, (9.0, 46.6)),
        ("boston_housing", (506, 14), "MEDV", 22.532806, (5.0, 50.0)),
        ("red_wine", (1599, 12), "quality", 5.636023, (3, 8)),
        ("sachs", (853, 11), "PKA", 567.023974, (1.95, 4491.0)),
        ("white_wine", (4898, 12), "quality", 5.877909, (3, 9)),
    ],
)
def test_size_and_target(name, shape, target, mean, extremes):
    dataset = LOADERS[name](raw=True)
    assert dataset.frame.shape == shape
    assert dataset.target == target
    assert dataset.y.mean() == pytest.approx(mean, abs=1e-6)
    assert (dataset.y.min(), dataset.y.max()) == extremes


@pytest.mark.parametrize("name", NAMES)
def test_they_agree_with_tables_from_elsewhere(name):
    expected = reference(name)
    found = LOADERS[name](raw=True).frame
    assert list(found) == list(expected)
    np.testing.assert_allclose(found.to_numpy(), expected.to_numpy(), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("raw", [False, True])
def test_integers_stay_integers_and_all_else_is_real(name, raw):
    frame = LOADERS[name](raw=raw).frame
    expected = dict.fromkeys(frame, "float64") | dict.fromkeys(INTEGERS[name], "int64")
    assert frame.dtypes.astype(str).to_dict() == expected


@pytest.mark.parametrize("name", NAMES)
def test_real_columns_are_standardised_and_integers_are_not(name):
    raw, ready = LOADERS[name](raw=True).frame, LOADERS[name]().frame
    real = ready.drop(columns=INTEGERS[name]).to_numpy()
    np.testing.assert_allclose(real.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(real.std(axis=0), 1.0, rtol=1e-12)
    pd.testing.assert_frame_equal(ready[INTEGERS[name]], raw[INTEGERS[name]])
    assert list(ready) == list(raw)
    # Ties matter to the method: equal values stay equal, different ones different.
    assert ready.nunique().to_dict() == raw.nunique().to_dict()


def test_three_proteins_are_logarithms():
    raw, ready = datasets.load_sachs(raw=True).frame, datasets.load_sachs().frame
    for name in raw:
        value = np.log(raw[name]) if name in ("Raf", "Mek", "PKA") else raw[name]
        assert np.corrcoef(value, ready[name])[0, 1] == pytest.approx(1.0, abs=1e-12)


def test_the_consensus_network():
    graph = datasets.load_sachs().graph
    assert len(graph.directed) == 17
    assert graph.is_dag
    assert graph.children("PKA") == ("Raf", "Mek", "Erk", "Akt", "P38", "Jnk")
    assert graph.children("PKC") == ("Raf", "Mek", "P38", "Jnk")
    assert graph.children("PIP3") == ("Plcg", "PIP2", "Akt")
    assert graph.children("Plcg") == ("PIP2", "PKC")
    assert graph.children("PIP2") == ("PKC",)
    assert graph.children("Mek") == ("Erk",)


@pytest.mark.parametrize("name", NAMES)
def test_graphs_name_the_columns_in_order(name):
    dataset = LOADERS[name]()
    assert isinstance(dataset.graph, ADMG)
    assert dataset.graph.nodes == tuple(dataset.frame)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"sachs"}))
def test_an_estimated_graph_says_so(name):
    assert "an estimate and no expert knowledge" in LOADERS[name]().description


def test_each_call_gives_a_frame_of_its_own():
    frame = datasets.load_auto_mpg().frame
    frame["mpg"] = 0.0
    assert datasets.load_auto_mpg().frame["mpg"].std() > 0.9


def test_raw_is_a_flag():
    with pytest.raises(ParameterError, match="`raw` must be True or False"):
        datasets.load_sachs(raw="yes")


@pytest.mark.parametrize("name", NAMES)
def test_they_can_be_loaded_by_name(name):
    assert name in list_datasets()
    pd.testing.assert_frame_equal(load_dataset(name).frame, LOADERS[name]().frame)


def test_an_unknown_name_is_refused():
    with pytest.raises(ParameterError, match="no data set 'sacks'.*'sacks' -> 'sachs'"):
        load_dataset("sacks")


def test_the_files_are_small_and_their_origin_is_told():
    folder = Path(datasets.__file__).parent / "data"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 200_000
    told = (folder / "README.md").read_text()
    assert all(f"`{name}.csv.gz`" in told for name in NAMES)
    assert {f"{name}.csv.gz" for name in NAMES} == {path.name for path in folder.glob("*.gz")}
