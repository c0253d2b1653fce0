"""GML text: ``graph [ directed 1 node [ id 0 label "A" ] ... ]``, read by networkx.

What networkx reads otherwise than it was meant is refused before: it knows lower-case keys only,
takes strings that go on in another line for one with the lines between, and ``directed 0 directed
1``, or ``directed "0"``, for a directed graph.
Two edges between the same two nodes need ``multigraph 1``, as networkx writes it.
"""

import re
from collections import Counter

from causalaug._validation import brief
from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG, believed_edges
from causalaug.graphs._edges import number as as_text
from causalaug.graphs.io._draft import DRAWN_BY, Draft
from causalaug.graphs.io._libraries import read_networkx

_STRUCTURE = {"graph", "directed", "multigraph", "node", "edge", "id", "label", "source", "target"}
_MARKS = {"latent", "unobserved", "observed", "label", "bidirected", "type", "kind", "edge_type"}
_MARKS |= {"mark", "belief", *DRAWN_BY}
"""Keys that bear on the meaning of a node or an edge, so that they must have one value."""


def read_gml(text: str) -> Draft:
    """Read a directed graph; a node is called by its label, or without one by its id."""
    import networkx as nx

    lines = text.splitlines()
    _check_lines(lines)
    try:
        graph = nx.parse_gml(lines, label=None)
    except Exception as error:
        # Text that is no GML makes networkx fail in many ways: a missing key, a list for a number.
        raise _refusal(f"one that networkx cannot read: {str(error)[:200]}") from error
    entries = [data for _, data in graph.nodes(data=True)]
    entries += [data for _, _, data in graph.edges(data=True)]
    for key, value in ((key, value) for data in entries for key, value in data.items()):
        if key.lower() in _MARKS and isinstance(value, list | dict) and value:
            raise _refusal(f"the key {key!r} twice or with a list: {brief(value)}")
    # networkx takes the strings "[]" and "()" for an empty list and an empty tuple.
    names = {node: str(data.get("label", node)) for node, data in graph.nodes(data=True)}
    name, n_nodes = Counter(names.values()).most_common(1)[0] if names else ("", 0)
    if n_nodes > 1:
        raise _refusal(f"the label {brief(name)} of {n_nodes} nodes")
    return read_networkx(nx.relabel_nodes(graph, names), None, "GML text")


def _check_lines(lines: list[str]) -> None:
    """Raise unless networkx takes the text as it is meant."""
    for number, line in enumerate(lines, 1):
        if line.count('"') % 2:
            raise _refusal(f"a quote that is not closed on line {number}, {brief(line)}")
    bare = "\n".join(re.sub(r'"[^"]*"|#.*', '""', line) for line in lines)
    for key in re.findall(r"[A-Za-z]\w*", bare):
        if key != key.lower() and key.lower() in _STRUCTURE:
            raise _refusal(f"the key {key!r}, which must be written {key.lower()}")
    # A key without a value would take the bracket for one, and 1e5 would be 1 and the key e5.
    torn = re.search(r"\b(?:id|label|source|target)\s*[][]|(?<![\w.])[0-9]+[A-Za-z_]\w*", bare)
    if torn:
        raise _refusal(f"{brief(torn.group())}, a key without a value or a number in a word")
    if re.findall(r"\bdirected\s+([^\s\]]+)", bare) != ["1"]:
        raise GraphFormatError(
            "GML text must say once that its graph is directed. Found no single 'directed 1'. "
            "Write graph [ directed 1 ... ] if every edge runs from source to target."
        )


def _refusal(found: str) -> GraphFormatError:
    return GraphFormatError(
        "GML text must hold one graph, its keys in lower case, with nodes of different ids and "
        f"labels, and one value for each key. Found {found}. Correct it."
    )


def write_gml(graph: ADMG) -> str:
    """Write the nodes, numbered from 0, then the edges; a mark makes an edge bidirected."""
    number = {node: i for i, node in enumerate(graph.nodes)}
    joined = {frozenset(edge) for edge in graph.directed}
    parallel = any(frozenset(pair) in joined for pair in graph.bidirected)
    lines = ["  directed 1", *(["  multigraph 1"] if parallel else [])]
    lines += [f'  node [ id {i} label "{_escape(v)}" ]' for v, i in number.items()]
    for a, arrow, b, belief in believed_edges(graph):
        marks = " bidirected 1" if arrow == "<->" else ""
        marks += "" if belief is None else f' belief "{as_text(belief)}"'
        lines.append(f"  edge [ source {number[a]} target {number[b]}{marks} ]")
    return "\n".join(["graph [", *lines, "]"]) + "\n"


def _escape(name: str) -> str:
    return re.sub(r'[^ -~]|[&"]', lambda m: f"&#{ord(m.group())};", name)
