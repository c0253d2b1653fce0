"""Candidates: what a blend weighs, and what a gate chooses from; and the new rows they learn from.

A candidate is one object. It says what it learns from, whether it trusts the graph, how it is
fitted, and by what it returns from `fit`, how it predicts. Blend, gate and comparisons ask it
nothing else, so that a candidate of your own takes part like ours. A model is fitted to the same
rows once and expanded once; every share and both kinds of targets are read from that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causalaug.estimators._holes import GivenRows, originals_of
from causalaug.estimators._learner import (
    EXPECTED_LOSSES,
    QUANTILE,
    OfColumns,
    Training,
    loss_of,
    take_columns,
    take_rows,
)
from causalaug.estimators._predictors import ModelMember, probabilities_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causalaug.augmentation import AugmentedTable
    from causalaug.conditionals import Conditional
    from causalaug.estimators._learner import Learner
    from causalaug.estimators._observed_rows import Observed
    from causalaug.expansion import Expansion
    from causalaug.graphs import ADMG
    from causalaug.model import GraphModel
    from causalaug.typing import FloatArray


DRAWN, EXPECTED = "drawn", "expected"


@dataclass(frozen=True, eq=False)
class NewRows:
    """The graph's model of some rows, the new rows that it makes, and their expected targets.

    Parameters
    ----------
    observed : Observed
        The rows that the model was fitted to.
    model : GraphModel
        The model.
    augmented : AugmentedTable
        Its new rows.
    classes : array, optional
        The classes of the target, sorted; None for a number.
    lent : frame, optional
        The cells of the new rows outside the graph; None if there are none.
    """

    observed: Observed
    model: GraphModel = field(repr=False)
    augmented: AugmentedTable = field(repr=False)
    classes: NDArray[Any] | None = None
    lent: Any = field(default=None, repr=False)

    @cached_property
    def expected(self) -> FloatArray:
        """The mean of each new row's target given its features, or the classes' probabilities.

        Shape (n_new_rows,), or (n_new_rows, n_classes).
        """
        model, name = self.model, self.observed.target
        if self.classes is not None:
            return probabilities_of(model.predict(name, self.augmented.frame), self.classes)
        columns = [self.augmented.values(number) for number in range(model.table.n_columns)]
        return model.target(name).means(np.column_stack(columns))

    def model_alone(self) -> ModelMember:
        """Return the model as a learner by itself."""
        names = tuple(self.observed.names.values())
        return ModelMember(self.model, self.observed.target, names, self.classes)

    def training(self, share: float, targets: str) -> Training:
        """Return observed and new rows; a share of 0, or no new row, leaves the observed ones."""
        if share == 0.0 or not len(self.augmented):
            return Training(*self.observed.weighted(), self.observed.n_rows)
        n = self.observed.n_rows
        features, target, weights = self.observed.mixed(self.augmented, share, self.lent)
        if targets == DRAWN:
            return Training(features, target, weights, n)
        if self.classes is None:
            target = np.concatenate([np.asarray(target[:n], dtype=np.float64), self.expected])
            return Training(features, target, weights, n)
        return self._with_each_class(features, target, weights)

    def _with_each_class(self, features: Any, target: Any, weights: FloatArray) -> Training:
        """Return rows in which a new row stands once for each class that it may have."""
        n = self.observed.n_rows
        # A class that is less probable gets no row of its own; the others take its weight.
        probable = np.where(self.expected >= 1e-3, self.expected, 0.0)
        probable /= probable.sum(axis=1, keepdims=True)
        row, label = np.nonzero(probable)
        rows = np.concatenate([np.arange(n), n + row])
        assert self.classes is not None
        classes = np.concatenate([target[:n], self.classes[label]])
        shared = np.concatenate([weights[:n], weights[n + row] * probable[row, label]])
        return Training(take_rows(features, rows), classes, shared, n)


def plain_rows(observed: Observed, conditional: Conditional, seed: int) -> Training:
    """Return the observed rows as they are; those with holes are completed."""
    observed = originals_of(observed, conditional, seed)
    return Training(*observed.weighted(), observed.n_rows)


def numbered_as_observed(made: AugmentedTable, observed: Observed) -> tuple[AugmentedTable, Any]:
    """Return new rows that name the observed rows by their own numbers, and their extra cells.

    The model numbers rows by their contents. Where cells are missing its rows are drawn ones, and
    the numbers are those of its own table. A new row has the cells outside the graph of the row
    that its target came from.
    """
    _, numbers = observed.by_contents()
    lent = None
    if observed.extra is not None:
        lender = numbers[made.rows[:, made.table.index(observed.target)]]
        lent = take_rows(observed.extra, lender)
    if observed.table.missing is not None:
        return made, lent
    paths = replace(made.paths, rows=np.asfortranarray(numbers[made.rows]))
    return replace(made, table=observed.table, paths=paths), lent


def make_new_rows(
    observed: Observed,
    conditional: Conditional,
    expansion: Expansion,
    classes: NDArray[Any] | None,
    seed: int,
) -> NewRows:
    """Fit the graph's model to rows, and expand it."""
    originals = originals_of(observed, conditional, seed)
    model = observed.fit(conditional, seed)
    augmented, lent = numbered_as_observed(model.make_rows(expansion, seed), observed)
    if observed.table.missing is not None:
        given = GivenRows(originals.table.source, originals.sample_weight)
        augmented = replace(augmented, originals=given)
    return NewRows(originals, model, augmented, classes, lent)


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
        return OfColumns(self.learner.fit(seen, self.seed), columns)


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
        LearnerWithNewRows(False, 0.5, targets),
        LearnerWithNewRows(True, GRAPH_SHARE, targets),
    )
    if models and loss_of(learner) != QUANTILE:
        found += (ModelAlone(False), ModelAlone(True))
    return found
