"""Which arrows of a discovered graph the data determine, and which are a choice among equals."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pandas as pd

from causalaug.discovery._knowledge import Knowledge, check_knowledge
from causalaug.discovery._members import members_of
from causalaug.discovery._pag import PAG
from causalaug.graphs import ADMG, as_graph

_KNOWN = ("->", "<->")


@dataclass(frozen=True, eq=False)
class Discovery:
    """A graph that was found, the class it was chosen from, and the reason for each edge.

    Parameters
    ----------
    graph : ADMG
        The graph.
    equivalence_class : PAG
        All that the data tell; `graph` is its first member that agrees with the knowledge.
    edges : pandas DataFrame
        One row per edge of the graph: ``edge`` as it is drawn, ``origin``, which is "data" if
        all graphs of the class have it, "knowledge" if all those do that agree with what was
        known, and else "choice", and ``alternatives``, how equals draw it.
    method : str
        How it was found.

    Examples
    --------
    >>> chain = PAG(["A", "B", "C"], [("A", "--", "B"), ("B", "--", "C")])
    >>> graph = ADMG(["A", "B", "C"], directed=[("A", "B"), ("B", "C")])
    >>> print(Discovery(graph, chain, edge_origins(graph, chain), "pc").summary())
    The data determine none of the 2 edges.
    A choice among equals: A -> B (or B -> A), B -> C (or C -> B). Turn them by what you know.
    """

    graph: ADMG
    equivalence_class: PAG
    edges: pd.DataFrame
    method: str

    def summary(self) -> str:
        """Return in words which edges are determined, a line per origin."""
        n_edges = len(self.edges)
        if not n_edges:
            return "No edge was found."
        by_data, known, chosen = (
            self.edges[self.edges["origin"] == origin] for origin in ("data", "knowledge", "choice")
        )
        lines = [_about_the_data(list(by_data["edge"]), n_edges, self.method)]
        if len(known):
            lines.append(f"Your knowledge decides: {', '.join(known['edge'])}.")
        if len(chosen):
            drawn = ", ".join(
                edge + (f" (or {' or '.join(others)})" if others else "")
                for edge, others in zip(chosen["edge"], chosen["alternatives"], strict=True)
            )
            lines.append(f"A choice among equals: {drawn}. Turn them by what you know.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return the graph and how many of its edges the data determine."""
        n_data = int((self.edges["origin"] == "data").sum())
        return f"Discovery({self.graph}; the data determine {n_data} of {len(self.edges)} edges)"


def edge_origins(
    graph: Any, equivalence_class: PAG, knowledge: Knowledge | None = None
) -> pd.DataFrame:
    """Say for each edge of a graph whether the data determine it, or what else it could be.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        A graph of the class, such as `discover` returns.
    equivalence_class : PAG
        The graphs that the data cannot tell apart, from `discover_class`.
    knowledge : Knowledge, optional
        What was known besides.

    Returns
    -------
    pandas DataFrame
        The columns ``edge``, ``origin`` ("data", "knowledge" or "choice") and ``alternatives``.

    Examples
    --------
    In a chain nothing says which end is first. That A is turns both arrows:

    >>> chain = PAG(["A", "B", "C"], [("A", "--", "B"), ("B", "--", "C")])
    >>> graph = ADMG(["A", "B", "C"], directed=[("A", "B"), ("B", "C")])
    >>> edge_origins(graph, chain)["origin"].tolist()
    ['choice', 'choice']
    >>> first = Knowledge(tiers=[["A"], ["B"]])
    >>> edge_origins(graph, chain, first)["origin"].tolist()
    ['knowledge', 'knowledge']
    """
    known, graph = check_knowledge(knowledge), as_graph(graph)
    known.check_names(graph.nodes)
    # A class may hold millions. An edge on which the first 200 agree is still called a choice if
    # there are more: to be sure of it, all would have to be listed.
    members = list(islice(members_of(equivalence_class, known), 201))
    is_complete = 0 < len(members) <= 200
    drawings = [_drawings(each) for each in members]
    definite = _definite(equivalence_class)
    rows: list[tuple[str, str, tuple[str, ...]]] = []
    for pair, edge in _drawings(graph).items():
        others = tuple(dict.fromkeys(d[pair] for d in drawings if d.get(pair, edge) != edge))
        if definite.get(pair) == edge:
            rows.append((edge, "data", ()))
        else:
            rows.append((edge, "choice" if others or not is_complete else "knowledge", others))
    return pd.DataFrame(rows, columns=["edge", "origin", "alternatives"])


def _drawings(graph: ADMG) -> dict[frozenset[str], str]:
    """Return each pair of joined nodes, and the edge between them as it is drawn."""
    found = {frozenset(edge): f"{edge[0]} -> {edge[1]}" for edge in graph.directed}
    return found | {frozenset(edge): f"{edge[0]} <-> {edge[1]}" for edge in graph.bidirected}


def _definite(found: PAG) -> dict[frozenset[str], str]:
    """Return the edges of which both ends are known."""
    turned = [(b, "->", a) if drawn == "<-" else (a, drawn, b) for a, drawn, b in found.edges]
    return {frozenset((a, b)): f"{a} {drawn} {b}" for a, drawn, b in turned if drawn in _KNOWN}


def _about_the_data(edges: Sequence[str], n_edges: int, method: str) -> str:
    some = f": {', '.join(edges)}" if edges else ""
    number = {0: "none", n_edges: "all"}.get(len(edges), str(len(edges)))
    limits = (
        ", if causes are linear and the noise is not normal" if method == "direct-lingam" else ""
    )
    if n_edges == 1 and not edges:
        return "The data do not determine the one edge."
    if n_edges == 1:
        return f"The data determine the one edge{some}{limits}."
    return f"The data determine {number} of the {n_edges} edges{some}{limits}."
