"""Arrow text, causalaug's own notation: ``X1 <- Y -> X2; A <-> B``, or an order, ``A < B``."""

import re
from collections.abc import Sequence

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG
from causalaug.graphs._beliefs import in_brackets, number
from causalaug.graphs._editing import as_triples
from causalaug.graphs._shorten import shown
from causalaug.graphs.io._draft import Draft, as_belief, check_arrow
from causalaug.graphs.io._order import is_order, read_order
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
    if is_order(tokens):
        return read_order(tokens, _DIALECT)
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
        _skip_lines(cursor)
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
    """Read ``A -> {B, C} <- D`` and return the number of its terms."""
    terms, arrows, beliefs = [_read_term(cursor)], [], list[float | None]()
    while cursor.here.kind == "mark":
        where, mark = cursor.where, cursor.take().text
        _skip_lines(cursor)
        terms.append(_read_term(cursor))
        arrows.append(check_arrow(mark, terms[-2], terms[-1], where))
        beliefs.append(_read_belief(cursor))
    _check_beliefs(beliefs, cursor)
    draft.add_chain(terms, arrows, beliefs)
    return len(terms)


def _read_belief(cursor: Cursor) -> float | None:
    """Read ``[0.7]``, the belief in the arrow before it; None if there is none."""
    if cursor.here.kind != "belief":
        return None
    where = cursor.where
    return as_belief(cursor.take().text[1:-1].strip(), where)


def _check_beliefs(beliefs: Sequence[float | None], cursor: Cursor) -> None:
    """Raise if a belief could mean one arrow of a chain, or all of them."""
    if len(beliefs) > 1 and beliefs[-1] is not None and None in beliefs:
        raise GraphFormatError(
            f"{cursor.where}: a belief at the end of a chain must not stand for one arrow or for "
            f"all of them. Found {number(beliefs[-1])} behind {len(beliefs)} arrows. Write a "
            "belief behind each, A -> B [0.7] -> C [0.7], or the edges one by one."
        )


def _read_term(cursor: Cursor) -> tuple[str, ...]:
    """Read one name, or a group of names in braces."""
    grouped = cursor.accept("{")
    names: list[str] = []
    while cursor.here.kind in ("name", "quoted") and (grouped or not names):
        names.append(_checked(cursor.here, cursor))
        cursor.take()
        while grouped and cursor.accept(",", ";", "\n"):
            pass
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
            f"a colon. Found {shown(token.text)}. Quote it if it is a name; a dictionary of "
            "parents is passed as it is: read_graph({'effect': ['cause']})."
        )
    return token.text


def _skip_lines(cursor: Cursor) -> None:
    while cursor.accept("\n"):
        pass


def write_arrows(graph: ADMG) -> str:
    """Write the nodes, then one edge per line."""

    def name(node: str) -> str:
        return quote_unless_plain(node, frozenset({"o"}))

    lines = ["; ".join(map(name, graph.nodes))]
    lines += [
        f"{name(a)} {arrow} {name(b)}{in_brackets(graph.beliefs.get((a, arrow, b)))}"
        for a, arrow, b in as_triples(graph.directed, graph.bidirected)
    ]
    return "\n".join(lines) + "\n"
