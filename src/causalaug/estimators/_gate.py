"""The gate: how much weight new rows deserve, judged on held-out observed rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from causalaug._random import new_seed
from causalaug._validation import check_integer, check_share
from causalaug.estimators._learner import fit_learner
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from causalaug.augmentation import AugmentedTable
    from causalaug.conditionals import Conditional
    from causalaug.estimators._observed import Observed
    from causalaug.estimators._tasks import Task
    from causalaug.expansion import Expansion
    from causalaug.typing import FloatArray

FEWEST_ROWS = 10
"""With fewer rows nothing can be held out that would tell anything."""


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


@dataclass(frozen=True, eq=False)
class Candidate:
    """One setting: how the factors are modelled, and how much the new rows weigh."""

    conditional: Conditional
    share: float


@dataclass(frozen=True, eq=False)
class GateResult:
    """What was tried, and how it did on held-out rows.

    Parameters
    ----------
    candidates : tuple of Candidate
        The settings, simplest first.
    losses : float array of shape (n_rows, n_candidates)
        The loss of each observed row that was held out, averaged over the repeats.
    weights : float array of shape (n_rows,)
        The weights of these rows.
    chosen : int
        The position of the setting that was chosen.
    """

    candidates: tuple[Candidate, ...]
    losses: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    chosen: int

    @property
    def frame(self) -> pd.DataFrame:
        """One row per setting: its mean loss, and how far that is from the best one's."""
        mean, difference, error = compare_with_best(self.losses, self.weights)
        return pd.DataFrame(
            {
                "conditional": [str(each.conditional) for each in self.candidates],
                "share": [each.share for each in self.candidates],
                "loss": mean,
                "above_best": difference,
                "standard_error": error,
                "chosen": np.arange(len(self.candidates)) == self.chosen,
            }
        )


def pass_through_gate(
    gate: Gate,
    observed: Observed,
    candidates: Sequence[Candidate],
    expansion: Expansion,
    learner: Any,
    task: Task,
    rng: np.random.Generator,
) -> GateResult:
    """Try all candidates on held-out rows and choose one."""
    total = np.zeros((observed.n_rows, len(candidates)))
    times = np.zeros(observed.n_rows)
    target = observed.features_and_target()[1]
    n_splits = min(gate.n_splits, observed.n_rows)
    for _ in range(gate.n_repeats):
        for train, held_out in task.folds(target, n_splits, new_seed(rng)):
            asked = observed.select(held_out)
            fits = _fit_all(observed.select(train), candidates, expansion, learner, rng)
            for number, (fitted, sees_extra) in enumerate(fits):
                rows = (
                    asked.features_and_target() if sees_extra else asked.split(asked.table.source)
                )
                total[held_out, number] += task.losses(fitted, *rows)
            times[held_out] += 1.0
    told = times > 0.0
    losses, weights = total[told] / times[told, np.newaxis], observed.sample_weight[told]
    return GateResult(tuple(candidates), losses, weights, simplest_within_error(losses, weights))


def _fit_all(
    observed: Observed,
    candidates: Sequence[Candidate],
    expansion: Expansion,
    learner: Any,
    rng: np.random.Generator,
) -> Iterator[tuple[Any, bool]]:
    """Yield the learner fitted with each candidate, and whether it saw columns outside the graph.

    A conditional is fitted and expanded once. Where a fold allows no new row at all, there is
    nothing to add to the observed ones.
    """
    made: dict[int, AugmentedTable] = {}
    for candidate in candidates:
        key = id(candidate.conditional)
        if candidate.share > 0.0 and key not in made:
            made[key] = observed.fit(candidate.conditional).expand(expansion, rng)
        if candidate.share > 0.0 and len(made[key]):
            yield fit_learner(learner, *observed.mixed(made[key], candidate.share)), False
        else:
            yield fit_learner(learner, *observed.weighted()), True


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
