"""How rows are held out, and what it costs to be wrong on them: regression and classification.

Folds are our own, by groups, or those of any splitter of scikit-learn.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from causalaug._random import new_seed
from causalaug._validation import some
from causalaug.exceptions import CausalAugWarning, ParameterError
from causalaug.table import EqualRows
from causalaug.typing import FloatArray, IntArray

Folds = Iterator[tuple[IntArray, IntArray]]


class Task(ABC):
    """How rows are held out, and what it costs to be wrong on them."""

    classes: NDArray[Any] | None
    """The classes, sorted; None where numbers are predicted."""

    @property
    @abstractmethod
    def loss_name(self) -> str:
        """What the losses are."""

    @abstractmethod
    def folds(self, target: NDArray[Any], n_splits: int, seed: int) -> Folds:
        """Yield training and held-out rows."""

    @abstractmethod
    def can_learn(self, target: NDArray[Any]) -> bool:
        """Say whether rows with these targets can teach anything."""

    @abstractmethod
    def predictions(self, fitted: Any, features: Any) -> FloatArray:
        """Return what a fitted learner says of each row, so that it can be averaged."""

    @abstractmethod
    def losses_of(self, predictions: FloatArray, target: NDArray[Any]) -> FloatArray:
        """Return the loss of each row, given what was said of it."""

    @abstractmethod
    def residuals(self, predictions: FloatArray, target: NDArray[Any]) -> FloatArray:
        """Return what the predictions of several learners leave of the targets.

        Shape of both: (n_rows, n_learners), or (n_rows, n_learners, n_classes).
        """

    def losses(self, fitted: Any, features: Any, target: NDArray[Any]) -> FloatArray:
        """Return the loss of a fitted learner on each row."""
        return self.losses_of(self.predictions(fitted, features), target)


class Regression(Task):
    """Squared errors."""

    classes = None
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

    def residuals(self, predictions: FloatArray, target: NDArray[Any]) -> FloatArray:
        """Return targets less predictions."""
        left: FloatArray = target[:, np.newaxis] - predictions
        return left


@dataclass(frozen=True, eq=False)
class Classification(Task):
    """Log-losses, or errors where the learner gives no probabilities."""

    classes: NDArray[Any]
    has_probabilities: bool

    @property
    def loss_name(self) -> str:
        """What the losses are."""
        return "log-loss" if self.has_probabilities else "error rate"

    def folds(self, target: NDArray[Any], n_splits: int, seed: int) -> Folds:
        """Yield training and held-out rows, with the classes in proportion."""
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

    def can_learn(self, target: NDArray[Any]) -> bool:
        """Say whether there are rows of more than one class."""
        return len(np.unique(target)) > 1

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
        # One row that is taken to be impossible must not outweigh all the others.
        surprise: FloatArray = -np.log(np.maximum(probability, 1e-9))
        return surprise

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


Fold = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Which rows are held out: of copies one, which has the weight of all.

    Parameters
    ----------
    repeats : list of lists of (training rows, held-out rows)
        The folds of each repeat. All copies of a row are training rows, or none is.
    weights : array of shape (n_rows,)
        How much each row counts if it is held out.
    """

    repeats: list[list[Fold]]
    weights: FloatArray


_SomeFold = TypeVar("_SomeFold", bound=tuple[Any, ...])


def check_splitter(cv: Any) -> None:
    """Raise unless `cv` is None or a splitter."""
    if cv is not None and (isinstance(cv, type) or not callable(getattr(cv, "split", None))):
        raise ParameterError(
            "`cv` must be a splitter of scikit-learn, such as GroupKFold(5). "
            f"Found {cv!r}. A number of folds goes in as `n_splits`."
        )


def check_groups(groups: Any, n_rows: int) -> Any:
    """Return the groups as an array, one per row, or None."""
    if groups is None:
        return None
    found = np.asarray(groups)
    if found.shape != (n_rows,):
        raise ParameterError(
            f"`groups` must name a group for each of the {n_rows} rows. "
            f"Found an array of shape {found.shape}."
        )
    lacking = np.ma.getmask(groups) | pd.isna(found)
    if lacking.any():
        raise ParameterError(
            "`groups` must name a group for every row. Found none at the rows "
            f"{some(np.flatnonzero(lacking).tolist())}, counted from 0. Give each of them a group, "
            "one of its own if it belongs to no other row, or drop the rows."
        )
    return found


def hold_out(
    task: Task,
    features: Any,
    target: Any,
    groups: Any,
    rng: np.random.Generator,
    *,
    equal: EqualRows | None = None,
    cv: Any = None,
    n_splits: int = 5,
    n_repeats: int = 1,
) -> list[list[Fold]]:
    """Return training and held-out rows, fold by fold, for each repeat.

    A splitter decides alone. Without one, groups stay together if there are any, and otherwise
    the task divides the rows at random, by their contents if these are known (`equal`): copies stay
    together, and the order of the rows does not matter. Nothing can be learnt from training rows
    whose target is of one class: such folds are left out.
    """
    if cv is not None:
        return [_usable(cv.split(features, target, groups), task, target)]
    number = np.arange(len(target)) if equal is None else _numbers(equal)
    return [
        _usable(_folds(task, target, groups, number, n_splits, new_seed(rng)), task, target)
        for _ in range(n_repeats)
    ]


def _numbers(equal: EqualRows) -> IntArray:
    """Return a number for each row by its contents; copies have the same."""
    if equal.are_copies:
        return equal.number
    number = np.empty(len(equal.keys), dtype=np.int64)
    number[np.argsort(equal.keys, kind="stable")] = np.arange(len(number))
    return number


def warn_of_copies(equal: EqualRows, stacklevel: int = 3) -> None:
    """Name equal rows, if most rows have one and that is no chance."""
    if not equal.are_copies or 2 * equal.n_with_equal <= len(equal.weights):
        return
    warnings.warn(
        f"Most rows have an equal one: of {len(equal.weights):,} rows {len(equal.first):,} are "
        "distinct, although a column of numbers tells rows apart. Equal rows are held out "
        "together, and count as one row that weighs as much as all of them. If rows belong "
        "together in another way, as those of one patient do, write groups=...; if they are "
        "copies, drop them, and pass their number as `sample_weight` where it counts.",
        CausalAugWarning,
        stacklevel=stacklevel,
    )


def hold_out_labelled(
    task: Task, observed: Any, groups: Any, rng: np.random.Generator, cv: Any = None, **options: Any
) -> HeldOut:
    """Return the folds of rows that have a label; the others are training rows in all of them."""
    labels, labelled = observed.labels, observed.labelled()
    features, target = labelled.features_and_target()
    groups = None if groups is None else groups[labels]
    equal, weights = labelled.equal_rows(), np.zeros(observed.n_rows)
    weights[labels] = labelled.sample_weight
    repeats = hold_out(task, features, target, groups, rng, equal=equal, cv=cv, **options)
    if cv is None and equal.are_copies:
        number = numbers_of_copies(equal, groups)
        weights[labels] = np.bincount(number, labelled.sample_weight)[number]
        repeats = [
            [(train, _one_of_each(held, number)) for train, held in each] for each in repeats
        ]
    others = np.setdiff1d(np.arange(observed.n_rows), labels)
    found = [
        [(np.concatenate([labels[train], others]), labels[held]) for train, held in folds]
        for folds in repeats
    ]
    return HeldOut(found, weights)


def numbers_of_copies(equal: EqualRows, groups: Any) -> IntArray:
    """Return a number for each row, equal where the rows are copies within one group."""
    if groups is None:
        return equal.number
    _, group = np.unique(groups, return_inverse=True)
    numbers: IntArray = equal.number * (group.max() + 1) + group
    return np.unique(numbers, return_inverse=True)[1]


def _one_of_each(rows: IntArray, number: IntArray) -> IntArray:
    """Return one of the rows that have the same number, in the order of the numbers."""
    return rows[np.unique(number[rows], return_index=True)[1]]


def enough_folds(folds: list[_SomeFold], rows: int | None) -> list[_SomeFold]:
    """Return the first folds that hold out so many rows together; all of them, if they do not.

    A fold may have more to it than training and held-out rows. All else about it stays: candidates
    are judged after learning from as many rows as with all folds, since a small part of a large
    table would speak for those that need few.

    >>> folds = [(np.arange(10, 50), np.arange(10)), (np.arange(40), np.arange(40, 50))]
    >>> [len(enough_folds(folds, rows)) for rows in (10, 11, None)]
    [1, 2, 2]
    """
    if rows is None:
        return folds
    before = np.cumsum([0, *(len(fold[1]) for fold in folds)])[:-1]
    return [fold for fold, held_out in zip(folds, before, strict=True) if held_out < rows]


def _folds(
    task: Task, target: Any, groups: Any, number: IntArray, n_splits: int, seed: int
) -> Iterator[Fold]:
    if groups is None:
        first = np.unique(number, return_index=True)[1]
        for train, held_out in task.folds(target[first], min(n_splits, len(first)), seed):
            is_held = np.isin(number, held_out)
            yield np.flatnonzero(np.isin(number, train)), np.flatnonzero(is_held)
        return
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        raise ParameterError(
            "`groups` must hold at least two groups, so that one can be held out. Found one."
        )
    splitter = GroupKFold(min(n_splits, n_groups), shuffle=True, random_state=seed)
    yield from splitter.split(np.empty(len(target)), target, groups)


def _usable(folds: Any, task: Task, target: Any) -> list[Fold]:
    return [
        (np.asarray(train), np.asarray(held_out))
        for train, held_out in folds
        if task.can_learn(target[train])
    ]
