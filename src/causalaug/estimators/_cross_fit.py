"""Candidates on held-out rows, and those that are chosen on all rows: one way for blend and gate.

What the blends of several rungs of the ladder have in common is fitted once: a job holds candidates
that are fitted to the same rows with the same graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from sklearn.utils.parallel import Parallel, delayed

from causalaug._random import new_seed
from causalaug.estimators._candidates import Candidate, ModelAlone, PlainLearner, TrainingSet
from causalaug.estimators._folds import enough_folds, hold_out_labelled
from causalaug.estimators._holes import Filler, filled, predictions_of
from causalaug.estimators._observed_rows import GRAPH, NOTHING, RUNGS
from causalaug.estimators._predictors import WeightedMembers, numbers_in, within_reach
from causalaug.estimators._stacking import stacked_weights, tail_length
from causalaug.model import reach_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from causalaug.conditionals import Conditional
    from causalaug.estimators._candidates import NewRows
    from causalaug.estimators._folds import Task
    from causalaug.estimators._learner import Learner
    from causalaug.estimators._observed_rows import Ladder, Observed
    from causalaug.expansion import Expansion
    from causalaug.model import GraphModel, Range
    from causalaug.typing import FloatArray, IntArray

FEWEST_ROWS = 10
"""With fewer rows nothing can be held out that would tell anything."""


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
    moments : array of shape (2, n_rows), optional
        The mean and the standard deviation of each row's target by the graph's model; None for
        classes.
    repeat_losses : array of shape (n_rows, n_candidates), optional
        The loss of each row in each repeat, averaged over repeats.
    """

    candidates: tuple[Candidate, ...]
    predictions: FloatArray = field(repr=False)
    target: Any = field(repr=False)
    row_weights: FloatArray = field(repr=False)
    task: Task = field(repr=False)
    moments: FloatArray | None = field(default=None, repr=False)
    repeat_losses: FloatArray | None = field(default=None, repr=False)

    @classmethod
    def of_nothing(cls, fitter: CandidateFitter) -> CrossFit:
        """Return the result where rows are too few to hold any out: the plain learner it is."""
        classes = fitter.task.classes
        shape = (0, len(fitter.candidates)) + (() if classes is None else (len(classes),))
        target = np.empty(0) if classes is None else classes[:0]
        return cls(fitter.candidates, np.empty(shape), target, np.empty(0), fitter.task)

    @property
    def losses(self) -> FloatArray:
        """The loss of each row and candidate, shape (n_rows, n_candidates)."""
        columns = [
            self.task.losses_of(self.predictions[:, number], self.target)
            for number in range(len(self.candidates))
        ]
        return np.column_stack(columns)

    def weights(self) -> FloatArray:
        """Return the weight of each candidate.

        Where errors have long tails, rows are fewer than they look: a few of them say little of the
        next outlier, and must not choose alone. They are doubted by the square of `tail_length`.
        (Around ridge regression: of 40 long-tailed models of seeds 5,600,000 and up the worst blend
        had twice the plain learner's test error without this and 1.3 times with it.) Squares of
        probabilities have no tails.
        """
        if not len(self.target):
            plain: FloatArray = np.eye(len(self.candidates))[0]
            return plain
        residuals = self.task.residuals(self.predictions, self.target)
        if residuals.ndim > 2:
            return stacked_weights(residuals, self.row_weights)
        n_candidates, tails = len(self.candidates), tail_length(residuals, self.row_weights)
        doubts = np.full(n_candidates, n_candidates * tails**2)
        return stacked_weights(residuals, self.row_weights, doubts)

    def blended(self, weights: FloatArray) -> FloatArray:
        """Return what the weighted mean of the candidates predicts for each row."""
        mean: FloatArray = np.einsum("c,rc...->r...", weights, self.predictions)
        return mean

    def loss(self, weights: FloatArray) -> float:
        """Return the mean loss of the weighted mean of the candidates; NaN of no rows."""
        if not len(self.target):
            return float("nan")
        losses = self.task.losses_of(self.blended(weights), self.target)
        return float(np.average(losses, weights=self.row_weights))

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


Judged: TypeAlias = "tuple[Mapping[tuple[str, Candidate], FloatArray], FloatArray | None]"
"""What the candidates of one job predict for held-out rows, by a rung and a candidate of its blend;
and the means and standard deviations of the rows' targets by the model of the job's own graph,
shape (2, n_rows): None for classes, and of the plain learner."""


@dataclass(frozen=True, eq=False)
class CandidateFitter:
    """Fits candidates to rows: a value, so that other processes can have it.

    Where candidates are averaged (`averages`), predictions of some are bounded, and what the
    graph's model expects of held-out rows is kept for intervals.
    """

    candidates: tuple[Candidate, ...]
    learner: Learner
    task: Task
    conditional: Conditional
    expansion: Expansion
    averages: bool

    def fit(self, observed: Observed, job: Job) -> tuple[NewRows | None, dict[Candidate, Any]]:
        """Return the fitted candidates of a job, and new rows if it is about these."""
        options = self.learner, self.conditional, self.expansion, self.task.classes, job.seed
        rows = TrainingSet(observed, *options)
        fitted = {each: each.fit(rows) for each in job.candidates}
        return rows.new_rows if job.uses_model else None, fitted

    def judge(self, ladder: Ladder, job: Job) -> Judged:
        """Return what the candidates of one job predict for rows that were held out.

        They are predicted for every blend that weighs them, the key. And where the model of the
        job's own graph sees their targets.
        """
        rows = ladder.select(job.train)
        features, _ = ladder.on(job.place).select(job.held_out).features_and_target()
        made, fitted = self.fit(rows.on(job.place), job)
        by_rung = {}
        # Without holes to fill, what is predicted is the same on every rung.
        for rung in job.rungs if ladder.fills_holes else job.rungs[:1]:
            filler = None
            if ladder.fills_holes:
                # The rows that are asked may have holes where those to learn from have none.
                model = rows.on(rung).fit(self.conditional, job.seed)
                filler = Filler.of(rows.on(rung), model, job.seed)
            predicted = predictions_of(self.task, list(fitted.values()), features, filler)
            by_rung[rung] = dict(zip(fitted, predicted, strict=True))
        predictions = {
            (rung, each): by_rung.get(rung, by_rung[job.rungs[0]])[twin]
            for (rung, each), twin in job.twins.items()
        }
        if made is None or not self.averages or self.task.classes is not None:
            return predictions, None
        return predictions, made.model_alone().predict_moments(features)

    def reach(self, observed: Observed) -> Range | None:
        """Return where the plain learner begins to decide alone; None if it never does."""
        if not self.averages or self.task.classes is not None:
            return None
        return reach_of(*numbers_in(observed.table, observed.target))

    def bounded(
        self, predictions: dict[Candidate, FloatArray], observed: Observed
    ) -> dict[Candidate, FloatArray]:
        """Return the predictions of all candidates that were fitted to some rows, within reach."""
        reach = self.reach(observed)
        if reach is None:
            return predictions
        plain = predictions[PLAIN]
        return {
            each: within_reach(predicted, plain, reach, is_bounded=each.is_bounded)
            for each, predicted in predictions.items()
        }


PLAIN = PlainLearner()
"""The candidate whose predictions bound those of others, and the baseline of comparisons."""


@dataclass(frozen=True, eq=False)
class Job:
    """Candidates that are fitted to the same rows with the same graph, and who asks for them.

    Parameters
    ----------
    place : str
        The rung whose graph makes the new rows.
    twins : mapping of (str, Candidate) to Candidate
        By a rung and a candidate of its blend, what is fitted for it here. The control of every
        blend is fitted on the rung *nothing*, whose graph it trusts.
    seed : int
        The seed of new rows and of the learner: the same for all jobs of a fold.
    train, held_out : arrays of int
        The rows.
    """

    place: str
    twins: Mapping[tuple[str, Candidate], Candidate] = field(repr=False)
    seed: int = 0
    train: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    held_out: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """What is fitted."""
        return tuple(dict.fromkeys(self.twins.values()))

    @property
    def uses_model(self) -> bool:
        """Whether the model of its graph is made, as it is where no candidate is named."""
        return all(each.uses_model for each in self.candidates)

    @property
    def rungs(self) -> tuple[str, ...]:
        """The rungs whose blends ask for it."""
        return tuple(dict.fromkeys(rung for rung, _ in self.twins))


def jobs_of(ladder: Ladder, wanted: Iterable[tuple[str, Candidate]]) -> list[Job]:
    """Return what is to be fitted for the blends of some rungs; the longest first.

    What two blends have in common is fitted once. What needs no model is a job of its own.
    """
    twins: dict[tuple[str, bool], dict[tuple[str, Candidate], Candidate]] = {}
    for rung, candidate in wanted:
        place, twin = _place_of(ladder, rung, candidate)
        twins.setdefault((place, twin.uses_model), {})[rung, candidate] = twin
    jobs = [Job(place, each) for (place, _), each in twins.items()]
    return sorted(jobs, key=lambda job: -len(job.candidates))


def _place_of(ladder: Ladder, rung: str, candidate: Candidate) -> tuple[str, Candidate]:
    """Return where a candidate of a rung's blend is fitted, and as what."""
    if candidate.trusts_graph:
        return ladder.places[rung], candidate
    if candidate.uses_model:
        return ladder.places[NOTHING], candidate.trusting()
    # It learns from rows alone; but the graph of the rung fills their holes.
    return (ladder.places[rung] if ladder.fills_holes else GRAPH), candidate


def cross_fit(
    rule: Any,
    fitter: CandidateFitter,
    ladder: Ladder,
    rungs: Sequence[str],
    groups: Any,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> dict[str, CrossFit]:
    """Let every candidate of the blends of some rungs predict the rows that it did not see.

    Folds and what is fitted within them are shared out over jobs. All graphs have the same seed
    within a fold, so that one that claims nothing gains nothing.
    """
    held = hold_out_labelled(
        fitter.task,
        ladder.on(GRAPH),
        groups,
        rng,
        cv=rule.cv,
        n_splits=rule.n_splits,
        n_repeats=rule.n_repeats,
    )
    seeded = [[(*fold, new_seed(rng)) for fold in repeat] for repeat in held.repeats]
    if rule.cv is None:
        # After all seeds are drawn: the members that are fitted in the end do not depend on it.
        seeded = [enough_folds(repeat, rule.held_out_rows) for repeat in seeded]
    places = list(dict.fromkeys(ladder.places[rung] for rung in rungs))
    wanted = [(place, each) for place in places for each in fitter.candidates]
    jobs = jobs_of(ladder, wanted)
    asked = [
        [replace(job, train=train, held_out=held_out, seed=seed) for job in jobs]
        for repeat in seeded
        for train, held_out, seed in repeat
    ]
    flat = [job for fold in asked for job in fold]
    results = iter(Parallel(n_jobs=n_jobs)(delayed(fitter.judge)(ladder, job) for job in flat))
    folds = [[(job, next(results)) for job in fold] for fold in asked]
    gathered = {place: _gather(fitter, ladder, place, held.weights, folds) for place in places}
    return {rung: gathered[ladder.places[rung]] for rung in rungs}


def _gather(
    fitter: CandidateFitter,
    ladder: Ladder,
    rung: str,
    row_weights: FloatArray,
    folds: Sequence[Sequence[tuple[Job, Judged]]],
) -> CrossFit:
    """Average what a rung's blend has to weigh over the repeats of each row."""
    observed = ladder.on(rung)
    number = {each: position for position, each in enumerate(fitter.candidates)}
    classes = fitter.task.classes
    shape = (observed.n_rows, len(number)) + (() if classes is None else (len(classes),))
    total, times = np.zeros(shape), np.zeros((observed.n_rows, len(number)))
    losses = np.zeros_like(times)
    moments = np.zeros((2, observed.n_rows))
    for fold in folds:
        job = fold[0][0]
        predictions = {
            candidate: predicted
            for _, (by_candidate, _) in fold
            for (asking, candidate), predicted in by_candidate.items()
            if asking == rung
        }
        rows = observed.select(job.train)
        _, target = observed.select(job.held_out).features_and_target()
        for candidate, predicted in fitter.bounded(predictions, rows).items():
            total[job.held_out, number[candidate]] += predicted
            times[job.held_out, number[candidate]] += 1.0
            losses[job.held_out, number[candidate]] += fitter.task.losses_of(predicted, target)
        for job, (_, expected) in fold:
            if expected is not None and job.place == rung:
                moments[:, job.held_out] += expected
    # Rows without a label are never held out, nor are copies of those that are.
    is_judged = (times > 0.0).all(axis=1)
    _, target = observed.select(np.flatnonzero(is_judged)).features_and_target()
    times = times[is_judged]
    mean = total[is_judged] / times.reshape(*times.shape, *(1,) * (total.ndim - 2))
    moments = moments[:, is_judged] / times[:, 0]
    return CrossFit(
        fitter.candidates,
        mean,
        target,
        row_weights[is_judged],
        fitter.task,
        moments if classes is None and fitter.averages else None,
        losses[is_judged] / times,
    )


@dataclass(frozen=True, eq=False)
class FittedCandidates:
    """What has weight on some rungs, fitted to all rows, and what it was chosen by.

    Parameters
    ----------
    rows : NewRows
        The new rows of the graph itself.
    models : mapping of str to GraphModel
        The model of each place.
    members : mapping of (str, Candidate) to estimator
        The fitted members, by the place of their rung.
    judged : mapping of str to CrossFit
        What was predicted for held-out rows, by place.
    weights : mapping of str to array
        The weights of the candidates, by place.
    fitter : CandidateFitter
        What fitted them.
    ladder : Ladder
        The rows, with the graph of each rung.
    """

    rows: NewRows
    models: Mapping[str, GraphModel]
    members: Mapping[tuple[str, Candidate], Any]
    judged: Mapping[str, CrossFit]
    weights: Mapping[str, FloatArray]
    fitter: CandidateFitter
    ladder: Ladder

    def filler(self, rung: str = GRAPH) -> Filler | None:
        """Return what completes rows that are asked; None if the learner takes holes."""
        observed = self.ladder.on(GRAPH)
        model = self.models[self.ladder.places[rung]]
        return None if observed.keep_holes else Filler.of(observed, model)

    def predictor(self, rung: str) -> Any:
        """Return what predicts on a rung: one member, or the weighted mean of several."""
        place, filler = self.ladder.places[rung], self.filler(rung)
        if not self.fitter.averages:
            return filled(self.one(place), self.fitter.task, filler)
        pairs = zip(self.weights[place], self.fitter.candidates, strict=True)
        chosen = [(float(weight), each) for weight, each in pairs if weight > 0.0]
        return WeightedMembers(
            tuple((weight, self.members[place, each]) for weight, each in chosen),
            self.fitter.task,
            None if filler is None else filler.ask,
            tuple(each.is_bounded for _, each in chosen),
            self.members.get((place, PLAIN)),
            self.fitter.reach(self.ladder.on(GRAPH)),
        )

    def one(self, place: str) -> Any:
        """Return the one member of a rung that has weight."""
        return self.members[place, self.fitter.candidates[int(self.weights[place].argmax())]]

    def parts(self) -> dict[str, Any]:
        """Return what a comparison judges side by side, of candidates on all rungs."""
        return {
            PLAIN.name: filled(self.members[GRAPH, PLAIN], self.fitter.task, self.filler()),
            ModelAlone(True).name: self.rows.model_alone(),
            **{rung: self.predictor(rung) for rung in RUNGS},
        }


def fit_candidates(
    rule: Any,
    fitter: CandidateFitter,
    ladder: Ladder,
    rungs: Sequence[str],
    groups: Any,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> FittedCandidates:
    """Weigh the candidates of each rung on held-out rows, and fit to all rows what has weight.

    With more rungs than one the plain learner is fitted as well, whatever its weight.
    """
    # A gate draws its folds from the seed of the last fit: so they are the same on every rung.
    seed = None if rule.averages else new_seed(rng)
    folds = rng if seed is None else np.random.default_rng(seed)
    if len(fitter.candidates) > 1 and ladder.on(GRAPH).n_labels >= FEWEST_ROWS:
        by_rung = cross_fit(rule, fitter, ladder, rungs, groups, folds, n_jobs)
    else:
        by_rung = dict.fromkeys(rungs, CrossFit.of_nothing(fitter))
    judged = {ladder.places[rung]: by_rung[rung] for rung in rungs}
    weights = {place: rule.weigh(each) for place, each in judged.items()}
    seed = new_seed(rng) if seed is None else seed
    jobs = _last_jobs(fitter, ladder, weights, seed, plain=len(rungs) > 1)
    results = Parallel(n_jobs=n_jobs)(
        delayed(fitter.fit)(ladder.on(job.place), job) for job in jobs
    )
    pairs = list(zip(jobs, results, strict=True))
    made = {job.place: rows for job, (rows, _) in pairs if rows is not None}
    members = {key: fitted[twin] for job, (_, fitted) in pairs for key, twin in job.twins.items()}
    models = {
        place: made[place].model
        if place in made
        else ladder.on(place).fit(fitter.conditional, seed)
        for place in weights
    }
    return FittedCandidates(made[GRAPH], models, members, judged, weights, fitter, ladder)


def _last_jobs(
    fitter: CandidateFitter,
    ladder: Ladder,
    weights: Mapping[str, FloatArray],
    seed: int,
    *,
    plain: bool,
) -> list[Job]:
    """Return what is fitted to all rows; the graph's new rows are made in any case.

    So is the plain learner of numbers, which decides alone beyond the rows.
    """
    wanted = []
    for place, own in weights.items():
        chosen = [each for each, w in zip(fitter.candidates, own, strict=True) if w > 0.0]
        has_reach = fitter.averages and fitter.task.classes is None
        if (plain and place == GRAPH) or has_reach:
            chosen = list(dict.fromkeys([PLAIN, *chosen]))
        wanted += [(place, each) for each in chosen]
    jobs = jobs_of(ladder, wanted)
    if not any(job.place == GRAPH and job.uses_model for job in jobs):
        jobs.append(Job(GRAPH, {}))
    return [replace(job, seed=seed) for job in jobs]
