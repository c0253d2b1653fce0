import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.exceptions import CyclicGraphError, GraphError
from causalaug.graphs import ADMG
from graph_strategies import admgs
from oracles import slow_mb_shielded

CHAIN = ADMG(["A", "B", "C", "D"], directed=[("A", "B"), ("B", "C"), ("C", "D")])


def test_edges_are_sorted_merged_and_canonical():
    graph = ADMG(
        ["A", "B", "C"],
        directed=[("B", "C"), ("A", "C"), ("B", "C")],
        bidirected=[("C", "A"), ("B", "A"), ("A", "C")],
    )
    assert graph.nodes == ("A", "B", "C")
    assert graph.directed == (("A", "C"), ("B", "C"))
    assert graph.bidirected == (("A", "B"), ("A", "C"))


def test_edges_may_be_positional():
    assert ADMG(["A", "B"], [("A", "B")], [("A", "B")]).is_dag is False


def test_equality_is_by_content_and_node_order():
    one = ADMG(["A", "B"], directed=[("A", "B")])
    assert one == ADMG(["A", "B"], directed={("A", "B")})
    assert hash(one) == hash(ADMG(("A", "B"), directed=(("A", "B"),)))
    assert one != ADMG(["B", "A"], directed=[("A", "B")])
    assert one != ADMG(["A", "B"])


def test_a_graph_cannot_be_changed():
    with pytest.raises(AttributeError):
        CHAIN.nodes = ("X",)


@given(admgs())
def test_pickle_and_repr_give_the_same_graph_back(graph):
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert eval(repr(graph), {"ADMG": ADMG}) == graph


def test_str_draws_the_edges():
    graph = ADMG(["A", "B"], directed=[("A", "B")], bidirected=[("A", "B")])
    assert str(graph) == "ADMG of A, B: A -> B, A <-> B"
    assert str(ADMG(["A"])) == "ADMG of A: no edges"


def test_numpy_strings_become_plain_strings():
    graph = ADMG(np.array(["A", "B"]), directed=np.array([["A", "B"]]))
    assert repr(graph) == "ADMG(['A', 'B'], directed=[('A', 'B')])"


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ("AB", "ordered collection of names.*Found 'AB', a str"),
        ({"A"}, "ordered collection of names.*a set"),
        ([], "at least one node"),
        (["A", ""], "non-empty strings. Found ''"),
        (["A", 1], "non-empty strings. Found 1, of type int"),
        (frozenset("A"), "A set has no order, and results depend on it: write a list, or sorted"),
        (5, "ordered collection of names.*Found 5, a int. Write"),
        (["A", 1.5], "non-empty strings. Found 1.5, of type float"),
        (["A", "\ud800"], r"that a file can hold. Found '\\ud800', with half of a surrogate"),
        (["A", "B", "A"], r"unique. Found more than once: \['A'\]"),
    ],
)
def test_nodes_are_checked(nodes, message):
    with pytest.raises(GraphError, match=message):
        ADMG(nodes)


@pytest.mark.parametrize(
    ("edge", "message"),
    [
        (
            ("smokin", "tar"),
            "edge smokin {} tar .*'smokin'. A typing slip\\? 'smokin' -> 'smoking'",
        ),
        (("tar", "age"), "edge tar {} age .*Not a node: 'age'. The nodes are"),
        (("tar", ["smoking"]), "pair of node names. Found \\('tar', \\['smoking'\\]\\)"),
        (("tar", "tar"), "two different nodes. Found tar {} tar"),
        (("tar",), "pair of node names. Found \\('tar',\\)"),
        ("ta", "pair of node names. Found 'ta'"),
        (5, "pair of node names. Found 5"),
    ],
)
@pytest.mark.parametrize(("kind", "arrow"), [("directed", "->"), ("bidirected", "<->")])
def test_edges_are_checked(edge, message, kind, arrow):
    with pytest.raises(GraphError, match=message.replace("{}", arrow)):
        ADMG(["smoking", "tar"], **{kind: [edge]})


def test_a_set_has_no_direction():
    assert ADMG(["A", "B"], bidirected=[{"A", "B"}]).bidirected == (("A", "B"),)
    with pytest.raises(GraphError, match="pair of node names. Found {"):
        ADMG(["A", "B"], directed=[{"A", "B"}])


def test_edges_are_a_collection():
    with pytest.raises(GraphError, match=r"collection of pairs. Found 5, of type int. Write \[\("):
        ADMG(["A"], directed=5)


def test_a_cycle_is_named_from_its_first_node():
    edges = [("C", "A"), ("A", "B"), ("B", "C"), ("C", "Z"), ("Z", "Y")]
    with pytest.raises(CyclicGraphError, match=r"Found A -> B -> C -> A\."):
        ADMG(["Z", "Y", "A", "B", "C"], directed=edges)


def test_a_two_cycle_is_told_how_to_confound():
    with pytest.raises(CyclicGraphError, match=r"A -> B -> A.*bidirected=\[\('A', 'B'\)\]"):
        ADMG(["A", "B"], directed=[("A", "B"), ("B", "A")])


@given(st.permutations(["A", "B", "C", "D"]), st.permutations(["A", "B", "C", "D"]))
def test_every_cycle_is_found(nodes, around):
    edges = list(zip(around, [*around[1:], around[0]], strict=True))
    with pytest.raises(CyclicGraphError):
        ADMG(nodes, directed=edges)


@given(admgs())
def test_topological_order_respects_edges_and_breaks_ties_by_node_order(graph):
    order = graph.topological_order()
    assert sorted(order) == sorted(graph.nodes)
    for i, node in enumerate(order):
        free = [
            v for v in graph.nodes if v not in order[:i] and {*graph.parents(v)} <= {*order[:i]}
        ]
        assert node == free[0]


def test_orders_do_not_depend_on_the_hash_seed():
    code = (
        "from causalaug.graphs import ADMG, latent_projection, write_graph\n"
        "g = ADMG(list('HGFEDCBA'), directed={(a, b) for a in 'AB' for b in 'CDEF'},\n"
        "         bidirected={(a, b) for a in 'GH' for b in 'ABC'})\n"
        "print(g, g.topological_order(), g.districts(), g.ancestors(list('CDE')))\n"
        "print(write_graph(latent_projection(g, keep=list('CDEFGH'))))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_kinship():
    assert CHAIN.parents("C") == ("B",)
    assert CHAIN.children("C") == ("D",)
    assert CHAIN.ancestors("C") == ("A", "B")
    assert CHAIN.descendants("B") == ("C", "D")
    assert CHAIN.parents({"D", "B"}) == ("A", "C")
    assert CHAIN.children(["A", "B"]) == ("B", "C")
    assert CHAIN.ancestors(["B", "C"]) == ("A", "B")
    assert CHAIN.descendants([]) == ()


@pytest.mark.parametrize("method", ["parents", "children", "ancestors", "descendants", "district"])
def test_kinship_of_a_stranger_is_an_error(method):
    graph = ADMG(["smoking", "tar"])
    with pytest.raises(GraphError, match="'tarr'. A typing slip\\? 'tarr' -> 'tar'"):
        getattr(graph, method)("tarr")


@pytest.mark.parametrize("of", [5, [5], [["smoking"]], [None]])
def test_a_query_names_nodes(of):
    with pytest.raises(GraphError, match="must name nodes"):
        ADMG(["smoking"]).parents(of)


@given(admgs())
def test_ancestors_and_descendants_mirror_each_other(graph):
    for a in graph.nodes:
        assert a not in graph.ancestors(a)
        for b in graph.nodes:
            assert (a in graph.ancestors(b)) == (b in graph.descendants(a))


@given(admgs())
def test_districts_partition_the_nodes(graph):
    districts = graph.districts()
    assert sorted(v for district in districts for v in district) == sorted(graph.nodes)
    for district in districts:
        assert all(graph.district(v) == district for v in district)
    assert all(any({*pair} <= {*d} for d in districts) for pair in graph.bidirected)


def test_a_district_of_several_nodes_is_the_union():
    graph = ADMG(["A", "B", "C", "D"], bidirected=[("A", "C")])
    assert graph.district(["A", "D"]) == ("A", "C", "D")


def test_a_district_starts_within():
    with pytest.raises(GraphError, match="inside `within`, must name nodes.*'A'"):
        ADMG(["A", "B"]).district("A", within=["B"])


@given(admgs())
def test_mb_shielded_agrees_with_its_definition(graph):
    assert graph.is_mb_shielded() == slow_mb_shielded(graph)


@given(admgs(), st.data())
def test_a_district_within_is_the_district_of_the_subgraph(graph, data):
    within = data.draw(st.lists(st.sampled_from(graph.nodes), min_size=1, unique=True))
    node = data.draw(st.sampled_from(within))
    assert graph.district(node, within=within) == graph.subgraph(within).district(node)


@given(admgs(bidirected=False))
def test_every_dag_is_mb_shielded(graph):
    assert graph.is_dag
    assert graph.is_mb_shielded()


@pytest.mark.parametrize(
    ("directed", "bidirected", "expected"),
    [
        ([("T", "M"), ("M", "L"), ("L", "Y")], [("M", "Y")], False),
        ([("T", "M"), ("M", "L"), ("L", "Y"), ("T", "Y"), ("T", "L")], [("M", "Y")], True),
        ([], [("T", "M"), ("M", "L")], False),
        ([], [("T", "M"), ("M", "L"), ("T", "L")], True),
        ([("L", "Y"), ("T", "Y")], [("L", "Y")], False),
    ],
)
def test_mb_shielded_examples(directed, bidirected, expected):
    assert ADMG(["T", "M", "L", "Y"], directed, bidirected).is_mb_shielded() is expected


def test_subgraph_keeps_edges_between_kept_nodes():
    graph = ADMG(["A", "B", "C"], directed=[("A", "B"), ("B", "C")], bidirected=[("A", "C")])
    assert graph.subgraph(["C", "A"]) == ADMG(["A", "C"], bidirected=[("A", "C")])
    assert graph.subgraph(["B", "A"]) == ADMG(["A", "B"], directed=[("A", "B")])
