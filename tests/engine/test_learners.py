"""Learners that never see all rows at once."""

import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.linear_model import LinearRegression, SGDClassifier, SGDRegressor
from sklearn.neighbors import KNeighborsRegressor

import causalaug as ca
from causalaug.engine import (
    as_dask_frame,
    as_xgboost_iter,
    augment_to_parquet,
    partial_fit,
    stream_batches,
)
from causalaug.exceptions import ParameterError
from engine.jobs import GRAPH, job, make_frame

PARAMETERS = {"tree_method": "hist", "max_depth": 3, "eta": 0.3, "nthread": 1}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return augment_to_parquet(path=tmp_path_factory.mktemp("set"), **job())


def whole(dataset, target):
    frame = dataset.frame()[[*dataset.columns, "weight"]]
    return frame.drop(columns=[target, "weight"]), frame[target], 60 * frame["weight"]


def test_xgboost_learns_from_files_what_it_learns_from_memory(tmp_path, dataset):
    iterator = as_xgboost_iter(dataset, "weight_kg", cache_prefix=tmp_path / "cache")
    outside = xgboost.ExtMemQuantileDMatrix(iterator, enable_categorical=True)
    features, target, weights = whole(dataset, "weight_kg")
    inside = xgboost.QuantileDMatrix(features, target, weight=weights, enable_categorical=True)
    assert outside.num_row() == len(dataset)
    np.testing.assert_allclose(outside.get_weight(), weights, rtol=1e-6)
    np.testing.assert_allclose(outside.get_label(), target, rtol=1e-6)
    found, expected = (
        xgboost.train(PARAMETERS, matrix, 20).predict(
            xgboost.DMatrix(features, enable_categorical=True)
        )
        for matrix in (outside, inside)
    )
    assert np.ptp(expected) > 5.0
    np.testing.assert_allclose(found, expected, atol=0.5)
    assert list(tmp_path.iterdir())


def test_xgboost_takes_a_stream_and_a_target_of_categories():
    stream = stream_batches(make_frame(), GRAPH, random_state=0, batch_rows=100)
    matrix = xgboost.QuantileDMatrix(as_xgboost_iter(stream, "sex"))
    assert matrix.num_row() == 300
    assert set(matrix.get_label()) == {0.0, 1.0}
    assert matrix.get_weight().sum() == pytest.approx(60.0)
    model = xgboost.train({**PARAMETERS, "objective": "binary:logistic"}, matrix, 5)
    assert model.num_boosted_rounds() == 5


@pytest.mark.parametrize("kind", ["stream", "files"])
def test_an_estimator_learns_from_batches(dataset, kind):
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    frame = pd.DataFrame({"x": x, "y": 2.0 * x + 1.0 + 0.1 * rng.normal(size=80)})
    graph = ca.read_graph("x -> y")
    expected = LinearRegression().fit(frame[["x"]], frame["y"])
    if kind == "stream":
        source = stream_batches(frame, graph, random_state=0, batch_rows=50, epochs=20)
    else:
        source = augment_to_parquet(
            frame,
            graph,
            dataset.path.parent / "line",
            expansion=ca.SampledExpansion(4000),
            random_state=0,
        )
    model = SGDRegressor(alpha=1e-6, learning_rate="constant", eta0=0.05, random_state=0)
    assert partial_fit(model, source, "y") is model
    assert model.coef_[0] == pytest.approx(expected.coef_[0], abs=0.2)
    assert model.intercept_[0] == pytest.approx(expected.intercept_, abs=0.2)


def test_a_classifier_is_told_its_classes():
    frame = make_frame().drop(columns="shoe")
    graph = ca.read_graph("sex -> size -> weight_kg")
    stream = stream_batches(frame, graph, random_state=0, batch_rows=64)
    model = SGDClassifier(random_state=0)
    with pytest.raises(ParameterError, match="must know all its classes"):
        partial_fit(model, stream, "sex")
    partial_fit(model, stream, "sex", classes=["female", "male"])
    assert list(model.classes_) == ["female", "male"]


def test_what_cannot_be_fitted_to_batches_is_refused():
    stream = stream_batches(make_frame(), GRAPH)
    with pytest.raises(ParameterError, match="must have a `partial_fit` that takes"):
        partial_fit(KNeighborsRegressor(), stream, "size")
    with pytest.raises(ParameterError, match="must end"):
        partial_fit(SGDRegressor(), stream_batches(make_frame(), GRAPH, epochs=None), "size")
    with pytest.raises(ParameterError, match="`target` names columns that the data do not have"):
        partial_fit(SGDRegressor(), stream, "sizes")
    with pytest.raises(ParameterError, match="`source` must be an AugmentedDataset"):
        as_xgboost_iter(make_frame(), "size")


def test_a_dask_frame_holds_all_rows(dataset):
    rows = as_dask_frame(dataset)
    assert rows.npartitions == len(dataset.files)
    found = rows.compute(scheduler="synchronous").reset_index(drop=True)
    pd.testing.assert_frame_equal(found, dataset.frame()[[*dataset.columns, "weight"]])


def test_xgboost_trains_on_the_workers_of_a_cluster(dataset, client):
    import xgboost.dask

    rows = as_dask_frame(dataset)
    features = rows[[name for name in dataset.columns if name != "weight_kg"]]
    matrix = xgboost.dask.DaskDMatrix(
        client, features, rows["weight_kg"], weight=60 * rows["weight"], enable_categorical=True
    )
    trained = xgboost.dask.train(client, PARAMETERS, matrix, num_boost_round=20)["booster"]
    inside, target, weights = whole(dataset, "weight_kg")
    plain = xgboost.DMatrix(inside, target, weight=weights, enable_categorical=True)
    expected = xgboost.train(PARAMETERS, plain, 20).predict(plain)
    np.testing.assert_allclose(trained.predict(plain), expected, atol=0.5)
