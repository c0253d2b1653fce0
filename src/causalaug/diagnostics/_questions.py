"""What the factorization takes for granted, and which test is to answer for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from causalaug.diagnostics._coding import Variable, strata_of
from causalaug.diagnostics._correlation import partial_correlations, rank_correlations
from causalaug.diagnostics._g_squared import g_squared
from causalaug.diagnostics._gcm import covariance_measures
from causalaug.diagnostics._kci import kernel_tests
from causalaug.diagnostics._outcome import Outcome
from causalaug.factorization import Factor


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


def answer(question: Question, test: str, level: float) -> list[Outcome]:
    """Return the outcome for each of the others; `level` is that of a single test."""
    if test == "auto":
        return _answer_by_kind(question, level)
    if test == "g_squared":
        return _answer_by_strata(question, level)
    if test == "gcm":
        return covariance_measures(question.target, question.others, question.pillow, level)
    if test == "kci":
        return kernel_tests(question.target, question.others, question.pillow, level)
    others = np.column_stack([other.values for other in question.others])
    if test == "rank_correlation":
        others = np.column_stack([other.scores() for other in question.others])
        return rank_correlations(question.target.scores(), others, level)
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
    chosen = [suitable_test(question.target, other, question.pillow) for other in question.others]
    outcomes: dict[int, Outcome] = {}
    for test in dict.fromkeys(chosen):
        places = [place for place, each in enumerate(chosen) if each == test]
        part = replace(
            question,
            others=tuple(question.others[place] for place in places),
            seeds=tuple(question.seeds[place] for place in places),
        )
        outcomes.update(zip(places, answer(part, test, level), strict=True))
    return [outcomes[place] for place in range(len(chosen))]


def _answer_by_strata(question: Question, level: float) -> list[Outcome]:
    target, stratum = question.target.codes, strata_of(question.pillow, len(question.target.values))
    return [
        g_squared(target, other.codes, stratum, level, np.random.default_rng(seed))
        for other, seed in zip(question.others, question.seeds, strict=True)
    ]
