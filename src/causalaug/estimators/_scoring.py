"""What differs between regression and classification: folds and losses."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from causalaug.typing import FloatArray, IntArray

LEAST_PROBABILITY = 1e-9
"""Probabilities below it are taken for it: one row must not outweigh all the others."""

Folds = Iterator[tuple[IntArray, IntArray]]


class Task(Protocol):
    """How rows are held out, and what it costs to be wrong on them."""

    @property
    def loss_name(self) -> str:
        """What the losses are."""

    def folds(self, target: NDArray[Any], n_splits: int, seed: int) -> Folds:
        """Yield training and held-out rows."""

    def can_learn(self, target: NDArray[Any]) -> bool:
        """Say whether rows with these targets can teach anything."""

    def predictions(self, fitted: Any, features: Any) -> FloatArray:
        """Return what a fitted learner says of each row, so that it can be averaged."""

    def losses_of(self, predictions: FloatArray, target: NDArray[Any]) -> FloatArray:
        """Return the loss of each row, given what was said of it."""

    def losses(self, fitted: Any, features: Any, target: NDArray[Any]) -> FloatArray:
        """Return the loss of a fitted learner on each row."""

    def residuals(self, predictions: FloatArray, target: NDArray[Any]) -> FloatArray:
        """Return what the predictions of several learners leave of the targets.

        Shape of both: (n_rows, n_learners), or (n_rows, n_learners, n_classes).
        """


class Regression:
    """Squared errors."""

    loss_name = "MSE"

    def folds(self, target: NDArray[Any], n_splits: int, seed: int) -> Folds:
        """Yield training and held-out rows, shuffled."""
        splitter = KFold(n_splits, shuffle=True, random_state=seed)
        yield from splitter.split(np.empty(len(target)))

    def can_learn(self, target: NDArray[Any]) -> bool:
        """Say whether there is a row."""
        return len(target) > 0

    def predictions(self, fitted: Any, features: Any) -> FloatArray:
        """Return one number per row."""
        return np.asarray(fitted.predict(features), dtype=np.float64).reshape(-1)

    def losses_of(self, predictions: FloatArray, target: NDArray[Any]) -> FloatArray:
        """Return squared errors."""
        squares: FloatArray = np.square(predictions - target)
        return squares

    def losses(self, fitted: Any, features: Any, target: NDArray[Any]) -> FloatArray:
        """Return the squared error of each row."""
        return self.losses_of(self.predictions(fitted, features), target)

    def residuals(self, predictions: FloatArray, target: NDArray[Any]) -> FloatArray:
        """Return targets less predictions."""
        left: FloatArray = target[:, np.newaxis] - predictions
        return left


@dataclass(frozen=True, eq=False)
class Classification:
    """Log-losses, or errors where the learner gives no probabilities."""

    classes: NDArray[Any]
    has_probabilities: bool

    @property
    def loss_name(self) -> str:
        """What the losses are."""
        return "log-loss" if self.has_probabilities else "error rate"

    def folds(self, target: NDArray[Any], n_splits: int, seed: int) -> Folds:
        """Yield training and held-out rows, with the classes in proportion.

        Where training rows would be all of one class, nothing can be learnt: that fold is
        left out.
        """
        for train, held_out in self._all_folds(target, n_splits, seed):
            if self.can_learn(target[train]):
                yield train, held_out

    def can_learn(self, target: NDArray[Any]) -> bool:
        """Say whether there are rows of more than one class."""
        return len(np.unique(target)) > 1

    def _all_folds(self, target: NDArray[Any], n_splits: int, seed: int) -> Folds:
        if np.unique(target, return_counts=True)[1].min() >= n_splits:
            splitter = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
            yield from splitter.split(np.empty(len(target)), target)
            return
        shuffled = np.random.default_rng(seed).permutation(len(target))
        fold = np.empty(len(target), dtype=np.int64)
        # Classes in the order in which they come: their names mean nothing.
        _, first, own = np.unique(target[shuffled], return_index=True, return_inverse=True)
        fold[shuffled[np.argsort(first[own], kind="stable")]] = np.arange(len(target)) % n_splits
        for number in range(n_splits):
            yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)

    def predictions(self, fitted: Any, features: Any) -> FloatArray:
        """Return probabilities of the classes; without them, one for the class that is named."""
        if self.has_probabilities:
            return aligned_probabilities(fitted, features, self.classes)
        named = np.searchsorted(self.classes, np.asarray(fitted.predict(features)))
        return np.eye(len(self.classes))[named]

    def losses_of(self, predictions: FloatArray, target: NDArray[Any]) -> FloatArray:
        """Return minus the log-probability of each row's own class, or whether it is missed."""
        own = np.searchsorted(self.classes, target)
        if not self.has_probabilities:
            missed: FloatArray = (predictions.argmax(axis=1) != own).astype(np.float64)
            return missed
        probability = predictions[np.arange(len(target)), own]
        surprise: FloatArray = -np.log(np.maximum(probability, LEAST_PROBABILITY))
        return surprise

    def losses(self, fitted: Any, features: Any, target: NDArray[Any]) -> FloatArray:
        """Return the loss of a fitted learner on each row."""
        return self.losses_of(self.predictions(fitted, features), target)

    def residuals(self, predictions: FloatArray, target: NDArray[Any]) -> FloatArray:
        """Return what is left of one for a row's own class, and of zero for all others."""
        own = np.searchsorted(self.classes, target)
        left: FloatArray = np.eye(len(self.classes))[own][:, np.newaxis] - predictions
        return left


def aligned_probabilities(fitted: Any, features: Any, classes: NDArray[Any]) -> FloatArray:
    """Return probabilities of all classes; one that the learner never saw has none.

    Shapes: classes (n_classes,) sorted, result (n_rows, n_classes).
    """
    found = np.asarray(fitted.predict_proba(features), dtype=np.float64)
    probabilities = np.zeros((len(found), len(classes)))
    known = np.searchsorted(classes, fitted.classes_)
    # A learner that saw one class is sure of it; some return two columns even then.
    probabilities[:, known] = found if len(known) > 1 else 1.0
    return probabilities
