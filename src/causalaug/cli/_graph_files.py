"""Graphs on their way out: to a file, or to a machine."""

from pathlib import Path
from typing import Any

from causalaug._atomic import atomic_path
from causalaug.graphs import ADMG, write_graph

ENDINGS = {".dot": "dot", ".gv": "dot", ".gml": "gml", ".dagitty": "dagitty"}


def output_format(path: Path | None) -> str:
    """Return the format that the ending of a path stands for; arrows for all others."""
    return ENDINGS.get(path.suffix.lower(), "arrows") if path else "arrows"


def write_graph_file(graph: ADMG, path: Path, format: str) -> None:
    """Write a graph, in full or not at all."""
    text = write_graph(graph, format)
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def graph_as_json(graph: ADMG) -> dict[str, Any]:
    """Return the graph as values that JSON has."""
    return {
        "nodes": graph.nodes,
        "directed": graph.directed,
        "bidirected": graph.bidirected,
        "arrows": write_graph(graph),
    }
