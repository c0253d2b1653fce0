"""Plain learners, so that nobody is sold a gain over a weak baseline."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v1 as nw
from sklearn import get_config
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import Pipeline, make_pipeline

from causalaug.densities import RIDGE_PENALTIES
from causalaug.estimators import default_booster, with_encoding
from causalaug.evaluation._gaussian_process import ColumnsOnly, GaussianProcess
from causalaug.evaluation._tuned import Tuned, TunedForest

N_TREES = 200

GRIDS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "GradientBoosting": [{}, {"learning_rate": 0.03}],
    "LogisticRegression": [{}, {"C": 0.1}, {"C": 10.0}],
}
"""Settings that plain learners choose among, by their family, the default first. Ridge regression
and Gaussian processes choose their penalties themselves, a forest the size of its leaves."""


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


def tuned_learners(
    features: Any, *, classification: bool, blanket: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the same learners, each with the best of a few settings; some tune themselves."""
    found = plain_learners(features, classification=classification, blanket=blanket)
    return {name: _tuned(learner, classification) for name, learner in found.items()}


def _tuned(learner: Any, classification: bool) -> Any:
    """Return a learner that chooses among a few settings; others stay as they are."""
    *before, last = [step for _, step in learner.steps] if _has_steps(learner) else [learner]
    family = _family(last)
    if family == "RandomForest":
        chosen: Any = TunedForest(last)
    elif family in GRIDS:
        chosen = Tuned(last, GRIDS[family], classification=classification)
    else:
        return learner
    return make_pipeline(*before, chosen) if before else chosen


def _has_steps(learner: Any) -> bool:
    return isinstance(learner, Pipeline)


def renamed(learner: Any, rivals: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rivals; one of the learner's own kind says that it is tuned.

    >>> from sklearn.linear_model import Ridge
    >>> list(renamed(Ridge(), {"ridge": RidgeCV(), "forest": RandomForestRegressor()}))
    ['tuned ridge', 'forest']
    """
    own = _family(learner)
    return {
        f"tuned {name}" if _family(rival) == own else name: rival for name, rival in rivals.items()
    }


def _family(learner: Any) -> str:
    """Return the class of the last step, without what does not make it another learner."""
    while isinstance(learner, Pipeline | Tuned | TunedForest):
        learner = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner.estimator
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
