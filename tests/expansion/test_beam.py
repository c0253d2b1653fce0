"""The heaviest paths of every level."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from block_cases import TINY, patched
from causalaug.exceptions import ParameterError
from regressors import HalfSum
from strategies import by_rows, problems


@given(problems(), st.integers(1, 30))
@settings(max_examples=40)
def test_how_the_work_is_cut_does_not_show(problem, width):
    expected = problem.augment(ca.BeamExpansion(width))
    with patched(TINY):
        found = problem.augment(ca.BeamExpansion(width))
    np.testing.assert_allclose(np.sort(found.weights), np.sort(expected.weights), rtol=1e-9)


@settings(max_examples=50)
@given(problems(max_rows=4, max_nodes=3, kernels=("gaussian",)))
def test_a_wide_beam_and_a_large_budget_are_the_tree_where_values_are_moved(problem):
    conditional = ca.ResidualConditional(HalfSum(), kernel=problem.conditional)
    tree, beam, budget = (
        ca.augment(problem.frame, problem.graph, conditional, expansion, problem.order)
        for expansion in (ca.PrunedExpansion(0.0), ca.BeamExpansion(1000), ca.BudgetExpansion(1000))
    )
    expected = {rows: weight for rows, weight in by_rows(tree).items() if weight > 1e-250}
    for each in (beam, budget):
        found = {rows: weight for rows, weight in by_rows(each).items() if weight > 1e-250}
        assert found == pytest.approx(expected, rel=1e-9)


@given(problems(kernels=("gaussian",)), st.integers(1, 30))
@settings(max_examples=40)
def test_each_level_keeps_the_heaviest_children_of_what_the_level_before_kept(problem, width):
    found = problem.augment(ca.BeamExpansion(width, merge_equal=False))
    everything = sorted(problem.exact_paths().values(), reverse=True)
    assert len(found) == min(width, sum(weight > 0.0 for weight in everything))
    if len(problem.graph.nodes) == 1:
        assert sorted(found.weights, reverse=True) == pytest.approx(everything[:width])


@pytest.mark.parametrize("width", [0, 2.5, True])
def test_a_width_that_is_no_number_of_paths_is_refused(width):
    with pytest.raises(ParameterError, match="`width` must be an integer"):
        ca.BeamExpansion(width)
