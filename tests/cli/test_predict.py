"""`causalaug predict`."""

import json

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from command import run, succeed


def fail(*words):
    result = run(*words)
    assert result.exit_code != 0
    return result


@pytest.fixture
def files(tmp_path):
    drawn = ca.datasets.make_sem(80, "chain", n_variables=4, random_state=0)
    drawn.frame[:60].assign(id=range(60)).to_csv(tmp_path / "train.csv", index=False)
    asked = drawn.frame[60:].drop(columns="Y")
    asked.iloc[0, 0] = np.nan
    asked.to_csv(tmp_path / "new.csv", index=False)
    (tmp_path / "graph.txt").write_text(ca.write_graph(drawn.graph))
    return tmp_path, drawn


def test_the_mean_and_quantiles_of_a_number_are_written(files):
    folder, drawn = files
    words = [folder / "train.csv", folder / "new.csv", "--graph", folder / "graph.txt"]
    printed = succeed("predict", *words, "--target", "Y", "--out", folder / "p.csv").stdout
    assert "Wrote 20 predictions of Y" in printed
    found = pd.read_csv(folder / "p.csv")
    assert list(found) == ["Y", "Y_q0.05", "Y_q0.5", "Y_q0.95"]
    model = ca.fit_model(drawn.frame[:60], drawn.graph, "auto")
    expected = model.predict("Y", pd.read_csv(folder / "new.csv"))
    np.testing.assert_allclose(found["Y"], expected.mean)
    np.testing.assert_allclose(found["Y_q0.95"], expected.quantile(0.95))


def test_the_probabilities_of_classes_are_written(data, tmp_path):
    (tmp_path / "new.csv").write_text("fever,cough\n40.0,9.0\n36.6,0.0\n")
    words = [data, tmp_path / "new.csv", "--graph", "fever <- sick -> cough", "--target", "sick"]
    document = json.loads(succeed("predict", *words, "--out", tmp_path / "p.csv", "--json").stdout)
    assert document == {"out": str(tmp_path / "p.csv"), "rows": 2, "target": "sick"}
    found = pd.read_csv(tmp_path / "p.csv")
    assert list(found) == ["sick=no", "sick=yes"]
    assert found["sick=yes"][0] > 0.5 > found["sick=yes"][1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "Z"], "must be one of the columns"),
        (["--target", "Y", "--quantiles", "0.5,2"], "must be numbers between 0 and 1"),
        (["--target", "Y", "--quantiles", "half"], "must be numbers between 0 and 1"),
    ],
)
def test_what_cannot_be_predicted_is_refused(files, options, message):
    folder, _ = files
    words = [folder / "train.csv", folder / "new.csv", "--graph", folder / "graph.txt", *options]
    assert message in fail("predict", *words, "--out", folder / "p.csv").stderr
    assert not (folder / "p.csv").exists()


def test_an_output_that_is_read_is_refused(files):
    folder, _ = files
    words = [folder / "train.csv", folder / "new.csv", "--graph", folder / "graph.txt"]
    before = (folder / "new.csv").read_bytes()
    fail("predict", *words, "--target", "Y", "--out", folder / "new.csv")
    assert (folder / "new.csv").read_bytes() == before
