"""Graphs in files, or spelled out in an argument: read, written, and told to a machine."""

import os
import re
from pathlib import Path
from typing import Any

from causalaug._atomic import atomic_path
from causalaug.cli._files import check_input
from causalaug.exceptions import DataNotFoundError, GraphFormatError
from causalaug.graphs import ADMG, read_graph, write_graph

ARROW = re.compile(r"->|<|=>|--|[→←↔{;\n]")
"""What a file's name rarely has; also arrows that are none, which `read_graph` explains."""

TABLE_ENDINGS = {".csv", ".tsv", ".tab", ".parquet", ".pq", ".feather", ".arrow"}
ENDINGS = {".dot": "dot", ".gv": "dot", ".gml": "gml", ".dagitty": "dagitty"}


def open_graph(source: str) -> ADMG:
    """Return the graph in a file; or, where there is no such file, the one in arrow text.

    >>> open_graph("rain -> wet <- hose")
    ADMG(['rain', 'wet', 'hose'], directed=[('rain', 'wet'), ('hose', 'wet')])
    >>> open_graph("graf.txt")
    Traceback (most recent call last):
    causalaug.exceptions.GraphFormatError: A graph must be a file. Found none: 'graf.txt'. ...
    """
    if ARROW.search(source) and not os.path.exists(source):
        return read_graph(source)
    try:
        check_input(Path(source), "A graph")
    except DataNotFoundError as error:
        hint = "" if os.path.exists(source) else " Arrow text has an arrow: 'A -> B; B <-> C'."
        raise GraphFormatError(f"{error}{hint}") from error
    if Path(source).suffix.lower() in TABLE_ENDINGS:
        raise GraphFormatError(
            f"A graph must not be a table. Found {source!r}. The table comes first, the "
            "graph after --graph: are the two swapped?"
        )
    return read_graph(Path(source))


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
        **({"beliefs": [[*edge, b] for edge, b in graph.beliefs.items()]} if graph.beliefs else {}),
        "arrows": write_graph(graph),
    }
