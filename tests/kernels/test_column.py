import math

import numpy as np
import pytest

from causalaug.kernels import CONTINUOUS_KERNELS, ColumnKernel
from causalaug.kernels._column import KernelColumn
from causalaug.kernels._univariate import COMPACT_KERNELS

VALUES = np.array([0.0, 1.0, 1.0, 4.0])


def column(name, bandwidth=0.0, values=VALUES):
    return KernelColumn(ColumnKernel(name, bandwidth), values)


@pytest.mark.parametrize(
    ("kernel", "sort"),
    [
        (("identity",), "exact"),
        (("identity", 2.0), "exact"),
        (("gaussian", 0.0), "exact"),
        (("tricube", 0.0), "exact"),
        (("aitchison_aitken", 0.0), "exact"),
        (("aitchison_aitken", 0.2, np.zeros(3)), "exact"),
        (("aitchison_aitken", 0.2), "neither"),
        (("gaussian", 0.1), "gaussian"),
        (("epanechnikov", 0.1), "compact"),
        (("biweight", 0.1), "compact"),
        (("triweight", 0.1), "compact"),
        (("tricube", 0.1), "compact"),
    ],
)
def test_a_column_is_of_one_sort(kernel, sort):
    each = column(*kernel)
    sorts = {"exact": each.is_exact, "gaussian": each.is_gaussian, "compact": each.is_compact}
    assert [name for name, holds in sorts.items() if holds] == [sort] * (sort != "neither")


@pytest.mark.parametrize("name", [*CONTINUOUS_KERNELS, "identity"])
def test_only_aitchison_aitken_has_odds(name):
    assert column(name, 0.5).log_odds == 0.0


def test_odds_count_the_distinct_values():
    odds = column("aitchison_aitken", 0.2).log_odds
    assert odds == pytest.approx(math.log(0.2 / 2 / 0.8))


def test_width_is_the_range_in_bandwidths():
    assert column("gaussian", 0.5).width == 8.0
    assert column("gaussian", 0.5, np.ones(3)).width == 0.0


@pytest.mark.parametrize(
    ("kernel", "query", "value", "expected"),
    [
        (("identity",), 1.0, 1.0, 0.0),
        (("identity",), 1.0, 1.5, -np.inf),
        (("identity",), -0.0, 0.0, 0.0),
        (("gaussian", 0.0), 1.0, 1.0, 0.0),
        (("gaussian", 0.0), 1.0, np.nextafter(1.0, 2.0), -np.inf),
        (("gaussian", 0.5), 1.0, 3.0, -8.0),
        (("gaussian", 1e-4), 0.0, 2.0, -2e8),
        (("gaussian", 1e300), 0.0, 2.0, 0.0),
        (("gaussian", np.inf), 0.0, 2.0, 0.0),
        (("epanechnikov", 2.0), 0.0, 1.0, math.log(0.75)),
        (("tricube", 2.0), 0.0, -1.0, 3 * math.log(0.875)),
        (("tricube", 2.0), 0.0, 2.0, -np.inf),
        (("aitchison_aitken", 0.2), 1.0, 1.0, 0.0),
        (("aitchison_aitken", 0.2), 1.0, 4.0, math.log(0.125)),
        (("aitchison_aitken", 0.2), 7.0, 4.0, math.log(0.125)),
    ],
)
def test_log_kernel_of_a_pair(kernel, query, value, expected):
    pair = np.array([query]), np.array([value])
    assert column(*kernel).log_kernel(*pair)[0] == pytest.approx(expected, rel=1e-12)


def test_log_kernel_broadcasts_and_leaves_its_arguments_alone():
    query, values = np.array([[0.0], [2.0]]), np.array([1.0, 2.0, 3.0])
    found = column("gaussian", 1.0).log_kernel(query, values)
    np.testing.assert_allclose(found, [[-0.5, -2.0, -4.5], [-0.5, 0.0, -0.5]])
    assert query.ravel().tolist() == [0.0, 2.0]
    assert values.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_scaled_values_differ_by_distances_in_bandwidths(offset):
    scaled = column("gaussian", 0.5, VALUES + offset).scaled(VALUES + offset)
    np.testing.assert_allclose(scaled, (VALUES - 0.5 * (VALUES.min() + VALUES.max())) / 0.5)


@pytest.mark.parametrize("name", sorted(COMPACT_KERNELS))
def test_a_compact_kernel_vanishes_far_away_without_overflow(name):
    with np.errstate(over="raise"):
        found = column(name, 1e-110).log_kernel(np.zeros(4), VALUES)
    assert found.tolist() == [0.0, -np.inf, -np.inf, -np.inf]
