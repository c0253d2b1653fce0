"""Rows with missing cells: each serves the factors whose target and pillow it has."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug.expansion import fill_tree
from causalaug.model import fit_table
from causalaug.model._usable import DRAWN_WEIGHT
from graph_strategies import admgs
from strategies import by_rows

CONDITIONALS = [ca.KernelConditional(), ca.ResidualConditional(), ca.AutoConditional()]
WHOLE_TREE = ca.PrunedExpansion(0.0, merge_equal=False)


@st.composite
def incomplete(draw, max_rows=5):
    """Draw a graph and a small table with holes that leave each factor a row."""
    graph = draw(admgs(max_nodes=3))
    n_rows = draw(st.integers(1, max_rows))
    numbers = st.integers(-4, 4).map(lambda step: step / 4 + 0.125)
    cells = {
        name: st.lists(
            draw(st.sampled_from([numbers, st.sampled_from("abc")])),
            min_size=n_rows,
            max_size=n_rows,
        )
        for name in graph.nodes
    }
    whole = pd.DataFrame({name: draw(column) for name, column in cells.items()})
    holes = draw(
        st.lists(
            st.lists(st.booleans(), min_size=len(graph.nodes), max_size=len(graph.nodes)),
            min_size=n_rows,
            max_size=n_rows,
        )
    )
    frame = whole.mask(np.array(holes))
    for factor in ca.factorize(graph):
        assume(len(frame.dropna(subset=[factor.target, *factor.pillow])))
    return graph, whole, frame


def paths_by_hand(graph, frame):
    """Return {rows: weight} of all paths; each factor is fitted alone to the rows it can use."""
    paths = [({}, {}, 1.0)]
    for factor in ca.factorize(graph):
        columns = [factor.target, *factor.pillow]
        rows = np.flatnonzero(frame[columns].notna().all(axis=1))
        part = frame.iloc[rows][columns]
        kinds = dict(zip(columns, ca.Table.from_frame(part).kinds, strict=True))
        edges = [(cause, factor.target) for cause in factor.pillow]
        fitted = ca.fit_model(part, ca.ADMG(columns, edges), order=[*factor.pillow, factor.target])
        assert dict(zip(columns, fitted.table.kinds, strict=True)) == kinds
        weigher, grown = fitted.fitted[-1].weigher, []
        for chosen, cells, weight in paths:
            query = [[cells[name] for name in factor.pillow]]
            coded = [
                fitted.table.values[part[name].to_list().index(cell), columns.index(name)]
                if cell in part[name].to_list()
                else np.nan
                for name, cell in zip(factor.pillow, query[0], strict=True)
            ]
            if np.isnan(coded).any():
                return None
            weights = np.exp(weigher.log_weights(np.array([coded]))[0])
            for row, edge in zip(rows, weights, strict=True):
                if edge > 0.0:
                    own = frame[factor.target].iloc[row]
                    grown.append(
                        (
                            chosen | {factor.target: row},
                            cells | {factor.target: own},
                            weight * edge,
                        )
                    )
        paths = grown
    return {tuple(int(chosen[name]) for name in frame.columns): w for chosen, _, w in paths}


@given(incomplete())
@settings(max_examples=60, deadline=None)
def test_paths_equal_those_by_hand(problem):
    graph, _, frame = problem
    wanted = paths_by_hand(graph, frame)
    assume(wanted is not None)
    found = by_rows(ca.augment(frame, graph, expansion=WHOLE_TREE))
    assert set(found) == set(wanted)
    for rows, weight in found.items():
        assert weight == pytest.approx(wanted[rows], rel=1e-9)


@given(incomplete())
@settings(max_examples=30, deadline=None)
def test_the_tree_line_by_line_is_the_same(problem):
    graph, _, frame = problem
    model = ca.fit_model(frame, graph)
    leaves = [n for n in fill_tree(model, 0.0) if n.depth == len(graph.nodes) - 1]
    found = model.expand(ca.PrunedExpansion(0.0))
    assert sorted(n.weight for n in leaves) == pytest.approx(sorted(found.weights))


@given(incomplete(), st.sampled_from(CONDITIONALS))
@settings(max_examples=40, deadline=None)
def test_without_holes_nothing_changes_to_the_bit(problem, conditional):
    graph, whole, _ = problem
    old = fit_table(ca.Table.from_frame(whole), graph, conditional)
    new = ca.fit_model(whole, graph, conditional)
    assert new.table.missing is None
    assert all(fitted.rows is None for fitted in new.fitted)
    np.testing.assert_array_equal(old.table.values, new.table.values)
    one, other = (model.expand(ca.BudgetExpansion(20), 0) for model in (old, new))
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.weights, other.weights)
    pd.testing.assert_frame_equal(old.log_density(whole), new.log_density(whole))


@given(incomplete())
@settings(max_examples=60, deadline=None)
def test_holes_change_nothing_in_factors_that_have_none(problem):
    graph, whole, frame = problem
    kinds = dict(zip(whole.columns, ca.Table.from_frame(whole).kinds, strict=True))
    before, after = (ca.fit_model(each, graph, kinds=kinds) for each in (whole, frame))
    for number, factor in enumerate(before.factors):
        columns = [factor.target, *factor.pillow]
        if frame[columns].notna().all(axis=None):
            pillow = before.table.values[:, [before.table.index(name) for name in factor.pillow]]
            np.testing.assert_array_equal(
                before.fitted[number].weigher.log_weights(pillow),
                after.fitted[number].weigher.log_weights(pillow),
            )
            one, other = (model.log_density(whole)[factor.target] for model in (before, after))
            pd.testing.assert_series_equal(one, other)


@given(incomplete(), st.data(), st.sampled_from(CONDITIONALS[:1]))
@settings(max_examples=40, deadline=None)
def test_permuting_rows_permutes_the_paths(problem, data, conditional):
    graph, _, frame = problem
    order = data.draw(st.permutations(range(len(frame))))
    shuffled = frame.iloc[order].reset_index(drop=True)
    one = by_rows(ca.augment(frame, graph, conditional, WHOLE_TREE))
    other = by_rows(ca.augment(shuffled, graph, conditional, WHOLE_TREE))
    renamed = {tuple(order[row] for row in rows): weight for rows, weight in other.items()}
    assert set(renamed) == set(one)
    for rows, weight in renamed.items():
        assert weight == pytest.approx(one[rows], rel=1e-9)


def chain(n_rows=30, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n_rows)
    y = x + 0.3 * rng.normal(size=n_rows)
    frame = pd.DataFrame({"x": x, "y": y, "z": np.where(y > 0, "up", "down")})
    return frame.mask(rng.random(frame.shape) < 0.2)


@pytest.mark.parametrize("conditional", CONDITIONALS)
@pytest.mark.parametrize(
    "expansion",
    [ca.BudgetExpansion(), ca.PrunedExpansion(1e-2), ca.SampledExpansion(50), ca.BeamExpansion(40)],
)
def test_new_rows_have_no_holes(conditional, expansion):
    frame = chain()
    new = ca.augment(frame, "x -> y -> z", conditional, expansion, random_state=0)
    assert new.frame.notna().all(axis=None)
    assert new.frame.dtypes.equals(frame.dtypes)
    for number, name in enumerate(frame):
        assert frame[name].to_numpy()[new.rows[:, number]].tolist().count(None) == 0


def test_sample_weights_are_repetitions():
    frame = chain(12)
    weights = np.array([2.0] * 4 + [1.0] * 8)
    repeated = frame.iloc[[0, 0, 1, 1, 2, 2, 3, 3, *range(4, 12)]]
    wide = ca.KernelConditional(bandwidth=0.5)
    one = ca.augment(frame, "x -> y -> z", wide, ca.PrunedExpansion(0), sample_weight=weights)
    other = ca.augment(repeated, "x -> y -> z", wide, ca.PrunedExpansion(0))
    np.testing.assert_allclose(np.sort(one.weights), np.sort(other.weights), rtol=1e-9)


def test_a_level_seen_only_beside_a_hole_has_a_probability():
    frame = pd.DataFrame({"x": ["a", "b", None], "y": ["u", "v", "w"]})
    model = ca.fit_model(frame, "x -> y")
    found = model.predict("y", pd.DataFrame({"x": ["a"]}))
    assert found.levels.tolist() == ["u", "v", "w"]
    assert found.probabilities[0, 2] > 0.0
    assert found.probabilities.sum() == pytest.approx(1.0)


def test_a_variable_never_seen_with_its_pillow_is_an_error():
    frame = pd.DataFrame({"x": [1.0, None], "y": [None, 2.0]})
    with pytest.raises(ca.exceptions.TableError, match=r"no row of 2 that has 'y' and \['x'\]"):
        ca.fit_model(frame, "x -> y")


def test_a_column_without_any_cell_is_an_error():
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [np.nan, np.nan]})
    with pytest.raises(ca.exceptions.TableError, match=r"Found none in \['y'\]"):
        ca.augment(frame, "x -> y")


DAYS = [dt.datetime(2024, 1, day) for day in (1, 2, 5, 9)]
CELLS = {
    "number": [1.5, None, 2.5, 4.0],
    "whole": [1, 2, None, 40],
    "word": ["a", "b", None, "a"],
    "flag": [True, False, True, None],
    "day": [None, *DAYS[1:]],
}
GRAPH = "number -> whole -> word; flag -> day"


def pandas_nullable():
    frame = pd.DataFrame(CELLS).astype({"whole": "Int64", "flag": "boolean", "word": "string"})
    assert frame["whole"].isna().sum() == 1
    return frame


FRAMES = {
    "pandas": lambda: pd.DataFrame(CELLS),
    "pandas nullable": pandas_nullable,
    "pandas category": lambda: pd.DataFrame(CELLS).astype({"word": "category"}),
    "polars": lambda: pl.DataFrame(CELLS),
    "pyarrow": lambda: pa.table(CELLS),
}


@pytest.mark.parametrize("library", FRAMES)
def test_all_libraries_are_alike(library):
    frame = FRAMES[library]()
    table = ca.Table.from_frame(frame, holes=True)
    wanted = ca.Table.from_frame(pd.DataFrame(CELLS), holes=True)
    np.testing.assert_array_equal(table.values, wanted.values)
    assert table.kinds == wanted.kinds
    one, other = (ca.augment(each, GRAPH, random_state=0) for each in (frame, pd.DataFrame(CELLS)))
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.weights, other.weights)
    assert type(one.frame) is type(frame)
    assert ca.Table.from_frame(one.frame).missing is None


def test_arrays_may_have_holes():
    array = chain()[["x", "y"]].to_numpy(float)
    new = ca.augment(array, ca.ADMG(["x", "y"], [("x", "y")]), random_state=0)
    assert np.isfinite(new.frame).all()


def test_originals_with_holes_are_completed_when_they_are_mixed():
    frame = chain()
    weights = np.linspace(1.0, 2.0, 30)
    new = ca.augment(frame, "x -> y -> z", random_state=0, sample_weight=weights)
    mixed, shared = new.mixed(0.25)
    assert mixed.notna().all(axis=None)
    assert mixed.dtypes.equals(frame.dtypes)
    assert len(mixed) == len(shared) == 30 + len(new)
    np.testing.assert_allclose(shared[:30], 0.75 * weights)
    assert shared.sum() == pytest.approx(weights.sum())
    there = frame.notna()
    pd.testing.assert_frame_equal(mixed[:30].where(there), frame.where(there))
    pd.testing.assert_frame_equal(mixed, new.mixed(0.25)[0])
    assert new.merged().mixed(0.5)[0].notna().all(axis=None)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_mixed_rows_are_of_the_library_of_the_input(library):
    frame = FRAMES[library]()
    mixed, _ = ca.augment(frame, GRAPH, random_state=0).mixed()
    assert type(mixed) is type(frame)
    assert mixed.schema == frame.schema
    assert ca.Table.from_frame(mixed).n_rows > 4


def test_without_holes_a_model_is_refined_to_itself():
    frame = chain().dropna().reset_index(drop=True)
    model = ca.fit_model(frame, "x -> y -> z")
    assert model.refined(3, 0) is model


def test_a_refined_model_has_learnt_from_all_rows():
    frame = chain()
    model = ca.fit_model(frame, "x -> y -> z", ca.ResidualConditional())
    one, other = (model.refined(2, 5) for _ in range(2))
    assert one.table.missing is None
    assert one.table.n_rows == len(frame)
    assert one.table.kinds == model.table.kinds
    assert one.order == model.order
    np.testing.assert_array_equal(one.table.values, other.table.values)
    there = frame.notna().to_numpy()
    np.testing.assert_array_equal(one.table.values[there], model.table.values[there])


def test_factors_learn_from_rows_that_have_their_target_and_less_where_a_cause_was_drawn():
    frame = pd.DataFrame({"x": [0.2, None, 2.2, 3.2], "y": [1.2, 5.2, None, 7.2]})
    model = ca.fit_model(frame, "x -> y", ca.ResidualConditional()).refined(1, 0, draws=1)
    x, y = model.fitted
    assert x.rows.tolist() == [0, 2, 3]
    assert y.rows.tolist() == [0, 1, 3]
    less = ca.fit_model(
        frame.assign(x=model.table.values[:, 0])[frame["y"].notna()],
        "x -> y",
        ca.ResidualConditional(),
        sample_weight=np.array([1.0, DRAWN_WEIGHT, 1.0]),
    )
    asked = pd.DataFrame({"x": [0.5, 2.5], "y": [3.0, 4.0]})
    np.testing.assert_allclose(
        model.log_density(asked)["y"], less.log_density(asked)["y"], rtol=1e-9
    )


def test_drawn_labels_count_in_full_if_something_depends_on_them():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 5.0, None, None], "z": [0.0] * 4})
    chain_model = ca.fit_model(frame, "x -> y -> z").refined(1, 0, labels=["y"])
    assert [each.rows for each in chain_model.fitted] == [None, None, None]
    # Nothing depends on y: what is drawn from its own factor can teach it nothing.
    last = ca.fit_model(frame, "x -> y; z").refined(1, 0, labels=["y"])
    of_y = last.fitted[last.order.index("y")]
    assert of_y.rows.tolist() == [0, 1]


def test_refined_models_know_many_causes_of_one_effect():
    # Of 60 rows with 8 cells about ten have them all: a fit to these alone is poor.
    names = [f"x{number}" for number in range(7)]
    graph = "; ".join(f"{name} -> y" for name in names)
    before, after = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rows = pd.DataFrame(rng.normal(size=(260, 7)), columns=names)
        rows["y"] = rows[names].sum(axis=1) + 0.4 * rng.normal(size=260)
        train, test = rows[:60], rows[60:].reset_index(drop=True)
        model = ca.fit_model(train.mask(rng.random(train.shape) < 0.2), graph, "auto")
        for errors, each in ((before, model), (after, model.refined(random_state=seed))):
            mean = each.predict("y", test[names]).mean
            errors.append(np.square(mean - test["y"]).mean())
    assert np.mean(after) < 0.75 * np.mean(before)


def test_the_number_of_rounds_must_be_one():
    with pytest.raises(ca.exceptions.ParameterError, match="`rounds` must be"):
        ca.fit_model(chain(), "x -> y -> z").refined(-1)


def test_a_conditional_that_takes_one_table_is_asked_for_each():
    class Plain:
        """Hides that the conditional could fit each factor to its own rows."""

        def fit(self, table, factors):
            return ca.KernelConditional().fit(table, factors)

    frame = chain()
    one, other = (ca.fit_model(frame, "x -> y -> z", c) for c in (Plain(), ca.KernelConditional()))
    np.testing.assert_array_equal(one.expand(None, 0).weights, other.expand(None, 0).weights)
