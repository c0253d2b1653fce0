import pickle
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import causalaug
from causalaug.exceptions import GraphError
from causalaug.factorization import Factor, factorize
from causalaug.graphs import ADMG, markov_pillow, read_graph
from graph_strategies import admgs
from oracles import slow_order, slow_pillow


@given(admgs())
def test_one_factor_per_node_along_the_order(graph):
    factors = factorize(graph)
    assert tuple(factor.target for factor in factors) == graph.topological_order()
    assert all(factor.pillow == markov_pillow(graph, factor.target) for factor in factors)


@st.composite
def ordered_graphs(draw):
    """Draw a graph and a topological order that need not be its own."""
    graph = draw(admgs(max_nodes=7))
    ranks = draw(st.permutations(graph.nodes))
    shuffled = ADMG(ranks, graph.directed, graph.bidirected)
    return graph, shuffled.topological_order()


@given(ordered_graphs())
def test_pillows_agree_with_their_definition(problem):
    graph, order = problem
    assert graph.topological_order() == slow_order(graph)
    expected = tuple(Factor(node, slow_pillow(graph, node, order)) for node in order)
    assert factorize(graph, order) == expected
    assert tuple(markov_pillow(graph, node, order) for node in order) == tuple(
        factor.pillow for factor in expected
    )


@pytest.mark.parametrize(
    "source", ["A -> B <-> C", {"A": [], "B": ["A"], "C": ["A"]}, [("A", "B"), ("A", "C")]]
)
def test_whatever_is_read_as_a_graph_is_factorized(source):
    assert factorize(source) == factorize(read_graph(source))
    assert markov_pillow(source, "B") == ("A",)


def test_the_default_order_needs_few_files():
    graph = ADMG(["A", "B", "C"], directed=[("A", "B")], bidirected=[("B", "C")])
    files = set()

    def note(frame, event, argument):
        files.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        factorize(graph)
    finally:
        sys.setprofile(None)
    package = Path(causalaug.__file__).parent
    ours = {Path(name).name for name in files if Path(name).is_relative_to(package)}
    assert ours <= {"factorization.py", "_admg.py"}
    assert "factorization.py" in ours


def test_the_order_is_an_argument():
    graph = ADMG(["A", "B"], bidirected=[("A", "B")])
    assert factorize(graph) == (Factor("A", ()), Factor("B", ("A",)))
    assert factorize(graph, order=("B", "A")) == (Factor("B", ()), Factor("A", ("B",)))


def test_the_order_is_checked():
    with pytest.raises(GraphError, match="against the edge A -> B"):
        factorize(ADMG(["A", "B"], directed=[("A", "B")]), order=["B", "A"])
    with pytest.raises(GraphError, match="sequence of node names.*A set has no order"):
        factorize(ADMG(["A", "B"]), order={"A", "B"})


def test_a_factor_is_a_value():
    factor = Factor("A", ("B", "C"))
    assert pickle.loads(pickle.dumps(factor)) == factor
    assert len({factor, Factor("A", ("B", "C"))}) == 1
    assert str(factor) == "p(A | B, C)"
