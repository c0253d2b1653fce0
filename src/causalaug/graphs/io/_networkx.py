"""Graphs of networkx, and those of pgmpy and DoWhy, which are or hold networkx graphs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Integral
from typing import Any

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._shorten import plain, shown
from causalaug.graphs.io._draft import Draft, belief_in, is_latent
from causalaug.graphs.io._drawn_edges import DRAWN_BY, drawn_arrow


def read_networkx(source: Any, names: Iterable[str] | None) -> Draft:
    """Read a directed graph; attributes mark bidirected edges and hidden nodes.

    An edge is bidirected if its attributes or its key say so, as in pgmpy's ADMG; if they draw
    it otherwise than from its first node to its second, as in a graph that was read from DOT
    text, it is read as that text is. The attribute ``belief`` is the belief in it. A node is hidden
    if its attributes say so, as in DoWhy, or if it is among `latents`, as in pgmpy.
    """
    if not source.is_directed():
        raise GraphFormatError(
            "A networkx graph must be directed. Found an undirected "
            f"{type(source).__name__}. Build a networkx.DiGraph, with each edge from cause "
            "to effect."
        )
    name = _namer(source, names)
    draft = Draft()
    latents = getattr(source, "latents", ())
    for node, attributes in source.nodes(data=True):
        draft.add_node(name(node), latent=node in latents or is_latent(attributes))
    where = f"networkx {type(source).__name__}"
    for a, b, attributes in _edges(source):
        left, right = name(a), name(b)
        arrow = drawn_arrow(attributes, [left], [right], where, draft.latent)
        _check_defaults(source, arrow, attributes, left, right)
        draft.add_edge(left, arrow, right, belief_in(attributes, where))
    draft.check_one_way(where)
    return draft


def _edges(source: Any) -> Iterator[tuple[Any, Any, Mapping[str, object]]]:
    """Yield the edges with their attributes; a key may say of which kind an edge is."""
    if not source.is_multigraph():
        yield from source.edges(data=True)
        return
    for a, b, key, attributes in source.edges(keys=True, data=True):
        yield a, b, {"kind": key, **attributes}


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
            "A networkx graph must say on each edge which way it runs. Found "
            f"{shown(drawn)} for all edges, of which networkx does not know where it began to "
            f"hold; {plain(left)} -> {plain(right)} does not say. Pass the DOT text itself, or "
            "set the attributes of each edge."
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
        "The nodes of a networkx graph must be strings, or numbers that count from 0 in "
        f"`names`. Found {shown(wrong[0])}, of type {type(wrong[0]).__name__}, and "
        f"{len(listed)} names. Write networkx.relabel_nodes(graph, str), or pass "
        "names=list(frame.columns)."
    )
