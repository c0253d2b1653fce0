"""Graphs from data: discovery, the graphs it cannot tell apart, and averages over them."""

from causalaug.discovery._average import augment_average
from causalaug.discovery._bootstrap import bootstrap_edges
from causalaug.discovery._discover import discover, discover_class, discover_explained
from causalaug.discovery._knowledge import Knowledge
from causalaug.discovery._members import choose_admg, enumerate_admgs
from causalaug.discovery._origins import Discovery, edge_origins
from causalaug.discovery._pag import PAG, register_chooser

register_chooser(lambda pag: choose_admg(pag, Knowledge()))

__all__ = [
    "PAG",
    "Discovery",
    "Knowledge",
    "augment_average",
    "bootstrap_edges",
    "discover",
    "discover_class",
    "discover_explained",
    "edge_origins",
    "enumerate_admgs",
]
