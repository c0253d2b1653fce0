from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalaug.exceptions import GraphError, ParameterError
from causalaug.graphs import (
    ADMG,
    complete_graph,
    latent_projection,
    m_separated,
    markov_pillow,
    select_markov_blanket,
)
from graph_strategies import admgs

FRONT_DOOR = ADMG(
    ["smoking", "tar", "cancer"],
    directed=[("smoking", "tar"), ("tar", "cancer")],
    bidirected=[("smoking", "cancer")],
)


def simple_paths(graph, start, end):
    """Yield all simple paths as lists of (head at left, left, right, head at right)."""
    steps = [(False, a, b, True) for a, b in graph.directed]
    steps += [(True, b, a, False) for a, b in graph.directed]
    steps += [(True, *pair, True) for a, b in graph.bidirected for pair in ((a, b), (b, a))]

    def extend(path, seen):
        here = path[-1][2] if path else start
        if here == end:
            yield path
            return
        for step in steps:
            if step[1] == here and step[2] not in seen:
                yield from extend([*path, step], {*seen, step[2]})

    yield from extend([], {start})


def slow_m_separated(graph, x, y, given):
    """Decide by the definition: no simple path is open."""
    opened = {*given, *graph.ancestors(given)}

    def is_open(path):
        return all(
            middle in opened if left[3] and right[0] else middle not in given
            for left, right in zip(path, path[1:], strict=False)
            for middle in [left[2]]
        )

    return not any(is_open(path) for path in simple_paths(graph, x, y))


def slow_projection(graph, keep):
    """Project by the definition: look at all paths through hidden nodes."""
    directed, bidirected = set(), set()
    for a, b in combinations(keep, 2):
        for path in simple_paths(graph, a, b):
            inside = [step[2] for step in path[:-1]]
            pairs = list(zip(path, path[1:], strict=False))
            if set(inside) & set(keep) or any(l[3] and r[0] for l, r in pairs):  # noqa: E741
                continue
            if all(step[3] and not step[0] for step in path):
                directed.add((a, b))
            elif all(step[0] and not step[3] for step in path):
                directed.add((b, a))
            elif path[0][0] and path[-1][3]:
                bidirected.add((a, b))
    return ADMG([v for v in graph.nodes if v in keep], directed, bidirected)


@st.composite
def questions(draw):
    graph = draw(admgs(min_nodes=2, max_nodes=5))
    x, y, *rest = draw(st.permutations(graph.nodes))
    return graph, x, y, draw(st.lists(st.sampled_from(rest), unique=True)) if rest else []


@given(questions())
def test_m_separation_agrees_with_its_definition(question):
    graph, x, y, given_nodes = question
    expected = slow_m_separated(graph, x, y, given_nodes)
    assert m_separated(graph, x, y, given_nodes) is expected
    assert m_separated(graph, [y], {x}, given_nodes) is expected


def test_m_separation_works_under_the_former_name_in_networkx(monkeypatch):
    separated = getattr(nx, "is_d_separator", None) or nx.d_separated
    monkeypatch.setattr(nx, "d_separated", separated, raising=False)
    monkeypatch.delattr(nx, "is_d_separator", raising=False)
    assert m_separated(ADMG(["A", "B"]), "A", "B")


def test_m_separation_of_sets():
    graph = ADMG(["A", "B", "C", "D"], directed=[("A", "C"), ("B", "D")])
    assert not m_separated(graph, ["A", "B"], ["C", "D"])
    assert m_separated(graph, ["A", "C"], ["B", "D"])
    assert m_separated(graph, [], ["B", "D"])


def test_m_separation_checks_its_arguments():
    with pytest.raises(
        GraphError, match="`given` must name nodes of the graph. Not a node: 'tarr'"
    ):
        m_separated(FRONT_DOOR, "smoking", "cancer", given="tarr")
    with pytest.raises(ParameterError, match=r"no node in common. Found \['tar'\]"):
        m_separated(FRONT_DOOR, "smoking", "tar", given=["tar"])


@given(admgs(bidirected=False))
def test_in_a_dag_the_pillow_is_the_parents(graph):
    for node in graph.nodes:
        assert sorted(markov_pillow(graph, node)) == sorted(graph.parents(node))


@given(st.permutations(["A", "B", "C", "D"]))
def test_without_any_independence_the_pillow_is_all_before(order):
    nodes = ["A", "B", "C", "D"]
    confounded = ADMG(nodes, bidirected=combinations(nodes, 2))
    for i, node in enumerate(order):
        assert markov_pillow(confounded, node, order) == tuple(order[:i])
        assert markov_pillow(complete_graph(order), node) == tuple(order[:i])


@given(admgs())
def test_a_node_is_independent_of_all_before_it_given_its_pillow(graph):
    order = graph.topological_order()
    for i, node in enumerate(order):
        pillow = markov_pillow(graph, node)
        others = [v for v in order[:i] if v not in pillow]
        assert m_separated(graph, node, others, given=pillow)


@given(admgs())
def test_dropping_a_node_of_the_pillow_breaks_the_independence(graph):
    order = graph.topological_order()
    for i, node in enumerate(order):
        pillow = markov_pillow(graph, node)
        for v in pillow:
            rest = [u for u in order[:i] if u != v]
            assert not m_separated(graph, node, v, given=rest)


def test_a_pillow_comes_in_the_given_order():
    graph = ADMG(["A", "B", "C"], directed=[("A", "C"), ("B", "C")])
    assert markov_pillow(graph, "C", order=["B", "A", "C"]) == ("B", "A")


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["smoking", "tar"], r"Missing: \['cancer'\]"),
        (["smoking", "tar", "cancer", "age"], r"Not a node: \['age'\]"),
        (["smoking", "tar", "tar", "cancer"], r"Repeated: \['tar'\]"),
        (
            ["tar", "smoking", "cancer"],
            "'tar' before 'smoking', against the edge smoking -> tar. One that fits: .'smoking'",
        ),
        ({"smoking", "tar", "cancer"}, "sequence of node names. .*A set has no order"),
        (["smoking", "tar", "cancer", ["x"]], r"Not a node: \[\['x'\]\]"),
        (5, "sequence of node names. Found 5"),
    ],
)
def test_an_order_is_checked(order, message):
    with pytest.raises(GraphError, match=message):
        markov_pillow(FRONT_DOOR, "tar", order=order)


def test_a_number_is_no_name_in_an_order():
    with pytest.raises(GraphError, match=r"Missing: \['1'\]. Not a node: \[1\]"):
        markov_pillow(ADMG(["1", "2"]), "2", order=[1, "2"])


def test_the_node_of_a_pillow_is_checked():
    with pytest.raises(GraphError, match="node of a Markov pillow must name .* 'tra' -> 'tar'"):
        markov_pillow(FRONT_DOOR, "tra")


@given(admgs())
def test_a_markov_blanket_screens_its_target_off(graph):
    for target in graph.nodes:
        blanket = select_markov_blanket(graph, target)
        others = [v for v in graph.nodes if v != target and v not in blanket]
        assert m_separated(graph, target, others, given=blanket)


@given(admgs())
def test_no_member_of_a_markov_blanket_can_be_spared(graph):
    for target in graph.nodes:
        blanket = select_markov_blanket(graph, target)
        for member in blanket:
            rest = [v for v in blanket if v != member]
            assert not m_separated(graph, target, member, given=rest)


@given(admgs(max_nodes=5))
@settings(max_examples=50)
def test_every_set_that_screens_off_holds_the_markov_blanket(graph):
    for target in graph.nodes:
        blanket = set(select_markov_blanket(graph, target))
        others = [v for v in graph.nodes if v != target]
        for size in range(len(others) + 1):
            for held in combinations(others, size):
                rest = [v for v in others if v not in held]
                if m_separated(graph, target, rest, given=held):
                    assert blanket <= set(held)


@given(admgs(bidirected=False))
def test_in_a_dag_the_markov_blanket_is_parents_children_and_their_parents(graph):
    for target in graph.nodes:
        children = graph.children(target)
        family = {*graph.parents(target), *children, *graph.parents(children)}
        expected = tuple(v for v in graph.nodes if v in family and v != target)
        assert select_markov_blanket(graph, target) == expected


def test_the_target_of_a_markov_blanket_is_checked():
    with pytest.raises(GraphError, match="target of a Markov blanket must name .* 'tra' -> 'tar'"):
        select_markov_blanket(FRONT_DOOR, "tra")


@st.composite
def projections(draw, max_nodes=5):
    graph = draw(admgs(max_nodes=max_nodes))
    kept = draw(st.lists(st.sampled_from(graph.nodes), min_size=1, unique=True))
    return graph, kept


@given(projections())
def test_projection_agrees_with_its_definition(problem):
    graph, keep = problem
    assert latent_projection(graph, keep=keep) == slow_projection(graph, keep)


@given(projections(max_nodes=6))
@settings(max_examples=50)
def test_projection_keeps_the_independences_of_the_kept_nodes(problem):
    graph, keep = problem
    projected = latent_projection(graph, keep=keep)
    for x, y in combinations(keep, 2):
        rest = [v for v in keep if v not in (x, y)]
        for size in range(len(rest) + 1):
            for held in combinations(rest, size):
                assert m_separated(graph, x, y, held) == m_separated(projected, x, y, held)


def test_projection_onto_all_nodes_changes_nothing():
    assert latent_projection(FRONT_DOOR, keep=FRONT_DOOR.nodes) == FRONT_DOOR
    assert latent_projection(FRONT_DOOR, keep="tar") == ADMG(["tar"])


def test_projection_checks_its_nodes():
    with pytest.raises(GraphError, match="`keep` must name nodes of the graph. Not a node: 'age'"):
        latent_projection(FRONT_DOOR, keep=["age"])
    with pytest.raises(GraphError, match="at least one node"):
        latent_projection(FRONT_DOOR, keep=[])


def test_questions_take_whatever_is_read_as_a_graph():
    text = "smoking -> tar -> cancer; smoking <-> cancer"
    assert latent_projection(text, keep={"smoking", "cancer"}) == latent_projection(
        FRONT_DOOR, keep=["cancer", "smoking"]
    )
    assert select_markov_blanket(text, "tar") == select_markov_blanket(FRONT_DOOR, "tar")
    assert not m_separated(text, "smoking", "cancer", given="tar")


def test_complete_graph_refuses_one_string():
    with pytest.raises(GraphError, match="Found 'ABC', a str"):
        complete_graph("ABC")


@pytest.mark.parametrize(
    "call",
    [
        lambda nothing: m_separated(FRONT_DOOR, nothing, "tar", []),
        lambda nothing: ADMG(["a", "b"], nothing),
        lambda nothing: ADMG(["a", "b"], [nothing]),
        lambda nothing: FRONT_DOOR.parents(nothing),
    ],
)
def test_an_array_without_dimensions_is_no_collection(call):
    with pytest.raises(GraphError):
        call(np.array(1))
