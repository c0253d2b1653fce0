"""How far an expected value may lie beyond the rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

import causalaug as ca
from causalaug.densities import Density, NoiseDensity
from causalaug.model import MeanBounds
from causalaug.model._posterior import Child, Posterior, distributions, means
from causalaug.table import Table


def table_of(frame):
    return Table.from_frame(frame, names=list(frame), holes=True)


def rows(n=40, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    return pd.DataFrame({"a": a, "b": rng.normal(size=n), "y": 2.0 * a + rng.normal(size=n)})


def test_a_mean_may_lie_a_standard_deviation_beyond_the_rows_or_as_far_as_a_line():
    frame = rows()
    bounds = MeanBounds.of(table_of(frame), "y")
    inner = frame["y"].sort_values()[1:-1]
    room = np.std(inner)
    asked = np.array([[0.0, 0.0, np.nan], [1e3, 0.0, np.nan], [-1e3, 0.0, np.nan]])
    low, high = bounds(asked)
    least = max(frame["y"].min(), inner.iloc[0] - room) - room
    largest = min(frame["y"].max(), inner.iloc[-1] + room) + room
    assert_allclose([low[0], high[0]], [least, largest])
    assert_allclose([low[1], high[2]], [least, largest])
    near, far = bounds(np.array([[6.0, 0.0, np.nan], [1e3, 0.0, np.nan]]))[1]
    line = LinearRegression().fit(frame[["a", "b"]].to_numpy(), frame["y"])
    assert largest < near <= line.predict([[6.0, 0.0]])[0]
    assert near < far <= frame["y"].mean() + 3.0 * np.ptp(frame["y"])


def test_a_line_that_explains_nothing_takes_no_mean_beyond_the_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=40), "y": rng.normal(size=40)})
    bounds = MeanBounds.of(table_of(frame), "y")
    low, high = bounds(np.array([[1e9, np.nan]]))
    assert (low[0], high[0]) == (bounds.low, bounds.high)


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3), st.integers(0, 99))
def test_bounds_move_with_the_unit_of_the_target(origin, unit, seed):
    frame = rows(seed=seed)
    asked = np.random.default_rng(seed).normal(size=(5, 3)) * 50.0
    first = np.array(MeanBounds.of(table_of(frame), "y")(asked))
    moved = table_of(frame.assign(y=origin + unit * frame["y"]))
    second = moved.numbers(moved.index("y"), np.array(MeanBounds.of(moved, "y")(asked)))
    assert_allclose(second, origin + unit * first, rtol=1e-6, atol=1e-6 * (abs(origin) + unit))


def test_one_outlier_does_not_decide_how_far_a_mean_may_go():
    frame = rows()
    frame.loc[0, "y"] = 1e6
    bounds = MeanBounds.of(table_of(frame), "y")
    rest = frame["y"].sort_values()[:-1]
    assert bounds.high < rest.max() + 3.0 * np.ptp(rest)


def test_missing_cells_count_as_the_mean_of_their_column():
    frame = rows()
    frame.loc[3, "a"] = np.nan
    bounds = MeanBounds.of(table_of(frame), "y")
    low, high = bounds(np.full((1, 3), np.nan))
    assert low[0] == bounds.low
    assert high[0] == bounds.high


def test_a_small_slope_that_is_turned_round_is_no_lever():
    """The effect hardly depends on its cause; far out it would call for an absurd one."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    frame = pd.DataFrame({"y": y, "x": 0.4 * y + 0.05 * rng.normal(size=60)})
    model = ca.fit_model(frame, "y -> x", conditional="auto")
    found = model.predict("y", pd.DataFrame({"x": [1e9]})).mean
    assert found[0] <= y.mean() + 3.0 * np.ptp(y)


@pytest.mark.parametrize("rain", [1.0, 5.0, 17.0, 1e6])
def test_a_long_tailed_count_does_not_explode(rain):
    rng = np.random.default_rng(0)
    wet = np.where(rng.random(60) < 0.93, 0.0, rng.exponential(0.3, 60)).round(2)
    rents = np.exp(rng.normal(5.0, 1.2, 60) + 1.5 * wet).astype(int)
    X, y = pd.DataFrame({"rain": wet}), pd.Series(rents, name="rents")
    model = ca.GraphRegressor("rain -> rents").fit(X, y)
    asked = pd.DataFrame({"rain": [rain]})
    assert 0.0 <= model.predict(asked)[0] <= y.max() + y.std()
    quantiles = model.predict_quantile(asked, [0.05, 0.5, 0.95])[0]
    assert (np.diff(quantiles) >= 0.0).all()


def test_factors_that_contradict_each_other_leave_the_targets_own():
    """One child is possible where the target is low, the other where it is high."""
    low = Child(_Only(lambda y: y < 0.0), 1, np.array([0]), 0)
    high = Child(_Only(lambda y: y > 0.0), 1, np.array([0]), 0)
    own = NoiseDensity(lambda pillow: (np.array([3.0]), np.array([2.0])), 30.0)
    values = np.array([[np.nan, 1.0, 0.0]])
    posterior = Posterior(own, np.array([2]), (low, high))
    assert_allclose(means(posterior, values), [3.0], atol=0.05)
    points, cumulative, _ = distributions(posterior, values)
    median = np.interp(0.5, cumulative[0], points[0])
    assert median == pytest.approx(3.0, abs=0.05)


class _Only(Density):
    """A child whose cell is possible only at some values of the target."""

    def __init__(self, is_possible):
        self.is_possible = is_possible

    def log_density(self, values, pillow):
        return np.where(self.is_possible(pillow[:, 0]), 0.0, -np.inf)

    cover = draw = None
