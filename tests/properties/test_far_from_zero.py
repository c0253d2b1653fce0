"""A constant that is added to a column is added to what is said of it, and changes nothing else.

All cells are multiples of a quarter, so that doubles hold them exactly up to 1e15 and a little
more. What is left is the rounding of a prediction at that distance from zero.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import causalaug as ca
from causalaug.table import Table

GRAPH = "a -> b -> y <- a; y -> c; k -> y"
FAR = [s * far for far in (1e6, 1e9, 1e12, 1e15) for s in (1.0, -1.0)]


def quarters(values):
    return np.round(4.0 * values) / 4.0


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(4, 40))
    k = rng.integers(0, 3, 40)
    a = quarters(2.0 * noise[0])
    b = quarters(a + noise[1])
    y = quarters(b - a + k + noise[2])
    c = quarters(y + noise[3])
    return pd.DataFrame({"a": a, "b": b, "k": np.array(["u", "v", "w"])[k], "y": y, "c": c})


def moved(frame, column, offset):
    return frame.assign(**{column: frame[column] + offset})


def assert_moved(found, expected, offset, slack=1e-8):
    """Raise unless numbers are as expected, beside an offset and what its rounding takes."""
    rounding = 2.0 * abs(np.spacing(offset))
    assert_allclose(found, np.asarray(expected) + offset, rtol=0, atol=rounding + slack)


@pytest.fixture(scope="module")
def predicted(frame):
    return ca.fit_model(frame, GRAPH, conditional="auto").predict("y", frame.drop(columns="y"))


@pytest.mark.parametrize("offset", FAR)
@pytest.mark.parametrize("column", ["a", "y", "c"])
def test_predictions(frame, predicted, column, offset):
    far = moved(frame, column, offset)
    found = ca.fit_model(far, GRAPH, conditional="auto").predict("y", far.drop(columns="y"))
    shift = offset if column == "y" else 0.0
    slack = 1e-8 if abs(offset) < 1e9 else 1e-12
    assert_moved(found.mean, predicted.mean, shift, slack)
    for level in (0.05, 0.5, 0.95):
        assert_moved(found.quantile(level), predicted.quantile(level), shift, slack)


@pytest.mark.parametrize(
    ("make", "offset", "slack"),
    [
        # Neighbouring floats are 1.2e-7 apart there: three of them are rounding.
        (ca.GraphRegressor, 1e9, 4e-7),
        (ca.GraphRegressor, -1e15, 0.25),
        # The learners in its blend are somebody else's, and add up cells on their way.
        (lambda graph: ca.AugmentedRegressor(graph=graph, random_state=0), -1e9, 1e-2),
    ],
)
def test_the_learners(frame, make, offset, slack):
    features, far = frame.drop(columns="y"), moved(frame, "y", offset)
    plain = make(graph=GRAPH).fit(features, frame["y"]).predict(features)
    found = make(graph=GRAPH).fit(features, far["y"]).predict(features)
    assert_allclose(found, plain + offset, rtol=0, atol=slack)


@pytest.mark.parametrize("offset", FAR)
@pytest.mark.parametrize("conditional", [ca.KernelConditional(), ca.ResidualConditional()])
def test_weights_and_new_rows(frame, conditional, offset):
    options = {"graph": GRAPH, "conditional": conditional, "random_state": 0}
    plain = ca.augment(frame, expansion=ca.BudgetExpansion(200), **options)
    for column in ("b", "y"):
        far = ca.augment(moved(frame, column, offset), expansion=ca.BudgetExpansion(200), **options)
        assert_array_equal(far.rows, plain.rows)
        assert_allclose(far.weights, plain.weights, rtol=1e-7)
        assert_moved(far.frame[column], plain.frame[column], offset)
        others = plain.frame.columns.drop(["k", column])
        assert_allclose(far.frame[others], plain.frame[others], atol=1e-8)


@pytest.mark.parametrize("offset", FAR)
def test_densities_and_checks(frame, offset):
    plain = ca.fit_model(frame, GRAPH, conditional="auto").log_density(frame)
    far = moved(moved(frame, "y", offset), "b", -offset)
    found = ca.fit_model(far, GRAPH, conditional="auto").log_density(far)
    assert_allclose(found, plain, atol=1e-6)
    checks = [ca.check_graph(each, GRAPH).frame for each in (frame, far)]
    assert_allclose(checks[1]["p_value"], checks[0]["p_value"], atol=1e-6)


@pytest.mark.parametrize("offset", [1e9, -1e12, 1e15])
def test_completed_cells(frame, offset):
    holes = frame.copy()
    holes.loc[::5, "y"] = np.nan
    holes.loc[1::5, "b"] = np.nan
    far = moved(moved(holes, "y", offset), "b", -offset)
    made = []
    for each in (holes, far):
        model = ca.fit_model(each, GRAPH, conditional="auto")
        made.append(model.complete(each, random_state=0).frame)
    for column, shift in (("y", offset), ("b", -offset)):
        assert_moved(made[1][column], made[0][column], shift)


def test_whole_numbers_stay_whole_and_within_their_limits():
    rng = np.random.default_rng(0)
    a = rng.integers(-20, 20, 60)
    frame = pd.DataFrame({"a": a, "n": 2**50 + np.clip(a + rng.integers(-5, 5, 60), -18, 18)})
    limits = {"n": (2**50 - 18, 2**50 + 18)}
    model = ca.fit_model(frame, "a -> n", conditional=ca.ResidualConditional(), limits=limits)
    new = model.expand(random_state=0).frame["n"]
    assert new.dtype == frame["n"].dtype
    assert new.between(2**50 - 18, 2**50 + 18).all()
    assert not new.isin(frame["n"]).all()
    drawn = model.predict("n", frame[["a"]]).sample(20, 0)
    assert_array_equal(drawn, np.round(drawn))
    assert drawn.min() >= 2**50 - 18
    assert drawn.max() <= 2**50 + 18


def test_only_columns_far_from_zero_are_measured_from_their_smallest_number():
    near, far = np.array([4.0, 70.0, 55.5]), 1e12 + np.array([0.0, 2.0, 1.0])
    frame = pd.DataFrame({"near": near, "far": far, "level": [10**12, 10**12 + 1, 10**12]})
    table = Table.from_frame(frame)
    assert table.origin == (0.0, 1e12, 0.0)
    assert_array_equal(table.values[:, :2], np.column_stack([near, far - 1e12]))
    assert Table.from_frame(frame[["near", "level"]]).origin is None
    assert_array_equal(table.numbers(1, table.values[:, 1]), far)
    assert table.limits[0] == (0.0, np.finfo(float).max)
    # Zero is so far away that it bounds nothing.
    assert table.limits[1] == (-np.finfo(float).max, np.finfo(float).max)
    said = Table.from_frame(frame, limits={"far": (1e12 - 1, 1e12 + 2)})
    assert said.limits[1] == (-1.0, 2.0)
    assert said.limits_of_numbers(1) == (1e12 - 1, 1e12 + 2)
