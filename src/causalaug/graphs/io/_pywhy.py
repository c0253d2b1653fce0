"""Graphs of pywhy-graphs: one network per kind of edge."""

from typing import Any

from causalaug.graphs.io._draft import Draft, check_arrow

_MARKS = {"directed": "->", "bidirected": "<->", "undirected": "--", "circle": "-o"}


def is_pywhy(source: Any) -> bool:
    """Return whether the source answers like a mixed-edge graph of pywhy-graphs."""
    return hasattr(source, "get_graphs") and hasattr(source, "edge_types")


def read_pywhy(source: Any) -> Draft:
    """Read an ADMG; the undirected and circle edges of a CPDAG or PAG are refused."""
    draft = Draft(dict.fromkeys(source.nodes))
    for kind, network in source.get_graphs().items():
        for a, b in network.edges():
            mark = _MARKS.get(kind, kind)
            draft.add_edge(a, check_arrow(mark, [a], [b], "pywhy-graphs graph"), b)
    return draft
