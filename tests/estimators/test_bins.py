import inspect

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.ensemble._hist_gradient_boosting import binning
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import causalaug as ca
from causalaug.estimators import default_booster, with_encoding
from causalaug.estimators._learner import weight_keyword
from causalaug.estimators._preprocessing import MOST_BINS, QuantileBins

BINS_AS_OURS = "averaged_inverted_cdf" in inspect.getsource(binning)
"""Whether this scikit-learn cuts columns at the same quantiles; older ones cut midway between."""

CELLS = st.floats(-1e300, 1e300) | st.integers(0, 3).map(float) | st.just(np.nan)


@parametrize_with_checks([QuantileBins()])
def test_bins_pass_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@given(arrays(float, st.tuples(st.integers(1, 30), st.just(2)), elements=CELLS))
def test_bins_keep_the_order_and_tell_a_few_values_apart(X):
    binned = QuantileBins().fit(X).transform(X)
    np.testing.assert_array_equal(np.isnan(binned), np.isnan(X))
    for before, after in zip(X.T, binned.T, strict=True):
        there = ~np.isnan(before)
        ranks = np.unique(before[there], return_inverse=True)[1]
        np.testing.assert_array_equal(after[there], ranks)


@pytest.mark.parametrize("value", [1.0, -1.0, 0.1, 1e300, -5e-324])
def test_bins_tell_neighbours_among_doubles_apart(value):
    X = np.array([[value], [np.nextafter(value, np.inf)]])
    X = np.vstack([X, np.nextafter(X[1:], np.inf)])
    np.testing.assert_array_equal(QuantileBins().fit_transform(X)[:, 0], [0, 1, 2])


def test_bins_of_many_values_hold_equally_many():
    X = np.random.default_rng(0).lognormal(size=(5100, 1))
    binned = QuantileBins().fit(X).transform(X)[:, 0]
    counts = np.bincount(binned.astype(int))
    np.testing.assert_allclose(counts, np.full(MOST_BINS, 20), atol=1)
    assert (np.diff(binned[np.argsort(X[:, 0])]) >= 0).all()


def test_values_never_seen_fall_into_the_bin_that_is_nearest():
    bins = QuantileBins().fit(np.array([[1.0], [2.0], [4.0]]))
    asked = np.array([[-9.0], [1.4], [1.6], [2.9], [3.1], [99.0]])
    np.testing.assert_array_equal(bins.transform(asked)[:, 0], [0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("n_values", [7, 10_000])
def test_boosting_on_bins_is_boosting(n_values):
    rng = np.random.default_rng(0)
    X = np.floor(rng.uniform(size=(3000, 2)) * n_values)
    X[::11, 1] = np.nan
    y = np.sin(X[:, 0]) + rng.normal(size=3000)
    plain = HistGradientBoostingRegressor(early_stopping=False, max_iter=5)
    on_bins = make_pipeline(QuantileBins(), sklearn.clone(plain)).fit(X, y)
    found, expected = on_bins.predict(X), plain.fit(X, y).predict(X)
    if n_values < MOST_BINS or BINS_AS_OURS:
        np.testing.assert_allclose(found, expected)
    else:
        # Older versions cut midway between two rows where we cut at one of them.
        errors = [np.square(each - y).mean() for each in (found, expected)]
        assert errors[0] == pytest.approx(errors[1], rel=0.01)


@pytest.mark.parametrize("classification", [True, False])
def test_histograms_never_look_for_bins_of_their_own(classification):
    small = default_booster(500, classification=classification)
    large = default_booster(501, classification=classification)
    assert type(small).__name__.startswith("GradientBoosting")
    bins, histograms = (step for _, step in large.steps)
    assert type(bins) is QuantileBins
    assert type(histograms).__name__ == f"Hist{type(small).__name__}"


def test_names_stay_with_the_columns():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert QuantileBins().fit(frame).get_feature_names_out().tolist() == ["a", "b"]
    nameless = QuantileBins().fit(frame.to_numpy())
    assert nameless.get_feature_names_out().tolist() == ["x0", "x1"]
    assert nameless.get_feature_names_out(["u", "v"]).tolist() == ["u", "v"]
    with pytest.raises(ValueError, match="feature names"):
        QuantileBins().fit(frame).transform(frame[["b", "a"]])


def test_an_encoder_comes_before_the_bins():
    frame = pd.DataFrame({"colour": ["red", "blue"] * 50, "size": np.arange(100.0)})
    learner = with_encoding(default_booster(3_000, classification=False), frame, one_hot=False)
    assert [name for name, _ in learner.steps] == [
        "columntransformer",
        "quantilebins",
        "histgradientboostingregressor",
    ]
    assert weight_keyword(learner) == "histgradientboostingregressor__sample_weight"
    assert np.isfinite(learner.fit(frame, frame["size"]).predict(frame)).all()


def test_boosting_behind_bins_asks_for_weights_with_metadata_routing_on():
    with sklearn.config_context(enable_metadata_routing=True):
        assert weight_keyword(default_booster(3_000, classification=True)) == "sample_weight"


def test_the_default_learner_of_a_large_table_learns_from_weighted_rows():
    data = ca.datasets.make_sem(2_100, "chain", n_variables=3, random_state=0)
    model = ca.AugmentedRegressor(
        graph=data.graph, target="Y", augmented_share=0.5, random_state=0
    ).fit(data.X, data.y)
    assert type(model.estimator_.steps[0][1]) is QuantileBins
    assert np.var(data.y - model.predict(data.X)) < 0.5 * np.var(data.y)
