"""What the factorization takes for granted, and which test is to answer for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from causalaug.diagnostics._coding import Variable, strata_of
from causalaug.diagnostics._correlation import partial_correlations, rank_correlations
from causalaug.diagnostics._g_squared import g_squared
from causalaug.diagnostics._gcm import covariance_measures
from causalaug.diagnostics._kci import kernel_tests
from causalaug.diagnostics._outcome import Outcome, rows_needed, too_few
from causalaug.factorization import Factor
from causalaug.typing import BoolArray


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


def ask(
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


def answer_where_observed(question: Question, test: str, level: float) -> list[Outcome]:
    """Return the outcome for each of the others, each on the rows that have all its cells."""
    pillow = np.all([v.there for v in (question.target, *question.pillow)], axis=0)
    used = [pillow & other.there for other in question.others]
    outcomes: dict[int, Outcome] = {}
    # Others with the same rows are answered together, as they are where no cell is missing.
    for rows in {mask.tobytes(): mask for mask in used}.values():
        places = [place for place, mask in enumerate(used) if np.array_equal(mask, rows)]
        part = _others_at(question, places)
        outcomes.update(zip(places, _answer_on(part, rows, test, level), strict=True))
    return [outcomes[place] for place in range(len(used))]


def _answer_on(question: Question, rows: BoolArray, test: str, level: float) -> list[Outcome]:
    """Answer on some rows; so few that no test could tell are not handed to one."""
    reason = too_few(int(rows.sum()), rows_needed(1, level))
    if reason:
        names = _suitable_tests(question) if test == "auto" else [test] * len(question.others)
        return [Outcome(name, reason=reason) for name in names]
    if rows.all():
        return answer(question, test, level)
    return answer(
        replace(
            question,
            target=question.target.at(rows),
            others=tuple(other.at(rows) for other in question.others),
            pillow=tuple(held.at(rows) for held in question.pillow),
        ),
        test,
        level,
    )


def answer(question: Question, test: str, level: float) -> list[Outcome]:
    """Return the outcome for each of the others; `level` is that of a single test.

    No cell may be missing.
    """
    if test == "auto":
        return _answer_by_kind(question, level)
    if test == "g_squared":
        return _answer_by_strata(question, level)
    if test == "gcm":
        return covariance_measures(question.target, question.others, question.pillow, level)
    if test == "kci":
        return kernel_tests(question.target, question.others, question.pillow, level)
    if test == "rank_correlation":
        others = np.column_stack([other.scores for other in question.others])
        return rank_correlations(question.target.scores, others, level)
    others = np.column_stack([other.values for other in question.others])
    n_rows = len(question.target.values)
    given = np.array([variable.values for variable in question.pillow]).reshape(-1, n_rows).T
    return partial_correlations(question.target.values, others, given, level)


def suitable_test(target: Variable, other: Variable, pillow: Sequence[Variable]) -> str:
    """Return the test for columns of these kinds that keeps its level on any noise and curve."""
    are_numbers = [variable.is_number for variable in (target, other, *pillow)]
    if not any(are_numbers):
        return "g_squared"
    return "rank_correlation" if all(are_numbers) and not pillow else "gcm"


def _answer_by_kind(question: Question, level: float) -> list[Outcome]:
    """Answer those others together for which the same test is suitable."""
    chosen = _suitable_tests(question)
    outcomes: dict[int, Outcome] = {}
    for test in dict.fromkeys(chosen):
        places = [place for place, each in enumerate(chosen) if each == test]
        part = _others_at(question, places)
        outcomes.update(zip(places, answer(part, test, level), strict=True))
    return [outcomes[place] for place in range(len(chosen))]


def _suitable_tests(question: Question) -> list[str]:
    """Return the test for each of the others; it depends on their kind alone."""
    of_kind: dict[bool, str] = {}
    for other in question.others:
        if other.is_number not in of_kind:
            of_kind[other.is_number] = suitable_test(question.target, other, question.pillow)
    return [of_kind[other.is_number] for other in question.others]


def _others_at(question: Question, places: Sequence[int]) -> Question:
    """Return the question about some of the others."""
    return replace(
        question,
        others=tuple(question.others[place] for place in places),
        seeds=tuple(question.seeds[place] for place in places),
    )


def _answer_by_strata(question: Question, level: float) -> list[Outcome]:
    target, stratum = question.target.codes, strata_of(question.pillow, len(question.target.values))
    return [
        g_squared(target, other.codes, stratum, level, np.random.default_rng(seed))
        for other, seed in zip(question.others, question.seeds, strict=True)
    ]
