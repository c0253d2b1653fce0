"""Graphs of other libraries, known by the methods that they have.

Those of networkx, and of pgmpy and DoWhy, which are or hold networkx graphs; of causal-learn, whose
edges have a mark at both ends; of ananke, with sets of edges beside named vertices; of
pywhy-graphs, with one network per kind of edge.
"""

from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any

from causalaug._validation import brief
from causalaug.exceptions import GraphFormatError
from causalaug.graphs._checks import check_ordered, plain
from causalaug.graphs.io._draft import DRAWN_BY, Draft, belief_in, drawn_arrow, is_latent

_LEFT = {"TAIL": "-", "ARROW": "<-", "CIRCLE": "o-", "STAR": "*-"}
_RIGHT = {"TAIL": "", "ARROW": ">", "CIRCLE": "o", "STAR": "*"}
_PYWHY = {"directed": "->", "bidirected": "<->", "undirected": "--", "circle": "-o"}


def reader_of(source: Any) -> Callable[[Any, Iterable[str] | None], Draft] | None:
    """Return what reads the graph that the source is or holds; None if it is no such graph."""
    for methods, read in (
        (("get_graph_edges", "get_nodes"), _read_causallearn),
        (("vertices", "di_edges"), _read_ananke),
        (("get_graphs", "edge_types"), _read_pywhy),
        (("is_directed", "is_multigraph", "nodes"), read_networkx),
    ):
        if all(hasattr(source, method) for method in methods):
            return read
    return None


def unwrap(source: Any) -> Any:
    """Return the graph inside a result: of causal-learn's searches, of DoWhy's models."""
    if isinstance(source, Mapping):
        return source.get("G", source)
    if isinstance(source, tuple):
        return source[0] if source else source
    inner = source
    # An object may hold itself, and so never a graph; DoWhy needs two steps.
    for _ in range(5):
        if reader_of(inner):
            return inner
        held = (getattr(inner, attribute, None) for attribute in ("_graph", "graph", "G"))
        found = [each for each in held if each is not None and not isinstance(each, Mapping)]
        if not found:
            break
        inner = found[0]
    return source


def read_networkx(source: Any, names: Iterable[str] | None, where: str = "") -> Draft:
    """Read a directed graph; attributes mark bidirected edges and hidden nodes.

    An edge is bidirected if its attributes or its key say so, as in pgmpy's ADMG; if they draw
    it otherwise than from its first node to its second, as in a graph that was read from DOT
    text, it is read as that text is. The attribute ``belief`` is the belief in it. A node is hidden
    if its attributes say so, as in DoWhy, or if it is among `latents`, as in pgmpy.
    """
    if not source.is_directed():
        raise GraphFormatError(
            f"A networkx graph must be directed. Found an undirected {type(source).__name__}. "
            "Build a networkx.DiGraph, with each edge from cause to effect."
        )
    name = _namer(source, names)
    draft = Draft()
    latents = getattr(source, "latents", ())
    for node, attributes in source.nodes(data=True):
        draft.add_node(name(node), latent=node in latents or is_latent(attributes))
    where = where or f"networkx {type(source).__name__}"
    keys = {"keys": True} if source.is_multigraph() else {}
    for a, b, *key, attributes in source.edges(data=True, **keys):
        # A key may say of which kind an edge is.
        marks = {"kind": key[0], **attributes} if key else attributes
        left, right = name(a), name(b)
        arrow = drawn_arrow(marks, [left], [right], where, draft.latent)
        _check_defaults(source, arrow, marks, left, right)
        draft.add_edge(left, arrow, right, belief_in(attributes, where))
    draft.check_one_way(where)
    return draft


def _check_defaults(
    source: Any, arrow: str, attributes: Mapping[str, object], left: str, right: str
) -> None:
    """Raise if ``edge [dir=back]`` in the DOT text of a graph may change what an edge means.

    networkx keeps the first such statement, and not which edges come after it.
    """
    kept = getattr(source, "graph", {}).get("edge")
    defaults = kept if isinstance(kept, Mapping) else {}
    drawn = {key: defaults[key] for key in DRAWN_BY if key in defaults}
    if not drawn:
        return
    where = "the defaults for edges"
    if drawn_arrow({**drawn, **attributes}, [left], [right], where, ()) != arrow:
        raise GraphFormatError(
            "A networkx graph must say on each edge which way it runs. Found a default, "
            f"{brief(drawn)}, that may hold for {plain(left)} -> {plain(right)} or not. Pass the "
            "DOT text itself, or set the attributes of each edge."
        )


def _namer(source: Any, names: Iterable[str] | None) -> Callable[[Any], str]:
    """Return how nodes are called: by themselves, or if they are numbers by `names`."""
    wrong = [node for node in source if not isinstance(node, str)]
    if not wrong:
        return str
    listed = () if names is None else tuple(names)
    # A float or a truth value may equal a number, but it does not count.
    counts = all(isinstance(node, Integral) and not isinstance(node, bool) for node in source)
    if counts and all(0 <= node < len(listed) for node in source):
        return lambda node: listed[int(node)]
    raise GraphFormatError(
        "The nodes of a networkx graph must be strings, or numbers that count from 0 in `names`. "
        f"Found {brief(wrong[0])}, of type {type(wrong[0]).__name__}, and {len(listed)} names. "
        "Write networkx.relabel_nodes(graph, str), or pass names=list(frame.columns)."
    )


def _read_causallearn(source: Any, names: Iterable[str] | None) -> Draft:
    """Read a GeneralGraph or a Dag; undirected edges and circles are refused."""
    draft = Draft()
    for node in source.get_nodes():
        kind = getattr(node.get_node_type(), "name", "")
        draft.add_node(node.get_name(), latent=kind == "LATENT")
    for edge in source.get_graph_edges():
        a, b = edge.get_node1().get_name(), edge.get_node2().get_name()
        left, right = edge.get_endpoint1().name, edge.get_endpoint2().name
        mark = _LEFT.get(left, left) + _RIGHT.get(right, right)
        draft.add_marked(a, "--" if mark == "-" else mark, b, "causal-learn graph")
    return draft


def _read_ananke(source: Any, names: Iterable[str] | None) -> Draft:
    """Read an ADMG or a DAG; undirected edges are refused."""
    draft = Draft(dict.fromkeys(check_ordered(source.vertices, "The vertices of a graph")))
    for attribute, mark in (("ud_edges", "--"), ("di_edges", "->"), ("bi_edges", "<->")):
        for a, b in sorted(getattr(source, attribute, ())):
            # Its latent projections leave loops a <-> a, which say nothing.
            if a != b or mark != "<->":
                draft.add_marked(a, mark, b, "ananke graph")
    return draft


def _read_pywhy(source: Any, names: Iterable[str] | None) -> Draft:
    """Read an ADMG; the undirected and circle edges of a CPDAG or PAG are refused."""
    draft = Draft(dict.fromkeys(source.nodes))
    for kind, network in source.get_graphs().items():
        for a, b in network.edges():
            draft.add_marked(a, _PYWHY.get(kind, kind), b, "pywhy-graphs graph")
    return draft
