"""The conditional of the page "Write your own conditional" grows every tree."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from markdown_blocks import read_blocks, run
from strategies import by_rows, problems

PAGE = Path(__file__).parents[2] / "docs" / "own_conditional.md"


@pytest.fixture(scope="module")
def nearest():
    """Return the class that the page defines."""
    namespace = {}
    run(read_blocks(PAGE.read_text(encoding="utf-8"))[0].code, namespace)
    return namespace["NearestConditional"]


def slow_paths(model, k):
    """Return {rows: weight} of all paths: each cell of the k nearest rows, ties included."""
    table = model.table
    paths = [({}, 1.0)]
    for factor in model.factors:
        pillow = [table.index(name) for name in factor.pillow]
        scale = [table.values[:, j].std() or 1.0 for j in pillow]
        grown = []
        for rows, weight in paths:
            apart = [
                sum(
                    abs(table.values[rows[j], j] / s - row[j] / s)
                    for j, s in zip(pillow, scale, strict=True)
                )
                for row in table.values
            ]
            farthest = sorted(apart)[min(k, table.n_rows) - 1]
            serve = [i for i, distance in enumerate(apart) if distance <= farthest]
            target = table.index(factor.target)
            grown += [({**rows, target: i}, weight / len(serve)) for i in serve]
        paths = grown
    return {tuple(rows[j] for j in range(len(rows))): weight for rows, weight in paths}


EVERYTHING = [
    ca.PrunedExpansion(0.0, merge_equal=False),
    ca.BudgetExpansion(10_000, merge_equal=False),
    ca.BeamExpansion(10_000, merge_equal=False),
]
SOME = [
    ca.PrunedExpansion(0.3, merge_equal=False),
    ca.BudgetExpansion(5, merge_equal=False),
    ca.SampledExpansion(20),
    ca.BeamExpansion(5, merge_equal=False),
]


@pytest.mark.parametrize("expansion", EVERYTHING, ids=lambda each: type(each).__name__)
@given(problem=problems(), k=st.integers(1, 6))
@settings(max_examples=30)
def test_the_whole_tree_is_the_slow_one(nearest, expansion, problem, k):
    model = ca.fit_model(problem.frame, problem.graph, nearest(k), problem.order)
    expected = slow_paths(model, k)
    assert by_rows(model.expand(expansion, 0)) == pytest.approx(expected)


@pytest.mark.parametrize("expansion", SOME, ids=lambda each: type(each).__name__)
@given(problem=problems(), k=st.integers(1, 6), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_a_part_of_the_tree_is_a_part_of_the_slow_one(nearest, expansion, problem, k, seed):
    model = ca.fit_model(problem.frame, problem.graph, nearest(k), problem.order)
    expected = slow_paths(model, k)
    found = model.expand(expansion, seed)
    assert {*map(tuple, found.rows.tolist())} <= set(expected)
    if isinstance(expansion, ca.PrunedExpansion | ca.BeamExpansion):
        assert by_rows(found) == pytest.approx({rows: expected[rows] for rows in by_rows(found)})
    else:
        assert found.mass == pytest.approx(1.0)
        assert len(found) == expansion.rows or len(found) == len(expected)


def test_draws_come_near_to_the_tree(nearest):
    values = np.random.default_rng(0).normal(size=(8, 3))
    model = ca.fit_model(values, "a -> b -> c", nearest(3))
    expected = np.zeros((3, 8))
    for rows, weight in slow_paths(model, 3).items():
        expected[np.arange(3), rows] += weight
    drawn = model.expand(ca.SampledExpansion(20_000), 0).rows
    found = [np.bincount(column, minlength=8) / 20_000 for column in drawn.T]
    np.testing.assert_allclose(found, expected, atol=0.02)
