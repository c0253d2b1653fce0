"""What is written is read back as the same graph, in every format and with any names."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from causalaug.exceptions import ParameterError
from causalaug.graphs import ADMG, read_graph, write_graph
from graph_strategies import admgs

FORMATS = ["arrows", "dagitty", "dot", "gml"]
AWKWARD = [
    "a -> b", "A<->B", 'say "hi"', "back\\slash", "end\\", "new\nline", "return\r", "tab\t", " ",
    "o", "node", "graph", "dag", "digraph {", "{A}", "[latent]", "a,b;c", "# no comment", "// c",
    "été", "变量", "&amp;", "&#34;", "()", "[]", "12", "-1.5", "x.y", "graph.dot", "\x80", "\u2028",
]  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
@given(graph=admgs(names=st.text(min_size=1) | st.sampled_from(AWKWARD), max_nodes=4))
@example(graph=ADMG(AWKWARD, directed=[("o", "été"), ("end\\", "{A}")], bidirected=[("o", "été")]))
def test_any_names(graph, format):
    text = write_graph(graph, format=format)
    assert read_graph(text) == graph
    assert read_graph(text, format=format) == graph


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", AWKWARD)
def test_a_single_node_is_not_taken_for_a_path(name, format):
    graph = ADMG([name])
    assert read_graph(write_graph(graph, format=format)) == graph


@pytest.mark.parametrize("format", FORMATS)
def test_through_a_file(tmp_path, format):
    graph = ADMG(["été", "b c"], directed=[("b c", "été")], bidirected=[("été", "b c")])
    path = tmp_path / "graph.txt"
    path.write_text(write_graph(graph, format=format), encoding="utf-8")
    assert read_graph(path) == graph
    assert read_graph(str(path)) == graph


def test_an_unknown_format_is_refused():
    with pytest.raises(ParameterError, match=r"one of \['arrows', 'dagitty', 'dot', 'gml'\]"):
        write_graph(ADMG(["A"]), format="graphml")
