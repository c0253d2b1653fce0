import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from causalaug.densities._student import (
    fit_student_scale,
    floor_of_scale,
    log_student,
    spread,
    unit_of,
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


def test_the_scale_of_the_noise_stays_above_zero_where_one_row_has_all_weight():
    share = np.array([1.0 - 1e-13, 1e-13])
    assert fit_student_scale(np.array([0.0, 1.0]), share, 3.0) > 0.0


@pytest.mark.parametrize("freedom", [3.0, np.inf])
def test_nothing_is_left_of_a_density_so_far_out_that_squares_overflow(freedom):
    assert log_student(np.array([1e200]), 0.0, freedom)[0] == -np.inf


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_the_spread_is_the_standard_deviation_of_repeated_rows(unit):
    values, weights = np.array([1.0, 2.0, 5.0]), np.array([3.0, 1.0, 2.0])
    expected = np.repeat(values, weights.astype(int)).std() * unit
    assert float(spread(values * unit, weights)) == pytest.approx(expected)


def test_values_that_do_not_vary_have_the_unit_one():
    share = np.array([0.5, 0.25, 0.25])
    assert unit_of(np.zeros(3), share) == 1.0
    assert unit_of(np.array([1.0, -1.0, -1.0]), share) == pytest.approx(1.0)
    assert unit_of(np.array([2.0, -2.0, -2.0]), share) == pytest.approx(2.0)
