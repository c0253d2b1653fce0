"""The members of a class, against brute force over all graphs with its edges."""

from functools import cache
from itertools import combinations, islice, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug.discovery import PAG, Knowledge, enumerate_admgs
from causalaug.discovery._pag import MARKS
from causalaug.exceptions import GraphError, ParameterError
from class_oracles import (
    as_cpdag,
    as_mag,
    as_pag,
    dag_class,
    equivalence_class,
    independences,
    is_ancestral,
    oriented,
)
from graph_strategies import admgs

ARCS = [("A", "<->", "B"), ("B", "<->", "C"), ("C", "<->", "D")]
NOT_MAXIMAL = [*ARCS, ("B", "->", "D"), ("C", "->", "A")]


def n_edges(graph):
    return len(graph.directed) + len(graph.bidirected)


def all_mags(nodes):
    """Yield every maximal ancestral graph without undirected edges."""
    pairs = list(combinations(nodes, 2))
    for arrows in product((None, "->", "<-", "<->"), repeat=len(pairs)):
        kept = [(pair, arrow) for pair, arrow in zip(pairs, arrows, strict=True) if arrow]
        graph = oriented(nodes, [pair for pair, _ in kept], [arrow for _, arrow in kept])
        if graph and is_ancestral(graph) and as_mag(graph) == graph:
            yield graph


@cache
def classes_of_four():
    """Return every class of graphs with four variables, by their independences."""
    classes = {}
    for graph in all_mags(["V0", "V1", "V2", "V3"]):
        classes.setdefault(independences(graph), set()).add(graph)
    return classes


def test_every_class_of_four_variables_is_found_whole():
    classes = classes_of_four().values()
    assert (len(classes), sum(map(len, classes))) == (248, 2492)
    for members in classes:
        found = list(enumerate_admgs(as_pag(members)))
        assert len(found) == len(members)
        assert set(found) == members


def test_every_class_of_four_variable_dags_is_found_whole():
    classes = [
        {graph for graph in members if graph.is_dag} for members in classes_of_four().values()
    ]
    classes = [members for members in classes if members]
    assert (len(classes), sum(map(len, classes))) == (185, 543)
    for members in classes:
        found = list(enumerate_admgs(as_cpdag(members)))
        assert len(found) == len(members)
        assert set(found) == members


@st.composite
def sparse_graphs(draw, n_nodes, most_edges, arrows=("->", "<->")):
    """Draw an ADMG with few edges; brute force takes three times as long with each."""
    order = draw(st.permutations([f"V{i}" for i in range(n_nodes)]))
    pairs = st.sampled_from(list(combinations(order, 2)))
    chosen = draw(st.lists(pairs, max_size=most_edges, unique=True))
    drawn = [draw(st.sampled_from(arrows)) for _ in chosen]
    return oriented(sorted(order), chosen, drawn)


@settings(max_examples=15)
@given(sparse_graphs(7, 8, arrows=("->",)), st.data())
def test_hiding_variables_of_a_dag_gives_a_class_that_is_found_whole(dag, data):
    kept = data.draw(st.permutations(dag.nodes))[:5]
    mag = as_mag(ca.latent_projection(dag, keep=kept))
    assume(n_edges(mag) <= 5)
    members = equivalence_class(mag)
    assert set(enumerate_admgs(as_pag(members))) == members


@settings(max_examples=12)
@given(sparse_graphs(5, 5))
def test_classes_with_hidden_causes_are_found_whole(graph):
    mag = as_mag(graph)
    assume(n_edges(mag) <= 5)
    members = equivalence_class(mag)
    assert set(enumerate_admgs(as_pag(members))) == members


@settings(max_examples=15)
@given(sparse_graphs(6, 6, arrows=("->",)))
def test_dag_classes_are_found_whole(graph):
    members = dag_class(graph)
    assert set(enumerate_admgs(as_cpdag(members))) == members


@pytest.mark.slow
@settings(max_examples=10)
@given(sparse_graphs(5, 7))
def test_denser_classes_are_found_whole(graph):
    mag = as_mag(graph)
    assume(n_edges(mag) <= 7)
    members = equivalence_class(mag)
    found = list(enumerate_admgs(as_pag(members)))
    assert len(found) == len(members)
    assert set(found) == members


@st.composite
def marked_graphs(draw):
    """Draw any marks at all, as tests on few rows may leave them."""
    nodes = [f"V{i}" for i in range(draw(st.integers(1, 5)))]
    drawn = st.sampled_from([None, *(mark for mark in MARKS if mark != "--")])
    pairs = combinations(nodes, 2)
    edges = [(a, mark, b) for a, b in pairs if (mark := draw(drawn)) is not None]
    return PAG(nodes, edges)


@given(marked_graphs())
def test_whatever_the_marks_the_members_keep_them_and_are_equivalent(pag):
    try:
        members = list(islice(enumerate_admgs(pag), 8))
    except GraphError:
        assume(False)
    assert len({independences(member) for member in members}) == 1
    for member in members:
        assert as_mag(member) == member
        exact = PAG.from_admg(member)
        for a, b in combinations(pag.nodes, 2):
            assert pag.mark(a, b) in (exact.mark(a, b), "circle" if exact.mark(a, b) else None)


@given(admgs(min_nodes=4, max_nodes=4), st.data())
def test_knowledge_keeps_exactly_the_members_that_agree(graph, data):
    members = classes_of_four()[independences(graph)]
    pairs = st.lists(st.permutations(graph.nodes).map(lambda order: tuple(order[:2])), max_size=2)
    cut = data.draw(st.integers(0, 3))
    tiers = [list(graph.nodes[:cut]), list(graph.nodes[cut:-1])]
    try:
        known = Knowledge(data.draw(pairs), data.draw(pairs), [tier for tier in tiers if tier])
    except ParameterError:
        assume(False)
    agreeing = {member for member in members if known.allows(member)}
    if agreeing:
        assert set(enumerate_admgs(as_pag(members), knowledge=known)) == agreeing
    else:
        with pytest.raises(GraphError, match="^Some graph of the class must agree"):
            list(enumerate_admgs(as_pag(members), knowledge=known))


@given(admgs(min_nodes=4, max_nodes=4))
def test_proven_hidden_causes_come_first(graph):
    pag = as_pag(classes_of_four()[independences(graph)])
    proven = {(a, b) for a, drawn, b in pag.edges if drawn == "<->"}
    extra = [set(member.bidirected) != proven for member in enumerate_admgs(pag)]
    assert not extra[0]
    assert extra == sorted(extra)


def test_edges_run_in_the_order_of_the_nodes_first():
    nodes = ["C", "A", "D", "B"]
    pag = PAG(nodes, [(a, "o-o", b) for a, b in combinations(nodes, 2)])
    assert next(enumerate_admgs(pag)) == ca.complete_graph(nodes)


def test_large_sparse_classes_have_no_dead_ends():
    nodes = [f"V{i}" for i in range(40)]
    chain = PAG(nodes, [(a, "--", b) for a, b in zip(nodes[::3], nodes[3::3], strict=False)])
    assert len(list(enumerate_admgs(chain))) == len(nodes[::3])


def test_the_limit_is_never_passed_in_silence():
    pag = PAG(["A", "B"], [("A", "o-o", "B")])
    assert len(list(enumerate_admgs(pag, limit=3))) == 3
    assert len(list(enumerate_admgs(pag, limit=None))) == 3
    graphs = enumerate_admgs(pag, limit=2)
    assert len(list(islice(graphs, 2))) == 2
    with pytest.raises(ParameterError, match="^The class must have no more graphs than `limit`."):
        next(graphs)


@pytest.mark.parametrize(
    "edges",
    [
        [("A", "->", "B"), ("B", "->", "C"), ("C", "->", "A")],
        [("A", "->", "B"), ("B", "->", "C"), ("C", "<->", "A")],
        [
            ("A", "<->", "B"),
            ("B", "<->", "C"),
            ("C", "<->", "D"),
            ("B", "->", "D"),
            ("C", "->", "A"),
        ],
    ],
    ids=["cycle", "almost a cycle", "not maximal"],
)
def test_marks_that_no_graph_has_are_refused(edges):
    with pytest.raises(GraphError, match="^A class must have a member. Found that no (DAG|max)"):
        list(enumerate_admgs(PAG(["A", "B", "C", "D"], edges)))


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({"required": [("A", "C")]}, "A -> C is required, and the class has no edge between them"),
        ({"forbidden": [("D", "B")]}, "the class has B <- D, which the knowledge rules out"),
        ({"tiers": [["B"], ["D"]]}, "the class has B <- D, which the knowledge rules out"),
        ({"forbidden": [("F", "E"), ("F", "G")]}, "its statements contradict it together"),
    ],
)
def test_knowledge_that_no_member_has_is_named(known, reason):
    edges = [("A", "<-", "B"), ("B", "->", "C"), ("D", "->", "B")]
    chain = [("E", "--", "F"), ("F", "--", "G")]
    pag = PAG(["A", "B", "C", "D", "E", "F", "G"], [*edges, *chain])
    with pytest.raises(GraphError, match=f"agree with the knowledge. Found none: {reason}. Remove"):
        next(enumerate_admgs(pag, knowledge=Knowledge(**known)))


def test_arguments_are_checked_before_the_first_graph_is_asked_for():
    pag = PAG(["A", "B"])
    with pytest.raises(ParameterError, match="^`pag` must be a PAG. Found ADMG."):
        enumerate_admgs(ca.ADMG(["A"]))
    with pytest.raises(ParameterError, match="^`limit` must be an integer of at least 1. Found 0."):
        enumerate_admgs(pag, limit=0)
    with pytest.raises(ParameterError, match=r"^`knowledge` must name .* Found \['Z'\]."):
        enumerate_admgs(pag, knowledge=Knowledge([("A", "Z")]))
