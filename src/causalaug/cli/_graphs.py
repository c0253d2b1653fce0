"""The graph that an argument names or spells."""

import os
import re
from pathlib import Path

from causalaug.cli._files import check_input
from causalaug.exceptions import DataNotFoundError, GraphFormatError
from causalaug.graphs import ADMG, read_graph

ARROW = re.compile(r"->|<-|[→←↔{\n]")


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
        raise GraphFormatError(f"{error} Arrow text has an arrow: 'A -> B; B <-> C'.") from error
    return read_graph(Path(source))
