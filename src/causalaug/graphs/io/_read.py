"""Reading graphs: recognise the source, hand it to the reader of its format; and writing them."""

import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from operator import or_
from os import PathLike
from os.path import isfile
from pathlib import Path
from types import ModuleType
from typing import Any

from causalaug._validation import brief, check_choice
from causalaug.exceptions import (
    CausalAugError,
    CausalAugWarning,
    CyclicGraphError,
    GraphFormatError,
)
from causalaug.graphs._admg import ADMG, as_graph
from causalaug.graphs._checks import check_nodes
from causalaug.graphs._several import SeveralGraphs
from causalaug.graphs.io._arrows import read_arrows, write_arrows
from causalaug.graphs.io._collections import is_edge_list, read_edges, read_mapping
from causalaug.graphs.io._dot import read_dagitty, read_dot, write_dagitty, write_dot
from causalaug.graphs.io._draft import Draft, arrange
from causalaug.graphs.io._gml import read_gml, write_gml
from causalaug.graphs.io._libraries import reader_of, unwrap
from causalaug.graphs.io._matrix import MATRICES, needs_orientation, read_matrix
from causalaug.graphs.io._tetrad import read_knowledge, read_tetrad

_TEXTS: Mapping[str, Callable[[str], Draft]] = {
    "arrows": read_arrows,
    "dagitty": read_dagitty,
    "dot": read_dot,
    "gml": read_gml,
    "tetrad": read_tetrad,
    "tetrad-knowledge": read_knowledge,
}
_WRITERS: Mapping[str, Callable[[ADMG], str]] = {
    "arrows": write_arrows,
    "dagitty": write_dagitty,
    "dot": write_dot,
    "gml": write_gml,
}
_SUFFIXES = {".dot": "dot", ".gv": "dot", ".gml": "gml", ".dagitty": "dagitty"}
_COMMENTS = re.compile(r"\A(?:\s+|//[^\n]*|/\*.*?\*/|#[^\n]*)*+", re.DOTALL)
_WORD = r'(?:\s+\w+|\s*"[^"]*")?\s*'
_HEADINGS = {
    "dot": rf"(?:strict\s+)?(?:di)?graph\b{_WORD}\{{",
    "dagitty": rf"(?:dag|mag|pdag|pag)\b{_WORD}\{{",
    "gml": r'(?:[A-Za-z]\w*\s+(?:"[^"]*"|[^"\s]\S*)\s+)*graph\s*\[',
    "tetrad": r"graph[ \t]+(?:nodes|edges)[ \t]*:",
    "tetrad-knowledge": r"/knowledge\b",
}
_TEXT_SIGNS = re.compile(r"""[;,{["'→←↔<]|->|--""")
_MAPPINGS = ("parents", "children")
_READ_AS_PARENTS = (
    "A dictionary maps each node to its parents, {'effect': ['cause']}, and not to its children as "
    "in networkx; write {'children': {...}} if these are meant."
)


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
    formats = (*_TEXTS, *_MAPPINGS, *MATRICES)
    if format is not None and not (isinstance(format, str) and format in formats):
        raise GraphFormatError(
            f"`format` must be one of {list(formats)}, or None to find "
            f"out. Found {brief(format)}. Objects of other libraries need none."
        )
    listed = None if names is None else check_nodes(names, "`names`")
    if hasattr(source, "to_admg"):
        source = source.to_admg()
    elif isinstance(getattr(source, "graph", None), ADMG):
        source = source.graph
    if isinstance(source, ADMG):
        return arrange(source, listed)
    if _is_several(source):
        return arrange(_read_several(source), listed)
    if isinstance(source, str | PathLike):
        draft = _read_text(source, format)
    else:
        draft = _read_object(source, listed, format)
    try:
        graph = draft.finish(listed)
    except CyclicGraphError as error:
        if not isinstance(source, Mapping) or set(source) <= set(_MAPPINGS):
            raise
        raise CyclicGraphError(f"{error} {_READ_AS_PARENTS}") from error
    for warning in draft.warnings:
        warnings.warn(warning, CausalAugWarning, stacklevel=2)
    return graph


def _is_several(source: Any) -> bool:
    """Return whether the source is a list of graphs, or of pairs of a graph and its weight.

    A list of edges holds pairs and triples of texts; a graph in it is a text by itself.
    """
    if not isinstance(source, list | tuple) or not source:
        return False
    if all(map(_is_weighted, source)):
        return True
    # A list of one text, or of plain names, is more likely a slip.
    is_text = [isinstance(each, str) and bool(_TEXT_SIGNS.search(each)) for each in source]
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
        source = source.removeprefix("\ufeff")
    path = source if _is_path(source) else None
    text = str(source) if path is None else _content(path)
    found = _text_format(text, path)
    if format is not None and format not in _TEXTS:
        raise _wrong_format(source, format)
    return _TEXTS[format or found](text)


def _is_path(source: "str | PathLike[str]") -> bool:
    """Return whether the source names a file: one that exists, or that looks like a path."""
    if not isinstance(source, str):
        return True
    if "\n" in source:
        return False
    looks_like_one = re.search(r"[./\\]", source) and not _TEXT_SIGNS.search(source)
    return bool(looks_like_one) or isfile(source)


def _content(path: "str | PathLike[str]") -> str:
    """Return the content of a file, or raise an error that says why it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise GraphFormatError(
            f"A graph file must be UTF-8 text. Found byte {error.object[error.start]:#04x} "
            f"at place {error.start} of {brief(str(path))}. Save it as UTF-8."
        ) from error
    except (OSError, TypeError, ValueError) as error:
        # No path holds a NUL, half of a surrogate pair, or bytes where text is meant.
        reason = getattr(error, "strerror", None) or "this cannot be a path"
        raise GraphFormatError(
            f"A graph file must exist and be readable. Found {brief(str(path))}: {reason}. Correct "
            "the path; a graph in arrow text has an arrow, such as 'A -> B', or a line break."
        ) from error


def _text_format(text: str, path: object) -> str:
    """Return the format of a text by its heading, else by the ending of its file."""
    place = "" if path is None else f" in {brief(str(path))}"
    if not text.strip():
        raise GraphFormatError(f"A graph must not be empty. Found no text{place}. Write 'A -> B'.")
    if _is_json(text):
        raise GraphFormatError(
            f"A graph must not be JSON text, which can mean many things. Found {brief(text)}"
            f"{place}. Write read_graph(json.loads(text)) if it maps nodes to parents, "
            "read_graph(networkx.node_link_graph(json.loads(text))) if it has nodes and links."
        )
    body = _COMMENTS.sub("", text)
    for name, heading in _HEADINGS.items():
        if re.match(heading, body, re.IGNORECASE):
            return name
    return _SUFFIXES.get(Path(str(path)).suffix.lower(), "arrows")


def _is_json(text: str) -> bool:
    """Return whether the text is an object or a list of JSON; ``{A, B} -> C`` is none."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        # As floats, since Python refuses to convert integers of 5,000 digits.
        json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        return False
    return True


def _read_object(source: Any, names: Sequence[str] | None, format: str | None) -> Draft:
    """Read anything but text, by what it is if no format is given."""
    if isinstance(source, type | ModuleType):
        raise GraphFormatError(
            f"A graph must be an object, and no class or module. Found {brief(source)}. Pass a "
            "graph that was made by it."
        )
    if format in MATRICES:
        return read_matrix(getattr(source, "adjacency_matrix_", source), names, format)
    is_mapping = isinstance(source, Mapping) and not reader_of(unwrap(source))
    if is_mapping and format in (None, *_MAPPINGS):
        return read_mapping(source, format)
    if format is not None:
        raise _wrong_format(source, format)
    if hasattr(source, "adjacency_matrix_"):
        return read_matrix(source.adjacency_matrix_, names, "lingam")
    if is_edge_list(source):
        return read_edges(source)
    try:
        graph = unwrap(source)
        read = reader_of(graph)
        if read:
            return read(graph, names)
    except CausalAugError:
        raise
    except Exception as error:
        # What answers like a graph of a library may still be none, and may raise anything.
        raise GraphFormatError(
            "A graph of another library must answer as those of that library do. Found a "
            f"{type(source).__name__}, which failed with {type(error).__name__}: "
            f"{str(error)[:100]}. Pass the graph itself, or its edges as a list of pairs."
        ) from error
    if hasattr(source, "shape") or _is_rows(source):
        raise needs_orientation()
    raise GraphFormatError(
        "A graph must be text, a path, a dictionary of parents, a list of edges, a matrix, or a "
        f"graph of another library. Found {brief(source)}, of type {type(source).__name__}. "
        "Write arrow text such as 'A -> B; B <-> C', or build ADMG(nodes, directed=[...])."
    )


def _is_rows(source: Any) -> bool:
    return isinstance(source, list) and bool(source) and isinstance(source[0], list)


def _wrong_format(source: object, format: str) -> GraphFormatError:
    return GraphFormatError(
        f"format={format!r} must fit the source. Found a {type(source).__name__}. "
        "Leave `format` out, or pass the source that it describes."
    )


def write_graph(graph: Any, format: str = "arrows") -> str:
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
