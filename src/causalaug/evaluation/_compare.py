"""Baseline, augmented, and control, on the same held-out rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier
from sklearn.utils.parallel import Parallel, delayed

from causalaug._random import RandomState, as_generator, new_seed
from causalaug._threads import one_thread
from causalaug._validation import LARGEST_FOR_LEARNERS, check_choice, check_integer, check_regressed
from causalaug.estimators import (
    AugmentedClassifier,
    AugmentedRegressor,
    Classification,
    Regression,
    check_groups,
    check_splitter,
    classes_of,
    hold_out,
    seeded,
)
from causalaug.evaluation._comparison import AUGMENTED, BASELINE, CONTROL, MODEL, Comparison
from causalaug.evaluation._gaussian_process import MOST_ROWS
from causalaug.evaluation._plain import default_learner, other_than, plain_learners
from causalaug.exceptions import CausalAugWarning, ParameterError, TableError
from causalaug.graphs import as_graph, select_markov_blanket
from causalaug.table import Table, check_magnitudes, extra_columns, warn_of_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from causalaug.conditionals import Conditional
    from causalaug.estimators import Task
    from causalaug.expansion import Expansion
    from causalaug.graphs import ADMG
    from causalaug.table import KindName, Limits
    from causalaug.typing import IntArray

TASKS = ("classification", "regression")


def compare(
    frame: Any,
    graph: Any,
    target: str,
    estimator: Any = None,
    *,
    conditional: Conditional | str | None = None,
    expansion: Expansion | None = None,
    augmented_share: Any = "auto",
    extra: str = "ignore",
    kinds: Mapping[str, KindName] | None = None,
    limits: Mapping[str, Limits] | None = None,
    task: str | None = None,
    n_splits: int = 5,
    repeats: int = 1,
    cv: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    callback: Callable[[int, int], None] | None = None,
    map_: Callable[..., Any] | None = None,
) -> Comparison:
    """Say how much augmentation brings, and how much of that is the graph.

    All methods are trained on the same rows and judged on the same held-out rows: the
    learner alone (the baseline); its blend with new rows that assume no independence (the
    control); its blend with the graph (augmented); and the graph's model without the learner.
    What the control gains is smoothing; what the graph gains beyond it is the graph's own.
    Plain learners run along, a Gaussian process that sees only the target's Markov blanket
    among them: a gain over a weak baseline is none.

    Parameters
    ----------
    frame : pandas or polars DataFrame
        The observed rows, features and target.
    graph : ADMG or anything that `read_graph` reads
        The causal graph; its nodes are the columns.
    target : str
        The column to predict.
    estimator : estimator, optional
        The learner; by default scikit-learn's gradient boosting.
    conditional, expansion, augmented_share, kinds, limits
        As in `AugmentedRegressor`; by default a `Blend` weighs the candidates within each
        training fold. What is not said of kinds and limits is decided once, on all rows.
    extra : {"ignore", "error"}, default="ignore"
        What becomes of columns that are no node: one warning names them, and only learners
        without new rows see them; or they are an error.
    task : {"regression", "classification"}, optional
        By default what the estimator is; without one, numbers are regressed and everything
        else is classified.
    n_splits : int, default=5
        The number of folds.
    repeats : int, default=1
        How often the rows are split anew. Losses of one row are averaged, so that standard
        errors do not shrink with repeats alone.
    cv : splitter, optional
        Any splitter of scikit-learn, such as ``GroupKFold(5)``, instead of the two numbers.
    groups : array of shape (n,), optional
        Rows of one group are held out together, here and within every fit.
    n_jobs : int, optional
        How many processes share the fits. The result is the same.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        One seed gives one result.
    callback : callable, optional
        Called after each fit with the number of fits done and their total.
    map_ : callable, optional
        Maps the fits instead of `n_jobs`, as that of a pool of processes does.

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
    >>> result.total.change < 0.0, result.graph.change < 0.0
    (True, True)

    A gain over a weak baseline is none, and the verdict says so:

    >>> result.best_plain != "baseline"
    True
    """
    graph = as_graph(graph)
    for name, number, least in (("n_splits", n_splits, 2), ("repeats", repeats, 1)):
        check_integer(name, number, at_least=least)
    check_splitter(cv)
    opened, outside, decided = _open_frame(frame, graph, target, extra, kinds, limits)
    warn_of_extra(outside)
    features, labels = opened.drop(target).to_native(), opened[target].to_numpy()
    if not opened.drop(target).columns:
        raise TableError(
            "There must be a column to predict from. Found the target alone: "
            f"{target!r}. Add features to the data and to the graph."
        )
    groups = check_groups(groups, len(labels))
    if cv is None and len(labels) < 2 * n_splits:
        raise TableError(
            f"There must be at least two rows for each of the {n_splits} folds. "
            f"Found {len(labels)} rows. Use fewer folds, or more rows."
        )
    is_classification = _is_classification(task, estimator, opened[target])
    learner = default_learner(features, classification=is_classification)
    learner = learner if estimator is None else estimator
    judge = _judge(learner, labels, target, is_classification=is_classification)
    kind = AugmentedClassifier if is_classification else AugmentedRegressor
    augmented = kind(
        learner,
        graph=graph,
        target=target,
        conditional=conditional,
        expansion=expansion,
        augmented_share=augmented_share,
        **decided,
    )
    blanket = select_markov_blanket(graph, target)
    rivals = plain_learners(features, classification=is_classification, blanket=blanket)
    rng = as_generator(random_state)
    folds = hold_out(
        judge, features, labels, groups, rng, cv=cv, n_splits=n_splits, n_repeats=repeats
    )
    trials = list(_trials(augmented, other_than(learner, rivals), folds, rng))
    fit = _Fitter(features, labels, groups, judge)
    results = []
    mapped = _map_jobs(fit, trials, n_jobs) if map_ is None else map_(fit, trials)
    for done, result in enumerate(mapped, start=1):
        results.append(result)
        if callback is not None:
            callback(done, len(trials))
    table = pd.concat(results, ignore_index=True)
    notes = _notes(max(len(train) for repeat in folds for train, _ in repeat))
    return Comparison(table, target, judge.loss_name, _name_of(learner), notes)


@dataclass(frozen=True, eq=False)
class _Trial:
    """What is trained on some rows and judged on others: the augmented learner, or a rival."""

    method: str
    learner: Any
    repeat: int
    fold: int
    train: IntArray
    held_out: IntArray
    seed: int


@dataclass(frozen=True, eq=False)
class _Fitter:
    """Fits and judges a trial; a value, so that other processes can have it."""

    features: Any
    labels: Any
    groups: Any
    judge: Task

    def __call__(self, trial: _Trial) -> pd.DataFrame:
        opened = nw.from_native(self.features, eager_only=True)
        learner = seeded(trial.learner, np.random.default_rng(trial.seed))
        train, labels = opened[trial.train].to_native(), self.labels[trial.train]
        asked = opened[trial.held_out].to_native()
        with warnings.catch_warnings():
            # What a fold would say was said of the whole table, once.
            warnings.simplefilter("ignore", CausalAugWarning)
            if trial.method != AUGMENTED:
                with one_thread(len(labels)):
                    fitted = {trial.method: learner.fit(train, labels)}
            else:
                groups = None if self.groups is None else self.groups[trial.train]
                parts = learner.fit_parts(train, labels, groups)
                fitted = {_METHODS[name]: parts[name] for name in _METHODS}
        return pd.concat(
            [self._judged(trial, name, each, asked) for name, each in fitted.items()],
            ignore_index=True,
        )

    def _judged(self, trial: _Trial, method: str, fitted: Any, asked: Any) -> pd.DataFrame:
        losses = self.judge.losses(fitted, asked, self.labels[trial.held_out])
        if not np.isfinite(losses).all():
            raise ParameterError(
                f"Every learner must predict finite values. Found others by {method!r} "
                f"({type(fitted).__name__}) in fold {trial.fold}. Leave it out, or look at the "
                "scale of the columns."
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


_METHODS = {"plain": BASELINE, "control": CONTROL, "graph": AUGMENTED, "graph model": MODEL}
"""What a comparison calls the parts of an augmented learner."""


def _trials(
    augmented: Any,
    rivals: Mapping[str, Any],
    folds: list[list[tuple[IntArray, IntArray]]],
    rng: np.random.Generator,
) -> Iterator[_Trial]:
    """Yield all trials; those on the same rows share their seed."""
    methods = {AUGMENTED: augmented, **rivals}
    for repeat, parts in enumerate(folds):
        for fold, (train, held_out) in enumerate(parts):
            seed = new_seed(rng)
            for method, learner in methods.items():
                yield _Trial(method, clone(learner), repeat, fold, train, held_out, seed)


def _map_jobs(fit: _Fitter, trials: list[_Trial], n_jobs: int | None) -> Iterator[pd.DataFrame]:
    """Yield the results in order, as they come."""
    jobs = Parallel(n_jobs=n_jobs, return_as="generator")
    found: Iterator[pd.DataFrame] = jobs(delayed(fit)(trial) for trial in trials)
    return found


def _notes(n_train: int) -> tuple[str, ...]:
    if n_train <= MOST_ROWS:
        return ()
    return (f"Gaussian processes were fitted to {MOST_ROWS:,} of {n_train:,} training rows.",)


def _open_frame(
    frame: Any,
    graph: ADMG,
    target: str,
    extra: str,
    kinds: Mapping[str, KindName] | None,
    limits: Mapping[str, Limits] | None,
) -> tuple[nw.DataFrame[Any], tuple[str, ...], dict[str, Any]]:
    """Return the frame, the columns outside the graph, and kinds and limits of the others.

    The data are checked as `augment` would, before any work. A fold has fewer values than the
    table: left to itself, it might take a quantity for ranks. The target is what the task says.
    """
    table = Table.from_frame(frame, names=graph.nodes, kinds=kinds, limits=limits)
    # Some of the plain learners hold features in single precision.
    check_magnitudes(table, LARGEST_FOR_LEARNERS)
    outside = extra_columns(table.columns, graph.nodes, extra)
    check_choice("target", target, graph.nodes)
    if isinstance(frame, np.ndarray):
        frame = pd.DataFrame(frame, columns=list(graph.nodes))
    known = {name: table.index(name) for name in table.columns if name not in (target, *outside)}
    movable = {name: j for name, j in known.items() if table.resolution[j] is not None}
    decided = {
        "kinds": {name: table.kinds[j] for name, j in known.items()} | _within(kinds, graph),
        "limits": {name: table.limits[j] for name, j in movable.items()} | _within(limits, graph),
    }
    return nw.from_native(frame, eager_only=True), outside, decided


def _within(options: Mapping[str, Any] | None, graph: ADMG) -> dict[str, Any]:
    """Return what was said of columns that are nodes."""
    return {name: option for name, option in (options or {}).items() if name in graph.nodes}


def _is_classification(task: str | None, estimator: Any, target: nw.Series[Any]) -> bool:
    if task is not None:
        check_choice("task", task, TASKS)
        return task == "classification"
    if estimator is not None:
        return bool(is_classifier(estimator))
    return not target.dtype.is_numeric()


def _judge(learner: Any, labels: Any, target: str, *, is_classification: bool) -> Task:
    if not is_classification:
        if labels.dtype.kind not in "fiub":
            raise ParameterError(
                "To be regressed, the target must be a number. Found cells such as "
                f'{labels[0]!r}. Use task="classification", or a classifier.'
            )
        check_regressed(target, labels.astype(np.float64))
        return Regression()
    return Classification(classes_of(labels), hasattr(learner, "predict_proba"))


def _name_of(learner: Any) -> str:
    steps = getattr(learner, "steps", None)
    return type(steps[-1][1] if steps else learner).__name__
