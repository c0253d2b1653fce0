"""Writing graphs as text."""

from causalaug._validation import check_choice
from causalaug.graphs._admg import ADMG
from causalaug.graphs.io._arrows import write_arrows
from causalaug.graphs.io._dagitty import write_dagitty
from causalaug.graphs.io._dot import write_dot
from causalaug.graphs.io._gml import write_gml
from causalaug.graphs.io._sniff import ARROWS, DAGITTY, DOT, GML

_WRITERS = {ARROWS: write_arrows, DAGITTY: write_dagitty, DOT: write_dot, GML: write_gml}


def write_graph(graph: ADMG, format: str = ARROWS) -> str:
    r"""Return the graph as text that `read_graph` turns into an equal graph.

    Parameters
    ----------
    graph : ADMG
        The causal graph.
    format : str, optional
        "arrows" (the default), "dagitty", "dot" or "gml".

    Returns
    -------
    str
        The nodes in their order, then the edges; it ends with a line break.

    Examples
    --------
    Names that are more than a word are quoted, even if they hold an arrow:

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
    return _WRITERS[format](graph)
