"""The layout of a tree, and pillow tuples that are handed on with the weights given them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug._ragged import Ragged, group_by_key
from causalaug.expansion._children import LevelChildren
from causalaug.expansion._frontier import (
    Frontier,
    Pillows,
    code_variable,
    describe_tree,
    plan_order,
)
from causalaug.table import Coding
from graph_strategies import admgs
from strategies import problems


@given(admgs(max_nodes=7))
def test_a_plan_is_an_order_in_which_every_variable_comes_after_its_pillow(graph):
    factors = ca.factorize(graph)
    plan = plan_order([f.target for f in factors], [frozenset(f.pillow) for f in factors])
    assert sorted(plan) == list(range(len(factors)))
    done = set()
    for number in plan:
        assert set(factors[number].pillow) <= done
        done.add(factors[number].target)


@given(admgs(max_nodes=7))
def test_live_columns_are_those_that_later_pillows_need(graph):
    frame = pd.DataFrame({name: [0.0, 1.0] for name in graph.nodes})
    tree = describe_tree(ca.fit_model(frame, graph), merge_equal=True)
    for position, level in enumerate(tree.levels):
        done = {each.column for each in tree.levels[: position + 1]}
        needed = {column for each in tree.levels[position + 1 :] for column in each.pillow}
        assert set(level.live) == done & needed
        assert level.is_live == (level.column in needed)


def test_a_collider_of_two_chains_keeps_one_variable_of_each_live():
    names = ["a1", "b1", "a2", "b2", "a3", "b3", "c"]
    parents = {"a2": "a1", "a3": "a2", "b2": "b1", "b3": "b2"}
    pillows = [frozenset([parents[name]] if name in parents else []) for name in names[:-1]]
    plan = plan_order(names, [*pillows, frozenset(["a3", "b3"])])
    assert [names[number] for number in plan] == ["a1", "a2", "a3", "b1", "b2", "b3", "c"]


@pytest.mark.parametrize("merge_equal", [True, False])
def test_a_choice_is_a_value_or_a_row(merge_equal):
    variable = code_variable(Coding.of(np.array([2.0, 1.0, 2.0])), merge_equal=merge_equal)
    assert variable.values.tolist() == [1.0, 2.0]
    assert variable.row_of_choice.tolist() == ([1, 0] if merge_equal else [0, 1, 2])
    assert variable.code_of_choice.tolist() == ([0, 1] if merge_equal else [1, 0, 1])
    assert variable.choices.ranks.tolist() == ([1, 0, 1] if merge_equal else [0, 1, 2])


@given(problems(), st.integers(1, 7))
@settings(max_examples=30)
def test_the_blocks_of_a_tree_share_out_its_first_choices(problem, n_blocks):
    tree = describe_tree(problem.fit(), merge_equal=True)
    parts = [tree.restricted(block, n_blocks) for block in range(n_blocks)]
    assert sum(part.n_choices for part in parts) == tree.n_choices
    every = np.arange(tree.variables[tree.levels[0].column].n_choices)
    choices = Ragged(np.array([0, len(every)]), every, np.zeros(len(every)))
    found = [part.only_open(tree.levels[0], choices).index for part in parts]
    np.testing.assert_array_equal(np.concatenate(found), every)
    for level in tree.levels[1:]:
        assert all(part.only_open(level, choices) is choices for part in parts)


@given(problems(max_rows=4, max_nodes=3), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_some_paths_with_other_weights_are_a_frontier_of_their_own(problem, random):
    tree = describe_tree(problem.fit(), merge_equal=False)
    frontier = Frontier(tree)
    for level in tree.levels:
        frontier.grow(level, LevelChildren(frontier, level).all())
    everything = frontier.paths()
    positions = np.array(random.sample(range(len(frontier)), len(frontier) // 2), dtype=int)
    logs = np.linspace(-3.0, -1.0, len(positions))
    some = frontier.at(positions, logs).paths()
    np.testing.assert_array_equal(some.rows, everything.rows[positions])
    np.testing.assert_array_equal(some.log_weights, logs)


# Pillows.

QUERY = np.random.default_rng(0).random((10, 2))


@given(
    tuples=st.lists(st.integers(0, 9), min_size=1, max_size=30),
    chosen=st.lists(st.integers(0, 10**6), min_size=1, max_size=30),
)
def test_some_paths_hold_the_tuples_that_they_held_among_all(tuples, chosen):
    held = np.array(tuples)
    groups = group_by_key(held, 10)
    pillows = Pillows(groups, QUERY[held[groups.first]])
    paths = np.array(chosen) % len(held)
    some = pillows.at(paths)
    np.testing.assert_array_equal(some.query[some.groups.ranks], QUERY[held[paths]])
    assert len(some.query) == len(set(held[paths]))
