"""Kernels: how much each observed row counts, given the values of a pillow.

The weight of row `i` is ``K(z - Z_i) / sum_k K(z - Z_k)``, one factor of Eq. (3) of the paper,
where `K` is a product of one kernel per column of the pillow `z`. A Gaussian near 0 counts most,
an exact match counts only where values are equal:

>>> import numpy as np
>>> rows = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 2.0]])
>>> kernel = ProductKernel(rows, [ColumnKernel("gaussian", 1.0), ColumnKernel("identity")])
>>> np.exp(kernel.log_weights(np.array([[0.0, 1.0]]))).round(3)
array([[0.622, 0.378, 0.   ]])

`ProductKernel.log_kernel` is the reference text. `weigh` gives the same weights a block of
queries at a time, and leaves out rows that cannot matter in double precision; `propose` draws rows
without weighing all of them.
"""

from causalaug.kernels._bandwidths import (
    BANDWIDTH_RULES,
    aitchison_aitken_smoothing,
    li_racine_step,
    scott,
    silverman,
)
from causalaug.kernels._base import RowWeigher, SomeRows
from causalaug.kernels._product import NEGLIGIBLE, ProductKernel
from causalaug.kernels._univariate import (
    CONTINUOUS_KERNELS,
    DISCRETE_KERNELS,
    ORDERED_KERNEL,
    ColumnKernel,
    Kernel,
    KernelColumn,
)

__all__ = [
    "BANDWIDTH_RULES",
    "CONTINUOUS_KERNELS",
    "DISCRETE_KERNELS",
    "NEGLIGIBLE",
    "ORDERED_KERNEL",
    "ColumnKernel",
    "Kernel",
    "KernelColumn",
    "ProductKernel",
    "RowWeigher",
    "SomeRows",
    "aitchison_aitken_smoothing",
    "li_racine_step",
    "scott",
    "silverman",
]
