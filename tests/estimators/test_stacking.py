"""The weights of a blend: laws of stacking."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from causalaug.estimators._folds import Classification, Regression
from causalaug.estimators._stacking import stacked_weights, tail_length

SEEDS = st.integers(0, 10_000)


def draw(seed, n_rows=20, n_candidates=3):
    """Return residuals that candidates share in part, and weights of rows."""
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(size=(n_rows, 1)), rng.normal(size=(n_rows, n_candidates))
    return shared + own * rng.uniform(0.1, 2.0, n_candidates), rng.uniform(0.5, 2.0, n_rows)


def squared_error(weights, residuals, row_weights):
    """Return what is minimised: held-out rows, and one more a candidate, where all err alone."""
    best = (row_weights @ np.square(residuals)).min() / row_weights.sum()
    own = len(weights) * best * np.square(weights).sum()
    return row_weights @ np.square(residuals @ weights) + own


@given(SEEDS, st.integers(1, 5))
def test_no_other_mean_has_a_smaller_squared_error(seed, n_candidates):
    residuals, rows = draw(seed, n_candidates=n_candidates)
    found = stacked_weights(residuals, rows)
    assert found.sum() == pytest.approx(1.0)
    assert (found >= 0.0).all()
    best = squared_error(found, residuals, rows)
    others = np.random.default_rng(seed).dirichlet(np.full(n_candidates, 0.5), size=50)
    assert all(best <= squared_error(other, residuals, rows) * (1 + 1e-9) for other in others)


@given(SEEDS, st.floats(1e-6, 1e6))
def test_units_do_not_matter(seed, unit):
    residuals, rows = draw(seed)
    assert_allclose(
        stacked_weights(unit * residuals, rows), stacked_weights(residuals, rows), atol=1e-6
    )


@given(SEEDS)
def test_the_order_of_candidates_and_rows_does_not_matter(seed):
    residuals, rows = draw(seed)
    mixed = np.random.default_rng(seed).permutation(len(rows))
    found = stacked_weights(residuals[mixed][:, ::-1], rows[mixed])
    assert_allclose(found[::-1], stacked_weights(residuals, rows), atol=1e-7)


@given(SEEDS)
def test_a_weight_of_two_is_a_row_twice(seed):
    residuals, _ = draw(seed)
    times = np.random.default_rng(seed).integers(1, 4, len(residuals))
    repeated = np.repeat(residuals, times, axis=0)
    found = stacked_weights(residuals, times.astype(float))
    assert_allclose(found, stacked_weights(repeated, np.ones(len(repeated))), atol=1e-7)


@given(SEEDS)
def test_of_two_classes_the_second_says_the_same_as_the_first(seed):
    residuals, rows = draw(seed)
    both = np.stack([residuals, -residuals], axis=2)
    assert_allclose(stacked_weights(both, rows), stacked_weights(residuals, rows), atol=1e-7)


def test_two_that_always_say_the_same_have_equal_weights():
    residuals, rows = draw(0, n_candidates=1)
    assert_allclose(stacked_weights(np.repeat(residuals, 2, axis=1), rows), [0.5, 0.5])


def test_errors_that_cancel_are_worth_a_mean():
    residuals = np.random.default_rng(0).normal(size=(40, 2))
    assert stacked_weights(residuals, np.ones(40)).min() > 0.2


def test_one_that_is_far_behind_has_no_weight():
    residuals = np.random.default_rng(0).normal(size=(40, 2)) * [1.0, 20.0]
    assert_allclose(stacked_weights(residuals, np.ones(40)), [1.0, 0.0], atol=0.02)


def test_no_error_at_all_is_no_error_of_ours():
    assert_allclose(stacked_weights(np.zeros((3, 2)), np.ones(3)), [0.5, 0.5])
    perfect = np.column_stack([np.zeros(3), np.ones(3)])
    assert_allclose(stacked_weights(perfect, np.ones(3)), [1.0, 0.0], atol=1e-6)


@pytest.mark.parametrize("has_probabilities", [True, False])
def test_the_better_candidate_of_classes_has_more_weight(has_probabilities):
    task = Classification(np.array(["a", "b"]), has_probabilities=has_probabilities)
    target = np.array(["a", "b"] * 10)
    right = np.eye(2)[np.searchsorted(task.classes, target)]
    residuals = task.residuals(np.stack([right, right[::-1]], axis=1), target)
    assert_allclose(stacked_weights(residuals, np.ones(20)), [1.0, 0.0], atol=1e-6)


def test_residuals_of_numbers_are_what_is_left_of_the_targets():
    target, predictions = np.array([1.0, 2.0]), np.array([[0.5, 1.0], [2.5, 0.0]])
    assert_allclose(Regression().residuals(predictions, target), [[0.5, 0.0], [-0.5, 2.0]])


@given(SEEDS, st.integers(2, 5))
def test_without_a_say_of_rows_weights_are_in_proportion_to_one_over_doubts(seed, n_candidates):
    doubts = np.random.default_rng(seed).uniform(1.0, 9.0, n_candidates)
    # All candidates say the same: rows cannot tell them apart.
    residuals = np.repeat(draw(seed, n_candidates=1)[0], n_candidates, axis=1)
    found = stacked_weights(residuals, np.ones(len(residuals)), doubts)
    assert_allclose(found, 1.0 / doubts / (1.0 / doubts).sum(), atol=1e-7)
    assert_allclose(stacked_weights(0.0 * residuals, np.ones(len(residuals)), doubts), found)


@given(SEEDS)
def test_who_is_doubted_more_has_less_weight(seed):
    residuals, rows = draw(seed, n_candidates=2)
    even = stacked_weights(residuals, rows, np.array([2.0, 2.0]))
    uneven = stacked_weights(residuals, rows, np.array([2.0, 20.0]))
    assert uneven[1] <= even[1] + 1e-9


@given(SEEDS, st.floats(1e-6, 1e6), st.integers(1, 4))
def test_tails_know_neither_units_nor_copies(seed, unit, times):
    residuals, rows = draw(seed)
    found = tail_length(residuals, rows)
    assert found >= 1.0
    assert tail_length(unit * residuals, times * rows) == pytest.approx(found)
    assert tail_length(np.repeat(residuals, times, axis=0), np.repeat(rows, times)) == (
        pytest.approx(found)
    )


def test_one_outlier_makes_a_long_tail_and_no_error_none():
    residuals = np.random.default_rng(0).normal(size=(60, 2))
    assert tail_length(residuals, np.ones(60)) < 1.5
    residuals[7] = 100.0
    assert tail_length(residuals, np.ones(60)) == pytest.approx(20.0, rel=0.02)
    assert tail_length(np.zeros((5, 2)), np.ones(5)) == 1.0
