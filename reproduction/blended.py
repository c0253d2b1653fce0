"""What a user gets today: the learner of the honest protocol, blended with every default."""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import xgboost

from causalaug.estimators import AugmentedRegressor, Blend
from reproduction.boosting import Booster, BoostingGrid, best_of_grid
from reproduction.honest import HonestProtocol
from reproduction.outcome import Outcome
from reproduction.splits import Split


@dataclass(frozen=True)
class BlendedProtocol:
    """The plain learner of the honest protocol, with its settings, in a blend.

    Rounds and penalty are chosen for the plain learner, by the folds of the honest protocol. The
    blend around it has every default, the kinds of columns included.

    Parameters
    ----------
    blend : Blend
        How the candidates are weighed.
    honest : HonestProtocol
        Whose baseline and settings these are.
    """

    blend: Blend = field(default_factory=Blend)
    honest: HonestProtocol = field(default_factory=HonestProtocol)

    def run_baseline(self, split: Split, grid: BoostingGrid) -> Outcome:
        """Learn from the originals alone."""
        return self.honest.run_baseline(split, grid)

    def run_augmented(self, split: Split, grid: BoostingGrid) -> Outcome:
        """Choose the settings on the originals, and blend."""
        started = perf_counter()
        n_rounds, reg_lambda = best_of_grid(grid, self.honest.search_plain(split, grid))
        train = split.train.astype({split.target: np.float64})
        learner = AugmentedRegressor(
            as_estimator(self.honest.booster, n_rounds, reg_lambda),
            graph=split.graph,
            target=split.target,
            augmented_share=self.blend,
            random_state=split.seed,
        ).fit(train.drop(columns=split.target), train[split.target])
        prediction = np.asarray(learner.predict(split.test.drop(columns=split.target)))
        seconds = perf_counter() - started
        share = learner.augmented_share_
        return Outcome(prediction, n_rounds, reg_lambda, share, None, 0.0, seconds)


def as_estimator(booster: Booster, n_rounds: int, reg_lambda: float) -> xgboost.XGBRegressor:
    """Return the trees as XGBoost's estimator, on one thread."""
    return xgboost.XGBRegressor(
        n_estimators=n_rounds,
        reg_lambda=reg_lambda,
        tree_method=booster.tree_method,
        base_score=booster.base_score,
        max_depth=booster.max_depth,
        n_jobs=1,
    )
