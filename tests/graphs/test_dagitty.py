import pytest

from causalaug.exceptions import CausalAugWarning, GraphFormatError
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
    with pytest.warns(CausalAugWarning, match=r"marks \['Fitness'\] as selected or adjusted"):
        graph = read_graph(WEBSITE)
    assert graph == ADMG(
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


@pytest.mark.parametrize(
    "mark", ["latent", "l", "unobserved", "u", "U", "latent=true", 'pos="1,2",latent']
)
def test_hidden_nodes_are_projected_out(mark):
    graph = read_graph(f"dag {{ U [{mark}] U -> {{A B}} }}")
    assert graph == ADMG(["A", "B"], bidirected=[("A", "B")])


@pytest.mark.parametrize("mark", ["selected", "s", "adjusted", "a", 'exposure,S,pos="0,0"'])
def test_selection_is_not_modelled_and_a_warning_says_so(mark):
    with pytest.warns(CausalAugWarning, match=r"\['A'\] .*Selection is not modelled") as caught:
        graph = read_graph(f"dag {{ A [{mark}] A -> B }}")
    assert graph == ADMG(["A", "B"], directed=[("A", "B")])
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("mark", ["exposure", "e", "outcome", "o", "source", "target", "beta=0.3"])
def test_other_marks_have_no_bearing(mark):
    assert read_graph(f"dag {{ A [{mark}] A -> B }}") == ADMG(["A", "B"], [("A", "B")])


def test_words_of_dot_are_names_here():
    assert read_graph("dag { node -> graph }").nodes == ("node", "graph")
    assert read_graph("dag { subgraph [latent] subgraph -> edge }").nodes == ("edge",)


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
        ("dag { A, B -> C }", r"Found a comma after A. Write \{A B\} -> C, or A; B"),
        ("dag { A -> B, C }", "separated by spaces or semicolons. Found a comma after B"),
        ("dag { A [latent=false] }", "Found latent='false', read as latent by DAGitty"),
        (
            "dag { {U V} [latent] A }",
            "follow a node or an edge. Found {'latent': 'true'} after braces",
        ),
        ("dag { x-1 -> y }", "line 1: cannot read '-1 -> y }'. Names with .* signs need quotes"),
        ("dag { U [latent] }", r"at least one observed node. Found \['U'\]"),
    ],
)
def test_errors_name_line_and_text(text, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(text)


def test_a_text_of_another_kind_is_refused():
    with pytest.raises(GraphFormatError, match="expected dag or mag or pdag or pag and a brace"):
        read_graph("A -> B", format="dagitty")
