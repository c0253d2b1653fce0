import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.densities import _ridge
from causalaug.densities._ridge import Response, fit_coefficients, inverse_forms, log_evidence
from oracles import slow_ridge

SEEDS = st.integers(0, 2**32 - 1)
RATIOS = np.logspace(-8, 2, 5)


def slow_forms(matrix, vector, ratios):
    """Return the same by one dense system for each ratio."""
    eye = np.eye(len(matrix))
    forms = [vector @ np.linalg.solve(matrix + r * eye, vector) for r in ratios]
    return forms, [np.linalg.slogdet(matrix / r + eye)[1] for r in ratios]


@given(SEEDS, st.integers(1, 9), st.integers(1, 12))
def test_all_ratios_at_once_are_what_each_gives_alone(seed, n_features, n_rows):
    rng = np.random.default_rng(seed)
    rows, vector = rng.normal(size=(n_rows, n_features)), rng.normal(size=n_features)
    found = inverse_forms(rows.T @ rows, vector, RATIOS)
    for each, slow in zip(found, slow_forms(rows.T @ rows, vector, RATIOS), strict=True):
        np.testing.assert_allclose(each, slow, rtol=1e-5)


def test_where_a_ratio_is_lost_in_rounding_eigenvalues_serve():
    rows = np.random.default_rng(0).normal(size=(20, 2)) @ [[1.0, 2.0, 3.0], [0.0, 1e3, 1.0]]
    vector, ratios = np.array([1.0, 0.5, 0.0]), np.array([1e-300, 1.0])
    form, volume = inverse_forms(rows.T @ rows, vector, ratios)
    assert np.isfinite(form).all()
    assert np.isfinite(volume).all()
    slow = slow_forms(rows.T @ rows, vector, ratios[1:])
    np.testing.assert_allclose([form[1], volume[1]], np.ravel(slow), rtol=1e-6)


def test_nothing_to_explain_is_as_likely_at_every_penalty():
    rows = np.zeros((30, 2))
    response = Response.of(np.random.default_rng(0).normal(size=30), np.full(30, 1.0 / 30.0))
    assert np.ptp(log_evidence(response.centred(rows), response, RATIOS)) == 0.0


@given(SEEDS, st.sampled_from([(30, 4), (25, 40)]))
def test_more_features_than_rows_are_as_likely_as_by_the_larger_matrix(seed, shape):
    rng = np.random.default_rng(seed)
    response = Response.of(rng.normal(size=shape[0]), np.full(shape[0], 1.0 / shape[0]))
    features = response.centred(rng.normal(size=shape))
    rows = features.rows
    penalties = np.array([1e-2, 1.0, 1e2])
    ratios = penalties / response.n_rows
    form, volume = slow_forms(rows.T @ rows, rows.T @ response.standard, ratios)
    unexplained = response.standard @ response.standard - np.array(form)
    expected = -0.5 * response.n_rows * np.log(unexplained) - 0.5 * np.array(volume)
    np.testing.assert_allclose(log_evidence(features, response, penalties), expected, rtol=1e-6)


@given(SEEDS, st.sampled_from([(12, 3), (40, 3), (40, 60)]))
def test_coefficients_are_those_of_a_slow_ridge_regression(seed, shape):
    rng = np.random.default_rng(seed)
    design, target = rng.normal(size=shape), rng.normal(size=shape[0])
    weights = rng.uniform(0.5, 2.0, size=shape[0])
    response = Response.of(target, weights / weights.sum())
    fit = fit_coefficients(response.centred(design), response, 0.3)
    slope, intercept = slow_ridge(design, target, response.share, 0.3 / response.n_rows)
    np.testing.assert_allclose(fit.coefficients, slope, atol=1e-8)
    assert fit.intercept == pytest.approx(intercept, abs=1e-8)


def test_features_that_depend_on_each_other_need_no_penalty_to_be_told_apart():
    x = np.random.default_rng(0).normal(size=(20, 2))
    rows = np.column_stack([x, x @ [[1.0, 2.0], [3.0, 4.0]], 1e3 * x[:, :1]])
    # So small a penalty is lost in rounding, and there is no Cholesky factor.
    features = _ridge.Centred(rows, rows, np.zeros(5))
    found = _ridge._whitened(features, 1e-300)
    for each, expected in zip(found, _ridge._principal(rows), strict=True):
        np.testing.assert_array_equal(each, expected)
