"""Baseline, augmented, and control, on the same held-out rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier

from causalaug._random import RandomState, as_generator, new_seed
from causalaug._validation import check_choice, check_integer
from causalaug.estimators import (
    AugmentedClassifier,
    AugmentedRegressor,
    Classification,
    Regression,
    seeded,
)
from causalaug.evaluation._comparison import AUGMENTED, BASELINE, CONTROL, Comparison
from causalaug.evaluation._plain import default_learner, plain_learners
from causalaug.exceptions import CausalAugWarning, ParameterError, TableError
from causalaug.graphs import as_graph, complete_graph
from causalaug.table import Table, extra_columns, warn_of_extra

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
    random_state: RandomState = None,
    callback: Callable[[int, int], None] | None = None,
    map_: Callable[..., Any] = map,
) -> Comparison:
    """Say how much augmentation brings, and how much of that is the graph.

    All methods are trained on the same rows and judged on the same held-out rows: the
    learner alone (the baseline), the learner with new rows of the graph (augmented), and
    with new rows of the complete graph, which assumes no independence (the control). What
    the control gains is smoothing; what the graph gains beyond it is the graph's own. A few
    plain learners run along: a gain over a weak baseline is none.

    Parameters
    ----------
    frame : pandas or polars DataFrame
        The observed rows, features and target.
    graph : ADMG or anything that `read_graph` reads
        The causal graph; its nodes are the columns.
    target : str
        The column to predict.
    estimator : estimator, optional
        The learner; by default scikit-learn's histogram gradient boosting.
    conditional, expansion, augmented_share, kinds, limits
        As in `AugmentedRegressor`; by default the gate chooses the share within each
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
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        One seed gives one result.
    callback : callable, optional
        Called after each fit with the number of fits done and their total.
    map_ : callable, default=map
        Maps the fits; that of a pool of processes runs them side by side.

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
    >>> print(result.total, "in total;", result.graph, "the graph")
    -13.6% ± 7.5 in total; -8.1% ± 6.2 the graph

    A gain over a weak baseline is none, and the verdict says so:

    >>> result.best_plain, result.against_best_plain.change > 0.0
    ('forest', True)
    """
    graph = as_graph(graph)
    for name, number, least in (("n_splits", n_splits, 2), ("repeats", repeats, 1)):
        check_integer(name, number, at_least=least)
    opened, outside, decided = _open_frame(frame, graph, target, extra, kinds, limits)
    warn_of_extra(outside)
    features, labels = opened.drop(target).to_native(), opened[target].to_numpy()
    if len(labels) < 2 * n_splits:
        raise TableError(
            f"There must be at least two rows for each of the {n_splits} folds. "
            f"Found {len(labels)} rows. Use fewer folds, or more rows."
        )
    is_classification = _is_classification(task, estimator, opened[target])
    learner = default_learner(features, classification=is_classification)
    learner = learner if estimator is None else estimator
    kind = AugmentedClassifier if is_classification else AugmentedRegressor
    options = {
        "target": target,
        "conditional": conditional,
        "expansion": expansion,
        "augmented_share": augmented_share,
        **decided,
    }
    control = complete_graph(graph.topological_order())
    methods = {
        BASELINE: learner,
        AUGMENTED: kind(learner, graph=graph, **options),
        CONTROL: kind(learner, graph=control, **options),
        **plain_learners(features, classification=is_classification),
    }
    judge = _judge(learner, labels, is_classification=is_classification)
    trials = list(_trials(methods, judge, labels, n_splits, repeats, random_state))
    fit = _Fitter(features, labels, judge)
    results = []
    for done, result in enumerate(map_(fit, trials), start=1):
        results.append(result)
        if callback is not None:
            callback(done, len(trials))
    table = pd.concat(results, ignore_index=True)
    return Comparison(table, target, judge.loss_name, _name_of(learner))


@dataclass(frozen=True, eq=False)
class _Trial:
    """One method to be trained on some rows and judged on others."""

    method: str
    learner: Any
    repeat: int
    fold: int
    train: IntArray
    held_out: IntArray
    seed: int


@dataclass(frozen=True, eq=False)
class _Fitter:
    """Fits and judges one method; a value, so that other processes can have it."""

    features: Any
    labels: Any
    judge: Task

    def __call__(self, trial: _Trial) -> pd.DataFrame:
        opened = nw.from_native(self.features, eager_only=True)
        learner = seeded(trial.learner, np.random.default_rng(trial.seed))
        rows = opened[trial.train].to_native()
        with warnings.catch_warnings():
            # What a fold would say was said of the whole table, once.
            warnings.simplefilter("ignore", CausalAugWarning)
            fitted = learner.fit(rows, self.labels[trial.train])
        asked = opened[trial.held_out].to_native()
        return pd.DataFrame(
            {
                "method": trial.method,
                "repeat": trial.repeat,
                "fold": trial.fold,
                "row": trial.held_out,
                "loss": self.judge.losses(fitted, asked, self.labels[trial.held_out]),
                "share": getattr(fitted, "augmented_share_", 0.0),
            }
        )


def _trials(
    methods: Mapping[str, Any],
    judge: Task,
    labels: Any,
    n_splits: int,
    repeats: int,
    random_state: RandomState,
) -> Iterator[_Trial]:
    """Yield all trials; those on the same rows share their seed."""
    rng = as_generator(random_state)
    for repeat in range(repeats):
        folds = judge.folds(labels, n_splits, new_seed(rng))
        for fold, (train, held_out) in enumerate(folds):
            seed = new_seed(rng)
            for method, learner in methods.items():
                yield _Trial(method, clone(learner), repeat, fold, train, held_out, seed)


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


def _judge(learner: Any, labels: Any, *, is_classification: bool) -> Task:
    if not is_classification:
        if labels.dtype.kind not in "fiub":
            raise ParameterError(
                "To be regressed, the target must be a number. Found cells such as "
                f'{labels[0]!r}. Use task="classification", or a classifier.'
            )
        return Regression()
    return Classification(np.unique(labels), hasattr(learner, "predict_proba"))


def _name_of(learner: Any) -> str:
    steps = getattr(learner, "steps", None)
    return type(steps[-1][1] if steps else learner).__name__
