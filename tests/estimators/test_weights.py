import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from causalaug.estimators import _weights
from causalaug.estimators._weights import (
    MOST_CREDIT,
    blend_weights,
    charged_losses,
    credit_of_graph,
    exponential_weights,
)


@given(
    st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 6), st.booleans(), st.booleans()
)
def test_weights_are_those_of_the_formula_and_sum_to_one(seed, n_rows, n_candidates, log, trusts):
    rng = np.random.default_rng(seed)
    losses = rng.gamma(1.0, size=(n_rows, n_candidates))
    row_weights = rng.integers(1, 4, size=n_rows).astype(float)
    is_charged = np.arange(n_candidates) >= (1 if trusts else n_candidates)
    credit = rng.normal(size=n_candidates)
    weights = blend_weights(losses, row_weights, is_charged, log_loss=log, credit=credit)
    # The slow twin: repeat rows; where the graph is trusted, add one error, or one and a half.
    mean = np.average(losses, axis=0, weights=row_weights)
    simple = [j for j in range(n_candidates) if not is_charged[j]]
    best = min(simple, key=lambda j: mean[j])
    n = row_weights.sum() ** 2 / np.square(row_weights).sum()
    for j in np.flatnonzero(is_charged & (credit <= 0.0)):
        gap = losses[:, j] - losses[:, best]
        variance = np.average(
            np.square(gap - np.average(gap, weights=row_weights)), weights=row_weights
        )
        mean[j] += (1.5 if log else 1.0) * np.sqrt(variance / max(n - 1.0, 1.0))
    above = mean - mean.min()
    taken = np.minimum(credit, 0.0)
    squares = np.exp(taken - 0.1 * n * above / mean.min())
    raw = np.exp(0.7 * (credit - n * above)) if log else squares
    raw /= raw.sum()
    raw[raw < 0.01] = 0.0
    assert_allclose(weights, raw / raw.sum(), atol=1e-9)
    assert weights.sum() == pytest.approx(1.0)


@given(st.integers(0, 2**32 - 1), st.integers(2, 30))
def test_squared_errors_of_rows_with_holes_are_divided_by_what_the_holes_add(seed, n_rows):
    rng = np.random.default_rng(seed)
    losses = rng.gamma(1.0, size=(n_rows, 3))
    n_holes, charged = rng.integers(0, 4, size=n_rows), np.array([False, False, True])
    weights = blend_weights(losses, np.ones(n_rows), charged, n_holes=n_holes)
    # The slow twin: weighted means and errors, and the exponent of as many rows.
    precision = 1.0 / (1.0 + 2.0 * n_holes)
    mean = np.average(losses, axis=0, weights=precision)
    gap = losses[:, 2] - losses[:, int(np.argmin(mean[:2]))]
    variance = np.average(np.square(gap - np.average(gap, weights=precision)), weights=precision)
    n_sure = precision.sum() ** 2 / np.square(precision).sum()
    mean[2] += np.sqrt(variance / max(n_sure - 1.0, 1.0))
    raw = np.exp(-0.1 * n_rows * (mean - mean.min()) / mean.min())
    raw /= raw.sum()
    raw[raw < 0.01] = 0.0
    assert_allclose(weights, raw / raw.sum(), atol=1e-9)


@pytest.mark.parametrize("log_loss", [False, True])
def test_without_holes_and_with_log_losses_all_rows_count_alike(log_loss):
    rng = np.random.default_rng(0)
    losses, charged = rng.gamma(1.0, size=(30, 2)), np.array([False, True])
    n_holes = rng.integers(0, 3, size=30) if log_loss else np.zeros(30, dtype=int)
    found = blend_weights(losses, np.ones(30), charged, log_loss=log_loss, n_holes=n_holes)
    same = blend_weights(losses, np.ones(30), charged, log_loss=log_loss)
    assert_allclose(found, same, rtol=1e-12)


def test_a_candidate_that_trusts_the_graph_must_be_better_by_its_error():
    rng = np.random.default_rng(0)
    losses = np.column_stack([np.ones(40), 1.0 + rng.normal(0.0, 0.5, size=40)])
    trusted = blend_weights(losses, np.ones(40), np.array([False, False]))
    doubted = blend_weights(losses, np.ones(40), np.array([False, True]))
    assert doubted[1] < trusted[1]


def test_with_no_one_to_compare_with_there_is_no_charge():
    losses = np.array([[1.0, 2.0], [3.0, 1.0]])
    share = np.full(2, 0.5)
    assert_allclose(charged_losses(losses, share, 2.0, np.array([True, True])), [2.0, 1.5])


def test_a_best_loss_of_zero_takes_all():
    assert_allclose(exponential_weights(np.array([0.0, 1e-3]), 10), [1.0, 0.0])
    assert_allclose(exponential_weights(np.zeros(2), 10), [0.5, 0.5])


def test_little_weight_is_none():
    losses = np.tile([1.0, 1.0 + np.log(150) / 1.0], (10, 1))
    weights = blend_weights(losses, np.ones(10), np.zeros(2, dtype=bool))
    assert weights.tolist() == [1.0, 0.0]
    assert _weights.LEAST_WEIGHT == 0.01


rows_of_evidence = st.lists(
    st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=30
).map(np.array)


@given(rows_of_evidence)
def test_the_credit_of_a_graph_is_bounded_whatever_rows_say(likelier):
    credit = credit_of_graph(likelier, np.ones(len(likelier)))
    assert -MOST_CREDIT <= credit <= MOST_CREDIT
    # Who speaks for the graph of one speaks as much against the graph of the other.
    assert credit_of_graph(-likelier, np.ones(len(likelier))) == pytest.approx(-credit)
    unknown = np.r_[likelier, np.nan]
    weights = np.r_[np.ones(len(likelier)), 0.0]
    assert credit_of_graph(unknown, weights) == pytest.approx(credit)


@given(st.lists(st.floats(-0.1, 0.1), min_size=1, max_size=30).map(np.array), st.integers(1, 5))
def test_small_credits_are_the_sum_over_rows_in_any_unit_of_weight(likelier, unit):
    credit = credit_of_graph(likelier, np.full(len(likelier), float(unit)))
    assert credit == pytest.approx(likelier.sum(), abs=1e-12)


@given(rows_of_evidence, st.floats(0.0, 1.0), st.floats(0.1, 9.0))
def test_a_credit_counts_at_its_rate_and_has_its_own_bound(likelier, rate, most):
    credit = credit_of_graph(likelier, np.ones(len(likelier)), rate, most)
    total = np.clip(np.nan_to_num(likelier), -MOST_CREDIT, MOST_CREDIT).sum()
    assert credit == pytest.approx(np.clip(rate * total, -most, most))


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 3.0))
def test_of_squared_errors_a_credit_saves_the_charge_and_gives_nothing_more(seed, credit):
    losses = np.random.default_rng(seed).gamma(1.0, size=(20, 2))
    charged = np.array([False, True])
    lent = blend_weights(losses, np.ones(20), charged, credit=np.array([0.0, credit]))
    free = blend_weights(losses, np.ones(20), charged & (credit == 0.0))
    assert_allclose(lent, free)


def test_one_impossible_row_does_not_outweigh_the_others():
    # A level that was never seen has no probability; twenty other rows speak for the graph.
    assert credit_of_graph(np.r_[np.full(20, 0.4), -np.inf], np.ones(21)) == pytest.approx(4.0)
    assert credit_of_graph(np.array([np.nan]), np.ones(1)) == 0.0


@pytest.mark.parametrize(("n_better", "is_enough"), [(1, False), (2, False), (3, True)])
def test_one_or_two_rows_do_not_decide_between_log_losses(n_better, is_enough):
    losses = np.full((40, 2), 0.1)
    losses[:n_better, 0] = 9.0
    weights = blend_weights(losses, np.ones(40), np.array([False, True]), log_loss=True)
    assert (weights[1] > 0.5) == is_enough
