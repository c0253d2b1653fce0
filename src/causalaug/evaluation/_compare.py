"""The learner alone and on each rung of the ladder of knowledge, on the same held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd

from causalaug._magnitudes import LARGEST_FOR_LEARNERS, check_regressed
from causalaug._progress import Budget, watched
from causalaug._random import RandomState, as_generator
from causalaug._validation import (
    brief,
    check_bool,
    check_choice,
    check_integer,
    check_jobs,
    no_node,
)
from causalaug.conditionals import check_belief
from causalaug.diagnostics import Trust
from causalaug.estimators import (
    TIMES,
    AugmentedClassifier,
    AugmentedRegressor,
    Classification,
    GraphClassifier,
    GraphRegressor,
    Regression,
    check_groups,
    check_learner,
    check_splitter,
    classes_of,
    hold_out,
    is_filled_in,
    numbers_of_copies,
    sorts_of,
    warn_of_copies,
    warn_of_no_labels,
    warn_of_number_texts,
    with_holes,
)
from causalaug.evaluation._comparison import BASELINE, Comparison
from causalaug.evaluation._rivals import MOST_ROWS, default_learner, renamed, tuned_learners
from causalaug.evaluation._task import CLASSIFICATION, note_on_task, task_of
from causalaug.evaluation._trials import Fitter, Schedule, trials_of
from causalaug.exceptions import ParameterError, TableError
from causalaug.graphs import as_graph, select_markov_blanket
from causalaug.table import Table, extra_columns, warn_of_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from causalaug.conditionals import Belief, Conditional
    from causalaug.estimators import Task
    from causalaug.expansion import Expansion
    from causalaug.graphs import ADMG
    from causalaug.table import EqualRows, KindName, Limits
    from causalaug.typing import IntArray


def compare(
    frame: Any,
    graph: Any,
    target: str,
    estimator: Any = None,
    *,
    conditional: Conditional | str | None = None,
    expansion: Expansion | None = None,
    augmented_share: Any = "auto",
    trust: Belief = "auto",
    extra: str = "ignore",
    kinds: Mapping[str, KindName] | None = None,
    limits: Mapping[str, Limits] | None = None,
    task: str | None = None,
    n_splits: int = 5,
    repeats: int = 1,
    cv: Any = None,
    groups: Any = None,
    rivals: bool = True,
    minutes: float | None = None,
    seconds: float | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    callback: Callable[[int, int], None] | None = None,
    map_: Callable[..., Any] | None = None,
    verbose: bool = False,
) -> Comparison:
    """Say how much a graph brings, and which of its knowledge does.

    All methods are trained on the same rows and judged on the same held-out rows: the learner
    alone (the baseline), and its blend on each rung of a ladder of knowledge. *Without knowledge*
    it gets the complete graph with the target last: a model of the target given all else, and
    smoothing rows. With *the order* it gets the complete graph along the order of the given one,
    which claims no independence. *Augmented* is the blend with the graph itself. The parts of the
    gain are the steps; a graph that claims nothing brings exactly nothing by its independences.
    The graph's model without the learner is judged as well. Plain learners run along, lightly
    tuned, a Gaussian process that sees only the target's Markov blanket among them: a gain over a
    weak baseline is none.

    Parameters
    ----------
    frame : pandas or polars DataFrame
        The observed rows, features and target. Cells may be missing. Rows without a target help
        to fit the graph's model, and are held out never. Plain learners take missing features as
        they are, if they can, or else get them from an `IterativeImputer`; `notes` says which.
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph; its nodes are the columns.
    target : str
        The column to predict.
    estimator : estimator, optional
        The learner; by default scikit-learn's gradient boosting.
    conditional, expansion, augmented_share, trust, kinds, limits
        As in `AugmentedRegressor`; by default a `Blend` weighs the candidates within each
        training fold. What is not said of kinds and limits is decided once, on all rows.
    extra : {"ignore", "error"}, default="ignore"
        What becomes of columns that are no node: one warning names them, learners
        see them, and the graph's model does not; or they are an error.
    task : {"regression", "classification"}, optional
        By default what the estimator is. Without one, text, booleans and categories are classes,
        and so are whole numbers of which exactly two differ, such as 0 and 1; all other numbers
        are numbers.
    n_splits : int, default=5
        The number of folds.
    repeats : int, default=1
        How often the rows are split anew. Losses of one row are averaged, so that standard
        errors do not shrink with repeats alone.
    cv : splitter, optional
        Any splitter of scikit-learn, such as ``GroupKFold(5)``, instead of the two numbers.
    groups : array of shape (n,), optional
        Rows of one group are held out together, here and within every fit.
    rivals : bool, default=True
        Whether the plain learners run along. Without them it is not known whether another
        learner would have done as well, and the verdict says so.
    minutes : float, optional
        About how long the fits may take. The learner with and without the graph is always
        judged once on every row; then come the plain learners one by one, then the repeats.
        What is not begun in time is left out as a whole, and listed; what is computed is as
        without this limit.
    seconds : float, optional
        The same limit in seconds, as `check_graph` has it.
    n_jobs : int, optional
        How many processes share the fits, -1 for all cores. The result is the same.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        One seed gives one result.
    callback : callable, optional
        Called after each fit with the number of fits done and their total.
    map_ : callable, optional
        Maps the fits instead of `n_jobs`, as that of a pool of processes does.
    verbose : bool, default=False
        Whether to show on the standard error stream how far the fits are, and about how long the
        rest will take.

    Returns
    -------
    Comparison
        The losses as a tidy frame, the gains with standard errors, the verdict in words,
        and `to_markdown`.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from causalaug import compare, datasets
    >>> data = datasets.make_sem(60, "chain", mechanism="nonlinear", random_state=0)
    >>> options = {"augmented_share": 0.5, "n_splits": 3, "random_state": 0}
    >>> result = compare(data.frame, data.graph, "Y", Ridge(), **options)
    >>> result.total.change < 0.0, result.independences.change < 0.0
    (True, True)

    A gain over a weak baseline is none, and the verdict says so:

    >>> result.best_plain != "baseline"
    True
    """
    budget = Budget.of(minutes=minutes, seconds=seconds)
    check_bool("rivals", rivals)
    check_bool("verbose", verbose)
    check_jobs(n_jobs)
    check_belief(trust)
    graph = as_graph(graph)
    check_integer("n_splits", n_splits, at_least=2)
    check_integer("repeats", repeats, at_least=1)
    check_splitter(cv)
    rows = _ObservedRows.of(frame, graph, target, extra, kinds, limits)
    warn_of_extra(rows.outside)
    warn_of_number_texts(rows.opened.drop(target), kinds or {})
    warn_of_no_labels(np.isin(np.arange(rows.n_rows), rows.unlabelled))
    rows.check_features()
    groups = check_groups(groups, rows.n_rows)
    if cv is None:
        rows.check_enough(n_splits)
        if groups is None:
            warn_of_copies(rows.equal_rows)
    if estimator is not None:
        check_learner(estimator)
    task_is_said = task is not None or estimator is not None
    task = task_of(rows.opened[target], task, estimator)
    is_classification = task == CLASSIFICATION
    if not (is_classification and task_is_said):
        rows.check_no_times()
    learner = estimator
    if learner is None:
        learner = default_learner(rows.features, classification=is_classification)
    judge = _judge(learner, rows.known_labels, target, is_classification=is_classification)
    known: dict[str, Any] = {
        "graph": graph,
        "target": target,
        "conditional": conditional,
        "trust": trust,
        "kinds": rows.decided_kinds(graph, kinds),
        "limits": rows.decided_limits(graph, limits),
    }
    augmented = (AugmentedClassifier if is_classification else AugmentedRegressor)(
        # The graph's model completes its own columns only; the plain learner sees others as well.
        with_holes(learner) if rows.have_holes(rows.outside) else learner,
        expansion=expansion,
        augmented_share=augmented_share,
        **known,
    )
    model = (GraphClassifier if is_classification else GraphRegressor)(**known)
    others: dict[str, Any] = {}
    if rivals:
        blanket = select_markov_blanket(graph, target)
        others = tuned_learners(rows.features, classification=is_classification, blanket=blanket)
        others = renamed(learner, others)
    if rows.features_have_holes:
        # The learner alone must not be given cells that the graph's model filled in either.
        others = {name: with_holes(each) for name, each in {BASELINE: learner, **others}.items()}
    rng = as_generator(random_state)
    folds = _folds(judge, rows, groups, rng, cv=cv, n_splits=n_splits, n_repeats=repeats)
    schedule = Schedule(trials_of(augmented, model, others, folds, rng), budget)
    labels = rows.all_labels(None if is_classification else np.nan)
    fit = Fitter(rows.features, labels, groups, judge, rows.unlabelled)
    with watched("Fitting learners", callback, verbose=verbose) as told:
        losses = schedule.run(fit, n_jobs=n_jobs, map_=map_, callback=told)
    notes = [] if task_is_said else rows.notes_on_task(task)
    n_train = max(len(train) for repeat in folds for train, _ in repeat)
    if n_train > MOST_ROWS and rivals:
        notes.append(
            f"Gaussian processes were fitted to {MOST_ROWS:,} of {n_train:,} training rows."
        )
    notes += rows.notes_on_holes(others)
    failures = schedule.failures.items()
    notes += [f"Left out, since it failed: {name} ({why})." for name, why in failures]
    left_out = tuple(schedule.left_out)
    copies = rows.copies(groups)
    doubts = Trust(rows.table, graph)
    return Comparison(
        losses, target, judge.loss_name, _name_of(learner), tuple(notes), left_out, copies, doubts
    )


@dataclass(frozen=True, eq=False)
class _ObservedRows:
    """The rows of a comparison, checked: features, the target, and which rows have one."""

    opened: nw.DataFrame[Any]
    table: Table
    target: str
    outside: tuple[str, ...]
    """Columns that are no node of the graph."""

    @classmethod
    def of(
        cls,
        frame: Any,
        graph: ADMG,
        target: str,
        extra: str,
        kinds: Mapping[str, KindName] | None,
        limits: Mapping[str, Limits] | None,
    ) -> _ObservedRows:
        """Return the rows of a frame, checked as `augment` would, before any work."""
        table = Table.from_frame(frame, names=graph.nodes, kinds=kinds, limits=limits, holes=True)
        # Some of the plain learners hold features in single precision.
        table.check_magnitudes(LARGEST_FOR_LEARNERS)
        outside = extra_columns(table.columns, graph.nodes, extra)
        if target in outside:
            raise ParameterError(no_node(target, graph.nodes))
        check_choice("target", target, graph.nodes)
        if isinstance(frame, np.ndarray):
            frame = pd.DataFrame(frame, columns=list(graph.nodes))
        return cls(nw.from_native(frame, eager_only=True), table, target, outside)

    @property
    def n_rows(self) -> int:
        """The number of rows, with a target or without."""
        return self.table.n_rows

    @property
    def feature_names(self) -> list[str]:
        """All columns but the target."""
        return [name for name in self.table.columns if name != self.target]

    @property
    def features(self) -> Any:
        """All columns but the target, as a frame like the one that was given."""
        return self.opened.drop(self.target).to_native()

    @cached_property
    def labelled(self) -> IntArray:
        """The rows that have a target."""
        return np.flatnonzero(~np.isnan(self.table.values[:, self.table.index(self.target)]))

    @cached_property
    def equal_rows(self) -> EqualRows:
        """The rows that have a target, by their contents."""
        return self.table.with_values_of(self.labelled).equal_rows()

    def copies(self, groups: Any) -> IntArray | None:
        """Return a number for each row, the same for copies in one group; None: no copies."""
        if not self.equal_rows.are_copies:
            return None
        own = None if groups is None else groups[self.labelled]
        numbers = np.zeros(self.n_rows, dtype=np.int64)
        numbers[self.labelled] = numbers_of_copies(self.equal_rows, own)
        return numbers

    @property
    def unlabelled(self) -> IntArray:
        """The rows that have none."""
        return np.setdiff1d(np.arange(self.n_rows), self.labelled)

    @property
    def known_labels(self) -> Any:
        """The targets that are there."""
        return self.opened[self.labelled][self.target].to_numpy()

    def all_labels(self, missing: float | None) -> Any:
        """Return the targets of all rows: as they were, or with `missing` where there is none."""
        if len(self.labelled) == self.n_rows:
            return self.known_labels
        labels = np.full(self.n_rows, missing)
        labels[self.labelled] = self.known_labels
        return labels

    @property
    def features_have_holes(self) -> bool:
        """Whether a cell of the features is missing."""
        return self.have_holes(self.feature_names)

    def have_holes(self, columns: Sequence[str]) -> bool:
        """Say whether a cell of some columns is missing."""
        places = [self.table.index(name) for name in columns]
        return bool(np.isnan(self.table.values[:, places]).any())

    def decided_kinds(
        self, graph: ADMG, kinds: Mapping[str, KindName] | None
    ) -> dict[str, KindName]:
        """Return the kinds of the features in the graph, decided once, and what was said of nodes.

        A fold has fewer values than the table: left to itself, it might take a quantity for ranks.
        The kind of the target follows from the task.
        """
        decided = {name: self.table.kinds[self.table.index(name)] for name in self._features_inside}
        return decided | _within(kinds, graph)

    def decided_limits(self, graph: ADMG, limits: Mapping[str, Limits] | None) -> dict[str, Limits]:
        """Return the limits of the features that can move, decided once like their kinds."""
        places = {name: self.table.index(name) for name in self._features_inside}
        return {
            name: self.table.limits_of_numbers(place)
            for name, place in places.items()
            if self.table.resolution[place] is not None
        } | _within(limits, graph)

    @property
    def _features_inside(self) -> list[str]:
        return [name for name in self.feature_names if name not in self.outside]

    def notes_on_task(self, task: str) -> list[str]:
        """Say how the target was taken, if it might be either."""
        note = note_on_task(self.target, self.opened[self.target], task)
        return [] if note is None else [note]

    def notes_on_holes(self, others: Mapping[str, Any]) -> list[str]:
        """Say how the plain learners came by missing cells, and what unlabelled rows did."""
        rivals = others if self.features_have_holes else {}
        filled = [name for name, each in rivals.items() if is_filled_in(each)]
        taken = [name for name in rivals if name not in filled]
        notes = {
            "Cells are missing; for these learners an IterativeImputer filled them in (labels: by "
            f"the most common): {', '.join(filled)}.": filled,
            "On each rung of the ladder its own graph filled them in.": rivals,
            f"These took missing cells as they are: {', '.join(taken)}.": taken,
            f"Rows without a target: {len(self.unlabelled)}. They help to fit the graph's model; "
            "plain learners did not see them, and nobody is judged on them.": list(self.unlabelled),
        }
        return [note for note, reasons in notes.items() if reasons]

    def check_features(self) -> None:
        """Raise unless there is something to predict from."""
        if not self.feature_names:
            raise TableError(
                "There must be a column to predict from. Found the target alone: "
                f"{self.target!r}. Add features to the data and to the graph."
            )

    def check_no_times(self) -> None:
        """Raise if the target holds times: nobody squares them, and few are equal."""
        if sorts_of(self.opened.select(self.target).to_native()).get(self.target) in TIMES:
            example = self.opened[self.labelled][self.target].to_list()[0]
            raise ParameterError(
                f"The target must hold numbers or classes. Found times in {self.target!r}, such as "
                f"{brief(str(example))}. Make numbers of them, such as days since the first: "
                "`(y - y.min()) / pandas.Timedelta(days=1)`; or, if they are classes, pass a "
                "classifier as the estimator."
            )

    def check_enough(self, n_splits: int) -> None:
        """Raise unless every fold can have two rows with a target."""
        if len(self.labelled) < 2 * n_splits:
            some = f" with a target, of {self.n_rows}" if len(self.unlabelled) else ""
            raise TableError(
                f"There must be at least two rows for each of the {n_splits} folds. Found "
                f"{len(self.labelled)} rows{some}. Use fewer folds, or more rows."
            )


def _within(options: Mapping[str, Any] | None, graph: ADMG) -> dict[str, Any]:
    """Return what was said of columns that are nodes."""
    return {name: option for name, option in (options or {}).items() if name in graph.nodes}


def _folds(
    judge: Task, rows: _ObservedRows, groups: Any, rng: np.random.Generator, **options: Any
) -> list[list[tuple[IntArray, IntArray]]]:
    """Return training and held-out rows, all of them with a target; the rest is held out never."""
    known, labelled = rows.opened[rows.labelled], rows.labelled
    features = known.drop(rows.target).to_native()
    own = None if groups is None else groups[labelled]
    equal = rows.equal_rows
    folds = hold_out(judge, features, rows.known_labels, own, rng, equal=equal, **options)
    return [[(labelled[train], labelled[held]) for train, held in repeat] for repeat in folds]


def _judge(learner: Any, labels: Any, target: str, *, is_classification: bool) -> Task:
    if not is_classification:
        if labels.dtype.kind not in "fiub":
            raise ParameterError(
                "To be regressed, the target must be a number. Found cells such as "
                f'{labels[0]!r}. Use task="classification", or a classifier.'
            )
        check_regressed(target, labels.astype(np.float64))
        return Regression()
    if labels.dtype.kind == "f" and not np.equal(np.mod(labels, 1.0), 0.0).all():
        raise ParameterError(
            "To be classified, the target must have classes. Found numbers such as "
            f"{labels[0]:.4g}. Use a regressor, or cut the target into classes."
        )
    return Classification(classes_of(labels), hasattr(learner, "predict_proba"))


def _name_of(learner: Any) -> str:
    steps = getattr(learner, "steps", None)
    return type(steps[-1][1] if steps else learner).__name__
