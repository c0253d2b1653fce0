"""Densities of weighted rows within the limits of a column."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca


def skewed(n, seed):
    """Return prices that depend on x in no way that a mean describes."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    price = np.where(rng.random(n) < 0.5, 0.01 + 0.01 * rng.random(n), 5.0 + 5.0 * rng.random(n))
    return pd.DataFrame({"x": x, "price": price, "share": rng.beta(0.5, 0.5, n)})


def model_of(frame, **options):
    return ca.fit_model(frame, "x -> price; x -> share", ca.KernelConditional(), **options)


@settings(max_examples=20)
@given(st.integers(10, 40), st.integers(0, 99))
def test_all_mass_lies_within_the_limits(n, seed):
    model = model_of(skewed(n, seed))
    for factor, fitted in zip(model.factors, model.fitted, strict=True):
        low, high = model.table.limits[model.table.index(factor.target)]
        if factor.target == "x":
            continue
        density = fitted.density(model.table, factor)
        grid = np.linspace(low - 1.0, min(high, 100.0) + 1.0, 2_001)
        pillow = np.repeat([[0.3]], len(grid), axis=0)
        within = np.exp(density.log_density(grid, pillow))
        assert (within[(grid < low) | (grid > high)] == 0.0).all()
        # Of ten rows one in a hundred draws is so far out that it would be reflected twice.
        assert within.sum() * (grid[1] - grid[0]) == pytest.approx(1.0, abs=0.02)


def test_no_quantile_and_no_draw_leaves_the_limits():
    frame = skewed(120, 1)
    model = model_of(frame)
    for target in ("price", "share"):
        said = model.predict(target, frame[["x"]])
        low, high = said.quantile(0.001), said.quantile(0.999)
        assert (low >= 0.0).all()
        assert target == "price" or (high <= 1.0).all()


def test_completed_cells_do_not_pile_up_on_a_limit():
    frame = skewed(120, 2)
    frame.loc[::3, "price"] = np.nan
    made = model_of(frame).complete(frame, copies=1, random_state=0).frame
    assert (made["price"] > 0.0).all()


def test_limits_that_are_given_are_kept():
    frame = skewed(120, 3).assign(price=lambda rows: rows["price"] - 3.0)
    model = model_of(frame, limits={"price": (-3.0, None)})
    assert (model.predict("price", frame[["x"]]).quantile(0.001) >= -3.0).all()
    assert (model_of(frame).predict("price", frame[["x"]]).quantile(0.001) < -3.0).any()
