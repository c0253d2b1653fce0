import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.expansion._budget import survival_weight

weights = st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=40)


@given(weights, st.floats(0.0, 0.1), st.integers(1, 30))
def test_the_survival_weight_solves_its_equation(weights, rest, budget):
    weights = np.array(weights)
    light = min(weights) if rest else 0.0
    survival = survival_weight(weights, rest, budget)
    if len(weights) <= budget and rest <= 1e-13 * (rest + weights.sum()):
        assert survival == 0.0
    elif survival > light or not rest:
        expected = np.minimum(weights / survival, 1.0).sum() + rest / survival
        assert expected == pytest.approx(budget)


@given(weights, weights, st.integers(1, 10))
def test_more_children_never_lower_the_survival_weight(some, more, budget):
    fewer = survival_weight(np.array(some), 0.0, budget)
    assert survival_weight(np.array(some + more), 0.0, budget) >= fewer * (1.0 - 1e-12)


def test_weights_of_zero_do_not_count():
    assert survival_weight(np.array([0.5, 0.5, 0.0, 0.0]), 0.0, budget=2) == 0.0
