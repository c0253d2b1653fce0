"""What a user says of trust: of the whole graph, of variables, or of edges.

A factor is believed as far as the weakest edge of its pillow whose belief was stated. A factor
without edges claims something too, namely that there are none; if the belief in every edge of
the graph was stated, it is believed as far as they are on average. So the same belief in all
edges is that belief as ``trust``: with 1 the graph holds as it stands, with 0 only its order does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from causalaug._validation import brief, check_choice, is_share
from causalaug.exceptions import GraphError, ParameterError
from causalaug.graphs import ADMG, read_graph

if TYPE_CHECKING:
    from collections.abc import Sequence

Triple: TypeAlias = tuple[str, str, str]

Belief: TypeAlias = "str | float | Mapping[Any, float]"
"""What a user says of trust: ``"full"``, ``"auto"``, a number, or numbers by variable or edge."""


def check_belief(belief: object) -> None:
    """Raise unless it is ``"full"``, ``"auto"``, a share, or shares by variable or edge."""
    if isinstance(belief, str):
        check_choice("trust", belief, ("full", "auto"))
        return
    values = list(belief.values()) if isinstance(belief, Mapping) else [belief]
    if not all(is_share(value) for value in values):
        raise ParameterError(
            '`trust` must be "full", "auto", a number from 0 (only the order is believed) to 1 '
            "(the whole graph is), or a dict of such numbers by variable or edge. "
            f"Found {belief!r}."
        )


def belief_by_variable(belief: Belief, graph: ADMG, order: Sequence[str]) -> Belief:
    """Return what is believed with numbers by variable alone; edges are those of the graph.

    Parameters
    ----------
    belief : "full", "auto", float or mapping
        What was passed. A number for a variable counts more than those for its edges, and these
        more than the beliefs in the graph.
    graph : ADMG
        The graph, which may hold beliefs.
    order : sequence of str
        The topological order to follow.

    Returns
    -------
    "full", "auto", float or mapping of str to float
        As `find_wishes` takes it: of variables that are not in a mapping the data decide.
    """
    variables, edges = _split(belief, graph) if isinstance(belief, Mapping) else ({}, {})
    edges = dict(graph.beliefs) | edges
    if not edges:
        return variables if isinstance(belief, Mapping) else belief
    shares = _rest(belief, order) | _shares_of_edges(edges, graph, order) | variables
    return "full" if belief == "full" and set(shares.values()) == {1.0} else shares


def _rest(belief: Belief, order: Sequence[str]) -> dict[str, float]:
    """Return the numbers of variables without stated edges; none where the data decide."""
    if isinstance(belief, Mapping) or belief == "auto":
        return {}
    return dict.fromkeys(order, 1.0 if isinstance(belief, str) else float(belief))


def _shares_of_edges(
    beliefs: Mapping[Triple, float], graph: ADMG, order: Sequence[str]
) -> dict[str, float]:
    """Return the belief in each variable that has one, from those in edges."""
    n_edges = len(graph.directed) + len(graph.bidirected)
    average = float(np.mean(list(beliefs.values())))
    shares = {}
    for number, name in enumerate(order):
        own = _edges_of_pillow(graph, name, order[: number + 1])
        stated = [beliefs[edge] for edge in own if edge in beliefs]
        if stated:
            shares[name] = min(stated)
        elif not own and len(beliefs) == n_edges:
            shares[name] = average
    return shares


def _edges_of_pillow(graph: ADMG, name: str, so_far: Sequence[str]) -> list[Triple]:
    """Return the edges that make the pillow of the last of some variables.

    They are those between the variables of its district, and those from their parents.
    """
    district = set(graph.district(name, within=so_far))
    return [
        *((a, "->", b) for b in graph.nodes if b in district for a in graph.parents(b)),
        *((a, "<->", b) for a, b in graph.bidirected if a in district and b in district),
    ]


def _split(
    belief: Mapping[Any, float], graph: ADMG
) -> tuple[dict[str, float], dict[Triple, float]]:
    """Return the numbers of a mapping by variable, and those by edge of the graph."""
    variables: dict[str, float] = {}
    edges: dict[Any, float] = {}
    for key, value in belief.items():
        if isinstance(key, str) and (key in graph.nodes or not _has_arrow(key)):
            variables[key] = float(value)
        else:
            edges |= dict.fromkeys(_edges_in(key), float(value))
    try:
        stated = ADMG(graph.nodes, graph.directed, graph.bidirected, edges).beliefs
    except GraphError as error:
        raise ParameterError(f"`trust` must name edges of the graph. {error}") from None
    return variables, dict(stated)


def _has_arrow(key: str) -> bool:
    return any(arrow in key for arrow in ("->", "<-", "→", "←", "↔"))


def _edges_in(key: Any) -> list[Any]:
    """Return the edges that a key of a mapping names: one as it is, or those in a text."""
    if not isinstance(key, str):
        if isinstance(key, tuple):
            return [key]
        raise ParameterError(
            "The keys of `trust` must be variables or edges, such as 'b', 'a -> b' or ('a', 'b'). "
            f"Found {brief(key)}."
        )
    found = read_graph(key, format="arrows")
    drawn = [(a, "->", b) for a, b in found.directed]
    return [*drawn, *((a, "<->", b) for a, b in found.bidirected)]
