"""The learner fits that a blend or an evaluation asks for, noted and done again alone.

The yardstick for everything that fits a learner is the time of these fits: what is above it, is
ours. `speed.py` and `evaluate_speed.py` use it.
"""

import functools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn.base import clone

from causalaug._threads import one_thread
from causalaug.estimators import seeded
from causalaug.estimators._learner import Learner, Training, weight_keyword
from causalaug.evaluation._comparison import AUGMENTED
from causalaug.evaluation._trials import Fitter, Trial, as_typed


@dataclass(frozen=True, eq=False)
class LearnerFit:
    """A learner and the rows that it was fitted to."""

    learner: Any
    features: Any
    target: Any
    weights: Any = None

    def again(self) -> None:
        """Fit it to the same rows and weights, and do nothing else."""
        learner = clone(self.learner)
        keyword = None if self.weights is None else weight_keyword(learner)
        options = {} if keyword is None else {keyword: self.weights}
        with one_thread(len(self.target)):
            learner.fit(self.features, self.target, **options)


@contextmanager
def noted() -> Iterator[list[LearnerFit]]:
    """Yield a list to which every learner fit of this process is added.

    These are the fits of the augmented learners, and those of the rivals in a comparison.
    """
    fits: list[LearnerFit] = []
    with ExitStack() as patches:
        for owner, name, method in (
            (Learner, "fit", _noted_fit),
            (Fitter, "__call__", _noted_trial),
        ):
            patch = functools.partialmethod(method, fits, getattr(owner, name))
            patches.enter_context(mock.patch.object(owner, name, patch))
        yield fits


def fit_again(fits: list[LearnerFit]) -> None:
    """Do all fits again, one after the other."""
    for fit in fits:
        fit.again()


def _noted_fit(self: Learner, fits: list[LearnerFit], fit: Any, rows: Training, seed: int) -> Any:
    fits.append(LearnerFit(self.estimator, rows.features, rows.target, rows.weights))
    return fit(self, rows, seed)


def _noted_trial(self: Fitter, fits: list[LearnerFit], run: Any, trial: Trial) -> pd.DataFrame:
    if trial.method != AUGMENTED:
        learner = seeded(trial.learner, np.random.default_rng(trial.seed))
        features = nw.from_native(self.features, eager_only=True)[trial.train].to_native()
        fits.append(LearnerFit(learner, features, as_typed(self.labels[trial.train])))
    return run(self, trial)
