"""Densities: how likely a value is, given values of its pillow, and the mean around which it lies.

A discrete variable has the weighted frequencies of its levels, or tables of them that back off to
fewer columns of the pillow; a number the weighted kernel density of what the rows hold, or
heavy-tailed noise around a fitted mean. Roots are no exception: their
pillow is empty.

>>> import numpy as np
>>> from causalaug.kernels import ColumnKernel, ProductKernel
>>> kernel = ProductKernel(np.array([[0.0], [0.0], [1.0]]), [ColumnKernel("identity")])
>>> rain = LevelDensity.of(kernel, np.array([1.0, 0.0, 0.0]), np.full(3, 1 / 3), smoothing=0.0)
>>> np.exp(rain.log_density(np.array([1.0, 1.0]), pillow=np.array([[0.0], [1.0]])))
array([0.5, 0. ])
"""

from causalaug.densities._back_off import BackOff, are_levels, fit_back_off
from causalaug.densities._base import Along, Density, Shift
from causalaug.densities._features import Design
from causalaug.densities._kernel_density import KernelDensity
from causalaug.densities._law import FittedLaw, Law, RowLaw, Sample, likeliest
from causalaug.densities._levels import DEFAULT_SMOOTHING, LevelDensity
from causalaug.densities._mean_noise import (
    MeanNoise,
    NoiseDensity,
    check_regressor,
    fit_mean_with,
    fit_means,
)
from causalaug.densities._mixed import MixedDensity, is_like, mix_draws, stacking_weights
from causalaug.densities._ridge import RIDGE_PENALTIES, Line
from causalaug.densities._student import spread
from causalaug.densities._weighed import rows_that_suffice, rows_to_judge, some_rows

__all__ = [
    "DEFAULT_SMOOTHING",
    "RIDGE_PENALTIES",
    "Along",
    "BackOff",
    "Density",
    "Design",
    "FittedLaw",
    "KernelDensity",
    "Law",
    "LevelDensity",
    "Line",
    "MeanNoise",
    "MixedDensity",
    "NoiseDensity",
    "RowLaw",
    "Sample",
    "Shift",
    "are_levels",
    "check_regressor",
    "fit_back_off",
    "fit_mean_with",
    "fit_means",
    "is_like",
    "likeliest",
    "mix_draws",
    "rows_that_suffice",
    "rows_to_judge",
    "some_rows",
    "spread",
    "stacking_weights",
]
