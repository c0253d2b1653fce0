import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from causalaug.expansion._budget import least_survival_weight, survival_weight

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


@given(
    st.lists(st.lists(st.floats(1e-3, 1.0), min_size=1, max_size=8), min_size=1, max_size=12),
    st.integers(1, 30),
)
def test_masses_alone_bound_the_survival_weight_of_the_children(families, budget):
    masses = np.array([sum(children) for children in families])
    largest = np.array([max(children) for children in families]) / masses
    children = np.concatenate(families)
    survival = survival_weight(children, 0.0, budget) or children.min()
    assert least_survival_weight(masses, largest, budget) <= survival


@given(
    st.lists(st.tuples(st.floats(1e-3, 1.0), st.integers(1, 8)), min_size=1, max_size=12),
    st.integers(1, 30),
)
def test_equal_children_are_known_by_their_masses(families, budget):
    masses, counts = np.array(families).T
    assume(counts.sum() != budget)
    known = least_survival_weight(masses, 1.0 / counts, budget)
    children = np.repeat(masses / counts, counts.astype(int))
    assert known == pytest.approx(survival_weight(children, 0.0, budget), rel=1e-6)
