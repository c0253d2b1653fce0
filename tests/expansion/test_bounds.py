"""What is still to come at best cuts hopeless branches early, and never a path."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug.expansion import _bounds
from causalaug.expansion._bounds import bound_levels, no_bounds
from causalaug.expansion._frontier import describe_tree
from strategies import by_values, problems


@given(problems(), st.sampled_from([1e-3, 0.1]))
@settings(max_examples=40)
def test_bounds_make_no_difference(problem, threshold):
    expansion = ca.PrunedExpansion(threshold)
    expected = by_values(problem.augment(expansion))
    with patch.object(_bounds, "MOST_VALUES", 0):
        found = by_values(problem.augment(expansion))
    assert found == pytest.approx(expected, rel=1e-9)


@given(problems(max_rows=4, max_nodes=3, kernels=("gaussian",)))
@settings(max_examples=40)
def test_credits_and_debits_cancel_along_every_path(problem):
    tree = describe_tree(problem.fit(), merge_equal=False)
    bounds = bound_levels(tree, -200.0)
    codes = {c: problem.table.coding(c).codes for c in range(problem.table.n_columns)}
    # Along an observed row: what is credited on the way is debited, but for the start.
    total = bounds.at_start
    for level in tree.levels:
        total = total + bounds.credits[level.column][codes[level.column]]
        debit = bounds.debits.get(level.column, np.zeros(1))
        is_single = level.pillow and level.column in bounds.debits
        total = total - (debit[codes[level.pillow[0]]] if is_single else debit[0])
    np.testing.assert_allclose(total, 0.0, atol=1e-9)


def test_without_bounds_nothing_is_credited():
    model = ca.fit_model(pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 2.0]}), "x -> y")
    bounds = no_bounds(describe_tree(model, merge_equal=True))
    assert (bounds.at_start, bounds.debits) == (0.0, {})
    assert not any(credit.any() for credit in bounds.credits.values())


def test_equal_rows_too_light_alone_reach_a_low_threshold_together():
    """300 rows of one value, each just below the threshold, on which 14 variables depend."""
    n_heavy, n_light, threshold = 20, 300, 1e-18
    n_rows = n_heavy + n_light + 1
    apart = np.append(np.arange(n_heavy), np.full(n_light + 1, 100.0))
    dependants = {f"c{k}": apart for k in range(14)}
    frame = pd.DataFrame(
        {
            "a": np.repeat([0.0, 1.0, 1000.0], [n_heavy, n_light, 1]),
            "b": np.append(np.linspace(0.0, 1e-6, n_heavy), np.full(n_light + 1, 50.0)),
            **dependants,
        }
    )
    graph = ca.read_graph({"b": ["a"], **dict.fromkeys(dependants, ["b"])})
    weights = np.repeat([1.0, 1e-3], [n_heavy, n_light + 1])
    bandwidth = 1.0 / np.sqrt(-2.0 * np.log(0.9 * threshold / 1e-3))
    conditional = ca.KernelConditional(bandwidth={"a": bandwidth, "b": 1.0})
    found = [
        ca.augment(frame, graph, conditional, ca.PrunedExpansion(t * n_rows), sample_weight=weights)
        for t in (threshold, threshold / 10)
    ]
    heavy = [(result.weights >= threshold).sum() for result in found]
    assert heavy[0] == heavy[1] == 3
