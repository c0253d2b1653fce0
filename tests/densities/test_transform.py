"""The scale of a column: its inverse, its slope, and how it is chosen."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

import causalaug as ca
from causalaug.densities import _transform
from causalaug.densities._student import student_quantile
from causalaug.densities._transform import (
    LogitTransform,
    LogTransform,
    PlainTransform,
    _skewness,
    choose_transform,
    judge_scale,
    transformed_density,
)

SCALES = [
    PlainTransform(0.0, 10.0),
    LogTransform(0.0, reach=4.0),
    LogTransform(-3.0, reach=20.0),
    LogTransform(10.0, reach=3.0, sign=-1),
    LogitTransform(0.0, 10.0),
]
INFINITE = ca.ResidualConditional(temperature=float("inf"))


@pytest.mark.parametrize("scale", SCALES, ids=str)
@given(st.lists(st.floats(0.01, 9.99), min_size=1, max_size=9))
def test_the_inverse_undoes_the_scale(scale, cells):
    values = np.array(cells)
    np.testing.assert_allclose(scale.inverse(scale.forward(values)), values, rtol=1e-9)


@pytest.mark.parametrize("scale", SCALES, ids=str)
@given(st.floats(0.1, 9.9))
def test_the_jacobian_is_the_slope(scale, value):
    step = 1e-5
    ends = scale.forward(np.array([value - step, value + step]))
    slope = (ends[1] - ends[0]) / (2.0 * step)
    assert np.exp(scale.log_jacobian(np.array([value]))[0]) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("scale", SCALES, ids=str)
@given(st.lists(st.floats(-20.0, 20.0), min_size=2, max_size=9))
def test_nothing_leaves_the_limits(scale, moved):
    values = scale.inverse(np.array(moved))
    low = {"LogTransform": getattr(scale, "limit", 0.0)}.get(type(scale).__name__, 0.0)
    if getattr(scale, "sign", 1) == 1:
        assert values.min() >= low
    if not isinstance(scale, LogTransform) or scale.sign == -1:
        assert values.max() <= 10.0


def salaries(n_rows=200, seed=0):
    """Years of service, and a salary that grows by ratios and is never negative."""
    rng = np.random.default_rng(seed)
    years = rng.uniform(0.0, 30.0, n_rows)
    salary = 20.0 * np.exp(0.08 * years + 0.7 * rng.normal(size=n_rows))
    return pd.DataFrame({"years": years, "salary": salary})


def chosen(x, y, limits, **options):
    return choose_transform(x[:, np.newaxis], y, np.ones(len(y)), limits, **options)


def test_ratios_are_moved_on_a_logarithmic_scale():
    frame = salaries()
    x, y = frame["years"].to_numpy(), frame["salary"].to_numpy()
    assert chosen(x, y, (0.0, np.inf)) == LogTransform(0.0, reach=y.max())
    mirrored = chosen(x, 1000.0 - y, (-np.inf, 1000.0))
    assert (mirrored.limit, mirrored.sign) == (1000.0, -1)
    assert mirrored.reach == pytest.approx(y.max())


def test_even_noise_stays_as_it_is_even_with_a_long_tail():
    rng = np.random.default_rng(0)
    x = rng.exponential(size=300)
    y = 1.0 + 5.0 * x + 0.1 * rng.normal(size=300)
    assert y.min() > 0.0
    assert chosen(x, y, (0.0, np.inf)) == PlainTransform(0.0)


def test_shares_are_moved_as_log_odds():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = 1.0 / (1.0 + np.exp(-2.0 * x - 0.5 * rng.normal(size=300)))
    assert chosen(x, y, (0.0, 1.0)) == LogitTransform(0.0, 1.0)


def test_counts_with_zeros_come_half_a_unit_closer():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 3.0, 300)
    counts = np.floor(np.exp(x + 0.6 * rng.normal(size=300)))
    assert counts.min() == 0.0
    assert chosen(x, counts, (0.0, np.inf), is_integer=True) == LogTransform.of(-0.5, counts)
    assert isinstance(chosen(x, counts, (0.0, np.inf)), PlainTransform)


@pytest.mark.parametrize(
    "change",
    [
        lambda y: y - y.mean(),  # no limit is near: the column was negative
        lambda y: y + 1e6,  # far from its limit
        np.log,  # no tail
    ],
    ids=["negative", "far", "symmetric"],
)
def test_nothing_is_fitted_where_no_other_scale_is_in_question(change, monkeypatch):
    frame = salaries()
    monkeypatch.setattr(_transform, "fit_smooth_mean", None)
    y = change(frame["salary"].to_numpy())
    limits = (0.0, np.inf) if y.min() > 0.0 else (-np.inf, np.inf)
    assert chosen(frame["years"].to_numpy(), y, limits) == PlainTransform.of(
        limits, is_integer=False
    )


@pytest.mark.parametrize(
    "scale", [PlainTransform(0.0, 40.0), LogTransform(0.0, reach=3.0), LogitTransform(0.0, 40.0)]
)
def test_densities_hold_the_mass_one_within_the_limits(scale):
    mean = scale.forward(np.array([1.0]))

    def density(value):
        return np.exp(transformed_density(scale, np.array([value]), mean, np.array([0.5]), 3.0)[0])

    parts = [1e-12, 1e-6, 1e-3, 0.1, 1.0, 10.0, 39.0, 40.0 - 1e-9]
    parts += [1e3, 1e5] if isinstance(scale, LogTransform) else []
    mass = sum(quad(density, low, high)[0] for low, high in pairwise(parts))
    assert mass == pytest.approx(1.0, abs=1e-3)


def test_no_mass_is_negative_and_none_piles_up_on_the_edge():
    frame = salaries(60)
    result = ca.augment(frame, ca.read_graph("years -> salary"), INFINITE, random_state=0)
    new = result.frame["salary"].to_numpy()
    assert new.min() > 0.0
    # The largest value is that of the observed range, extended: no limit, and rarely reached.
    assert np.unique(new[new < new.max()], return_counts=True)[1].max() <= 2
    no_limits = ca.augment(
        frame,
        ca.read_graph("years -> salary"),
        INFINITE,
        random_state=0,
        limits={"salary": (None, None)},
    )
    assert no_limits.frame["salary"].min() < 0.0


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_limits_hold_in_every_library(library):
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    frame = pd.DataFrame({"x": x, "y": np.clip(0.5 * x + rng.normal(size=40), -1.0, 2.0)})
    if library != "pandas":
        convert = {"polars": "polars", "pyarrow": "pyarrow"}[library]
        module = pytest.importorskip(convert)
        frame = (
            module.from_pandas(frame) if library == "polars" else module.Table.from_pandas(frame)
        )
    graph = ca.read_graph("x -> y")
    result = ca.augment(frame, graph, INFINITE, random_state=0, limits={"y": (-1, 2)})
    values = result.values(1)
    assert values.min() >= -1.0
    assert values.max() <= 2.0
    assert type(result.frame) is type(frame)
    free = ca.augment(frame, graph, INFINITE, random_state=0)
    assert free.values(1).min() < -1.0


def test_a_column_that_all_but_stands_still_has_no_skewness():
    assert _skewness(np.array([0.0, 0.0, 5e-324]), np.array([5.0, 3.0, 2.0])) == 0.0


@pytest.mark.parametrize("sign", [1, -1])
def test_beyond_the_rows_a_logarithmic_scale_is_straight(sign):
    scale = LogTransform(2.0, reach=5.0, sign=sign)
    with np.errstate(all="raise"):
        near, far, farther = scale.inverse(sign * (np.log(5.0) + np.array([0.0, 1e6, 2e6])))
    assert near == pytest.approx(2.0 + sign * 5.0)
    assert far - near == pytest.approx(sign * 5e6)
    assert farther - far == pytest.approx(far - near)
    within = scale.inverse(np.array([sign * 1.0]))
    assert within[0] == pytest.approx(2.0 + sign * np.exp(1.0))


@given(
    st.lists(st.floats(0.01, 1e6), min_size=3, max_size=30).map(np.array),
    st.floats(2.0, 30.0),
    st.floats(-1e3, 1e3),
)
def test_noise_on_a_logarithmic_scale_has_an_expectation(values, freedom, centre):
    """Heavy tails count linearly: the mean of fine quantiles is that of finer ones."""
    scale = LogTransform.of(0.0, values)

    def expected(n_levels):
        levels = (np.arange(n_levels) + 0.5) / n_levels
        return scale.inverse(centre + student_quantile(levels, freedom)).mean()

    assert np.isfinite(expected(2_000))
    assert expected(20_000) <= 1.1 * expected(2_000) + values.max()


def test_a_scale_that_is_likelier_must_not_be_farther_off():
    """Most rows lie on an exponential curve; the few that matter to the mean lie on a line."""
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.uniform(0.0, 1.0, 90), np.linspace(1.0, 30.0, 10)])
    y = np.where(x < 1.0, np.exp(rng.normal(size=100)), 40.0 * x)
    likely, off = judge_scale(PlainTransform(0.0), x[:, np.newaxis], y, np.ones(100))
    scale = LogTransform.of(0.0, y)
    likelier, farther_off = judge_scale(scale, x[:, np.newaxis], y, np.ones(100))
    assert likelier > likely
    assert farther_off > off
    assert chosen(x, y, (0.0, np.inf)) == PlainTransform(0.0)


@pytest.mark.parametrize("transform", [PlainTransform(), PlainTransform(low=0.0)])
def test_nothing_is_left_of_the_density_however_far_out(transform):
    values, centre, scale = np.array([1e100]), np.zeros(1), np.array([1e-250])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = transformed_density(transform, values, centre, scale, 3.0)
    assert found == -np.inf
