"""With the real packages, where they are installed."""

import doctest

import numpy as np
import pytest

import causalaug as ca
from causalaug.discovery import (
    Knowledge,
    bootstrap_edges,
    discover,
    discover_class,
    enumerate_admgs,
)

SKIP = doctest.OPTIONFLAGS_BY_NAME["SKIP"]
METHODS = ["direct-lingam", "pc", "ges", "fci"]


def need(method):
    package = "lingam" if method == "direct-lingam" else "causallearn"
    pytest.importorskip(package, reason=f"{method} needs the extra 'discovery'")


@pytest.mark.parametrize("function", [discover, discover_class, bootstrap_edges])
def test_the_examples_in_the_docstrings_are_true(function):
    need("direct-lingam")
    need("pc")
    finder = doctest.DocTestFinder(recurse=False)
    (test,) = finder.find(function, globs={**globals(), "ca": ca})
    for example in test.examples:
        example.options.pop(SKIP, None)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0


@pytest.mark.parametrize("name", ["auto_mpg", "boston_housing", "red_wine"])
def test_lingam_finds_the_bundled_graphs_again(name):
    need("direct-lingam")
    data = ca.datasets.load_dataset(name)
    assert discover(data.frame) == data.graph


@pytest.mark.parametrize("method", ["pc", "ges"])
def test_a_collider_is_found_and_so_is_what_follows_it(method):
    need(method)
    truth = ca.read_graph("A -> C; B -> C; C -> D", names=["A", "B", "C", "D"])
    data = ca.datasets.make_sem(2000, truth, target="D", noise="gaussian", random_state=0)
    assert discover(data.frame, method, alpha=0.001) == truth


def test_fci_leaves_open_what_may_be_hidden():
    need("fci")
    truth = ca.read_graph("A -> C; B -> C; C -> D", names=["A", "B", "C", "D"])
    data = ca.datasets.make_sem(2000, truth, target="D", noise="gaussian", random_state=0)
    found = discover_class(data.frame, "fci", alpha=0.001)
    assert found.edges == (("A", "o->", "C"), ("B", "o->", "C"), ("C", "->", "D"))
    assert truth in list(enumerate_admgs(found))


def test_fci_sees_a_hidden_common_cause():
    need("fci")
    truth = ca.read_graph("A -> B; B <-> C; D -> C")
    data = ca.datasets.make_sem(4000, truth, target="C", noise="gaussian", random_state=1)
    found = discover_class(data.frame, "fci", alpha=0.001)
    assert ("B", "<->", "C") in found.edges
    assert all(("B", "C") in graph.bidirected for graph in enumerate_admgs(found))


@pytest.mark.parametrize("method", ["pc", "ges", "fci"])
def test_discrete_columns_are_taken(method):
    need(method)
    rng = np.random.default_rng(0)
    cause, other = rng.integers(3, size=(2, 500))
    effect = np.where(rng.random(500) < 0.8, cause, rng.integers(3, size=500))
    frame = (
        ca.datasets.make_trivariate(500, random_state=0)
        .frame[[]]
        .assign(cause=np.array(["a", "b", "c"])[cause], effect=effect, other=other)
    )
    found = discover_class(frame, method)
    assert [(a, b) for a, _, b in found.edges] == [("cause", "effect")]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_any_data_give_a_graph_and_always_the_same_one(method, seed, capsys):
    need(method)
    data = ca.datasets.make_sem(
        100, n_variables=8, expected_degree=4.0, n_hidden=2, random_state=seed
    )
    graph = discover(data.frame, method, random_state=0)
    assert graph.nodes == tuple(data.frame.columns)
    assert graph == discover(data.frame, method, random_state=0)
    assert capsys.readouterr().out == ""


def test_lingam_obeys_what_is_known():
    need("direct-lingam")
    data = ca.datasets.make_sem(300, n_variables=6, random_state=0)
    names = list(data.frame.columns)
    known = Knowledge([(names[4], names[1])], [(names[2], names[3])], [names[2:4], names[:1]])
    graph = discover(data.frame, knowledge=known)
    assert known.allows(graph)
    assert not known.allows(discover(data.frame))


@pytest.mark.parametrize("method", ["direct-lingam", "ges"])
def test_edges_of_a_strong_chain_are_stable(method):
    need(method)
    data = ca.datasets.make_sem(500, "chain", n_variables=3, random_state=0)
    found = bootstrap_edges(data.frame, method, n_bootstrap=10, random_state=0)
    joined = 1.0 - found.set_index(["one", "other"])["absent"]
    assert joined["X1", "Y"] == joined["X2", "Y"] == 1.0
    assert joined["X1", "X2"] < 0.5
