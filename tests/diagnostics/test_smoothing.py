import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from causalaug.diagnostics import _smoothing
from causalaug.diagnostics._smoothing import (
    Regressors,
    kernel_functions,
    orthonormal_basis,
    regress,
    regress_straight,
)

COARSE = st.integers(-3, 3).map(float)


@st.composite
def designs(draw):
    n_rows, n_columns = draw(st.integers(1, 8)), draw(st.integers(0, 4))
    return (
        draw(arrays(float, (n_rows, 2), elements=COARSE)),
        draw(arrays(float, (n_rows, n_columns), elements=COARSE)),
    )


def curves_of(*columns):
    values = np.column_stack(columns)
    return Regressors(values, values, np.empty((len(values), 0)), 0)


@given(designs())
def test_the_straight_fit_is_that_of_least_squares(design):
    targets, straight = design
    columns = np.column_stack([np.ones(len(targets)), straight])
    expected = targets - columns @ np.linalg.lstsq(columns, targets, rcond=None)[0]
    fit = regress_straight(targets, straight)
    np.testing.assert_allclose(fit.residuals, expected, atol=1e-9)
    assert np.all(fit.degrees == np.linalg.matrix_rank(columns))
    hat = columns @ np.linalg.pinv(columns)
    np.testing.assert_allclose(fit.kept[:, 0], 1.0 - np.diag(hat), atol=1e-9)


@given(designs())
def test_a_basis_is_orthonormal(design):
    basis = orthonormal_basis(design[1])
    np.testing.assert_allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=1e-9)


def test_what_is_explained_but_for_rounding_leaves_exactly_nothing():
    x = np.random.default_rng(0).normal(size=30)
    fit = regress(np.column_stack([3.0 * x + 1e3, x]), curves_of(x))
    assert not fit.residuals.any()


@pytest.mark.parametrize(("n_kernels", "n_columns"), [(1, 1), (3, 1), (1, 3), (2, 2), (1, 9)])
def test_kernel_functions_multiply_to_the_kernel(n_kernels, n_columns):
    places = list(np.random.default_rng(0).normal(size=(n_kernels, 60, n_columns)))
    functions = kernel_functions(places)
    squares = [np.square(each[:, np.newaxis] - each).sum(axis=2) for each in places]
    exact = np.mean([np.exp(-0.5 * each) for each in squares], axis=0)
    assert functions.shape[1] < 60 or n_columns > 1
    np.testing.assert_allclose(functions @ functions.T, exact, atol=1e-4)


def slow_smooth_fit(target, x, width, penalty):
    """Solve for the straight coefficients and the full kernel matrix at once."""
    straight = np.column_stack([np.ones(len(x)), x])
    off = np.eye(len(x)) - straight @ np.linalg.pinv(straight)
    kernel = off @ np.exp(-0.5 * np.square((x[:, None] - x) / width)) @ off
    smoother = kernel @ np.linalg.inv(kernel + len(x) * penalty * np.eye(len(x)))
    residuals = off @ target - smoother @ off @ target
    leaves = off - smoother
    return residuals, np.diag(leaves @ leaves.T), 2 + np.trace(smoother)


def test_the_smooth_fit_is_a_ridge_regression_on_the_kernel(monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    target = np.sin(2.0 * x) + 0.3 * rng.normal(size=80)
    monkeypatch.setattr(_smoothing, "WIDTHS", (0.5,))
    monkeypatch.setattr(_smoothing, "TOLERANCE", 1e-9)
    fit = regress(target[:, None], curves_of(x))
    scores = [
        np.square(slow_smooth_fit(target, x, 0.5, penalty)[0]).sum()
        / (80 - slow_smooth_fit(target, x, 0.5, penalty)[2]) ** 2
        for penalty in _smoothing.PENALTIES
    ]
    used = int(np.argmin(scores)) - _smoothing.UNDERSMOOTHING
    residuals, kept, degrees = slow_smooth_fit(target, x, 0.5, _smoothing.PENALTIES[used])
    np.testing.assert_allclose(fit.residuals[:, 0], residuals, atol=1e-5)
    np.testing.assert_allclose(fit.kept[:, 0], kept, atol=1e-4)
    assert fit.degrees[0] == pytest.approx(degrees, abs=1e-2)


@pytest.mark.parametrize(
    ("curve", "fewest", "most"),
    [(lambda a, b: 2.0 * a - b, 3.0, 8.0), (lambda a, b: np.sin(2.0 * a) * b, 12.0, 80.0)],
)
def test_noise_is_left_over_and_curves_are_not(curve, fewest, most):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 400))
    noise = rng.normal(size=400)
    fit = regress((curve(a, b) + noise)[:, None], curves_of(a, b))
    assert fewest <= fit.degrees[0] <= most
    assert fit.settled[0]
    assert np.corrcoef(fit.residuals[:, 0], noise)[0, 1] > 0.9
    assert np.square(fit.residuals).sum() / fit.kept.sum() == pytest.approx(1.0, abs=0.2)


def test_a_sum_of_curves_is_found_where_few_rows_would_not_show_an_interaction():
    rng = np.random.default_rng(2)
    places, noise = rng.normal(size=(4, 150)), 0.3 * rng.normal(size=150)
    target = np.sin(2.0 * places).sum(axis=0) + noise
    fit = regress(target[:, None], curves_of(*places))
    assert fit.degrees[0] < 40.0
    assert np.corrcoef(fit.residuals[:, 0], noise)[0, 1] > 0.8


def test_curves_may_differ_between_levels():
    rng = np.random.default_rng(3)
    x, level = rng.normal(size=300), rng.integers(0, 2, size=300)
    target = np.where(level, 2.0 * x, -2.0 * x) + 0.3 * rng.normal(size=300)
    corner = level[:, None].astype(float)
    on = Regressors(np.column_stack([x, level]), x[:, None], corner, 1)
    assert regress(target[:, None], on).residuals.std() < 0.4


def test_levels_may_interact():
    rng = np.random.default_rng(4)
    levels = rng.integers(0, 2, size=(300, 2)).astype(float)
    target = np.where(levels[:, 0] == levels[:, 1], 2.0, -2.0) + 0.3 * rng.normal(size=300)
    on = Regressors(levels, np.empty((300, 0)), levels, 2)
    assert regress(target[:, None], on).residuals.std() < 0.4


def test_one_variable_of_levels_is_a_matter_of_means():
    level = np.repeat([0.0, 1.0], 20)[:, None]
    on = Regressors(level, np.empty((40, 0)), level, 1)
    target = np.random.default_rng(5).normal(size=(40, 1))
    assert regress(target, on).degrees[0] == 2.0


def test_a_curve_too_rough_for_the_rows_does_not_settle():
    rng = np.random.default_rng(6)
    places = rng.normal(size=(4, 100))
    wild = 3.0 * np.sin(1.5 * places.sum(axis=0)) + 0.1 * rng.normal(size=100)
    fit = regress(np.column_stack([wild, places[0] + rng.normal(size=100)]), curves_of(*places))
    assert fit.settled.tolist() == [False, True]


def test_memory_is_bounded_by_the_number_of_functions(monkeypatch):
    monkeypatch.setattr(_smoothing, "LARGEST_BASIS", 700)
    places = np.random.default_rng(7).normal(size=(100, 5))
    assert kernel_functions([places]).shape == (100, 7)


def test_targets_share_nothing_but_time():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    curves = [np.sin(3.0 * x[:, 0]), x.prod(axis=1), np.square(x).sum(axis=1), 0.0 * x[:, 0]]
    targets = np.column_stack(curves) + 0.3 * rng.normal(size=(60, 4))
    targets[:, 3] = 0.0
    on = curves_of(*x.T)
    together = regress(targets, on)
    alone = [regress(targets[:, [column]], on) for column in range(4)]
    for name in ("residuals", "kept", "degrees", "settled"):
        one_by_one = np.concatenate([getattr(fit, name) for fit in alone], axis=-1)
        np.testing.assert_allclose(one_by_one, getattr(together, name), rtol=1e-9, atol=1e-9)
