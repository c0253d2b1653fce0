import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from causalaug.diagnostics._independence import partial_correlations, rank_correlations


def draw(seed, n_rows, n_given):
    rng = np.random.default_rng(seed)
    given_columns = rng.normal(size=(n_rows, n_given))
    mix = rng.normal(size=(n_given, 3))
    columns = given_columns @ mix + rng.normal(size=(n_rows, 3))
    return columns[:, 0], columns[:, 1:], given_columns


@given(st.integers(0, 10_000), st.integers(25, 40), st.integers(0, 4))
def test_it_is_the_correlation_of_the_residuals(seed, n_rows, n_given):
    target, others, given_columns = draw(seed, n_rows, n_given)
    outcomes = partial_correlations(target, others, given_columns, level=0.05)
    design = np.column_stack([np.ones(n_rows), given_columns])
    for other, outcome in zip(others.T, outcomes, strict=True):
        both = np.column_stack([target, other])
        left = both - design @ np.linalg.lstsq(design, both, rcond=None)[0]
        expected = stats.pearsonr(*left.T).statistic
        degrees = n_rows - 2 - n_given
        t = expected * np.sqrt(degrees / (1.0 - expected**2))
        assert outcome.statistic == pytest.approx(expected)
        assert outcome.p_value == pytest.approx(2.0 * stats.t.sf(abs(t), degrees))


def test_it_is_an_entry_of_the_precision_matrix():
    target, others, given_columns = draw(0, 50, 3)
    precision = np.linalg.inv(np.cov(np.column_stack([target, others[:, 0], given_columns]).T))
    expected = -precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])
    outcome = partial_correlations(target, others, given_columns, level=0.05)[0]
    assert outcome.statistic == pytest.approx(expected)


def test_p_values_are_uniform_under_the_null():
    p_values = [
        outcome.p_value
        for seed in range(300)
        for outcome in partial_correlations(*draw(seed, 30, 3), level=0.05)[:1]
    ]
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


def test_a_copy_is_as_dependent_as_can_be():
    x = np.random.default_rng(0).normal(size=40)
    (outcome,) = partial_correlations(x, x[:, None], np.empty((40, 0)), level=0.05)
    assert outcome.statistic == pytest.approx(1.0)
    assert outcome.p_value < 1e-12


def test_without_variation_there_is_no_verdict():
    x = np.random.default_rng(0).normal(size=40)
    outcomes = partial_correlations(x, np.column_stack([x, np.ones(40)]), 2 * x[:, None], 0.05)
    assert [outcome.reason for outcome in outcomes] == [
        "nothing varies once the pillow is held fixed"
    ] * 2


def test_ranks_are_not_upset_by_heavy_tails():
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(400):
        x, y = stats.norm.ppf((stats.rankdata(rng.standard_cauchy((2, 60)), axis=1) - 0.5) / 60)
        (outcome,) = rank_correlations(x, y[:, None], level=0.01)
        alarms += outcome.p_value <= 0.01
    assert alarms <= stats.binom.ppf(0.999, 400, 0.01)
    assert outcome.test == "rank_correlation"
