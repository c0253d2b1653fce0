"""Mass that was lost, said in words: how much, at which columns, and what to write instead."""

import warnings

import numpy as np

from causalaug._augmented_table import AugmentedTable
from causalaug.conditionals import KernelConditional, ResidualConditional
from causalaug.exceptions import CausalAugWarning
from causalaug.kernels import ColumnKernel
from causalaug.model._fitted import FittedFactors
from causalaug.typing import FloatArray

MOST_LOST = 0.01
"""A loss below this is not worth a warning."""

MOST_NAMED = 3
"""So many columns are named, those first whose exact match fails most."""


def warn_of_loss(model: FittedFactors, augmented: AugmentedTable, stacklevel: int = 3) -> None:
    """Warn if more than 1% of the mass was dropped."""
    text = describe_loss(model, augmented)
    if text is not None:
        warnings.warn(text, CausalAugWarning, stacklevel=stacklevel)


def describe_loss(model: FittedFactors, augmented: AugmentedTable) -> str | None:
    """Return what was lost and what to do about it; None if it is next to nothing."""
    lost = augmented.dropped_mass
    if not lost > MOST_LOST:
        return None
    matched = _matched_exactly(model)
    if not matched:
        return (
            f"{100 * lost:.0f}% of the mass was dropped: paths were pruned. Lower the threshold, "
            "keep more rows, or use BudgetExpansion(), which drops nothing."
        )
    named = ", ".join(f"{name!r} ({100 * odds:.0f}%)" for name, odds in matched.items())
    return (
        f"{100 * lost:.0f}% of the mass was dropped: paths were pruned, or ended where no observed "
        "row has the same cells. Columns whose exact match fails most, with the share of pairs of "
        f"rows that differ: {named}. {_way_out(model, list(matched))}"
    )


def _matched_exactly(model: FittedFactors) -> dict[str, float]:
    """Return how often two rows differ in the columns of pillows that must be equal."""
    table, kernel = model.table, _kernel_of(model)
    if kernel is None:
        return {}
    in_pillows = {name for factor in model.factors for name in factor.pillow}
    odds = {
        name: mismatch_rate(table.present(number))
        for number, (name, each) in enumerate(
            zip(table.columns, kernel.column_kernels(table), strict=True)
        )
        if name in in_pillows and each == ColumnKernel("identity")
    }
    worst = sorted(odds, key=lambda name: -odds[name])[:MOST_NAMED]
    return {name: odds[name] for name in worst if odds[name] > 0.0}


def _kernel_of(model: FittedFactors) -> KernelConditional | None:
    """Return the kernels that a conditional weighs rows with, if it says."""
    conditional = model.conditional
    kernel = conditional.kernel if isinstance(conditional, ResidualConditional) else conditional
    return kernel if isinstance(kernel, KernelConditional) else None


def mismatch_rate(values: FloatArray) -> float:
    """Return the share of pairs of rows that differ.

    >>> round(mismatch_rate(np.array([1.0, 1.0, 2.0, 3.0])), 3)
    0.833
    """
    counts = np.unique(values, return_counts=True)[1]
    n_rows = len(values)
    return float(1.0 - (counts * (counts - 1)).sum() / max(n_rows * (n_rows - 1), 1))


def _way_out(model: FittedFactors, names: list[str]) -> str:
    """Return what to paste."""
    table = model.table
    measurable = [name for name in names if table.numeric[table.index(name)]]
    kernel = 'KernelConditional(discrete_kernel="nearest")'
    if not measurable:
        return f"Use {kernel}, which allows mismatches."
    kinds = ", ".join(f'{name!r}: "continuous"' for name in measurable)
    return f"Measure them instead, kinds={{{kinds}}}, or use {kernel}, which allows mismatches."
