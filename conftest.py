"""Modules whose optional dependency is missing are no place to look for doctests."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("numba") else ["src/causalaug/experiments/_exact_trees.py"]
