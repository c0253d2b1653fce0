from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.densities import _features, _mean
from causalaug.densities._features import CURVE_LENGTHS
from causalaug.densities._mean import PENALTIES, SIMPLER, fit_smooth_mean
from causalaug.densities._ridge import Response, fit_coefficients
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
    choose = _mean._choose_penalty
    with monkeypatch.context() as patch:
        patch.setattr(
            _mean, "_choose_penalty", lambda *args: tried.append(args[0]) or choose(*args)
        )
        fit_smooth_mean(inputs, target, weights)
    return tried


def slow_evidence(design, target, share, penalty):
    """Return the log-likelihood of the standardised target, coefficients integrated out.

    By the covariance of all rows; the scale of the noise is where it is largest.
    """
    n_rows = 1.0 / np.square(share).sum()
    root = np.sqrt(share * n_rows)
    centred = root[:, np.newaxis] * (design - share @ design)
    response = root * (target - share @ target)
    response /= np.sqrt(np.square(response).sum() / n_rows)
    covariance = np.eye(len(target)) + centred @ centred.T / penalty
    square = response @ np.linalg.solve(covariance, response) / n_rows
    return -0.5 * n_rows * np.log(square) - 0.5 * np.linalg.slogdet(covariance)[1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_evidence_is_that_of_the_covariance_and_the_largest_of_all(monkeypatch, seed, weighted):
    inputs, target, weights = draw(seed, n_rows=35)
    weights = weights if weighted else np.ones(len(target))
    share = weights / weights.sum()
    n_rows = 1.0 / np.square(share).sum()
    found, tried = fit_smooth_mean(inputs, target, weights), {}
    for features in features_tried(monkeypatch, inputs, target, weights):
        design = features(inputs)
        prior = SIMPLER if features.bumps else 0.0
        for penalty in PENALTIES:
            evidence = slow_evidence(design, target, share, penalty)
            slope, intercept = slow_ridge(design, target, share, penalty / n_rows)
            tried[evidence - prior] = evidence, design @ slope + intercept
    evidence, fitted = tried[max(tried)]
    assert found.evidence == pytest.approx(evidence, rel=1e-6)
    np.testing.assert_allclose(found.predict(inputs), fitted, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_of_few_rows_the_error_of_n_refits_decides(monkeypatch, seed):
    inputs, target, weights = draw(seed)
    share = weights / weights.sum()
    n_rows = 1.0 / np.square(share).sum()
    variance = share @ np.square(target - share @ target)
    tried = {}
    for features in features_tried(monkeypatch, inputs, target, weights):
        design = features(inputs)
        prior = SIMPLER if features.bumps else 0.0
        for penalty in PENALTIES / n_rows:
            error = left_out_error(design, target, share, penalty) / variance
            slope, intercept = slow_ridge(design, target, share, penalty)
            tried[-0.5 * n_rows * np.log(error) - prior] = design @ slope + intercept
    found = fit_smooth_mean(inputs, target, weights)
    np.testing.assert_allclose(found.predict(inputs), tried[max(tried)], atol=1e-6)


def test_a_sum_of_curves_and_a_surface_are_tried(monkeypatch):
    tried = features_tried(monkeypatch, *draw(0, n_inputs=2))
    assert [len(each.bumps) for each in tried] == [0, 2, 2, 1]
    lonely = features_tried(monkeypatch, *draw(0, n_inputs=1))
    assert [len(each.bumps) for each in lonely] == [0, 1, 1]


@given(SEEDS)
def test_leverages_are_what_a_row_adds_to_its_own_fit(seed):
    inputs, target, weights = draw(seed)
    fit = fit_smooth_mean(inputs, target, weights)
    share = weights / weights.sum()
    design = fit.features(inputs)
    assert ((fit.leverages >= share - 1e-12) & (fit.leverages <= 1.0)).all()
    centred = design - share @ design
    gram = centred.T @ (share[:, np.newaxis] * centred)
    inverse = np.linalg.inv(gram + fit.penalty / fit.n_rows * np.eye(len(gram)))
    variance = 1.0 + np.einsum("ij,jk,ik->i", centred, inverse, centred)
    np.testing.assert_allclose(fit.leverages, share * variance, rtol=1e-5)
    mean, doubt = fit.predict_with_doubt(inputs)
    np.testing.assert_allclose(mean, fit.predict(inputs), atol=1e-9)
    np.testing.assert_allclose(doubt, variance / fit.n_rows, rtol=1e-5)


def test_far_from_all_rows_the_smooth_part_is_as_unsure_as_before_them():
    inputs, target, weights = draw(1, n_rows=40)
    fit = fit_smooth_mean(inputs, target, weights)
    assert len(fit.features.bumps) > 0
    plain = replace(fit.features, bumps=())
    far = fit.features.centre + 100.0 * fit.features.scale
    total = len(fit.features.bumps) * fit.features.height**2
    found = fit.features.unspanned(fit.features(np.array([far])))
    np.testing.assert_allclose(found, total, rtol=1e-3)
    near = fit.features.unspanned(fit.features(inputs))
    np.testing.assert_allclose(near, 0.0, atol=1e-3)
    np.testing.assert_allclose(plain.unspanned(plain(inputs)), 0.0)
    doubt = fit.predict_with_doubt(np.array([far]))[1]
    assert doubt[0] > total / fit.penalty * 0.99


def test_variables_share_the_curves_of_a_common_cause():
    inputs, target, weights = draw(2, n_rows=30)
    shelf = {}
    alone = fit_smooth_mean(inputs, target, weights)
    first = fit_smooth_mean(inputs[:, ::-1], target, weights, shelf)
    kept = dict(shelf)
    second = fit_smooth_mean(inputs, target, weights, shelf)
    assert [len(each) for each in kept.values()] == [len(CURVE_LENGTHS)] * 2
    assert all(shelf[key] is kept[key] for key in kept)
    np.testing.assert_allclose(second.predict(inputs), alone.predict(inputs))
    np.testing.assert_allclose(first.predict(inputs[:, ::-1]), alone.predict(inputs), atol=1e-6)


@pytest.mark.parametrize("row", range(9))
def test_a_row_that_is_left_out_has_the_residual_of_a_fit_without_it(row):
    inputs, target, _ = draw(7, n_rows=30)
    fit = fit_smooth_mean(inputs, target, np.ones(30))
    design = fit.features(inputs)
    others = np.arange(30) != row
    # The same penalty on the same number of rows: a sum over rows, not a mean.
    ratio = fit.penalty / fit.n_rows * 30 / 29
    slope, intercept = slow_ridge(design[others], target[others], np.full(29, 1 / 29), ratio)
    expected = target[row] - design[row] @ slope - intercept
    assert fit.left_out[row] == pytest.approx(expected, rel=1e-6)


def test_weights_are_repetitions_once_the_features_and_the_penalty_are_chosen(monkeypatch):
    # Which are chosen may differ: a row is left out with all its copies.
    inputs, target, weights = draw(5)
    times = np.repeat(np.arange(len(target)), weights.astype(int))
    tried = features_tried(monkeypatch, inputs, target, weights)
    for features in tried:
        design, share = features(inputs), weights / weights.sum()
        response = Response.of(target, share, 9.0)
        weighted = fit_coefficients(response.centred(design), response, 1e-2)
        response = Response.of(target[times], np.full(len(times), 1.0 / len(times)), 9.0)
        repeated = fit_coefficients(response.centred(design[times]), response, 1e-2)
        predicted = [design @ each.coefficients + each.intercept for each in (weighted, repeated)]
        np.testing.assert_allclose(*predicted)
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
    assert plain.evidence == pytest.approx(rescaled.evidence, rel=1e-5)


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
    assert np.abs(fit.left_out).max() < 1e-4


def test_a_curve_beats_a_line_where_there_is_one():
    x = np.linspace(-2.0, 2.0, 60)[:, np.newaxis]
    fit = fit_smooth_mean(x, np.cos(2.0 * x[:, 0]), np.ones(60))
    np.testing.assert_allclose(fit.predict(x), np.cos(2.0 * x[:, 0]), atol=0.02)


def test_many_rows_share_a_few_landmarks():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2.0, 2.0, size=(500, 1))
    fit = fit_smooth_mean(x, np.sin(3.0 * x[:, 0]), np.ones(500))
    (bumps,) = fit.features.bumps
    assert 3 < len(bumps.landmarks) < _features.MOST_ON_A_CURVE
    np.testing.assert_allclose(fit.predict(x), np.sin(3.0 * x[:, 0]), atol=0.05)


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


def test_few_rows_in_many_inputs_do_not_hide_their_noise():
    """A surface could go through all of them; the noise must not look like next to nothing."""
    ratios = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        inputs = rng.normal(size=(18, 5))
        noise = 0.5
        target = inputs.sum(axis=1) / np.sqrt(5.0) + noise * rng.normal(size=18)
        mean = fit_smooth_mean(inputs, target, np.ones(18))
        residuals = mean.left_out / np.sqrt(1.0 + mean.doubt_left_out)
        ratios.append(np.sqrt(np.square(residuals).mean()) / noise)
    assert min(ratios) > 0.2


def test_the_doubt_far_out_is_large_and_no_overflow():
    x = np.linspace(0.0, 1.0, 20)[:, np.newaxis]
    smooth = fit_smooth_mean(x, x[:, 0], np.ones(20))
    far = replace(smooth, directions=smooth.directions * 1e300)
    assert np.isfinite(far.predict_with_doubt(x)[1]).all()
