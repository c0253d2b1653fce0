"""An order as text: ``age, sex < smoking < tar, cancer``. It is part of the arrow notation."""

from collections.abc import Sequence

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._shorten import shown
from causalaug.graphs._tiers import order_graph
from causalaug.graphs.io._draft import Draft
from causalaug.graphs.io._tokens import Cursor, Token

BEFORE = "<"
_WAY_OUT = "Write 'age, sex < smoking < tar', with quotes around names with spaces."


def is_order(tokens: Sequence[Token]) -> bool:
    """Return whether a text of the arrow notation holds a sign that puts one before another."""
    return any(token.kind == "mark" and token.text == BEFORE for token in tokens)


def read_order(tokens: Sequence[Token], dialect: str) -> Draft:
    """Read the one order in a text: names with commas between, tiers with ``<`` between."""
    # An order may be broken into lines anywhere.
    cursor = Cursor([token for token in tokens if not _is_line_end(token)], dialect)
    groups: list[list[str]] = [[]]
    tier_of: dict[str, int] = {}
    while True:
        groups[-1].append(_name(cursor, tier_of, len(groups), is_first=not groups[-1]))
        if cursor.accept(BEFORE):
            groups.append([])
        elif not cursor.accept(","):
            break
    if cursor.here.kind != "end":
        raise _misplaced(cursor, "a comma, < or the end of the text")
    graph = order_graph(groups)
    return Draft(dict.fromkeys(graph.nodes), list(graph.directed), list(graph.bidirected))


def _is_line_end(token: Token) -> bool:
    return token.kind == "sign" and token.text == "\n"


def _name(cursor: Cursor, tier_of: dict[str, int], tier: int, *, is_first: bool) -> str:
    """Return the name under the cursor, and note its tier; no other may hold it."""
    token = cursor.here
    if token.kind not in ("name", "quoted"):
        is_empty = is_first and (token.kind == "end" or token.text == BEFORE)
        raise _misplaced(cursor, "a name in every tier" if is_empty else "the name of a variable")
    if token.text in tier_of:
        raise GraphFormatError(
            f"{cursor.where}: an order must name each variable once. Found {shown(token.text)} in "
            f"tier {tier} and before that in tier {tier_of[token.text]}. Remove one."
        )
    tier_of[token.text] = tier
    return cursor.take().text


def _misplaced(cursor: Cursor, wanted: str) -> GraphFormatError:
    """Return the error for a sign that an order has no place for."""
    if cursor.here.kind == "mark" and cursor.here.text != BEFORE:
        return GraphFormatError(
            f"{cursor.where}: a text must hold an order or edges. Found the arrow "
            f"{shown(cursor.here.text)} beside <. Write the edges alone, or the order alone: in "
            "it a variable may depend on all before it."
        )
    return cursor.error(wanted, _WAY_OUT)
