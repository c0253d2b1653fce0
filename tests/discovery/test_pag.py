import pickle
from types import SimpleNamespace

import pytest

from causalaug.discovery import PAG
from causalaug.discovery._pag import MARKS
from causalaug.exceptions import GraphError, GraphFormatError, ParameterError
from causalaug.graphs import ADMG
from discovery_stand_ins import ForeignGraph

TURNED = {"->": "<-", "<->": "<->", "o->": "<-o", "o-o": "o-o", "o-": "-o", "--": "--"}
TURNED |= {turned: drawn for drawn, turned in TURNED.items()}


@pytest.mark.parametrize("drawn", MARKS)
def test_an_edge_may_be_given_from_either_end(drawn):
    forward = PAG(["A", "B"], [("A", drawn, "B")])
    assert forward == PAG(["A", "B"], [("B", TURNED[drawn], "A")])
    assert forward.edges == (("A", drawn, "B"),)
    assert (forward.mark("B", "A"), forward.mark("A", "B")) == MARKS[drawn]


def test_a_pag_is_a_value():
    edges = [("B", "o->", "C"), ("A", "o->", "C"), ("A", "o->", "C")]
    pag = PAG(["A", "B", "C"], edges)
    assert pag.edges == (("A", "o->", "C"), ("B", "o->", "C"))
    assert {pag, PAG(["A", "B", "C"], edges[::-1])} == {pag}
    assert pickle.loads(pickle.dumps(pag)) == pag
    assert eval(repr(pag)) == pag
    assert eval(repr(PAG(["A"]))) == PAG(["A"])
    assert pag.mark("A", "B") is None


@pytest.mark.parametrize(
    ("edges", "text"),
    [
        ([], "CPDAG of A, B, C: no edges"),
        ([("A", "<-", "B"), ("B", "--", "C")], "CPDAG of A, B, C: B -> A, B -- C"),
        ([("A", "o->", "B"), ("B", "<->", "C")], "PAG of A, B, C: A o-> B, B <-> C"),
    ],
)
def test_the_text_says_what_sort_of_class_it_is(edges, text):
    assert str(PAG(["A", "B", "C"], edges)) == text


def test_a_graph_is_a_class_of_one():
    graph = ADMG(["A", "B", "C"], directed=[("B", "A")], bidirected=[("B", "C")])
    assert PAG.from_admg(graph).edges == (("A", "<-", "B"), ("B", "<->", "C"))


@pytest.mark.parametrize(
    ("edges", "error", "message"),
    [
        (["AB"], GraphError, r"^An edge must be a triple \(node, edge, node\). Found 'AB'."),
        ([("A", "B")], GraphError, r"^An edge must be a triple"),
        ([7], GraphError, r"^An edge must be a triple .* Found 7."),
        ([("A", "=>", "B")], ParameterError, r"^`edge` must be one of .*Found '=>'."),
        ([("A", "->", "D")], GraphError, r"^The edge A -> D must name nodes of the graph."),
        ([("A", "->", "A")], GraphError, r"^An edge must join two different nodes."),
        (
            [("A", "->", "B"), ("B", "->", "A")],
            GraphError,
            r"^At most one edge may join two nodes. Found both A -> B and A <- B. Keep one.$",
        ),
        (
            [("A", "--", "B"), ("B", "o->", "C")],
            GraphError,
            r"^An undirected edge belongs to a class of DAGs.* Found A -- B beside B o-> C. Draw "
            "it o-o if a hidden cause is possible; selection bias is not supported.$",
        ),
        ([("A", "--", "B"), ("B", "<->", "C")], GraphError, "Found A -- B beside B <-> C."),
    ],
)
def test_what_is_no_class_is_refused(edges, error, message):
    with pytest.raises(error, match=message):
        PAG(["A", "B", "C"], edges)


def test_a_mark_is_asked_of_nodes():
    with pytest.raises(GraphError, match="^A query must name nodes of the graph. Not a node: 'Z'"):
        PAG(["A", "B"]).mark("A", "Z")


def test_a_graph_of_causal_learn_is_read_by_its_answers():
    foreign = ForeignGraph(
        ["C", "A", "B"], [("A", "CIRCLE", "ARROW", "B"), ("C", "ARROW", "ARROW", "B")]
    )
    expected = PAG(["C", "A", "B"], [("A", "o->", "B"), ("C", "<->", "B")])
    assert PAG.from_causallearn(foreign) == expected
    assert PAG.from_causallearn(SimpleNamespace(G=foreign)) == expected


def test_what_is_no_graph_of_causal_learn_is_refused():
    with pytest.raises(GraphFormatError, match=r"or pc\(...\). Found int.$"):
        PAG.from_causallearn(7)
    star = ForeignGraph(["A", "B"], [("A", "STAR", "ARROW", "B")])
    with pytest.raises(GraphFormatError, match="Found star and arrow between A and B.$"):
        PAG.from_causallearn(star)


def test_two_tails_mean_another_thing_where_variables_may_be_hidden():
    foreign = ForeignGraph(
        ["A", "B", "C"], [("A", "TAIL", "TAIL", "B"), ("B", "CIRCLE", "ARROW", "C")]
    )
    with pytest.raises(GraphError, match="^An undirected edge belongs to a class of DAGs"):
        PAG.from_causallearn(foreign)
    found = PAG.from_causallearn(foreign, two_tails="o-o")
    assert found.edges == (("A", "o-o", "B"), ("B", "o->", "C"))
    with pytest.raises(ParameterError, match="^`two_tails` must be one of"):
        PAG.from_causallearn(foreign, two_tails="->")
