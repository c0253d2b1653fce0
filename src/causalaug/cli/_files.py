"""Files that a command reads or writes, and the graphs in them.

What is read must be there, and must not be what is written. A graph may be spelled out in an
argument instead.
"""

import os
import re
import stat
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from causalaug._atomic import atomic_path
from causalaug._validation import brief
from causalaug.exceptions import DataNotFoundError, GraphFormatError, OutputError
from causalaug.graphs import ADMG, read_graph, write_graph

ARROW = re.compile(r"->|<|=>|--|[→←↔{;\n]")
"""What a file's name rarely has; also arrows that are none, which `read_graph` explains."""
TABLE_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
}
GRAPH_ENDINGS = {".dot": "dot", ".gv": "dot", ".gml": "gml", ".dagitty": "dagitty"}


def check_input(path: Path, what: str) -> None:
    """Raise unless there is a file to be read; `what` opens the message, as in "A table"."""
    shown = brief(str(path))
    # The functions of `os.path` say no where those of `Path` raise: zero bytes, endless names.
    if os.path.isdir(path):
        raise DataNotFoundError(
            f"{what} must be a file. Found a folder: {shown}. Name a file in it."
        )
    if not os.path.exists(path):
        raise DataNotFoundError(f"{what} must be a file. Found none: {shown}. {_near(path)}")
    if not os.path.isfile(path):  # It may have no end, or wait for ever for a first byte.
        mode = os.stat(path).st_mode
        sort = "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
        raise DataNotFoundError(
            f"{what} must be a regular file. Found a {sort}: {shown}. Write its content to a file "
            "first."
        )


def _near(path: Path) -> str:
    """Return a question about a file whose name is close, or advice."""
    folder = path.parent
    if not os.path.isdir(folder):
        return f"There is no folder {brief(str(folder))} either."
    close = get_close_matches(path.name, sorted(os.listdir(folder)), n=1)
    return f"Did you mean {str(folder / close[0])!r}?" if close else "Correct the path."


def check_not_an_input(
    out: Path, inputs: Iterable["str | os.PathLike[str]"], *, overwrite: bool
) -> None:
    """Raise if an output is a file that is read, by whatever name, unless that is what is wanted.

    Symbolic and hard links are other names of the same file. An input that is no file, such as
    arrows, is none of our business.
    """
    for path in () if overwrite else inputs:
        try:
            is_same = os.path.samefile(out, path)
        except (OSError, ValueError):  # There is none, or there cannot be one: zero bytes.
            is_same = False
        if is_same:
            raise OutputError(
                f"The output must not be a file that is read. Found that {brief(str(out))} is "
                f"{brief(os.fspath(path))}. Name another file, or say --overwrite."
            )


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
    if Path(source).suffix.lower() in TABLE_FORMATS:
        raise GraphFormatError(
            f"A graph must not be a table. Found {source!r}. The table comes first, the "
            "graph after --graph: are the two swapped?"
        )
    return read_graph(Path(source))


def graph_format(path: Path | None) -> str:
    """Return the format that the ending of a path stands for; arrows for all others."""
    return GRAPH_ENDINGS.get(path.suffix.lower(), "arrows") if path else "arrows"


def write_graph_file(graph: ADMG, path: Path, format: str) -> None:
    """Write a graph, in full or not at all."""
    text = write_graph(graph, format)
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def graph_as_json(graph: ADMG) -> dict[str, Any]:
    """Return the graph as values that JSON has."""
    beliefs = [[*edge, belief] for edge, belief in graph.beliefs.items()]
    return {
        "nodes": graph.nodes,
        "directed": graph.directed,
        "bidirected": graph.bidirected,
        **({"beliefs": beliefs} if beliefs else {}),
        "arrows": write_graph(graph),
    }
