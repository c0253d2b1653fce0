"""Graphs of networkx, and those of pgmpy and DoWhy, which are or hold networkx graphs."""

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._shorten import shown
from causalaug.graphs.io._draft import Draft, is_bidirected, is_latent


def read_networkx(source: Any, names: Iterable[str] | None) -> Draft:
    """Read a directed graph; attributes mark bidirected edges and hidden nodes.

    An edge is bidirected if its attributes or its key say so, as in pgmpy's ADMG. A node
    is hidden if its attributes say so, as in DoWhy, or if it is among `latents`, as in
    pgmpy.
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
    keyed = source.edges(keys=True, data=True) if source.is_multigraph() else ()
    plain = () if source.is_multigraph() else source.edges(data=True)
    for a, b, key, attributes in (*keyed, *((a, b, None, found) for a, b, found in plain)):
        bidirected = is_bidirected({**attributes, "kind": attributes.get("kind", key)})
        draft.add_edge(name(a), "<->" if bidirected else "->", name(b))
    draft.check_one_way(f"networkx {type(source).__name__}")
    return draft


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
