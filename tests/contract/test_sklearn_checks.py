"""All checks of scikit-learn pass; none is expected to fail.

The checks give arrays without names, so that a learner under them has no graph. Stand-ins name the
columns of each array and give it a star: the target causes all of them.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

import causalaug as ca


class Star:
    def fit(self, X, y, sample_weight=None):
        # A frame whose columns are numbered has no names either.
        is_numbered = isinstance(X, pd.DataFrame) and 0 in X.columns
        return super().fit(X.to_numpy() if is_numbered else X, y, sample_weight)

    def _known_graph(self, X):
        if not isinstance(X, pd.DataFrame):
            X = pd.DataFrame(X, columns=[f"x{number}" for number in range(X.shape[1])])
        return ca.ADMG([*X.columns, "target"], [("target", name) for name in X.columns]), X


class StarRegressor(Star, ca.AugmentedRegressor):
    pass


class StarClassifier(Star, ca.AugmentedClassifier):
    pass


class CompleteRegressor(Star, ca.AugmentedRegressor):
    """The check's integer targets tie the paths of a star; those of the complete graph differ."""

    def _known_graph(self, X):
        graph, X = super()._known_graph(X)
        return ca.complete_graph(graph.nodes), X


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
    check(estimator)  # it asserts, and raises what it finds


FEW = {
    "graph": "target -> x0",
    "target": "target",
    # Silverman's rule counts rows, not weights.
    "conditional": ca.KernelConditional(bandwidth=0.3),
    "random_state": 0,
}
WEIGHTS = "check_sample_weight_equivalence"
"""Weights equal repetitions only where nothing is random: a fixed share, an expansion that draws
nothing. The folds of a blend are drawn."""

WITH_A_GRAPH = [
    StarRegressor(
        Ridge(), augmented_share=ca.Blend(n_splits=2), expansion=ca.BudgetExpansion(40), **FEW
    ),
    StarClassifier(
        LogisticRegression(),
        augmented_share=ca.Blend(n_splits=2),
        expansion=ca.BudgetExpansion(40),
        **FEW,
    ),
    CompleteRegressor(
        Ridge(),
        augmented_share=0.5,
        expansion=ca.BeamExpansion(40),
        # The density of a root, behind expected targets, has a bandwidth that counts rows.
        new_targets="drawn",
        **FEW,
    ),
    StarClassifier(
        LogisticRegression(), augmented_share=0.5, expansion=ca.BeamExpansion(40), **FEW
    ),
]


@pytest.mark.filterwarnings("ignore::causalaug.exceptions.CausalAugWarning")
@parametrize_with_checks(WITH_A_GRAPH)
def test_scikit_learn_is_content_with_a_graph(estimator, check):
    if isinstance(estimator.augmented_share, ca.Blend) and WEIGHTS in str(check):
        pytest.skip("the folds of a blend are drawn: weights are no repetitions")
    check(estimator)  # it asserts, and raises what it finds


@pytest.mark.parametrize("estimator", WITH_A_GRAPH)
def test_the_graph_is_used_for_arrays_without_names(estimator):
    """The stand-ins override a private method: without it the checks above would see no graph."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    fitted = clone(estimator).fit(X, np.arange(20) % 2)
    assert len(fitted.augmented_) > 0
    assert fitted.model_.graph.nodes == ("x0", "x1", "x2", "target")
