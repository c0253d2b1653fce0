"""How one factor is modelled: which observed rows may lend their value, and how likely."""

from causalaug.conditionals._auto import AutoConditional
from causalaug.conditionals._base import Conditional, ConditionalByFactor, FittedConditional
from causalaug.conditionals._kernel import KernelConditional
from causalaug.conditionals._residual import ResidualConditional
from causalaug.densities import Density, DensityMaker, Shift, density_of

__all__ = [
    "AutoConditional",
    "Conditional",
    "ConditionalByFactor",
    "Density",
    "DensityMaker",
    "FittedConditional",
    "KernelConditional",
    "ResidualConditional",
    "Shift",
    "density_of",
]
