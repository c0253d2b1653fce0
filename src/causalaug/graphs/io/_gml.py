"""GML text: ``graph [ directed 1 node [ id 0 label "A" ] ... ]``."""

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias, Union

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG
from causalaug.graphs.io._draft import Draft, is_bidirected, is_latent
from causalaug.graphs.io._tokens import Cursor, tokenize

Pairs: TypeAlias = list[tuple[str, Union[str, "Pairs"]]]

_DIALECT = "GML text"
_PATTERN = re.compile(
    r"""(?P<skip>(?m:^)[^\S\n]*\#[^\n]*|[^\S\n]+|\n)
    |(?P<string>"[^"]*")
    |(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<key>[A-Za-z_]\w*)
    |(?P<sign>[\[\]])""",
    re.VERBOSE,
)
_ENTITIES = {"quot": '"', "amp": "&", "lt": "<", "gt": ">", "apos": "'"}


def read_gml(text: str) -> Draft:
    """Read a directed graph; a node is called by its label, or without one by its id."""
    cursor = Cursor(tokenize(text, _PATTERN, _DIALECT), _DIALECT)
    content = _read_pairs(cursor)
    if cursor.here.kind != "end":
        raise cursor.error("the end of the text", "Remove it, or open a bracket before.")
    graphs = list(_lists(content, "graph"))
    if len(graphs) != 1:
        raise GraphFormatError(
            f"{_DIALECT} must hold one graph. Found {len(graphs)}. Write graph [ ... ]."
        )
    if _plain(graphs[0]).get("directed") != "1":
        raise GraphFormatError(
            f"{_DIALECT} must say that its graph is directed. Found no 'directed 1'. "
            "Write graph [ directed 1 ... ] if every edge runs from source to target."
        )
    return _draft(graphs[0])


def _draft(graph: Pairs) -> Draft:
    """Return the nodes and edges of the one graph."""
    draft, names = Draft(), dict[str, str]()
    for node in map(_plain, _lists(graph, "node")):
        key = _required(node, "id", "node")
        name = node.get("label", key)
        if key in names or name in draft.nodes:
            raise GraphFormatError(
                f"{_DIALECT}: nodes must have different ids and labels. "
                f"Found id {key}, label {name!r} again. Rename one."
            )
        names[key] = name
        draft.add_node(name, latent=is_latent(node))
    for edge in map(_plain, _lists(graph, "edge")):
        ends = [_required(edge, side, "edge") for side in ("source", "target")]
        unknown = [end for end in ends if end not in names]
        if unknown:
            raise GraphFormatError(
                f"{_DIALECT}: an edge must join ids of nodes. Found {' -> '.join(ends)}, "
                f"where no node has id {unknown[0]}. Add the node, or correct the edge."
            )
        draft.add_edge(names[ends[0]], "<->" if is_bidirected(edge) else "->", names[ends[1]])
    return draft


def _required(entry: Mapping[str, str], key: str, what: str) -> str:
    """Return the value of a key that each entry must have."""
    if key not in entry:
        raise GraphFormatError(
            f"{_DIALECT}: every {what} must have the key {key!r}. Found {dict(entry)}. Add it."
        )
    return entry[key]


def _lists(pairs: Pairs, key: str) -> Iterator[Pairs]:
    return (value for name, value in pairs if name == key and not isinstance(value, str))


def _plain(pairs: Pairs) -> dict[str, str]:
    return {name: value for name, value in pairs if isinstance(value, str)}


def _read_pairs(cursor: Cursor) -> Pairs:
    """Read keys and values up to a closing bracket or the end."""
    pairs: Pairs = []
    while cursor.here.kind == "key":
        key = cursor.take().text.lower()
        if cursor.accept("["):
            pairs.append((key, _read_pairs(cursor)))
            cursor.expect("]")
        elif cursor.here.kind in ("string", "number", "key"):
            value = cursor.take()
            pairs.append((key, _unescape(value.text) if value.kind == "string" else value.text))
        else:
            raise cursor.error("a value", f"Write a number, a string or [ ... ] after {key}.")
    return pairs


def _unescape(quoted: str) -> str:
    """Return what stands between the quotes, with its entities resolved."""

    def character(match: re.Match[str]) -> str:
        number, entity = match.groups()
        if entity:
            return _ENTITIES[entity]
        return chr(int(number)) if int(number) <= 0x10FFFF else match.group()

    return re.sub(r"&(?:#(\d+)|(quot|amp|lt|gt|apos));", character, quoted[1:-1])


def _escape(name: str) -> str:
    return re.sub(r'[^ -~]|[&"]', lambda m: f"&#{ord(m.group())};", name)


def write_gml(graph: ADMG) -> str:
    """Write the nodes, numbered from 0, then the edges; a mark makes an edge bidirected."""
    number = {node: i for i, node in enumerate(graph.nodes)}
    parallel = any(
        pair in graph.directed or pair[::-1] in graph.directed for pair in graph.bidirected
    )
    lines = ["  directed 1", *(["  multigraph 1"] if parallel else [])]
    lines += [f'  node [ id {i} label "{_escape(v)}" ]' for v, i in number.items()]
    lines += [f"  edge [ source {number[a]} target {number[b]} ]" for a, b in graph.directed]
    lines += [
        f"  edge [ source {number[a]} target {number[b]} bidirected 1 ]"
        for a, b in graph.bidirected
    ]
    return "\n".join(["graph [", *lines, "]"]) + "\n"
