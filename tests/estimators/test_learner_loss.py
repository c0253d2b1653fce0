import pytest
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import (
    HuberRegressor,
    LogisticRegression,
    QuantileRegressor,
    Ridge,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR, LinearSVC
from xgboost import XGBClassifier, XGBRegressor

from causalaug.estimators._learner import loss_of


class OwnFit(Ridge):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, abs(y), sample_weight)


class OwnName(Ridge):
    pass


@pytest.mark.parametrize(
    ("learner", "loss"),
    [
        (Ridge(), "squared error"),
        (OwnName(), "squared error"),
        (OwnFit(), None),
        (make_pipeline(StandardScaler(), Ridge()), "squared error"),
        (GridSearchCV(make_pipeline(Ridge()), {}), "squared error"),
        (BaggingRegressor(Ridge()), "squared error"),
        (BaggingRegressor(), None),
        (TransformedTargetRegressor(Ridge()), "other"),
        (make_pipeline(TransformedTargetRegressor(Ridge())), "other"),
        (HistGradientBoostingRegressor(), "squared error"),
        (HistGradientBoostingRegressor(loss="poisson"), "other"),
        (HistGradientBoostingRegressor(loss="absolute_error"), "quantile"),
        (GradientBoostingRegressor(loss="quantile"), "quantile"),
        (GradientBoostingRegressor(loss="huber"), "other"),
        (RandomForestRegressor(), "squared error"),
        (RandomForestRegressor(criterion="absolute_error"), "quantile"),
        (RandomForestClassifier(), "squared error"),
        (RandomForestClassifier(criterion="entropy"), "log-loss"),
        (RandomForestClassifier(class_weight="balanced"), "other"),
        (GaussianProcessRegressor(), "squared error"),
        (KNeighborsRegressor(), "squared error"),
        (MLPRegressor(), "squared error"),
        (QuantileRegressor(), "quantile"),
        (HuberRegressor(), "other"),
        (SVR(), "other"),
        (LinearSVC(), "other"),
        (LogisticRegression(), "log-loss"),
        (LogisticRegression(class_weight="balanced"), "other"),
        (SGDClassifier(), "other"),
        (SGDClassifier(loss="log_loss"), "log-loss"),
        (HistGradientBoostingClassifier(), "log-loss"),
        (GradientBoostingClassifier(loss="exponential"), "other"),
        (GaussianNB(), None),
        (XGBRegressor(), "squared error"),
        (XGBRegressor(objective="reg:squaredlogerror"), "other"),
        (XGBRegressor(objective="reg:quantileerror"), "quantile"),
        (XGBClassifier(), "log-loss"),
        (XGBClassifier(objective="binary:hinge"), "other"),
        (LGBMRegressor(), "squared error"),
        (LGBMRegressor(objective="mae"), "quantile"),
        (LGBMRegressor(objective=lambda y, p: (p - y, 1.0)), "other"),
        (LGBMClassifier(), "log-loss"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_losses_are_recognised(learner, loss):
    assert loss_of(learner) == loss
