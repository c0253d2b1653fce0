"""Graphs from data: discovery, the graphs it cannot tell apart, and averages over them."""

from causalaug.discovery._enumeration import enumerate_admgs
from causalaug.discovery._knowledge import Knowledge
from causalaug.discovery._pag import PAG

__all__ = [
    "PAG",
    "Knowledge",
    "enumerate_admgs",
]
