from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from causalaug.diagnostics import _g_squared
from causalaug.diagnostics._g_squared import (
    g_squared,
    informative_strata,
    pool_rare,
    shuffled_p_value,
    tail_p_value,
)

RNG = np.random.default_rng(0)
LEVELS = st.integers(0, 3)


@st.composite
def coded_rows(draw, max_rows=30, max_strata=3):
    rows = draw(
        st.lists(
            st.tuples(LEVELS, LEVELS, st.integers(0, max_strata - 1)), min_size=1, max_size=max_rows
        )
    )
    x, y, stratum = np.array(rows).T
    return x, y, np.unique(stratum, return_inverse=True)[1]


def slow_g_squared(x, y, stratum):
    """Add up the tables of the strata, each by scipy; those that cannot vary are left out."""
    statistic, degrees, least = 0.0, 0, np.inf
    for each in np.unique(stratum):
        table = stats.contingency.crosstab(x[stratum == each], y[stratum == each]).count
        if min(table.shape) > 1 and max(table.shape) < table.sum():
            found = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
            statistic += found.statistic
            degrees += found.dof
            least = min(least, found.expected_freq.min())
    return statistic, degrees, least


@given(coded_rows())
def test_the_statistic_is_that_of_scipy_added_over_strata(rows):
    strata = informative_strata(*rows)
    statistic, degrees, least = slow_g_squared(*rows)
    assert strata.degrees == degrees
    if degrees:
        assert strata.statistic() == pytest.approx(statistic, abs=1e-9)
        assert strata.least_expected() == pytest.approx(least)


def test_well_filled_tables_follow_chi_squared():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 3, size=(2, 600))
    outcome = g_squared(x, y, np.zeros(600, dtype=int), 0.05, RNG)
    expected = stats.chi2_contingency(
        stats.contingency.crosstab(x, y).count, correction=False, lambda_="log-likelihood"
    )
    assert outcome.statistic == pytest.approx(expected.statistic)
    assert outcome.p_value == pytest.approx(expected.pvalue)


def exact_p_value(x, y, stratum):
    """Arrange y within the strata in every way."""
    observed = slow_g_squared(x, y, stratum)[0]
    groups = [np.flatnonzero(stratum == each) for each in np.unique(stratum)]
    reached = total = 0
    for arrangement in product(*(permutations(rows) for rows in groups)):
        shuffled = y.copy()
        for rows, taken in zip(groups, arrangement, strict=True):
            shuffled[rows] = y[list(taken)]
        reached += slow_g_squared(x, shuffled, stratum)[0] >= observed - 1e-9
        total += 1
    return reached / total


@pytest.mark.parametrize("seed", range(3))
def test_shuffles_converge_to_all_arrangements(seed, monkeypatch):
    monkeypatch.setattr(_g_squared, "ENOUGH_EXCEEDANCES", 10**9)
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, size=8)
    y = (x + (rng.random(8) < 0.3)) % 2
    stratum = np.repeat([0, 1], 4)
    strata = informative_strata(x, y, stratum)
    found = shuffled_p_value(strata, 0.001, np.random.default_rng(0))
    assert found == pytest.approx(exact_p_value(x, y, stratum), abs=0.03)


def test_shuffles_stop_early_without_bias():
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(300):
        x, y = rng.integers(0, 6, size=(2, 50))
        strata = informative_strata(x, y, np.repeat(np.arange(5), 10))
        p_values.append(shuffled_p_value(strata, 0.001, rng))
    for level in (0.05, 0.2, 0.5):
        low, high = stats.binom.ppf([0.001, 0.999], 300, level)
        assert low <= np.sum(np.array(p_values) <= level) <= high


def test_strata_of_four_rows_hold_the_level_and_have_power():
    rng = np.random.default_rng(0)
    stratum = np.repeat(np.arange(60), 4)
    alarms = found = 0
    for _ in range(200):
        x, y = rng.integers(0, 2, size=(2, 240))
        tied = np.where(rng.random(240) < 0.8, x, y)
        alarms += g_squared(x, y, stratum, 0.05, rng).p_value <= 0.05
        found += g_squared(x, tied, stratum, 0.05, rng).p_value <= 0.05
    assert 1 <= alarms <= stats.binom.ppf(0.999, 200, 0.05)
    assert found >= 190


def test_the_cause_of_both_is_held_fixed():
    rng = np.random.default_rng(0)
    stratum = rng.integers(0, 3, size=600)
    x, y = ((stratum + (rng.random(600) < 0.3)) % 3 for _ in range(2))
    assert g_squared(x, y, np.zeros(600, dtype=int), 0.05, rng).p_value < 1e-6
    assert g_squared(x, y, stratum, 0.05, rng).p_value > 0.01


@pytest.mark.parametrize("stratum", [np.tile([0, 1], 50), np.repeat(np.arange(50), 2)])
def test_strata_that_cannot_be_arranged_otherwise_tell_nothing(stratum):
    x = np.tile([0, 1], 50)
    outcome = g_squared(x, x, stratum, 0.05, RNG)
    assert outcome.reason == "in no stratum of the pillow can the two be compared"
    assert np.isnan(outcome.p_value)


def test_few_rows_tell_nothing():
    x = np.repeat([0, 1], 7)
    assert g_squared(x, x, x * 0, 0.05, RNG).reason == "rows to go by: 14, needed: 16"


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60))
def test_pooling_keeps_the_common_levels_apart(codes):
    codes = np.array(codes)
    pooled = pool_rare(codes)
    assert len(np.unique(pooled)) <= 10
    counts = np.bincount(codes)
    common = np.argsort(-counts, kind="stable")[:9]
    for level in common[counts[common] > 0]:
        assert len(np.unique(pooled[codes == level])) == 1
        if len(counts) > 10:
            assert set(codes[pooled == pooled[codes == level][0]]) == {level}


class Counting:
    """A generator that counts the numbers that are asked for."""

    def __init__(self, seed):
        self.rng, self.count = np.random.default_rng(seed), 0

    def random(self, shape):
        self.count += shape[0]
        return self.rng.random(shape)


def rare_and_tied(n_rows=120):
    """Return strata of two rare levels that go together, which chi-squared is not trusted on."""
    x = np.repeat([0, 1], [n_rows - 20, 20])
    return informative_strata(x, x.copy(), np.zeros(n_rows, dtype=int))


@pytest.mark.parametrize("level", [5e-4, 5e-5, 1e-7])
def test_the_number_of_shuffles_does_not_grow_with_the_number_of_tests(level):
    rng = Counting(0)
    assert shuffled_p_value(rare_and_tied(), level, rng) < level
    assert rng.count <= _g_squared.MOST_SHUFFLES


def test_a_clear_dependence_takes_few_shuffles():
    rng = Counting(0)
    assert shuffled_p_value(rare_and_tied(), 1e-6, rng) < 1e-7
    assert rng.count < 3_000


def test_a_hundred_tests_are_judged_by_shuffles_alone():
    rng = Counting(0)
    found = shuffled_p_value(rare_and_tied(), 0.05 / 100, rng)
    assert found == 1.0 / (_g_squared.MOST_SHUFFLES + 1)


@pytest.mark.parametrize("degrees", [1, 4, 30])
def test_the_tail_of_chi_squared_is_that_of_its_largest_values(degrees):
    law = stats.chi2(degrees)
    ratios = []
    for seed in range(40):
        drawn = np.sort(law.rvs(10_000, random_state=seed))[-101:]
        ratios.append(tail_p_value(drawn, 10_000, law.isf(1e-5)) / 1e-5)
    # About right on one degree, and careful on many.
    assert 0.5 < np.exp(np.mean(np.log(ratios))) < 15.0


def test_a_tail_of_equal_values_goes_by_their_share():
    assert tail_p_value(np.ones(101), 10_000, 1.0) == 102 / 10_001
    assert tail_p_value(np.ones(101), 10_000, 2.0) == 1 / 10_001
    assert tail_p_value(np.ones(5), 500, 2.0) == 1.0
