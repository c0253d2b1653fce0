from hypothesis import given
from hypothesis import strategies as st

from causalaug.discovery import PAG, Knowledge, enumerate_admgs
from causalaug.discovery._members import nearest_admg
from causalaug.discovery._pag import MARKS
from class_oracles import as_cpdag, is_ancestral
from graph_strategies import admgs


@st.composite
def drawn_marks(draw, marks):
    nodes = [f"V{i}" for i in range(draw(st.integers(1, 6)))]
    pairs = [(a, b) for i, a in enumerate(nodes) for b in nodes[i + 1 :]]
    chosen = st.sampled_from([None, *marks])
    return PAG(nodes, [(a, mark, b) for a, b in pairs if (mark := draw(chosen))])


@given(drawn_marks([mark for mark in MARKS if mark != "--"]) | drawn_marks(["->", "<-", "--"]))
def test_there_always_is_a_graph_with_the_edges_that_were_found(pag):
    graph = nearest_admg(pag, Knowledge())
    joined = {frozenset(edge) for edge in (*graph.directed, *graph.bidirected)}
    assert joined == {frozenset((a, b)) for a, _, b in pag.edges}
    assert is_ancestral(graph)
    assert graph.is_dag or not pag.is_cpdag


@given(admgs(max_nodes=5, bidirected=False))
def test_a_class_with_members_gets_a_graph_with_its_arrows(graph):
    cpdag = as_cpdag([graph])
    assert nearest_admg(cpdag, Knowledge()) == graph


def test_of_a_cycle_one_arrow_is_turned():
    cycle = PAG(["A", "B", "C"], [("A", "->", "B"), ("B", "->", "C"), ("C", "->", "A")])
    graph = nearest_admg(cycle, Knowledge())
    assert graph.directed == (("A", "B"), ("C", "A"), ("C", "B"))


def test_open_edges_make_no_collider_if_they_need_not():
    chain = PAG(["A", "B", "C"], [("A", "->", "B"), ("B", "--", "C")])
    assert nearest_admg(chain, Knowledge()) == next(enumerate_admgs(chain))


def test_knowledge_comes_before_marks():
    pair = PAG(["A", "B"], [("A", "->", "B")])
    assert nearest_admg(pair, Knowledge([("B", "A")])).directed == (("B", "A"),)
    assert nearest_admg(pair, Knowledge(forbidden=[("A", "B"), ("B", "A")])) is None
    around = PAG(["A", "B", "C"], [("A", "->", "C"), ("C", "->", "B")])
    assert nearest_admg(around, Knowledge(tiers=[["B"], ["A"]])) is None
