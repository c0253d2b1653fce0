"""Whether a target is predicted as numbers or as classes: one rule for all who ask."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from sklearn.base import is_classifier

from causalaug._validation import check_choice
from causalaug.table import MOST_RANKS

REGRESSION, CLASSIFICATION = "regression", "classification"
TASKS = (CLASSIFICATION, REGRESSION)


def task_of(target: Any, task: str | None = None, estimator: Any = None) -> str:
    """Return "regression" or "classification".

    What is said decides: the task, or else what the estimator is. Without either, text, booleans
    and categories are classes; numbers are classes if they are whole and exactly two differ, as 0
    and 1 do; all other numbers are numbers, also stages such as 1, 2 and 3.

    Parameters
    ----------
    target : series
        The cells of the target; some may be missing.
    task : {"regression", "classification"}, optional
        The task, if it is known.
    estimator : estimator, optional
        The learner, if there is one.

    Examples
    --------
    >>> import pandas as pd
    >>> task_of(pd.Series([0, 1, 1])), task_of(pd.Series([1.0, 2.0, 3.0, None]))
    ('classification', 'regression')
    >>> task_of(pd.Series([0, 1, 1]), "regression"), task_of(pd.Series(["a", "b", "c"]))
    ('regression', 'classification')
    """
    if task is not None:
        check_choice("task", task, TASKS)
        return task
    if estimator is not None:
        return CLASSIFICATION if is_classifier(estimator) else REGRESSION
    numbers = _numbers(target)
    if numbers is None:
        return CLASSIFICATION
    return CLASSIFICATION if _are_two(numbers) else REGRESSION


def note_on_task(name: str, target: Any, task: str) -> str | None:
    """Return one line on how a target of numbers was taken, where it might be either.

    Parameters
    ----------
    name : str
        The name of the target.
    target : series
        Its cells.
    task : str
        How it was taken.
    """
    numbers = _numbers(target)
    if numbers is None:
        return None
    if _are_two(numbers):
        found = "has two values"
    elif _are_stages(numbers):
        found = f"has {len(np.unique(numbers))} whole values"
    else:
        return None
    other = REGRESSION if task == CLASSIFICATION else CLASSIFICATION
    taken = {REGRESSION: "a number", CLASSIFICATION: "classes"}
    return (
        f'{name} {found} and is predicted as {taken[task]}; task="{other}" predicts {taken[other]}.'
    )


def _numbers(target: Any) -> Any:
    """Return the cells that are there as floats; None if they are no numbers."""
    series = nw.from_native(target, series_only=True, strict=False)
    if not isinstance(series, nw.Series) or not series.dtype.is_numeric():
        return None
    cells = np.asarray(series.drop_nulls().to_numpy(), dtype=np.float64)
    return cells[~np.isnan(cells)]


def _are_two(numbers: Any) -> bool:
    return len(np.unique(numbers)) == 2 and bool((numbers == np.rint(numbers)).all())


def _are_stages(numbers: Any) -> bool:
    """Say whether numbers are whole and few, such as stages, however they are stored."""
    distinct = np.unique(numbers)
    return 2 < len(distinct) <= MOST_RANKS and bool((distinct == np.round(distinct)).all())
