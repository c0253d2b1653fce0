import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.densities import _features

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(1, 3), st.floats(0.3, 3.0))
def test_the_landmarks_that_are_chosen_span_the_others(seed, n_inputs, length):
    landmarks = np.random.default_rng(seed).normal(size=(30, n_inputs))
    gram = _features._bumps(landmarks, landmarks, length)
    chosen, whitening = _features._whiten(gram)
    features = gram[:, chosen] @ whitening
    np.testing.assert_allclose(features @ features.T, gram, atol=2.0 * _features.RESOLUTION)
    assert len(set(chosen)) == len(chosen)
    np.testing.assert_array_equal(np.tril(whitening, -1), 0.0)


@given(SEEDS, st.integers(1, 3), st.integers(1, 12))
def test_distinct_rows_are_those_of_numpy_in_the_same_order(seed, n_inputs, n_rows):
    inputs = np.random.default_rng(seed).integers(-2, 3, size=(n_rows, n_inputs)) / 2.0
    np.testing.assert_array_equal(_features._distinct_rows(inputs), np.unique(inputs, axis=0))


@pytest.mark.parametrize("n_inputs", [1, 2, 3])
def test_bumps_are_gaussians_of_the_distance(n_inputs):
    rng = np.random.default_rng(n_inputs)
    inputs, landmarks = rng.normal(size=(7, n_inputs)), rng.normal(size=(4, n_inputs))
    slow = [[np.exp(-0.5 * np.sum((x - z) ** 2) / 0.49) for z in landmarks] for x in inputs]
    np.testing.assert_allclose(_features._bumps(inputs, landmarks, 0.7), slow)
