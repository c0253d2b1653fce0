import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import BaggingRegressor, RandomForestRegressor
from sklearn.feature_selection import RFE
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from causalaug.estimators._learner import check_learner, fit_learner, seeded, weight_keyword
from causalaug.exceptions import ParameterError


class TakesAnything(BaseEstimator):
    def fit(self, X, y, **keywords):
        return self

    def predict(self, X):
        return X


@pytest.mark.parametrize(
    ("learner", "keyword"),
    [
        (Ridge(), "sample_weight"),
        (BaggingRegressor(), "sample_weight"),
        (make_pipeline(StandardScaler(), Ridge()), "ridge__sample_weight"),
        (
            Pipeline([("outer", make_pipeline(StandardScaler(), Ridge()))]),
            "outer__ridge__sample_weight",
        ),
        (GridSearchCV(Ridge(), {}), "sample_weight"),
        (GridSearchCV(make_pipeline(Ridge()), {}), "ridge__sample_weight"),
        (TransformedTargetRegressor(Ridge()), "sample_weight"),
        (RFE(Ridge()), "sample_weight"),
    ],
)
def test_the_keyword_is_found_inside(learner, keyword):
    assert weight_keyword(learner) == keyword


@pytest.mark.parametrize(
    "learner",
    [
        KNeighborsRegressor(),
        make_pipeline(StandardScaler(), KNeighborsRegressor()),
        GridSearchCV(KNeighborsRegressor(), {}),
        TransformedTargetRegressor(KNeighborsRegressor()),
        TakesAnything(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_learners_that_take_no_weights_are_refused_with_two_ways_out(learner):
    with pytest.raises(ParameterError, match="must take instance weights") as caught:
        check_learner(learner)
    assert "Use another learner, or put CausalAugmenter before it" in str(caught.value)
    assert "draws rows instead of weighing them" in str(caught.value)


def test_a_pipeline_that_ends_in_nothing_takes_no_weights():
    with pytest.raises(ParameterError, match="must take instance weights"):
        weight_keyword(make_pipeline(Ridge(), "passthrough"))


@pytest.mark.parametrize("learner", [Ridge, None, 3, np.mean, StandardScaler()])
def test_what_is_no_learner_is_refused(learner):
    with pytest.raises(ParameterError, match="`estimator` must be a scikit-learn estimator"):
        check_learner(learner)


def test_with_routing_a_pipeline_must_have_asked_for_the_weights():
    with sklearn.config_context(enable_metadata_routing=True):
        asked = make_pipeline(StandardScaler(), Ridge().set_fit_request(sample_weight=True))
        assert weight_keyword(asked) == "sample_weight"
        refused = make_pipeline(StandardScaler(), Ridge().set_fit_request(sample_weight=False))
        with pytest.raises(ParameterError, match="must take instance weights"):
            weight_keyword(refused)


def test_the_learner_is_cloned_before_it_is_fitted():
    ridge = Ridge()
    fitted = fit_learner(ridge, np.eye(3), np.arange(3.0), np.ones(3))
    assert fitted is not ridge
    assert not hasattr(ridge, "coef_")


def test_open_seeds_are_set_at_any_depth_and_others_kept():
    forest = RandomForestRegressor()
    search = GridSearchCV(make_pipeline(StandardScaler(), forest), {})
    first, same, other = (seeded(search, np.random.default_rng(seed)) for seed in (0, 0, 1))
    seeds = [
        each.get_params()["estimator__randomforestregressor__random_state"]
        for each in (first, same, other)
    ]
    assert seeds[0] == seeds[1] != seeds[2]
    assert forest.random_state is None
    own = seeded(RandomForestRegressor(random_state=5), np.random.default_rng(0))
    assert own.random_state == 5
    assert seeded(Ridge(alpha=2.0), np.random.default_rng(0)).alpha == 2.0
