"""How far edges are believed: numbers from 0 to 1, stated by somebody who drew the graph."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from causalaug._validation import is_share
from causalaug.exceptions import GraphError
from causalaug.graphs._checks import Edge
from causalaug.graphs._editing import Triple, as_triple, check_present
from causalaug.graphs._shorten import shown

Beliefs: TypeAlias = Mapping[Edge, float] | Mapping[Triple, float] | Mapping[Edge | Triple, float]
"""Edges as pairs (cause, effect) or as they are drawn, each with the belief in it."""


def check_beliefs(beliefs: Any, edges: Sequence[Triple]) -> dict[Triple, float]:
    """Return beliefs in the order of the edges, or raise unless each is a share of an edge.

    >>> check_beliefs({("B", "<->", "A"): 0.5}, [("A", "->", "B"), ("A", "<->", "B")])
    {('A', '<->', 'B'): 0.5}
    """
    if not isinstance(beliefs, Mapping):
        raise GraphError(
            f"Beliefs must be a dictionary from edges to numbers. Found {shown(beliefs)}. Write "
            "beliefs={('A', 'B'): 0.7}."
        )
    there = {_either_way(edge): edge for edge in edges} if beliefs else {}
    stated = {}
    for key, belief in beliefs.items():
        edge = as_triple(key)
        if _either_way(edge) not in there:
            check_present([edge], edges, "An edge that is believed")
        check_belief(belief, " ".join(edge))
        stated[there[_either_way(edge)]] = float(belief)
    return {edge: stated[edge] for edge in edges if edge in stated} if stated else stated


def check_belief(belief: object, edge: str) -> None:
    """Raise unless it is a number from 0 to 1."""
    if not is_share(belief):
        raise GraphError(
            "A belief must be a number from 0 (no more than the order is believed) to 1 (the "
            f"edge is certain). Found {shown(belief)} for {edge}. Correct it."
        )


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
