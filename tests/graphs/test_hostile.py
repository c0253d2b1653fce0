"""Whatever comes in, a graph comes out or a short error of ours, and in time."""

import pathlib
import re
import time
from types import SimpleNamespace
from unittest.mock import Mock

import networkx as nx
import pandas as pd
import pytest

from causalaug.exceptions import CyclicGraphError, GraphError
from causalaug.factorization import factorize
from causalaug.graphs import (
    ADMG,
    complete_graph,
    latent_projection,
    m_separated,
    markov_pillow,
    read_graph,
    select_markov_blanket,
    write_graph,
)

DEEP = 10_000
LONG = "x" * 800_000
MANY = [f"v{i}" for i in range(5_000)]


class Wrapped:
    """An object that holds itself, as a graph that never comes."""

    @property
    def graph(self):
        return self


class Strange(list):
    def __repr__(self):
        raise RuntimeError("no words")


class BytesPath:
    def __fspath__(self):
        return b"graph.dot"


def refused(source, **options):
    """Return the text of the error, which must be ours, short, and fit to be printed."""
    with pytest.raises(GraphError) as caught:
        read_graph(source, **options)
    text = str(caught.value)
    assert len(text) < 2_000
    text.encode()
    return text


@pytest.mark.parametrize(
    ("heading", "opening", "closing"),
    [
        ("digraph {", "{", "}"),
        ("digraph {", "subgraph s {", ""),
        ("digraph { A -> ", "{ B -> ", ""),
        ("dag {", "{", "}"),
    ],
)
def test_deep_nesting_is_refused(heading, opening, closing):
    source = heading + opening * DEEP + "A" + closing * DEEP
    assert "nested at most 64 deep" in refused(source)


@pytest.mark.parametrize(("opening", "closing"), [("{", ""), ("[", ""), ("[", "]"), ("{", "}")])
def test_deep_brackets_of_no_format_are_refused(opening, closing):
    assert refused(opening * DEEP + closing * DEEP)


@pytest.mark.parametrize("closing", ["", "]"])
def test_deep_gml_is_refused(closing):
    assert refused("graph [ directed 1 " + "a [ " * DEEP + closing * DEEP)


def test_usual_nesting_is_read():
    depth = 63
    assert read_graph("digraph {" + "{" * depth + "A" + "}" * depth + "}") == ADMG(["A"])


def test_thousands_of_strings_are_one_name():
    name = " + ".join(['"x"'] * 20_000)
    assert read_graph(f"digraph {{ {name} }}").nodes == ("x" * 20_000,)


SOURCES = {
    "arrows, long name": f"A -> {LONG} {LONG}",
    "arrows, open quote": f'"{LONG}',
    "arrows, no direction": f'A -- "{LONG}"',
    "arrows, lone surrogate": "\ud800 -> b",
    "arrows, self-loop": '"' + LONG + '" -> "' + LONG + '"',
    "dot, no direction": f"digraph {{ A -> {LONG} [dir=none] }}",
    "dot, missing end": f'digraph {{ "{LONG}" "{LONG}" -> ; }}',
    "dot, large group": f"digraph {{ A -- {{{' '.join(MANY)}}} }}",
    "dagitty, comma": f'dag {{ "{LONG}", B }}',
    "gml, no id": f'graph [ directed 1 node [ label "{LONG}" ] ]',
    "gml, two labels": f'graph [ directed 1 node [ id 0 label "{LONG}" label "b" ] ]',
    "gml, long number": f"graph [ directed 1 edge [ source {'9' * 5000} target 1 ] ]",
    "tetrad, long name": f"Graph Nodes:\nA\n\nGraph Edges:\n1. A --> {LONG}",
    "tetrad, long section": f"Graph Nodes:\nA\n\nGraph {LONG}:\n",
    "json": '{"' + LONG + '": []}',
    "path, long": "missing." * 100_000,
    "path, long object": pathlib.Path("missing." + LONG),
    "path, NUL": "a\0b.dot",
    "path, lone surrogate": "\ud800.dot",
    "path, NUL object": pathlib.Path("a\0b"),
    "path, lone surrogate object": pathlib.Path("\ud800"),
    "path, bytes": BytesPath(),
    "dict, lone surrogate": {"\ud800": ["b"]},
    "dict, self-loop": {LONG: [LONG]},
    "dict, no parents": {LONG: None},
    "dict, long number": {"A": 10**5000},
    "dict, long number as node": {10**5000: []},
    "dict, strange object": {"A": [Strange()]},
    "edges, long arrow": [("A", LONG, "B")],
    "edges, long number": [("A", 10**5000)],
    "edges, one node": [(LONG,)],
    "long number": 10**5000,
    "strange object": Strange(),
    "bytes": LONG.encode(),
    "class of networkx": nx.DiGraph,
    "module": nx,
    "class of pandas": pd.DataFrame,
    "mock": Mock(),
    "class of mocks": Mock,
    "an object in itself": Wrapped(),
    "ananke, set": SimpleNamespace(vertices={"A", "B"}, di_edges=()),
    "ananke, number": SimpleNamespace(vertices=5, di_edges=()),
    "ananke, half an edge": SimpleNamespace(vertices=["A"], di_edges=[("A",)]),
    "lingam, nothing": SimpleNamespace(adjacency_matrix_=None),
    "lingam, text": SimpleNamespace(adjacency_matrix_=LONG),
    "networkx, long number": nx.DiGraph([(10**5000, 1)]),
    "networkx, both ways": nx.DiGraph([(LONG, "A"), ("A", LONG)]),
    "networkx, long cycle": nx.DiGraph([(f"v{i}", f"v{(i + 1) % 5000}") for i in range(5000)]),
}
OPTIONS = {
    "number as names": {"names": 5},
    "text as names": {"names": LONG},
    "long number as name": {"names": [10**5000, "B"]},
    "other names": {"names": MANY},
    "names twice": {"names": [*MANY, *MANY]},
    "set as names": {"names": set(MANY)},
    "None as name": {"names": iter([None])},
    "long format": {"format": LONG},
    "number as format": {"format": 5},
    "list as format": {"format": ["dot"]},
}


@pytest.mark.parametrize("name", SOURCES)
def test_hostile_sources_get_a_short_error_of_ours(name):
    assert refused(SOURCES[name])


@pytest.mark.parametrize("name", OPTIONS)
def test_hostile_options_get_a_short_error_of_ours(name):
    assert refused("A -> B", **OPTIONS[name])


GRAPH = ADMG(MANY, directed=[(a, b) for a, b in zip(MANY, MANY[1:], strict=False)])


@pytest.mark.parametrize(
    "call",
    [
        lambda: GRAPH.parents("missing"),
        lambda: GRAPH.parents([f"w{i}" for i in range(5_000)]),
        lambda: GRAPH.district("v1", within=MANY[2:]),
        lambda: GRAPH.subgraph(LONG),
        lambda: markov_pillow(GRAPH, "v0", order=MANY[::-1]),
        lambda: markov_pillow(GRAPH, "v0", order=[]),
        lambda: markov_pillow(GRAPH, LONG),
        lambda: select_markov_blanket(GRAPH, 5),
        lambda: latent_projection(GRAPH, keep=5),
        lambda: latent_projection(GRAPH, keep=[LONG]),
        lambda: m_separated(GRAPH, "v0", 5),
        lambda: complete_graph(5),
        lambda: complete_graph({"A", "B"}),
        lambda: ADMG(MANY * 2),
        lambda: ADMG(["A"], directed=[(LONG, LONG)]),
        lambda: ADMG(["A"], directed=[Strange()]),
        lambda: factorize(5),
    ],
)
def test_hostile_questions_get_a_short_error_of_ours(call):
    with pytest.raises(GraphError) as caught:
        call()
    assert len(str(caught.value)) < 2_000


def test_a_long_cycle_is_named_by_ten_of_its_nodes():
    text = "\n".join(f"v{i} -> v{(i + 1) % 20_000}" for i in range(20_000))
    with pytest.raises(CyclicGraphError, match=r"v8 -> \.\.\. \(19,991 more\) -> v0\.") as caught:
        read_graph(text)
    assert len(re.findall(r"\bv\d+", str(caught.value))) == 10
    assert len(str(caught.value)) < 300


NAMES = [f"n{i}" for i in range(2_000)]
GROUPS = " -> ".join(f"{{{' '.join(NAMES[i : i + 500])}}}" for i in range(0, 2_000, 500))
OPENED = " -> ".join([f"subgraph s {{{' '.join(NAMES[:700])}}}", *["subgraph s {}"] * 3])
HIDDEN = f"u -> {{{' '.join(NAMES)}}}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{GROUPS} -> {{{' '.join(NAMES[::4])} x}}", "1,000,500"),
        (f"dag {{{GROUPS}; {GROUPS}}}", "1,000,000 edges. Found 1,250,000 up to {n500, n501"),
        (f"digraph {{{GROUPS} -> {GROUPS}}}", "1,000,000 edges. Found 1,250,000 up to {n0, n1"),
        (f"strict digraph {{{GROUPS} -> {GROUPS}}}", "Found 1,250,000"),
        (f"digraph {{{OPENED}}}", "Found 1,470,000 up to {n0, n1"),
        (f"dag {{ u [latent] {HIDDEN} }}", "at most 1,000,000 edges. Found 1,998,000 with u"),
        (f"dag {{ u [latent] v [latent] v -> u {HIDDEN} }}", "which has 2,000 effects"),
    ],
)
def test_a_short_text_of_too_many_edges_is_refused_at_once(text, found):
    start = time.process_time()
    assert found in refused(text)
    assert time.process_time() - start < 1


def chain(n_nodes):
    nodes = [f"v{i}" for i in range(n_nodes)]
    return ADMG(nodes, list(zip(nodes, nodes[1:], strict=False)))


# Each took from seconds to minutes while it was quadratic; now a small part of a second.
@pytest.mark.parametrize(
    "work",
    [
        lambda: read_graph(" -> ".join(f"v{i}" for i in range(20_000))),
        lambda: read_graph("\n".join(f"v{i} -> v{i + 1}" for i in range(20_000))),
        lambda: read_graph(
            "dag {" + " ".join(f"u{i} [latent] u{i} -> v{i}" for i in range(5_000)) + "}"
        ),
        lambda: read_graph(
            [(f"v{i}", f"v{i + 1}") for i in range(20_000)], names=[f"v{i}" for i in range(20_001)]
        ),
        lambda: factorize(chain(20_000)),
        lambda: factorize(chain(20_000), order=chain(20_000).nodes),
        lambda: chain(20_000).districts(),
        lambda: chain(20_000).is_mb_shielded(),
        lambda: ADMG(MANY, bidirected=list(zip(MANY, MANY[1:], strict=False))).is_mb_shielded(),
        lambda: latent_projection(chain(20_000), keep=["v0", "v19999"]),
        lambda: write_graph(chain(20_000), format="gml"),
        lambda: [chain(20_000).district("v5"), m_separated(chain(20_000), "v0", "v5")],
    ],
)
def test_large_sparse_graphs_take_no_time(work):
    start = time.process_time()
    work()
    assert time.process_time() - start < 4
