"""Hypothesis strategies for causal graphs."""

from itertools import combinations

from hypothesis import strategies as st

from causalaug.graphs import ADMG


@st.composite
def admgs(draw, min_nodes=1, max_nodes=6, names=None, bidirected=True):
    """Draw an ADMG; its causal order is independent of its node order.

    `names` is a strategy for node names (by default V0, V1, ...); without `bidirected`
    the graph is a DAG.
    """
    if names is None:
        nodes = [f"V{i}" for i in range(draw(st.integers(min_nodes, max_nodes)))]
    else:
        nodes = draw(st.lists(names, min_size=min_nodes, max_size=max_nodes, unique=True))
    causal_order = draw(st.permutations(nodes))
    pairs = list(combinations(causal_order, 2))
    directed = draw(_subset(pairs))
    return ADMG(nodes, directed, draw(_subset(pairs)) if bidirected else ())


def _subset(items):
    flags = st.lists(st.booleans(), min_size=len(items), max_size=len(items))
    return flags.map(
        lambda chosen: [item for item, kept in zip(items, chosen, strict=True) if kept]
    )


@st.composite
def believed(draw, graphs=None):
    """Draw an ADMG some of whose edges have beliefs."""
    graph = draw(admgs() if graphs is None else graphs)
    edges = [(a, "->", b) for a, b in graph.directed] + [(a, "<->", b) for a, b in graph.bidirected]
    shares = st.floats(0, 1) | st.sampled_from([0.0, 0.7, 1.0])
    beliefs = {edge: draw(shares) for edge in draw(_subset(edges))}
    return ADMG(graph.nodes, graph.directed, graph.bidirected, beliefs)
