"""All checks of scikit-learn pass; none is expected to fail."""

import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

import causalaug as ca


# Without a graph, the graph learners warn that they know nothing.
@pytest.mark.filterwarnings("ignore::causalaug.exceptions.CausalAugWarning")
@parametrize_with_checks(
    [
        ca.AugmentedRegressor(),
        ca.AugmentedRegressor(Ridge()),
        ca.AugmentedClassifier(),
        ca.AugmentedClassifier(LogisticRegression()),
        ca.CausalAugmenter(),
        ca.GraphRegressor(),
        ca.GraphClassifier(),
    ]
)
def test_scikit_learn_is_content(estimator, check):
    check(estimator)
