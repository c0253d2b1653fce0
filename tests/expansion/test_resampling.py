"""Fewer points: the weights of those kept are right on average, and no mass is lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.expansion.resampling import (
    resample,
    spread_points,
    survival_weight,
)

weights = st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=40)


@given(weights, st.floats(0.0, 0.1), st.integers(1, 30))
def test_the_survival_weight_solves_its_equation(weights, rest, n):
    weights = np.array(weights)
    light = min(weights) if rest else 0.0
    survival = survival_weight(weights, rest, n)
    if len(weights) <= n and rest <= 1e-13 * (rest + weights.sum()):
        assert survival == 0.0
    elif survival > light or not rest:
        expected = np.minimum(weights / survival, 1.0).sum() + rest / survival
        assert expected == pytest.approx(n)


@given(weights, weights, st.integers(1, 10))
def test_more_children_never_lower_the_survival_weight(some, more, n):
    fewer = survival_weight(np.array(some), 0.0, n)
    assert survival_weight(np.array(some + more), 0.0, n) >= fewer * (1.0 - 1e-12)


def test_weights_of_zero_do_not_count():
    assert survival_weight(np.array([0.5, 0.5, 0.0, 0.0]), 0.0, n=2) == 0.0


# The whole scheme.

shares = st.lists(st.floats(1e-3, 1.0), min_size=1, max_size=25)


@given(shares, st.integers(1, 30), st.integers(0, 99))
def test_so_many_points_are_kept_and_all_of_the_mass(weights, n, seed):
    log_weights = np.log(weights)
    kept, found = resample(log_weights, n, np.random.default_rng(seed))
    assert len(kept) == len(found) == len(set(kept)) == min(n, len(weights))
    assert np.exp(found).sum() == pytest.approx(sum(weights))
    heavy = np.array(weights) >= survival_weight(np.array(weights), 0.0, n)
    is_kept = np.isin(np.arange(len(weights)), kept)
    assert is_kept[heavy].all()
    np.testing.assert_array_equal(found[: heavy.sum()], log_weights[heavy])


@given(shares, st.integers(1, 30), st.integers(0, 99))
def test_the_light_points_that_are_kept_all_weigh_the_survival_weight(weights, n, seed):
    survival = survival_weight(np.array(weights), 0.0, n)
    kept, found = resample(np.log(weights), n, np.random.default_rng(seed))
    light = np.array(weights)[kept] < survival
    np.testing.assert_allclose(np.exp(found[light]), survival, rtol=1e-9)
    np.testing.assert_allclose(np.exp(found[~light]), np.array(weights)[kept[~light]], rtol=1e-9)


@pytest.mark.parametrize("n", [1, 3, 6])
@pytest.mark.parametrize(
    "weights",
    [
        np.array([0.4, 0.2, 0.1, 0.1, 0.1, 0.05, 0.03, 0.02]),
        np.full(8, 0.125),
        np.geomspace(1.0, 1e-2, 8),
    ],
    ids=["mixed", "even", "geometric"],
)
def test_no_weight_is_biased(weights, n):
    n_seeds = 4000
    found = np.zeros((n_seeds, len(weights)))
    for seed in range(n_seeds):
        kept, logs = resample(np.log(weights), n, np.random.default_rng(seed))
        found[seed, kept] = np.exp(logs)
    error = found.std(axis=0) / np.sqrt(n_seeds) + 1e-12
    assert np.abs((found.mean(axis=0) - weights) / error).max() < 4.5


# Points spread over owners.

masses = st.lists(st.sampled_from([0.0, 0.01, 0.3, 1.0, 2.0]), min_size=1, max_size=12).filter(any)


@given(masses, st.integers(1, 40), st.integers(0, 5))
def test_every_owner_gets_its_share_of_points_rounded_down_or_up(masses, n, seed):
    masses = np.array(masses)
    owner, offset = spread_points(masses, n, np.random.default_rng(seed))
    expected = masses * n / masses.sum()
    counts = np.bincount(owner, minlength=len(masses))
    assert counts.sum() == n
    assert (np.abs(counts - expected) < 1.0 + 1e-9).all()
    assert (offset >= 0.0).all()
    assert (offset <= masses[owner]).all()


@given(masses, st.integers(2, 40), st.integers(0, 5))
def test_points_of_one_owner_are_evenly_spaced(masses, n, seed):
    masses = np.array(masses)
    owner, offset = spread_points(masses, n, np.random.default_rng(seed))
    together = np.diff(owner) == 0
    spacing = masses.sum() / n
    np.testing.assert_allclose(np.diff(offset)[together], spacing, rtol=1e-9)


def test_where_a_point_lies_is_uniform_and_says_nothing_about_the_next_owner():
    masses = np.array([1.0, 0.7, 1.3, 1.0, 2.0])
    hits, first = np.zeros((5, 10)), []
    for seed in range(4000):
        owner, offset = spread_points(masses, 6, np.random.default_rng(seed))
        place = np.minimum((10 * offset / masses[owner]).astype(int), 9)
        np.add.at(hits, (owner, place), 1.0)
        first.append(offset[np.searchsorted(owner, [3, 4])])
    expected = np.repeat(masses[:, np.newaxis], 10, axis=1) / 10 * 4000
    z = (hits - expected) / np.sqrt(expected)
    assert np.abs(z).max() < 4.0
    assert abs(np.corrcoef(np.transpose(first))[0, 1]) < 0.06
