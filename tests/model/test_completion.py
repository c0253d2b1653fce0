"""Missing cells drawn given the observed ones: laws of `GraphModel.complete`."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

import causalaug as ca
from graph_strategies import admgs


@st.composite
def discrete_rows(draw):
    """Draw a fitted model of a small table of levels, and a row with holes."""
    graph = draw(admgs(max_nodes=4))
    n_rows = draw(st.integers(2, 8))
    cells = st.lists(st.sampled_from("abc"), min_size=n_rows, max_size=n_rows)
    frame = pd.DataFrame({name: draw(cells) for name in graph.nodes})
    row = {name: draw(st.sampled_from([None, *sorted(set(frame[name]))])) for name in graph.nodes}
    return frame, ca.fit_model(frame, graph), row


def by_enumeration(frame, model, row):
    """Return {cells: probability} of all completions, from the joint density alone."""
    levels = [sorted(set(frame[name])) if row[name] is None else [row[name]] for name in frame]
    listed = pd.DataFrame(list(product(*levels)), columns=list(frame))
    joint = np.exp(model.log_density(listed).sum(axis=1).to_numpy())
    keys = [tuple(cells) for cells in listed.itertuples(index=False)]
    return dict(zip(keys, joint / joint.sum(), strict=True))


@given(discrete_rows())
@settings(max_examples=60, deadline=None)
def test_all_completions_equal_enumeration(problem):
    frame, model, row = problem
    wanted = by_enumeration(frame, model, row)
    found = model.complete(pd.DataFrame([row], dtype=object), copies=None)
    keys = [tuple(cells) for cells in found.frame.itertuples(index=False)]
    assert len(set(keys)) == len(keys) == len(wanted)
    for key, weight in zip(keys, found.weights, strict=True):
        assert weight == pytest.approx(wanted[key], abs=1e-9)


@given(discrete_rows(), st.integers(0, 9))
@settings(max_examples=25, deadline=None)
def test_draws_agree_with_enumeration(problem, seed):
    frame, model, row = problem
    wanted = by_enumeration(frame, model, row)
    n = 400
    found = model.complete(pd.DataFrame([row] * n, dtype=object), random_state=seed)
    assert len(found) == n
    counts = found.frame.value_counts()
    observed = np.array([counts.get(key, 0) for key in wanted])
    expected = n * np.array(list(wanted.values()))
    # Cells of few expected draws are put together, as the test asks for.
    rare = expected < 5
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    some = expected > 0
    assert observed[~some].sum() == 0
    if some.sum() > 1:
        assert chisquare(observed[some], expected[some]).pvalue > 1e-5


def test_many_levels_are_drawn_by_weight():
    rng = np.random.default_rng(0)
    names = list("abcdef")
    frame = pd.DataFrame({name: rng.choice(list("wxyz"), 60) for name in names})
    # Six hidden levels that all look at one observed cell: 4,096 completions.
    graph = "; ".join(f"{name} -> seen" for name in names)
    frame["seen"] = frame["a"] + frame["b"]
    model = ca.fit_model(frame, graph)
    row = pd.DataFrame({name: [None] for name in names} | {"seen": ["wx"]}, dtype=object)
    exact = model.complete(row, copies=None)
    wanted = exact.weights @ (exact.frame["a"] == "w").to_numpy()
    drawn = model.complete(pd.concat([row] * 500), random_state=1)
    assert (drawn.frame["a"] == "w").mean() == pytest.approx(wanted, abs=0.12)


def numbers(n=200, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = a + 0.5 * rng.normal(size=n)
    c = b + 0.5 * rng.normal(size=n)
    return pd.DataFrame({"a": a, "b": b, "c": c})


MEAN = ca.ResidualConditional()


def test_a_number_is_drawn_from_its_posterior():
    model = ca.fit_model(numbers(), "a -> b -> c", MEAN)
    row = pd.DataFrame({"a": [0.5], "b": [None], "c": [1.5]}, dtype=float)
    drawn = model.complete(pd.concat([row] * 500), random_state=0).frame["b"]
    # Given a and c the law of b is normal around their middle, with half the variance.
    assert kstest((drawn - 1.0) / 0.5 * np.sqrt(2.0), "norm").pvalue > 1e-4


def test_numbers_that_depend_on_each_other_are_drawn_together():
    model = ca.fit_model(numbers(), "a -> b -> c", MEAN)
    row = pd.DataFrame({"a": [None], "b": [None], "c": [1.5]}, dtype=float)
    drawn = model.complete(pd.concat([row] * 2000), random_state=0).frame
    # By the rules of the normal law: covariances of a, b, c are 1, 1.25, 1.5 and so on.
    assert drawn["b"].mean() == pytest.approx(1.5 * 1.25 / 1.5, abs=0.15)
    assert drawn["a"].mean() == pytest.approx(1.5 * 1.0 / 1.5, abs=0.2)
    assert drawn.corr().loc["a", "b"] == pytest.approx(0.632, abs=0.15)


def test_copies_share_the_weight_and_one_seed_gives_one_result():
    frame = numbers(40)
    frame = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.3)
    model = ca.fit_model(frame, "a -> b -> c", MEAN)
    weights = np.linspace(1.0, 2.0, 40)
    one = model.complete(frame, 4, 7, sample_weight=weights)
    other = model.complete(frame, 4, 7, sample_weight=weights)
    pd.testing.assert_frame_equal(one.frame, other.frame)
    np.testing.assert_allclose(np.bincount(one.rows, one.weights), weights)
    times = np.bincount(one.rows)
    np.testing.assert_array_equal(times, np.where(frame.isna().any(axis=1), 4, 1))
    there = frame.notna().to_numpy()[one.rows]
    np.testing.assert_array_equal(one.frame.to_numpy()[there], frame.to_numpy()[one.rows][there])


def test_rows_without_holes_come_back_as_they_are():
    frame = numbers(20)
    found = ca.fit_model(frame, "a -> b -> c").complete(frame)
    pd.testing.assert_frame_equal(found.frame, frame)
    np.testing.assert_array_equal(found.rows, np.arange(20))


CELLS = {
    "number": [1.5, None, 2.5, 4.0] * 4,
    "whole": [1, 2, None, 40] * 4,
    "word": ["a", "b", None, "a"] * 4,
    "flag": [True, False, True, None] * 4,
    "day": pd.to_datetime(["2024-01-01", "2024-01-02", None, "2024-01-09"] * 4).tolist(),
}


def cells(library):
    frame = pd.DataFrame(CELLS)
    if library == "pandas":
        return frame
    if library == "pandas nullable":
        kinds = {"whole": "Int64", "flag": "boolean", "word": "category", "number": "Float64"}
        return frame.astype(kinds)
    plain = {name: [None if pd.isna(c) else c for c in column] for name, column in CELLS.items()}
    if library == "polars":
        return pl.DataFrame(plain).with_columns(pl.col("word").cast(pl.Enum(["a", "b", "c"])))
    table = pa.table(plain)
    return table.set_column(2, "word", table["word"].dictionary_encode())


@pytest.mark.parametrize("library", ["pandas", "pandas nullable", "polars", "pyarrow"])
def test_frames_keep_their_library_and_dtypes(library):
    frame = cells(library)
    model = ca.fit_model(frame, "number -> whole -> word; flag -> day")
    found = model.complete(frame, copies=2, random_state=0)
    assert type(found.frame) is type(frame)
    schema = (
        (lambda f: f.schema) if library in ("polars", "pyarrow") else (lambda f: dict(f.dtypes))
    )
    assert schema(found.frame) == schema(frame)
    table = ca.Table.from_frame(found.frame, holes=True)
    assert table.missing is None
    assert set(table.present(1)) <= {1.0, 2.0, *range(0, 60)}


def test_arrays_stay_arrays():
    frame = numbers(30)
    holes = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.2).to_numpy()
    graph = ca.ADMG(["a", "b", "c"], [("a", "b"), ("b", "c")])
    found = ca.fit_model(holes, graph).complete(holes)
    assert isinstance(found.frame, np.ndarray)
    assert np.isfinite(found.frame).all()
    there = np.isfinite(holes)
    np.testing.assert_array_equal(found.frame[there], holes[there])


def test_columns_that_are_not_there_are_not_added():
    frame = pd.DataFrame({"x": list("aabb"), "y": list("uuvv"), "z": list("pqpq")})
    model = ca.fit_model(frame, "x -> y -> z")
    row = pd.DataFrame({"x": [None], "z": ["p"]}, dtype=object)
    found = model.complete(row, copies=None)
    assert list(found.frame) == ["x", "z"]
    wanted = model.predict("x", row).probabilities[0]
    np.testing.assert_allclose(found.weights, wanted)


def test_a_level_that_was_never_seen_stays():
    frame = pd.DataFrame({"x": list("aabb"), "y": list("uuvv")})
    model = ca.fit_model(frame, "x -> y")
    found = model.complete(pd.DataFrame({"x": ["new"], "y": [None]}), copies=None)
    assert found.frame["x"].tolist() == ["new", "new"]
    np.testing.assert_allclose(found.weights, [0.5, 0.5])


def test_limits_and_whole_numbers_are_kept():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "dose": rng.poisson(3, 60).astype(float)})
    frame.loc[rng.random(60) < 0.3, "dose"] = None
    kinds = {"dose": "continuous"}
    found = ca.fit_model(frame, "x -> dose", MEAN, kinds=kinds).complete(frame, 20, 0).frame["dose"]
    assert (found >= 0).all()
    assert (found == found.round()).all()


def test_numbers_cannot_be_listed():
    model = ca.fit_model(numbers(20), "a -> b -> c")
    row = pd.DataFrame({"a": [1.0], "b": [None], "c": [1.0]}, dtype=float)
    with pytest.raises(ca.exceptions.ParameterError, match=r"numbers missing in \['b'\]"):
        model.complete(row, copies=None)


def test_too_many_completions_are_not_listed():
    letters = [str(number) for number in range(400)]
    frame = pd.DataFrame({"x": letters, "y": letters})
    with pytest.raises(ca.exceptions.ParameterError, match=r"at most 100,000.*Found 160,000"):
        ca.fit_model(frame, "x -> y").complete(
            pd.DataFrame({"x": [None], "y": [None]}, dtype=object), copies=None
        )


def test_copies_must_be_a_number():
    model = ca.fit_model(numbers(20), "a -> b -> c")
    with pytest.raises(ca.exceptions.ParameterError, match="`copies` must be"):
        model.complete(numbers(3), copies=0)


def test_weights_must_be_one_per_row():
    model = ca.fit_model(numbers(20), "a -> b -> c")
    with pytest.raises(ca.exceptions.ParameterError, match="one number for each of the 3 rows"):
        model.complete(numbers(3), sample_weight=np.ones(2))


def test_rows_that_are_alike_have_the_same_copies():
    rng = np.random.default_rng(0)
    a = rng.normal(size=50)
    frame = pd.DataFrame({"a": a, "b": a + rng.normal(size=50), "c": rng.choice(list("xy"), 50)})
    model = ca.fit_model(frame, "a -> b; b -> c")
    holes = pd.DataFrame({"a": [0.3, np.nan, 0.3], "b": [np.nan] * 3, "c": [None, "x", None]})
    alike = model.complete(holes, 4, random_state=1, alike=True)
    first, last = (alike.frame[alike.rows == row].reset_index(drop=True) for row in (0, 2))
    pd.testing.assert_frame_equal(first, last)
    assert first["b"].nunique() == 4
    alone = model.complete(holes[2:], 4, random_state=1, alike=True).frame
    pd.testing.assert_frame_equal(alone.reset_index(drop=True), last)
    apart = model.complete(holes, 4, random_state=1)
    assert set(apart.frame["b"][apart.rows == 0]).isdisjoint(apart.frame["b"][apart.rows == 2])
