import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import causalaug as ca
from causalaug.expansion._frontier import code_variable, describe_tree, plan_order
from graph_strategies import admgs


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
    variable = code_variable(np.array([2.0, 1.0, 2.0]), merge_equal=merge_equal)
    assert variable.values.tolist() == [1.0, 2.0]
    assert variable.row_of_choice.tolist() == ([1, 0] if merge_equal else [0, 1, 2])
    assert variable.code_of_choice.tolist() == ([0, 1] if merge_equal else [1, 0, 1])
    assert variable.choices.group_of_row.tolist() == ([1, 0, 1] if merge_equal else [0, 1, 2])
