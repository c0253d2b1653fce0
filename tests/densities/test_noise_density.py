"""Student's t around a mean, on the scale of a column."""

import warnings

import numpy as np
import pytest

from causalaug.densities._noise_density import transformed_density
from causalaug.densities._transform import PlainTransform


@pytest.mark.parametrize("transform", [PlainTransform(), PlainTransform(low=0.0)])
def test_nothing_is_left_of_the_density_however_far_out(transform):
    values, centre, scale = np.array([1e100]), np.zeros(1), np.array([1e-250])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = transformed_density(transform, values, centre, scale, 3.0)
    assert found == -np.inf
