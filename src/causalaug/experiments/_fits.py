"""One fit of boosted trees: by XGBoost, or by compiled code that gives the same to the bit."""

import warnings
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from causalaug._optional import import_optional
from causalaug.typing import FloatArray, IntArray

LARGEST_COMPILED = 1e18
"""Squares of larger sums may leave the 32-bit floats, so that infinities choose the splits."""


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


class Fit(NamedTuple):
    """What trees are fitted to, what they are asked for, and how they are grown.

    Parameters
    ----------
    rows : WeightedRows
        What is learned.
    asked : array of shape (n_asked, n_features)
        The rows to predict.
    rounds : sequence of int
        After how many rounds to predict.
    reg_lambda : float
        The penalty on the squared values of the leaves.
    tree_method : {"exact", "hist"}
        Whether every value may become a threshold, or 256 quantiles of each column.
    base_score : float or None
        The prediction before the first tree; None lets XGBoost take the mean of the target.
    max_depth : int
        The depth of a tree.
    """

    rows: WeightedRows
    asked: FloatArray
    rounds: Sequence[int]
    reg_lambda: float
    tree_method: str = "exact"
    base_score: float | None = 0.5
    max_depth: int = 6


def predict_stages(fit: Fit) -> FloatArray:
    """Return what is predicted after each number of rounds, shape (n_stages, n_asked)."""
    if may_be_compiled(fit) and compiled_trees_agree():
        return predict_compiled(fit)
    return predict_by_xgboost(fit)


def predict_by_xgboost(fit: Fit) -> FloatArray:
    """Return the predictions of XGBoost, on one thread."""
    xgboost = import_optional("xgboost", extra="experiments", purpose="Boosting in experiments")
    settings: dict[str, Any] = {
        "objective": "reg:squarederror",
        "tree_method": fit.tree_method,
        "max_depth": fit.max_depth,
        "reg_lambda": fit.reg_lambda,
        "nthread": 1,
    }
    if fit.base_score is not None:
        settings["base_score"] = fit.base_score
    features, target, weight = fit.rows
    matrix = xgboost.DMatrix(features, target, weight=weight, nthread=1)
    model = xgboost.Booster(settings, [matrix])
    for number in range(max(fit.rounds)):
        model.update(matrix, number)
    matrix = xgboost.DMatrix(fit.asked, nthread=1)
    stages = [model.predict(matrix, iteration_range=(0, n_rounds)) for n_rounds in fit.rounds]
    return np.stack(stages).astype(np.float64)


def predict_compiled(fit: Fit) -> FloatArray:
    """Return the predictions of the compiled trees."""
    from causalaug.experiments import _exact_trees

    stages = _exact_trees.predict_stages(
        *fit.rows,
        fit.rounds,
        fit.asked,
        reg_lambda=fit.reg_lambda,
        base_score=fit.base_score or 0.0,
        max_depth=fit.max_depth,
    )
    return stages.astype(np.float64)


def may_be_compiled(fit: Fit) -> bool:
    """Return whether the compiled trees are made for it; XGBoost says what is wrong otherwise."""
    if fit.tree_method != "exact" or fit.base_score is None:
        return False
    features, target, weight = fit.rows
    if not features.size or fit.asked.shape[1:] != features.shape[1:]:
        return False
    if not len(features) == len(target) == len(weight):
        return False
    largest_residual = np.abs(target).max() + abs(fit.base_score)
    return bool(
        min(fit.rounds) > 0
        and fit.max_depth > 0
        and (fit.reg_lambda == 0.0 or 1e-30 < fit.reg_lambda < 1e30)
        and weight.min() >= 0.0
        and largest_residual * max(weight.sum(), 1.0) < LARGEST_COMPILED
        and np.abs(features).max() < LARGEST_COMPILED
        and np.abs(fit.asked).max(initial=0.0) < LARGEST_COMPILED
    )


@cache
def compiled_trees_agree() -> bool:
    """Return whether there are compiled trees that equal those of the XGBoost that is installed.

    Another version, or another machine, may round otherwise. Fits that are known to notice it
    are done both ways.
    """
    if find_spec("numba") is None:
        return False
    expected = [predict_by_xgboost(fit) for fit in probes()]
    try:
        from causalaug.experiments._exact_trees import IS_COMPILED

        return IS_COMPILED and all(map(np.array_equal, map(predict_compiled, probes()), expected))
    except Exception as error:
        # Whatever is wrong with a compiler or with what it kept: XGBoost does the same.
        warnings.warn(
            f"numba is installed, but compiling with it fails: {type(error).__name__}: {error}. "
            "XGBoost grows the trees instead, which takes longer.",
            RuntimeWarning,
            stacklevel=2,
        )
        return False


def probes() -> list[Fit]:
    """Return fits that notice other sums, other gains, other cuts and other leaves.

    Many splits differ by rounding alone where rows are copies with tiny weights. A column has
    neighbouring floats only, between which there is no middle. Rows between the fitted ones
    show where the cuts lie, and weights below 1 whether a leaf is filled.
    """
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 6)).round(1)
    table[:, -1] = 1.0 + table[:, -1].round() * np.finfo(np.float32).eps
    copies = table[rng.integers(60, size=(120, 6)), np.arange(6)]
    copies[::2] = table
    both = np.vstack([table, copies])
    weight = np.concatenate([np.full(60, 0.5), 10.0 ** rng.uniform(-40.0, 0.0, 120)])
    rows = WeightedRows(both[:, 1:], both[:, 0], weight)
    light = rows._replace(weight=weight / weight.sum() / 2.0)
    between = rng.normal(size=(200, 5))
    between[:, -1] = rng.choice(both[:, -1], 200)
    asked = np.vstack([rows.features, between])
    return [
        Fit(rows, asked, rounds=(50,), reg_lambda=1.0),
        Fit(rows, asked, rounds=(50,), reg_lambda=100.0),
        Fit(light, asked, rounds=(5,), reg_lambda=1.0),
    ]
