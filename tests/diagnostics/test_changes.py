from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from causalaug import ADMG, BudgetExpansion, PrunedExpansion, ResidualConditional, augment
from causalaug.diagnostics import moved_mass
from causalaug.exceptions import ParameterError
from strategies import problems


def moved(augmented):
    return moved_mass(augmented)


@given(problems(max_rows=5, max_nodes=4))
def test_changes_are_shares_and_a_pair_has_no_order(problem):
    found = moved(problem.augment(BudgetExpansion()))
    assert found.shape == (len(problem.graph.nodes),) * 2
    assert ((found >= -1e-9) & (found <= 1.0 + 1e-9)).all()
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    # A pair changes at least as much as either of its columns does alone.
    assert (found >= np.diag(found) - 1e-9).all()


def test_nothing_changes_where_nothing_is_new():
    frame = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6], "b": list("uvwxyz")})
    same = augment(frame, ADMG(["a", "b"], directed=[("a", "b")]), kinds={"a": "nominal"})
    np.testing.assert_allclose(moved(same), 0.0, atol=1e-12)


def test_independent_columns_change_most_if_the_graph_has_no_edge():
    frame = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]})
    free = augment(frame, ADMG(["a", "b"]), expansion=PrunedExpansion(0))
    assert moved(free)[0, 1] == pytest.approx(0.5)


def test_only_the_columns_asked_for_are_looked_at():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 3)), columns=list("abc"))
    free = augment(frame, ADMG(list("abc")), random_state=0)
    np.testing.assert_allclose(moved_mass(free, ["c", "a"]), moved(free)[np.ix_([2, 0], [2, 0])])


def test_numbers_of_few_values_that_are_shifted_count_as_the_nearest():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    frame = pd.DataFrame({"x": x, "y": np.clip(np.round(x + rng.normal(size=60)), 0.0, 2.0)})
    graph = ADMG(["x", "y"], directed=[("x", "y")])
    shifted = augment(frame, graph, ResidualConditional(), random_state=0)
    assert not set(shifted.frame["y"]) <= set(frame["y"])
    assert moved(shifted)[0, 1] < 0.5
    nearest = np.clip(np.round(shifted.frame["y"]), 0.0, 2.0)
    before = frame["y"].value_counts(normalize=True)
    after = pd.Series(shifted.weights).groupby(nearest.to_numpy()).sum()
    expected = 0.5 * before.sub(after, fill_value=0.0).abs().sum()
    assert moved(shifted)[1, 1] == pytest.approx(expected)


def test_bad_input_is_told():
    free = augment(pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]}), ADMG(["a", "b"]))
    with pytest.raises(ParameterError, match="zzz"):
        moved_mass(free, ["a", "zzz"])
    with pytest.raises(ParameterError, match="at least one column"):
        moved_mass(free, [])
    none = replace(free, paths=free.paths.at(slice(0)))
    with pytest.raises(ParameterError, match="0 new rows"):
        moved_mass(none)


def test_rare_values_are_one_part():
    # Of ten values the four most common are told apart, the fourth together with all others.
    frame = pd.DataFrame({"a": list("aaaabbbccdefghij"), "b": [0, 1] * 8})
    free = augment(frame, ADMG(["a", "b"]), expansion=PrunedExpansion(0))
    part = frame["a"].where(frame["a"].isin(list("abc")), "other")
    joint = pd.crosstab(part, frame["b"], normalize=True).to_numpy()
    product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    assert moved(free)[0, 1] == pytest.approx(0.5 * np.abs(joint - product).sum())


def test_missing_cells_count_for_no_pair():
    frame = pd.DataFrame({"a": [0, 0, 1, 1, 1, None], "b": ["u", "u", "v", "v", None, "v"]})
    holed = augment(frame, ADMG(["a", "b"]), expansion=PrunedExpansion(0))
    found = moved(holed)
    # All four rows with both cells are on the diagonal: 2 of 4 at (0, u), 2 at (1, v). The new
    # ones have a by 2 : 3 and b by 2 : 3, independently.
    new = np.outer([0.4, 0.6], [0.4, 0.6])
    expected = 0.5 * np.abs(new - np.diag([0.5, 0.5])).sum()
    assert found[0, 1] == pytest.approx(expected)
    np.testing.assert_allclose(np.diag(found), 0.0, atol=1e-12)
