"""What a report tells of the new rows: figures and pictures, not the rows themselves."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from causalaug.augmentation import AugmentedTable
from causalaug.report._axes import Axis, axis_of
from causalaug.report._pairs import PairChange, changed_pairs
from causalaug.typing import FloatArray

MOST_MARGINALS = 12


@dataclass(frozen=True, eq=False)
class Marginal:
    """The distribution of one column, among the observed and among the new rows.

    Parameters
    ----------
    axis : Axis
        The column and its parts.
    observed, new : float array of shape (n_parts,)
        The share of the rows, or of the weight, in each part.
    """

    axis: Axis
    observed: FloatArray
    new: FloatArray

    @property
    def change(self) -> float:
        """The share of the mass that is in another part: half the sum of differences."""
        return 0.5 * float(np.abs(self.observed - self.new).sum())


@dataclass(frozen=True, eq=False)
class AugmentationSummary:
    """What became of the table when it was augmented.

    Parameters
    ----------
    figures : mapping of str to float
        Numbers of rows, mass, dropped and novel mass, effective sample size.
    factors : tuple of str
        The conditionals that the weights are a product of.
    marginals : tuple of Marginal
        Of the target and of the columns that changed most, in the order of the table.
    unshown : tuple of str
        The columns that changed less.
    pairs : tuple of PairChange
        The pairs that changed most, the most changed first.
    warning : str or None
        What must be known of lost mass, if there is any to speak of.
    """

    figures: Mapping[str, float]
    factors: tuple[str, ...]
    marginals: tuple[Marginal, ...]
    unshown: tuple[str, ...]
    pairs: tuple[PairChange, ...]
    warning: str | None = None


def summarize(
    augmented: AugmentedTable, target: str, seed: int, warning: str | None = None
) -> AugmentationSummary:
    """Return what a report tells of new rows, and what it warns of.

    The seed chooses the points that are drawn.
    """
    table, weights = augmented.table, augmented.weights
    new = np.column_stack([augmented.values(number) for number in range(table.n_columns)])
    same = np.ones(table.n_rows)
    marginals = []
    for number in range(table.n_columns):
        axis = axis_of(table, number, new[:, number])
        shares = axis.shares(table.values[:, number], same), axis.shares(new[:, number], weights)
        marginals.append(Marginal(axis, *shares))
    ranked = sorted(
        range(table.n_columns),
        key=lambda number: (
            table.columns[number] != target,
            -round(marginals[number].change, 12),
        ),
    )
    shown = sorted(ranked[:MOST_MARGINALS])
    return AugmentationSummary(
        figures=augmented.figures(),
        factors=tuple(str(factor) for factor in augmented.factors),
        marginals=tuple(marginals[number] for number in shown),
        unshown=tuple(table.columns[number] for number in sorted(ranked[MOST_MARGINALS:])),
        pairs=changed_pairs(augmented, new, ranked, np.random.default_rng(seed)),
        warning=warning,
    )
