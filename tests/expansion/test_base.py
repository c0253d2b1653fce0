"""Paths, and what is missing from one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causalaug as ca
from causalaug.expansion import LOST_TO_ROUNDING, BlockwiseExpansion, Paths, join_paths


def some_paths(weights, moved=True):
    rows = np.arange(2 * len(weights)).reshape(-1, 2)
    shifted = {1: np.linspace(0.0, 1.0, len(weights))} if moved else {}
    return Paths(rows, np.log(np.asarray(weights, dtype=float)), shifted)


@given(st.lists(st.floats(1e-6, 0.1), max_size=10))
def test_weights_and_what_is_dropped_add_up_to_one(weights):
    paths = some_paths(weights)
    assert len(paths) == len(weights)
    np.testing.assert_allclose(paths.weights, weights)
    assert paths.weights.sum() + paths.dropped_mass == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("lost", [0.0, 0.5 * LOST_TO_ROUNDING, -1e-9])
def test_what_rounding_loses_is_not_dropped(lost):
    assert some_paths([0.5, 0.5 - lost]).dropped_mass == 0.0


@pytest.mark.parametrize("moved", [True, False])
@given(weights=st.lists(st.floats(0.01, 0.1), min_size=1, max_size=8), data=st.data())
def test_parts_that_are_joined_again_are_the_whole(moved, weights, data):
    paths = some_paths(weights, moved)
    cut = data.draw(st.integers(0, len(weights)))
    joined = join_paths([paths.at(slice(0, cut)), paths.at(np.arange(cut, len(weights)))])
    np.testing.assert_array_equal(joined.rows, paths.rows)
    np.testing.assert_array_equal(joined.log_weights, paths.log_weights)
    assert joined.shifted.keys() == paths.shifted.keys()
    for column, values in paths.shifted.items():
        np.testing.assert_array_equal(joined.shifted[column], values)


def test_one_part_is_the_whole_as_it_is():
    paths = some_paths([0.5])
    assert join_paths([paths]) is paths


@pytest.mark.parametrize(
    ("expansion", "can_be_cut"),
    [
        (ca.PrunedExpansion(), True),
        (ca.BudgetExpansion(), True),
        (ca.SampledExpansion(), True),
        (ca.BeamExpansion(9), False),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_can_be_cut_into_blocks_is_known(expansion, can_be_cut):
    assert isinstance(expansion, BlockwiseExpansion) == can_be_cut


@pytest.mark.parametrize("kind", [ca.BudgetExpansion, ca.SampledExpansion])
def test_five_rows_are_made_of_each_observed_one_unless_told(kind):
    assert kind().most_rows(10) == 50
    assert kind(7).most_rows(10) == 7
