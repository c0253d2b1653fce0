"""Plain learners, so that nobody is sold a gain over a weak baseline."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from sklearn import get_config
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import Pipeline, make_pipeline

from causalaug.estimators import default_booster, with_encoding
from causalaug.evaluation._gaussian_process import ColumnsOnly, GaussianProcess

RIDGE_PENALTIES = np.logspace(-3, 3, 13)
N_TREES = 200


def plain_learners(
    features: Any, *, classification: bool, blanket: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return a linear learner, a forest, boosting and a Gaussian process, for columns of any kind.

    With the target's Markov blanket, a Gaussian process that sees only these columns is the
    hardest of all rivals: it knows the graph, too, and nothing but which columns matter.
    """
    if classification:
        found = {
            "logistic": with_encoding(LogisticRegression(max_iter=1000), features, scale=True),
            "forest": with_encoding(RandomForestClassifier(N_TREES), features),
        }
    else:
        found = {
            "ridge": with_encoding(RidgeCV(RIDGE_PENALTIES), features, scale=True),
            "forest": with_encoding(RandomForestRegressor(N_TREES), features),
        }
    process = GaussianProcess(classification=classification)
    found["boosting"] = default_learner(features, classification=classification)
    found["Gaussian process"] = with_encoding(process, features, scale=True)
    if blanket:
        part = nw.from_native(features, eager_only=True).select(blanket).to_native()
        found["Gaussian process on the Markov blanket"] = make_pipeline(
            ColumnsOnly(tuple(blanket)), with_encoding(process, part, scale=True)
        )
    return found


def other_than(learner: Any, rivals: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rivals that are not of the learner's own kind: nobody is listed twice.

    >>> from sklearn.linear_model import Ridge
    >>> list(other_than(Ridge(), {"ridge": RidgeCV(), "forest": RandomForestRegressor()}))
    ['forest']
    """
    own = _family(learner)
    return {name: rival for name, rival in rivals.items() if _family(rival) != own}


def _family(learner: Any) -> str:
    """Return the class of the last step, without what does not make it another learner."""
    while isinstance(learner, Pipeline):
        learner = learner.steps[-1][1]
    name = type(learner).__name__
    for part in ("CV", "Hist", "Classifier", "Regressor"):
        name = name.replace(part, "")
    return name


def default_learner(features: Any, *, classification: bool) -> Any:
    """Return gradient boosting of a size that suits the table, for columns of any kind."""
    n_rows = len(nw.from_native(features, eager_only=True))
    learner = default_booster(n_rows, classification=classification)
    if get_config()["enable_metadata_routing"] and not isinstance(learner, Pipeline):
        learner = learner.set_fit_request(sample_weight=True)
    return with_encoding(learner, features, one_hot=False)
