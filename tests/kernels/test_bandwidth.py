import statistics

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from causalaug.kernels import BANDWIDTH_RULES, aitchison_aitken_smoothing, scott, silverman

columns = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=30)
both_rules = pytest.mark.parametrize("rule", [silverman, scott])


def slow_spread(values):
    """Return sd and IQR / 1.349, by the standard library."""
    if len(set(values)) < 2:
        return 0.0, 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return statistics.stdev(values), (high - low) / 1.349


def test_rules_by_name():
    assert {"silverman": silverman, "scott": scott} == BANDWIDTH_RULES


@given(columns)
def test_silverman_is_its_formula(values):
    deviation, robust = slow_spread(values)
    assume(robust == 0.0 or robust > 1e-9 * deviation)
    spread = min(deviation, robust) if robust > 0.0 else deviation
    expected = (4 / 3) ** 0.2 * spread * len(values) ** -0.2
    assert silverman(np.array(values)) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(columns)
def test_scott_is_its_formula(values):
    expected = (4 / 3) ** 0.2 * slow_spread(values)[0] * len(values) ** -0.2
    assert scott(np.array(values)) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@both_rules
@given(values=columns, scale=st.sampled_from([2.0**-300, 0.25, 8.0, 2.0**300]))
def test_bandwidths_scale_with_the_values(rule, values, scale):
    assume(all(value == 0.0 or abs(value) > 1e-12 for value in values))
    values = np.array(values)
    assert rule(values * scale) == pytest.approx(scale * rule(values), rel=1e-12, abs=0.0)


@both_rules
@pytest.mark.parametrize("values", [[3.0], [0.1] * 3, [-1e300] * 7, [0.0, -0.0]])
def test_a_constant_column_gives_exact_match(rule, values):
    assert rule(np.array(values)) == 0.0


def test_where_most_values_are_equal_silverman_takes_the_standard_deviation():
    values = np.array([0.0] * 9 + [1.0])
    assert silverman(values) == scott(values) > 0.0


def test_silverman_takes_the_smaller_spread():
    outlier = np.array([1.0, 2.0, 3.0, 4.0, 500.0])
    assert silverman(outlier) < scott(outlier)
    two_heaps = np.array([-1.0, -1.0, 1.0, 1.0])
    assert silverman(two_heaps) == scott(two_heaps)


@both_rules
@pytest.mark.parametrize("scale", [2.0**-700, 2.0**1000])
def test_bandwidths_scale_with_huge_and_tiny_values(rule, scale):
    values = np.array([1.0, 2.0, 3.0, 4.0])
    assert rule(values * scale) == pytest.approx(scale * rule(values), rel=1e-12, abs=0.0)


@pytest.mark.parametrize(
    ("n_rows", "n_values", "expected"), [(1, 2, 0.5), (32, 2, 0.125), (32, 5, 0.2), (7, 1, 0.0)]
)
def test_smoothing_is_its_formula(n_rows, n_values, expected):
    assert aitchison_aitken_smoothing(n_rows, n_values) == pytest.approx(expected)


@given(st.integers(1, 10**9), st.integers(1, 10**6))
def test_smoothing_never_prefers_unequal_values(n_rows, n_values):
    assert 0.0 <= aitchison_aitken_smoothing(n_rows, n_values) <= (n_values - 1) / n_values
