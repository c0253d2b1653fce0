"""The blend and the gate: how held-out observed rows weigh candidates.

A gate that takes one setting must be sure before it leaves the plain learner, and so throws away
half of what it guards. A blend need not be sure: each candidate gets as much weight as held-out
rows speak for it. Some candidates trust the graph, others a model of the target given all else, the
control, which needs no causal knowledge: a wrong graph leaves that, not nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from causalaug._markup import steady_repr
from causalaug._validation import check_bool, check_integer, check_share
from causalaug.estimators._candidates import (
    Candidate,
    LearnerWithNewRows,
    PlainLearner,
    default_candidates,
    new_targets_of,
)
from causalaug.estimators._folds import check_splitter
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from causalaug.conditionals import Conditional
    from causalaug.estimators._cross_fit import CrossFit
    from causalaug.typing import FloatArray


@dataclass(frozen=True)
class Blend:
    """How several learners are weighed by held-out rows; what ``augmented_share="auto"`` means.

    The candidates are the plain learner; a model that needs no causal knowledge, the control (of
    the complete graph with the target last), and the learner with its new rows at a share of .5;
    the graph's model, and the learner with its new rows at a share of .9. New rows have expected
    targets if the learner's loss allows that, and drawn ones otherwise. All are judged by what they
    predict for observed rows that were held out, with new rows made from the training rows of every
    fold, and get the weights under which their mean would have predicted these rows best: stacking.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds.
    n_repeats : int, default=1
        How often the rows are split anew; predictions of a row are averaged.
    cv : splitter, optional
        Any splitter of scikit-learn, such as ``GroupKFold(5)``, instead of the two numbers.
    model : bool, default=True
        Whether models are candidates by themselves. Without them only the learner predicts.
    held_out_rows : int or None, default=2,000
        How many held-out rows suffice for a judgement: of the folds of a table, so many are used
        that these are reached, and the rest is left out. Below it, with a splitter of your own, and
        with None all folds are used. (With 5,000 fits to 4,000 and 5,000 rows took 1.3 to 2.2 times
        as long, and test errors differed by 0.2% at most.)
    more_candidates : tuple of Candidate, default=()
        Candidates of your own (`causalaug.estimators.Candidate`), weighed beside the others.

    Examples
    --------
    >>> from causalaug import AugmentedRegressor, Blend
    >>> AugmentedRegressor(augmented_share=Blend(n_repeats=3)).augmented_share
    Blend(n_splits=5, n_repeats=3, cv=None, model=True, held_out_rows=2000)
    """

    n_splits: int = 5
    n_repeats: int = 1
    cv: Any = None
    model: bool = True
    held_out_rows: int | None = 2_000
    more_candidates: tuple[Candidate, ...] = field(default=(), repr=False)

    averages: ClassVar[bool] = True
    """A blend averages several candidates; a gate takes one."""

    def __post_init__(self) -> None:
        """Refuse too few folds, and what is no splitter."""
        check_integer("n_splits", self.n_splits, at_least=2)
        check_integer("n_repeats", self.n_repeats, at_least=1)
        check_splitter(self.cv)
        check_bool("model", self.model)
        if self.held_out_rows is not None:
            check_integer("held_out_rows", self.held_out_rows, at_least=1)
        object.__setattr__(self, "more_candidates", _checked(self.more_candidates))
        if self.cv is not None and self.n_repeats > 1:
            raise ParameterError(
                "`n_repeats` must be 1 with a splitter, which says itself how often it "
                f"splits the rows. Found n_repeats={self.n_repeats} and cv={self.cv!r}. "
                "Use RepeatedKFold or a splitter of your own as `cv`."
            )

    def candidates(self, new_targets: str, learner: Any) -> tuple[Candidate, ...]:
        """Return what is weighed, the plain learner first."""
        own = default_candidates(new_targets, learner, models=self.model)
        return (*own, *self.more_candidates)

    def weigh(self, judged: CrossFit) -> FloatArray:
        """Return the weight of each candidate, by what they predicted for held-out rows."""
        return judged.weights()


def _checked(candidates: Any) -> tuple[Candidate, ...]:
    """Return candidates as a tuple; raise if one is none, or if two have one name."""
    found = tuple(candidates) if isinstance(candidates, Iterable) else (candidates,)
    for each in found:
        if not isinstance(each, Candidate):
            raise ParameterError(
                "`more_candidates` must hold objects of a subclass of "
                f"`causalaug.estimators.Candidate`. Found {each!r}. Write its `name` and `fit`."
            )
    names = [each.name for each in found]
    if len(set(names)) < len(names):
        raise ParameterError(
            f"`more_candidates` must have different names. Found {names}. Rename one."
        )
    return found


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
