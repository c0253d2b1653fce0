import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.conditionals import _mean
from causalaug.conditionals._mean import PENALTIES, fit_smooth_mean, spread
from oracles import left_out_error, slow_ridge

SEEDS = st.integers(0, 2**32 - 1)


def draw(seed, n_rows=9, n_inputs=2):
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(n_rows, n_inputs))
    target = np.sin(2.0 * inputs[:, 0]) + 0.3 * rng.normal(size=n_rows)
    return inputs, target, rng.integers(1, 4, size=n_rows).astype(float)


def features_tried(monkeypatch, inputs, target, weights):
    """Return the features of every candidate."""
    tried = []
    fit_ridge = _mean._fit_ridge
    with monkeypatch.context() as patch:
        patch.setattr(_mean, "_fit_ridge", lambda *args: tried.append(args[0]) or fit_ridge(*args))
        fit_smooth_mean(inputs, target, weights)
    return tried


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_error_is_that_of_n_refits_and_the_least_of_all_tried(monkeypatch, seed, weighted):
    inputs, target, weights = draw(seed)
    weights = weights if weighted else np.ones(len(target))
    share = weights / weights.sum()
    variance = share @ np.square(target - share @ target)
    found, least = fit_smooth_mean(inputs, target, weights), {}
    for features in features_tried(monkeypatch, inputs, target, weights):
        design = features(inputs)
        centred = design - share @ design
        largest = np.linalg.eigvalsh(centred.T @ (share[:, np.newaxis] * centred)).max()
        for penalty in PENALTIES * largest:
            error = left_out_error(design, target, share, penalty) / variance
            slope, intercept = slow_ridge(design, target, share, penalty)
            least[error] = design @ slope + intercept
    assert found.error == pytest.approx(min(least), rel=1e-6)
    np.testing.assert_allclose(found.predict(inputs), least[min(least)], atol=1e-6)


@given(SEEDS)
def test_leverages_are_what_a_row_adds_to_its_own_fit(seed):
    inputs, target, weights = draw(seed)
    fit = fit_smooth_mean(inputs, target, weights)
    share = weights / weights.sum()
    design = fit.features(inputs)
    assert ((fit.leverages >= share - 1e-12) & (fit.leverages <= 1.0)).all()
    # The penalty that was chosen is the one whose ridge has these coefficients.
    centred = design - share @ design
    gram = centred.T @ (share[:, np.newaxis] * centred)
    largest = np.linalg.eigvalsh(gram).max()
    slopes = [slow_ridge(design, target, share, largest * each)[0] for each in PENALTIES]
    chosen = PENALTIES[np.argmin([np.abs(s - fit.coefficients).max() for s in slopes])] * largest
    inverse = np.linalg.inv(gram + chosen * np.eye(len(gram)))
    expected = share * (1.0 + np.einsum("ij,jk,ik->i", centred, inverse, centred))
    np.testing.assert_allclose(fit.leverages, expected, rtol=1e-6)


def test_weights_are_repetitions_once_the_features_and_the_penalty_are_chosen(monkeypatch):
    # Which are chosen may differ: a row is left out with all its copies.
    inputs, target, weights = draw(5)
    times = np.repeat(np.arange(len(target)), weights.astype(int))
    tried = features_tried(monkeypatch, inputs, target, weights)
    monkeypatch.setattr(_mean, "PENALTIES", np.array([1e-3]))
    assert len(tried) == 1 + len(_mean.LENGTHS)
    for features in tried:
        weighted = _mean._fit_ridge(features, inputs, target, weights / weights.sum())
        equal = np.full(len(times), 1.0 / len(times))
        repeated = _mean._fit_ridge(features, inputs[times], target[times], equal)
        np.testing.assert_allclose(weighted.predict(inputs), repeated.predict(inputs))
        np.testing.assert_allclose(weighted.leverages[times], repeated.leverages * weights[times])


@given(SEEDS)
def test_predictions_and_residuals_are_those_of_the_features(seed):
    inputs, target, weights = draw(seed)
    fit = fit_smooth_mean(inputs, target, weights)
    expected = fit.features(inputs) @ fit.coefficients + fit.intercept
    np.testing.assert_allclose(fit.predict(inputs), expected, atol=1e-9)
    np.testing.assert_allclose(fit.residuals, target - expected, atol=1e-9)


@given(SEEDS, st.floats(1e-3, 1e3))
def test_only_ratios_of_weights_matter(seed, factor):
    inputs, target, weights = draw(seed)
    plain = fit_smooth_mean(inputs, target, weights)
    scaled = fit_smooth_mean(inputs, target, factor * weights)
    np.testing.assert_allclose(plain.predict(inputs), scaled.predict(inputs), atol=1e-6)


@given(SEEDS)
def test_the_order_of_the_rows_is_nothing(seed):
    inputs, target, weights = draw(seed, n_rows=80)
    order = np.random.default_rng(seed).permutation(len(target))
    plain = fit_smooth_mean(inputs, target, weights)
    shuffled = fit_smooth_mean(inputs[order], target[order], weights[order])
    np.testing.assert_allclose(plain.predict(inputs), shuffled.predict(inputs), atol=1e-6)
    np.testing.assert_allclose(plain.leverages[order], shuffled.leverages, atol=1e-6)


@given(
    SEEDS,
    st.tuples(*[st.sampled_from([1e-3, 0.5, 2.0, 1e4])] * 2),
    st.tuples(*[st.floats(-50.0, 50.0)] * 2),
)
def test_the_units_of_the_inputs_are_nothing(seed, factors, offsets):
    inputs, target, weights = draw(seed)
    other = inputs * factors + np.array(offsets) * factors
    plain = fit_smooth_mean(inputs, target, weights)
    rescaled = fit_smooth_mean(other, target, weights)
    np.testing.assert_allclose(plain.predict(inputs), rescaled.predict(other), atol=1e-5)
    assert plain.error == pytest.approx(rescaled.error, rel=1e-5)


@pytest.mark.parametrize("unit", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_no_unit_is_too_large_or_too_small(unit):
    inputs, target, weights = draw(3)
    plain = fit_smooth_mean(inputs, target, weights).predict(inputs)
    scaled = fit_smooth_mean(inputs * unit, target * unit, weights).predict(inputs * unit)
    np.testing.assert_allclose(scaled / unit, plain, rtol=1e-6)


def test_a_line_without_noise_is_found():
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(30, 3))
    slope = np.array([2.0, -1.0, 0.5])
    fit = fit_smooth_mean(inputs, 7.0 + inputs @ slope, np.ones(30))
    query = rng.normal(size=(5, 3))
    np.testing.assert_allclose(fit.predict(query), 7.0 + query @ slope, atol=1e-4)
    assert fit.error < 1e-10


def test_a_curve_beats_a_line_where_there_is_one():
    x = np.linspace(-2.0, 2.0, 60)[:, np.newaxis]
    fit = fit_smooth_mean(x, np.cos(2.0 * x[:, 0]), np.ones(60))
    np.testing.assert_allclose(fit.predict(x), np.cos(2.0 * x[:, 0]), atol=0.02)


def test_many_rows_share_a_few_landmarks():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2.0, 2.0, size=(500, 1))
    fit = fit_smooth_mean(x, np.sin(3.0 * x[:, 0]), np.ones(500))
    assert 3 < len(fit.features.landmarks) < _mean.MOST_LANDMARKS
    np.testing.assert_allclose(fit.predict(x), np.sin(3.0 * x[:, 0]), atol=0.05)


@given(SEEDS, st.integers(1, 3), st.floats(0.3, 3.0))
def test_the_landmarks_that_are_chosen_span_the_others(seed, n_inputs, length):
    landmarks, _, _ = draw(seed, n_rows=30, n_inputs=n_inputs)
    gram = _mean._bumps(landmarks, landmarks, length)
    chosen, whitening = _mean._whiten(gram)
    features = gram[:, chosen] @ whitening
    np.testing.assert_allclose(features @ features.T, gram, atol=1e-8)
    assert len(set(chosen)) == len(chosen)


@pytest.mark.parametrize("inputs", [np.zeros((6, 1)), np.full((6, 2), 0.1)])
def test_inputs_that_say_nothing_give_the_mean(inputs):
    target, weights = np.arange(6.0), np.array([1.0, 1.0, 1.0, 1.0, 1.0, 3.0])
    fit = fit_smooth_mean(inputs, target, weights)
    np.testing.assert_allclose(fit.predict(inputs), np.average(target, weights=weights))
    np.testing.assert_allclose(fit.leverages, weights / weights.sum())


def test_a_column_twice_says_what_it_says_once():
    inputs, target, weights = draw(1, n_inputs=1)
    once = fit_smooth_mean(inputs, target, weights)
    twice = fit_smooth_mean(np.hstack([inputs, inputs]), target, weights)
    np.testing.assert_allclose(
        once.predict(inputs), twice.predict(np.hstack([inputs, inputs])), atol=1e-4
    )


def test_two_rows_are_enough():
    fit = fit_smooth_mean(np.array([[0.0], [1.0]]), np.array([3.0, 5.0]), np.ones(2))
    assert np.isfinite(fit.predict(np.array([[-1.0], [0.5], [9.0]]))).all()
    assert (fit.leverages <= 1.0).all()


def test_a_target_that_does_not_vary_is_its_own_mean():
    inputs, _, weights = draw(0)
    fit = fit_smooth_mean(inputs, np.full(len(inputs), 2.5), weights)
    np.testing.assert_allclose(fit.predict(inputs), 2.5)


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_the_spread_is_the_standard_deviation_of_repeated_rows(unit):
    values, weights = np.array([1.0, 2.0, 5.0]), np.array([3.0, 1.0, 2.0])
    expected = np.repeat(values, weights.astype(int)).std() * unit
    assert float(spread(values * unit, weights)) == pytest.approx(expected)
