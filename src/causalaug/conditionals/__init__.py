"""How one factor is modelled: which observed rows may lend their value, and how likely."""

from causalaug.conditionals._base import Conditional, FittedConditional
from causalaug.conditionals._kernel import KernelConditional

__all__ = ["Conditional", "FittedConditional", "KernelConditional"]
