"""Graphs of causal-learn: each edge has a mark at both of its ends."""

from typing import Any

from causalaug.graphs.io._draft import Draft, check_arrow

_LEFT = {"TAIL": "-", "ARROW": "<-", "CIRCLE": "o-", "STAR": "*-"}
_RIGHT = {"TAIL": "", "ARROW": ">", "CIRCLE": "o", "STAR": "*"}


def is_causallearn(source: Any) -> bool:
    """Return whether the source answers like a causal-learn graph."""
    return hasattr(source, "get_graph_edges") and hasattr(source, "get_nodes")


def read_causallearn(source: Any) -> Draft:
    """Read a GeneralGraph or a Dag; undirected edges and circles are refused."""
    draft = Draft()
    for node in source.get_nodes():
        kind = getattr(node.get_node_type(), "name", "")
        draft.add_node(node.get_name(), latent=kind == "LATENT")
    for edge in source.get_graph_edges():
        a, b = edge.get_node1().get_name(), edge.get_node2().get_name()
        ends = (edge.get_endpoint1().name, edge.get_endpoint2().name)
        mark = _LEFT.get(ends[0], ends[0]) + _RIGHT.get(ends[1], ends[1])
        mark = "--" if mark == "-" else mark
        draft.add_edge(a, check_arrow(mark, [a], [b], "causal-learn graph"), b)
    return draft
