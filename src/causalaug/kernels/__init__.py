"""Kernels and bandwidth rules: pure functions on arrays."""

from causalaug.kernels._bandwidth import (
    BANDWIDTH_RULES,
    aitchison_aitken_smoothing,
    scott,
    silverman,
)
from causalaug.kernels._column import ColumnKernel
from causalaug.kernels._product import NEGLIGIBLE, ProductKernel
from causalaug.kernels._row_weights import Heaviest, ListedRows, RowGroups, RowWeights, WholeRows
from causalaug.kernels._univariate import CONTINUOUS_KERNELS, DISCRETE_KERNELS

__all__ = [
    "BANDWIDTH_RULES",
    "CONTINUOUS_KERNELS",
    "DISCRETE_KERNELS",
    "NEGLIGIBLE",
    "ColumnKernel",
    "Heaviest",
    "ListedRows",
    "ProductKernel",
    "RowGroups",
    "RowWeights",
    "WholeRows",
    "aitchison_aitken_smoothing",
    "scott",
    "silverman",
]
