"""Writing graphs as text."""

from typing import Any

from causalaug._validation import check_choice
from causalaug.graphs._admg import as_graph
from causalaug.graphs.io._arrows import write_arrows
from causalaug.graphs.io._dagitty import write_dagitty
from causalaug.graphs.io._dot import write_dot
from causalaug.graphs.io._gml import write_gml
from causalaug.graphs.io._sniff import ARROWS, DAGITTY, DOT, GML

_WRITERS = {ARROWS: write_arrows, DAGITTY: write_dagitty, DOT: write_dot, GML: write_gml}


def write_graph(graph: Any, format: str = ARROWS) -> str:
    r"""Return the graph as text that `read_graph` turns into an equal graph.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph.
    format : str, optional
        "arrows" (the default), "dagitty", "dot" or "gml".

    Returns
    -------
    str
        The nodes in their order, then the edges, with the beliefs that were stated; it ends with a
        line break.

    Examples
    --------
    Names that are more than a word are quoted, even if they hold an arrow:

    >>> from causalaug import ADMG
    >>> graph = ADMG(["dose", "a -> b"], directed=[("dose", "a -> b")])
    >>> print(write_graph(graph), end="")
    dose; "a -> b"
    dose -> "a -> b"
    >>> print(write_graph(graph, format="dagitty"), end="")
    dag {
      dose
      "a -> b"
      dose -> "a -> b"
    }
    """
    check_choice("format", format, _WRITERS)
    return _WRITERS[format](as_graph(graph))
