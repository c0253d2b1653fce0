"""Candidates: what a blend weighs, and what a gate chooses from.

A candidate is one object. It says what it learns from, whether it trusts the graph, how it is
fitted, and by what it returns from `fit`, how it predicts. Blend, gate and comparisons ask it
nothing else, so that a candidate of your own takes part like ours.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from causalaug.estimators._learner import seeing, take_columns
from causalaug.estimators._learner_loss import EXPECTED_LOSSES, QUANTILE, loss_of
from causalaug.estimators._new_rows import DRAWN, EXPECTED, NewRows, make_new_rows, plain_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causalaug.conditionals import Conditional
    from causalaug.estimators._features_and_target import Observed
    from causalaug.estimators._learner import Learner, Training
    from causalaug.expansion import Expansion
    from causalaug.graphs import ADMG

CONTROL_SHARE = 0.5
"""The share of new rows that need no causal knowledge."""

GRAPH_SHARE = 0.9
"""The share of new rows of the graph. Where .5 with drawn and with expected targets were candidates
as well, the blend was worse: without both, test errors on 60 rows were lower by 0.7 ± 0.3% around
ridge regression and by 1.3 ± 0.6% around boosting with right graphs, and by 1.5 ± 0.3% and 0.9 ±
0.6% with their orders; with shuffled graphs they differed by 0.1 ± 0.1% (32 and 24 models of seeds
1,500,000 and up). With .5 instead of .9 boosting lost 1.2 points with the orders."""


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """What a candidate may learn from: observed rows, their graph, and what that makes of them.

    The graph is the one that the candidate is to believe: for one that does not trust the graph
    that was given, the complete graph with the target last. New rows are made when a candidate
    first asks for them, and once.
    """

    observed: Observed
    learner: Learner = field(repr=False)
    conditional: Conditional = field(repr=False)
    expansion: Expansion = field(repr=False)
    classes: NDArray[Any] | None
    seed: int

    @property
    def graph(self) -> ADMG:
        """The graph."""
        return self.observed.graph

    @property
    def target(self) -> str:
        """The name of the target."""
        return self.observed.target

    @cached_property
    def observed_rows(self) -> Training:
        """The observed rows, completed if they have holes that the learner must not see."""
        return plain_rows(self.observed, self.conditional, self.seed)

    @cached_property
    def new_rows(self) -> NewRows:
        """The graph's model, and the new rows that it makes."""
        return make_new_rows(
            self.observed, self.conditional, self.expansion, self.classes, self.seed
        )

    def fit(self, rows: Training, nodes: Sequence[str] | None = None) -> Any:
        """Return the learner fitted to rows; of the features it sees all, or those of some nodes.

        What is returned is asked with all features.
        """
        if nodes is None:
            return self.learner.fit(rows, self.seed)
        own = list(self.observed.names.values())
        columns = tuple(number for number, node in enumerate(own) if node in nodes)
        seen = replace(rows, features=take_columns(rows.features, columns))
        return seeing(self.learner.fit(seen, self.seed), columns)


class Candidate(ABC):
    """One member of a blend: what it learns from, how it is fitted, how it predicts.

    Write `name` and `fit`, and give it to `Blend(more_candidates=(...,))`. A frozen dataclass is
    best: candidates are compared, hashed and sent to other processes.
    """

    share: float = 0.0
    """How much of the weight new rows have in what it learns from, for `blend_`; of a model 1."""

    trusts_graph: bool = True
    """Whether it gets the graph that was given, or the complete graph with the target last."""

    uses_model: bool = False
    """Whether it asks for the graph's model or its new rows, which take time to make."""

    is_bounded: bool = False
    """Whether its predictions of numbers go no further than the plain learner's, or the data."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called in `blend_`."""

    @abstractmethod
    def fit(self, rows: TrainingSet) -> Any:
        """Return something fitted, with `predict` or `predict_proba` for rows of all features.

        It is asked with rows that have no holes, unless it has an attribute `integrates_holes`.
        """

    def trusting(self) -> Candidate:
        """Return what it would be if it trusted the graph of its rows, for what is fitted once."""
        return self


@dataclass(frozen=True)
class PlainLearner(Candidate):
    """The learner on the observed rows alone."""

    trusts_graph: bool = False

    @property
    def name(self) -> str:
        """What it is called."""
        return "plain"

    def fit(self, rows: TrainingSet) -> Any:
        """Return the fitted learner."""
        return rows.fit(rows.observed_rows)


@dataclass(frozen=True)
class _OfModel(Candidate):
    """What needs the model of a graph: of the one that was given, or of the control."""

    trusts_graph: bool = True
    uses_model: bool = field(default=True, init=False)

    @property
    def _source(self) -> str:
        return "graph" if self.trusts_graph else "control"

    def trusting(self) -> Candidate:
        """Return the same with the graph of its rows."""
        return replace(self, trusts_graph=True)


@dataclass(frozen=True)
class LearnerWithNewRows(_OfModel):
    """The learner on observed and new rows, of which the new ones have a share of the weight."""

    share: float = GRAPH_SHARE
    targets: str = DRAWN
    is_bounded: bool = field(default=True, init=False)

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self._source}, {self.targets}, {self.share:g}"

    def fit(self, rows: TrainingSet) -> Any:
        """Return the fitted learner."""
        return rows.fit(rows.new_rows.training(self.share, self.targets))


@dataclass(frozen=True)
class ModelAlone(_OfModel):
    """The model itself: with a share of 1 nothing is left for a learner to learn."""

    share: float = field(default=1.0, init=False)

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self._source} model"

    def fit(self, rows: TrainingSet) -> Any:
        """Return the model as a learner."""
        return rows.new_rows.model_alone()


def new_targets_of(new_targets: str, learner: Any) -> str:
    """Return what the targets of new rows are: ``"auto"`` is expected if the loss allows that."""
    if new_targets != "auto":
        return new_targets
    return EXPECTED if loss_of(learner) in EXPECTED_LOSSES else DRAWN


def default_candidates(new_targets: str, learner: Any, *, models: bool) -> tuple[Candidate, ...]:
    """Return what a blend weighs by default, the plain learner first.

    A learner of quantiles predicts no mean, and a model does.
    """
    targets = new_targets_of(new_targets, learner)
    found: tuple[Candidate, ...] = (
        PlainLearner(),
        LearnerWithNewRows(False, CONTROL_SHARE, targets),
        LearnerWithNewRows(True, GRAPH_SHARE, targets),
    )
    if models and loss_of(learner) != QUANTILE:
        found += (ModelAlone(False), ModelAlone(True))
    return found
