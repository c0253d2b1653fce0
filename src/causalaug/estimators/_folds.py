"""How rows are held out: our own folds, folds by groups, or any splitter of scikit-learn."""

from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold

from causalaug._random import new_seed
from causalaug._validation import some
from causalaug.estimators._tasks import Task
from causalaug.exceptions import ParameterError
from causalaug.typing import IntArray

Fold = tuple[IntArray, IntArray]
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
    cv: Any = None,
    n_splits: int = 5,
    n_repeats: int = 1,
) -> list[list[Fold]]:
    """Return training and held-out rows, fold by fold, for each repeat.

    A splitter decides alone. Without one, groups stay together if there are any, and otherwise
    the task divides the rows at random. Nothing can be learnt from training rows whose target is
    of one class: such folds are left out.
    """
    if cv is not None:
        return [_usable(cv.split(features, target, groups), task, target)]
    return [
        _usable(_folds(task, target, groups, n_splits, new_seed(rng)), task, target)
        for _ in range(n_repeats)
    ]


def hold_out_labelled(
    task: Task, observed: Any, groups: Any, rng: np.random.Generator, **options: Any
) -> list[list[Fold]]:
    """Return the folds of rows that have a label; the others are training rows in all of them."""
    labels = observed.labels
    features, target = observed.labelled().features_and_target()
    if len(labels) == observed.n_rows:
        return hold_out(task, features, target, groups, rng, **options)
    groups = None if groups is None else groups[labels]
    repeats = hold_out(task, features, target, groups, rng, **options)
    others = np.setdiff1d(np.arange(observed.n_rows), labels)
    return [
        [(np.concatenate([labels[train], others]), labels[held]) for train, held in folds]
        for folds in repeats
    ]


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


def _folds(task: Task, target: Any, groups: Any, n_splits: int, seed: int) -> Iterator[Fold]:
    if groups is None:
        return task.folds(target, min(n_splits, len(target)), seed)
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        raise ParameterError(
            "`groups` must hold at least two groups, so that one can be held out. Found one."
        )
    splitter = GroupKFold(min(n_splits, n_groups), shuffle=True, random_state=seed)
    folds: Iterator[Fold] = splitter.split(np.empty(len(target)), target, groups)
    return folds


def _usable(folds: Any, task: Task, target: Any) -> list[Fold]:
    return [
        (np.asarray(train), np.asarray(held_out))
        for train, held_out in folds
        if task.can_learn(target[train])
    ]
