"""Edges as triples, the difference of two graphs, and which edge was perhaps meant."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from causalaug.exceptions import GraphError
from causalaug.graphs._checks import Edge
from causalaug.graphs._shorten import MOST_CANDIDATES, plain, shown

Triple = tuple[str, str, str]
"""An edge as it is drawn: a node, an arrow, a node. `read_graph` reads lists of them."""


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
    is_edge = len(parts) in (2, 3) and all(isinstance(part, str) for part in parts)
    drawn = parts if len(parts) == 3 else (*parts[:1], "->", *parts[1:])
    left, arrow, right = drawn if is_edge else ("", "", "")
    if arrow not in ("->", "<-", "<->"):
        raise GraphError(
            "An edge must be a pair (cause, effect) or a triple (node, arrow, node) with one of "
            f"the arrows ->, <-, <->. Found {shown(edge)}. Write ('A', 'B') or ('A', '<->', 'B')."
        )
    return (right, "->", left) if arrow == "<-" else (left, arrow, right)


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
        lines = [f"- {name}" for name in self.lost_nodes]
        lines += [f"- {_drawn(edge)}" for edge in self.removed]
        lines += [f"+ {name}" for name in self.new_nodes]
        lines += [f"+ {_drawn(edge)}" for edge in self.added]
        return "\n".join(lines) or "no difference"


def check_present(
    wanted: Iterable[Triple],
    present: Collection[Triple],
    subject: str = "An edge that is taken away",
) -> None:
    """Raise if an edge that must be there is not; name those that are close."""
    for edge in wanted:
        if edge not in present:
            close = _close_edges(edge, present)
            hint = f"It has {', '.join(map(_drawn, close))}. " if close else ""
            raise GraphError(
                f"{subject} must be in the graph. Found no {_drawn(edge)}. "
                f"{hint}Leave it out, or write an edge that is there."
            )


def _close_edges(edge: Triple, present: Collection[Triple]) -> list[Triple]:
    """Return edges between the same nodes; else those whose names are alike."""
    ends = {edge[0], edge[2]}
    same_ends = [each for each in present if {each[0], each[2]} == ends]
    if same_ends or len(present) > MOST_CANDIDATES:
        return same_ends
    drawn = {_drawn(each): each for each in present}
    return [drawn[text] for text in get_close_matches(_drawn(edge), drawn)]


def _drawn(edge: Triple) -> str:
    return f"{plain(edge[0])} {edge[1]} {plain(edge[2])}"
