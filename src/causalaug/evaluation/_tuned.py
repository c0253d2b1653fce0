"""Plain learners that choose a setting of their own: a gain over an untuned rival is none."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from causalaug.estimators import Classification, Regression
from causalaug.evaluation._gaussian_process import ROWS_OF_SEARCH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from causalaug.estimators import Task
    from causalaug.typing import FloatArray

N_FOLDS = 2
"""Folds of a search: light, since it is done within every fold of a comparison."""

LEAST_SHARE = 0.01
"""A class that no tree names is taken to be as likely: a hundred trees cannot say less."""


class _Chosen(BaseEstimator):
    """What predicts by the setting that was chosen, `estimator_`."""

    def predict(self, X: Any) -> Any:
        """Predict with the chosen setting."""
        return self.estimator_.predict(np.asarray(X))

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class."""
        return self.estimator_.predict_proba(np.asarray(X))

    def __sklearn_tags__(self) -> Any:
        """Say that features may be missing if the learner takes that."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags


class TunedForest(_Chosen):
    """A forest whose leaves are as large as the rows that its trees did not see speak for.

    Each of two forests has half of the trees, so that the choice costs nothing.

    Parameters
    ----------
    estimator : estimator
        A random forest.
    leaves : tuple of int
        The fewest rows of a leaf.
    """

    def __init__(self, estimator: Any, leaves: tuple[int, ...] = (1, 5)) -> None:
        self.estimator = estimator
        self.leaves = leaves

    def fit(self, X: Any, y: Any) -> TunedForest:
        """Fit a forest with each size of leaves, and keep the better one."""
        X, y = np.asarray(X), np.asarray(y)
        n_trees = max(self.estimator.n_estimators // len(self.leaves), 1)
        options = {"n_estimators": n_trees, "oob_score": True, "bootstrap": True}
        with warnings.catch_warnings():
            # With few trees some rows are in all their samples; they have no say.
            warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
            forests = [
                clone(self.estimator).set_params(min_samples_leaf=leaf, **options).fit(X, y)
                for leaf in self.leaves
            ]
        self.estimator_ = min(forests, key=lambda forest: _unseen_loss(forest, y))
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = self.estimator_.classes_
        return self


def _unseen_loss(forest: Any, y: Any) -> float:
    """Return the mean loss of rows by the trees that did not see them."""
    if not hasattr(forest, "classes_"):
        return float(np.square(forest.oob_prediction_ - y).mean())
    said = forest.oob_decision_function_
    own = said[np.arange(len(y)), np.searchsorted(forest.classes_, y)]
    known = np.isfinite(own)
    return float(-np.log(np.maximum(own[known], LEAST_SHARE)).mean()) if known.any() else 0.0


class Tuned(_Chosen):
    """A learner with that of a few settings that predicts held-out rows best.

    Parameters
    ----------
    estimator : estimator
        The learner.
    grid : sequence of mappings
        The settings, the default first: it wins ties, and where rows are too few to try.
    classification : bool
        Whether classes are predicted; they are judged by their probabilities.
    random_state : int or None
        The seed of the folds.
    """

    def __init__(
        self,
        estimator: Any,
        grid: Sequence[Mapping[str, Any]],
        *,
        classification: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.classification = classification
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Tuned:
        """Choose a setting on folds of at most 300 rows, and fit it to all."""
        X, y = np.asarray(X), np.asarray(y)
        rng = np.random.default_rng(self.random_state)
        some = rng.permutation(len(y))[:ROWS_OF_SEARCH]
        losses = self._losses(X[some], y[some], int(rng.integers(2**31)))
        self.best_ = self.grid[int(np.argmin(losses))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.estimator_ = clone(self.estimator).set_params(**self.best_).fit(X, y)
        if self.classification:
            self.classes_ = self.estimator_.classes_
        return self

    def _losses(self, X: Any, y: Any, seed: int) -> FloatArray:
        """Return the loss of each setting, 0 of all where rows are too few to hold any out."""
        task: Task = Classification(np.unique(y), True) if self.classification else Regression()
        total = np.zeros(len(self.grid))
        if len(y) < 2 * N_FOLDS:
            return total
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            for train, held_out in task.folds(y, N_FOLDS, seed):
                for place, setting in enumerate(self.grid):
                    tried = clone(self.estimator).set_params(**setting).fit(X[train], y[train])
                    total[place] += task.losses(tried, X[held_out], y[held_out]).sum()
        return total
