"""An order is a graph that claims nothing, however it is written."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causalaug as ca
from causalaug.exceptions import GraphError, GraphFormatError
from causalaug.factorization import factorize
from causalaug.graphs import ADMG, complete_graph, read_graph, tiers

names = st.text(min_size=1) | st.sampled_from(["\n", "<", "a -> b", 'say "hi"', "blood pressure"])


@st.composite
def orders(draw, names=names):
    """Draw tiers: names in groups of one or more."""
    found = draw(st.lists(names, min_size=1, max_size=7, unique=True))
    cuts = draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found)))
    groups = [[found[0]]]
    for name, is_first in zip(found[1:], cuts[1:], strict=True):
        if is_first:
            groups.append([name])
        else:
            groups[-1].append(name)
    return groups


@given(orders(), st.randoms())
def test_an_order_claims_nothing_whichever_way_a_tier_is_walked(groups, rng):
    walked = [name for group in groups for name in rng.sample(group, len(group))]
    for number, factor in enumerate(factorize(tiers(groups), order=walked)):
        assert factor.pillow == tuple(walked[:number])


@given(orders())
def test_an_order_says_nothing_within_a_tier(groups):
    graph, tier = tiers(groups), {v: i for i, group in enumerate(groups) for v in group}
    assert graph.nodes == tuple(tier)
    assert set(graph.directed) == {(a, b) for a in tier for b in tier if tier[a] < tier[b]}
    assert all(tier[a] == tier[b] for a, b in graph.bidirected)


@given(st.lists(names, min_size=1, max_size=6, unique=True))
def test_tiers_of_one_variable_are_the_complete_graph(order):
    assert tiers([[name] for name in order]) == complete_graph(order)


def quoted(name):
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
    return '"' + "".join(escapes.get(sign, sign) for sign in name) + '"'


@given(orders(), st.sampled_from(["<", " < ", "\n< ", " <\n\n", " # first\n<"]))
def test_an_order_is_read_as_text(groups, before):
    text = before.join(", ".join(map(quoted, group)) for group in groups)
    if len(groups) > 1:
        assert read_graph(text) == tiers(groups)


@pytest.mark.parametrize(
    "text", ["age,sex<smoking<tar", "age, sex < smoking\n  < tar\n", "age,\nsex <\nsmoking < 'tar'"]
)
def test_ways_to_write_an_order(text):
    assert read_graph(text) == tiers([["age", "sex"], ["smoking"], ["tar"]])


def test_an_order_in_a_file_or_an_argument(tmp_path):
    path = tmp_path / "order.txt"
    path.write_text("x.1, y\n< z\n")
    assert read_graph(path) == read_graph("x.1, y < z") == tiers([["x.1", "y"], ["z"]])
    assert [str(factor) for factor in ca.factorize("x.1 < y")] == ["p(x.1)", "p(y | x.1)"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a, b < c\n< a", "line 2: an order must name each variable once. Found 'a' in tier 3 and"),
        ("a, a < c", "each variable once. Found 'a' in tier 1 and before that in tier 1"),
        ("a < < b", "expected a name in every tier, found '<'"),
        ("< b", "expected a name in every tier, found '<'"),
        ("a <", "expected a name in every tier, found the end of the text"),
        ("a, < b", "expected the name of a variable, found '<'"),
        ("a < b\nb -> c", "line 2: expected a comma, < or the end of the text, found 'b'"),
        ("a -> b < c", "must hold an order or edges. Found the arrow '->' beside <"),
        ("a < b <-> c", "must hold an order or edges. Found the arrow '<->' beside <"),
        ("a < blood pressure", "found 'pressure'. Write .* with quotes around names with spaces"),
        ("a < b; c", "expected a comma, < or the end of the text, found ';'"),
    ],
)
def test_what_is_no_order(text, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(text)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([["a"], []], r"must hold a name. Found none in tier 2 of 2"),
        ([["a"], ["a"]], r"names in tiers must be unique|Node names must be unique.*\['a'\]"),
        ([["a"], {"b", "c"}], "A tier must be an ordered collection .*A set has no order"),
        (["a", "b"], r"A tier must be an ordered collection .*Write \[...\] around the names"),
        ("ab", "Tiers must be a list of groups of names"),
        ([["a"], 3], "A tier must be an ordered collection"),
        ([], "must have at least one node"),
        ([map(str, range(1500))], "at most 1,000,000 pairs of variables. Found 1,124,250"),
    ],
)
def test_what_are_no_tiers(groups, message):
    with pytest.raises(GraphError, match=message):
        tiers(groups)


def test_a_check_of_an_order_has_nothing_to_test():
    columns = {"a": [1.0, 2.0, 3.5] * 8, "b": [0.5, 1.0, 4.0, 2.0] * 6, "c": [1.0, 0.0] * 12}
    assert len(ca.check_graph(pd.DataFrame(columns), "a, b < c").frame) == 0


KNOWLEDGE = """/knowledge
addtemporal

1 age sex
2 smoking
3 tar cancer
"""


def test_tetrad_knowledge_is_an_order(tmp_path):
    order = tiers([["age", "sex"], ["smoking"], ["tar", "cancer"]])
    path = tmp_path / "known.txt"
    path.write_text(KNOWLEDGE + "\nforbiddirect\n\nrequiredirect\n")
    assert read_graph(KNOWLEDGE) == read_graph(path) == order
    assert read_graph(KNOWLEDGE.replace("\n1 ", "\n10\t"), format="tetrad-knowledge") == tiers(
        [["smoking"], ["tar", "cancer"], ["age", "sex"]]
    )


def test_a_forbidden_edge_is_left_out_where_nothing_else_carries_the_effect():
    text = KNOWLEDGE + "forbiddirect\nage smoking\nage tar\nsex tar\nsex cancer\n"
    order = read_graph(KNOWLEDGE)
    # An effect of age on tar may come by cancer, of which nothing is known: the edge stays.
    assert order.diff(read_graph(text)).removed == (
        ("age", "->", "smoking"),
        ("sex", "->", "tar"),
        ("sex", "->", "cancer"),
    )


def test_edges_that_are_forbidden_within_a_tier():
    order = read_graph(KNOWLEDGE)
    one_way = read_graph(KNOWLEDGE + "forbiddirect\nage sex\n")
    both_ways = read_graph(KNOWLEDGE + "forbiddirect\nage sex\nsex age\n")
    starred = read_graph(KNOWLEDGE.replace("1 age", "1* age"))
    assert one_way == order
    assert both_ways == starred == order.without("age <-> sex")
    # A chain by a third variable may still join two that no edge joins.
    three = KNOWLEDGE.replace("1 age", "1 diet age")
    assert read_graph(three + "forbiddirect\nage sex\nsex age\n") == read_graph(three)


def test_a_tier_that_only_reaches_the_next():
    found = read_graph("/knowledge\naddtemporal\n1- a\n2 b\n3 c\nrequiredirect\nb c\n")
    assert found == ADMG(["a", "b", "c"], [("a", "b"), ("b", "c")])
    assert read_graph("/knowledge\naddtemporal\n1- a\n2 b\n3 c\nrequiredirect\na c\n") == tiers(
        [["a"], ["b"], ["c"]]
    )


def test_a_required_edge_gives_a_tier_a_direction():
    found = read_graph(KNOWLEDGE + "requiredirect\ntar --> cancer\nage smoking\n")
    assert found == read_graph(KNOWLEDGE).add("tar -> cancer")
    assert read_graph(KNOWLEDGE.replace("3 ", "3* ") + "requiredirect\ntar cancer\n") == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/knowledge\n", "must put the variables into tiers to be a graph"),
        (KNOWLEDGE + "4 age\n", "line 7: a variable must be in one tier. Found 'age' in tier 4"),
        (KNOWLEDGE + "4\n", "line 7: a tier must be written as '1 age sex'.*Found '4'"),
        (KNOWLEDGE + "x y\n", "line 7: a tier must be written"),
        (KNOWLEDGE + "forbiddengroup\n", "line 7: a section must be one of addtemporal"),
        ("/knowledge\n/data\n", "line 2: a section must be one of addtemporal"),
        ("/knowledge\n1 age\n", "line 2: a section must be one of addtemporal"),
        (KNOWLEDGE + "forbiddirect\nage sx\n", "line 8: an edge must join .*Not there: 'sx'.*slip"),
        (KNOWLEDGE + "requiredirect\nage sex tar\n", "line 8: an edge must be written as the name"),
        (KNOWLEDGE + "requiredirect\nage age\n", "line 8: an edge must be written as the name"),
        (
            KNOWLEDGE + "requiredirect\ntar age\n",
            "line 8: a required edge must not run from a later tier .*tar -> age, from tier 3",
        ),
        (
            KNOWLEDGE + "requiredirect\nage tar\nforbiddirect\nage tar\n",
            "line 8: .* required and forbidden.*forbidden in Tetrad knowledge, line 10",
        ),
        (
            KNOWLEDGE + "requiredirect\nage sex\nsex age\n",
            "must not form a cycle",
        ),
    ],
)
def test_what_is_no_knowledge(text, message):
    with pytest.raises(GraphError, match=message):
        read_graph(text)
