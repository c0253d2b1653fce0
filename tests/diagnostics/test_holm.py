import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from causalaug.diagnostics._check import holm

P_VALUES = st.lists(st.floats(0.0, 1.0), max_size=8)


def slow_holm(p_values):
    """Correct each p-value by the definition: the largest step among those not above it."""
    n = len(p_values)
    order = sorted(range(n), key=p_values.__getitem__)
    steps = {index: (n - rank) * p_values[index] for rank, index in enumerate(order)}
    return [
        min(1.0, max(steps[other] for other in order[: order.index(index) + 1]))
        for index in range(n)
    ]


@given(P_VALUES)
def test_the_correction_agrees_with_its_definition(p_values):
    np.testing.assert_allclose(holm(np.array(p_values)), slow_holm(p_values))


@given(P_VALUES, st.floats(0.001, 0.5))
def test_holm_rejects_all_that_bonferroni_does(p_values, alpha):
    corrected = holm(np.array(p_values))
    bonferroni = np.array(p_values) * len(p_values)
    assert np.all(corrected[bonferroni <= alpha] <= alpha)
    assert np.all(corrected >= np.array(p_values))


@given(P_VALUES, st.lists(st.integers(0, 8), max_size=3))
def test_what_was_not_tested_takes_no_part(p_values, holes):
    with_holes = list(p_values)
    for place in holes:
        with_holes.insert(min(place, len(with_holes)), np.nan)
    corrected = holm(np.array(with_holes))
    np.testing.assert_array_equal(np.isnan(corrected), np.isnan(with_holes))
    np.testing.assert_allclose(corrected[~np.isnan(corrected)], holm(np.array(p_values)))
