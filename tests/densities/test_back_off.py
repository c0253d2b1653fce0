"""Level tables that back off, against the recursion as it is written, and their laws."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import causalaug as ca
from causalaug.densities import BackOff, fit_back_off
from causalaug.densities._back_off import (
    MOST_CROSSED,
    SHARES,
    STRENGTHS,
    Counted,
    column_sets,
    pooled_log_odds,
)
from causalaug.densities._levels import RANK_STEPS
from causalaug.factorization import Factor
from oracles import back_off

PILLOW = ("a", "b", "c")
FACTOR = Factor("y", PILLOW)


@st.composite
def level_tables(draw, least=1, kinds=("nominal",)):
    """Draw a table of a variable and its pillow, all levels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    n_rows, n_values = draw(st.integers(least, 25)), draw(st.integers(1, 4))
    values = rng.integers(0, n_values, (n_rows, 4))
    weights = draw(st.sampled_from([None, "uneven"]))
    return ca.Table.from_frame(
        pd.DataFrame(values, columns=[*PILLOW, "y"]),
        kinds=dict.fromkeys([*PILLOW, "y"], draw(st.sampled_from(kinds))),
        row_weights=None if weights is None else rng.uniform(0.2, 0.9, n_rows),
    )


def rows_of(table):
    weights = table.original_weights()
    weights = weights * weights.sum() / np.square(weights).sum()
    codes = table.coding(3).codes
    return [
        (tuple(row[:3]), int(code), weight)
        for row, code, weight in zip(table.values, codes, weights, strict=True)
    ]


def at(density, strength, share):
    """Return the density with one strength and one share."""
    one = {"strengths": np.array([strength]), "shares": np.array([share])}
    return replace(density, odds=np.ones((1, 1)), **one)


@given(level_tables(), st.floats(0.1, 50.0), st.floats(0.0, 1.0))
def test_probabilities_are_those_of_the_recursion(table, strength, share):
    (density,) = fit_back_off([table], [FACTOR])
    n_levels, rows = len(density.levels), rows_of(table)
    # The last tuple has a level that no row has.
    queries = np.vstack(
        [table.values[:5, :3], table.values[-1:, :3], [[0.0, 1.0, 0.0]], [[0, 9, 0]]]
    )
    found = np.exp(at(density, strength, share).log_probabilities(queries))
    expected = [back_off(rows, query, n_levels, strength, share) for query in queries]
    assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@given(level_tables(least=2))
def test_left_out_is_what_tables_without_the_row_say(table):
    counted = Counted.of(table, FACTOR)
    rows, n_levels = rows_of(table), len(counted.levels)
    for number, (query, level, _) in enumerate(rows[:4]):
        others = rows[:number] + rows[number + 1 :]
        for i, strength in enumerate(STRENGTHS):
            for j, share in enumerate(SHARES):
                expected = back_off(others, query, n_levels, strength, share)[level]
                assert counted.logs[i, j, number] == pytest.approx(np.log(expected), abs=1e-9)


@given(level_tables(kinds=("nominal", "ordered")))
def test_probabilities_add_up_to_one(table):
    (density,) = fit_back_off([table], [FACTOR])
    tuples = np.array(np.meshgrid(*[np.arange(4.0)] * 3)).reshape(3, -1).T
    chances = np.exp(density.log_probabilities(tuples))
    assert (chances > 0.0).all()
    assert_allclose(chances.sum(axis=1), 1.0)
    assert np.isfinite(density.left_out).all()
    assert (density.left_out <= 1e-12).all()
    assert density.odds.sum() == pytest.approx(1.0)


@given(level_tables())
def test_with_much_strength_a_table_is_that_of_its_shorter_tuples(table):
    (density,) = fit_back_off([table], [FACTOR])
    found = np.exp(at(density, 1e12, 0.3).log_probabilities(table.values[:, :3]))
    overall = np.bincount(table.coding(3).codes, table.original_weights())
    expected = 0.7 * overall / overall.sum() + 0.3 / len(overall)
    assert_allclose(found, np.broadcast_to(expected, found.shape), rtol=1e-6)


@given(level_tables())
def test_without_a_pillow_it_is_frequencies_and_equal_chances(table):
    (density,) = fit_back_off([table], [Factor("y", ())])
    overall = np.bincount(table.coding(3).codes, table.original_weights())
    share = float(density.odds.sum(axis=0) @ SHARES)
    expected = (1.0 - share) * overall / overall.sum() + share / len(overall)
    found = np.exp(density.log_probabilities(np.empty((1, 0)))[0])
    assert_allclose(found, expected)


@given(level_tables(), st.integers(2, 4))
def test_only_ratios_of_weights_matter(table, times):
    heavier = table.weighed(times * table.original_weights())
    (once,), (often,) = (fit_back_off([each], [FACTOR]) for each in (table, heavier))
    assert_allclose(often.left_out, once.left_out, rtol=1e-9, atol=1e-12)


@settings(max_examples=20)
@given(level_tables(), st.lists(st.integers(1, 3), min_size=25, max_size=25))
def test_a_weight_is_so_many_rows(table, counts):
    frame = pd.DataFrame(table.values, columns=table.columns).astype(str)
    counts = np.array(counts[: len(frame)])
    weighed = ca.fit_model(frame, "a -> y; b -> y; c -> y", "auto", sample_weight=counts)
    rows = frame.loc[np.repeat(np.arange(len(frame)), counts)]
    repeated = ca.fit_model(rows, "a -> y; b -> y; c -> y", "auto")
    assert_allclose(weighed.log_density(frame), repeated.log_density(frame), rtol=1e-9, atol=1e-12)


@given(level_tables(), st.permutations(range(4)))
def test_names_of_levels_mean_nothing(table, names):
    renamed = np.array(names, dtype=float)[table.values.astype(int)]
    frame = pd.DataFrame(renamed, columns=table.columns)
    kinds = dict.fromkeys(table.columns, "nominal")
    other = ca.Table.from_frame(frame, kinds=kinds, row_weights=table.row_weights)
    densities = [fit_back_off([each], [FACTOR])[0] for each in (table, other)]
    found = [
        each.log_density(rows.values[:, 3], rows.values[:, :3])
        for each, rows in zip(densities, (table, other), strict=True)
    ]
    assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-12)
    assert_allclose(densities[1].left_out, densities[0].left_out, rtol=1e-9, atol=1e-12)


def test_ranks_beside_a_rank_count_too():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 40)
    y = np.clip(np.round(4 * a + rng.normal(2, 1.5, 40)), 0, 9)
    frame = pd.DataFrame({"a": a, "y": y.astype(int)})
    found = {}
    for kind in ("nominal", "ordered"):
        table = ca.Table.from_frame(frame, kinds={"a": "nominal", "y": kind})
        (found[kind],) = fit_back_off([table], [Factor("y", ("a",))])
    assert found["ordered"].left_out.sum() > found["nominal"].left_out.sum()
    assert found["ordered"].spread[0, 1] > 0.0 == found["nominal"].spread[0, 1]
    assert RANK_STEPS[0] == 0.0


def test_many_columns_are_left_out_one_by_one_and_the_most_telling_last():
    sets = column_sets(11)
    assert len(sets) == 2**MOST_CROSSED + 11 - MOST_CROSSED
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, (200, 11))
    frame = pd.DataFrame(values, columns=list("abcdefghijk"))
    frame["y"] = np.where(rng.random(200) < 0.9, frame["h"], 1 - frame["h"])
    table = ca.Table.from_frame(frame.astype(str))
    (density,) = fit_back_off([table], [Factor("y", tuple("abcdefghijk"))])
    assert density.tables.columns[0] == 7
    # Tuples that were never seen, nearly all, are known by their most telling part.
    query = rng.integers(0, 2, (300, 11)).astype(float)
    chances = np.exp(density.log_density(query[:, 7], query))
    assert np.mean(chances) > 0.75


def test_a_level_that_only_rows_with_holes_have_is_one_of_the_levels():
    frame = pd.DataFrame({"x": ["u", "v"] * 10 + [None], "y": ["a", "b"] * 10 + ["c"]})
    model = ca.fit_model(frame, "x -> y", "auto")
    density = model.densities[1]
    assert isinstance(density, BackOff)
    assert len(density.levels) == 3
    chances = np.exp(density.log_probabilities(np.array([[0.0], [1.0]])))
    assert_allclose(chances.sum(axis=1), 1.0)
    assert (chances[:, 2] < 0.1).all()
    assert (chances[[0, 1], [0, 1]] > 0.8).all()


def test_odds_that_most_factors_agree_on_count_for_those_that_know_little():
    agreed = np.exp(pooled_log_odds(np.array([[0.0, -9.0]] * 9 + [[-0.1, 0.0]])))
    assert agreed[0] > 0.9
    assert_allclose(np.exp(pooled_log_odds(np.zeros((3, 4)))), 0.25)
    assert_allclose(np.exp(pooled_log_odds(np.empty((0, 4)))), 0.25)


def test_draws_follow_the_probabilities():
    table = ca.Table.from_frame(pd.DataFrame({"x": ["u", "v"] * 10, "y": ["a", "b", "b", "b"] * 5}))
    (density,) = fit_back_off([table], [Factor("y", ("x",))])
    even = (np.arange(1000) + 0.5) / 1000
    drawn = density.draw(np.zeros((1000, 1)), even)
    chance = np.exp(density.log_density(np.array([1.0]), np.zeros((1, 1))))[0]
    assert np.mean(drawn == 1.0) == pytest.approx(chance, abs=2e-3)
    assert_allclose(density.cover(np.zeros((2, 1)), 5), [[0.0, 1.0]] * 2)
    assert density.log_density(np.array([7.0]), np.zeros((1, 1)))[0] == -np.inf
