"""Readers answer noise with a graph or with an error of ours, and do not take forever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.exceptions import GraphError
from causalaug.graphs import ADMG, read_graph

PIECES = st.sampled_from(
    ["A", "B", "C", " ", "\n", "->", "<-", "<->", "--", "o->", "@-@", "{", "}", "[", "]", ";", ",",
     "=", ":", "+", '"', "'", "\\", "#", "//", "/*", "*/", "<b>", "-1.5", "dir=both", "observed=no",
     "latent", "node", "edge", "graph", "subgraph", "digraph", "strict", "dag", "directed 1",
     "id 0", "label", "source 0", "target 1", "&#65;"]
)  # fmt: skip


@pytest.mark.parametrize("format", [None, "arrows", "dagitty", "dot", "gml"])
@pytest.mark.parametrize(
    "frame", ["{}", "dag {{ {} }}", "digraph {{ {} }}", "graph [ directed 1 {} ]"]
)
@given(pieces=st.lists(PIECES, max_size=25))
def test_noise_is_read_or_refused(pieces, frame, format):
    try:
        graph = read_graph(frame.format(" ".join(pieces)), format=format)
    except GraphError:
        return
    assert isinstance(graph, ADMG)


@pytest.mark.parametrize(
    "piece", ['A "x" ', "A 1 ", "graph ", '"', "# ", "/* ", "A -> ", " \n", "<"]
)
def test_long_texts_are_refused_at_once(piece):
    with pytest.raises(GraphError):
        read_graph(piece * 2000 + "->")
