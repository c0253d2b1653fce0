"""What a blend is made of: the graph's model, and the weighted mean of members within bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from causalaug.estimators._tasks import Task
    from causalaug.model import GraphModel, Prediction
    from causalaug.typing import FloatArray

MARGIN = 0.5
"""How far the graph's model may predict outside the observed targets, as a share of their range. A
model that is wrong is at its worst where it extrapolates, and held-out rows may not show it. With
.1 the gain on heavy-tailed targets was cut (a star of eleven linear signs: -56 instead of -59%
against boosting, 60 rows); .5, 1 and 3 differ nowhere, wrong graphs included (models of seeds
240,000 and up)."""

LEARNER_MARGIN = 1.0
"""The same for a learner with new rows, which can extrapolate further than one without them: on a
tenth of the rows of Sachs, whose tails are heavy, ridge regression did. Without a bound the blend
around the best plain learner changed the test error by -1% there, with 3, 1 and .5 by -19, -23 and
-24, and its worst split by +21 without and by 0 with each (ten splits of seeds 600,000 and up). A
straight line may be right to go on: with .5 the worst model whose graph was wrong lost 6%, with 1
3% (48 models of seeds 450,000 and up)."""

Bounds = tuple[float, float]

PREDICTED_AT_ONCE = 2048
"""Rows whose distributions are held at a time: each takes about a hundred numbers, and of the
answer one is kept."""


def bounds_of(targets: FloatArray, margin: float) -> Bounds:
    """Return the least and the largest prediction: a share of the targets' range outside it.

    >>> bounds_of(np.array([1.0, 5.0, 3.0]), margin=0.5)
    (-1.0, 7.0)
    """
    beyond = margin * float(np.ptp(targets))
    return float(targets.min()) - beyond, float(targets.max()) + beyond


def within(predictions: FloatArray, bounds: Bounds | None) -> FloatArray:
    """Return predictions, each moved to the next bound if it is outside; None sets no bounds."""
    return predictions if bounds is None else np.clip(predictions, *bounds)


def predict_in_blocks(model: GraphModel, target: str, frame: Any) -> Iterator[Prediction]:
    """Yield predictions of some rows after the others, so that memory stays small."""
    opened = nw.from_native(frame, eager_only=True)
    for start in range(0, max(len(opened), 1), PREDICTED_AT_ONCE):
        yield model.predict(target, opened[start : start + PREDICTED_AT_ONCE].to_native())


@dataclass(frozen=True, eq=False)
class ModelMember:
    """Predicts the target given the rest.

    Parameters
    ----------
    model : GraphModel
        The model.
    target : str
        What is predicted.
    names : tuple of str
        The node of each feature.
    classes_ : array, optional
        The classes, sorted; None for a number.
    bounds : (float, float), optional
        The least and the largest prediction of a number.
    """

    model: GraphModel = field(repr=False)
    target: str
    names: tuple[str, ...] = field(repr=False)
    classes_: NDArray[Any] | None = None
    bounds: Bounds | None = None

    @classmethod
    def of(
        cls,
        model: GraphModel,
        target: str,
        classes: NDArray[Any] | None,
        names: tuple[str, ...],
    ) -> ModelMember:
        """Return the model as a learner of the target."""
        bounds = None
        if classes is None:
            bounds = bounds_of(model.table.present(model.table.index(target)), MARGIN)
        return cls(model, target, names, classes, bounds)

    def predict(self, X: Any) -> Any:
        """Return the mean of the target, or its most probable class."""
        if self.classes_ is not None:
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        parts = predict_in_blocks(self.model, self.target, self._named(X))
        mean = np.concatenate([np.asarray(part.mean, dtype=np.float64) for part in parts])
        return within(mean, self.bounds)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class."""
        assert self.classes_ is not None
        return probabilities_of(self.model.predict(self.target, self._named(X)), self.classes_)

    def _named(self, X: Any) -> Any:
        if isinstance(X, np.ndarray):
            return pd.DataFrame(X, columns=list(self.names))
        opened = nw.from_native(X, eager_only=True)
        return opened.rename(dict(zip(opened.columns, self.names, strict=True))).to_native()


@dataclass(frozen=True, eq=False)
class WeightedMembers:
    """Fitted learners whose predictions are averaged by weight.

    Parameters
    ----------
    members : tuple of (float, estimator)
        Weights, which sum to one, and fitted learners.
    task : Task
        What of them is averaged: numbers, or the probabilities of classes.
    ask : callable, optional
        Returns what each of some members says of rows that may have holes, given the task, the
        members and the features.
    bounds : tuple of (float, float) or None
        The least and the largest prediction of each member; None for one without bounds.
    """

    members: tuple[tuple[float, Any], ...]
    task: Task
    ask: Callable[[Task, Sequence[Any], Any], list[FloatArray]] | None
    bounds: tuple[Bounds | None, ...]

    @classmethod
    def of(
        cls,
        weights: Iterable[float],
        candidates: Iterable[Any],
        fitted: dict[Any, Any],
        task: Task,
        ask: Callable[[Task, Sequence[Any], Any], list[FloatArray]] | None,
        bounds: Bounds | None,
    ) -> WeightedMembers:
        """Return those candidates that have weight; the bounds are for those with new rows."""
        pairs = [(float(w), each) for w, each in zip(weights, candidates, strict=True) if w > 0.0]
        members = tuple((weight, fitted[each]) for weight, each in pairs)
        return cls(members, task, ask, tuple(each.bounds(bounds) for _, each in pairs))

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        classes: NDArray[Any] = self.task.classes  # type: ignore[attr-defined]
        return classes

    def predict_mean(self, X: Any) -> FloatArray:
        """Return the weighted mean: numbers, or one probability per class."""
        members = [member for _, member in self.members]
        if self.ask is None:
            said = [self.task.predictions(member, X) for member in members]
        else:
            said = self.ask(self.task, members, X)
        parts = [
            weight * within(each, bounds)
            for (weight, _), each, bounds in zip(self.members, said, self.bounds, strict=True)
        ]
        total: FloatArray = np.sum(parts, axis=0)
        return total

    def predict(self, X: Any) -> Any:
        """Return the weighted mean, or the class that is most probable by it."""
        mean = self.predict_mean(X)
        return mean if mean.ndim == 1 else self.classes_[mean.argmax(axis=1)]

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the weighted mean of the classes' probabilities."""
        return self.predict_mean(X)


def probabilities_of(prediction: Any, classes: NDArray[Any]) -> FloatArray:
    """Return the probabilities of all classes; a level that the model never saw has none.

    Shapes: classes (n_classes,) sorted, result (n_rows, n_classes).
    """
    found = np.asarray(prediction.probabilities, dtype=np.float64)
    result = np.zeros((len(found), len(classes)))
    # Days may be timestamps on one side and plain numpy on the other: an index knows both.
    result[:, pd.Index(classes).get_indexer(pd.Index(prediction.levels))] = found
    return result
