"""The grammar that DAGitty and DOT share: a heading, then statements in braces."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from causalaug.graphs.io._draft import check_arrow
from causalaug.graphs.io._tokens import Cursor, Token, tokenize

Attributes = Mapping[str, str]

_PATTERN = re.compile(
    r"""(?P<skip>(?m:^)[^\S\n]*\#[^\n]*|//[^\n]*|/\*.*?\*/|[^\S\n]+|\n)
    |(?P<quoted>"(?:[^"\\]|\\.)*")
    |(?P<mark>[<@]-[->@]?|-[->@])
    |(?P<html><(?:[^<>]|<[^<>]*>)*>)
    |(?P<name>-?\.?\d[\w.]*|\w[\w.]*)
    |(?P<sign>[{}\[\];,=:+])""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = ("name", "quoted", "html")


@dataclass(frozen=True)
class Statement:
    """Nodes, or a chain of groups of nodes, with attributes and the defaults around it."""

    terms: tuple[tuple[str, ...], ...]
    arrows: tuple[str, ...]
    attributes: Attributes
    node_defaults: Attributes
    edge_defaults: Attributes
    where: str


def parse(
    text: str, dialect: str, kinds: tuple[str, ...], *, keywords: bool
) -> tuple[list[str], list[Statement]]:
    """Return the nodes in the order of first mention, and the statements.

    The text must hold one graph of one of the `kinds`. DOT has keywords, DAGitty none.
    """
    cursor = Cursor(tokenize(text, _PATTERN, dialect), dialect)
    cursor.accept("strict")
    if not cursor.accept(*kinds):
        raise cursor.error(
            f"{' or '.join(kinds)} and a brace",
            f"Write {kinds[0]} {{ A -> B }}; a graph without directions cannot be used.",
        )
    if cursor.here.kind in _WORDS:
        cursor.take()
    cursor.expect("{")
    block = _Block(cursor, keywords)
    statements = list(block.statements({}, {}))
    if cursor.here.kind != "end":
        raise cursor.error("the end of the text", "A text must hold one graph; split it.")
    return sorted(_named(statements), key=block.place.__getitem__), statements


def _named(statements: list[Statement]) -> tuple[str, ...]:
    """Return the nodes that the statements name, each once."""
    return tuple(dict.fromkeys(v for found in statements for term in found.terms for v in term))


class _Block:
    """A reader of the statements in one pair of braces and in those inside them."""

    def __init__(self, cursor: Cursor, keywords: bool) -> None:
        self.cursor = cursor
        self.keywords = keywords
        self.place: dict[str, int] = {}

    def statements(self, nodes: Attributes, edges: Attributes) -> Iterator[Statement]:
        """Read up to the closing brace; defaults set inside end there."""
        cursor = self.cursor
        while not cursor.accept("}"):
            if cursor.here.kind == "end":
                raise cursor.error("'}'", "Close the brace.")
            if cursor.accept(";", ","):
                continue
            if self.keywords and cursor.at("node", "edge", "graph"):
                target = cursor.take().text.lower()
                found = self.attributes()
                nodes = {**nodes, **found} if target == "node" else nodes
                edges = {**edges, **found} if target == "edge" else edges
            else:
                yield from self.chain(nodes, edges)

    def chain(self, nodes: Attributes, edges: Attributes) -> Iterator[Statement]:
        """Read ``A -> {B C} [key=value]``; statements inside braces come first."""
        cursor, where = self.cursor, self.cursor.where
        inner, term = self.term(nodes, edges)
        yield from inner
        if cursor.accept("="):
            self.word("a value")
            return
        terms, arrows = [term], []
        while cursor.here.kind == "mark":
            mark = cursor.take().text
            inner, term = self.term(nodes, edges)
            yield from inner
            terms.append(term)
            arrows.append(check_arrow(mark, terms[-2], terms[-1], where))
        yield Statement(tuple(terms), tuple(arrows), self.attributes(), nodes, edges, where)

    def term(self, nodes: Attributes, edges: Attributes) -> tuple[list[Statement], tuple[str, ...]]:
        """Read a node, or braces; return the statements inside and the nodes they name."""
        cursor = self.cursor
        if self.keywords and cursor.accept("subgraph") and cursor.here.kind in _WORDS:
            cursor.take()
        if not cursor.accept("{"):
            return [], (self.node(),)
        inner = list(self.statements(nodes, edges))
        return inner, _named(inner)

    def node(self) -> str:
        """Read a name; a port after it only says where a line is drawn."""
        name = self.word("a node name").text
        self.place.setdefault(name, len(self.place))
        while self.cursor.accept(":"):
            self.word("a port")
        return name

    def word(self, wanted: str) -> Token:
        """Read a name or a string; strings may be joined by a plus sign."""
        if self.cursor.here.kind not in _WORDS:
            raise self.cursor.error(wanted, "Quote a name that has spaces or signs.")
        token = self.cursor.take()
        text = token.text
        while token.kind == "quoted" and self.cursor.accept("+"):
            text += self.word("a string").text
        return Token(token.kind, text, token.line)

    def attributes(self) -> dict[str, str]:
        """Read ``[key=value, flag]``, any number of times; a flag has an empty value."""
        found: dict[str, str] = {}
        while self.cursor.accept("["):
            while not self.cursor.accept("]"):
                key = self.word("an attribute").text.lower()
                found[key] = self.word("a value").text if self.cursor.accept("=") else ""
                self.cursor.accept(",", ";")
        return found
