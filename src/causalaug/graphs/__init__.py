"""Causal graphs: the graph itself, questions to it, reading and writing it."""

from causalaug.graphs._admg import ADMG, BUILT_ON, as_graph, markov_pillow
from causalaug.graphs._drawing import draw_alone
from causalaug.graphs._edges import GraphDifference
from causalaug.graphs._layout import layered_layout
from causalaug.graphs._queries import (
    complete_graph,
    latent_projection,
    m_separated,
    select_markov_blanket,
)
from causalaug.graphs._several import SeveralGraphs
from causalaug.graphs._tiers import tiers
from causalaug.graphs.io import read_graph, write_graph

BUILT_ON.update(read=read_graph, draw=draw_alone)

__all__ = [
    "ADMG",
    "GraphDifference",
    "SeveralGraphs",
    "as_graph",
    "complete_graph",
    "latent_projection",
    "layered_layout",
    "m_separated",
    "markov_pillow",
    "read_graph",
    "select_markov_blanket",
    "tiers",
    "write_graph",
]
