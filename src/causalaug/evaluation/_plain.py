"""Plain learners, so that nobody is sold a gain over a weak baseline."""

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, RidgeCV

from causalaug.estimators import with_encoding

RIDGE_PENALTIES = np.logspace(-3, 3, 13)
N_TREES = 200


def plain_learners(features: Any, *, classification: bool) -> dict[str, Any]:
    """Return a linear learner, a forest and boosting, for columns of any kind."""
    if classification:
        return {
            "logistic": with_encoding(LogisticRegression(max_iter=1000), features, scale=True),
            "forest": with_encoding(RandomForestClassifier(N_TREES), features),
            "boosting": default_learner(features, classification=True),
        }
    return {
        "ridge": with_encoding(RidgeCV(RIDGE_PENALTIES), features, scale=True),
        "forest": with_encoding(RandomForestRegressor(N_TREES), features),
        "boosting": default_learner(features, classification=False),
    }


def default_learner(features: Any, *, classification: bool) -> Any:
    """Return histogram gradient boosting, for columns of any kind."""
    kind = HistGradientBoostingClassifier if classification else HistGradientBoostingRegressor
    learner = kind(early_stopping=False)
    if get_config()["enable_metadata_routing"]:
        learner = learner.set_fit_request(sample_weight=True)
    return with_encoding(learner, features, one_hot=False)
