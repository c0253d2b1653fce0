"""The gate: how much weight new rows deserve, judged on held-out observed rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from causalaug._markup import steady_repr
from causalaug._validation import check_integer, check_share
from causalaug.estimators._candidates import (
    Candidate,
    LearnerWithNewRows,
    PlainLearner,
    new_targets_of,
)
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from causalaug.conditionals import Conditional
    from causalaug.estimators._cross_fit import CrossFit
    from causalaug.typing import FloatArray


@dataclass(frozen=True)
class Gate:
    """How the share of the new rows is chosen.

    Each share is tried on held-out observed rows, with the augmentation made anew from the
    training rows of every fold. The smallest share that is within one standard error of the
    best wins; the error is that of the paired difference. So a graph that does not help gets
    no say.

    Parameters
    ----------
    shares : tuple of float, default=(0.0, 0.25, 0.5, 0.75)
        The shares to try.
    n_splits : int, default=5
        The number of folds.
    n_repeats : int, default=1
        How often the rows are split anew; losses of a row are averaged.

    Examples
    --------
    >>> from causalaug import AugmentedRegressor, Gate
    >>> AugmentedRegressor(augmented_share=Gate(n_repeats=3)).augmented_share
    Gate(shares=(0.0, 0.25, 0.5, 0.75), n_splits=5, n_repeats=3)
    """

    shares: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75)
    n_splits: int = 5
    n_repeats: int = 1

    averages: ClassVar[bool] = False
    cv: ClassVar[None] = None
    held_out_rows: ClassVar[None] = None

    def __post_init__(self) -> None:
        """Refuse shares that are none, and too few folds."""
        if not isinstance(self.shares, Iterable) or not (shares := tuple(self.shares)):
            raise ParameterError(
                f"`shares` must hold at least one share, as in (0.0, 0.5). Found {self.shares!r}."
            )
        object.__setattr__(self, "shares", shares)
        for share in self.shares:
            check_share("shares", share)
        check_integer("n_splits", self.n_splits, at_least=2)
        check_integer("n_repeats", self.n_repeats, at_least=1)

    def candidates(self, new_targets: str, learner: Any) -> tuple[Candidate, ...]:
        """Return the learner with each share, simplest first."""
        targets = new_targets_of(new_targets, learner)
        return tuple(
            LearnerWithNewRows(True, share, targets) if share else PlainLearner()
            for share in sorted(set(self.shares))
        )

    def weigh(self, judged: CrossFit) -> FloatArray:
        """Return a weight of one for the candidate that is chosen, and none for the others."""
        chosen = 0
        if judged.repeat_losses is not None:
            chosen = simplest_within_error(judged.repeat_losses, judged.row_weights)
        weights: FloatArray = np.eye(len(judged.candidates))[chosen]
        return weights


@dataclass(frozen=True, eq=False)
class GateResult:
    """What was tried, and how it did on held-out rows.

    Parameters
    ----------
    candidates : tuple of Candidate
        What was tried, simplest first.
    conditional : Conditional
        How the factors were modelled.
    losses : float array of shape (n_rows, n_candidates)
        The loss of each observed row that was held out, averaged over the repeats.
    weights : float array of shape (n_rows,)
        The weights of these rows.
    chosen : int
        The position of the setting that was chosen.
    """

    candidates: tuple[Candidate, ...]
    conditional: Conditional
    losses: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    chosen: int

    @property
    def frame(self) -> pd.DataFrame:
        """One row per setting: its mean loss, and how far that is from the best one's."""
        mean, difference, error = compare_with_best(self.losses, self.weights)
        return pd.DataFrame(
            {
                "conditional": steady_repr(self.conditional),
                "share": [each.share for each in self.candidates],
                "loss": mean,
                "above_best": difference,
                "standard_error": error,
                "chosen": np.arange(len(self.candidates)) == self.chosen,
            }
        )

    @classmethod
    def of(
        cls, judged: CrossFit, weights: FloatArray, conditional: Conditional
    ) -> GateResult | None:
        """Return what was tried; None if nothing was held out to try it on."""
        if judged.repeat_losses is None:
            return None
        chosen = int(weights.argmax())
        return cls(judged.candidates, conditional, judged.repeat_losses, judged.row_weights, chosen)


def simplest_within_error(losses: FloatArray, weights: FloatArray) -> int:
    """Return the first column whose mean loss is within one standard error of the best.

    The error is that of the difference, row by row: two settings are judged on the same
    rows, most of which are as hard for one as for the other.

    >>> simplest_within_error(np.array([[1.0, 0.9], [2.0, 2.1], [3.0, 2.9]]), np.ones(3))
    0
    >>> simplest_within_error(np.array([[1.0, 0.9], [2.0, 1.9], [3.0, 2.8]]), np.ones(3))
    1
    """
    if not len(losses):
        return 0
    _, difference, error = compare_with_best(losses, weights)
    return int(np.argmax(difference <= error))


def compare_with_best(
    losses: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean losses, how far they are above the best, and the error of that."""
    share = weights / weights.sum()
    mean = share @ losses
    above = losses - losses[:, [int(np.argmin(mean))]]
    difference = share @ above
    n_effective = 1.0 / np.square(share).sum()
    variance = share @ np.square(above - difference)
    return mean, difference, np.sqrt(variance / max(n_effective - 1.0, 1.0))
