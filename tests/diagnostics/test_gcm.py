import numpy as np
import pytest
from scipy import stats

from causalaug.diagnostics._coding import Variable, standardized
from causalaug.diagnostics._independence import (
    covariance_measures,
    partial_correlations,
    t_statistics,
)
from causalaug.diagnostics._smoothing import Fit


def number(values):
    return Variable("number", standardized(np.asarray(values, dtype=float)), 0)


def levels(codes):
    return Variable("levels", np.asarray(codes, dtype=float), int(np.max(codes)) + 1)


def curved(rng, n_rows):
    """Draw a common cause and two effects with curves and uneven, skew noise."""
    w = rng.normal(size=n_rows)
    noises = (0.3 + np.abs(w)) * (rng.exponential(size=(2, n_rows)) - 1.0)
    return w, np.sin(2.0 * w) + noises[0], np.square(w) + noises[1]


def alarm_rate(draw, n_repetitions, level=0.05):
    rng = np.random.default_rng(0)
    p_values = [covariance_measures(*draw(rng), level)[0].p_value for _ in range(n_repetitions)]
    assert not np.isnan(p_values).any()
    return np.mean(np.array(p_values) <= level)


def upper(n_repetitions, level=0.05):
    return stats.binom.ppf(0.999, n_repetitions, level) / n_repetitions


def test_curves_and_uneven_noise_raise_no_alarm():
    def draw(rng):
        w, x, y = curved(rng, 100)
        return number(x), [number(y)], [number(w)]

    assert alarm_rate(draw, 400) <= upper(400)


def test_with_straight_lines_they_would():
    def p_value(rng):
        w = rng.normal(size=200)
        x, y = np.square(w) + rng.normal(size=(2, 200))
        return partial_correlations(x, y[:, None], w[:, None], 0.05)[0].p_value

    rng = np.random.default_rng(0)
    assert np.mean([p_value(rng) <= 0.05 for _ in range(50)]) > 0.9


def test_levels_raise_no_alarm():
    def draw(rng):
        w, group = rng.normal(size=200), rng.integers(0, 3, size=200)
        x = (np.tanh(w) * (group - 1) + rng.normal(size=200) > 0).astype(int)
        y = rng.multinomial(1, [0.5, 0.3, 0.2], size=200).argmax(axis=1)
        y = np.where(w + rng.normal(size=200) > 1.0, 2, y)
        return levels(x), [levels(y)], [number(w), levels(group)]

    assert alarm_rate(draw, 150) <= upper(150)


def test_a_dependence_of_levels_is_found():
    rng = np.random.default_rng(0)
    w, x = rng.normal(size=300), rng.integers(0, 3, size=300)
    y = w + 1.0 * (x == 1) + rng.normal(size=300)
    outcome = covariance_measures(levels(x), [number(y)], [number(w)], 0.05)[0]
    assert outcome.p_value < 1e-4
    assert outcome.statistic > 0


def test_the_largest_of_several_pairs_pays_for_the_others():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 3, size=(2, 60))
    y = np.where(rng.random(60) < 0.4, x, y)
    (outcome,) = covariance_measures(levels(x), [levels(y)], [], 0.05)
    assert outcome.p_value == pytest.approx(4 * 2.0 * stats.t.sf(abs(outcome.statistic), 58))
    assert outcome.p_value < 0.1


def test_the_statistic_agrees_with_its_formula():
    rng = np.random.default_rng(0)
    residuals, kept = rng.normal(size=(20, 3)), rng.uniform(0.5, 1.0, size=(20, 3))
    fit = Fit(residuals, kept, np.zeros(3), np.ones(3, dtype=bool))
    found = t_statistics(fit, np.array([0]))
    for j in (1, 2):
        terms = [residuals[i, 0] * residuals[i, j] for i in range(20)]
        variance = sum(term**2 / (kept[i, 0] * kept[i, j]) for i, term in enumerate(terms))
        assert found[0, j] == pytest.approx(sum(terms) / variance**0.5)


def test_rare_levels_are_not_tested_on():
    rng = np.random.default_rng(0)
    rare = np.zeros(200, dtype=int)
    rare[:9] = 1
    (outcome,) = covariance_measures(number(rng.normal(size=200)), [levels(rare)], [], 0.05)
    assert outcome.reason == "nothing varies once the pillow is held fixed"
    rare[:10] = 1
    (outcome,) = covariance_measures(number(rng.normal(size=200)), [levels(rare)], [], 0.05)
    assert outcome.reason == ""


def test_a_curve_too_rough_for_the_rows_is_no_evidence():
    rng = np.random.default_rng(6)
    w = rng.normal(size=(4, 100))
    wild = 3.0 * np.sin(1.5 * w.sum(axis=0))
    x, y = wild + 0.1 * rng.normal(size=(2, 100))
    (outcome,) = covariance_measures(number(x), [number(y)], [number(each) for each in w], 0.05)
    assert outcome.reason == "the regression on the pillow does not settle"
    assert np.isnan(outcome.p_value)
