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
        """Yield training and held-out rows, with the classes in proportion.

        Where training rows would be all of one class, nothing can be learnt: that fold is
        left out.
        """
        for train, held_out in self._all_folds(target, n_splits, seed):
            if len(np.unique(target[train])) > 1:
                yield train, held_out

    def _all_folds(self, target: NDArray[Any], n_splits: int, seed: int) -> Folds:
        if np.unique(target, return_counts=True)[1].min() >= n_splits:
            splitter = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
            yield from splitter.split(np.empty(len(target)), target)
            return
        shuffled = np.random.default_rng(seed).permutation(len(target))
        fold = np.empty(len(target), dtype=np.int64)
        fold[shuffled[np.argsort(target[shuffled], kind="stable")]] = (
            np.arange(len(target)) % n_splits
        )
        for number in range(n_splits):
            yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)

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
    known = np.searchsorted(classes, fitted.classes_)
    # A learner that saw one class is sure of it; some return two columns even then.
    probabilities[:, known] = found if len(known) > 1 else 1.0
    return probabilities
