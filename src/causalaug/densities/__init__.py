"""Densities: how likely a value is, given values of its pillow, and the mean around which it lies.

A discrete variable has the weighted frequencies of its levels, a number the weighted kernel density
of what the rows hold, or heavy-tailed noise around a fitted mean. Roots are no exception: their
pillow is empty.

>>> import numpy as np
>>> from causalaug.kernels import ColumnKernel, ProductKernel
>>> kernel = ProductKernel(np.array([[0.0], [0.0], [1.0]]), [ColumnKernel("identity")])
>>> rain = LevelDensity.of(kernel, np.array([1.0, 0.0, 0.0]), np.full(3, 1 / 3), smoothing=0.0)
>>> np.exp(rain.log_density(np.array([1.0, 1.0]), pillow=np.array([[0.0], [1.0]])))
array([0.5, 0. ])
"""

from causalaug.densities._base import Density, DensityMaker, Shift
from causalaug.densities._choice import LEAST_LOG, likeliest
from causalaug.densities._factor import density_of
from causalaug.densities._kernel_density import KernelDensity
from causalaug.densities._levels import DEFAULT_SMOOTHING, LevelDensity
from causalaug.densities._mean_noise import MeanNoise, fit_mean_with, fit_means
from causalaug.densities._noise_density import NoiseDensity
from causalaug.densities._regressor import check_regressor
from causalaug.densities._rows import RowDensities
from causalaug.densities._spread import spread
from causalaug.densities._transform import LARGEST
from causalaug.densities._weighed import some_rows

__all__ = [
    "DEFAULT_SMOOTHING",
    "LARGEST",
    "LEAST_LOG",
    "Density",
    "DensityMaker",
    "KernelDensity",
    "LevelDensity",
    "MeanNoise",
    "NoiseDensity",
    "RowDensities",
    "Shift",
    "check_regressor",
    "density_of",
    "fit_mean_with",
    "fit_means",
    "likeliest",
    "some_rows",
    "spread",
]
