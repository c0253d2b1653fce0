"""`check_graph` and its result: what is asked, what is answered, how often it errs."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from scipy import stats

import causalaug as ca
from causalaug.exceptions import (
    GraphError,
    GraphFormatError,
    GraphMismatchError,
    ParameterError,
    TableError,
)
from graph_strategies import admgs

CHAIN = ca.read_graph("a -> b -> c -> d")


def chain(seed=0, n_rows=200, links=(0.8, 0.8, 0.8)):
    """Draw rows of a chain with curves and uneven noise."""
    rng = np.random.default_rng(seed)
    values = [rng.normal(size=n_rows)]
    for link in links:
        noise = (0.3 + np.abs(np.tanh(values[-1]))) * rng.normal(size=n_rows)
        values.append(link * np.sin(1.5 * values[-1]) + noise)
    return pd.DataFrame(dict(zip("abcd", values, strict=True)))


def discrete_chain(seed=0, n_rows=200):
    rng = np.random.default_rng(seed)
    values = [rng.integers(0, 3, size=n_rows)]
    for _ in range(3):
        values.append((values[-1] + (rng.random(n_rows) < 0.4)) % 3)
    return pd.DataFrame(dict(zip("abcd", values, strict=True)))


@given(admgs(max_nodes=5))
@settings(max_examples=30)
def test_the_statements_are_the_independences_of_the_factorization(graph):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(6, len(graph.nodes))))
    frame.columns = list(graph.nodes)
    check = ca.check_graph(frame, graph)
    order = graph.topological_order()
    asked = {(row.variable, row.independent_of): row.given for row in check}
    expected = {
        (node, other): ca.markov_pillow(graph, node)
        for place, node in enumerate(order)
        for other in order[:place]
        if other not in ca.markov_pillow(graph, node)
    }
    assert asked == expected
    assert len(check) == len(check.frame) == len(expected)
    assert all(ca.m_separated(graph, *pair, given=held) for pair, held in asked.items())
    assert check.mb_shielded is graph.is_mb_shielded()
    assert set(check.frame["verdict"]) <= {"cannot tell"}


def test_the_frame_has_the_promised_columns():
    frame = ca.check_graph(chain(), CHAIN).frame
    assert list(frame.columns) == [
        *["variable", "independent_of", "given", "test", "statistic", "p_value"],
        *["p_holm", "verdict", "reason"],
    ]
    assert frame[["variable", "independent_of"]].to_numpy().tolist() == [
        ["c", "a"],
        ["d", "a"],
        ["d", "b"],
    ]
    assert frame["given"].tolist() == [("b",), ("c",), ("c",)]
    assert (frame["p_holm"] >= frame["p_value"]).all()


@pytest.mark.parametrize(
    ("columns", "tests"),
    [
        ({}, ["rank_correlation", "gcm"]),
        ({"a": "discrete"}, ["gcm", "gcm"]),
        ({"a": "discrete", "b": "discrete"}, ["g_squared", "gcm"]),
        ({"a": "discrete", "b": "discrete", "c": "discrete"}, ["g_squared", "g_squared"]),
    ],
)
def test_auto_goes_by_the_kinds_of_all_columns_involved(columns, tests):
    graph = ca.read_graph("a; b; b -> c")
    values = np.random.default_rng(0).integers(0, 3, size=(80, 3)).astype(float)
    frame = pd.DataFrame(values, columns=["a", "b", "c"])
    assert ca.check_graph(frame, graph, kinds=columns).frame["test"].tolist() == tests


def test_numbers_with_many_values_are_tested_as_numbers_unless_counted():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 40, size=(100, 2)), columns=["a", "b"])
    graph = ca.ADMG(["a", "b"])
    counted = {"a": "nominal", "b": "ordered"}
    assert ca.check_graph(frame, graph).frame["test"][0] == "rank_correlation"
    assert (
        ca.check_graph(frame, graph, kinds=counted, test="g_squared").frame["test"][0]
        == "g_squared"
    )


def test_with_nothing_held_fixed_only_ranks_matter():
    frame = chain()[["a", "b"]]
    bent = frame.assign(a=np.exp(5.0 * frame["a"]), b=frame["b"] ** 3)
    first, second = (ca.check_graph(each, ca.ADMG(["a", "b"])).frame for each in (frame, bent))
    assert first["test"][0] == "rank_correlation"
    pd.testing.assert_frame_equal(first, second)


@pytest.mark.parametrize("test", ["partial_correlation", "gcm", "g_squared"])
def test_a_test_can_be_chosen(test):
    check = ca.check_graph(discrete_chain(), CHAIN, test=test)
    assert set(check.frame["test"]) == {test}
    assert not check.frame["p_value"].isna().any()


def test_others_of_several_kinds_keep_their_places():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 2, size=150),
            "b": rng.normal(size=150),
            "c": rng.integers(0, 3, size=150),
        }
    )
    frame["d"] = (frame["b"] > 0).astype(int)
    check = ca.check_graph(frame, ca.ADMG(["a", "b", "c", "d"]))
    last = check.frame[check.frame["variable"] == "d"]
    assert last["independent_of"].tolist() == ["a", "b", "c"]
    assert last["test"].tolist() == ["g_squared", "gcm", "g_squared"]
    assert last["verdict"].tolist() == ["not rejected", "violated", "not rejected"]


def test_the_missing_edge_is_named():
    frame = chain()
    frame["d"] += frame["a"]
    check = ca.check_graph(frame, CHAIN)
    assert check.verdict == "violated"
    assert check.violations.iloc[0][["variable", "independent_of"]].tolist() == ["d", "a"]
    assert "Violated: d ⊥ a | c (p = " in check.summary()


def test_the_clearest_violation_comes_first():
    rng = np.random.default_rng(0)
    a, *noises = rng.normal(size=(3, 200))
    b = 0.5 * a + noises[0]
    frame = pd.DataFrame({"a": a, "b": b, "c": 3.0 * b + noises[1]})
    violations = ca.check_graph(frame, ca.ADMG(["a", "b", "c"])).violations
    named = violations[["variable", "independent_of"]].to_numpy().tolist()
    assert named[0] == ["c", "b"]
    assert ["b", "a"] in named[1:]


def test_the_order_decides_what_is_asked():
    graph = ca.read_graph("a <-> b; c")
    frame = chain()[["a", "b", "c"]]
    asked = ca.check_graph(frame, graph, order=["c", "b", "a"]).frame
    assert asked[["variable", "independent_of"]].to_numpy().tolist() == [["b", "c"], ["a", "c"]]
    assert asked["given"].tolist() == [(), ("b",)]


@pytest.mark.parametrize("make", [pl.from_pandas, lambda frame: frame.to_numpy()])
def test_every_kind_of_frame_is_taken(make):
    expected = ca.check_graph(chain(), CHAIN).frame
    pd.testing.assert_frame_equal(ca.check_graph(make(chain()), CHAIN).frame, expected)


def test_one_seed_gives_one_result():
    frame = discrete_chain(n_rows=60)
    first, second, other = (
        ca.check_graph(frame, CHAIN, random_state=seed).frame for seed in (3, 3, 4)
    )
    pd.testing.assert_frame_equal(first, second)
    assert first["p_value"].tolist() != other["p_value"].tolist()


def test_shuffled_rows_change_nothing():
    frame = chain()
    expected = ca.check_graph(frame, CHAIN).frame
    shuffled = ca.check_graph(frame.sample(frac=1.0, random_state=0), CHAIN).frame
    pd.testing.assert_frame_equal(shuffled, expected, rtol=1e-3)


def test_units_do_not_matter():
    frame = chain()
    scaled = frame * [1e300, 1e-300, -3.0, 1.0] + [0.0, 0.0, 1e6, 0.0]
    expected = ca.check_graph(frame, CHAIN).frame["p_value"]
    np.testing.assert_allclose(ca.check_graph(scaled, CHAIN).frame["p_value"], expected, rtol=1e-4)


def test_strings_and_categories_are_levels():
    frame = discrete_chain().astype({"a": str, "b": "category"})
    assert set(ca.check_graph(frame, CHAIN).frame["test"]) == {"g_squared"}


@pytest.mark.parametrize("test", ["auto", "partial_correlation", "gcm"])
@pytest.mark.parametrize("n_rows", [1, 2, 3, 8])
def test_few_rows_and_many_columns_are_met_calmly(n_rows, test):
    pillow = [f"w{i}" for i in range(10)]
    graph = ca.ADMG([*pillow, "x", "y"], directed=[(w, "y") for w in pillow])
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(n_rows, 12)), columns=graph.nodes)
    check = ca.check_graph(frame, graph, test=test)
    assert check.verdict == "cannot tell"
    assert check.frame["reason"].str.match("rows to go by: .*, needed: 45").all()
    assert check.frame["p_holm"].isna().all()


@pytest.mark.parametrize("test", ["auto", "partial_correlation", "gcm"])
def test_constant_columns_and_copies_cannot_tell(test):
    frame = chain().assign(b=lambda f: f["a"], c=7.0)
    check = ca.check_graph(frame, ca.read_graph("a -> b; a -> d; c"), test=test)
    told = {(row.variable, row.independent_of): row.verdict for row in check}
    assert told["d", "b"] == "cannot tell"
    assert all(verdict == "cannot tell" for pair, verdict in told.items() if "c" in pair)


def test_what_cannot_be_told_does_not_count_against_the_rest():
    frame = chain().assign(b=1.0)
    check = ca.check_graph(frame[["a", "b", "c"]], ca.ADMG(["a", "b", "c"]))
    row = check.frame.set_index(["variable", "independent_of"]).loc[("c", "a")]
    assert row["p_holm"] == row["p_value"]


def test_a_graph_without_independences_has_nothing_to_test():
    check = ca.check_graph(chain(), ca.complete_graph("abcd"[i] for i in range(4)))
    assert len(check) == 0
    assert check.verdict == "not rejected"
    assert repr(check) == "GraphCheck(No independence to test: the method assumes none)"
    assert check.violations.empty


def test_the_result_reads_well():
    check = ca.check_graph(chain(), CHAIN)
    assert repr(check) == "GraphCheck(3 independences: 0 violated, 3 not rejected, 0 cannot tell)"
    assert check.summary() == (
        "The data contradict none of the graph's 3 independences. That is no proof of the graph.\n"
        "3 independences: 0 violated, 3 not rejected, 0 cannot tell.\n"
        "These are all constraints that the graph puts on the data."
    )
    confounded = ca.check_graph(chain(), ca.read_graph("a -> b <-> c; d"))
    assert confounded.summary().splitlines()[-1] == (
        "The graph implies more than these independences, and the method does not use the rest."
    )


def test_markdown_has_a_line_per_independence():
    frame = chain().assign(d=1.0)
    lines = ca.check_graph(frame, CHAIN).to_markdown().splitlines()
    assert lines[0] == "| independence | test | statistic | p | p (Holm) | verdict |"
    assert lines[2].startswith(r"| c ⊥ a \| b | gcm | ")
    assert lines[2].endswith("| not rejected |")
    assert lines[3] == (
        r"| d ⊥ a \| c | gcm |  |  |  | cannot tell: nothing varies once the pillow is held fixed |"
    )
    assert lines[6].startswith("The data cannot tell whether the graph is right: of its 3 ")
    assert lines[8].startswith("3 independences: ")


# Missing cells.


def punched(frame, share, seed=0, columns=None):
    """Return the frame with a share of its cells missing, each by itself."""
    holes = np.random.default_rng(seed).random(frame.shape) < share
    holes &= frame.columns.isin(frame.columns if columns is None else columns)
    return frame.mask(holes)


def asked_alone(frame, row, **options):
    """Test one independence on the rows that have its cells, with a graph that claims no other."""
    names = [*row.given, row.independent_of, row.variable]
    edges = [(a, b) for place, b in enumerate(names[:-1]) for a in names[:place]]
    graph = ca.ADMG(names, [*edges, *((a, row.variable) for a in row.given)])
    return ca.check_graph(frame[names].dropna(), graph, order=names, **options).frame.iloc[0]


@pytest.mark.parametrize("test", ["auto", "partial_correlation", "gcm"])
@pytest.mark.parametrize("graph", ["a -> b -> c -> d", "a; b -> c; d"])
def test_each_test_goes_by_the_rows_that_have_its_cells(test, graph):
    frame = punched(chain(), 0.2)
    for row in ca.check_graph(frame, graph, test=test):
        alone = asked_alone(frame, row, test=test)
        assert (row.test, row.reason) == (alone["test"], "")
        assert row.p_value == pytest.approx(alone["p_value"], rel=1e-6)
        assert row.statistic == pytest.approx(alone["statistic"], rel=1e-6)


def test_levels_are_counted_among_the_rows_of_the_test():
    frame = discrete_chain(n_rows=400)
    few = frame.astype("Int64").mask(np.random.default_rng(1).random(frame.shape) < 0.1)
    check = ca.check_graph(few, CHAIN, random_state=0)
    assert set(check.frame["test"]) == {"g_squared"}
    for row in check:
        rows = frame[few[[row.variable, row.independent_of, *row.given]].notna().all(axis=1)]
        own = ca.check_graph(rows, CHAIN, random_state=0).frame
        same = (own["variable"] == row.variable) & (own["independent_of"] == row.independent_of)
        assert row.statistic == pytest.approx(own.loc[same, "statistic"].item())


@pytest.mark.parametrize("column", ["a", "b", "c", "d"])
def test_holes_elsewhere_change_nothing(column):
    frame = chain()
    whole, holed = (
        ca.check_graph(frame, CHAIN),
        ca.check_graph(punched(frame, 0.3, columns=[column]), CHAIN),
    )
    for before, after in zip(whole, holed, strict=True):
        concerned = column in (before.variable, before.independent_of, *before.given)
        assert (before.p_value != pytest.approx(after.p_value, rel=1e-9)) == concerned


def test_factors_have_the_rows_with_their_target_and_pillow():
    frame = punched(chain(), 0.2)
    check = ca.check_graph(frame, CHAIN)
    expected = {
        "a": frame["a"].count(),
        **{b: len(frame[[a, b]].dropna()) for a, b in ("ab", "bc", "cd")},
    }
    assert check.factor_rows == expected
    assert check.n_rows == 200
    listed = ", ".join(f"{name} {rows}" for name, rows in expected.items())
    assert check.summary().splitlines()[-1] == (
        f"Cells are missing. Of 200 rows, so many have a variable and its pillow: {listed}."
    )
    assert check.to_markdown().rstrip().endswith(listed + ".")


def test_without_holes_nothing_is_said_of_them():
    check = ca.check_graph(chain(), CHAIN)
    assert check.factor_rows == dict.fromkeys("abcd", 200)
    assert not check.has_holes
    assert "missing" not in check.summary()


@pytest.mark.parametrize("test", ["auto", "partial_correlation", "gcm", "g_squared"])
def test_columns_that_are_never_there_together_cannot_be_told(test):
    frame = discrete_chain().astype("Int64") if test == "g_squared" else chain()
    frame = frame.assign(
        a=frame["a"].where(np.arange(200) < 100), b=frame["b"].where(np.arange(200) >= 100)
    )
    check = ca.check_graph(frame, CHAIN, test=test)
    assert check.factor_rows == {"a": 100, "b": 0, "c": 100, "d": 200}
    told = {(row.variable, row.independent_of): row for row in check}
    assert told["c", "a"].reason.startswith("rows to go by: 0, needed: ")
    assert told["c", "a"].verdict == "cannot tell"
    assert told["c", "a"].test == {"auto": "gcm"}.get(test, test)
    assert told["d", "a"].reason == told["d", "b"].reason == ""


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas])
def test_nulls_of_other_libraries_are_missing_too(convert):
    frame = punched(chain(), 0.2)
    expected, found = ca.check_graph(frame, CHAIN), ca.check_graph(convert(frame), CHAIN)
    pd.testing.assert_frame_equal(found.frame, expected.frame)
    assert found.factor_rows == expected.factor_rows


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"graph": 5}, GraphFormatError, "A graph must be text, a path"),
        ({"test": "magic"}, ParameterError, "`test` must be one of .*'gcm'.* Found 'magic'"),
        ({"alpha": 0.0}, ParameterError, "`alpha` must be a number between 0 and 1. Found 0.0"),
        ({"alpha": 1}, ParameterError, "`alpha` must be a number between 0 and 1. Found 1"),
        ({"alpha": True}, ParameterError, "`alpha` must be a number between 0 and 1. Found True"),
        ({"alpha": "5%"}, ParameterError, "`alpha` must be a number between 0 and 1. Found '5%'"),
        ({"random_state": -1}, ParameterError, "`random_state` must be None, .* Found -1"),
        ({"order": ["d", "c", "b", "a"]}, GraphError, "must put causes before effects"),
        ({"kinds": {"e": "discrete"}}, ParameterError, "'e'"),
        (
            {"graph": ca.read_graph("a -> b"), "extra": "error"},
            GraphMismatchError,
            r"Only in the data: \['c', 'd'\]",
        ),
        (
            {"graph": ca.read_graph("a -> b -> q")},
            GraphMismatchError,
            r"Only in the graph: \['q'\].*`latent_projection\(graph, keep=\['a', 'b'\]\)`",
        ),
        ({"extra": "drop"}, ParameterError, r"`extra` must be one of \['error', 'ignore'\]"),
        ({"frame": [1, 2]}, TableError, "must be a pandas or polars DataFrame"),
        (
            {"test": "g_squared"},
            ParameterError,
            r"needs ordered or nominal columns. Found continuous ones: \['a', 'b', 'c', 'd'\]",
        ),
        (
            {"test": "partial_correlation", "frame": chain().assign(b="x")},
            ParameterError,
            r"'partial_correlation' needs numbers. Found columns without a scale: \['b'\]",
        ),
    ],
)
def test_arguments_are_checked(arguments, error, message):
    with pytest.raises(error, match=message):
        ca.check_graph(**{"frame": chain(), "graph": CHAIN, **arguments})


def alarms(draw, n_repetitions, test="auto"):
    return sum(
        ca.check_graph(draw(seed), CHAIN, test=test, random_state=seed).verdict == "violated"
        for seed in range(n_repetitions)
    )


def upper(n_repetitions):
    """Return the number of alarms that a test of level 5% exceeds once in a thousand runs."""
    return stats.binom.ppf(0.999, n_repetitions, 0.05)


@pytest.mark.parametrize("draw", [chain, discrete_chain])
def test_a_correct_graph_is_rarely_rejected(draw):
    assert alarms(lambda seed: draw(seed, n_rows=100), 100) <= upper(100)


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [100, 1000])
@pytest.mark.parametrize("draw", [chain, discrete_chain])
def test_a_correct_graph_is_rarely_rejected_in_many_repetitions(draw, n_rows):
    assert alarms(lambda seed: draw(seed, n_rows=n_rows), 300) <= upper(300)


def weak_edge(seed, n_nodes):
    """Draw 300 rows: a chain, but for an edge of partial correlation .3 that jumps to its end."""
    rng = np.random.default_rng(seed)
    nodes = [f"v{i}" for i in range(n_nodes)]
    noises = rng.normal(size=(n_nodes, 300))
    values = [noises[0]]
    for i in range(1, n_nodes):
        values.append(0.7 * values[-1] + noises[i])
    # The chain holds v[-2] fixed, whose residual given v[-3] is what the edge brings along.
    values[-1] = values[-3] * 0.7 + noises[-1] + 0.3 / np.sqrt(1 - 0.3**2) * noises[-2]
    edges = [*zip(nodes, nodes[1:-1], strict=False), (nodes[-3], nodes[-1])]
    return pd.DataFrame(dict(zip(nodes, values, strict=True))), ca.ADMG(nodes, edges)


def test_a_missing_edge_is_found_among_many_tests():
    found = 0
    for seed in range(30):
        frame, graph = weak_edge(seed, n_nodes=12)
        check = ca.check_graph(frame, graph)
        named = check.violations[["independent_of", "variable"]].to_numpy().tolist()
        found += ["v10", "v11"] in named
    assert len(check) == 55
    assert found >= 24


def test_one_seed_gives_one_result_whatever_the_jobs():
    data = ca.datasets.make_sem(80, "random", mechanism="mixed", n_variables=6, random_state=1)
    seen = []
    alone = ca.check_graph(data.frame, data.graph, random_state=0)
    shared = ca.check_graph(
        data.frame,
        data.graph,
        n_jobs=2,
        random_state=0,
        callback=lambda done, total: seen.append((done, total)),
    )
    pd.testing.assert_frame_equal(alone.frame, shared.frame)
    assert seen == [(done, len(seen)) for done in range(1, len(seen) + 1)]
    assert len(seen) > 1


def six_independent_columns():
    """Return rows, and a graph whose variables have none, one or two causes."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 6)), columns=list("abcdef"))
    return frame, ca.read_graph("a; b; a -> c; d; {a, b} -> e; c -> f")


class Clock:
    """A clock that goes on by a second whenever somebody looks at it."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        self.seconds += 1.0
        return self.seconds


@pytest.mark.parametrize("test", ["auto", "gcm"])
@pytest.mark.parametrize("holes", [False, True])
def test_what_is_tested_in_time_is_as_without_a_limit_and_the_rest_is_listed(
    monkeypatch, test, holes
):
    frame, graph = six_independent_columns()
    if holes:
        frame = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.05)
    monkeypatch.setattr("causalaug._progress.monotonic", Clock())
    whole = ca.check_graph(frame, graph, test=test).frame
    assert not len(ca.check_graph(frame, graph, test=test, seconds=1000).left_out)
    part = ca.check_graph(frame, graph, test=test, seconds=3.5)
    gone = part.frame["reason"] == "left out for want of time"
    assert 0 < gone.sum() < len(gone)
    figures = ["variable", "independent_of", "given", "test", "statistic", "p_value"]
    pd.testing.assert_frame_equal(part.frame.loc[~gone, figures], whole.loc[~gone, figures])
    pd.testing.assert_frame_equal(part.left_out, part.frame[gone])
    # The fewest variables held fixed come first.
    sizes = part.frame["given"].map(len)
    assert sizes[~gone].max() <= sizes[gone].min()


def test_too_much_left_out_is_no_verdict_and_the_summary_says_what():
    frame, graph = six_independent_columns()
    check = ca.check_graph(frame, graph, seconds=1e-9)
    assert check.verdict == "cannot tell"
    assert len(check.left_out) == len(check)
    assert f"For want of time {len(check)} of {len(check)} independences" in check.summary()


def test_the_tests_go_on_with_the_rest_of_a_table_of_levels_until_time_is_over(monkeypatch):
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (100, 5)), columns=list("abcde"))
    monkeypatch.setattr("causalaug._progress.monotonic", Clock())
    check = ca.check_graph(frame, "a; b; c; d; e", seconds=7.5)
    assert 0 < len(check.left_out) < len(check)


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), "5", True])
def test_a_limit_is_a_positive_number_of_seconds(seconds):
    frame, graph = six_independent_columns()
    with pytest.raises(ValueError, match="`seconds` must be a positive number, or None"):
        ca.check_graph(frame, graph, seconds=seconds)


def test_progress_is_shown_only_if_asked_for(capsys):
    frame, graph = six_independent_columns()
    ca.check_graph(frame, graph)
    assert capsys.readouterr() == ("", "")
    with pytest.raises(ValueError, match="`verbose` must be"):
        ca.check_graph(frame, graph, verbose="yes")
