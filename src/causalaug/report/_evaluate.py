"""`evaluate`: comparison, check of the graph, and the new rows, in one call."""

from __future__ import annotations

import platform
import warnings
from dataclasses import dataclass
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING, Any

from causalaug._progress import report_step, watched
from causalaug._random import RandomState, as_generator, new_seed
from causalaug._repr import steady_repr
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
    from collections.abc import Callable, Mapping, Sequence

    from causalaug.conditionals import Belief
    from causalaug.evaluation import Comparison
    from causalaug.expansion import Expansion
    from causalaug.graphs import ADMG
    from causalaug.model import GraphModel
    from causalaug.table import KindName, Limits, Table

PACKAGES = ("causalaug", "numpy", "scipy", "pandas", "narwhals", "sklearn")


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
    ...     data.frame, data.graph, "Y", estimator=Ridge(), n_splits=3, random_state=0
    ... )
    >>> result.verdict == " ".join(result.findings)
    True
    >>> result.findings[-1]
    "The data contradict none of the graph's 6 independences. That is no proof of the graph."

    ``result.to_html("report.html")`` writes all of it to one file that needs no network.
    """
    check_bool("verbose", verbose)
    asked = _Asked(estimator, trust, task, n_splits, repeats, cv, rivals, minutes, seconds)
    callback = _renamed(progress, callback)
    with watched("Evaluating the graph", callback, verbose=verbose) as told:
        return _evaluated(
            asked,
            frame,
            as_graph(graph),
            target,
            extra,
            kinds,
            limits,
            groups,
            n_jobs,
            _as_seed(random_state),
            _Steps(told),
            source,
        )


def _evaluated(
    asked: _Asked,
    frame: Any,
    graph: ADMG,
    target: str,
    extra: str,
    kinds: Mapping[str, KindName] | None,
    limits: Mapping[str, Limits] | None,
    groups: Any,
    n_jobs: int | None,
    seed: int,
    steps: _Steps,
    source: str | None,
) -> Evaluation:
    """Compare, check and augment; the arguments are those of `evaluate`."""
    comparison = compare(
        frame,
        graph,
        target,
        extra=extra,
        kinds=kinds,
        limits=limits,
        groups=groups,
        n_jobs=n_jobs,
        random_state=seed,
        callback=steps,
        **vars(asked),
    )
    steps.end_comparison()
    inside, outside = without_extra(frame, graph.nodes, extra)
    kinds, limits = _within(kinds, graph), _within(limits, graph)
    check = check_graph(inside, graph, kinds=kinds, n_jobs=n_jobs, random_state=seed)
    steps.advance()
    kinds_used = {target: _kind_of_target(comparison), **kinds}
    believed = "full" if asked.trust == "auto" else asked.trust
    model = fit_model(
        inside, graph, default_conditional(), None, kinds_used, limits, trust=believed
    )
    expansion = default_expansion(len(comparison.losses))
    augmented = model.make_rows(expansion, seed)
    warn_of_loss(model, augmented)
    steps.advance()
    return Evaluation(
        comparison=comparison,
        check=check,
        augmentation=summarize(augmented, target, seed, describe_loss(model, augmented)),
        graph=graph,
        settings=asked.settings(comparison.learner)
        | _settings_of_rows(model, expansion, limits, outside),
        seed=seed,
        versions=_versions(asked.estimator),
        source=source or asked.call(target, kinds, limits, seed),
    )


@dataclass(frozen=True)
class _Asked:
    """How the comparison is made, as it was asked for; the names are those of `compare`."""

    estimator: Any
    trust: Belief
    task: str | None
    n_splits: int
    repeats: int
    cv: Any
    rivals: bool
    minutes: float | None
    seconds: float | None

    def settings(self, default_learner: str) -> dict[str, str]:
        """Return what the report says of it, by name."""
        return {
            "learner": default_learner if self.estimator is None else steady_repr(self.estimator),
            "folds": str(self.n_splits) if self.cv is None else steady_repr(self.cv),
            "repeats": str(self.repeats),
            **({} if self.trust == "auto" else {"trust": str(self.trust)}),
            **({} if self.rivals else {"plain learners": "not tried"}),
            **({} if self.minutes is None else {"limit of time": f"{self.minutes:g} minutes"}),
            **({} if self.seconds is None else {"limit of time": f"{self.seconds:g} seconds"}),
        }

    def call(
        self, target: str, kinds: dict[str, KindName], limits: dict[str, Limits], seed: int
    ) -> str:
        """Return the Python that gives the same result."""
        options = {
            "estimator": None if self.estimator is None else steady_repr(self.estimator),
            "trust": None if self.trust == "auto" else repr(self.trust),
            "kinds": repr(kinds) if kinds else None,
            "limits": repr(limits) if limits else None,
            "task": None if self.task is None else repr(self.task),
            "n_splits": str(self.n_splits),
            "repeats": str(self.repeats),
            "rivals": None if self.rivals else "False",
            "minutes": None if self.minutes is None else repr(self.minutes),
            "seconds": None if self.seconds is None else repr(self.seconds),
            "random_state": str(seed),
        }
        given = ", ".join(f"{name}={text}" for name, text in options.items() if text is not None)
        return (
            "import causalaug as ca\n\n"
            'graph = ca.read_graph("graph.txt")\n'
            f"result = ca.evaluate(frame, graph, {target!r}, {given})\n"
            'result.to_html("report.html")'
        )


def _settings_of_rows(
    model: GraphModel, expansion: Expansion, limits: dict[str, Limits], outside: Sequence[str]
) -> dict[str, str]:
    """Return what the report says of how new rows are made, by name."""
    return {
        "weights of the candidates": f"by {steady_repr(Blend())}",
        "conditional": steady_repr(model.conditional),
        "expansion": steady_repr(expansion),
        "kinds of columns": _in_words(model.table),
        **({"limits of columns": str(limits)} if limits else {}),
        **({"columns outside the graph": ", ".join(outside)} if outside else {}),
    }


class _Steps:
    """Counts the steps for whoever watches."""

    def __init__(self, callback: Callable[[int, int], None] | None) -> None:
        self.callback = callback
        self.done, self.total = 0, 0

    def __call__(self, done: int, total: int) -> None:
        """Report a fit of the comparison; two steps come after all of them."""
        self.at(done, total, done / total)

    def at(self, done: int, total: int, share: float) -> None:
        """Report a fit, and which share of the comparison is done; it takes nearly all the time."""
        self.total = total + 2
        self.done = done
        report_step(self.callback, done, self.total, share)

    def end_comparison(self) -> None:
        """Count the fits that a limit of time left out as done."""
        self.done = self.total - 2

    def advance(self) -> None:
        """Report one more step."""
        self.done += 1
        report_step(self.callback, self.done, self.total, 1.0)


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


def _kind_of_target(comparison: Comparison) -> KindName:
    """Return the kind that the learners give the target: numbers are regressed."""
    return "continuous" if comparison.loss_name == Regression.loss_name else "nominal"


def _in_words(table: Table) -> str:
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
    found = {name: getattr(import_module(name), "__version__", None) for name in (*PACKAGES, own)}
    known = {name: str(version) for name, version in found.items() if version is not None}
    return {"python": platform.python_version(), **known}
