"""`check_graph`: the independences that the method uses, tested on the data."""

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from causalaug._progress import Budget, report_step, watched
from causalaug._random import RandomState, as_generator
from causalaug._validation import check_bool, check_choice, check_jobs
from causalaug.diagnostics._coding import read_variables
from causalaug.diagnostics._holm import holm
from causalaug.diagnostics._outcome import Outcome
from causalaug.diagnostics._questions import Asked, Question, ask
from causalaug.diagnostics._result import CANNOT_TELL, NOT_REJECTED, VIOLATED, GraphCheck
from causalaug.diagnostics._trust import Trust
from causalaug.exceptions import ParameterError
from causalaug.factorization import Factor, factorize
from causalaug.graphs import as_graph
from causalaug.table import KindName, Table, warn_of_extra, without_extra

MOST_LEVELS = {"auto": 10, "gcm": 10, "kci": 10, "partial_correlation": 0, "g_squared": None}
"""Numbers with at most so many distinct values are levels to the test; to the last, always."""


def check_graph(
    frame: Any,
    graph: Any,
    *,
    order: Sequence[str] | None = None,
    kinds: Mapping[str, KindName] | None = None,
    test: str = "auto",
    alpha: float = 0.05,
    extra: str = "ignore",
    seconds: float | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    callback: Callable[[int, int], None] | None = None,
    verbose: bool = False,
) -> GraphCheck:
    """Test on the data the independences that the method takes from the graph.

    Along the order, each variable must be independent of those before it, given its Markov
    pillow. Each earlier variable outside the pillow is tested on its own, so that a missing
    edge is named; p-values are corrected by Holm's method over all of them. Where the rows
    cannot show even a large effect (a correlation of 0.5), the verdict is "cannot tell".

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, D)
        The observed rows, as `augment` takes them. Cells may be missing: each test goes by the
        rows that have every cell it asks for.
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph; its nodes are the columns.
    order : sequence of str, optional
        The topological order to follow; by default the one of the graph.
    kinds : mapping of str to {"continuous", "ordered", "nominal"}, optional
        Kinds of columns that differ from the default, as in `augment`. An ordered column of
        numbers with more than ten values is tested as continuous.
    test : {"auto", "partial_correlation", "g_squared", "gcm", "kci"}, optional
        How to test. "g_squared" is for ordered and nominal columns. "partial_correlation" fits
        straight lines: it is right for jointly normal columns, and raises false alarms on curves
        and on uneven noise. "gcm", the generalised covariance measure, fits curves and takes
        columns of any kind and noise. "kci", the kernel test of the package causal-learn, also sees
        dependences that no covariance shows; it takes time and memory of a higher order in the
        number of rows. "auto" takes G-squared where no column is continuous, the correlation
        of normal scores for two continuous columns with nothing held fixed, else "gcm".
    alpha : float, optional
        The allowed probability of any false alarm on a correct graph.
    extra : {"ignore", "error"}, default="ignore"
        What becomes of columns that are no node: they are left out, with a warning that names
        them, or they are an error.
    seconds : float, optional
        About how long the tests may take. Those with the fewest variables held fixed come first;
        what is not begun in time is left out, and listed as `left_out`. What is tested has the
        same p-value as without this limit.
    n_jobs : int, optional
        How many processes share the tests, -1 for all cores. The result is the same.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed of the shuffles by which G-squared is judged where cells have few rows.
    callback : callable, optional
        Called after each variable with the number of variables done and their total.
    verbose : bool, default=False
        Whether to show on the standard error stream how far the tests are, and about how long the
        rest will take.

    Returns
    -------
    GraphCheck
        A table of the independences with statistic, p-value and verdict, whether the graph
        implies anything beyond them (``mb_shielded``), how many rows each factor can be
        fitted to (``factor_rows``), and, when it is looked at, how far left-out rows let each
        factor be believed and what they want beside it (``trust``).

    Notes
    -----
    A missing edge also breaks the independence from other variables that are tied to its
    ends. Start mending at the clearest of the `violations`.

    A test on the rows that have its cells is right if which cells are missing does not depend
    on the variable or the other one, given the pillow. Where it does, the rows that are left
    are selected, and a violation may be that of the selection.

    Examples
    --------
    Rain wets the street, which slows the traffic. A graph that lets rain slow it otherwise is
    caught, and the missing edge is named:

    >>> import numpy as np, pandas as pd
    >>> from causalaug import check_graph, read_graph
    >>> rng = np.random.default_rng(0)
    >>> rain = rng.normal(size=200)
    >>> wet = np.tanh(rain) + 0.5 * rng.normal(size=200)
    >>> slow = np.square(wet) + wet + rng.normal(size=200)
    >>> roads = pd.DataFrame({"rain": rain, "wet": wet, "slow": slow})
    >>> check_graph(roads, read_graph("rain -> wet -> slow"))
    GraphCheck(1 independence: 0 violated, 1 not rejected, 0 cannot tell)
    >>> forgetful = check_graph(roads, read_graph("rain -> wet; rain -> slow"))
    >>> forgetful.violations[["variable", "independent_of", "given"]]
      variable independent_of    given
    0     slow            wet  (rain,)

    With ten rows there is nothing to be said, and nothing is:

    >>> check_graph(roads[:10], read_graph("rain -> wet; rain -> slow")).verdict
    'cannot tell'

    Half of the streets were not looked at. Traffic and rain are told all the same, on the other
    half, and the factors say how many rows they had:

    >>> some = roads.assign(wet=roads["wet"].where(roads.index % 2 == 0))
    >>> check_graph(some, read_graph("rain -> wet -> slow")).factor_rows
    {'rain': 200, 'wet': 100, 'slow': 100}
    """
    budget = Budget.of(seconds=seconds)
    check_bool("verbose", verbose)
    graph = as_graph(graph)
    check_choice("test", test, MOST_LEVELS)
    check_jobs(n_jobs)
    if not isinstance(alpha, Real) or isinstance(alpha, bool) or not 0.0 < alpha < 1.0:
        raise ParameterError(f"`alpha` must be a number between 0 and 1. Found {alpha!r}.")
    rng = as_generator(random_state)
    frame, outside = without_extra(frame, graph.nodes, extra)
    warn_of_extra(outside)
    table = Table.from_frame(frame, names=graph.nodes, kinds=kinds, holes=True)
    _check_scales(test, table)
    factors = factorize(graph, order)
    questions = ask(factors, read_variables(table, MOST_LEVELS[test]), rng)
    n_tests = sum(len(question.others) for question in questions)
    level = float(alpha) / max(n_tests, 1)
    asked = Asked(test, level, budget, has_holes=table.missing is not None)
    with watched("Testing independences", callback, verbose=verbose) as told:
        outcomes = _answers(asked, questions, n_jobs, told)
    tabulated = _tabulate(questions, outcomes, float(alpha))
    rows = _factor_rows(table, factors)
    trust = Trust(table, graph, order)
    return GraphCheck(tabulated, graph.is_mb_shielded(), float(alpha), rows, table.n_rows, trust)


def _factor_rows(table: Table, factors: Sequence[Factor]) -> dict[str, int]:
    """Return, by target, how many rows have the target and the pillow of each factor."""
    there = ~np.isnan(table.values)
    columns = [[table.index(name) for name in (f.target, *f.pillow)] for f in factors]
    return {
        factor.target: int(there[:, places].all(axis=1).sum())
        for factor, places in zip(factors, columns, strict=True)
    }


def _answers(
    asked: Asked,
    questions: Sequence[Question],
    n_jobs: int | None,
    callback: Callable[[int, int], None] | None,
) -> list[list[Outcome]]:
    """Return the outcomes of all questions, in order; each has its own seeds.

    The smallest pillows are first, so that a limit of time leaves out the tests that need the most
    rows. The steps of the progress differ in length: it goes by the number of tests.
    """
    planned = sorted(range(len(questions)), key=lambda number: len(questions[number].pillow))
    n_tests = np.cumsum([len(questions[number].others) for number in planned])
    jobs = Parallel(n_jobs=n_jobs, return_as="generator")
    found = jobs(delayed(asked)(questions[number]) for number in planned)
    outcomes: dict[int, list[Outcome]] = {}
    for number, answers in zip(planned, found, strict=True):
        outcomes[number] = answers
        done = len(outcomes)
        report_step(callback, done, len(questions), float(n_tests[done - 1] / n_tests[-1]))
    return [outcomes[number] for number in range(len(questions))]


def _check_scales(test: str, table: Table) -> None:
    """Raise if a test was asked for that the columns do not allow."""
    kinds = dict(zip(table.columns, table.kinds, strict=True))
    numeric = dict(zip(table.columns, table.numeric, strict=True))
    continuous = [name for name, kind in kinds.items() if kind == "continuous"]
    without_scale = [name for name in table.columns if not numeric[name]]
    if test == "g_squared" and continuous:
        raise ParameterError(
            "The test 'g_squared' needs ordered or nominal columns. "
            f"Found continuous ones: {continuous}. Use test='auto', "
            "or say kinds={...: 'nominal'} if their values repeat."
        )
    if test == "partial_correlation" and without_scale:
        raise ParameterError(
            "The test 'partial_correlation' needs numbers. "
            f"Found columns without a scale: {without_scale}. Use test='auto' or test='gcm'."
        )


def _tabulate(
    questions: Sequence[Question], outcomes: Sequence[Sequence[Outcome]], alpha: float
) -> pd.DataFrame:
    """Return one row per independence, p-values corrected over those that could be tested."""
    rows = [
        (
            question.target.name,
            other.name,
            tuple(variable.name for variable in question.pillow),
            outcome.test,
            outcome.statistic,
            outcome.p_value,
            outcome.reason,
        )
        for question, answers in zip(questions, outcomes, strict=True)
        for other, outcome in zip(question.others, answers, strict=True)
    ]
    names = ["variable", "independent_of", "given", "test", "statistic", "p_value", "reason"]
    frame = pd.DataFrame(rows, columns=names).astype({"statistic": float, "p_value": float})
    p_holm = holm(frame["p_value"].to_numpy())
    told = np.where(p_holm <= alpha, VIOLATED, NOT_REJECTED)
    verdict = np.where(np.isnan(p_holm), CANNOT_TELL, told)
    frame = frame.assign(p_holm=p_holm, verdict=verdict)
    return frame[[*names[:-1], "p_holm", "verdict", "reason"]]
