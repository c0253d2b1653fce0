"""The same question asked honestly: no lost mass, folds of originals, a gate."""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import pandas as pd

from causalaug.augmentation import AugmentedTable
from causalaug.conditionals import Conditional
from causalaug.estimators import (
    default_conditional,
    default_expansion,
    simplest_within_error,
)
from causalaug.model import fit_model
from causalaug.typing import FloatArray
from reproduction.boosting import (
    Booster,
    BoostingGrid,
    WeightedRows,
    best_of_grid,
    search_grid,
    staged_losses,
    unshuffled_folds,
)
from reproduction.outcome import Outcome, describe_new_rows
from reproduction.splits import Split, paper_columns


@dataclass(frozen=True)
class HonestProtocol:
    """One learner: residuals moved, mass kept, weights that add up to n, a gated share.

    The penalty is chosen for the plain learner. With it, every share is judged on held-out
    originals at its own best number of rounds, with new rows made from the training part of
    each fold. The smallest share within one standard error of the best wins, 0 first.

    Parameters
    ----------
    conditional : Conditional, default=default_conditional()
        How the factors are modelled.
    shares : tuple of float, default=(0.0, 0.25, 0.5, 0.75)
        The weights of the new rows to choose from.
    n_folds : int, default=3
        The number of folds, as many as in the published experiment.
    """

    conditional: Conditional = field(default_factory=default_conditional)
    shares: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75)
    n_folds: int = 3
    booster: Booster = field(default_factory=Booster)

    def run_baseline(self, split: Split, grid: BoostingGrid) -> Outcome:
        """Learn from the originals alone."""
        started = perf_counter()
        rows = split.rows_of(split.train)
        n_rounds, reg_lambda = best_of_grid(grid, self.search_plain(split, grid))
        prediction = self._fit_and_predict(split, rows, n_rounds, reg_lambda)
        seconds = perf_counter() - started
        return Outcome(prediction, n_rounds, reg_lambda, 0.0, None, 0.0, seconds)

    def run_augmented(self, split: Split, grid: BoostingGrid) -> Outcome:
        """Choose the share on held-out originals, and learn with it."""
        started = perf_counter()
        _, reg_lambda = best_of_grid(grid, self.search_plain(split, grid))
        share, n_rounds = self._choose_share(split, grid, reg_lambda)
        chosen = perf_counter()
        augmented = self.make_rows(split, split.train)
        made = perf_counter()
        rows = mix(split, split.train, augmented, share)
        prediction = self._fit_and_predict(split, rows, n_rounds, reg_lambda)
        learned = perf_counter() - made + chosen - started
        new_rows = describe_new_rows(augmented, augmented.weights)
        return Outcome(prediction, n_rounds, reg_lambda, share, new_rows, made - chosen, learned)

    def make_rows(self, split: Split, frame: pd.DataFrame) -> AugmentedTable:
        """Return new rows, as the learners make them of columns as the paper has them."""
        frame = frame.astype({split.target: np.float64})
        model = fit_model(frame, split.graph, self.conditional, **paper_columns(frame))
        return model.make_rows(default_expansion(len(frame)), split.seed)

    def search_plain(self, split: Split, grid: BoostingGrid) -> FloatArray:
        """Return the losses of the plain learner's settings on held-out originals."""
        rows = split.rows_of(split.train)
        folds = unshuffled_folds(rows.n_rows, self.n_folds)
        pairs = ((rows.at(train), rows.at(held_out)) for train, held_out in folds)
        return search_grid(self.booster, grid, pairs)

    def _choose_share(
        self, split: Split, grid: BoostingGrid, reg_lambda: float
    ) -> tuple[float, int]:
        """Return the share and its number of rounds."""
        n_rows = len(split.train)
        losses = np.empty((len(self.shares), len(grid.rounds), n_rows))
        for train, held_out in unshuffled_folds(n_rows, self.n_folds):
            frame = split.train.iloc[train].reset_index(drop=True)
            augmented = self.make_rows(split, frame)
            judged = split.rows_of(split.train.iloc[held_out])
            for number, share in enumerate(self.shares):
                rows = mix(split, frame, augmented, share)
                losses[number][:, held_out] = staged_losses(
                    self.booster, grid, reg_lambda, rows, judged
                )
        stages = losses.mean(axis=2).argmin(axis=1)
        at_best = losses[np.arange(len(self.shares)), stages]
        chosen = simplest_within_error(at_best.T, np.ones(n_rows))
        return self.shares[chosen], grid.rounds[int(stages[chosen])]

    def _fit_and_predict(
        self, split: Split, rows: WeightedRows, n_rounds: int, reg_lambda: float
    ) -> FloatArray:
        asked, _ = split.features_and_target(split.test)
        return self.booster.predict(rows, reg_lambda, n_rounds, asked)


def mix(split: Split, frame: pd.DataFrame, augmented: AugmentedTable, share: float) -> WeightedRows:
    """Return originals and new rows as `AugmentedTable.mixed` weighs them, or originals alone."""
    if share == 0.0 or not len(augmented):
        return split.rows_of(frame)
    rows, weights = augmented.mixed(share)
    return WeightedRows(*split.features_and_target(rows), weights)
