"""`evaluate`: comparison, check of the graph, and the new rows, in one call."""

from __future__ import annotations

import platform
import warnings
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING, Any

from causalaug._markup import steady_repr
from causalaug._progress import report_step, watched
from causalaug._random import RandomState, as_generator, new_seed
from causalaug._validation import check_bool
from causalaug.diagnostics import check_graph
from causalaug.estimators import Blend, Regression, default_conditional, default_expansion
from causalaug.evaluation import compare
from causalaug.graphs import as_graph
from causalaug.model import describe_loss, fit_model, warn_of_loss
from causalaug.report._evaluation import Evaluation
from causalaug.report._summary import summarize
from causalaug.table import KINDS, without_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from causalaug.conditionals import Belief
    from causalaug.graphs import ADMG
    from causalaug.table import KindName, Limits, Table


def evaluate(
    frame: Any,
    graph: Any,
    target: str,
    *,
    estimator: Any = None,
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
    source: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    verbose: bool = False,
) -> Evaluation:
    """Answer whether a graph helps to predict the target, and gather what the answer rests on.

    This is `compare`, `check_graph`, and one `augment` of the whole table, modelled as the
    learners do it by default, all with one seed.

    Parameters
    ----------
    frame : pandas or polars DataFrame
        The observed rows, features and target.
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph; its nodes are columns.
    target : str
        The column to predict.
    estimator : estimator, optional
        The learner; by default scikit-learn's gradient boosting.
    trust : {"auto", "full"}, float or mapping to float, default="auto"
        How far the graph is believed, factor by factor, as in `fit_model`. The check, and what is
        said of the data's own wishes, do not go by it.
    extra : {"ignore", "error"}, default="ignore"
        What becomes of columns that are no node: one warning names them, learners
        see them, and the graph's model does not; or they are an error.
    kinds : mapping of str to {"continuous", "ordered", "nominal"}, optional
        Kinds of columns that differ from the default.
    limits : mapping of str to (float or None, float or None), optional
        The least and the largest value that a continuous column may hold, as in `augment`.
    task : {"regression", "classification"}, optional
        Whether numbers or classes are predicted; by default as in `compare`.
    n_splits : int, default=5
        The number of folds.
    repeats : int, default=1
        How often the rows are split anew.
    cv, groups, rivals, minutes, seconds, n_jobs
        A splitter, groups that are held out together, whether plain learners run along, how
        long the fits may take, and the number of processes, as in `compare`.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        One integer gives one result, that of `compare` and `check_graph` with the same. Anything
        else gives an integer, which the result names as its `seed`.
    callback : callable, optional
        Called after each step with the number of steps done and their total. The steps are the
        fits of `compare`, the check and the augmentation.
    source : str, optional
        How all this was called, such as a command line; the report shows it under "How to
        reproduce this". By default the call of this function.
    progress : callable, optional
        The former name of `callback`. It will go with version 0.3.
    verbose : bool, default=False
        Whether to show on the standard error stream how far the steps are, and about how long the
        rest will take.

    Returns
    -------
    Evaluation
        The verdict in words, and `to_html`, `to_markdown` and `to_dict`.

    Examples
    --------
    The answer comes first, then what it is made of:

    >>> from sklearn.linear_model import Ridge
    >>> from causalaug import datasets, evaluate
    >>> data = datasets.make_sem(60, "chain", n_variables=5, random_state=0)
    >>> result = evaluate(
    ...     data.frame, data.graph, "Y", estimator=Ridge(), n_splits=2, rivals=False, random_state=0
    ... )
    >>> result.verdict == " ".join(result.findings)
    True
    >>> result.findings[-1]
    "The data contradict none of the graph's 6 independences. That is no proof of the graph."

    ``result.to_html("report.html")`` writes all of it to one file that needs no network.
    """
    check_bool("verbose", verbose)
    options = {
        "estimator": estimator,
        "trust": trust,
        "task": task,
        "n_splits": n_splits,
        "repeats": repeats,
        "rivals": rivals,
        "minutes": minutes,
        "seconds": seconds,
    }
    callback = _renamed(progress, callback)
    with watched("Evaluating the graph", callback, verbose=verbose) as watcher:
        graph, seed, steps = as_graph(graph), _as_seed(random_state), _Steps(watcher)
        comparison = compare(
            frame,
            graph,
            target,
            extra=extra,
            kinds=kinds,
            limits=limits,
            cv=cv,
            groups=groups,
            n_jobs=n_jobs,
            random_state=seed,
            callback=steps,
            **options,
        )
        inside, outside = without_extra(frame, graph.nodes, extra)
        kinds, limits = _within(kinds, graph), _within(limits, graph)
        check = check_graph(inside, graph, kinds=kinds, n_jobs=n_jobs, random_state=seed)
        steps.end(left=1)
        # As the learners take the target: numbers are regressed.
        is_number = comparison.loss_name == Regression.loss_name
        model = fit_model(
            inside,
            graph,
            default_conditional(),
            kinds={target: "continuous" if is_number else "nominal", **kinds},
            limits=limits,
            trust="full" if trust == "auto" else trust,
        )
        expansion = default_expansion(len(comparison.losses))
        augmented = model.make_rows(expansion, seed)
        warn_of_loss(model, augmented)
        steps.end(left=0)
    settings = {
        "learner": comparison.learner if estimator is None else steady_repr(estimator),
        "folds": str(n_splits) if cv is None else steady_repr(cv),
        "repeats": str(repeats),
        "trust": None if trust == "auto" else str(trust),
        "plain learners": None if rivals else "not tried",
        "limit of time": _limit(minutes, seconds),
        "weights of the candidates": f"by {steady_repr(Blend())}",
        "conditional": steady_repr(model.conditional),
        "expansion": steady_repr(expansion),
        "kinds of columns": _kinds_in_words(model.table),
        "limits of columns": str(limits) if limits else None,
        "columns outside the graph": ", ".join(outside) or None,
    }
    return Evaluation(
        comparison=comparison,
        check=check,
        augmentation=summarize(augmented, target, seed, describe_loss(model, augmented)),
        graph=graph,
        settings={name: words for name, words in settings.items() if words is not None},
        seed=seed,
        versions=_versions(estimator),
        source=source or _call(target, options, kinds, limits, seed),
    )


def _call(
    target: str,
    options: Mapping[str, Any],
    kinds: Mapping[str, Any],
    limits: Mapping[str, Any],
    seed: int,
) -> str:
    """Return the Python that gives the same result; what is as by default is left out."""
    defaults = {"trust": "auto", "rivals": True, "kinds": {}, "limits": {}}
    estimator, trust, *others = options.items()
    named = [estimator, trust, ("kinds", kinds), ("limits", limits), *others]
    given = ", ".join(
        f"{name}={steady_repr(value) if name == 'estimator' else repr(value)}"
        for name, value in [*named, ("random_state", seed)]
        if value is not None and not (name in defaults and value == defaults[name])
    )
    return (
        "import causalaug as ca\n\n"
        'graph = ca.read_graph("graph.txt")\n'
        f"result = ca.evaluate(frame, graph, {target!r}, {given})\n"
        'result.to_html("report.html")'
    )


def _limit(minutes: float | None, seconds: float | None) -> str | None:
    if minutes is not None:
        return f"{minutes:g} minutes"
    return None if seconds is None else f"{seconds:g} seconds"


class _Steps:
    """Counts the steps of an evaluation for whoever watches: the fits of `compare`, and two more.

    The fits take nearly all the time. Those that a limit of time left out count as done.
    """

    def __init__(self, callback: Callable[[int, int], None] | None) -> None:
        self.callback, self.total = callback, 2

    def __call__(self, done: int, total: int) -> None:
        """Report a fit."""
        self.at(done, total, done / total)

    def at(self, done: int, total: int, share: float) -> None:
        """Report a fit, and which share of all fits is done."""
        self.total = total + 2
        report_step(self.callback, done, self.total, share)

    def end(self, *, left: int) -> None:
        """Report that the comparison is done, and all but so many steps after it."""
        report_step(self.callback, self.total - left, self.total, 1.0)


def _renamed(
    progress: Callable[[int, int], None] | None, callback: Callable[[int, int], None] | None
) -> Callable[[int, int], None] | None:
    """Return what to call after each step, by its new or its former name."""
    if progress is None:
        return callback
    warnings.warn(
        "`progress` is now called `callback`, as in `compare`; the former name will go with "
        "version 0.3. Write callback=...",
        FutureWarning,
        stacklevel=3,
    )
    return progress if callback is None else callback


def _as_seed(random_state: RandomState) -> int:
    """Return the integer that stands for a random state: itself, or one drawn from it."""
    rng = as_generator(random_state)
    return int(random_state) if isinstance(random_state, Integral) else new_seed(rng)


def _kinds_in_words(table: Table) -> str:
    """Return which columns are of which kind."""
    by_kind = {
        kind: [name for name, own in zip(table.columns, table.kinds, strict=True) if own == kind]
        for kind in KINDS
    }
    return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in by_kind.items() if names)


def _within(options: Mapping[str, Any] | None, graph: ADMG) -> dict[str, Any]:
    """Return what was said of columns that are nodes."""
    return {name: option for name, option in (options or {}).items() if name in graph.nodes}


def _versions(estimator: Any) -> dict[str, str]:
    """Return the versions of Python and of the packages that the result may depend on."""
    own = type(estimator).__module__.partition(".")[0]
    packages = ("causalaug", "numpy", "scipy", "pandas", "narwhals", "sklearn", own)
    found = {name: getattr(import_module(name), "__version__", None) for name in packages}
    known = {name: str(version) for name, version in found.items() if version is not None}
    return {"python": platform.python_version(), **known}
