"""How a trellis is built, block by block, must not show in the paths."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from block_cases import TINY, patched
from causalaug import _ragged
from causalaug.expansion import TooManyNodesError, _frontier
from causalaug.expansion._enumeration import enumerate_paths
from causalaug.expansion._frontier import describe_tree
from causalaug.expansion._trellis import build_trellis
from strategies import by_rows, problems


@given(problems(), st.sampled_from([0.0, 1e-3, 0.1, 20.0]))
@settings(max_examples=40)
def test_blocks_and_lookups_make_no_difference(problem, threshold):
    expansion = ca.PrunedExpansion(threshold, merge_equal=False)
    expected = by_rows(problem.augment(expansion))
    with patched(TINY):
        found = by_rows(problem.augment(expansion))
    assert found.keys() == expected.keys()
    assert all(found[rows] == pytest.approx(expected[rows], rel=1e-12) for rows in found)


@pytest.mark.parametrize("temperature", [0.3, 1.5])
def test_two_variables_of_one_wide_pillow_whose_keys_do_not_fit_an_integer(temperature):
    rng = np.random.default_rng(0)
    causes = [f"x{i}" for i in range(5)]
    nodes = [*causes, "y", "z"]
    edges = [(a, b) for i, a in enumerate(causes) for b in [*causes[i + 1 :], "y", "z"]]
    values = rng.normal(size=(40, 1)) + 0.5 * rng.normal(size=(40, 7))
    conditional = ca.KernelConditional(temperature=temperature)
    expansion = ca.PrunedExpansion(1e-2)
    expected = by_rows(ca.augment(values, ca.ADMG(nodes, edges), conditional, expansion))
    with patched({(_ragged, "LARGEST_KEY"): 1 << 12, (_frontier, "LARGEST_KEY"): 1 << 12}):
        found = by_rows(ca.augment(values, ca.ADMG(nodes, edges), conditional, expansion))
    assert found.keys() == expected.keys()
    assert all(found[rows] == pytest.approx(expected[rows], rel=1e-9) for rows in found)


@given(problems(), st.sampled_from([1e-3, 0.1]))
@settings(max_examples=40)
def test_nothing_in_a_trellis_is_a_dead_end(problem, threshold):
    tree = describe_tree(problem.fit(), merge_equal=True)
    log_threshold = np.log(threshold / len(problem.frame))
    trellis = build_trellis(tree, log_threshold, 10**6)
    reached = np.zeros(1, dtype=int)
    for level in trellis.levels:
        counts = (level.stops - level.starts)[reached]
        assert (counts > 0).all() or not trellis.n_last
        assert (level.best_completion()[reached] > -np.inf).all() or not trellis.n_last
        owner = np.repeat(np.arange(len(reached)), counts)
        choice = np.concatenate(
            [np.empty(0, dtype=int), *(np.arange(*ends) for ends in _ends(level, reached))]
        )
        reached = np.unique(level.follow(reached, owner, choice))
    assert len(reached) == trellis.n_last or not trellis.n_last


def _ends(level, contexts):
    return zip(level.starts[contexts], level.stops[contexts], strict=True)


def test_a_level_of_too_many_nodes_stops_the_trellis():
    values = np.random.default_rng(0).normal(size=(30, 3))
    graph = ca.read_graph("a -> b -> c; a -> c")
    model = ca.fit_model(values, graph, ca.KernelConditional(temperature=3.0))
    tree = describe_tree(model, merge_equal=True)
    with pytest.raises(TooManyNodesError):
        build_trellis(tree, -np.inf, max_rows=100)
    enough = build_trellis(tree, -np.inf, max_rows=30**3)
    assert len(enumerate_paths(enough, 30**3)) == 30**3
