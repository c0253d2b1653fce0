"""How one factor is modelled: which observed rows may lend their value, and how likely."""

from causalaug.conditionals._auto import AutoConditional
from causalaug.conditionals._base import Conditional, ConditionalByFactor, FittedConditional
from causalaug.conditionals._belief import Belief, belief_by_variable, check_belief
from causalaug.conditionals._kernel import KernelConditional
from causalaug.conditionals._mixture import fit_several
from causalaug.conditionals._residual import ResidualConditional
from causalaug.conditionals._trust import Fitter, Wish, find_wishes, mixtures

__all__ = [
    "AutoConditional",
    "Belief",
    "Conditional",
    "ConditionalByFactor",
    "FittedConditional",
    "Fitter",
    "KernelConditional",
    "ResidualConditional",
    "Wish",
    "belief_by_variable",
    "check_belief",
    "find_wishes",
    "fit_several",
    "mixtures",
]
