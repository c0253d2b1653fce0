"""Learners that know a causal graph, for scikit-learn."""

from causalaug.estimators._augmenter import CausalAugmenter
from causalaug.estimators._base import default_conditional, default_expansion
from causalaug.estimators._blend import Blend, Gate, GateResult, simplest_within_error
from causalaug.estimators._candidates import Candidate, TrainingSet
from causalaug.estimators._classifier import AugmentedClassifier
from causalaug.estimators._folds import (
    Classification,
    Regression,
    Task,
    check_groups,
    check_splitter,
    hold_out,
    numbers_of_copies,
    warn_of_copies,
)
from causalaug.estimators._graph import GraphClassifier, GraphRegressor
from causalaug.estimators._input import (
    TIMES,
    classes_of,
    sorts_of,
    warn_of_no_labels,
    warn_of_number_texts,
)
from causalaug.estimators._learner import check_learner, seeded
from causalaug.estimators._predictors import predict_in_blocks
from causalaug.estimators._preprocessing import (
    default_booster,
    is_filled_in,
    with_encoding,
    with_holes,
)
from causalaug.estimators._regressor import AugmentedRegressor

__all__ = [
    "TIMES",
    "AugmentedClassifier",
    "AugmentedRegressor",
    "Blend",
    "Candidate",
    "CausalAugmenter",
    "Classification",
    "Gate",
    "GateResult",
    "GraphClassifier",
    "GraphRegressor",
    "Regression",
    "Task",
    "TrainingSet",
    "check_groups",
    "check_learner",
    "check_splitter",
    "classes_of",
    "default_booster",
    "default_conditional",
    "default_expansion",
    "hold_out",
    "numbers_of_copies",
    "predict_in_blocks",
    "warn_of_copies",
    "warn_of_no_labels",
    "warn_of_number_texts",
    "is_filled_in",
    "seeded",
    "simplest_within_error",
    "sorts_of",
    "with_encoding",
    "with_holes",
]
