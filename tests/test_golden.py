"""Exact weights in 60-digit arithmetic, from the paper's Eq. (3) over all index tuples."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from strategies import by_values

CASES = sorted(Path(__file__).parent.joinpath("golden").glob("*.json"))


@pytest.fixture(params=CASES, ids=lambda path: path.stem)
def case(request):
    return json.loads(request.param.read_text())


def augment(case, expansion):
    frame = pd.DataFrame(case["data"], columns=case["columns"])
    graph = ca.ADMG(case["columns"], case["directed"], case["bidirected"])
    conditional = ca.KernelConditional(
        kernel=case["kernels"], discrete_kernel="identity", bandwidth=case["bandwidths"]
    )
    return ca.augment(frame, graph, conditional, expansion, order=case["order"])


def pruned(case, *, merge_equal):
    return ca.PrunedExpansion(case["theta"] * case["n"], merge_equal=merge_equal)


def weights_of(rows):
    return {tuple(row["values"]): row["weight"] for row in rows}


def assert_same_weights(found, expected):
    assert found.keys() == expected.keys()
    keys = list(expected)
    np.testing.assert_allclose(
        [found[key] for key in keys], [expected[key] for key in keys], rtol=1e-9, atol=0.0
    )


def test_all_cases_are_here():
    assert len(CASES) == 18


def test_pillows(case):
    graph = ca.ADMG(case["columns"], case["directed"], case["bidirected"])
    pillows = {f.target: set(f.pillow) for f in ca.factorize(graph, case["order"])}
    assert pillows == {target: set(pillow) for target, pillow in case["pillows"].items()}


def test_index_leaves(case):
    result = augment(case, pruned(case, merge_equal=False))
    found = dict(zip(map(tuple, result.rows.tolist()), result.weights, strict=True))
    expected = dict(zip(map(tuple, case["leaves"]), case["weights"], strict=True))
    assert len(result) == len(expected)
    assert_same_weights(found, expected)
    assert result.mass == pytest.approx(case["retained_mass"], rel=1e-9, abs=1e-15)
    assert result.dropped_mass == pytest.approx(1.0 - case["retained_mass"], abs=1e-9)


def test_merged_rows(case):
    result = augment(case, pruned(case, merge_equal=False)).merged()
    assert len(result) == len(case["merged_rows"])
    assert_same_weights(by_values(result), weights_of(case["merged_rows"]))


def test_value_tree(case):
    if case["value_tree_rows"] is None:
        pytest.skip("the value tree of this case was not computed exactly")
    result = augment(case, pruned(case, merge_equal=True))
    assert len(result) == len(case["value_tree_rows"])
    assert_same_weights(by_values(result), weights_of(case["value_tree_rows"]))


def test_a_large_budget_gives_the_value_tree(case):
    if case["theta"] > 0.0:
        pytest.skip("the case prunes")
    result = augment(case, ca.BudgetExpansion(rows=len(case["leaves"])))
    assert_same_weights(by_values(result), weights_of(case["value_tree_rows"]))
