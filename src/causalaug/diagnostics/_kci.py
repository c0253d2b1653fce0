"""The kernel test of conditional independence (Zhang et al., 2011), by causal-learn."""

from collections.abc import Sequence

import numpy as np

from causalaug._optional import import_optional
from causalaug.diagnostics._coding import Variable
from causalaug.diagnostics._correlation import NO_VARIATION
from causalaug.diagnostics._outcome import Outcome, rows_needed, too_few


def kernel_tests(
    target: Variable, others: Sequence[Variable], pillow: Sequence[Variable], level: float
) -> list[Outcome]:
    """Test the target against each of the others, the pillow held fixed."""
    kci = import_optional(
        "causallearn.utils.KCI.KCI", extra="kci", purpose="The test 'kci' of `check_graph`"
    )
    held = [variable.columns() for variable in pillow if variable.varies]
    rows = len(target.values) - sum(block.shape[1] for block in held)
    reason = too_few(rows, rows_needed(1, level))
    if not reason and not target.varies:
        reason = NO_VARIATION
    outcomes = []
    for other in others:
        if reason or not other.varies:
            outcomes.append(Outcome("kci", reason=reason or NO_VARIATION))
            continue
        test = kci.KCI_CInd() if held else kci.KCI_UInd()
        sides = [target.columns(), other.columns(), *([np.hstack(held)] if held else [])]
        p_value, statistic = test.compute_pvalue(*sides)
        outcomes.append(Outcome("kci", float(statistic), float(p_value)))
    return outcomes
