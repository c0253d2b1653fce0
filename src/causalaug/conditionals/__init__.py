"""How one factor is modelled: which observed rows may lend their value, and how likely."""

from causalaug.conditionals._base import Conditional, FittedConditional, Shift
from causalaug.conditionals._kernel import KernelConditional
from causalaug.conditionals._residual import ResidualConditional
from causalaug.kernels import RowWeigher

__all__ = [
    "Conditional",
    "FittedConditional",
    "KernelConditional",
    "ResidualConditional",
    "RowWeigher",
    "Shift",
]
