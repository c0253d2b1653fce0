"""Which edges the data determine: against the list of all graphs of the class."""

from itertools import combinations

import pytest

import causalaug as ca
from causalaug.discovery import PAG, Discovery, Knowledge, edge_origins, enumerate_admgs

COLLIDER = PAG([*"ABCD"], [("A", "->", "B"), ("C", "->", "B"), ("C", "--", "D")])
HIDDEN = PAG(["t", "d", "c", "o"], [("d", "o->", "t"), ("c", "o->", "t"), ("t", "->", "o")])


def drawn(graph):
    return {f"{a} -> {b}" for a, b in graph.directed} | {
        f"{a} <-> {b}" for a, b in graph.bidirected
    }


@pytest.mark.parametrize("pag", [COLLIDER, HIDDEN], ids=str)
def test_an_edge_of_the_data_is_in_all_graphs_and_a_choice_is_not(pag):
    members = list(enumerate_admgs(pag))
    for graph in members:
        for _, (edge, origin, alternatives) in edge_origins(graph, pag).iterrows():
            in_all = all(edge in drawn(each) for each in members)
            assert (origin == "data") == in_all
            assert (origin == "choice") == (not in_all)
            assert all(any(other in drawn(each) for each in members) for other in alternatives)
            assert bool(alternatives) == (not in_all)


def test_what_all_graphs_share_that_agree_with_the_knowledge_is_its_doing():
    known = Knowledge(required=[("D", "C")])
    graph = next(enumerate_admgs(COLLIDER, knowledge=known))
    found = edge_origins(graph, COLLIDER, known).set_index("edge")["origin"].to_dict()
    assert found == {"A -> B": "data", "C -> B": "data", "D -> C": "knowledge"}


def test_a_class_too_large_to_list_leaves_choices():
    known = Knowledge(tiers=[["A"], ["B"]])
    # Any order of the six variables with A before B is a member: 360 in all.
    whole = PAG([*"ABCDEF"], [(a, "--", b) for a, b in combinations("ABCDEF", 2)])
    graph = next(enumerate_admgs(whole, knowledge=known))
    assert set(edge_origins(graph, whole, known)["origin"]) == {"choice"}


def test_marks_that_contradict_each_other_leave_what_was_followed():
    torn = PAG([*"ABC"], [("A", "->", "B"), ("B", "->", "C"), ("C", "->", "A")])
    graph = ca.ADMG([*"ABC"], directed=[("A", "B"), ("B", "C"), ("A", "C")])
    assert edge_origins(graph, torn)["origin"].tolist() == ["data", "choice", "data"]


@pytest.mark.parametrize(
    ("edges", "method", "words"),
    [
        ([], "pc", "No edge was found."),
        ([("A", "->", "B")], "pc", "The data determine the one edge: A -> B."),
        ([("A", "--", "B")], "ges", "The data do not determine the one edge.\nA choice among"),
        ([("A", "->", "B"), ("C", "->", "B")], "pc", "determine all of the 2 edges: A -> B, C"),
        (
            [("A", "->", "B"), ("C", "->", "B")],
            "direct-lingam",
            "C -> B, if causes are linear and the noise is not normal.",
        ),
    ],
)
def test_it_reads_well(edges, method, words):
    pag = PAG([*"ABC"], edges)
    graph = next(enumerate_admgs(pag))
    found = Discovery(graph, pag, edge_origins(graph, pag), method)
    assert words in found.summary()
    n_data = sum(drawing == "->" for _, drawing, _ in edges)
    assert repr(found).endswith(f"; the data determine {n_data} of {len(edges)} edges)")
