"""What a prediction says of how far values spread."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from causalaug.exceptions import ParameterError
from causalaug.model import Prediction

SHARES = (np.arange(20_000) + 0.5) / 20_000

steps = st.lists(st.floats(0.0, 9.0), min_size=1, max_size=9)


@given(steps, st.data(), st.sampled_from([0.0, 1e6, -50.0]))
def test_the_standard_deviation_is_that_of_the_values(widths, data, start):
    sized = st.lists(st.floats(0.01, 1.0), min_size=len(widths), max_size=len(widths))
    masses = np.array(data.draw(sized))
    points = start + np.cumsum([0.0, *widths])[np.newaxis]
    cumulative = np.cumsum([0.0, *(masses / masses.sum())])[np.newaxis]
    found = Prediction("y", points=points, cumulative=cumulative)
    values = found.at_shares(SHARES[np.newaxis])[0]
    assert_allclose(found.standard_deviation, values.std(), rtol=1e-2, atol=1e-6)


def test_levels_that_are_numbers_have_a_standard_deviation():
    chances = np.array([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])
    found = Prediction("n", levels=np.array([0, 1, 4]), probabilities=chances)
    assert_allclose(found.standard_deviation, [2.0, 0.0])
    words = Prediction("n", levels=np.array(["a", "b", "c"]), probabilities=chances)
    with pytest.raises(ParameterError, match="need levels that are numbers"):
        _ = words.standard_deviation
