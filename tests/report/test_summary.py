import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causalaug as ca
from causalaug.report._summary import OTHER, axis_of, summarize, weighted_correlation
from causalaug.table import Table

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def independent(n_rows=200):
    """Return two columns that hang together, and new rows of a graph that denies it."""
    x = np.random.default_rng(0).normal(size=n_rows)
    frame = pd.DataFrame({"x": x, "y": x + 0.1 * np.sin(9 * x), "z": np.cos(x)})
    graph = ca.ADMG(["x", "y", "z"], directed=[("y", "z")])
    return frame, ca.augment(frame, graph, random_state=0)


@given(st.lists(FINITE, min_size=1, max_size=30), st.lists(FINITE, max_size=30))
def test_shares_of_any_numbers_add_up_to_one(observed, new):
    table = Table.from_frame(pd.DataFrame({"x": observed}))
    axis = axis_of(table, 0, np.array(new, dtype=float))
    shares = axis.shares(table.values[:, 0], np.ones(len(observed)))
    assert shares.sum() == pytest.approx(1.0)
    positions = axis.positions(np.array([*observed, *new]))
    assert ((positions >= 0.0) & (positions <= 1.0)).all()


@given(st.lists(st.integers(0, 20), min_size=1, max_size=40), st.integers(2, 10))
def test_levels_are_counted_and_the_rare_ones_together(values, most):
    table = Table.from_frame(pd.DataFrame({"x": values}), kinds={"x": "nominal"})
    axis = axis_of(table, 0, np.array(values, dtype=float), most_levels=most)
    assert axis.n_parts == len(axis.labels) == min(len(set(values)), most)
    shares = axis.shares(table.values[:, 0], np.ones(len(values)))
    named = axis.labels[:-1] if axis.labels[-1] == OTHER else axis.labels
    expected = [values.count(int(label)) / len(values) for label in named]
    np.testing.assert_allclose(shares[: len(named)], expected)
    assert shares.sum() == pytest.approx(1.0)


def test_dates_and_categories_are_labelled_as_they_read():
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(["2020-01-05", "2020-01-01", "2020-01-09"]),
            "size": pd.Categorical(["s", "l", "s"], categories=["s", "m", "l"], ordered=True),
        }
    )
    table = Table.from_frame(frame)
    day, size = (axis_of(table, number, table.values[:, number]) for number in (0, 1))
    assert [label[:10] for label in day.labels] == ["2020-01-01", "2020-01-09"]
    assert size.labels == ("s", "l")
    assert table.labels("day", np.array([0]))[0].startswith(str(dt.date(2020, 1, 5)))
    assert Table.from_frame(np.array([[1, 2]])).labels("x1", np.array([0])) == ("2",)


def test_marginals_stay_and_loosened_pairs_come_first():
    _, augmented = independent()
    summary = summarize(augmented, "z", seed=0)
    assert all(marginal.change < 0.1 for marginal in summary.marginals)
    first = summary.pairs[0]
    assert {first.x.column, first.y.column} == {"x", "y"}
    before, after = first.correlation
    assert abs(after) < 0.2 < abs(before)
    assert summary.pairs[-1].change < 0.5 * first.change
    assert {summary.pairs[-1].x.column, summary.pairs[-1].y.column} == {"y", "z"}


def test_the_change_of_a_pair_is_the_distance_on_a_coarse_grid():
    frame, augmented = independent()
    cuts = {name: frame[name].quantile([0.25, 0.5, 0.75]).to_numpy() for name in frame}
    new = augmented.frame
    for pair in summarize(augmented, "z", seed=0).pairs:
        names = [pair.x.column, pair.y.column]
        cells = [
            [np.searchsorted(cuts[name], rows[name]) for name in names] for rows in (frame, new)
        ]
        before = np.histogram2d(*cells[0], bins=4, range=[[0, 4]] * 2)[0] / len(frame)
        after = np.histogram2d(*cells[1], bins=4, range=[[0, 4]] * 2, weights=augmented.weights)[0]
        distance = 0.5 * np.abs(before - after / augmented.weights.sum()).sum()
        assert pair.change == pytest.approx(distance)


def test_what_is_drawn_is_bounded_and_in_the_square():
    names = [f"v{i}" for i in range(20)]
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 20)), columns=names)
    augmented = ca.augment(frame, ca.ADMG(names), expansion=ca.BudgetExpansion(500))
    summary = summarize(augmented, "v3", seed=0)
    assert len(summary.marginals) == 12
    assert "v3" in {marginal.axis.column for marginal in summary.marginals}
    assert len(summary.unshown) == 20 - 12
    assert len(summary.pairs) == 6
    for pair in summary.pairs:
        for points in (pair.observed, pair.new):
            assert len(points) == 200
            assert points.min() >= 0.0
            assert points.max() <= 1.0


def test_heavy_rows_are_drawn_often():
    frame = pd.DataFrame({"x": ["a"] * 9 + ["b"], "y": [1.0, 2.0] * 5})
    augmented = ca.augment(frame, ca.ADMG(["x", "y"]), expansion=ca.BudgetExpansion(400))
    pair = summarize(augmented, "y", seed=0).pairs[0]
    assert pair.correlation is None
    assert np.mean(pair.new[:, 0] < 0.5) == pytest.approx(0.9, abs=0.25)


@pytest.mark.parametrize("seed", range(3))
def test_correlations_are_those_of_numpy(seed):
    values = np.random.default_rng(seed).normal(size=(50, 2)) @ [[1.0, 0.5], [0.0, 1.0]]
    found = weighted_correlation(values, np.full(50, 0.02))
    assert found == pytest.approx(np.corrcoef(values.T)[0, 1])


def test_a_constant_has_no_correlation():
    values = np.column_stack([np.full(5, 0.1), np.arange(5.0)])
    assert weighted_correlation(values, np.full(5, 0.2)) is None


# Missing cells.


def holed(seed=0, n_rows=60):
    """Return rows of every kind with holes, and new rows, which have none."""
    data = ca.datasets.make_machine_wear(n_rows, random_state=seed)
    frame = data.frame.assign(day=pd.date_range("2024-01-01", periods=n_rows))
    holes = np.random.default_rng(seed).random(frame.shape) < 0.2
    frame = frame.mask(holes)
    graph = ca.ADMG([*data.graph.nodes, "day"], data.graph.directed, data.graph.bidirected)
    return frame, ca.augment(frame, graph, random_state=0)


def test_marginals_are_those_of_the_cells_that_are_there():
    frame, augmented = holed()
    summary = summarize(augmented, "wear", 0)
    assert {each.axis.column for each in summary.marginals} == set(frame.columns)
    for marginal in summary.marginals:
        name = marginal.axis.column
        there = np.flatnonzero(frame[name].notna())
        number = augmented.table.index(name)
        values = augmented.table.values[there, number]
        np.testing.assert_allclose(marginal.observed.sum(), 1.0)
        np.testing.assert_allclose(
            marginal.observed, marginal.axis.shares(values, np.ones(len(there)))
        )
        assert "nan" not in "".join(marginal.axis.labels).lower()
        assert "NaT" not in marginal.axis.labels


def test_pairs_go_by_the_rows_that_have_both():
    frame, augmented = holed()
    for pair in summarize(augmented, "wear", 0).pairs:
        both = frame[[pair.x.column, pair.y.column]].dropna()
        assert len(pair.observed) == len(both)
        assert np.isfinite(pair.observed).all()
        if pair.correlation is not None:
            numbers = both.apply(pd.to_numeric)
            assert pair.correlation[0] == pytest.approx(numbers.corr().iloc[0, 1])


def test_columns_that_are_never_there_together_have_no_correlation():
    frame = pd.DataFrame({"x": [1.5, 2.5, np.nan, np.nan], "y": [np.nan, np.nan, 3.5, 1.0]})
    augmented = ca.augment(frame, ca.ADMG(["x", "y"]), random_state=0)
    (pair,) = summarize(augmented, "y", 0).pairs
    assert pair.correlation is None
    assert pair.observed.shape == (0, 2)
