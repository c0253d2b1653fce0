import math
import statistics

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from causalaug.kernels import (
    BANDWIDTH_RULES,
    CONTINUOUS_KERNELS,
    DISCRETE_KERNELS,
    ORDERED_KERNEL,
    ColumnKernel,
    KernelColumn,
    aitchison_aitken_smoothing,
    li_racine_step,
    scott,
    silverman,
)
from causalaug.kernels._univariate import COMPACT_KERNELS, CompactKernel, aitchison_aitken_log_odds
from oracles import exact_log_kernels

# Shapes.

compact = pytest.mark.parametrize("name", sorted(COMPACT_KERNELS))


def log_compact(name, scaled):
    return CompactKernel(1.0, *COMPACT_KERNELS[name]).log_kernel(scaled, np.zeros(1))


def test_names_are_distinct():
    assert set(CONTINUOUS_KERNELS) == {"gaussian", *COMPACT_KERNELS}
    assert len({*CONTINUOUS_KERNELS, *DISCRETE_KERNELS, ORDERED_KERNEL}) == 9


@compact
@given(u=st.floats(-0.99, 0.99))
def test_compact_kernels_are_their_formulas(name, u):
    (expected,) = exact_log_kernels(np.array([[u]]), [(name, 1.0)], [0.0])
    found = log_compact(name, np.array([u]))
    np.testing.assert_allclose(found, float(expected), rtol=1e-12, atol=1e-30)


@compact
@given(u=st.floats(1.0, 1e30), sign=st.sampled_from([-1.0, 1.0]))
def test_compact_kernels_vanish_from_one_bandwidth_on(name, u, sign):
    assert log_compact(name, np.array([sign * u])).tolist() == [-np.inf]


@compact
def test_compact_kernels_fall_with_distance_up_to_the_edge(name):
    edge = np.nextafter(1.0, 0.0)
    log_kernel = log_compact(name, np.array([0.0, 0.1, 0.5, 0.9, edge]))
    assert log_kernel[0] == 0.0
    assert (np.diff(log_kernel) < 0.0).all()
    assert np.isfinite(log_kernel).all()


@compact
def test_compact_kernels_of_nothing(name):
    assert log_compact(name, np.empty((0, 3))).shape == (0, 3)


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


# Columns.

VALUES = np.array([0.0, 1.0, 1.0, 4.0])


def column(name, bandwidth=0.0, values=VALUES):
    return KernelColumn(ColumnKernel(name, bandwidth), values)


@pytest.mark.parametrize(
    ("kernel", "sort"),
    [
        (("identity",), "exact"),
        (("identity", 2.0), "exact"),
        (("nearest",), "exact"),
        (("nearest", 2.0), "exact"),
        (("li_racine", 0.0), "exact"),
        (("li_racine", 0.2), "neither"),
        (("li_racine", 1.0), "neither"),
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


@pytest.mark.parametrize("name", [*CONTINUOUS_KERNELS, "identity", "nearest"])
def test_only_smooth_discrete_kernels_have_odds(name):
    assert column(name, 0.5).log_least == 0.0


def test_odds_count_the_distinct_values():
    odds = column("aitchison_aitken", 0.2).log_least
    assert odds == pytest.approx(math.log(0.2 / 2 / 0.8))


def test_the_odds_of_ranks_are_those_of_the_farthest():
    assert column("li_racine", 0.2).log_least == pytest.approx(2 * math.log(0.2))
    assert column("li_racine", 1.0).log_least == 0.0


@pytest.mark.parametrize("name", [*CONTINUOUS_KERNELS, *DISCRETE_KERNELS, "li_racine"])
def test_only_the_nearest_put_up_with_unequal_values(name):
    assert column(name, 0.5).is_nearest == (name == "nearest")


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
        (("nearest",), 1.0, 1.0, 0.0),
        (("nearest",), 1.0, 4.0, -np.inf),
        (("li_racine", 0.2), 1.0, 1.0, 0.0),
        (("li_racine", 0.2), 1.0, 4.0, math.log(0.2)),
        (("li_racine", 0.2), 0.0, 4.0, 2 * math.log(0.2)),
        (("li_racine", 0.2), 2.5, 4.0, 0.5 * math.log(0.2)),
        (("li_racine", 0.2), 99.0, 4.0, 0.0),
        (("li_racine", 1.0), 0.0, 4.0, 0.0),
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


@compact
def test_a_compact_kernel_vanishes_far_away_without_overflow(name):
    with np.errstate(over="raise"):
        found = column(name, 1e-110).log_kernel(np.zeros(4), VALUES)
    assert found.tolist() == [0.0, -np.inf, -np.inf, -np.inf]


def test_distinct_values_may_be_given():
    known = KernelColumn.of(ColumnKernel("gaussian", 1.0), VALUES, np.unique(VALUES))
    assert known.distinct.tolist() == column("gaussian", 1.0).distinct.tolist() == [0.0, 1.0, 4.0]


@pytest.mark.parametrize("name", CONTINUOUS_KERNELS)
@pytest.mark.parametrize("values", [VALUES, np.array([-1e308, 0.0, 1e308])])
def test_no_bandwidth_is_so_narrow_that_squares_overflow(name, values):
    narrow = KernelColumn.of(ColumnKernel(name, 1e-300), values)
    with np.errstate(over="ignore"):
        found = narrow.log_kernel(np.zeros(len(values)), values)
    assert (found[values == 0.0] == 0.0).all()
    assert not np.isnan(found).any()
    assert KernelColumn.of(ColumnKernel(name, 0.5), VALUES).distance.bandwidth == 0.5


# Bandwidths.

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


@given(st.integers(1, 10**9))
def test_the_weight_of_the_next_rank_shrinks_with_the_rows(n_rows):
    assert 0.0 < li_racine_step(n_rows + 1) < li_racine_step(n_rows) <= 1.0
    assert li_racine_step(32) == pytest.approx(0.25)
