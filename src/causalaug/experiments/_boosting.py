"""Gradient-boosted trees that are fitted once and judged at several numbers of rounds."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from causalaug._optional import import_optional
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

    def fit(self, rows: WeightedRows, reg_lambda: float, n_rounds: int) -> Any:
        """Return XGBoost's model after `n_rounds`, on one thread."""
        xgboost = _import_xgboost()
        settings: dict[str, Any] = {
            "objective": "reg:squarederror",
            "tree_method": self.tree_method,
            "max_depth": self.max_depth,
            "reg_lambda": reg_lambda,
            "nthread": 1,
        }
        if self.base_score is not None:
            settings["base_score"] = self.base_score
        matrix = xgboost.DMatrix(rows.features, rows.target, weight=rows.weight, nthread=1)
        model = xgboost.Booster(settings, [matrix])
        for number in range(n_rounds):
            model.update(matrix, number)
        return model


def predict_at(model: Any, features: FloatArray, n_rounds: int) -> FloatArray:
    """Return what the model predicted after its first `n_rounds` rounds."""
    matrix = _import_xgboost().DMatrix(features, nthread=1)
    prediction: FloatArray = model.predict(matrix, iteration_range=(0, n_rounds))
    return prediction.astype(np.float64)


def staged_losses(
    booster: Booster, grid: BoostingGrid, reg_lambda: float, train: WeightedRows, test: WeightedRows
) -> FloatArray:
    """Return the squared error of each test row at each number of rounds, from one fit.

    Shape: (n_rounds, n_test).
    """
    model = booster.fit(train, reg_lambda, max(grid.rounds))
    predicted = [predict_at(model, test.features, n_rounds) for n_rounds in grid.rounds]
    losses: FloatArray = np.square(np.stack(predicted) - test.target)
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


def _import_xgboost() -> Any:
    return import_optional("xgboost", extra="experiments", purpose="Boosting in experiments")
