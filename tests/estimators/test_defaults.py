import numpy as np
import pytest

import causalaug as ca
from causalaug.estimators import default_booster


@pytest.mark.parametrize("classification", [False, True])
def test_the_default_learner_learns_from_25_rows(classification):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 2))
    y = X[:, 0] > 0.0 if classification else X[:, 0]
    learner = default_booster(25, classification=classification).fit(X, y)
    said = learner.predict_proba(X)[:, 1] if classification else learner.predict(X)
    assert np.ptp(said) > 0.5


def test_the_learner_with_a_graph_has_the_same_default_as_a_comparison():
    data = ca.datasets.make_sem(25, "chain", n_variables=3, random_state=0)
    model = ca.AugmentedRegressor(graph=data.graph, augmented_share=0.0, random_state=0)
    result = ca.compare(
        data.frame, data.graph, "Y", augmented_share=0.0, rivals=False, n_splits=2, random_state=0
    )
    name = type(model.fit(data.X, data.y).estimator_).__name__
    assert result.learner == name == "GradientBoostingRegressor"
