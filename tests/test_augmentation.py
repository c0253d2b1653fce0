import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug.exceptions import (
    CausalAugError,
    GraphMismatchError,
    ParameterError,
    TableError,
    TreeTooLargeError,
)
from strategies import problems

GRAPH = ca.read_graph("x -> y -> z; x <-> z")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=12)
    y = x + rng.normal(size=12)
    return pd.DataFrame({"z": y + rng.normal(size=12), "x": x, "y": y})


def test_the_result_has_the_columns_and_the_provenance_of_the_input(frame):
    result = ca.augment(frame, GRAPH, random_state=1)
    assert list(result.frame.columns) == ["z", "x", "y"]
    assert len(result) == len(result.frame) == len(result.weights) == 60
    assert result.rows.shape == (60, 3)
    assert np.issubdtype(result.rows.dtype, np.integer)
    assert result.weights.dtype == np.float64
    for position, column in enumerate(frame.columns):
        expected = frame[column].to_numpy()[result.rows[:, position]]
        np.testing.assert_array_equal(result.frame[column], expected)


def test_the_default_loses_no_mass(frame):
    result = ca.augment(frame, GRAPH, random_state=1)
    assert result.mass == pytest.approx(1.0)
    assert result.dropped_mass == pytest.approx(0.0, abs=1e-12)
    assert 0.0 < result.novel_mass < 1.0
    assert 1.0 < result.effective_sample_size <= len(result)


def test_sampling_draws_five_rows_per_observed_row_by_default(frame):
    assert len(ca.augment(frame, GRAPH, expansion=ca.SampledExpansion(), random_state=0)) == 60


def test_the_order_is_recorded_and_matters_with_hidden_causes():
    graph = ca.ADMG(list("abcd"), [("a", "c"), ("b", "d")], [("b", "c"), ("a", "d")])
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(6, 4)), columns=list("abcd"))
    everything = ca.PrunedExpansion(0.0, merge_equal=False)
    default = ca.augment(table, graph, expansion=everything)
    other = ca.augment(table, graph, expansion=everything, order=["b", "d", "a", "c"])
    assert default.order == ("a", "b", "c", "d")
    assert other.order == ("b", "d", "a", "c")
    weights, others = (
        dict(zip(map(tuple, each.rows.tolist()), each.weights, strict=True))
        for each in (default, other)
    )
    assert max(abs(weights[rows] - others[rows]) for rows in weights) > 1e-6


def test_a_complete_graph_at_a_narrow_bandwidth_gives_the_rows_back(frame):
    result = ca.augment(
        frame, ca.complete_graph(list(frame.columns)), ca.KernelConditional(temperature=1e-4)
    )
    assert result.novel_mass == pytest.approx(0.0, abs=1e-9)
    assert result.mass == pytest.approx(1.0)


def test_the_empty_graph_combines_everything_with_everything():
    table = pd.DataFrame({"a": [1, 2], "b": ["u", "v"]})
    result = ca.augment(table, ca.ADMG(["a", "b"]))
    np.testing.assert_allclose(result.weights, 0.25)
    assert result.novel_mass == pytest.approx(0.5)
    assert result.effective_sample_size == pytest.approx(4.0)


def test_polars_in_polars_out(frame):
    result = ca.augment(pl.DataFrame(frame.to_dict("list")), GRAPH, random_state=1)
    expected = ca.augment(frame, GRAPH, random_state=1)
    assert isinstance(result.frame, pl.DataFrame)
    np.testing.assert_array_equal(result.frame.to_numpy(), expected.frame.to_numpy())


def test_an_array_is_named_by_the_nodes(frame):
    graph = ca.ADMG(list(frame.columns), GRAPH.directed, GRAPH.bidirected)
    result = ca.augment(frame.to_numpy(), graph, random_state=1)
    expected = ca.augment(frame, graph, random_state=1)
    assert isinstance(result.frame, np.ndarray)
    np.testing.assert_array_equal(result.frame, expected.frame.to_numpy())


def test_dtypes_come_back():
    table = pd.DataFrame(
        {
            "city": pd.Categorical(["Rome", "Oslo", "Rome"]),
            "size": pd.Categorical(["s", "l", "m"], categories=["s", "m", "l"], ordered=True),
            "flag": pd.array([True, False, True], dtype="boolean"),
            "when": pd.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01"]).tz_localize("UTC"),
            "count": pd.array([1, 2, 3], dtype="Int64"),
            "name": ["a", "b", "c"],
        }
    )
    graph = ca.ADMG(list(table.columns), [("city", "flag"), ("when", "count")])
    result = ca.augment(table, graph, random_state=0)
    assert (result.frame.dtypes == table.dtypes).all()


def test_kinds_decide_the_kernel():
    table = pd.DataFrame({"cylinders": [4, 6, 8], "mpg": [33.0, 20.0, 14.0]})
    graph = ca.read_graph("cylinders -> mpg")
    exact = ca.augment(table, graph, kinds={"cylinders": "nominal"})
    smooth = ca.augment(
        table, graph, ca.KernelConditional(temperature=1.0), kinds={"cylinders": "continuous"}
    )
    assert exact.novel_mass == pytest.approx(0.0, abs=1e-12)
    assert smooth.novel_mass > 0.01


@pytest.mark.parametrize(
    "seed", [7, np.random.default_rng(7), np.random.SeedSequence(7), np.random.RandomState(7)]
)
def test_every_kind_of_seed_is_taken(frame, seed):
    assert ca.augment(frame, GRAPH, random_state=seed).mass == pytest.approx(1.0)


def test_one_seed_gives_one_result_and_another_another(frame):
    first, same, other = (ca.augment(frame, GRAPH, random_state=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first.rows, same.rows)
    np.testing.assert_array_equal(first.weights, same.weights)
    assert not np.array_equal(first.rows, other.rows)


PROGRAM = """
import hashlib, numpy as np, pandas as pd, causalaug as ca
rng = np.random.default_rng(0)
frame = pd.DataFrame(rng.normal(size=(80, 5)).round(1), columns=list("abcde"))
graph = ca.read_graph({"c": ["a", "b"], "d": ["c", "a"], "e": ["b", "d"], "a": [], "b": []})
digest = hashlib.sha256()
for expansion in (ca.PrunedExpansion(1e-2), ca.BudgetExpansion(300), ca.SampledExpansion(300),
                  ca.BeamExpansion(100)):
    conditional = ca.KernelConditional(temperature=0.5)
    result = ca.augment(frame, graph, conditional, expansion, random_state=3)
    digest.update(np.ascontiguousarray(result.rows).tobytes() + result.weights.tobytes())
print(digest.hexdigest())
"""


def test_hash_seed_and_thread_count_change_nothing(monkeypatch):
    digests = set()
    for hash_seed, threads in [("0", "1"), ("1", "2"), ("4242", "1")]:
        monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            monkeypatch.setenv(variable, threads)
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        )
        digests.add(done.stdout)
    assert len(digests) == 1


def test_the_result_can_be_pickled(frame):
    result = ca.augment(frame, GRAPH, random_state=1)
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.weights, result.weights)
    pd.testing.assert_frame_equal(again.frame, result.frame)


def test_an_empty_result_is_a_result(frame):
    result = ca.augment(frame, ca.ADMG(["x", "y", "z"]), expansion=ca.PrunedExpansion(1.0))
    assert len(result) == len(result.frame) == 0
    assert result.mass == result.novel_mass == result.effective_sample_size == 0.0
    assert result.dropped_mass == 1.0
    assert len(result.merged()) == 0


@pytest.mark.parametrize("kind", ["pandas", "numpy"])
def test_later_changes_to_the_input_do_not_show(frame, kind):
    graph = ca.ADMG(list(frame.columns), GRAPH.directed, GRAPH.bidirected)
    data = frame if kind == "pandas" else frame.to_numpy(copy=True)
    expected = np.array(ca.augment(data, graph, random_state=0).frame)
    result = ca.augment(data, graph, random_state=0)
    data *= 0.0
    np.testing.assert_array_equal(np.array(result.frame), expected)


def test_paths_that_end_early_are_counted_without_a_warning():
    table = pd.DataFrame({name: [0, 1] for name in "abcd"})
    graph = ca.read_graph("a -> c <- b; a -> d <- b")
    exact = ca.KernelConditional(discrete_kernel="identity")
    result = ca.augment(table, graph, exact, ca.PrunedExpansion(0.0))
    assert len(result) == 2
    assert result.dropped_mass == pytest.approx(0.5)


def test_very_light_paths_beside_heavy_ones_give_no_warning():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": np.exp(3.0 * rng.normal(size=60)), "b": rng.normal(size=60)})
    table["c"] = table["a"] + table["b"]
    for rows in (60, 300, 3000):
        result = ca.augment(
            table,
            ca.complete_graph(["a", "b", "c"]),
            ca.KernelConditional(temperature=0.2),
            ca.BudgetExpansion(rows),
            random_state=0,
        )
        assert (result.weights > 0.0).all()
        assert result.mass == pytest.approx(1.0)
        assert result.dropped_mass == 0.0


def test_the_input_is_left_alone(frame):
    before = frame.copy(deep=True)
    ca.augment(frame, GRAPH, random_state=0)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (
            lambda f: f.rename(columns={"x": "X"}),
            GraphMismatchError,
            "Only in the graph: \\['x'\\]",
        ),
        (lambda f: f.assign(w=1.0), GraphMismatchError, "Only in the data: \\['w'\\]"),
        (lambda f: f.assign(x=np.nan), TableError, "must have a cell that is not missing"),
        (lambda f: f.assign(x=np.inf), TableError, "infinite"),
        (lambda f: f.head(0), TableError, "row"),
        (lambda f: f[["x", "x", "y", "z"]], TableError, "distinct"),
        (lambda f: f["x"], TableError, "Series"),
        (lambda f: f.to_numpy()[:, :2], GraphMismatchError, "2"),
        (lambda f: "data.csv", TableError, "str"),
    ],
)
def test_bad_tables_are_refused(frame, change, error, text):
    with pytest.raises(error, match=text) as caught:
        ca.augment(change(frame), GRAPH)
    assert isinstance(caught.value, CausalAugError)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"graph": 5}, "A graph must be text, a path"),
        ({"order": ["z", "y", "x"]}, "order"),
        ({"random_state": -1}, "random_state"),
        ({"random_state": "seed"}, "random_state"),
        ({"random_state": True}, "random_state"),
        ({"order": 3}, "sequence of node names"),
        ({"order": [["x"], "y", "z"]}, "exactly once"),
        ({"conditional": ca.PrunedExpansion()}, "`conditional` must be .* fourth `expansion`"),
        ({"conditional": ca.KernelConditional}, "`conditional` must be an object"),
        ({"expansion": "pruned"}, "`expansion` must be an object with a method `expand`"),
        ({"expansion": ca.BudgetExpansion}, "`expansion` must be an object"),
        ({"kinds": {"q": "continuous"}}, "q"),
        ({"conditional": ca.KernelConditional(bandwidth={"q": 1.0})}, "`bandwidth` names columns"),
    ],
)
def test_bad_arguments_are_refused(frame, arguments, text):
    with pytest.raises(CausalAugError, match=text):
        ca.augment(frame, **{"graph": GRAPH, **arguments})


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "many"])
@pytest.mark.parametrize(
    "make",
    [
        lambda rows: ca.BudgetExpansion(rows),
        lambda rows: ca.SampledExpansion(rows),
        lambda rows: ca.BeamExpansion(rows),
        lambda rows: ca.PrunedExpansion(max_rows=rows),
    ],
)
def test_expansions_refuse_a_number_of_rows_that_is_none(make, wrong):
    with pytest.raises(ParameterError, match="must be an integer of at least 1"):
        make(wrong)


@pytest.mark.parametrize(
    "make",
    [
        lambda merge: ca.PrunedExpansion(1e-3, merge),
        lambda merge: ca.BudgetExpansion(5, merge),
        lambda merge: ca.BeamExpansion(5, merge),
    ],
)
def test_merge_equal_is_a_bool(make):
    with pytest.raises(ParameterError, match="`merge_equal` must be True or False"):
        make(1000)


@pytest.mark.parametrize("threshold", [-1e-3, float("nan"), float("inf"), "small", None])
def test_a_threshold_must_not_be_negative(threshold):
    with pytest.raises(ParameterError, match="`threshold` must be a number of at least 0"):
        ca.PrunedExpansion(threshold)


@pytest.mark.parametrize("threshold", [0.0, 1e-12])
@pytest.mark.parametrize("edges", [[], [("x", "z"), ("y", "z")], [("x", "y"), ("y", "z")]])
def test_a_tree_that_is_too_large_is_refused_with_a_threshold_that_fits(frame, threshold, edges):
    graph, conditional = ca.ADMG(["x", "y", "z"], edges), ca.KernelConditional(temperature=9.0)
    with pytest.raises(TreeTooLargeError, match="always fits") as caught:
        ca.augment(frame, graph, conditional, ca.PrunedExpansion(threshold, max_rows=1000))
    suggested = float(str(caught.value).split("threshold=")[2].split(",")[0])
    fitting = ca.PrunedExpansion(suggested, max_rows=1000)
    assert len(ca.augment(frame, graph, conditional, fitting)) <= 1000
    assert isinstance(caught.value, MemoryError)


def test_a_level_of_too_many_nodes_is_refused_before_it_is_made(frame):
    graph = ca.ADMG(["x", "y", "z"], [("x", "z"), ("y", "z")])
    with pytest.raises(TreeTooLargeError, match="max_rows=100 "):
        ca.augment(frame, graph, expansion=ca.PrunedExpansion(0.0, max_rows=100))


def test_a_tree_of_discrete_columns_is_refused_at_once():
    table = pd.DataFrame(np.random.default_rng(0).integers(0, 3, size=(300, 30)).astype(float))
    table.columns = [f"v{i}" for i in range(30)]
    smooth = ca.KernelConditional(kernel=dict.fromkeys(table.columns, "aitchison_aitken"))
    with pytest.raises(TreeTooLargeError, match="BudgetExpansion"):
        ca.augment(table, ca.complete_graph(list(table)), smooth, ca.PrunedExpansion(0.0))


def test_a_tree_is_refused_before_it_fills_the_memory():
    table = pd.DataFrame(
        np.random.default_rng(0).normal(size=(300, 11)), columns=list("abcdefghijk")
    )
    graph = ca.read_graph("a -> b -> c -> d -> e -> f -> g -> h -> i -> j -> k")
    with pytest.raises(TreeTooLargeError, match="BudgetExpansion"):
        ca.augment(table, graph, expansion=ca.PrunedExpansion(0.0))


@given(
    problems(max_rows=4, max_nodes=3),
    st.floats(0.0, 1.0),
    st.integers(1, 9),
    st.sampled_from([None, 1.0, 7.5, "uneven"]),
)
@settings(max_examples=40)
def test_mixed_weights_sum_to_the_total_of_the_originals(problem, share, budget, weights):
    n_rows = len(problem.frame)
    if weights is not None:
        weights = 0.25 + np.arange(n_rows) if weights == "uneven" else np.full(n_rows, weights)
    model = ca.fit_model(problem.frame, problem.graph, problem.conditional, sample_weight=weights)
    new = model.expand(ca.BudgetExpansion(budget), 0)
    total = n_rows if weights is None else weights.sum()
    if share > 0.0 and not len(new):
        with pytest.raises(TableError, match="New rows must be possible"):
            new.mixed(share)
        return
    frame, mixed = new.mixed(share)
    assert mixed.sum() == pytest.approx(total, rel=1e-12)
    assert mixed[n_rows:].sum() == pytest.approx(share * total, rel=1e-12)
    pd.testing.assert_frame_equal(frame[:n_rows], problem.frame[frame.columns])
    pd.testing.assert_frame_equal(frame[n_rows:].reset_index(drop=True), new.frame)


@pytest.mark.parametrize("share", [-0.1, 1.5, "half", True, np.nan])
def test_a_share_that_is_none_is_refused(frame, share):
    with pytest.raises(ParameterError, match="`share` must lie between 0 and 1"):
        ca.augment(frame, GRAPH, random_state=0).mixed(share)


@pytest.mark.filterwarnings("ignore::causalaug.exceptions.CausalAugWarning")
def test_new_rows_of_next_to_no_mass_hold_their_share_of_a_huge_total():
    """The total over the mass is more than a double can hold; the weights are not."""
    cells = {"b": [-0.8, -2.6, 1.7, 1.2], "y": [None, 1.5, None, 2.5]}
    weights = np.array([1e203, 7.0, 1.0, 2.0])
    conditional = ca.KernelConditional("epanechnikov")
    found = ca.augment(pd.DataFrame(cells), "b -> y", conditional, sample_weight=weights)
    assert 0.0 < found.mass < 1e-150
    _, mixed = found.mixed(0.25)
    assert mixed.sum() == pytest.approx(1e203)
    assert mixed[4:].sum() == pytest.approx(0.25e203)
