"""Graphviz reads every DOT text of a grammar as we do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalaug.graphs.io._dot import read_dot
from foreign_readers import (
    ATTRIBUTES,
    NAMES,
    SPACES,
    has_graphviz,
    read_by_graphviz,
)


@st.composite
def statements(draw, depth=0):
    """Draw the statements of one pair of braces."""
    found = draw(st.lists(statement(depth), max_size=4))
    return "".join(text + draw(st.sampled_from(SPACES)) for text in found)


def statement(depth):
    terms = st.lists(term(depth), min_size=2, max_size=3).map(" -> ".join)
    with_attributes = st.tuples(node_list() | terms, attributes()).map(" ".join)
    defaults = st.tuples(st.sampled_from(["node", "edge", "graph", "EDGE"]), attributes(1))
    setting = st.sampled_from(["rankdir=LR", "a=b", '"b" = "c"'])
    return st.one_of(with_attributes, with_attributes, defaults.map(" ".join), setting, term(depth))


def node_list():
    return st.lists(st.sampled_from(NAMES), min_size=1, max_size=2).map(", ".join)


def term(depth):
    if depth == 2:
        return node_list()
    heading = st.sampled_from(["", "subgraph ", "subgraph s ", "subgraph t "])
    braces = st.builds("{}{{ {} }}".format, heading, statements(depth + 1))
    return st.one_of(node_list(), braces)


def attributes(min_size=0):
    one = st.lists(st.sampled_from(ATTRIBUTES), min_size=min_size, max_size=2)
    lists = one.map(lambda found: f"[{', '.join(found)}]" if found else "")
    return st.lists(lists, min_size=min_size, max_size=2).map(" ".join)


def dot_texts():
    heading = st.sampled_from(["digraph {", 'DiGraph "a b" {'])
    loose = st.builds("{} {} }}".format, heading, statements())
    # Keys in strict graphs are refused, since Graphviz loses attributes with them.
    without_keys = statements().map(lambda text: text.replace("key=", "keys="))
    return loose | without_keys.map("strict digraph g {{ {} }}".format)


@pytest.mark.skipif(not has_graphviz(), reason="Graphviz is not installed")
@given(st.lists(dot_texts(), min_size=1, max_size=40))
@settings(max_examples=60)
def test_dot_is_read_as_graphviz_reads_it(texts):
    theirs = read_by_graphviz(texts)
    assert len(theirs) == len(texts)
    for text, (nodes, directed, bidirected, hidden) in zip(texts, theirs, strict=True):
        ours = read_dot(text)
        assert list(ours.nodes) == list(nodes), text
        assert set(ours.directed) == directed, text
        assert set(ours.bidirected) == bidirected, text
        assert ours.latent == hidden, text
