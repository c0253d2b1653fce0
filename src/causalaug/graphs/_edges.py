"""Edges as they are drawn: beliefs in them, and the difference of two graphs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

from causalaug._validation import brief, is_share
from causalaug.exceptions import GraphError
from causalaug.graphs._checks import Edge, plain

Triple = tuple[str, str, str]
"""An edge as it is drawn: a node, an arrow, a node. `read_graph` reads lists of them."""

Beliefs: TypeAlias = Mapping[Edge, float] | Mapping[Triple, float] | Mapping[Edge | Triple, float]
"""Edges as pairs (cause, effect) or as they are drawn, each with the belief in it."""


def as_triples(directed: Iterable[Edge], bidirected: Iterable[Edge]) -> tuple[Triple, ...]:
    """Return edges as they are drawn.

    >>> as_triples([("A", "B")], [("B", "C")])
    (('A', '->', 'B'), ('B', '<->', 'C'))
    """
    arrows = [(a, "->", b) for a, b in directed]
    return (*arrows, *((a, "<->", b) for a, b in bidirected))


def as_triple(edge: Any) -> Triple:
    """Return a pair (cause, effect), or an edge as it is drawn, as it is drawn; or raise.

    >>> as_triple(("A", "B")), as_triple(("A", "<-", "B"))
    (('A', '->', 'B'), ('B', '->', 'A'))
    """
    parts = tuple(edge) if isinstance(edge, list | tuple) else ()
    parts = (parts[0], "->", parts[1]) if len(parts) == 2 else parts
    is_edge = len(parts) == 3 and all(isinstance(part, str) for part in parts)
    if not is_edge or parts[1] not in ("->", "<-", "<->"):
        raise GraphError(
            "An edge must be a pair (cause, effect) or a triple (node, arrow, node) with one of "
            f"the arrows ->, <-, <->. Found {brief(edge)}. Write ('A', 'B') or ('A', '<->', 'B')."
        )
    left, arrow, right = parts
    return (right, "->", left) if arrow == "<-" else (left, arrow, right)


def check_beliefs(beliefs: Any, edges: Sequence[Triple]) -> dict[Triple, float]:
    """Return beliefs in the order of the edges, or raise unless each is a share of an edge.

    >>> check_beliefs({("B", "<->", "A"): 0.5}, [("A", "->", "B"), ("A", "<->", "B")])
    {('A', '<->', 'B'): 0.5}
    """
    if not isinstance(beliefs, Mapping):
        raise GraphError(
            f"Beliefs must be a dictionary from edges to numbers. Found {brief(beliefs)}. Write "
            "beliefs={('A', 'B'): 0.7}."
        )
    stated: dict[Triple, float] = {}
    for key, belief in beliefs.items():
        edge = as_triple(key)
        if not is_share(belief):
            raise GraphError(
                "A belief must be a number from 0 (no more than the order is believed) to 1 (the "
                f"edge is certain). Found {brief(belief)} for {' '.join(edge)}. Correct it."
            )
        stated[_either_way(edge)] = float(belief)
    if not stated:
        return {}
    check_present(stated, edges, "An edge that is believed")
    return {edge: stated[_either_way(edge)] for edge in edges if _either_way(edge) in stated}


def in_brackets(belief: float | None) -> str:
    """Return a belief as it stands behind an edge; '' if none was stated.

    >>> in_brackets(0.7), in_brackets(1.0), in_brackets(None)
    (' [0.7]', ' [1]', '')
    """
    return "" if belief is None else f" [{number(belief)}]"


def number(belief: float) -> str:
    """Return a belief as text that is read back as the same number, without an exponent if short.

    >>> number(0.25), number(1.0), number(1e-20)
    ('0.25', '1', '1e-20')
    """
    return repr(int(belief)) if belief in (0.0, 1.0) else repr(belief)


def _either_way(edge: Triple) -> Triple:
    """Return an edge so that both ways to write a bidirected one are the same."""
    a, arrow, b = edge
    return (max(a, b), arrow, min(a, b)) if arrow == "<->" else edge


@dataclass(frozen=True)
class GraphDifference:
    """What must be done to one graph to get another; nothing if they have the same edges.

    Attributes
    ----------
    added, removed : tuple of (str, str, str)
        Edges as they are drawn, ``("A", "->", "B")``; `ADMG.add` and `ADMG.without` take them.
    new_nodes, lost_nodes : tuple of str
        Nodes that only the other graph has, and nodes that it lacks.
    """

    added: tuple[Triple, ...] = ()
    removed: tuple[Triple, ...] = ()
    new_nodes: tuple[str, ...] = ()
    lost_nodes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is a difference."""
        return any((self.added, self.removed, self.new_nodes, self.lost_nodes))

    def __str__(self) -> str:
        """Return a line for each difference, with + or - before it."""
        lines = [f"- {name}" for name in (*self.lost_nodes, *map(_drawn, self.removed))]
        lines += [f"+ {name}" for name in (*self.new_nodes, *map(_drawn, self.added))]
        return "\n".join(lines) or "no difference"


def check_present(
    wanted: Iterable[Triple],
    present: Collection[Triple],
    subject: str = "An edge that is taken away",
) -> None:
    """Raise if an edge that must be there is not; name those that are close."""
    known = set(map(_either_way, present))
    for edge in wanted:
        if _either_way(edge) not in known:
            close = _close_edges(edge, present)
            hint = f"It has {', '.join(close)}. " if close else ""
            raise GraphError(
                f"{subject} must be in the graph. Found no {_drawn(edge)}. "
                f"{hint}Leave it out, or write an edge that is there."
            )


def _close_edges(edge: Triple, present: Collection[Triple]) -> list[str]:
    """Return edges between the same nodes as they are drawn; else those whose names are alike."""
    same_ends = [_drawn(each) for each in present if {each[0], each[2]} == {edge[0], edge[2]}]
    # Among more edges, looking for similar ones takes longer than a reader waits.
    if same_ends or len(present) > 1_000:
        return same_ends
    return get_close_matches(_drawn(edge), list(map(_drawn, present)))


def _drawn(edge: Triple) -> str:
    return f"{plain(edge[0])} {edge[1]} {plain(edge[2])}"
