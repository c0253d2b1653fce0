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

    def losses(self, fitted: Any, features: Any, target: NDArray[Any]) -> FloatArray:
        """Return the loss of a fitted learner on each row."""


class Regression:
    """Squared errors."""

    loss_name = "MSE"

    def folds(self, target: NDArray[Any], n_splits: int, seed: int) -> Folds:
        """Yield training and held-out rows, shuffled."""
        splitter = KFold(n_splits, shuffle=True, random_state=seed)
        yield from splitter.split(np.empty(len(target)))

    def losses(self, fitted: Any, features: Any, target: NDArray[Any]) -> FloatArray:
        """Return the squared error of each row."""
        predicted = np.asarray(fitted.predict(features), dtype=np.float64).reshape(-1)
        squares: FloatArray = np.square(predicted - target)
        return squares


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
        """Yield training and held-out rows, with the classes in proportion if they can be."""
        counts = np.unique(target, return_counts=True)[1]
        stratified = counts.min() >= n_splits
        kind = StratifiedKFold if stratified else KFold
        splitter = kind(n_splits, shuffle=True, random_state=seed)
        yield from splitter.split(np.empty(len(target)), target)

    def losses(self, fitted: Any, features: Any, target: NDArray[Any]) -> FloatArray:
        """Return minus the log-probability of each row's own class."""
        if not self.has_probabilities:
            wrong: FloatArray = (np.asarray(fitted.predict(features)) != target).astype(np.float64)
            return wrong
        probabilities = aligned_probabilities(fitted, features, self.classes)
        own = probabilities[np.arange(len(target)), np.searchsorted(self.classes, target)]
        surprise: FloatArray = -np.log(np.maximum(own, LEAST_PROBABILITY))
        return surprise


def aligned_probabilities(fitted: Any, features: Any, classes: NDArray[Any]) -> FloatArray:
    """Return probabilities of all classes; one that the learner never saw has none.

    Shapes: classes (n_classes,) sorted, result (n_rows, n_classes).
    """
    found = np.asarray(fitted.predict_proba(features), dtype=np.float64)
    probabilities = np.zeros((len(found), len(classes)))
    probabilities[:, np.searchsorted(classes, fitted.classes_)] = found
    return probabilities
