"""GML text: ``graph [ directed 1 node [ id 0 label "A" ] ... ]``."""

import re
from collections.abc import Iterator, Mapping
from html.entities import name2codepoint
from typing import TypeAlias, Union

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG
from causalaug.graphs._beliefs import number as as_text
from causalaug.graphs._editing import as_triples
from causalaug.graphs._shorten import plain, shown
from causalaug.graphs.io._draft import Draft, belief_in, is_latent
from causalaug.graphs.io._drawn_edges import DRAWN_BY, drawn_arrow
from causalaug.graphs.io._tokens import Cursor, Token, tokenize

Pairs: TypeAlias = list[tuple[str, Union[str, "Pairs"]]]

_DIALECT = "GML text"
_PATTERN = re.compile(
    r"""(?P<skip>\#[^\n]*|[^\S\n]+|\n)
    |(?P<string>"[^"]*")
    |(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<key>[A-Za-z_]\w*)
    |(?P<sign>[\[\]])""",
    re.VERBOSE,
)
_ENTITIES = {**name2codepoint, "apos": ord("'")}
_ENTITY = re.compile(r"&(?:#([0-9]+)|#[xX]([0-9A-Fa-f]+)|([A-Za-z][0-9A-Za-z]*));")
_LARGEST = 0x10FFFF
# A key that bears on the meaning must not be there twice, nor hold a list.
_NODE_KEYS = frozenset({"id", "label", "latent", "unobserved", "observed"})
_EDGE_KEYS = frozenset(
    {"source", "target", "bidirected", "type", "kind", "edge_type", "mark", "belief", *DRAWN_BY}
)
_GRAPH_KEYS = frozenset({"directed"})


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
    if _plain(graphs[0], _GRAPH_KEYS, "graph").get("directed") != "1":
        raise GraphFormatError(
            f"{_DIALECT} must say that its graph is directed. Found no 'directed 1'. "
            "Write graph [ directed 1 ... ] if every edge runs from source to target."
        )
    return _draft(graphs[0])


def _draft(graph: Pairs) -> Draft:
    """Return the nodes and edges of the one graph."""
    draft, names = Draft(), dict[str, str]()
    for pairs in _lists(graph, "node"):
        node = _plain(pairs, _NODE_KEYS, "node")
        key = _required(node, "id", "node")
        name = node.get("label", key)
        key = _number(key)
        if key in names or name in draft.nodes:
            raise GraphFormatError(
                f"{_DIALECT}: nodes must have different ids and labels. "
                f"Found id {plain(key)}, label {shown(name)} again. Rename one."
            )
        names[key] = name
        draft.add_node(name, latent=is_latent(node))
    for pairs in _lists(graph, "edge"):
        edge = _plain(pairs, _EDGE_KEYS, "edge")
        ends = [_number(_required(edge, side, "edge")) for side in ("source", "target")]
        unknown = [end for end in ends if end not in names]
        if unknown:
            raise GraphFormatError(
                f"{_DIALECT}: an edge must join ids of nodes. Found {plain(ends[0])} -> "
                f"{plain(ends[1])}, where no node has id {plain(unknown[0])}. "
                "Add the node, or correct the edge."
            )
        left, right = (names[end] for end in ends)
        arrow = drawn_arrow(edge, [left], [right], _DIALECT, draft.latent)
        draft.add_edge(left, arrow, right, belief_in(edge, _DIALECT))
    return draft


def _required(entry: Mapping[str, str], key: str, what: str) -> str:
    """Return the value of a key that each entry must have."""
    if key not in entry:
        raise GraphFormatError(
            f"{_DIALECT}: every {what} must have the key {key!r}. Found {shown(dict(entry))}. "
            "Add it."
        )
    return entry[key]


def _lists(pairs: Pairs, key: str) -> Iterator[Pairs]:
    return (value for name, value in pairs if name == key and not isinstance(value, str))


def _plain(pairs: Pairs, keys: frozenset[str], what: str) -> dict[str, str]:
    """Return the values that are no lists, or raise if one of the `keys` is not one value."""
    found: dict[str, str] = {}
    for key, value in pairs:
        if key in keys and (key in found or not isinstance(value, str)):
            problem = "twice" if key in found else "with a list"
            raise GraphFormatError(
                f"{_DIALECT}: a {what} must have the key {key!r} once, with one value. Found it "
                f"{problem} in {shown(pairs)}. Keep one value."
            )
        if isinstance(value, str):
            found[key] = value
    return found


def _number(text: str) -> str:
    """Return an id in one spelling: 1, 01 and +1 are one number, whatever its length."""
    match = re.fullmatch(r"([+-]?)0*([0-9]+)", text)
    if match is None:
        return text
    sign, digits = match.groups()
    return f"-{digits}" if sign == "-" and digits != "0" else digits


def _read_pairs(cursor: Cursor) -> Pairs:
    """Read keys and values up to a closing bracket or the end."""
    pairs: Pairs = []
    while cursor.here.kind == "key":
        key = cursor.take().text.lower()
        if cursor.accept("["):
            cursor.open()
            pairs.append((key, _read_pairs(cursor)))
            cursor.expect("]")
            cursor.close()
        elif cursor.here.kind in ("string", "number", "key"):
            value = cursor.take()
            pairs.append((key, _unescape(value) if value.kind == "string" else value.text))
        else:
            raise cursor.error(
                "a value", f"Write a number, a string or [ ... ] after {plain(key)}."
            )
    return pairs


def _unescape(token: Token) -> str:
    """Return what stands between the quotes, with its entities resolved.

    An entity that no table knows, or a number beyond all characters, is left as it is. Two
    halves of a surrogate pair become the character that they mean; half of one is an error.
    """
    text = _ENTITY.sub(_character, token.text[1:-1])
    if text.isascii():
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise GraphFormatError(
            f"{_DIALECT}, line {token.line}: a text must hold whole characters. Found half of a "
            f"surrogate pair in {shown(text)}. Write the character itself, or its one number."
        ) from None


def _character(match: re.Match[str]) -> str:
    """Return what an entity stands for."""
    decimal, hexadecimal, name = match.groups()
    if name:
        return chr(_ENTITIES[name]) if name in _ENTITIES else match.group()
    digits = (decimal or hexadecimal).lstrip("0") or "0"
    # Python refuses to convert thousands of digits, and no character has more than seven.
    code = int(digits, 10 if decimal else 16) if len(digits) <= 7 else _LARGEST + 1
    return chr(code) if code <= _LARGEST else match.group()


def _escape(name: str) -> str:
    return re.sub(r'[^ -~]|[&"]', lambda m: f"&#{ord(m.group())};", name)


def write_gml(graph: ADMG) -> str:
    """Write the nodes, numbered from 0, then the edges; a mark makes an edge bidirected."""
    number = {node: i for i, node in enumerate(graph.nodes)}
    joined = {frozenset(edge) for edge in graph.directed}
    parallel = any(frozenset(pair) in joined for pair in graph.bidirected)
    lines = ["  directed 1", *(["  multigraph 1"] if parallel else [])]
    lines += [f'  node [ id {i} label "{_escape(v)}" ]' for v, i in number.items()]
    for a, arrow, b in as_triples(graph.directed, graph.bidirected):
        belief = graph.beliefs.get((a, arrow, b))
        marks = ["bidirected 1"] if arrow == "<->" else []
        marks += [] if belief is None else [f'belief "{as_text(belief)}"']
        ends = f"source {number[a]} target {number[b]}"
        lines.append(f"  edge [ {' '.join([ends, *marks])} ]")
    return "\n".join(["graph [", *lines, "]"]) + "\n"
