import pytest

from causalaug.exceptions import CyclicGraphError, GraphFormatError
from causalaug.graphs import ADMG, read_graph

CHAIN = ADMG(["A", "B", "C"], directed=[("A", "B"), ("B", "C")])


@pytest.mark.parametrize(
    "text",
    [
        "A -> B -> C",
        "A->B->C",
        "A -> B; B -> C",
        "A -> B, B -> C",
        "A -> B\n\nB -> C;",
        "A -> B  # first\n# second\nB -> C",
        "A, B, C; A -> B; C <- B",
        "A; B; C\nA -> B\nB -> C\n",
        "A ->\n  B\n; B -> C",
        "A → B → C",
        "A --> B\nC <-- B",
        '"A" -> \'B\' -> "C"',
        "{A} -> {B}; {B} -> {C}",
    ],
)
def test_ways_to_write_a_chain(text):
    assert read_graph(text) == CHAIN


@pytest.mark.parametrize(
    "text", ["{A, B} -> C; A <-> B", "{A B} -> C\nB ↔ A", "{A;\n B,} -> C; A <-> B"]
)
def test_groups_join_all_with_all(text):
    expected = ADMG(["A", "B", "C"], [("A", "C"), ("B", "C")], [("A", "B")])
    assert read_graph(text) == expected


def test_nodes_come_in_the_order_of_first_mention():
    assert read_graph("X1 <- Y -> X2; Z").nodes == ("X1", "Y", "X2", "Z")


def test_quotes_hold_any_name():
    graph = read_graph(r'"blood pressure" -> "a \"b\" \\ -> c"; "x\ny"; ' + r"'it\'s \d'")
    assert graph.nodes == ("blood pressure", 'a "b" \\ -> c', "x\ny", "it's \\d")


def test_bare_names_are_generous():
    assert read_graph("Sepal.Length -> log(x_1) -> été%").nodes == (
        "Sepal.Length",
        "log(x_1)",
        "été%",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A -- B", "line 1: an edge must be ->, <- or <->. Found A -- B: it has no direction"),
        ("A -> B\nblood-pressure -> B", r"line 2: .*Found blood - pressure: .*needs quotes"),
        ("A o-> B", "Found A o-> B: a circle .* Choose A -> B, A <- B, or A <-> B"),
        ("A --- B", "Found A --- B: it has no direction"),
        ("A <--> B", "Found A <--> B: it is no arrow"),
        ("A o-o B", "Found A o-o B: a circle"),
        ("A <-o B", "Found A <-o B: a circle"),
        ("{A, B} => C", r"Found \{A, B\} => C: it is no arrow"),
        ("A, B -> C", r"A, B -> C could mean two things. Write \{A, B\} -> C, or A; B -> C"),
        ("A -> B, C", "comma must not stand between a lone name and an arrow"),
        ("A -> B\n\nC D", "line 3: expected an arrow or the end of the statement, found 'D'"),
        ("A ->", "line 1: expected a node name, found the end of the text"),
        ("A -> -> B", "expected a node name, found '->'|it is no arrow"),
        ("-> B", "expected a node name, found '->'"),
        ("A -> ;", "expected a node name, found ';'"),
        ("{A B -> C", "expected '}', found '->'"),
        ("{} -> C", "expected a node name, found '}'"),
        ('A -> "B', "line 1: cannot read '\"B'. The quote is not closed"),
        ("A -> B\nB [latent] -> C", r"line 2: expected an arrow .*, found '\[latent\]'"),
        ("A -> [B", r"line 1: cannot read '\[B'. Names with spaces"),
        ("# only\n# comments", "at least one observed node. Found nothing"),
    ],
)
def test_errors_name_line_and_text(text, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(text)


def test_a_cycle_is_named():
    with pytest.raises(CyclicGraphError, match="A -> B -> A"):
        read_graph("A -> B -> A")
