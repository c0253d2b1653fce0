"""What is handed to the other libraries and taken back from them, by stand-ins."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import causalaug as ca
from causalaug.discovery import PAG, Knowledge, discover, discover_class
from causalaug.exceptions import (
    GraphError,
    MissingDependencyError,
    ParameterError,
    TableError,
)
from discovery_stand_ins import put_causallearn, put_lingam, take_away

CLASS_METHODS = ["pc", "ges", "fci"]
CYCLE = [("A", "TAIL", "ARROW", "B"), ("B", "TAIL", "ARROW", "C"), ("C", "TAIL", "ARROW", "A")]


@pytest.fixture
def frame():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(30, 3)), columns=["A", "B", "C"])


@pytest.fixture
def levels():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"A": rng.integers(2, size=30), "B": rng.choice(["x", "y"], size=30)})


@pytest.mark.parametrize("method", ["direct-lingam", *CLASS_METHODS])
def test_a_missing_package_names_its_install_line(frame, monkeypatch, method):
    package = "lingam" if method == "direct-lingam" else "causallearn"
    take_away(monkeypatch, package)
    message = (
        f"^The method '{method}' of `discover` needs '{package}[A-Za-z.]*', which is not "
        r'installed. Install it with: pip install "causalaug\[discovery\]"$'
    )
    with pytest.raises(MissingDependencyError, match=message):
        discover(frame, method)


def test_lingam_is_asked_for_pairwise_likelihoods(frame, monkeypatch):
    asked = []
    put_lingam(monkeypatch, [1, 0, 2], asked)
    graph = discover(frame, random_state=7)
    assert graph == ca.ADMG(["A", "B", "C"], [("B", "A"), ("B", "C"), ("A", "C")])
    assert asked[0][1:] == (None, "pwling")
    discover(frame, random_state=7)
    assert asked[0] == asked[1]
    assert discover_class(frame, "direct-lingam") == PAG.from_admg(graph)


def test_lingam_is_told_the_order_that_is_known(frame, monkeypatch):
    asked = []
    put_lingam(monkeypatch, [1, 0, 2], asked)
    discover(frame, knowledge=Knowledge([("B", "A")], tiers=[["B"], ["C"]]))
    expected = np.array([[-1, 1, -1], [-1, -1, 0], [-1, -1, -1]])
    np.testing.assert_array_equal(asked[0][1], expected)


def test_a_forbidden_edge_is_left_out_of_the_regression_and_not_of_the_order(frame, monkeypatch):
    asked = []
    put_lingam(monkeypatch, [1, 0, 2], asked)
    graph = discover(frame, knowledge=Knowledge(forbidden=[("B", "C"), ("C", "B")]))
    assert graph.directed == (("A", "C"), ("B", "A"))
    assert asked[0][1] is None
    assert asked[1:] == [([0], 2)]


def test_a_required_edge_is_there_even_if_the_data_do_not_show_it(frame, monkeypatch):
    asked = []
    put_lingam(monkeypatch, [1, 0, 2], asked)
    known = Knowledge([("B", "C")], forbidden=[("A", "C"), ("B", "A")])
    assert discover(frame, knowledge=known).directed == (("B", "C"),)


@pytest.mark.parametrize(
    ("method", "numbers", "discrete"),
    [
        ("pc", ("pc", 0.05, "fisherz"), ("pc", 0.05, "gsq")),
        ("fci", ("fci", 0.05, "fisherz"), ("fci", 0.05, "gsq")),
        ("ges", ("ges", "local_score_BIC"), ("ges", "local_score_BDeu")),
    ],
)
def test_the_test_follows_the_columns(frame, levels, monkeypatch, method, numbers, discrete):
    asked = []
    put_causallearn(monkeypatch, lambda values: [("A", "TAIL", "ARROW", "B")], asked)
    assert discover(frame, method) == ca.ADMG(["A", "B", "C"], [("A", "B")])
    assert discover(levels, method) == ca.ADMG(["A", "B"], [("A", "B")])
    many = levels.assign(A=np.arange(30), B=levels["A"])
    discover(many, method)
    assert asked == [numbers, discrete, numbers]


def test_a_test_can_be_asked_for(frame, levels, monkeypatch):
    asked = []
    put_causallearn(monkeypatch, lambda values: [], asked)
    discover(levels.assign(B=levels["A"][::-1].to_numpy()), test="partial_correlation", method="pc")
    discover(levels, "fci", test="g_squared", alpha=0.2)
    assert asked == [("pc", 0.05, "fisherz"), ("fci", 0.2, "gsq")]
    with pytest.raises(
        ParameterError, match="^The test 'g_squared' needs ordered or nominal columns."
    ):
        discover(frame, "pc", test="g_squared")


@pytest.mark.parametrize("make", [pl.from_pandas, lambda frame: frame.to_numpy()])
def test_any_frame_will_do(frame, monkeypatch, make):
    put_lingam(monkeypatch, [0, 1, 2], [])
    assert len(discover(make(frame)).directed) == 3


def test_of_a_class_the_first_member_that_agrees_is_taken(frame, monkeypatch):
    edges = [("A", "TAIL", "TAIL", "B"), ("B", "TAIL", "TAIL", "C")]
    put_causallearn(monkeypatch, lambda values: edges, [])
    assert discover_class(frame, "ges").is_cpdag
    assert discover(frame, "ges").directed == (("A", "B"), ("B", "C"))
    known = Knowledge([("B", "A")])
    assert discover(frame, "ges", knowledge=known).directed == (("B", "A"), ("B", "C"))
    # Two tails of fci are no class of DAGs.
    assert discover_class(frame, "fci").edges == (("A", "o-o", "B"), ("B", "o-o", "C"))


def test_contradicting_tests_still_give_a_graph(frame, monkeypatch):
    put_causallearn(monkeypatch, lambda values: CYCLE, [])
    assert discover(frame, "pc").directed == (("A", "B"), ("C", "A"), ("C", "B"))
    known = Knowledge(tiers=[["A"], ["B"], ["C"]])
    assert discover(frame, "pc", knowledge=known).directed == (("A", "B"), ("A", "C"), ("B", "C"))
    with pytest.raises(GraphError, match="^A class must have a member."):
        next(ca.discovery.enumerate_admgs(discover_class(frame, "pc")))


@pytest.mark.parametrize("method", CLASS_METHODS)
def test_knowledge_against_the_class_is_refused(frame, monkeypatch, method):
    put_causallearn(monkeypatch, lambda values: [("A", "TAIL", "ARROW", "B")], [])
    with pytest.raises(GraphError, match="^Some graph of the class must agree with the knowledge"):
        discover(frame, method, knowledge=Knowledge([("B", "C")]))
    put_causallearn(monkeypatch, lambda values: CYCLE, [])
    with pytest.raises(GraphError, match="Found none: the class has A -> B, which the knowledge"):
        discover(frame, method, knowledge=Knowledge(forbidden=[("A", "B"), ("B", "A")]))


def test_the_libraries_are_kept_quiet(frame, monkeypatch, capsys):
    def loud(values):
        warnings.warn("a library that warns", stacklevel=1)
        return []

    put_causallearn(monkeypatch, loud, [])
    discover(frame, "fci")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("error", [ValueError, ZeroDivisionError, IndexError, AssertionError])
def test_the_errors_of_libraries_are_explained(frame, monkeypatch, error):
    def fail(values):
        raise error("singular")

    put_causallearn(monkeypatch, fail, [])
    message = "^The data must be such that the method 'ges' can work .* stopped with: singular."
    with pytest.raises(TableError, match=message):
        discover(frame, "ges")


def test_one_column_has_no_edges(frame):
    assert discover(frame[["A"]]) == ca.ADMG(["A"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"B": 1.0}, r"^Columns must vary, .* Found a single value in \['B'\]. Drop"),
        ({"B": "x"}, r"^Columns must be numbers .* without a scale: \['B'\]. Drop them"),
        ({"B": np.nan}, r"^Every column must have a cell .* Found none in \['B'\]. Drop these"),
    ],
)
def test_columns_that_do_not_serve_are_named(frame, change, message):
    with pytest.raises(TableError, match=message):
        discover(frame.assign(**change))


@pytest.mark.parametrize("method", ["direct-lingam", *CLASS_METHODS])
@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_missing_cells_are_refused_with_the_ways_out(frame, method, convert):
    frame.loc[[3, 4], "B"], frame.loc[4, "C"] = np.nan, np.nan
    message = (
        "^To look for a graph, no cell may be missing. Found 2 in 'B', 1 in 'C'; 28 of 30 rows "
        r"are complete. Drop the other rows, .* fit_model\(frame, complete_graph\(frame.columns\)\)"
        r"\.complete\(frame\)\.frame, in the shell `causalaug complete`\.$"
    )
    with pytest.raises(TableError, match=message):
        discover(convert(frame), method)


def test_a_mixed_table_with_holes_is_refused_for_its_columns_first_and_the_ways_out_work(
    frame, monkeypatch
):
    put_lingam(monkeypatch, [0, 1], [])
    frame = frame.assign(B=["x", "y", None] * 10)
    frame.loc[3, "A"] = np.nan
    with pytest.raises(TableError, match=r"without a scale: \['B'\]. Drop them, in the shell with"):
        discover(frame)
    numbers = frame.drop(columns="B")
    with pytest.raises(TableError, match="no cell may be missing. Found 1 in 'A'"):
        discover(numbers)
    model = ca.fit_model(numbers, ca.complete_graph(numbers.columns))
    full = model.complete(numbers, random_state=0).frame
    assert discover(full).nodes == ("A", "C")


@pytest.mark.parametrize("method", ["direct-lingam", *CLASS_METHODS])
def test_sums_of_other_columns_are_named(frame, method):
    total = frame.assign(total=2.0 * frame["A"] - 1e6 * frame["C"] + 5.0)
    with pytest.raises(TableError, match="^No column may be a linear .* Found that 'total' is"):
        discover(total, method)


def test_nearly_equal_columns_are_no_sums_of_others(frame, monkeypatch):
    put_lingam(monkeypatch, [0, 1, 2, 3], [])
    noise = np.random.default_rng(1).normal(scale=1e-3, size=30)
    assert len(discover(frame.assign(D=frame["A"] + noise)).nodes) == 4


@pytest.mark.parametrize("n_rows", [1, 4])
def test_few_rows_are_refused(frame, n_rows):
    message = f"^There must be at least two rows more than columns, here 5. Found {n_rows}."
    with pytest.raises(TableError, match=message):
        discover(frame[:n_rows])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "lingam"}, "^`method` must be one of .*Found 'lingam'."),
        ({"alpha": 1.5}, "^`alpha` must be a number between 0 and 1. Found 1.5."),
        ({"alpha": True}, "^`alpha` must be a number"),
        ({"test": "kci"}, "^`test` must be one of"),
        ({"test": "g_squared"}, "^`test` is for the methods 'pc' and 'fci'.*Leave it out.$"),
        ({"random_state": "x"}, "^`random_state` must be"),
        ({"kinds": {"Z": "discrete"}}, "^`kinds` must name columns"),
        ({"knowledge": Knowledge([("A", "Z")])}, r"^`knowledge` must name .* Found \['Z'\]."),
        ({"knowledge": 3}, "^`knowledge` must be a Knowledge"),
    ],
)
def test_arguments_are_checked_before_anything_is_imported(frame, monkeypatch, arguments, message):
    take_away(monkeypatch, "lingam")
    with pytest.raises(ParameterError, match=message):
        discover(frame, **arguments)
