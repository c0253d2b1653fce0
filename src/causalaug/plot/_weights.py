"""How the weight of an augmented table is spread over its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causalaug.augmentation import AugmentedTable
from causalaug.exceptions import ParameterError
from causalaug.plot._style import BLUE, GREY, VERMILION, as_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def check_augmented(augmented: object) -> None:
    """Raise unless `augmented` is what `augment` returns, with some rows."""
    if not isinstance(augmented, AugmentedTable):
        raise ParameterError(
            f"`augmented` must be an AugmentedTable. Found {type(augmented).__name__}. "
            "Pass what `augment` returns, not its frame."
        )
    if not len(augmented):
        raise ParameterError(
            "`augmented` must have rows. Found none: all its mass was dropped. "
            "Augment with a lower threshold, or with BudgetExpansion."
        )


@styled
def plot_weights(augmented: AugmentedTable, ax: Axes | None = None) -> Axes:
    """Draw the mass that the heaviest rows hold together, and write what they are worth.

    Parameters
    ----------
    augmented : AugmentedTable
        What `augment` returned.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes
        What was drawn on. The curve starts at (0, 0) and ends at (rows, mass). Were all
        weights equal it would be the straight line beside it.

    Examples
    --------
    >>> from causalaug import augment
    >>> from causalaug.datasets import make_trivariate
    >>> data = make_trivariate(20, random_state=0)
    >>> augmented = augment(data.frame, data.graph, random_state=0)
    >>> ax = plot_weights(augmented)
    >>> rows, mass = ax.lines[0].get_data()
    >>> len(rows) == len(augmented) + 1, f"{mass[-1]:.2f}"
    (True, '1.00')
    """
    check_augmented(augmented)
    ax = as_axes(ax, (6.0, 4.0))
    weights = np.sort(augmented.weights)[::-1]
    mass = np.concatenate([[0.0], np.cumsum(weights)])
    ax.plot(np.arange(len(mass)), mass, color=BLUE, linewidth=2, label="heaviest rows first")
    ends = ([0, len(weights)], [0.0, augmented.mass])
    ax.plot(*ends, color=GREY, linewidth=1, linestyle="--", label="if all weighed the same")
    size = augmented.effective_sample_size
    ax.axvline(size, color=VERMILION, linewidth=1.5, linestyle=":", label="effective sample size")
    ax.set_xlim(0, None)
    ax.set_ylim(0, 1.05 * max(1.0, augmented.mass))
    ax.set_xlabel("rows, the heaviest first")
    ax.set_ylabel("mass they hold together")
    box = {"frameon": True, "framealpha": 1.0, "edgecolor": "none", "alignment": "left"}
    ax.legend(loc="lower right", title=_summary(augmented), title_fontsize=10, **box)
    return ax


def _summary(augmented: AugmentedTable) -> str:
    return "\n".join(
        [
            f"{len(augmented):,} rows from {augmented.table.n_rows:,}",
            f"effective sample size {augmented.effective_sample_size:,.1f}",
            f"novel mass {augmented.novel_mass:.3f}",
            f"dropped mass {augmented.dropped_mass:.3f}",
        ]
    )
