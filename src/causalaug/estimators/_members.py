"""What a blend is made of: the graph's model within bounds, and the weighted mean of members."""

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
"""How far a prediction may lie outside the observed targets, as a share of their range. A model
that is wrong is at its worst where it extrapolates, and held-out rows may not show it. With .1 the
gain on heavy-tailed targets was cut (a star of eleven linear signs: -56 instead of -59% against
boosting, 60 rows); .5, 1 and 3 differ nowhere, wrong graphs included (models of seeds 240,000
and up)."""


PREDICTED_AT_ONCE = 2048
"""Rows whose distributions are held at a time: each takes about a hundred numbers, and of the
answer one is kept."""


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
    bounds: tuple[float, float] | None = None

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
            values = model.table.present(model.table.index(target))
            margin = MARGIN * float(np.ptp(values))
            bounds = float(values.min()) - margin, float(values.max()) + margin
        return cls(model, target, names, classes, bounds)

    def predict(self, X: Any) -> Any:
        """Return the mean of the target, or its most probable class."""
        if self.classes_ is not None:
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        parts = predict_in_blocks(self.model, self.target, self._named(X))
        mean = np.concatenate([np.asarray(part.mean, dtype=np.float64) for part in parts])
        return mean if self.bounds is None else np.clip(mean, *self.bounds)

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
    """

    members: tuple[tuple[float, Any], ...]
    task: Task
    ask: Callable[[Task, Sequence[Any], Any], list[FloatArray]] | None = None

    @classmethod
    def of(
        cls,
        weights: Iterable[float],
        candidates: Iterable[Any],
        fitted: dict[Any, Any],
        task: Task,
        ask: Callable[[Task, Sequence[Any], Any], list[FloatArray]] | None = None,
    ) -> WeightedMembers:
        """Return those candidates that have weight."""
        pairs = zip(weights, candidates, strict=True)
        return cls(tuple((float(w), fitted[each]) for w, each in pairs if w > 0.0), task, ask)

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
        parts = [weight * each for (weight, _), each in zip(self.members, said, strict=True)]
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
    result[:, np.searchsorted(classes, np.asarray(prediction.levels))] = found
    return result
