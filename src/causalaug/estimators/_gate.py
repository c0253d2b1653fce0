"""The gate: how much weight new rows deserve, judged on held-out observed rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.utils.parallel import Parallel, delayed

from causalaug._augmented_table import no_new_rows
from causalaug._random import new_seed
from causalaug._validation import check_integer, check_share
from causalaug.estimators._folds import hold_out_labelled
from causalaug.estimators._holes import Filler, predictions_of
from causalaug.estimators._new_rows import EXPECTED, NewRows, make_new_rows, plain_rows
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from causalaug.conditionals import Conditional
    from causalaug.estimators._learner import Learner
    from causalaug.estimators._observed import Observed
    from causalaug.estimators._tasks import Task
    from causalaug.expansion import Expansion
    from causalaug.typing import FloatArray, IntArray

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


@dataclass(frozen=True, eq=False)
class FittedOne:
    """One learner, the rows that it learnt from, and what the gate tried, if it had a choice."""

    estimator: Any
    rows: NewRows
    share: float
    gate: GateResult | None


def choose_and_fit(
    gate: Gate, trial: GateTrial, observed: Observed, groups: Any, seed: int, n_jobs: int | None
) -> FittedOne:
    """Choose one candidate on held-out rows, and fit it to all rows."""
    rng = np.random.default_rng(seed)
    result, chosen = None, trial.candidates[0]
    if len(trial.candidates) > 1 and len(observed.labels) >= FEWEST_ROWS:
        result = pass_through_gate(gate, trial, observed, groups, rng, n_jobs)
        chosen = trial.candidates[result.chosen]
    rows = trial.make_rows(observed, chosen, seed)
    if chosen.share > 0.0 and not len(rows.augmented):
        raise no_new_rows()
    estimator = trial.learner.fit(rows.training(chosen.share, trial.targets), seed)
    return FittedOne(estimator, rows, chosen.share, result)


def pass_through_gate(
    gate: Gate,
    trial: GateTrial,
    observed: Observed,
    groups: Any,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> GateResult:
    """Try all candidates on held-out rows and choose one."""
    total = np.zeros((observed.n_rows, len(trial.candidates)))
    times = np.zeros(observed.n_rows)
    repeats = hold_out_labelled(
        trial.task,
        observed,
        groups,
        rng,
        n_splits=gate.n_splits,
        n_repeats=gate.n_repeats,
    )
    folds = [(*fold, new_seed(rng)) for repeat in repeats for fold in repeat]
    found = Parallel(n_jobs=n_jobs)(delayed(trial.judge)(observed, *fold) for fold in folds)
    for (_, held_out, _), losses in zip(folds, found, strict=True):
        total[held_out] += losses
        times[held_out] += 1.0
    told = times > 0.0
    losses, weights = total[told] / times[told, np.newaxis], observed.sample_weight[told]
    chosen = simplest_within_error(losses, weights)
    return GateResult(trial.candidates, losses, weights, chosen)


@dataclass(frozen=True, eq=False)
class GateTrial:
    """Fits and judges all candidates on one fold: a value, so that other processes can have it."""

    candidates: tuple[Candidate, ...]
    learner: Learner
    task: Task
    expansion: Expansion
    targets: str

    def judge(
        self, observed: Observed, train: IntArray, held_out: IntArray, seed: int
    ) -> FloatArray:
        """Return the loss of each held-out row, shape (n_held_out, n_candidates)."""
        asked, target = observed.select(held_out).features_and_target()
        rows = observed.select(train)
        fits = list(self.fit_all(rows, seed))
        filler = None
        if observed.table.missing is not None and not observed.keep_holes:
            model = rows.fit(self.candidates[0].conditional, seed)
            filler = Filler(model, observed.names, seed)
        said = predictions_of(self.task, fits, asked, filler)
        return np.column_stack([self.task.losses_of(each, target) for each in said])

    def fit_all(self, observed: Observed, seed: int) -> Iterator[Any]:
        """Yield the learner fitted with each candidate; a conditional is fitted and expanded once.

        Where a fold allows no new row at all, there is nothing to add to the observed ones.
        """
        made: dict[int, NewRows] = {}
        for candidate in self.candidates:
            if candidate.share == 0.0:
                yield self.learner.fit(plain_rows(observed, candidate.conditional, seed), seed)
                continue
            key = id(candidate.conditional)
            if key not in made:
                made[key] = self.make_rows(observed, candidate, seed)
            yield self.learner.fit(made[key].training(candidate.share, self.targets), seed)

    def make_rows(self, observed: Observed, candidate: Candidate, seed: int) -> NewRows:
        """Return the new rows of a candidate."""
        return make_new_rows(
            observed,
            candidate.conditional,
            self.expansion,
            getattr(self.task, "classes", None),
            seed,
            expected=self.targets == EXPECTED and candidate.share > 0.0,
        )


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
