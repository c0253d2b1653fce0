"""All checks of scikit-learn pass; none is expected to fail."""

from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

import causalaug as ca


@parametrize_with_checks(
    [
        ca.AugmentedRegressor(),
        ca.AugmentedRegressor(Ridge()),
        ca.AugmentedClassifier(),
        ca.AugmentedClassifier(LogisticRegression()),
        ca.CausalAugmenter(),
    ]
)
def test_scikit_learn_is_content(estimator, check):
    check(estimator)
