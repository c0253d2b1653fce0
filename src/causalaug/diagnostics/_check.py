"""`check_graph`: the independences that the factorization takes for granted, tested on the data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from causalaug._progress import OUT_OF_TIME, Budget, report_step, watched
from causalaug._random import RandomState, as_generator
from causalaug._validation import check_bool, check_choice, check_jobs
from causalaug.diagnostics._coding import Variable, read_variables, strata_of
from causalaug.diagnostics._g_squared import g_squared
from causalaug.diagnostics._independence import (
    Outcome,
    covariance_measures,
    kernel_tests,
    partial_correlations,
    rank_correlations,
    rows_needed,
    too_few,
)
from causalaug.diagnostics._result import CANNOT_TELL, NOT_REJECTED, VIOLATED, GraphCheck, Trust
from causalaug.exceptions import ParameterError
from causalaug.factorization import Factor, factorize
from causalaug.graphs import as_graph
from causalaug.table import KindName, Table, warn_of_extra, without_extra
from causalaug.typing import BoolArray, FloatArray

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
    questions = _questions(factors, read_variables(table, MOST_LEVELS[test]), rng)
    n_tests = sum(len(question.others) for question in questions)
    tester = Tester(test, float(alpha) / max(n_tests, 1), budget)
    with watched("Testing independences", callback, verbose=verbose) as progress:
        outcomes = _outcomes(tester, questions, n_jobs, progress)
    tabulated = _tabulate(questions, outcomes, float(alpha))
    rows = _factor_rows(table, factors)
    trust = Trust(table, graph, order)
    return GraphCheck(tabulated, graph.is_mb_shielded(), float(alpha), rows, table.n_rows, trust)


@dataclass(frozen=True, eq=False)
class Question:
    """Whether a variable is independent of each of some others, given its pillow.

    Parameters
    ----------
    target : Variable
        The variable.
    others : tuple of Variable
        Those before it that are not in its pillow.
    pillow : tuple of Variable
        What is held fixed.
    seeds : tuple of int
        One seed per other, so that no answer depends on how the rest was answered.
    """

    target: Variable
    others: tuple[Variable, ...]
    pillow: tuple[Variable, ...]
    seeds: tuple[int, ...] = field(repr=False)

    def about(self, places: Sequence[int]) -> "Question":
        """Return the question about some of the others."""
        others = tuple(self.others[place] for place in places)
        return replace(self, others=others, seeds=tuple(self.seeds[place] for place in places))


def _questions(
    factors: Sequence[Factor], variables: Mapping[str, Variable], rng: np.random.Generator
) -> list[Question]:
    """Return a question per factor that leaves an earlier variable out of its pillow."""
    questions = []
    for place, factor in enumerate(factors):
        others = [f.target for f in factors[:place] if f.target not in factor.pillow]
        if others:
            question = Question(
                variables[factor.target],
                tuple(variables[name] for name in others),
                tuple(variables[name] for name in factor.pillow),
                tuple(rng.integers(2**63, size=len(others)).tolist()),
            )
            questions.append(question)
    return questions


@dataclass(frozen=True)
class Tester:
    """How questions are answered: by which test, at which level of a single one, until when.

    A value, so that other processes can have it.
    """

    test: str
    level: float
    budget: Budget = Budget()

    def __call__(self, question: Question) -> list[Outcome]:
        """Return the outcome for each of the others, each on the rows that have all its cells.

        Others with the same test and the same rows are answered together.
        """
        held = np.all([v.there for v in (question.target, *question.pillow)], axis=0)
        together: dict[tuple[str, bytes], list[int]] = {}
        for place, other in enumerate(question.others):
            test = suitable_test(question, other) if self.test == "auto" else self.test
            together.setdefault((test, (held & other.there).tobytes()), []).append(place)
        outcomes: dict[int, Outcome] = {}
        for (test, mask), places in together.items():
            found = self._on_rows(test, question.about(places), np.frombuffer(mask, dtype=bool))
            outcomes.update(zip(places, found, strict=True))
        return [outcomes[place] for place in range(len(outcomes))]

    def _on_rows(self, test: str, question: Question, rows: BoolArray) -> list[Outcome]:
        """Answer on some rows; so few that no test could tell are not handed to one."""
        reason = "" if self.budget.allows() else OUT_OF_TIME
        if not rows.all():
            reason = too_few(int(rows.sum()), rows_needed(1, self.level)) or reason
        if reason:
            return [Outcome(test, reason=reason) for _ in question.others]
        if not rows.all():
            question = replace(
                question,
                target=question.target.at(rows),
                others=tuple(other.at(rows) for other in question.others),
                pillow=tuple(each.at(rows) for each in question.pillow),
            )
        target, others, pillow = question.target, question.others, question.pillow
        if test == "g_squared":
            return self._by_strata(question)
        if test == "gcm":
            return covariance_measures(target, others, pillow, self.level)
        if test == "kci":
            return kernel_tests(target, others, pillow, self.level)
        if test == "rank_correlation":
            scores = np.column_stack([other.scores for other in others])
            return rank_correlations(target.scores, scores, self.level)
        values = np.column_stack([other.values for other in others])
        given = np.array([each.values for each in pillow]).reshape(-1, len(target.values)).T
        return partial_correlations(target.values, values, given, self.level)

    def _by_strata(self, question: Question) -> list[Outcome]:
        """Answer one by one: with hundreds of others, time may be over before the last."""
        target = question.target.codes
        stratum = strata_of(question.pillow, len(target))
        return [
            g_squared(target, other.codes, stratum, self.level, np.random.default_rng(seed))
            if self.budget.allows()
            else Outcome("g_squared", reason=OUT_OF_TIME)
            for other, seed in zip(question.others, question.seeds, strict=True)
        ]


def suitable_test(question: Question, other: Variable) -> str:
    """Return the test for columns of these kinds that keeps its level on any noise and curve."""
    are_numbers = [v.is_number for v in (question.target, other, *question.pillow)]
    if not any(are_numbers):
        return "g_squared"
    return "rank_correlation" if all(are_numbers) and not question.pillow else "gcm"


def _factor_rows(table: Table, factors: Sequence[Factor]) -> dict[str, int]:
    """Return, by target, how many rows have the target and the pillow of each factor."""
    there = ~np.isnan(table.values)
    columns = [[table.index(name) for name in (f.target, *f.pillow)] for f in factors]
    return {
        factor.target: int(there[:, places].all(axis=1).sum())
        for factor, places in zip(factors, columns, strict=True)
    }


def _outcomes(
    tester: Tester,
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
    found = jobs(delayed(tester)(questions[number]) for number in planned)
    outcomes: dict[int, list[Outcome]] = {}
    for number, of_question in zip(planned, found, strict=True):
        outcomes[number] = of_question
        done = len(outcomes)
        report_step(callback, done, len(questions), float(n_tests[done - 1] / n_tests[-1]))
    return [outcomes[number] for number in range(len(questions))]


def _check_scales(test: str, table: Table) -> None:
    """Raise if a test was asked for that the columns do not allow."""
    facts = list(zip(table.columns, table.kinds, table.numeric, strict=True))
    continuous = [name for name, kind, _ in facts if kind == "continuous"]
    without_scale = [name for name, _, is_numeric in facts if not is_numeric]
    if test == "g_squared" and continuous:
        raise ParameterError(
            f"The test 'g_squared' needs ordered or nominal columns. Found continuous ones: "
            f"{continuous}. Use test='auto', or kinds={{...: 'nominal'}} if their values repeat."
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
    verdict = np.where(p_holm <= alpha, VIOLATED, NOT_REJECTED)
    verdict = np.where(np.isnan(p_holm), CANNOT_TELL, verdict)
    frame = frame.assign(p_holm=p_holm, verdict=verdict)
    return frame[[*names[:-1], "p_holm", "verdict", "reason"]]


def holm(p_values: FloatArray) -> FloatArray:
    """Return the p-values of many tests, corrected as Holm (1979) does.

    With probability alpha at most, any right hypothesis is among those below alpha.
    NaN stands for no test, takes no part and stays.

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03]))
    array([0.03, 0.06,  nan, 0.06])
    """
    corrected = np.full(len(p_values), np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    ascending = tested[np.argsort(p_values[tested], kind="stable")]
    factors = np.arange(len(ascending), 0, -1)
    steps = np.maximum.accumulate(factors * p_values[ascending])
    corrected[ascending] = np.minimum(steps, 1.0)
    return corrected
