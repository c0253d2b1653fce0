import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from causalaug.densities import _student
from causalaug.densities._student import (
    fit_student_scale,
    fit_student_scales,
    floor_of_scale,
    log_student,
)

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.sampled_from([1.0, 3.0, 30.0, np.inf]), st.floats(1e-3, 1e3))
def test_student_is_that_of_scipy(seed, freedom, scale):
    x = np.random.default_rng(seed).normal(size=5) * 10.0
    law = stats.norm(scale=scale) if np.isinf(freedom) else stats.t(freedom, scale=scale)
    found = log_student(x / scale, float(np.log(scale)), freedom)
    np.testing.assert_allclose(found, law.logpdf(x), rtol=1e-9, atol=1e-9)


@given(SEEDS, st.sampled_from([2.0, 4.0, 30.0, np.inf]))
def test_no_other_scale_makes_residuals_more_likely(seed, freedom):
    rng = np.random.default_rng(seed)
    residuals, share = rng.standard_t(3.0, 40), rng.dirichlet(np.ones(40))
    scale = fit_student_scale(residuals, share, freedom)

    def likelihood(each):
        return share @ log_student(residuals / each, float(np.log(each)), freedom)

    assert likelihood(scale) >= max(likelihood(scale * 1.03), likelihood(scale / 1.03))


@pytest.mark.parametrize("unit", [1e-250, 1.0, 1e250])
def test_no_unit_is_too_large_or_too_small_for_a_scale(unit):
    residuals, share = np.array([1.0, -2.0, 0.5]), np.full(3, 1.0 / 3.0)
    plain = fit_student_scale(residuals, share, 3.0)
    assert fit_student_scale(residuals * unit, share, 3.0) == pytest.approx(plain * unit)


def test_a_deterministic_column_has_a_floor():
    assert floor_of_scale(np.array([0.0, 10.0])) == pytest.approx(1e-5)
    assert floor_of_scale(np.array([5.0, 5.0])) > 0.0


@given(SEEDS, st.sampled_from([2.0, 4.0, 30.0]), st.floats(1e-3, 1e3))
def test_wherever_the_search_starts_the_scale_is_the_same(seed, freedom, start):
    rng = np.random.default_rng(seed)
    residuals, share = rng.standard_t(3.0, 40), rng.dirichlet(np.ones(40))
    plain = fit_student_scale(residuals, share, freedom)
    assert fit_student_scale(residuals, share, freedom, start) == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("together", [1, 50, 1 << 14])
@pytest.mark.parametrize("unit", [1e-250, 1.0, 1e250])
def test_scales_of_several_variables_are_those_of_each_alone(monkeypatch, together, unit):
    monkeypatch.setattr(_student, "TOGETHER", together)
    rng = np.random.default_rng(0)
    residuals = [unit * 10.0**k * rng.standard_t(3.0, 20 + 5 * k) for k in range(4)]
    residuals.append(np.zeros(7))
    shares = [rng.dirichlet(np.ones(len(each))) for each in residuals]
    freedoms = (2.0, 6.0, 30.0)
    scales, logs = fit_student_scales(residuals, shares, freedoms)
    assert scales.shape == logs.shape == (3, 5)
    for row, freedom in enumerate(freedoms):
        for number, (own, share) in enumerate(zip(residuals, shares, strict=True)):
            scale = fit_student_scale(own, share, freedom)
            assert scales[row, number] == pytest.approx(scale, rel=1e-9)
            slow = 0.0
            if scale > 0.0:
                slow = share @ log_student(own / scale, float(np.log(scale)), freedom)
            assert logs[row, number] == pytest.approx(slow)


def test_one_row_of_all_the_weight_does_not_stop_the_others():
    share, even = np.array([1.0, 0.0, 0.0]), np.full(3, 1.0 / 3.0)
    residuals = [np.array([0.1, 3.0, -9.0]), np.array([1.0, -2.0, 0.5])]
    scales, logs = fit_student_scales(residuals, [share, even], (3.0,))
    assert np.isfinite(logs).all()
    expected = [fit_student_scale(r, s, 3.0) for r, s in zip(residuals, (share, even), strict=True)]
    np.testing.assert_allclose(scales[0], expected)


def test_the_scale_of_the_noise_stays_above_zero_where_one_row_has_all_weight():
    share = np.array([1.0 - 1e-13, 1e-13])
    assert fit_student_scale(np.array([0.0, 1.0]), share, 3.0) > 0.0


@pytest.mark.parametrize("freedom", [3.0, np.inf])
def test_nothing_is_left_of_a_density_so_far_out_that_squares_overflow(freedom):
    assert log_student(np.array([1e200]), 0.0, freedom)[0] == -np.inf
