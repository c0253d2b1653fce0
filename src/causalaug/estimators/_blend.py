"""The blend: several learners, weighed by how they do on held-out observed rows.

A gate that takes one setting must be sure before it leaves the plain learner, and so throws away
half of what it guards. A blend need not be sure: each candidate gets as much weight as held-out
rows speak for it. Some candidates see the graph (`graph`, `model`); one sees new rows that assume
no independence at all (`control`), so that a wrong graph leaves smoothing, not nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.utils.parallel import Parallel, delayed

from causalaug._random import new_seed
from causalaug._validation import check_bool, check_integer
from causalaug.densities import LEAST_LOG, some_rows
from causalaug.estimators._folds import check_splitter, enough_folds, hold_out_labelled
from causalaug.estimators._holes import Filler, predictions_of
from causalaug.estimators._losses import EXPECTED_LOSSES, QUANTILE, loss_of
from causalaug.estimators._members import LEARNER_MARGIN, bounds_of, within
from causalaug.estimators._new_rows import DRAWN, EXPECTED, NewRows, make_new_rows, plain_rows
from causalaug.estimators._weights import (
    MOST_TAKEN,
    ROW_RATE,
    blend_weights,
    credit_of_graph,
)
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from causalaug.conditionals import Conditional
    from causalaug.estimators._learner import Learner
    from causalaug.estimators._members import Bounds
    from causalaug.estimators._observed import Observed
    from causalaug.estimators._tasks import Task
    from causalaug.expansion import Expansion
    from causalaug.model import GraphModel
    from causalaug.typing import FloatArray, IntArray

    Judged = tuple[dict["Candidate", FloatArray], FloatArray]

PLAIN, CONTROL, GRAPH, MODEL = "plain", "control", "graph", "graph model"


@dataclass(frozen=True)
class Blend:
    """How several learners are weighed by held-out rows; what ``augmented_share="auto"`` means.

    The candidates are the plain learner; the learner with new rows that assume no independence;
    with new rows of the graph, their targets drawn or expected, at shares of .5 and .9; and the
    graph's model itself. All are judged by what they predict for observed rows that were held
    out, with new rows made from the training rows of every fold. Whole rows have a say as well: a
    graph that makes them likelier than no independence does is trusted more, one that makes them
    less likely is trusted less.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds.
    n_repeats : int, default=1
        How often the rows are split anew; predictions of a row are averaged.
    cv : splitter, optional
        Any splitter of scikit-learn, such as ``GroupKFold(5)``, instead of the two numbers.
    model : bool, default=True
        Whether the graph's model is a candidate by itself. Without it only the learner predicts.
    held_out_rows : int or None, default=5,000
        How many held-out rows suffice for a judgement: of the folds of a table, so many are used
        that these are reached, and the rest is left out. Below it, with a splitter of your own, and
        with None all folds are used.

    Examples
    --------
    >>> from causalaug import AugmentedRegressor, Blend
    >>> AugmentedRegressor(augmented_share=Blend(n_repeats=3)).augmented_share
    Blend(n_splits=5, n_repeats=3, cv=None, model=True, held_out_rows=5000)
    """

    n_splits: int = 5
    n_repeats: int = 1
    cv: Any = None
    model: bool = True
    held_out_rows: int | None = 5_000

    def __post_init__(self) -> None:
        """Refuse too few folds, and what is no splitter."""
        check_integer("n_splits", self.n_splits, at_least=2)
        check_integer("n_repeats", self.n_repeats, at_least=1)
        check_splitter(self.cv)
        check_bool("model", self.model)
        if self.held_out_rows is not None:
            check_integer("held_out_rows", self.held_out_rows, at_least=1)
        if self.cv is not None and self.n_repeats > 1:
            raise ParameterError(
                "`n_repeats` must be 1 with a splitter, which says itself how often it "
                f"splits the rows. Found n_repeats={self.n_repeats} and cv={self.cv!r}. "
                "Use RepeatedKFold or a splitter of your own as `cv`."
            )


@dataclass(frozen=True)
class Candidate:
    """One member of a blend: what it learns from, and how much of that is new."""

    source: str
    share: float
    targets: str = DRAWN

    @property
    def name(self) -> str:
        """What the candidate is called in `blend_`."""
        if self.source in (PLAIN, MODEL):
            return self.source
        return f"{self.source}, {self.targets}, {self.share:g}"

    def bounds(self, of_new_rows: Bounds | None) -> Bounds | None:
        """Return what bounds its predictions: nothing, if it is the plain learner.

        That one is the user's own, and predicts as it does by itself.
        """
        return None if self.source == PLAIN else of_new_rows


def candidates_of(blend: Blend, new_targets: str, learner: Any) -> tuple[Candidate, ...]:
    """Return what a blend weighs, the plain learner first.

    With ``new_targets="auto"`` expected targets take part if the learner's loss allows them. A
    learner of quantiles predicts no mean, and the graph's model does.
    """
    loss = loss_of(learner)
    allowed = loss in EXPECTED_LOSSES if new_targets == "auto" else new_targets == EXPECTED
    kind = EXPECTED if allowed else DRAWN
    found = [Candidate(PLAIN, 0.0), Candidate(CONTROL, 0.5, kind)]
    if new_targets != EXPECTED:
        found.append(Candidate(GRAPH, 0.5, DRAWN))
    found += [Candidate(GRAPH, share, kind) for share in (0.5, 0.9)]
    if blend.model and loss != QUANTILE:
        found.append(Candidate(MODEL, 1.0, EXPECTED))
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, eq=False)
class CrossFit:
    """What each candidate predicted for rows that it did not see.

    Parameters
    ----------
    candidates : tuple of Candidate
        The candidates, the plain learner first.
    predictions : array of shape (n_rows, n_candidates) or (n_rows, n_candidates, n_classes)
        Averaged over repeats; only rows that were held out.
    target : array of shape (n_rows,)
        What they were asked for.
    row_weights : array of shape (n_rows,)
        How much the rows count.
    task : Task
        What it costs to be wrong.
    likelier : array of shape (n_rows,), optional
        By how much the graph's model made each whole row likelier than the model that assumes no
        independence did, in logarithms; NaN where that is not known.
    n_holes : int array of shape (n_rows,), optional
        How many features of the graph each row lacks; None if there are no holes.
    """

    candidates: tuple[Candidate, ...]
    predictions: FloatArray = field(repr=False)
    target: Any = field(repr=False)
    row_weights: FloatArray = field(repr=False)
    task: Task = field(repr=False)
    likelier: FloatArray | None = field(default=None, repr=False)
    n_holes: IntArray | None = field(default=None, repr=False)

    @classmethod
    def of_nothing(cls, workshop: Workshop) -> CrossFit:
        """Return the result where rows are too few to hold any out: the plain learner it is."""
        classes = getattr(workshop.task, "classes", None)
        shape = (0, len(workshop.candidates)) + (() if classes is None else (len(classes),))
        target = np.empty(0) if classes is None else classes[:0]
        return cls(workshop.candidates, np.empty(shape), target, np.empty(0), workshop.task)

    @property
    def losses(self) -> FloatArray:
        """The loss of each row and candidate, shape (n_rows, n_candidates)."""
        columns = [
            self.task.losses_of(self.predictions[:, number], self.target)
            for number in range(len(self.candidates))
        ]
        return np.column_stack(columns)

    def weights(self, sources: Collection[str] = (PLAIN, CONTROL, GRAPH, MODEL)) -> FloatArray:
        """Return the weight of each candidate if only these sources take part; others have 0."""
        if not len(self.target):
            plain: FloatArray = np.eye(len(self.candidates))[0]
            return plain
        part = np.array([each.source in sources for each in self.candidates])
        log_loss = getattr(self.task, "has_probabilities", False)
        # A log-loss has no bound: new rows of any kind can make a learner of classes too sure.
        charged = (CONTROL, GRAPH, MODEL) if log_loss else (GRAPH, MODEL)
        is_charged = np.array([each.source in charged for each in self.candidates])
        weights = np.zeros(len(self.candidates))
        weights[part] = blend_weights(
            self.losses[:, part],
            self.row_weights,
            is_charged[part],
            log_loss=log_loss,
            credit=self._credit()[part],
            n_holes=self.n_holes,
        )
        return weights

    def _credit(self) -> FloatArray:
        """Return what whole rows lend to each candidate, or take from it, if they say anything.

        Of classes, rows that speak for the graph lend to its model alone. Those that speak against
        it take from all that trusts it.
        """
        if self.likelier is None:
            return np.zeros(len(self.candidates))
        if getattr(self.task, "has_probabilities", False):
            credit = credit_of_graph(self.likelier, self.row_weights)
            of_source = {MODEL: credit, GRAPH: min(credit, 0.0)}
        else:
            credit = credit_of_graph(self.likelier, self.row_weights, ROW_RATE, MOST_TAKEN)
            of_source = {MODEL: credit, GRAPH: credit}
        return np.array([of_source.get(each.source, 0.0) for each in self.candidates])

    def frame(self, weights: FloatArray) -> pd.DataFrame:
        """Return one row per candidate: its share of new rows, its mean loss, its weight."""
        total = float(self.row_weights.sum())
        losses = self.row_weights @ self.losses / total if total else np.full(len(weights), np.nan)
        return pd.DataFrame(
            {
                "candidate": [each.name for each in self.candidates],
                "share": [each.share for each in self.candidates],
                "loss": losses,
                "weight": weights,
            }
        )


@dataclass(frozen=True, eq=False)
class Workshop:
    """Fits candidates to rows: a value, so that other processes can have it."""

    candidates: tuple[Candidate, ...]
    learner: Learner
    task: Task
    conditional: Conditional
    expansion: Expansion

    @property
    def sources(self) -> tuple[str, ...]:
        """What new rows are made of; the graph's model comes with the rows of the graph."""
        return tuple(dict.fromkeys(each.source for each in self.candidates if each.source != MODEL))

    def fit(
        self, observed: Observed, source: str, candidates: Iterable[Candidate], seed: int
    ) -> tuple[NewRows | None, dict[Candidate, Any]]:
        """Return the new rows of one source, and its fitted candidates."""
        mine = [each for each in candidates if _source_of_rows(each) == source]
        if source == PLAIN:
            rows = plain_rows(observed, self.conditional, seed)
            return None, {each: self.learner.fit(rows, seed) for each in mine}
        made = make_new_rows(
            observed,
            self.conditional,
            self.expansion,
            getattr(self.task, "classes", None),
            seed,
            expected=any(each.targets == EXPECTED and each.source != MODEL for each in mine),
            control=source == CONTROL,
        )
        fitted = {
            each: made.model_alone()
            if each.source == MODEL
            else self.learner.fit(made.training(each.share, each.targets), seed)
            for each in mine
        }
        return made, fitted

    def judge(
        self, observed: Observed, train: IntArray, held_out: IntArray, source: str, seed: int
    ) -> Judged:
        """Return what the candidates of one source predict for rows that were held out.

        And how likely its model makes the rows themselves.
        """
        judged = observed.select(held_out)
        asked, _ = judged.features_and_target()
        rows = observed.select(train)
        made, fitted = self.fit(rows, source, self.candidates, seed)
        filler = None
        if observed.table.missing is not None and not observed.keep_holes:
            model = made.model if made and source == GRAPH else rows.fit(self.conditional, seed)
            filler = Filler(model, observed.names, seed)
        said = predictions_of(self.task, list(fitted.values()), asked, filler)
        bounds = self.bounds(rows)
        within_bounds = {
            each: within(predicted, each.bounds(bounds))
            for each, predicted in zip(fitted, said, strict=True)
        }
        no_model = np.full(len(held_out), np.nan)
        log_rows = no_model if made is None else _log_rows(made.model, judged)
        return within_bounds, log_rows

    def bounds(self, observed: Observed) -> Bounds | None:
        """Return what bounds the candidates with new rows; None for probabilities of classes."""
        if getattr(self.task, "classes", None) is not None:
            return None
        targets = observed.table.present(observed.table.index(observed.target))
        return bounds_of(targets, LEARNER_MARGIN)


def _source_of_rows(candidate: Candidate) -> str:
    return GRAPH if candidate.source == MODEL else candidate.source


def _log_rows(model: GraphModel, observed: Observed) -> FloatArray:
    """Return the log-density of whole rows, or of some if they are many; NaN of the others.

    A row with holes has none. Nor has one with a level in a pillow that the model never saw.
    """
    some = some_rows(observed.n_rows)
    by_factor = model.log_density(observed.table.select(some).source).to_numpy()
    log_rows = np.full(observed.n_rows, np.nan)
    log_rows[some] = np.maximum(by_factor, LEAST_LOG).sum(axis=1)
    return log_rows


def cross_fit(
    blend: Blend,
    workshop: Workshop,
    observed: Observed,
    groups: Any,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> CrossFit:
    """Let every candidate predict the rows that it did not see.

    Folds and sources of new rows are shared out over jobs. New rows of the graph and of the
    control have the same seed within a fold, so that a complete graph gains nothing over it.
    """
    repeats = hold_out_labelled(
        workshop.task,
        observed,
        groups,
        rng,
        cv=blend.cv,
        n_splits=blend.n_splits,
        n_repeats=blend.n_repeats,
    )
    seeded = [[(*fold, new_seed(rng)) for fold in repeat] for repeat in repeats]
    if blend.cv is None:
        # After all seeds are drawn: the members that are fitted in the end do not depend on it.
        seeded = [enough_folds(repeat, blend.held_out_rows) for repeat in seeded]
    folds = [fold for repeat in seeded for fold in repeat]
    tasks = [(*fold, source) for fold in folds for source in _longest_first(workshop)]
    found = Parallel(n_jobs=n_jobs)(
        delayed(workshop.judge)(observed, train, held_out, source, seed)
        for train, held_out, seed, source in tasks
    )
    return _gather(workshop, observed, tasks, found)


def _longest_first(workshop: Workshop) -> Sequence[str]:
    """Return the sources by how many fits they take, so that no job waits for a long last one."""
    count = {
        source: sum(each.source == source for each in workshop.candidates)
        for source in workshop.sources
    }
    return sorted(count, key=lambda source: -count[source])


def _gather(
    workshop: Workshop,
    observed: Observed,
    tasks: Sequence[tuple[IntArray, IntArray, int, str]],
    found: Sequence[Judged],
) -> CrossFit:
    """Average the predictions of each row over its repeats."""
    number = {each: position for position, each in enumerate(workshop.candidates)}
    classes = getattr(workshop.task, "classes", None)
    shape = (observed.n_rows, len(number)) + (() if classes is None else (len(classes),))
    total, times = np.zeros(shape), np.zeros((observed.n_rows, len(number)))
    likelier = np.zeros(observed.n_rows)
    for (_, held_out, _, source), (predictions, log_rows) in zip(tasks, found, strict=True):
        for candidate, predicted in predictions.items():
            total[held_out, number[candidate]] += predicted
            times[held_out, number[candidate]] += 1.0
        if source != PLAIN:
            likelier[held_out] += log_rows if source == GRAPH else -log_rows
    # Rows without a label are never held out, and so never told.
    told = (times > 0.0).all(axis=1)
    _, target = observed.select(np.flatnonzero(told)).features_and_target()
    mean = total[told] / times[told].reshape(*times[told].shape, *(1,) * (total.ndim - 2))
    weights, likelier = observed.sample_weight[told], likelier[told] / times[told, 0]
    missing = observed.table.missing
    # A row that is held out has its target, so that what it lacks are features.
    n_holes = None if missing is None else missing[told].sum(axis=1)
    return CrossFit(workshop.candidates, mean, target, weights, workshop.task, likelier, n_holes)


def fit_members(
    workshop: Workshop,
    observed: Observed,
    candidates: Collection[Candidate],
    seed: int,
    n_jobs: int | None,
) -> tuple[NewRows, dict[Candidate, Any]]:
    """Return the graph's new rows, always, and the given candidates fitted to all rows."""
    sources = [
        source
        for source in _longest_first(workshop)
        if source == GRAPH or any(_source_of_rows(each) == source for each in candidates)
    ]
    results = Parallel(n_jobs=n_jobs)(
        delayed(workshop.fit)(observed, source, candidates, seed) for source in sources
    )
    made = dict(zip(sources, (rows for rows, _ in results), strict=True))
    members = {each: member for _, fitted in results for each, member in fitted.items()}
    return made[GRAPH], {each: members[each] for each in workshop.candidates if each in members}
