"""Reading graphs: recognise the source, hand it to the reader of its format."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from operator import or_
from os import PathLike
from types import ModuleType
from typing import Any

from causalaug.exceptions import (
    CausalAugError,
    CausalAugWarning,
    CyclicGraphError,
    GraphFormatError,
)
from causalaug.graphs._admg import ADMG
from causalaug.graphs._checks import check_nodes
from causalaug.graphs._several import SeveralGraphs
from causalaug.graphs._shorten import shown
from causalaug.graphs.io._ananke import is_ananke, read_ananke
from causalaug.graphs.io._arrows import read_arrows
from causalaug.graphs.io._causallearn import is_causallearn, read_causallearn
from causalaug.graphs.io._dagitty import read_dagitty
from causalaug.graphs.io._dot import read_dot
from causalaug.graphs.io._draft import Draft, arrange
from causalaug.graphs.io._edges import is_edge_list, read_edges
from causalaug.graphs.io._gml import read_gml
from causalaug.graphs.io._knowledge import read_knowledge
from causalaug.graphs.io._mapping import open_mapping, read_mapping
from causalaug.graphs.io._matrix import (
    COLUMN_TO_ROW,
    LINGAM,
    ROW_TO_COLUMN,
    needs_orientation,
    read_matrix,
)
from causalaug.graphs.io._networkx import read_networkx
from causalaug.graphs.io._pywhy import is_pywhy, read_pywhy
from causalaug.graphs.io._sniff import (
    ARROWS,
    DAGITTY,
    DOT,
    GML,
    KNOWLEDGE,
    TETRAD,
    has_signs,
    is_path,
    read_text,
    text_format,
)
from causalaug.graphs.io._tetrad import read_tetrad

_TEXTS: Mapping[str, Callable[[str], Draft]] = {
    ARROWS: read_arrows,
    DAGITTY: read_dagitty,
    DOT: read_dot,
    GML: read_gml,
    TETRAD: read_tetrad,
    KNOWLEDGE: read_knowledge,
}
_MAPPINGS = ("parents", "children")
_MATRICES = (ROW_TO_COLUMN, COLUMN_TO_ROW, LINGAM)
_BYTE_ORDER_MARK = "\ufeff"
_READ_AS_PARENTS = (
    "A dictionary maps each node to its parents, {'effect': ['cause']}, and not to its children as "
    "in networkx; write {'children': {...}} if these are meant."
)
_MOST_WRAPPED = 5
"""How many objects may hold each other, the innermost a graph; DoWhy has two."""


def read_graph(source: Any, names: Iterable[str] | None = None, format: str | None = None) -> ADMG:
    """Read a causal graph from text, a file, a matrix, or the graph of another library.

    Parameters
    ----------
    source : str, path, dict, list, matrix, frame or graph object
        One of:

        - arrow text, ``"X1 <- Y -> X2; A <-> B"``: statements end with a line or ``;``,
          ``{A, B} -> C`` joins groups, ``#`` starts a comment, a lone name is a node
          without edges, quotes hold names with spaces or signs, and ``-->`` is ``->``; behind an
          edge its belief may stand, a number from 0 to 1, ``"X1 <- Y [0.7]"``;
        - an order alone, ``"age, sex < smoking < tar, cancer"``, see `tiers`;
        - DAGitty, DOT, GML or Tetrad text, or the path of a file with any of these texts. Of
          Tetrad's knowledge (``/knowledge``) the tiers become an order, in which a forbidden edge
          is left out unless another variable of the effect's tier may carry what it would;
        - a dictionary from each node to its parents, ``{"X1": ["Y"]}``, and not to its children
          as in networkx; ``{"children": {"Y": ["X1"]}}`` and ``{"parents": {...}}`` say which;
        - a list of edges: pairs (cause, effect), triples such as ``("A", "<->", "B")``;
        - several graphs that share an order, ``[graph, other]``, or with weights,
          ``[(graph, 0.7), (other, 0.3)]``: each factor is a mixture over the pillows that they
          give it;
        - a class of graphs that data cannot tell apart, such as `discovery.discover_class` finds:
          its first member, since all claim the same independences; or a result that has a graph;
        - an adjacency matrix or frame, with its orientation as `format`;
        - a graph of networkx, pgmpy, DoWhy, causal-learn, ananke or pywhy-graphs, or a
          fitted LiNGAM model;
        - an `ADMG`.

        The attribute ``belief`` of an edge, in DOT, DAGitty, GML and networkx, is the belief in it.
    names : iterable of str, optional
        For sources that number their nodes (arrays, LiNGAM models, networkx graphs of
        integers): the name of each. For all others: the order of the nodes, to which it
        may add nodes without edges. A set has no order and is refused.
    format : str, optional
        How to read the source, where it does not tell: "arrows", "dagitty", "dot", "gml",
        "tetrad", "tetrad-knowledge"; "parents" or "children" for dictionaries;
        "adjacency:row-to-column" (entry (i, j) means i -> j), "adjacency:column-to-row" or
        "lingam" for matrices.

    Returns
    -------
    ADMG
        The graph of the observed nodes, in the order of their first mention. Nodes that
        the source marks as hidden (``latent``, ``observed="no"``) are projected out.

    Raises
    ------
    GraphFormatError
        If the source cannot be read, or if it could mean two graphs: an undirected edge,
        a circle mark, a matrix without orientation, JSON text.

    Warns
    -----
    CausalAugWarning
        If DAGitty text marks nodes as selected or adjusted, since selection is not modelled.

    Examples
    --------
    >>> read_graph("X1 <- Y -> X2; X1 <-> X2")
    ADMG(['X1', 'Y', 'X2'], directed=[('Y', 'X1'), ('Y', 'X2')], bidirected=[('X1', 'X2')])

    A hidden node leaves a bidirected edge behind:

    >>> read_graph("dag { U [latent] U -> A U -> B }")
    ADMG(['A', 'B'], bidirected=[('A', 'B')])

    A dictionary lists parents, not children as in networkx, unless it says so:

    >>> read_graph({"effect": ["cause"]}).directed
    (('cause', 'effect'),)
    >>> read_graph({"children": {"cause": ["effect"]}}).directed
    (('cause', 'effect'),)
    """
    formats = (*_TEXTS, *_MAPPINGS, *_MATRICES)
    if format is not None and not (isinstance(format, str) and format in formats):
        raise GraphFormatError(
            f"`format` must be one of {list(formats)}, or None to find "
            f"out. Found {shown(format)}. Objects of other libraries need none."
        )
    listed = None if names is None else check_nodes(names, "`names`")
    if hasattr(source, "to_admg"):
        source = source.to_admg()
    elif isinstance(getattr(source, "graph", None), ADMG):
        source = source.graph
    if isinstance(source, ADMG):
        return arrange(source, listed)
    if is_several(source):
        return arrange(_read_several(source), listed)
    if isinstance(source, str | PathLike):
        draft = _read_text(source, format)
    else:
        draft = _read_object(source, listed, format)
    try:
        graph = draft.finish(listed)
    except CyclicGraphError as error:
        if not isinstance(source, Mapping):
            raise
        raise CyclicGraphError(f"{error} {_READ_AS_PARENTS}") from error
    for warning in draft.warnings:
        warnings.warn(warning, CausalAugWarning, stacklevel=2)
    return graph


def is_several(source: Any) -> bool:
    """Return whether the source is a list of graphs, or of pairs of a graph and its weight.

    A list of edges holds pairs and triples of texts; a graph in it is a text by itself.
    """
    if not isinstance(source, list | tuple) or not source:
        return False
    if all(map(_is_weighted, source)):
        return True
    # A list of one text, or of plain names, is more likely a slip.
    is_text = [isinstance(each, str) and has_signs(each) for each in source]
    is_graph = [isinstance(each, ADMG) for each in source]
    return is_text != [True] and all(map(or_, is_text, is_graph))


def _is_weighted(entry: Any) -> bool:
    is_pair = isinstance(entry, list | tuple) and len(entry) == 2
    return is_pair and isinstance(entry[1], Real) and not isinstance(entry[0], Real)


def _read_several(source: Any) -> ADMG:
    """Return several graphs as one; a single one, or one several times, is itself."""
    weighted = [each if _is_weighted(each) else (each, 1.0) for each in source]
    found = SeveralGraphs((read_graph(graph), weight) for graph, weight in weighted)
    first = found.graphs[0][0]
    return first if all(graph == first for graph, _ in found.graphs) else found


def _read_text(source: "str | PathLike[str]", format: str | None) -> Draft:
    """Read a text, or the file that a path names, without the byte-order mark of either."""
    if isinstance(source, str):
        source = source.removeprefix(_BYTE_ORDER_MARK)
    path = source if is_path(source) else None
    text = str(source) if path is None else read_text(path)
    found = text_format(text, path)
    if format is not None and format not in _TEXTS:
        raise _wrong_format(source, format)
    return _TEXTS[format or found](text)


def _read_object(source: Any, names: Sequence[str] | None, format: str | None) -> Draft:
    """Read anything but text, by what it is if no format is given."""
    if isinstance(source, type | ModuleType):
        raise GraphFormatError(
            f"A graph must be an object. Found {shown(source)}, a "
            f"{'class' if isinstance(source, type) else 'module'}. Pass a graph that was made "
            "by it."
        )
    if format in _MATRICES:
        return read_matrix(getattr(source, "adjacency_matrix_", source), names, format)
    if isinstance(source, Mapping) and "G" in source and is_causallearn(source["G"]):
        return read_causallearn(source["G"])
    if isinstance(source, Mapping) and format in (None, *_MAPPINGS):
        inner, values = open_mapping(source) if format is None else (source, format)
        return read_mapping(inner, values=values)
    if format is not None:
        raise _wrong_format(source, format)
    if hasattr(source, "adjacency_matrix_"):
        return read_matrix(source.adjacency_matrix_, names, LINGAM)
    if is_edge_list(source):
        return read_edges(source)
    try:
        return _read_foreign(source, names)
    except CausalAugError:
        raise
    except Exception as error:
        # What answers like a graph of a library may still be none, and may raise anything.
        raise GraphFormatError(
            "A graph of another library must answer as those of that library do. Found a "
            f"{type(source).__name__}, which failed with {type(error).__name__}: "
            f"{str(error)[:100]}. Pass the graph itself, or its edges as a list of pairs."
        ) from error


def _read_foreign(source: Any, names: Sequence[str] | None) -> Draft:
    """Read the graph of another library, known by the methods that it has."""
    graph = _unwrap(source)
    if is_causallearn(graph):
        return read_causallearn(graph)
    if is_ananke(graph):
        return read_ananke(graph)
    if is_pywhy(graph):
        return read_pywhy(graph)
    if _is_networkx(graph):
        return read_networkx(graph, names)
    if hasattr(source, "shape") or _is_rows(source):
        raise needs_orientation()
    raise GraphFormatError(
        "A graph must be text, a path, a dictionary of parents, a list of edges, a matrix, or a "
        f"graph of another library. Found {shown(source, 80)}, of type {type(source).__name__}. "
        "Write arrow text such as 'A -> B; B <-> C', or build ADMG(nodes, directed=[...])."
    )


def _unwrap(source: Any) -> Any:
    """Return the graph inside a result: of causal-learn's searches, of DoWhy's models."""
    if isinstance(source, tuple) and source and is_causallearn(source[0]):
        return source[0]
    if is_causallearn(getattr(source, "G", None)):
        return source.G
    inner = source
    for _ in range(_MOST_WRAPPED):
        if is_causallearn(inner) or is_ananke(inner) or is_pywhy(inner) or _is_networkx(inner):
            return inner
        held = (getattr(inner, attribute, None) for attribute in ("_graph", "graph"))
        found = [each for each in held if each is not None and not isinstance(each, Mapping)]
        if not found:
            break
        inner = found[0]
    return source


def _is_networkx(source: Any) -> bool:
    return all(hasattr(source, method) for method in ("is_directed", "is_multigraph", "nodes"))


def _is_rows(source: Any) -> bool:
    return isinstance(source, list) and bool(source) and isinstance(source[0], list)


def _wrong_format(source: object, format: str) -> GraphFormatError:
    return GraphFormatError(
        f"format={format!r} must fit the source. Found a {type(source).__name__}. "
        "Leave `format` out, or pass the source that it describes."
    )
