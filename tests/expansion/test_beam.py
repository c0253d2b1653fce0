"""The heaviest paths of every level."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import causalaug as ca
from block_cases import TINY, patched
from causalaug.exceptions import ParameterError
from causalaug.expansion._frontier import describe_tree
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


@given(problems(kernels=("gaussian", "identity")), st.integers(1, 12))
@settings(max_examples=60)
def test_each_level_keeps_the_heaviest_children_of_what_the_level_before_kept(problem, width):
    """A slow beam, by the reference text; ties may go either way, so that weights are compared."""
    model = problem.fit()
    tree = describe_tree(model, merge_equal=False)
    beam = [((), 1.0)]
    for level in tree.levels:
        columns = [each.column for each in tree.levels]
        grown = []
        for rows, weight in beam:
            chosen = dict(zip(columns, rows, strict=False))
            query = [[model.table.values[chosen[c], c] for c in level.pillow]]
            edges = np.exp(level.weigher.log_weights(np.array(query).reshape(1, -1))[0])
            grown += [((*rows, i), weight * e) for i, e in enumerate(edges) if weight * e > 0.0]
        beam = sorted(grown, key=lambda each: -each[1])
        weights = [weight for _, weight in beam]
        # Where two weights at the edge of the beam are equal, rounding may choose.
        assume(len(beam) <= width or weights[width] < weights[width - 1] * (1.0 - 1e-9))
        beam = beam[:width]
    found = problem.augment(ca.BeamExpansion(width, merge_equal=False))
    assert sorted(found.weights, reverse=True) == pytest.approx([w for _, w in beam], rel=1e-9)


@pytest.mark.parametrize("width", [0, 2.5, True])
def test_a_width_that_is_no_number_of_paths_is_refused(width):
    with pytest.raises(ParameterError, match="`width` must be an integer"):
        ca.BeamExpansion(width)
