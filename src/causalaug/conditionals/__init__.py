"""How one factor is modelled: which observed rows may lend their value, and how likely."""

from causalaug.conditionals._auto import AutoConditional
from causalaug.conditionals._base import Conditional, ConditionalByFactor, FittedConditional
from causalaug.conditionals._kernel import KernelConditional
from causalaug.conditionals._residual import ResidualConditional

__all__ = [
    "AutoConditional",
    "Conditional",
    "ConditionalByFactor",
    "FittedConditional",
    "KernelConditional",
    "ResidualConditional",
]
