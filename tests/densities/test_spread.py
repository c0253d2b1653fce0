import numpy as np
import pytest

from causalaug.densities._spread import spread, unit_of


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
