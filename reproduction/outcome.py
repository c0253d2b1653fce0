"""What a method made of a split: the prediction, what was chosen, and the new rows."""

from dataclasses import dataclass

import numpy as np

from causalaug.augmentation import AugmentedTable
from causalaug.typing import FloatArray


@dataclass(frozen=True)
class NewRows:
    """Figures on an augmented table whose equal rows are merged.

    `mass` is the sum of the weights that the learner was given, relative to the originals
    alone at full weight; `novel_mass` the part of it on rows that were never observed.
    """

    rows_augmented: int
    rows_only_augmented: int
    rows_in_both: int
    rows_only_original: int
    mass: float
    novel_mass: float
    effective_sample_size: float


@dataclass(frozen=True, eq=False)
class Outcome:
    """The prediction for the test rows, the chosen settings, and the cost."""

    prediction: FloatArray
    n_rounds: int
    reg_lambda: float
    share: float
    new_rows: NewRows | None
    seconds_augmenting: float
    seconds_learning: float


def describe_new_rows(augmented: AugmentedTable, weights: FloatArray) -> NewRows:
    """Return figures on merged rows whose weights may differ from the table's own.

    Rows in both are distinct values; an observed row that they do not cover, or that repeats
    another, counts as only original.
    """
    n_novel = int(augmented.is_novel.sum())
    n_seen = len(augmented) - n_novel
    squares = float(np.square(weights).sum())
    mass = float(weights.sum())
    return NewRows(
        rows_augmented=len(augmented),
        rows_only_augmented=n_novel,
        rows_in_both=n_seen,
        rows_only_original=augmented.table.n_rows - n_seen,
        mass=mass,
        novel_mass=float(weights[augmented.is_novel].sum()),
        effective_sample_size=mass**2 / squares if squares > 0.0 else 0.0,
    )
