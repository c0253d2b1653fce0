"""The fits of a comparison: what is fitted to which rows, in which order, and what a limit drops.

A trial is one learner, fitted to some rows and judged on others. Its seed is drawn before any
trial runs, so that its outcome depends neither on the process it runs in nor on the trials that
ran, or did not run, before it.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from causalaug._progress import report_step
from causalaug._random import new_seed
from causalaug._threads import one_thread
from causalaug.estimators import seeded
from causalaug.evaluation._comparison import AUGMENTED, BASELINE, MODEL, NOTHING, ORDER
from causalaug.exceptions import CausalAugWarning, ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from causalaug._progress import Budget
    from causalaug.estimators import Task
    from causalaug.typing import IntArray

_METHODS = {"plain": BASELINE, "nothing": NOTHING, "order": ORDER, "graph": AUGMENTED}
"""What a comparison calls the parts of an augmented learner."""

OURS = (AUGMENTED, MODEL)
"""What learns from rows without a target as well."""

ALWAYS = (AUGMENTED, BASELINE, MODEL)
"""What no limit of time leaves out, and whose failure is an error."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What is trained on some rows and judged on others: the augmented learner, or a rival."""

    method: str
    learner: Any
    repeat: int
    fold: int
    train: IntArray
    held_out: IntArray
    seed: int
    parts: tuple[str, ...] = ()
    """What is asked of the augmented learner."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The losses of a trial; none, and why, if a plain learner failed."""

    losses: pd.DataFrame | None
    method: str
    failure: str = ""
    seconds: float = 0.0


def trials_of(
    augmented: Any,
    model: Any,
    rivals: Mapping[str, Any],
    folds: list[list[tuple[IntArray, IntArray]]],
    rng: np.random.Generator,
) -> list[Trial]:
    """Return all trials; those on the same rows share their seed.

    The baseline is a part of the augmented learner, unless it is a rival of its own. The graph's
    model is the estimator that a user would take.
    """
    asked = tuple(name for name, method in _METHODS.items() if method not in rivals)
    methods = {AUGMENTED: augmented, MODEL: model, **rivals}
    found = []
    for repeat, parts in enumerate(folds):
        for fold, (train, held_out) in enumerate(parts):
            seed = new_seed(rng)
            found += [
                Trial(method, clone(learner), repeat, fold, train, held_out, seed, asked)
                for method, learner in methods.items()
            ]
    return found


@dataclass(frozen=True, eq=False)
class Fitter:
    """Fits and judges a trial; a value, so that other processes can have it.

    The augmented learner is fitted once for all that is asked of it: the plain learner, the
    control and the graph's model are parts of that fit.
    """

    features: Any
    labels: Any
    groups: Any
    judge: Task
    unlabelled: IntArray

    def __call__(self, trial: Trial) -> Outcome:
        """Return the losses of the held-out rows, for each method that the trial tells of.

        A plain learner that fails is a remark, never the end of a comparison.
        """
        began, losses, failure = monotonic(), None, ""
        try:
            losses = self._losses(trial)
        except Exception as error:
            if trial.method in ALWAYS:
                raise
            failure = f"{type(error).__name__}: {error}"
        return Outcome(losses, trial.method, failure, monotonic() - began)

    def _losses(self, trial: Trial) -> pd.DataFrame:
        opened = nw.from_native(self.features, eager_only=True)
        learner = seeded(trial.learner, np.random.default_rng(trial.seed))
        rows = self._training_rows(trial)
        train, labels = opened[rows].to_native(), as_typed(self.labels[rows])
        asked = opened[trial.held_out].to_native()
        with warnings.catch_warnings():
            # What a fold would say was said of the whole table, once.
            warnings.simplefilter("ignore", CausalAugWarning)
            if trial.method != AUGMENTED:
                with one_thread(len(labels)):
                    fitted = {trial.method: learner.fit(train, labels)}
            else:
                groups = None if self.groups is None else self.groups[rows]
                parts = learner.fit_parts(train, labels, groups)
                fitted = {_METHODS[name]: parts[name] for name in trial.parts}
            judged = [self._judged(trial, name, each, asked) for name, each in fitted.items()]
        return pd.concat(judged, ignore_index=True)

    def _training_rows(self, trial: Trial) -> IntArray:
        """Return the rows to train on: ours learns from rows without a target, too.

        Not from those that belong to a group which is held out.
        """
        if trial.method not in OURS or not len(self.unlabelled):
            return trial.train
        more = self.unlabelled
        if self.groups is not None:
            more = more[~np.isin(self.groups[more], self.groups[trial.held_out])]
        return np.concatenate([trial.train, more])

    def _judged(self, trial: Trial, method: str, fitted: Any, asked: Any) -> pd.DataFrame:
        losses = self.judge.losses(fitted, asked, as_typed(self.labels[trial.held_out]))
        if not np.isfinite(losses).all():
            kind = type(getattr(fitted, "learner", fitted)).__name__
            raise ParameterError(
                f"Every learner must predict finite values. Found others by {method!r} ({kind}) "
                f"in fold {trial.fold}. Leave it out, or look at the scale of the columns."
            )
        return pd.DataFrame(
            {
                "method": method,
                "repeat": trial.repeat,
                "fold": trial.fold,
                "row": trial.held_out,
                "loss": losses,
                "share": getattr(fitted, "augmented_share_", 0.0),
            }
        )


def as_typed(labels: Any) -> Any:
    """Return targets that are all there in the dtype that they would have had."""
    if labels.dtype.kind != "O" or pd.isna(labels).any():
        return labels
    return pd.Series(labels).infer_objects().to_numpy()


@dataclass
class Schedule:
    """The trials in the order in which they are run, and what a budget left out."""

    trials: list[Trial]
    budget: Budget
    left_out: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    """Plain learners that failed, and how."""

    def run(
        self,
        fit: Fitter,
        *,
        n_jobs: int | None,
        map_: Callable[..., Iterable[Outcome]] | None,
        callback: Callable[[int, int], None] | None,
    ) -> pd.DataFrame:
        """Return the losses of all trials that the budget allows, ordered as without it."""
        if not self.trials:
            raise TableError(
                "There must be rows to hold out. Found no fold: no class has two rows with a "
                "target, or the splitter gives none. Use more rows, or another splitter."
            )
        results: list[Outcome] = []
        with Parallel(n_jobs=n_jobs if map_ is None else 1, return_as="generator") as jobs:
            for part in self._parts():
                mapped = (
                    jobs(delayed(fit)(trial) for trial in part) if map_ is None else map_(fit, part)
                )
                for result in mapped:
                    results.append(result)
                    report_step(
                        callback, len(results), len(self.trials), _share_done(self.trials, results)
                    )
        return self._in_order(results)

    def _parts(self) -> Iterator[list[Trial]]:
        """Yield what is run together: all trials, or one part after the other while time allows.

        The augmented learner takes the most fits and goes first: no process waits for it at the
        end, and a budget leaves out rivals rather than the answer.
        """
        if not self.budget.is_limited:
            yield _longest_first(self.trials)
            return
        began = monotonic()
        kept = list(ALWAYS)
        yield self._select(0, kept)
        for rival in self._rivals():
            if self.budget.allows():
                kept.append(rival)
                yield self._select(0, [rival])
            else:
                self.left_out.append(rival)
        # Another repeat takes as long as the first one did.
        seconds = monotonic() - began
        for repeat in range(1, 1 + max(trial.repeat for trial in self.trials)):
            if self.budget.allows(seconds):
                yield self._select(repeat, kept)
            else:
                self.left_out.append(f"repeat {repeat + 1}")

    def _rivals(self) -> Sequence[str]:
        methods = dict.fromkeys(trial.method for trial in self.trials)
        return [name for name in methods if name not in ALWAYS]

    def _select(self, repeat: int, methods: Sequence[str]) -> list[Trial]:
        found = [each for each in self.trials if each.repeat == repeat and each.method in methods]
        return _longest_first(found)

    def _in_order(self, results: list[Outcome]) -> pd.DataFrame:
        """Return one frame by repeat, fold and method, whatever was run first.

        Who failed on one fold is left out on all: means over other rows are no comparison.
        """
        # The message of the first trial that failed, whatever ran first.
        failed = {each.method: each.failure for each in reversed(results) if each.failure}
        self.failures = {name: failed[name] for name in self._rivals() if name in failed}
        methods = [*_METHODS.values(), MODEL, *self._rivals()]
        rank = {name: place for place, name in enumerate(methods)}
        table = pd.concat(
            [each.losses for each in results if each.method not in failed], ignore_index=True
        )
        keys = (table["method"].map(rank), table["fold"], table["repeat"])
        return table.iloc[np.lexsort(keys)].reset_index(drop=True)


def _longest_first(trials: Sequence[Trial]) -> list[Trial]:
    """Return the trials in the order in which they are run.

    Those of the first fold show how long each method takes, so that the rest can be estimated.
    """
    first = min((trial.repeat, trial.fold) for trial in trials) if trials else None
    return sorted(
        trials,
        key=lambda trial: ((trial.repeat, trial.fold) != first, trial.method != AUGMENTED),
    )


def _share_done(trials: Sequence[Trial], results: Sequence[Outcome]) -> float:
    """Return which share of the work is done: trials of one method take about as long.

    What no trial of a method has shown yet does not count: the longest are the first.
    """
    seconds: dict[str, list[float]] = {}
    for result in results:
        seconds.setdefault(result.method, []).append(result.seconds)
    spent = sum(map(sum, seconds.values()))
    whole = sum(
        float(np.mean(seconds[trial.method])) for trial in trials if trial.method in seconds
    )
    return min(spent / whole, 1.0) if whole > 0.0 else len(results) / max(len(trials), 1)
