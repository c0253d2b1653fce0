"""The walk through the trellis writes every path, however it is cut into blocks."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug.expansion import TooManyNodesError, _enumeration
from causalaug.expansion._enumeration import enumerate_paths
from causalaug.expansion._frontier import describe_tree
from causalaug.expansion._trellis import build_trellis
from strategies import by_rows, by_values, problems


@given(problems(), st.sampled_from([0.0, 1e-3, 0.1]), st.integers(1, 5))
@settings(max_examples=60)
def test_blocks_make_no_difference(problem, threshold, nodes):
    expansion = ca.PrunedExpansion(threshold)
    expected = by_values(problem.augment(expansion))
    with patch.object(_enumeration, "BLOCK_NODES", nodes):
        found = by_values(problem.augment(expansion))
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_thousand_columns_are_walked_through():
    frame = pd.DataFrame(np.ones((2, 1200)), columns=[f"x{k}" for k in range(1200)])
    graph = ca.ADMG(list(frame.columns))
    augmented = ca.augment(frame, graph, expansion=ca.PrunedExpansion())
    assert augmented.weights.tolist() == [1.0]


@given(problems(max_rows=4, max_nodes=3))
@settings(max_examples=40)
def test_as_many_paths_as_there_are_may_be_asked_for_and_not_one_less(problem):
    tree = describe_tree(problem.fit(), merge_equal=False)
    n_paths = len(by_rows(problem.augment(ca.PrunedExpansion(0.0, merge_equal=False))))
    trellis = build_trellis(tree, -np.inf, 10**6)
    assert len(enumerate_paths(trellis, n_paths)) == n_paths
    with pytest.raises(TooManyNodesError):
        enumerate_paths(trellis, n_paths - 1)


def test_a_trellis_without_paths_has_none():
    values = np.random.default_rng(0).normal(size=(4, 2))
    tree = describe_tree(ca.fit_model(values, "a -> b"), merge_equal=True)
    paths = enumerate_paths(build_trellis(tree, 0.0, 100), 100)
    assert (paths.rows.shape, paths.dropped_mass) == ((0, 2), 1.0)
