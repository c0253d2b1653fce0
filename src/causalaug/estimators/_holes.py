"""Rows with missing cells on their way to a learner, and to what it predicts.

A learner gets originals without holes: rows are completed several times by the graph's model, and
the copies share the weight of their row. Rows to be predicted are completed as well, from their
features alone, and the predictions of the copies are averaged. The graph's own model needs none of
that: it integrates over what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np

from causalaug.estimators._observed_rows import fresh
from causalaug.estimators._predictors import features_by_node
from causalaug.table import code_rows, missing_cells, rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causalaug.conditionals import Conditional
    from causalaug.estimators._folds import Task
    from causalaug.estimators._observed_rows import Observed
    from causalaug.model import GraphModel
    from causalaug.typing import FloatArray, IntArray

COPIES = 5
"""Completions of an original with holes. One is noisier: with boosting on 60 rows the error is 5
to 10% higher. Twenty gain nothing more."""

ASKED_COPIES = 10
"""Completions of a row that is to be predicted."""


@dataclass(frozen=True, eq=False)
class GivenRows:
    """Rows that stand for the observed ones beside new rows, and their weights."""

    frame: Any
    weights: FloatArray

    def __call__(self) -> tuple[Any, FloatArray]:
        """Return both."""
        return self.frame, self.weights


def originals_of(observed: Observed, conditional: Conditional, seed: int) -> Observed:
    """Return the labelled rows as a learner takes them: completed, unless it takes holes.

    Those with holes are there several times; of copies the first.
    """
    if observed.keep_holes or observed.labelled().table.missing is None:
        return observed.labelled()
    key = "completed", id(conditional), seed
    return observed.once(key, partial(_completed_rows, observed, conditional, seed))


def _completed_rows(observed: Observed, conditional: Conditional, seed: int) -> Observed:
    # Drawn in an order that contents decide, and put back into their own.
    rows, numbers = observed.labelled().by_contents()
    completed, owners = complete_labelled(observed, rows, conditional, seed, COPIES)
    return completed.select(np.argsort(numbers[owners], kind="stable"))


def complete_labelled(
    observed: Observed, labelled: Observed, conditional: Conditional, seed: int, copies: int
) -> tuple[Observed, IntArray]:
    """Return rows that have a label, each as often as it takes to have no holes, and whose it is.

    The rows have holes, and are among those that the model is fitted to.
    """
    table, weights = labelled.table, labelled.sample_weight
    model = observed.fit(conditional, seed)
    done = model.complete(table.source, copies, seed, sample_weight=weights)
    frame = fresh(done.frame)
    # Coded by all rows: a level may be drawn that only rows without a target have.
    filled = table.filled(frame, code_rows(observed.table, frame), done.weights)
    extra = None if labelled.extra is None else labelled.select(done.rows).extra
    return replace(labelled, table=filled, extra=extra), done.rows


@dataclass(frozen=True, eq=False)
class Filled:
    """Features without holes, several copies of a row if it had any."""

    features: Any
    rows: IntArray
    weights: FloatArray

    def average(self, predictions: Any) -> FloatArray:
        """Return the mean of what was said of the copies of each row."""
        said = np.asarray(predictions, dtype=np.float64)
        columns = said.reshape(len(said), -1).T
        means = [np.bincount(self.rows, self.weights * column) for column in columns]
        return np.column_stack(means).astype(np.float64).reshape(-1, *said.shape[1:])


@dataclass(frozen=True, eq=False)
class Filler:
    """Completes features by what the graph's model knows of them.

    `names` are the nodes of all features in their order, None of one that has none. Columns outside
    the graph stay as they are.
    """

    model: GraphModel = field(repr=False)
    names: Sequence[str | None]
    seed: int = 0

    @classmethod
    def of(cls, observed: Observed, model: GraphModel, seed: int = 0) -> Filler:
        """Return what completes rows like some observed ones."""
        return cls(model, tuple(observed.names.values()), seed)

    def fill(self, features: Any) -> Filled | None:
        """Return the features with their holes filled; None if they have none."""
        opened, own = features_by_node(features, self.names)
        nodes = opened.select(*own).rename(own).to_native()
        if not any(mask.any() for mask in missing_cells(nodes, ()).values()):
            return None
        done = self.model.complete(nodes, ASKED_COPIES, self.seed, alike=True)
        completed = nw.from_native(fresh(done.frame), eager_only=True)
        whole = nw.from_native(fresh(rows_of(opened.to_native(), done.rows)), eager_only=True)
        result = whole.with_columns(*(completed[node].alias(name) for name, node in own.items()))
        is_array = isinstance(features, np.ndarray)
        taken = result.to_numpy() if is_array else result.to_native()
        return Filled(taken, done.rows, done.weights)

    def ask(self, task: Task, members: Sequence[Any], features: Any) -> list[FloatArray]:
        """Return what fitted members say of each row; holes are filled once for all of them."""
        filled = self.fill(features)
        return [
            task.predictions(member, features)
            if filled is None or getattr(member, "integrates_holes", False)
            else filled.average(task.predictions(member, filled.features))
            for member in members
        ]


def predictions_of(
    task: Task, members: Sequence[Any], features: Any, filler: Filler | None
) -> list[FloatArray]:
    """Return what fitted members say of each row; rows with holes are completed once for all."""
    if filler is not None:
        return filler.ask(task, members, features)
    return [task.predictions(member, features) for member in members]


@dataclass(frozen=True, eq=False)
class FilledLearner:
    """One fitted learner that is asked about rows with holes, and sees completed ones."""

    learner: Any
    task: Task
    filler: Filler

    @property
    def classes_(self) -> Any:
        """The classes of the learner."""
        return self.learner.classes_

    def predict(self, X: Any) -> Any:
        """Return the mean of the copies, or the class that they make most probable."""
        if self.filler.fill(X) is None:
            return self.learner.predict(X)
        (mean,) = self.filler.ask(self.task, [self.learner], X)
        return mean if self.task.classes is None else self.task.classes[mean.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        """Return the mean of the copies' probabilities."""
        return self._averaged("predict_proba", X)

    def decision_function(self, X: Any) -> Any:
        """Return the mean of the copies' scores."""
        return self._averaged("decision_function", X)

    def _averaged(self, verb: str, X: Any) -> Any:
        filled = self.filler.fill(X)
        if filled is None:
            return getattr(self.learner, verb)(X)
        return filled.average(getattr(self.learner, verb)(filled.features))


def filled(learner: Any, task: Task, filler: Filler | None) -> Any:
    """Return a fitted learner that is asked about rows with holes; itself without a filler."""
    return learner if filler is None else FilledLearner(learner, task, filler)
