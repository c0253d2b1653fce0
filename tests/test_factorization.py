import pickle

import pytest
from hypothesis import given

from causalaug.exceptions import GraphError
from causalaug.factorization import Factor, factorize
from causalaug.graphs import ADMG, markov_pillow
from graph_strategies import admgs


@given(admgs())
def test_one_factor_per_node_along_the_order(graph):
    factors = factorize(graph)
    assert tuple(factor.target for factor in factors) == graph.topological_order()
    assert all(factor.pillow == markov_pillow(graph, factor.target) for factor in factors)


def test_the_order_is_an_argument():
    graph = ADMG(["A", "B"], bidirected=[("A", "B")])
    assert factorize(graph) == (Factor("A", ()), Factor("B", ("A",)))
    assert factorize(graph, order=("B", "A")) == (Factor("B", ()), Factor("A", ("B",)))


def test_the_order_is_checked():
    with pytest.raises(GraphError, match="against the edge A -> B"):
        factorize(ADMG(["A", "B"], directed=[("A", "B")]), order=["B", "A"])


def test_a_factor_is_a_value():
    factor = Factor("A", ("B", "C"))
    assert pickle.loads(pickle.dumps(factor)) == factor
    assert len({factor, Factor("A", ("B", "C"))}) == 1
    assert str(factor) == "p(A | B, C)"
