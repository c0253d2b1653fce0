"""Arrow text, causalaug's own notation: ``X1 <- Y -> X2; A <-> B``, or an order, ``A, B < C``."""

import re
from collections.abc import Sequence

from causalaug._validation import brief
from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG, believed_edges
from causalaug.graphs._edges import in_brackets, number
from causalaug.graphs._tiers import order_graph
from causalaug.graphs.io._draft import Draft, as_belief, check_arrow
from causalaug.graphs.io._tokens import Cursor, Token, quote_unless_plain, tokenize

_DIALECT = "Arrow text"
_PATTERN = re.compile(
    r"""(?P<skip>[^\S\n]+|\#[^\n]*)
    |(?P<quoted>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')
    |(?P<mark>(?<!\S)o[<>=~-]+o?(?!\S)|[<>=~-]+(?:o(?!\S))?|[→←↔])
    |(?P<belief>\[[^\[\]\n]*\])
    |(?P<name>[^\s"'{}\[\];,\#<>=~→←↔-]+)
    |(?P<sign>[{};,\n])""",
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(r"\w")


def read_arrows(text: str) -> Draft:
    """Read statements, one per line or separated by semicolons or commas; or one order."""
    tokens = tokenize(text, _PATTERN, _DIALECT)
    if any(token.kind == "mark" and token.text == "<" for token in tokens):
        return _read_order(tokens)
    cursor = Cursor(tokens, _DIALECT)
    draft = Draft()
    while cursor.here.kind != "end":
        if not cursor.accept(";", "\n"):
            _read_list(cursor, draft)
    return draft


def _read_list(cursor: Cursor, draft: Draft) -> None:
    """Read statements between commas: all of them names, or all of them with arrows."""
    where = cursor.where
    lengths = {_read_chain(cursor, draft)}
    while cursor.accept(","):
        cursor.skip("\n")
        lengths.add(_read_chain(cursor, draft))
    if not cursor.at(";", "\n") and cursor.here.kind != "end":
        raise cursor.error(
            "an arrow or the end of the statement",
            'Write ;, or quotes around a name with spaces: "blood pressure".',
        )
    if len(lengths) > 1 and 1 in lengths:
        raise GraphFormatError(
            f"{where}: a comma must not stand between a lone name and an arrow, since "
            "A, B -> C could mean two things. Write {A, B} -> C, or A; B -> C."
        )


def _read_chain(cursor: Cursor, draft: Draft) -> int:
    """Read ``A -> {B, C} [0.7] <- D`` and return the number of its terms."""
    terms, arrows, beliefs = [_read_term(cursor)], [], list[float | None]()
    while cursor.here.kind == "mark":
        where, mark = cursor.where, cursor.take().text
        cursor.skip("\n")
        terms.append(_read_term(cursor))
        arrows.append(check_arrow(mark, terms[-2], terms[-1], where))
        where, is_believed = cursor.where, cursor.here.kind == "belief"
        beliefs.append(as_belief(cursor.take().text[1:-1].strip(), where) if is_believed else None)
    if len(beliefs) > 1 and beliefs[-1] is not None and None in beliefs:
        raise GraphFormatError(
            f"{cursor.where}: a belief must not stand for one arrow or for all of them. Found "
            f"{number(beliefs[-1])} behind {len(beliefs)} arrows. Write A -> B [0.7] -> C [0.7]."
        )
    draft.add_chain(terms, arrows, beliefs)
    return len(terms)


def _read_term(cursor: Cursor) -> tuple[str, ...]:
    """Read one name, or a group of names in braces."""
    grouped = cursor.accept("{")
    names: list[str] = []
    while cursor.here.kind in ("name", "quoted") and (grouped or not names):
        names.append(_checked(cursor.here, cursor))
        cursor.take()
        if grouped:
            cursor.skip(",", ";", "\n")
    if not names:
        raise cursor.error("a node name", "Write a name, or {A, B} for several.")
    if grouped:
        cursor.expect("}")
    return tuple(names)


def _checked(token: Token, cursor: Cursor) -> str:
    """Return the name in a token, or raise if it looks like a sign of another notation.

    ``{'effect': 'cause'}`` would otherwise be a group of three nodes, one of them ``:``.
    """
    if token.kind == "name" and (token.text.endswith(":") or not _WORD.search(token.text)):
        raise GraphFormatError(
            f"{cursor.where}: a name without quotes must hold a letter or digit and not end with "
            f"a colon. Found {brief(token.text)}. Quote it, or pass a dictionary as it is."
        )
    return token.text


def _read_order(tokens: Sequence[Token]) -> Draft:
    """Read the one order in a text: names with commas between, tiers with ``<`` between."""
    # An order may be broken into lines anywhere.
    cursor = Cursor([t for t in tokens if t.kind != "sign" or t.text != "\n"], _DIALECT)
    groups: list[list[str]] = [[]]
    tier_of: dict[str, int] = {}
    while True:
        token = cursor.here
        if token.kind not in ("name", "quoted"):
            is_empty = not groups[-1] and (token.kind == "end" or token.text == "<")
            wanted = "a name in every tier" if is_empty else "the name of a variable"
            raise _misplaced(cursor, wanted)
        if token.text in tier_of:
            raise GraphFormatError(
                f"{cursor.where}: an order must name each variable once. Found {brief(token.text)} "
                f"in tier {len(groups)} and before that in tier {tier_of[token.text]}. Remove one."
            )
        tier_of[token.text] = len(groups)
        groups[-1].append(cursor.take().text)
        if cursor.accept("<"):
            groups.append([])
        elif not cursor.accept(","):
            break
    if cursor.here.kind != "end":
        raise _misplaced(cursor, "a comma, < or the end of the text")
    return Draft.of(order_graph(groups))


def _misplaced(cursor: Cursor, wanted: str) -> GraphFormatError:
    """Return the error for a sign that an order has no place for."""
    if cursor.here.kind == "mark" and cursor.here.text != "<":
        return GraphFormatError(
            f"{cursor.where}: a text must hold an order or edges. Found the arrow "
            f"{brief(cursor.here.text)} beside <. Write the edges alone, or the order alone: in "
            "it a variable may depend on all before it."
        )
    return cursor.error(
        wanted, "Write 'age, sex < smoking < tar', with quotes around names with spaces."
    )


def write_arrows(graph: ADMG) -> str:
    """Write the nodes, then one edge per line."""

    def name(node: str) -> str:
        return quote_unless_plain(node, frozenset({"o"}))

    lines = ["; ".join(map(name, graph.nodes))]
    lines += [
        f"{name(a)} {arrow} {name(b)}{in_brackets(belief)}"
        for a, arrow, b, belief in believed_edges(graph)
    ]
    return "\n".join(lines) + "\n"
