"""Graphs of ananke: sets of directed and bidirected edges beside named vertices."""

from typing import Any

from causalaug.graphs._checks import check_ordered
from causalaug.graphs.io._draft import Draft, check_arrow


def is_ananke(source: Any) -> bool:
    """Return whether the source answers like an ananke graph."""
    return hasattr(source, "vertices") and hasattr(source, "di_edges")


def read_ananke(source: Any) -> Draft:
    """Read an ADMG or a DAG; undirected edges are refused."""
    draft = Draft(dict.fromkeys(check_ordered(source.vertices, "The vertices of a graph")))
    for a, b in sorted(getattr(source, "ud_edges", ())):
        check_arrow("--", [a], [b], "ananke graph")
    for a, b in source.di_edges:
        draft.add_edge(a, "->", b)
    for a, b in getattr(source, "bi_edges", ()):
        # Its latent projections leave loops a <-> a, which say nothing.
        if a != b:
            draft.add_edge(a, "<->", b)
    return draft
