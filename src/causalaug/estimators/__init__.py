"""Learners that know a causal graph, for scikit-learn."""

from causalaug.estimators._augmenter import CausalAugmenter
from causalaug.estimators._base import default_conditional, default_expansion
from causalaug.estimators._blend import Blend
from causalaug.estimators._classifier import AugmentedClassifier
from causalaug.estimators._defaults import default_booster
from causalaug.estimators._doors import TIMES, classes_of, sorts_of
from causalaug.estimators._encoding import with_encoding
from causalaug.estimators._filled_in import is_filled_in, with_holes
from causalaug.estimators._folds import check_groups, check_splitter, hold_out
from causalaug.estimators._gate import Gate, GateResult, simplest_within_error
from causalaug.estimators._graph import GraphClassifier, GraphRegressor
from causalaug.estimators._learner import check_learner, seeded
from causalaug.estimators._regressor import AugmentedRegressor
from causalaug.estimators._tasks import Classification, Regression, Task

__all__ = [
    "TIMES",
    "AugmentedClassifier",
    "AugmentedRegressor",
    "Blend",
    "CausalAugmenter",
    "Classification",
    "Gate",
    "GateResult",
    "GraphClassifier",
    "GraphRegressor",
    "Regression",
    "Task",
    "check_groups",
    "check_learner",
    "check_splitter",
    "classes_of",
    "default_booster",
    "default_conditional",
    "default_expansion",
    "hold_out",
    "is_filled_in",
    "seeded",
    "simplest_within_error",
    "sorts_of",
    "with_encoding",
    "with_holes",
]
