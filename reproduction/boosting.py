"""Gradient-boosted trees that are fitted once and judged at several numbers of rounds."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import xgboost

from causalaug.typing import FloatArray, IntArray


class WeightedRows(NamedTuple):
    """What a learner is fitted to: features, target and weight of each row."""

    features: FloatArray
    target: FloatArray
    weight: FloatArray

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.target)

    def at(self, rows: IntArray) -> "WeightedRows":
        """Return some of the rows."""
        return WeightedRows(self.features[rows], self.target[rows], self.weight[rows])


@dataclass(frozen=True)
class BoostingGrid:
    """The settings among which a search chooses.

    Parameters
    ----------
    rounds : tuple of int, default=(10, 50, 250, 1250)
        Numbers of boosting rounds, ascending. All are read off one fit of the most rounds.
    reg_lambda : tuple of float, default=(1, 10, 100, 1000)
        Penalties on the squared values of the leaves.
    """

    rounds: tuple[int, ...] = (10, 50, 250, 1250)
    reg_lambda: tuple[float, ...] = (1.0, 10.0, 100.0, 1000.0)


@dataclass(frozen=True)
class Booster:
    """How trees are grown: what XGBoost itself chose in the year of the paper, or today.

    Parameters
    ----------
    tree_method : {"exact", "hist"}
        Whether every value may become a threshold, or 256 quantiles of each column.
    base_score : float or None
        The prediction before the first tree; None lets XGBoost take the mean of the target.
    max_depth : int
        The depth of a tree: at most 64 leaves.
    """

    tree_method: str = "hist"
    base_score: float | None = None
    max_depth: int = 6

    def predict_stages(
        self, rows: WeightedRows, reg_lambda: float, rounds: Sequence[int], asked: FloatArray
    ) -> FloatArray:
        """Return what is predicted for the features `asked` after each number of rounds.

        All come from one fit of the most rounds, on one thread.
        Shapes: asked (n_asked, n_features), result (n_stages, n_asked).
        """
        settings: dict[str, Any] = {
            "objective": "reg:squarederror",
            "tree_method": self.tree_method,
            "max_depth": self.max_depth,
            "reg_lambda": reg_lambda,
            "nthread": 1,
        }
        if self.base_score is not None:
            settings["base_score"] = self.base_score
        features, target, weight = rows
        matrix = xgboost.DMatrix(features, target, weight=weight, nthread=1)
        model = xgboost.Booster(settings, [matrix])
        for number in range(max(rounds)):
            model.update(matrix, number)
        matrix = xgboost.DMatrix(asked, nthread=1)
        stages = [model.predict(matrix, iteration_range=(0, n_rounds)) for n_rounds in rounds]
        return np.stack(stages).astype(np.float64)

    def predict(
        self, rows: WeightedRows, reg_lambda: float, n_rounds: int, asked: FloatArray
    ) -> FloatArray:
        """Return what is predicted for the features `asked` after the last round."""
        return self.predict_stages(rows, reg_lambda, (n_rounds,), asked).ravel()


def staged_losses(
    booster: Booster, grid: BoostingGrid, reg_lambda: float, train: WeightedRows, test: WeightedRows
) -> FloatArray:
    """Return the squared error of each test row at each number of rounds, from one fit.

    Shape: (n_rounds, n_test).
    """
    predicted = booster.predict_stages(train, reg_lambda, grid.rounds, test.features)
    losses: FloatArray = np.square(predicted - test.target)
    return losses


def search_grid(
    booster: Booster, grid: BoostingGrid, folds: Iterable[tuple[WeightedRows, WeightedRows]]
) -> FloatArray:
    """Return the mean of the folds' weighted losses, shape (n_rounds, n_lambda)."""
    scores = [
        [
            np.average(staged_losses(booster, grid, reg_lambda, *fold), axis=1, weights=fold[1][2])
            for reg_lambda in grid.reg_lambda
        ]
        for fold in folds
    ]
    mean: FloatArray = np.mean(scores, axis=0).T
    return mean


def best_of_grid(grid: BoostingGrid, losses: FloatArray) -> tuple[int, float]:
    """Return the rounds and the penalty of the smallest loss; the first of equals wins.

    >>> best_of_grid(BoostingGrid((10, 50), (1.0, 9.0)), np.array([[3.0, 2.0], [2.0, 4.0]]))
    (10, 9.0)
    """
    stage, penalty = np.unravel_index(int(np.argmin(losses)), losses.shape)
    return grid.rounds[int(stage)], grid.reg_lambda[int(penalty)]


def unshuffled_folds(n_rows: int, n_folds: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the rows to train on and the rows held out: blocks of the rows as they come.

    >>> [held_out.tolist() for _, held_out in unshuffled_folds(5, 3)]
    [[0, 1], [2, 3], [4]]
    """
    blocks: Sequence[IntArray] = np.array_split(np.arange(n_rows), n_folds)
    for number, held_out in enumerate(blocks):
        yield np.concatenate([*blocks[:number], *blocks[number + 1 :]]), held_out
