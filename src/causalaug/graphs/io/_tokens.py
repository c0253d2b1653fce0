"""Text in small pieces: tokens that know their line, and a cursor that walks over them."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from causalaug._validation import brief
from causalaug.exceptions import GraphFormatError

MOST_NESTED = 64
"""How deep brackets may be nested: far beyond any graph, far below Python's own limit."""

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {"\\\\": "\\", '\\"': '"', "\\'": "'", "\\n": "\n", "\\r": "\r"}


class Token(NamedTuple):
    """A piece of text: what it is, what it says, where it stands."""

    kind: str
    text: str
    line: int


def unescape(text: str) -> str:
    """Return the text with its escapes resolved; a backslash before other signs stays."""
    return re.sub(r"\\.", lambda m: _UNESCAPES.get(m.group(), m.group()), text, flags=re.S)


def tokenize(
    text: str,
    pattern: re.Pattern[str],
    dialect: str,
    unescape: Callable[[str], str] = unescape,
) -> list[Token]:
    """Return the tokens of a text; groups of the pattern are kinds, ``skip`` is left out.

    A token of kind ``quoted`` holds what stands between the quotes, as `unescape` reads it.
    """
    tokens, position, line = list[Token](), 0, 1
    while position < len(text):
        match = pattern.match(text, position)
        if match is None:
            rest = text[position : position + 30].partition("\n")[0]
            advice = 'Names with spaces or signs need quotes: "blood pressure".'
            if rest[:1] in ('"', "'"):
                advice = "The quote is not closed; close it on the same line."
            raise GraphFormatError(f"{dialect}, line {line}: cannot read {rest!r}. {advice}")
        piece, kind = match.group(), str(match.lastgroup)
        if kind == "quoted":
            tokens.append(Token(kind, unescape(piece[1:-1]), line))
        elif kind != "skip":
            tokens.append(Token(kind, piece, line))
        position, line = match.end(), line + piece.count("\n")
    return tokens


def quote_unless_plain(name: str, keywords: frozenset[str] = frozenset()) -> str:
    """Return a name, in quotes unless it is a plain ASCII word that means nothing else."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name.lower() not in keywords:
        return name
    return '"' + re.sub(r'[\\"\n\r]', lambda m: _ESCAPES[m.group()], name) + '"'


class Cursor:
    """A place in a list of tokens."""

    def __init__(self, tokens: list[Token], dialect: str) -> None:
        self.dialect = dialect
        last_line = tokens[-1].line if tokens else 1
        self._tokens = [*tokens, Token("end", "the end of the text", last_line)]
        self._index = 0
        self._depth = 0

    @property
    def here(self) -> Token:
        """The token under the cursor; past the last one, a token of kind ``end``."""
        return self._tokens[self._index]

    @property
    def where(self) -> str:
        """The place of the cursor in words."""
        return f"{self.dialect}, line {self.here.line}"

    def take(self) -> Token:
        """Return the token under the cursor and go on; the end stays under the cursor."""
        token = self.here
        self._index = min(self._index + 1, len(self._tokens) - 1)
        return token

    def at(self, *texts: str) -> bool:
        """Return whether the cursor stands on one of these signs or unquoted words."""
        kind, text, _ = self._tokens[self._index]
        return kind != "quoted" and kind != "end" and text.lower() in texts

    def accept(self, *texts: str) -> bool:
        """Go on if the cursor stands on one of these texts; return whether it did."""
        found = self.at(*texts)
        if found:
            self.take()
        return found

    def skip(self, *texts: str) -> None:
        """Go on as long as the cursor stands on one of these texts."""
        while self.accept(*texts):
            pass

    def expect(self, text: str) -> None:
        """Go on, or raise unless the cursor stands on this text."""
        if not self.accept(text):
            raise self.error(f"{text!r}", f"Write {text!r} before it.")

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Count the brackets that are open; too many inside each other are an error."""
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise GraphFormatError(
                f"{self.where}: brackets must be nested at most {MOST_NESTED} deep. "
                "Found deeper ones. Write the nodes and edges side by side."
            )
        yield
        self._depth -= 1

    def error(self, wanted: str, advice: str) -> GraphFormatError:
        """Return the error for a token that does not belong here."""
        found = self.here.text if self.here.kind == "end" else brief(self.here.text)
        return GraphFormatError(f"{self.where}: expected {wanted}, found {found}. {advice}")
