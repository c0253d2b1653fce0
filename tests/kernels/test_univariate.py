import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.kernels import CONTINUOUS_KERNELS, DISCRETE_KERNELS
from causalaug.kernels._univariate import COMPACT_KERNELS, aitchison_aitken_log_odds
from oracles import exact_log_kernels

compact = pytest.mark.parametrize("name", sorted(COMPACT_KERNELS))


def test_names_are_distinct():
    assert set(CONTINUOUS_KERNELS) == {"gaussian", *COMPACT_KERNELS}
    assert not set(CONTINUOUS_KERNELS) & set(DISCRETE_KERNELS)


@compact
@given(u=st.floats(-0.99, 0.99))
def test_compact_kernels_are_their_formulas(name, u):
    (expected,) = exact_log_kernels(np.array([[u]]), [(name, 1.0)], [0.0])
    found = COMPACT_KERNELS[name](np.array([u]))
    np.testing.assert_allclose(found, float(expected), rtol=1e-12, atol=1e-30)


@compact
@given(u=st.floats(1.0, 1e30), sign=st.sampled_from([-1.0, 1.0]))
def test_compact_kernels_vanish_from_one_bandwidth_on(name, u, sign):
    assert COMPACT_KERNELS[name](np.array([sign * u])).tolist() == [-np.inf]


@compact
def test_compact_kernels_fall_with_distance_up_to_the_edge(name):
    edge = np.nextafter(1.0, 0.0)
    log_kernel = COMPACT_KERNELS[name](np.array([0.0, 0.1, 0.5, 0.9, edge]))
    assert log_kernel[0] == 0.0
    assert (np.diff(log_kernel) < 0.0).all()
    assert np.isfinite(log_kernel).all()


@compact
def test_compact_kernels_of_nothing(name):
    assert COMPACT_KERNELS[name](np.empty((0, 3))).shape == (0, 3)


@given(st.floats(1e-300, 1.0, exclude_max=True), st.integers(2, 50))
def test_unequal_values_weigh_what_leaves_the_equal_one(smoothing, n_values):
    odds = smoothing / (n_values - 1) / (1.0 - smoothing)
    found = aitchison_aitken_log_odds(smoothing, n_values)
    assert found == pytest.approx(min(0.0, math.log(odds)), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("smoothing", "n_values"), [(0.0, 2), (0.3, 1), (0.0, 1)])
def test_without_smoothing_or_other_values_only_equal_values_count(smoothing, n_values):
    assert aitchison_aitken_log_odds(smoothing, n_values) == -np.inf


@pytest.mark.parametrize("n_values", [2, 3, 10])
def test_full_smoothing_makes_all_values_equal(n_values):
    largest = (n_values - 1) / n_values
    assert aitchison_aitken_log_odds(largest, n_values) == pytest.approx(0.0, abs=1e-15)
