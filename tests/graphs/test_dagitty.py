import pytest

from causalaug.exceptions import GraphFormatError
from causalaug.graphs import ADMG, read_graph

WEBSITE = """
dag {
bb="-5.5,-6,5.1,5.3"
"warm up" [exposure,pos="-2.2,-0.3"]
Injury [outcome,pos="2.5,4.3"]
Fitness [adjusted,pos="-1.6,-1.9"]
Genes [latent,pos="-1,-3"]
"warm up" -> Injury [pos="0.1,0.2"]
Fitness -> "warm up"
Genes -> Fitness
Genes -> Injury
}
"""


def test_the_text_of_the_website():
    assert read_graph(WEBSITE) == ADMG(
        ["warm up", "Injury", "Fitness"],
        directed=[("warm up", "Injury"), ("Fitness", "warm up")],
        bidirected=[("Injury", "Fitness")],
    )


@pytest.mark.parametrize(
    "text",
    [
        "dag { A -> C B -> C A <-> B }",
        "dag{A->C<-B;A<->B}",
        "dag G { {A B} -> C ; A <-> B [beta=-.3] }",
        'dag "a title" { A -> { C } <- B // comment\n A <-> B /* another */ }',
        "# heading\nmag { A -> C <- B  B <-> A }",
        "pdag { A -> C <- B  B <-> A }",
        "PAG { A -> C <- B  B <-> A }",
    ],
)
def test_ways_to_write_one_graph(text):
    graph = read_graph(text, names=["A", "B", "C"])
    assert graph == ADMG(["A", "B", "C"], [("A", "C"), ("B", "C")], [("A", "B")])


def test_nodes_come_in_the_order_of_first_mention():
    assert read_graph("dag { D -> {F E} A }").nodes == ("D", "F", "E", "A")


@pytest.mark.parametrize("mark", ["latent", "unobserved", "latent=true", 'pos="1,2",latent'])
def test_hidden_nodes_are_projected_out(mark):
    graph = read_graph(f"dag {{ U [{mark}] U -> {{A B}} }}")
    assert graph == ADMG(["A", "B"], bidirected=[("A", "B")])


def test_words_of_dot_are_names_here():
    assert read_graph("dag { node -> graph }").nodes == ("node", "graph")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pdag {\n A -- B }", "DAGitty text, line 2: .*Found A -- B: it has no direction"),
        ("pag { A @-> B }", "Found A @-> B: a circle"),
        ("pag { A @-@ B }", "Found A @-@ B: a circle"),
        ("dag { A -> B", "expected '}', found the end of the text"),
        ("dag { A -> }", "expected a node name, found '}'"),
        ("dag { A [pos= }", "expected a value, found '}'"),
        ("dag { A - B }", "line 1: cannot read '- B }'"),
        ("dag { U [latent] }", r"at least one observed node. Found \['U'\]"),
    ],
)
def test_errors_name_line_and_text(text, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(text)


def test_a_text_of_another_kind_is_refused():
    with pytest.raises(GraphFormatError, match="expected dag or mag or pdag or pag and a brace"):
        read_graph("A -> B", format="dagitty")
