"""Tails, outliers and uneven noise."""

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from causalaug.densities._mean import fit_smooth_mean
from causalaug.densities._noise import (
    DEFAULT_FREEDOM,
    FREEDOMS,
    calm_mean,
    fit_scale,
    pool_tails,
)

EVEN = np.full(60, 1.0 / 60.0)


@pytest.mark.parametrize(("freedom", "found"), [(2.0, FREEDOMS[:2]), (np.inf, FREEDOMS[-2:])])
def test_the_tails_of_many_variables_are_told(freedom, found):
    rng = np.random.default_rng(0)
    draw = rng.standard_normal if np.isinf(freedom) else lambda n: rng.standard_t(freedom, n)
    assert pool_tails([draw(60) for _ in range(15)], [EVEN] * 15) in found


def test_few_rows_say_nothing_about_tails():
    few = np.full(9, 1.0 / 9.0)
    assert pool_tails([np.arange(9.0)], [few]) == DEFAULT_FREEDOM
    assert pool_tails([], []) == DEFAULT_FREEDOM


def test_a_gross_error_does_not_move_a_calm_mean():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 1))
    y = 2.0 * x[:, 0] + 0.1 * rng.normal(size=60)
    y[3] += 40.0
    plain = fit_smooth_mean(x, y, EVEN)
    calm = calm_mean(plain, x, y, EVEN, 3.0)
    query = np.array([[-1.0], [0.0], [1.0]])
    truth = 2.0 * query[:, 0]
    assert np.abs(calm.predict(query) - truth).max() < 0.1
    assert np.abs(plain.predict(query) - truth).max() > 0.4


def scale_of(seed, slope):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 2))
    residuals = np.exp(slope * x[:, 0]) * rng.normal(size=60)
    return fit_scale(residuals, x, np.zeros(2), np.ones(2), EVEN, 30.0)


def test_uneven_noise_is_found_where_it_is_and_seldom_elsewhere():
    uneven = [scale_of(seed, 0.7) for seed in range(20)]
    assert sum(not each.is_even for each in uneven) >= 18
    slopes = np.array([each.slopes for each in uneven if not each.is_even])
    np.testing.assert_allclose(slopes.mean(axis=0), [0.65, 0.0], atol=0.12)
    assert sum(not scale_of(seed, 0.0).is_even for seed in range(40)) <= 6


def test_beyond_the_rows_the_scale_stays():
    scale = scale_of(0, 0.7)
    near, far = scale.relative(np.array([[2.5, 0.0], [99.0, 0.0]]))
    assert near == far


@pytest.mark.parametrize("unit", [1e-200, 1e-90, 1.0, 1e60])
@pytest.mark.parametrize("first", [1e150, 1e278, 1e300])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_row_of_nearly_all_the_weight_leaves_a_noise(unit, first):
    """Weighted by it, the other rows vary by less than a double can tell from zero."""
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.5])
    y = unit * np.array([-1.4, 0.9, -0.1, -0.5, 0.2, 0.3])
    weights = np.array([first, 1.0, 2.0, 3.0, 1.0, 2.0])
    frame = pd.DataFrame({"x": x, "y": y})
    model = ca.fit_model(frame, "x -> y", ca.ResidualConditional(), sample_weight=weights)
    assert np.isfinite(model.log_density(frame).to_numpy()).all()
    assert np.isfinite(model.predict("y", frame[["x"]]).mean).all()
