import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

import causalaug as ca
from causalaug.densities._mean import fit_smooth_mean
from causalaug.densities._transform import choose_transform
from causalaug.exceptions import ParameterError
from oracles import all_lent_paths
from regressors import HalfSum, Unweighted, Zero
from strategies import by_rows, by_values, problems

INFINITE = ca.ResidualConditional(temperature=math.inf)
EVERYTHING = ca.PrunedExpansion(0.0, merge_equal=False)
EXPANSIONS = [
    ca.PrunedExpansion(0.01),
    EVERYTHING,
    ca.BudgetExpansion(40),
    ca.SampledExpansion(60),
    ca.BeamExpansion(25),
]


@pytest.fixture
def chain():
    rng = np.random.default_rng(0)
    x = rng.normal(size=9)
    y = np.sin(2.0 * x) + 0.2 * rng.normal(size=9)
    return pd.DataFrame({"z": y + 0.3 * rng.normal(size=9), "x": x, "y": y})


GRAPH = ca.read_graph("x -> y -> z; x -> z")


# The slow twin: one path at a time.


def lender(table, factor, conditional):
    """Return what row i lends to a pillow, computed for one pillow and one row."""
    column = table.index(factor.target)
    columns = [table.index(name) for name in factor.pillow]
    levels = {j: None if table.numeric[j] else sorted(set(table.values[:, j])) for j in columns}

    def as_inputs(pillow):
        cells = []
        for j, value in zip(columns, pillow, strict=True):
            cells += [value] if levels[j] is None else [float(value == v) for v in levels[j]]
        return np.array([cells])

    observed = table.values[:, column]
    inputs = np.vstack([as_inputs(row) for row in table.values[:, columns]])
    weights = np.ones(table.n_rows) if table.row_weights is None else table.row_weights
    is_integer = table.resolution[column] == 1.0
    low, high = table.limits[column]
    scale = choose_transform(inputs, observed, weights, (low, high), is_integer=is_integer)
    target = scale.forward(observed)
    if conditional.regressor is None:
        mean = fit_smooth_mean(inputs, target, weights)
        freedom = np.maximum(1.0 - mean.leverages, 0.04)
        residuals = (target - mean.predict(inputs)) / np.sqrt(freedom)
    else:
        mean = conditional.regressor
        residuals = target - mean.predict(inputs)
    margin, own_margin = 0.5 * np.std(target), 0.5 * np.std(observed)

    def lend(pillow, i):
        value = float(mean.predict(as_inputs(pillow))[0]) + residuals[i]
        value = min(max(value, target.min() - margin), target.max() + margin)
        value = float(scale.inverse(np.array([value]))[0])
        value = float(round(value)) if is_integer else value
        least, largest = observed.min() - own_margin, observed.max() + own_margin
        if is_integer:
            least, largest = math.ceil(least), math.floor(largest)
        return min(max(value, least, low), largest, high)

    return lend


def slow_paths(table, factors, conditional):
    """Return {rows: (cells, weight)} of every path, by brute force."""
    kernel = conditional.kernel
    wide = replace(kernel, temperature=conditional.temperature)
    column = {name: number for number, name in enumerate(table.columns)}
    pillows = {column[f.target]: [column[name] for name in f.pillow] for f in factors}
    lend, kernels, bandwidths = {}, {}, {}
    for factor in factors:
        j = column[factor.target]
        can_vary = np.ptp(table.values[:, j]) > 0.0
        is_moved = table.resolution[j] is not None and bool(factor.pillow) and can_vary
        found = (wide if is_moved else kernel).column_kernels(table)
        kernels[j] = [each.name for each in found]
        bandwidths[j] = [each.bandwidth for each in found]
        if is_moved:
            lend[j] = lender(table, factor, conditional)
    order = [column[factor.target] for factor in factors]
    walk = all_lent_paths(table.values, order, pillows, kernels, bandwidths, lend)
    return {rows: (cells, weight) for rows, cells, weight in walk}


def assert_same_paths(augmented, expected):
    missing = expected.keys() - by_rows(augmented).keys()
    assert all(expected[rows][1] < 1e-300 for rows in missing)
    values = augmented.table.values[augmented.rows, np.arange(augmented.table.n_columns)]
    for column, shifted in augmented.paths.shifted.items():
        values[:, column] = shifted
    for rows, cells, weight in zip(augmented.rows.tolist(), values, augmented.weights, strict=True):
        exact_cells, exact_weight = expected[tuple(rows)]
        np.testing.assert_allclose(cells, exact_cells, rtol=1e-7, atol=1e-9)
        assert weight == pytest.approx(exact_weight, rel=1e-6, abs=1e-300)


@settings(max_examples=60)
@given(
    problems(max_rows=4, kernels=("gaussian",)),
    st.sampled_from([None, HalfSum()]),
    st.sampled_from([EVERYTHING, ca.BudgetExpansion(10_000, merge_equal=False)]),
)
def test_the_full_tree_is_the_brute_force_walk(problem, regressor, expansion):
    conditional = ca.ResidualConditional(regressor, kernel=problem.conditional)
    result = ca.augment(problem.frame, problem.graph, conditional, expansion, problem.order)
    assert_same_paths(result, slow_paths(result.table, result.factors, conditional))
    assert result.mass == pytest.approx(1.0)


@settings(max_examples=40)
@given(problems(max_rows=4, kernels=("gaussian",)), st.sampled_from([1e-3, 0.02, 0.3]))
def test_pruning_keeps_the_paths_at_or_above_the_threshold(problem, threshold):
    conditional = ca.ResidualConditional(HalfSum(), kernel=problem.conditional)
    expansion = ca.PrunedExpansion(threshold, merge_equal=False)
    result = ca.augment(problem.frame, problem.graph, conditional, expansion, problem.order)
    theta = threshold / len(problem.frame)
    exact = slow_paths(result.table, result.factors, conditional)
    close = {rows for rows, (_, w) in exact.items() if abs(w - theta) <= 1e-9 * theta}
    found = {tuple(rows) for rows in result.rows.tolist()}
    heavy = {rows for rows, (_, weight) in exact.items() if weight >= theta}
    assert found - close == heavy - close


@pytest.mark.parametrize("temperature", [0.1, 1.0, 5.0])
def test_values_and_weights_follow_the_temperature(chain, temperature):
    conditional = ca.ResidualConditional(temperature=temperature)
    result = ca.augment(chain, GRAPH, conditional, EVERYTHING)
    assert_same_paths(result, slow_paths(result.table, result.factors, conditional))


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
@pytest.mark.parametrize("conditional", [ca.ResidualConditional(), INFINITE], ids=repr)
def test_every_cell_is_the_mean_plus_the_residual_of_the_row_that_is_named(
    chain, expansion, conditional
):
    result = ca.augment(chain, GRAPH, conditional, expansion, random_state=3)
    assert len(result) > 20
    table, values = result.table, result.frame.to_numpy()
    for factor in result.factors:
        lend = lender(table, factor, conditional) if factor.pillow else None
        target, pillow = table.index(factor.target), [table.index(v) for v in factor.pillow]
        for cells, rows in zip(values, result.rows, strict=True):
            row = rows[target]
            expected = lend(cells[pillow], row) if lend else table.values[row, target]
            assert cells[target] == pytest.approx(expected, abs=1e-9)


def test_mixed_tables_are_walked_by_hand_too():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "town": ["Ulm", "Bonn", "Kiel", "Ulm", "Bonn"],
            "x": rng.normal(size=5),
            "k": [3, 9, 4, 7, 1],
            "y": rng.normal(size=5),
        }
    )
    graph = ca.read_graph("town -> x; town -> k; x -> k; k -> y; town -> y")
    conditional = ca.ResidualConditional(
        kernel=ca.KernelConditional(discrete_kernel="aitchison_aitken")
    )
    kinds = {"k": "continuous"}
    result = ca.augment(frame, graph, conditional, EVERYTHING, kinds=kinds)
    assert set(result.paths.shifted) == {1, 2, 3}
    assert_same_paths(result, slow_paths(result.table, result.factors, conditional))


# The two ends: the paper's method, and the residual bootstrap.


@given(problems(max_rows=5, kernels=("gaussian", "epanechnikov")), st.sampled_from(EXPANSIONS))
def test_without_a_mean_it_is_the_kernel_conditional(problem, expansion):
    moved = ca.ResidualConditional(Zero(), kernel=problem.conditional)
    # Without limits no column is moved on a logarithmic scale, which would round.
    options = {"limits": dict.fromkeys(problem.frame, (None, None)), "random_state": 4}
    kernel, residual = (
        ca.augment(problem.frame, problem.graph, each, expansion, problem.order, **options)
        for each in (problem.conditional, moved)
    )
    if isinstance(expansion, ca.SampledExpansion):
        assert by_values(residual).keys() == by_values(kernel).keys()
        return
    found, expected = by_rows(residual), by_rows(kernel)
    assert found.keys() == expected.keys()
    for rows, weight in expected.items():
        assert found[rows] == pytest.approx(weight, rel=1e-9, abs=1e-300)
    assert by_values(residual).keys() == by_values(kernel).keys()


def test_without_a_mean_the_lightest_paths_are_kept_too():
    frame = pd.DataFrame({"x": [0.0, 1.0, 40.0], "y": [1.0, 2.0, 3.0]})
    graph, kernel = ca.read_graph("x -> y"), ca.KernelConditional(bandwidth=1.0)
    results = [
        ca.augment(frame, graph, each, ca.PrunedExpansion(0.0))
        for each in (kernel, ca.ResidualConditional(Zero(), kernel=kernel))
    ]
    assert min(results[0].paths.log_weights) < -700.0
    assert [len(result) for result in results] == [9, 9]


@pytest.mark.parametrize("merge_equal", [False, True])
def test_infinite_temperature_chooses_rows_uniformly(chain, merge_equal):
    everything = ca.PrunedExpansion(0.0, merge_equal=merge_equal)
    result = ca.augment(chain, GRAPH, INFINITE, everything)
    np.testing.assert_allclose(result.weights, 9.0**-3)
    assert len(by_rows(result)) == 9**3


def test_infinite_temperature_draws_rows_uniformly_given_any_pillow(chain):
    result = ca.augment(chain, GRAPH, INFINITE, ca.SampledExpansion(20_000), random_state=0)
    counts = np.zeros((9, 9))
    np.add.at(counts, (result.rows[:, 1], result.rows[:, 0]), 1)
    np.testing.assert_allclose(counts / 20_000, 1 / 81, atol=0.004)


def test_a_high_temperature_comes_near_to_the_infinite_one(chain):
    hot = ca.augment(chain, GRAPH, ca.ResidualConditional(temperature=1e6), EVERYTHING)
    np.testing.assert_allclose(hot.weights, 9.0**-3, rtol=1e-6)


# What is moved and what is copied.


@given(st.integers(0, 10_000), st.sampled_from([0.3, 1.0, math.inf]))
def test_values_stay_within_the_range_and_half_a_deviation(seed, temperature):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.standard_cauchy(size=12)})
    frame["y"] = frame["x"] ** 2 + rng.standard_cauchy(size=12)
    conditional = ca.ResidualConditional(temperature=temperature)
    result = ca.augment(frame, ca.read_graph("x -> y"), conditional, random_state=0)
    margin = 0.5 * np.std(frame["y"])
    assert result.frame["y"].min() >= frame["y"].min() - margin
    assert result.frame["y"].max() <= frame["y"].max() + margin


def test_values_do_leave_the_observed_range():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": [0.1, 0.8, 2.2, 3.0]})
    result = ca.augment(frame, ca.read_graph("x -> y"), INFINITE, EVERYTHING)
    assert result.frame["y"].max() > 3.0
    assert result.novel_mass > 0.5


def test_roots_discrete_and_constant_variables_are_copied():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "root": rng.normal(size=10),
            "count": rng.integers(0, 3, size=10),
            "flag": rng.integers(0, 2, size=10) > 0,
            "town": rng.choice(["Ulm", "Bonn"], 10),
            "day": pd.date_range("2024-01-01", periods=10),
            "same": np.full(10, 0.1),
            "moved": rng.normal(size=10),
        }
    )
    others = [name for name in frame.columns if name != "root"]
    graph = ca.ADMG(list(frame.columns), [("root", name) for name in others])
    result = ca.augment(frame, graph, ca.ResidualConditional(), random_state=0)
    assert [frame.columns[j] for j in result.paths.shifted] == ["moved"]
    for j, name in enumerate(frame.columns[:-1]):
        np.testing.assert_array_equal(result.frame[name], frame[name].to_numpy()[result.rows[:, j]])
    assert (result.frame.dtypes == frame.dtypes).all()


def counts(dtype):
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    return x, np.round(np.clip(10.0 * x + 5.0 * rng.normal(size=30), 0.0, 120.0)).astype(dtype)


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint8", "Int64", "UInt8", "int64[pyarrow]"])
def test_integers_that_are_measured_stay_integers_that_fit(dtype):
    x, k = counts("int64")
    frame = pd.DataFrame({"x": x, "k": pd.Series(k).astype(dtype)})
    result = ca.augment(
        frame, ca.read_graph("x -> k"), INFINITE, kinds={"k": "continuous"}, random_state=0
    )
    assert str(result.frame["k"].dtype) == dtype
    shifted = result.paths.shifted[1]
    np.testing.assert_array_equal(shifted, np.round(shifted))
    np.testing.assert_array_equal(shifted, result.frame["k"].to_numpy(dtype=float))
    assert shifted.min() == 0.0
    assert not np.signbit(shifted).any()
    assert shifted.max() <= 127 if dtype == "int8" else True


@pytest.mark.parametrize("dtype", ["int64", "int8", "Int64", "int64[pyarrow]"])
def test_integers_that_were_negative_may_leave_their_range(dtype):
    x, k = counts("int64")
    k = k - 9
    frame = pd.DataFrame({"x": x, "k": pd.Series(k).astype(dtype)})
    result = ca.augment(frame, ca.read_graph("x -> k"), INFINITE, random_state=0)
    assert result.table.kinds == ("continuous", "continuous")
    assert result.paths.shifted[1].min() == math.ceil(-9.0 - 0.5 * np.std(k))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "Float64", "double[pyarrow]"])
def test_float_columns_of_pandas_keep_their_dtype(chain, dtype):
    frame = chain.astype(dtype)
    result = ca.augment(frame, GRAPH, ca.ResidualConditional(), random_state=0)
    assert (result.frame.dtypes == frame.dtypes).all()
    np.testing.assert_allclose(
        result.frame["z"].to_numpy(dtype=float), result.paths.shifted[0], rtol=1e-2, atol=1e-3
    )


def test_values_fit_into_small_floats():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0], "y": [-65000.0, 0.0, 65000.0]}).astype("float16")
    result = ca.augment(frame, ca.read_graph("x -> y"), INFINITE, EVERYTHING)
    assert np.isfinite(result.frame["y"]).all()


@pytest.mark.parametrize("dtype", ["float64", "float32", "uint8"])
@pytest.mark.parametrize("library", [pl, pa], ids=["polars", "pyarrow"])
def test_columns_of_other_libraries_keep_their_dtype(library, dtype):
    x, k = counts(dtype)
    frame = library.table({"x": x, "k": k}) if library is pa else pl.DataFrame({"x": x, "k": k})
    graph, kinds = ca.read_graph("x -> k"), {"k": "continuous"}
    result = ca.augment(frame, graph, INFINITE, kinds=kinds, random_state=0)
    assert type(result.frame) is type(frame)
    assert result.frame.schema == frame.schema
    np.testing.assert_allclose(result.frame["k"].to_numpy(), result.paths.shifted[1], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_arrays_keep_their_dtype(dtype):
    array = np.column_stack(counts("float64")).astype(dtype)
    graph = ca.read_graph("x -> k")
    kinds = {"x": "continuous", "k": "continuous"}
    result = ca.augment(array, graph, INFINITE, kinds=kinds, random_state=0)
    assert result.frame.dtype == dtype
    np.testing.assert_allclose(result.frame[:, 1], result.paths.shifted[1], rtol=1e-6)


# Small and degenerate tables.


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
def test_one_row_is_itself(expansion):
    frame = pd.DataFrame({"x": [1.5], "y": [2.5], "z": [3.5]})
    result = ca.augment(frame, GRAPH, ca.ResidualConditional(), expansion).merged()
    pd.testing.assert_frame_equal(result.frame, frame)
    np.testing.assert_allclose(result.weights, [1.0])


@pytest.mark.parametrize("expansion", EXPANSIONS, ids=repr)
@pytest.mark.parametrize("regressor", [None, LinearRegression()])
def test_two_rows_are_enough(expansion, regressor):
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [2.0, 5.0], "z": [0.0, 1.0]})
    conditional = ca.ResidualConditional(regressor)
    result = ca.augment(frame, GRAPH, conditional, expansion, random_state=0)
    assert np.isfinite(result.frame.to_numpy()).all()
    assert result.mass > 0.5


@pytest.mark.parametrize("regressor", [None, LinearRegression()])
@pytest.mark.parametrize("pillow", [[0.1] * 6, ["a"] * 6, pd.Categorical(["a"] * 6)])
def test_a_pillow_that_never_varies_leaves_the_distribution_alone(pillow, regressor):
    frame = pd.DataFrame({"c": pillow, "y": [1.0, 2.0, 4.0, 8.0, 3.0, 5.0]})
    conditional = ca.ResidualConditional(regressor)
    result = ca.augment(frame, ca.read_graph("c -> y"), conditional, EVERYTHING).merged()
    np.testing.assert_allclose(result.weights, 1 / 6)


@pytest.mark.parametrize("regressor", [None, LinearRegression()])
def test_a_column_twice_in_a_pillow_does_no_harm(chain, regressor):
    frame = chain.assign(copy=chain["x"])
    graph = ca.read_graph("x -> y; copy -> y; x -> copy; y -> z")
    result = ca.augment(frame, graph, ca.ResidualConditional(regressor), random_state=0)
    assert np.isfinite(result.frame.to_numpy()).all()
    assert result.mass == pytest.approx(1.0)


@pytest.mark.parametrize("unit", [1e-200, 1e98])
def test_no_unit_is_too_large_or_too_small(chain, unit):
    plain, scaled = (
        ca.augment(frame, GRAPH, ca.ResidualConditional(), EVERYTHING)
        for frame in (chain, chain * unit)
    )
    np.testing.assert_allclose(scaled.frame / unit, plain.frame, atol=1e-7)
    np.testing.assert_allclose(scaled.weights, plain.weights, rtol=1e-6)


@given(problems(max_rows=4, kernels=("gaussian",)))
def test_stacking_the_table_on_itself_changes_nothing(problem):
    conditional = ca.ResidualConditional(HalfSum(), kernel=problem.conditional)
    stacked = pd.concat([problem.frame] * 2, ignore_index=True)
    # Whether a scale suits a column is judged by leaving rows out, and a twin would stay.
    options = {"limits": dict.fromkeys(problem.frame, (None, None)), "order": problem.order}
    once, twice = (
        ca.augment(frame, problem.graph, conditional, ca.PrunedExpansion(0.0), **options)
        for frame in (problem.frame, stacked)
    )
    found, expected = by_rounded_values(twice), by_rounded_values(once)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-300)


def by_rounded_values(augmented):
    weights = {}
    for values, weight in by_values(augmented).items():
        key = tuple(float(round(value, 9)) + 0.0 for value in values)
        weights[key] = weights.get(key, 0.0) + weight
    return weights


# Means by other regressors.


def test_residuals_of_a_regressor_are_taken_out_of_fold():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": np.arange(11.0), "y": rng.normal(size=11)})
    tree = DecisionTreeRegressor(random_state=0)
    table = ca.Table.from_frame(frame)
    conditional = ca.ResidualConditional(tree)
    *_, fitted = conditional.fit(table, ca.factorize(ca.read_graph("x -> y")))
    for i in range(11):
        others = np.arange(11) % 5 != i % 5
        model = DecisionTreeRegressor(random_state=0).fit(frame[["x"]][others], frame["y"][others])
        expected = frame["y"][i] - model.predict(frame[["x"]])[i]
        assert fitted.shift.marks[i] == pytest.approx(expected)
    # In its own fold the tree leaves nothing; the mean itself is fitted to all rows.
    query = frame[["x"]].to_numpy()
    np.testing.assert_allclose(fitted.shift.mean(query), frame["y"])


def test_the_regressor_itself_is_never_fitted(chain):
    regressor = LinearRegression()
    ca.augment(chain, GRAPH, ca.ResidualConditional(regressor), random_state=0)
    assert not hasattr(regressor, "coef_")


def test_weights_reach_the_regressor(chain):
    weights = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1e-9, 1e-9, 1e-9, 1e-9])
    table = ca.Table.from_frame(chain, row_weights=weights)
    factors = ca.factorize(ca.read_graph("x -> y; z"))
    conditional = ca.ResidualConditional(LinearRegression())
    fitted = dict(zip(factors, conditional.fit(table, factors), strict=True))
    (shift,) = (each.shift for each in fitted.values() if each.shift)
    line = LinearRegression().fit(chain[["x"]][:5], chain["y"][:5])
    query = np.array([[-1.0], [0.0], [2.0]])
    np.testing.assert_allclose(
        shift.mean(query), line.predict(pd.DataFrame(query, columns=["x"])), atol=1e-6
    )


# Refusals and habits.


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"regressor": LinearRegression}, "`regressor` must be an object with methods `fit`"),
        ({"regressor": "ridge"}, "such as sklearn.linear_model.LinearRegression\\(\\), or None"),
        ({"regressor": ca.KernelConditional()}, "Found KernelConditional"),
        ({"temperature": 0.0}, "`temperature` must be a positive number, or inf .* Found 0.0"),
        ({"temperature": -math.inf}, "`temperature` must be a positive number"),
        ({"temperature": math.nan}, "`temperature` must be a positive number"),
        ({"temperature": "hot"}, "Found 'hot'"),
        ({"temperature": True}, "Found True"),
        ({"kernel": "gaussian"}, "`kernel` must be a KernelConditional. Found 'gaussian'"),
    ],
)
def test_wrong_parameters_are_refused(parameters, text):
    with pytest.raises(ParameterError, match=text):
        ca.ResidualConditional(**parameters)


def test_a_regressor_without_weights_is_refused_where_rows_have_some(chain):
    weights = np.arange(1.0, 10.0)
    conditional = ca.ResidualConditional(Unweighted())
    with pytest.raises(ParameterError, match="regressor of a ResidualConditional must take it too"):
        ca.augment(chain, GRAPH, conditional, sample_weight=weights)
    ca.augment(chain, GRAPH, conditional, sample_weight=np.full(9, 2.0))


def test_it_is_a_frozen_value():
    assert ca.ResidualConditional() == ca.ResidualConditional()
    assert "temperature=inf" in repr(INFINITE)
    with pytest.raises(FrozenInstanceError):
        INFINITE.temperature = 1.0


# Results with values that no row holds.


def test_equal_rows_are_merged_and_new_ones_counted(chain):
    frame = pd.concat([chain] * 2, ignore_index=True)
    conditional = ca.ResidualConditional(HalfSum(), temperature=math.inf)
    result = ca.augment(frame, GRAPH, conditional, EVERYTHING)
    exact = by_values(result)
    merged = result.merged()
    assert len(merged) == len(exact) < len(result)
    assert by_values(merged) == pytest.approx(exact)
    observed = set(map(tuple, frame.to_numpy()))
    novel = sum(weight for values, weight in exact.items() if values not in observed)
    assert result.novel_mass == pytest.approx(novel)
    assert merged.novel_mass == pytest.approx(novel)
    assert 0.5 < novel < 1.0


def test_clipped_values_are_equal_values():
    frame = pd.DataFrame({"x": [0.0, 0.0, 100.0, 100.0], "y": [-1.0, 0.0, -1.0, 0.0]})
    conditional = ca.ResidualConditional(HalfSum(), temperature=math.inf)
    result = ca.augment(frame, ca.read_graph("x -> y"), conditional, ca.PrunedExpansion(0.0))
    assert set(result.frame["y"]) <= {-1.25, -1.0, 0.0, 0.25}
    assert len(result.merged()) == len(by_values(result)) < len(result)


def test_no_rows_at_all_are_a_result(chain):
    result = ca.augment(chain, GRAPH, ca.ResidualConditional(), ca.PrunedExpansion(1.0))
    assert len(result) == len(result.frame) == len(result.merged()) == 0
    assert result.novel_mass == result.mass == 0.0
    assert result.dropped_mass == 1.0


def test_some_paths_keep_their_values(chain):
    result = ca.augment(chain, GRAPH, INFINITE, random_state=0)
    some = result.paths.at(np.array([3, 1]))
    assert len(some) == 2
    np.testing.assert_array_equal(some.rows, result.rows[[3, 1]])
    np.testing.assert_array_equal(some.shifted[0], result.paths.shifted[0][[3, 1]])
    np.testing.assert_array_equal(some.weights, result.weights[[3, 1]])


def test_one_seed_gives_one_result(chain):
    first, same = (ca.augment(chain, GRAPH, INFINITE, random_state=5) for _ in range(2))
    pd.testing.assert_frame_equal(first.frame, same.frame)


def test_a_tree_that_is_too_large_is_refused(chain):
    with pytest.raises(ca.exceptions.TreeTooLargeError, match="max_rows=100 "):
        ca.augment(chain, GRAPH, INFINITE, ca.PrunedExpansion(0.0, max_rows=100))
