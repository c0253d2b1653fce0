"""Labels and times become numbers; labels that no other row shares say nothing."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Ridge

import causalaug as ca
from causalaug.estimators import with_encoding


def rows(seed, n=30):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": [f"P{seed}-{number:03d}" for number in range(n)],
            "size": rng.normal(size=n),
            "town": rng.choice(["here", "there"], n),
        }
    )


@pytest.mark.parametrize("one_hot", [True, False])
def test_an_id_is_a_constant(one_hot):
    features = rows(0)
    encoder = with_encoding(Ridge(), features, one_hot=one_hot)[:-1]
    of_id = encoder.fit(features).transform(features)[:, 0]
    assert np.ptp(of_id) == 0.0


def test_an_id_changes_no_prediction():
    features, new = rows(0), rows(1)
    target = features["size"] + (features["town"] == "here")
    with_id, without = (
        with_encoding(Ridge(), part, scale=True).fit(part, target)
        for part in (features, features.drop(columns="id"))
    )
    assert_allclose(with_id.predict(new), without.predict(new.drop(columns="id")))


def test_labels_that_rows_share_stay_apart_and_rare_ones_are_taken_together():
    features = pd.DataFrame({"town": ["a", "b", "a", "b", "c", "d"]})
    encoder = with_encoding(Ridge(), features)[:-1].fit(features)
    new = pd.DataFrame({"town": ["a", "b", "c", "d", "never seen"]})
    expected = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]]
    assert_array_equal(encoder.transform(new), expected)


@pytest.mark.skipif(sklearn.__version__ < "1.7", reason="cannot select columns of arrow tables")
def test_arrow_tables_are_encoded_as_pandas_frames_are():
    frame = rows(0, n=60)[["size", "town"]].assign(day=pd.date_range("2024-01-01", periods=60))
    target = (frame["size"] + (frame["town"] == "here")).to_numpy()
    answers = []
    for features in (frame, pa.Table.from_pandas(frame)):
        model = ca.AugmentedRegressor(graph="{size, town, day} -> y", target="y", random_state=0)
        answers.append(model.fit(features, target).predict(features))
    assert_allclose(*answers)
