"""The grammar that DAGitty and DOT share: a heading, then statements in braces.

DOT is read as Graphviz reads it. What Graphviz takes apart in a way that nobody means, such as
``x.1``, which is two nodes to it, is refused with the advice to quote.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from causalaug._validation import brief
from causalaug.exceptions import GraphFormatError
from causalaug.graphs._checks import plain
from causalaug.graphs.io._draft import check_arrow, check_size
from causalaug.graphs.io._tokens import Cursor, tokenize, unescape

Attributes = Mapping[str, str]

FLAG = "true"
"""The value of an attribute that is written without one, as in ``[latent]``."""

_PATTERN = re.compile(
    r"""(?P<skip>(?m:^)[^\S\n]*\#[^\n]*|//[^\n]*|/\*.*?\*/|[^\S\n]+|\n)
    |(?P<quoted>"(?:[^"\\]|\\.)*+")
    |(?P<mark>[<@]-[->@]?|-[->@])
    |(?P<html><(?:[^<>]|<[^<>]*>)*+>)
    |(?P<name>(?<![\w"])-\.?[0-9][\w.]*|\.?[0-9][\w.]*|\w[\w.]*)
    |(?P<sign>[{}\[\];,=:+])""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = ("name", "quoted", "html")
_NUMERAL_OR_NAME = re.compile(r"-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)|[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(frozen=True)
class Statement:
    """Nodes, or a chain of groups of nodes, with attributes and the defaults for its edges."""

    terms: tuple[tuple[str, ...], ...]
    arrows: tuple[str, ...]
    attributes: Attributes
    edge_defaults: Attributes
    where: str


@dataclass(frozen=True)
class Parsed:
    """The nodes in the order of first mention, the statements, and whether edges merge.

    With each node come the defaults that held where it was first mentioned.
    """

    nodes: dict[str, Attributes]
    statements: list[Statement]
    strict: bool


@dataclass
class _Scope:
    """What is inside one pair of braces: its nodes, and the defaults that were set there."""

    nodes: dict[str, None] = field(default_factory=dict)
    defaults: dict[str, dict[str, str]] = field(
        default_factory=lambda: {"node": {}, "edge": {}, "graph": {}}
    )
    named: dict[str, "_Scope"] = field(default_factory=dict)


def parse(text: str, dialect: str, kinds: tuple[str, ...], *, keywords: bool) -> Parsed:
    """Read the one graph in a text, of one of the `kinds`. DOT has keywords, DAGitty none."""
    cursor = Cursor(tokenize(text, _PATTERN, dialect, _as_graphviz), dialect)
    strict = cursor.accept("strict")
    if not cursor.accept(*kinds):
        raise cursor.error(
            f"{' or '.join(kinds)} and a brace",
            f"Write {kinds[0]} {{ A -> B }}; a graph without directions cannot be used.",
        )
    if cursor.here.kind in _WORDS:
        cursor.take()
    cursor.expect("{")
    block = _Block(cursor, keywords)
    block.statements(_Scope(), {}, {})
    if cursor.here.kind != "end":
        raise cursor.error("the end of the text", "A text must hold one graph; split it.")
    return Parsed(block.nodes, block.found, strict)


def _as_graphviz(quoted: str) -> str:
    """Return a quoted string as Graphviz holds it: only quotes and line ends are escaped."""

    def read(match: re.Match[str]) -> str:
        return {'"': '"', "\n": "", "\r\n": ""}.get(match.group(1), match.group())

    return re.sub(r"\\(\r\n|.)", read, quoted, flags=re.DOTALL) if "\\" in quoted else quoted


class _Block:
    """A reader of the statements in one pair of braces and in those inside them."""

    def __init__(self, cursor: Cursor, keywords: bool) -> None:
        self.cursor = cursor
        self.keywords = keywords
        self.found: list[Statement] = []
        self.nodes: dict[str, Attributes] = {}
        self.spellings: dict[str, str] = {}
        self.n_edges = 0

    def statements(self, scope: _Scope, nodes: Attributes, edges: Attributes) -> None:
        """Read up to the closing brace; defaults set inside end there."""
        cursor = self.cursor
        with cursor.nested():
            while not cursor.accept("}"):
                if cursor.here.kind == "end":
                    raise cursor.error("'}'", "Close the brace.")
                if cursor.accept(";"):
                    continue
                if self.keywords and cursor.at("node", "edge", "graph"):
                    target = cursor.take().text.lower()
                    if not cursor.at("["):
                        advice = f"Quote {target!r} if it is the name of a node."
                        raise cursor.error("'['", advice)
                    scope.defaults[target].update(self.attributes())
                else:
                    own = scope.defaults
                    self.chain(scope, {**nodes, **own["node"]}, {**edges, **own["edge"]})

    def chain(self, scope: _Scope, nodes: Attributes, edges: Attributes) -> None:
        """Read ``A -> {B C} [key=value]``; statements inside braces come first."""
        cursor, where = self.cursor, self.cursor.where
        braces = cursor.at("{") or (self.keywords and cursor.at("subgraph"))
        n_nodes = len(self.nodes)
        groups, marks = [self.term(scope, nodes, edges)], []
        if not braces and len(groups[0]) == 1 and cursor.accept("="):
            self.word("a value")  # It was a setting of the drawing, and no node.
            if len(self.nodes) > n_nodes:
                self.nodes.popitem()
            return
        while cursor.here.kind == "mark":
            marks.append(cursor.take().text)
            groups.append(self.term(scope, nodes, edges))
        # Not before all is read: a subgraph may have been opened again further on.
        self.n_edges = check_size(self.n_edges, groups, marks, where)
        terms = tuple(map(tuple, groups))
        arrows = map(check_arrow, marks, terms, terms[1:], [where] * len(marks))
        attributes = self.attributes()
        if braces and not marks and attributes:
            raise GraphFormatError(
                f"{where}: attributes must follow a node or an edge. Found {brief(attributes)} "
                f"after braces, which Graphviz ignores. Write them after each node inside."
            )
        scope.nodes.update(dict.fromkeys(v for term in terms for v in term))
        self.found.append(Statement(terms, tuple(arrows), attributes, edges, where))

    def term(self, scope: _Scope, nodes: Attributes, edges: Attributes) -> Collection[str]:
        """Read a node, nodes between commas, or braces; return the nodes."""
        cursor, inner = self.cursor, _Scope()
        if self.keywords and cursor.accept("subgraph"):
            if not cursor.at("{"):
                # A subgraph that is opened again still has its nodes and defaults.
                inner = scope.named.setdefault(self.word("a name or '{'"), inner)
        elif not cursor.at("{"):
            return self.node_list(nodes)
        cursor.expect("{")
        self.statements(inner, nodes, edges)
        return inner.nodes

    def node_list(self, defaults: Attributes) -> tuple[str, ...]:
        """Read a node, or in DOT ``A, B``, which is joined to others as ``{A B}`` is."""
        names = [self.node(defaults)]
        while self.cursor.at(","):
            if not self.keywords:
                raise GraphFormatError(
                    f"{self.cursor.where}: nodes must be separated by spaces or semicolons. Found "
                    f"a comma after {plain(names[-1])}. Write {{A B}} -> C, or A; B -> C."
                )
            self.cursor.take()
            names.append(self.node(defaults))
        return tuple(names)

    def node(self, defaults: Attributes) -> str:
        """Read a name; a port after it only says where a line is drawn."""
        cursor = self.cursor
        token = cursor.here
        if token.kind == "html":
            raise cursor.error("a node name", "A label of HTML is no name; write label=<...>.")
        if self.keywords and token.kind == "name" and not _NUMERAL_OR_NAME.fullmatch(token.text):
            raise cursor.error(
                "a name or a number", "Graphviz would take it apart; quote it if it is one name."
            )
        spelling = self.word("a node name")
        name = unescape(spelling)
        self.nodes.setdefault(name, defaults)
        if self.spellings.setdefault(name, spelling) != spelling:
            raise GraphFormatError(
                f"{cursor.where}: a node must be spelled in one way. Found {brief(spelling)} and "
                f"{brief(self.spellings[name])}, which Graphviz tells apart. Spell both alike."
            )
        for _ in range(2):
            if cursor.accept(":"):
                self.word("a port")
        return name

    def word(self, wanted: str) -> str:
        """Read a name or a string; strings may be joined by a plus sign."""
        cursor = self.cursor
        if cursor.here.kind not in _WORDS:
            raise cursor.error(wanted, "Quote a name that has spaces or signs.")
        token = cursor.take()
        pieces = [token.text]
        while token.kind == "quoted" and cursor.accept("+"):
            if cursor.here.kind != "quoted":
                raise cursor.error("a string in quotes", "Only strings are joined by a plus sign.")
            pieces.append(cursor.take().text)
        return "".join(pieces)

    def attributes(self) -> dict[str, str]:
        """Read ``[key=value, flag]``, any number of times."""
        found: dict[str, str] = {}
        while self.cursor.accept("["):
            while not self.cursor.accept("]"):
                key = self.word("an attribute")
                found[key] = self.word("a value") if self.cursor.accept("=") else FLAG
                self.cursor.accept(",", ";")
        return found
