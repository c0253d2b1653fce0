"""Learners by name."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier

from causalaug.evaluation import LEARNERS, named_learner
from causalaug.exceptions import MissingDependencyError, ParameterError

FEATURES = pd.DataFrame({"alloy": ["brass", "steel"] * 20, "load": np.arange(40.0)})


@pytest.mark.parametrize("classification", [False, True])
@pytest.mark.parametrize("name", LEARNERS)
def test_each_learns_from_text_and_numbers_with_weights(name, classification):
    if name == ("ridge" if classification else "logistic"):
        return
    learner = named_learner(name, FEATURES, classification=classification)
    assert is_classifier(learner) == classification
    step = learner.steps[-1][0]
    target = np.repeat([0, 1], 20)
    learner.fit(FEATURES, target, **{f"{step}__sample_weight": np.ones(40)})
    assert np.mean(np.abs(learner.predict(FEATURES) - target)) < 0.5


def test_a_linear_learner_of_the_other_task_is_refused():
    with pytest.raises(ParameterError, match="'ridge' must predict numbers.*Use 'logistic'"):
        named_learner("ridge", FEATURES, classification=True)
    with pytest.raises(ParameterError, match="'logistic' must predict classes.*Use 'ridge'"):
        named_learner("logistic", FEATURES, classification=False)


def test_a_name_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="`estimator` must be one of"):
        named_learner("oracle", FEATURES, classification=False)


def test_without_xgboost_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(MissingDependencyError, match=r"causalaug\[xgboost\]"):
        named_learner("xgboost", FEATURES, classification=False)
