"""What the factorization takes for granted, and which test is to answer for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from causalaug._progress import OUT_OF_TIME, Budget
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


@dataclass(frozen=True)
class Asked:
    """How questions are answered: by which test, at which level of a single one, until when.

    A value, so that other processes can have it.
    """

    test: str
    level: float
    budget: Budget = Budget()
    has_holes: bool = False

    def __call__(self, question: Question) -> list[Outcome]:
        """Return the outcome for each of the others."""
        return self.where_observed(question) if self.has_holes else self.answer(question)

    def where_observed(self, question: Question) -> list[Outcome]:
        """Return the outcome for each of the others, each on the rows that have all its cells."""
        pillow = np.all([v.there for v in (question.target, *question.pillow)], axis=0)
        used = [pillow & other.there for other in question.others]
        places_of: dict[bytes, list[int]] = {}
        for place, mask in enumerate(used):
            places_of.setdefault(mask.tobytes(), []).append(place)
        outcomes: dict[int, Outcome] = {}
        # Others with the same rows are answered together, as they are where no cell is missing.
        for places in places_of.values():
            part = _others_at(question, places)
            outcomes.update(zip(places, self._answer_on(part, used[places[0]]), strict=True))
        return [outcomes[place] for place in range(len(used))]

    def _answer_on(self, question: Question, rows: BoolArray) -> list[Outcome]:
        """Answer on some rows; so few that no test could tell are not handed to one."""
        reason = too_few(int(rows.sum()), rows_needed(1, self.level))
        if reason:
            return self._silent(question, reason)
        if rows.all():
            return self.answer(question)
        return self.answer(
            replace(
                question,
                target=question.target.at(rows),
                others=tuple(other.at(rows) for other in question.others),
                pillow=tuple(held.at(rows) for held in question.pillow),
            )
        )

    def answer(self, question: Question) -> list[Outcome]:
        """Return the outcome for each of the others. No cell may be missing."""
        if not self.budget.allows():
            return self._silent(question, OUT_OF_TIME)
        if self.test == "auto":
            return self._answer_by_kind(question)
        if self.test == "g_squared":
            return self._answer_by_strata(question)
        target, others, pillow = question.target, question.others, question.pillow
        if self.test == "gcm":
            return covariance_measures(target, others, pillow, self.level)
        if self.test == "kci":
            return kernel_tests(target, others, pillow, self.level)
        if self.test == "rank_correlation":
            scores = np.column_stack([other.scores for other in others])
            return rank_correlations(target.scores, scores, self.level)
        values = np.column_stack([other.values for other in others])
        given = np.array([held.values for held in pillow]).reshape(-1, len(target.values)).T
        return partial_correlations(target.values, values, given, self.level)

    def _silent(self, question: Question, reason: str) -> list[Outcome]:
        """Return why no test of a question can tell."""
        names = [self.test] * len(question.others)
        if self.test == "auto":
            names = _suitable_tests(question)
        return [Outcome(name, reason=reason) for name in names]

    def _answer_by_kind(self, question: Question) -> list[Outcome]:
        """Answer those others together for which the same test is suitable."""
        chosen = _suitable_tests(question)
        outcomes: dict[int, Outcome] = {}
        for test in dict.fromkeys(chosen):
            places = [place for place, name in enumerate(chosen) if name == test]
            part = replace(self, test=test).answer(_others_at(question, places))
            outcomes.update(zip(places, part, strict=True))
        return [outcomes[place] for place in range(len(chosen))]

    def _answer_by_strata(self, question: Question) -> list[Outcome]:
        """Answer one by one: with hundreds of others, time may be over before the last."""
        target = question.target.codes
        stratum = strata_of(question.pillow, len(target))
        return [
            g_squared(target, other.codes, stratum, self.level, np.random.default_rng(seed))
            if self.budget.allows()
            else Outcome("g_squared", reason=OUT_OF_TIME)
            for other, seed in zip(question.others, question.seeds, strict=True)
        ]


def suitable_test(target: Variable, other: Variable, pillow: Sequence[Variable]) -> str:
    """Return the test for columns of these kinds that keeps its level on any noise and curve."""
    are_numbers = [variable.is_number for variable in (target, other, *pillow)]
    if not any(are_numbers):
        return "g_squared"
    return "rank_correlation" if all(are_numbers) and not pillow else "gcm"


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
