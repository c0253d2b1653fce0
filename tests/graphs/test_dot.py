import pytest

from causalaug.exceptions import GraphFormatError
from causalaug.graphs import ADMG, read_graph

VEE = ADMG(["A", "B", "C"], directed=[("A", "C"), ("B", "C")], bidirected=[("A", "B")])


@pytest.mark.parametrize(
    "text",
    [
        "digraph { A; B; A -> C; B -> C; A -> B [dir=both] }",
        "digraph G { A B {A B} -> C A -> B [dir=both, style=dashed] }",
        'strict digraph "my graph" { A; B; { A; B } -> C; edge [dir=both]; B -> A }',
        'digraph { rankdir=LR; graph [size="3"]; node [shape=box]; A; B; A -> C; B -> C;\n'
        "A <-> B }",
        "// heading\ndigraph {\n# line\nA; B /* block */; A -> C; C -> B [dir=back];\n"
        "A -> B [dir=both arrowhead=vee; arrowtail=normal][color=red] }",
        "digraph { subgraph cluster_0 { A; B } subgraph { A B } -> C; A -> B [type=bidirected] }",
        "digraph { A [label=<<b>bold</b> A>]; B; A:e -> C:w:n; B -> C; B -> A [dir=both] }",
        'digraph { "A"; "B"; "A" -> "C"; "B" -> "C" [dir=both, arrowtail=none]; '
        'A -> "" + "B" [dir=both] }',
        "digraph { A; B; { edge [dir=both] A -> B } A -> C <- B }",
        "digraph { A, B -> C; A -> B [dir=both] }",
        "digraph { A; B; subgraph s { A }; subgraph s { B } -> C; A -> B [dir=both] }",
        "strict digraph { A; B; A -> C -> B [dir=none]; A -> C [dir=forward]; C -> B [dir=back];"
        "A -> B; A -> B [dir=both] }",
        "digraph { A; B; {A B} -> C; A -> B [key=1]; A -> B [key=1, dir=both] }",
        'digraph { A; "B"; {A B} -> "\\\nC"; A -> B [dir=both, DIR=none] }',
    ],
)
def test_ways_to_write_one_graph(text):
    assert read_graph(text) == VEE


def test_quoted_names_and_numerals():
    graph = read_graph(r'digraph { "blood pressure" -> "a \"b\""; 1 -> -2.5 }')
    assert graph.nodes == ("blood pressure", 'a "b"', "1", "-2.5")


def test_a_comma_joins_all_with_all():
    graph = read_graph("digraph { a, b -> c, d; e, f [observed=no] e, f -> a }")
    edges = [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]
    assert graph == ADMG(["a", "b", "c", "d"], directed=edges)


def test_a_subgraph_that_is_opened_again_keeps_its_defaults():
    text = "digraph { subgraph s { node [observed=no] } subgraph s { U } U -> {A B} }"
    assert read_graph(text) == ADMG(["A", "B"], bidirected=[("A", "B")])


def test_an_empty_value_marks_nothing():
    assert read_graph('digraph { A [latent=""] B [latent] A -> B }') == ADMG(["A"])


def test_quoted_keywords_are_names():
    assert read_graph('digraph { "node" -> "edge" }').directed == (("node", "edge"),)


@pytest.mark.parametrize(
    "text",
    [
        'digraph { U [observed="no"]; U -> A; U -> B; A -> B }',
        "digraph { U -> {A B} [style=dashed]; A -> B; U [latent=true] }",
        "digraph { { node [observed=no] U } -> {A B}; A -> B }",
        "digraph { A node [observed=no] U -> {A B}; A -> B; B [observed=yes] }",
        'digraph { node [observed=yes]; U [observed="no", label="hidden"]; U -> A -> B; U -> B }',
    ],
)
def test_hidden_nodes_are_projected_out(text):
    assert read_graph(text) == ADMG(["A", "B"], [("A", "B")], [("A", "B")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph { A -- B }", "expected digraph and a brace, found 'graph'.*without directions"),
        ("digraph {\nA -- B }", "DOT text, line 2: .*Found A -- B: it has no direction"),
        ("digraph { A -> B [dir=none] }", "Found A -- B: it has no direction"),
        ("digraph { A -> B [arrowhead=none] }", "Found A -- B: it has no direction"),
        ("digraph { A -> B [dir=both, arrowtail=odot] }", "Found A o-> B: a circle"),
        ("digraph { A -> B [dir=both, arrowhead=dot arrowtail=none] }", "Found A -o B: a circle"),
        (
            "digraph { A -> B [style=dashed] }",
            "direction. Found none on A -> B. Add dir=both .*dir=forward",
        ),
        ("digraph { A -> {B}, C }", "expected a node name, found ','"),
        ("digraph { A, {B} -> C }", "expected a node name, found '{'"),
        ("digraph { x.1 -> y }", "found 'x.1'. Graphviz would take it apart; quote it"),
        ("digraph { 1a -> y }", "found '1a'. Graphviz would take it apart"),
        ("digraph { x-1 -> y }", "cannot read '-1 -> y }'. Names with .* signs need quotes"),
        (r'digraph { "a\\b" -> "a\b" }', "spelled in one way. Found .* which Graphviz tells apart"),
        ("strict digraph { A -> B [key=1] }", "strict graph must have no key, .*Found key='1'"),
        ('digraph { "a" + b }', "expected a string in quotes, found 'b'"),
        ("digraph { <b> -> A }", "expected a node name, found '<b>'. A label of HTML"),
        ("digraph { node; A }", r"expected '\[', found ';'. Quote 'node' if"),
        ("digraph { subgraph A B }", "expected '{', found 'B'"),
        ("digraph { {A} = B }", "expected a node name, found '='"),
        ("digraph { A -> }", "expected a node name, found '}'"),
        ("digraph A -> B", "expected '{', found '->'. Write '{' before it"),
        ("digraph { A } digraph { B }", "expected the end of the text, found 'digraph'"),
        ('digraph { A -> "B }', "cannot read '\"B }'. The quote is not closed"),
    ],
)
def test_errors_name_line_and_text(text, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(text, format="dot")


def test_dashed_with_a_direction_is_directed():
    graph = read_graph("digraph { A -> B [style=dashed, dir=forward] }")
    assert graph == ADMG(["A", "B"], directed=[("A", "B")])
