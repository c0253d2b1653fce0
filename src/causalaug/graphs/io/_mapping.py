"""A dictionary of parents: ``{"X1": ["Y"], "X2": ["Y"]}``."""

from collections.abc import Iterable, Mapping

from causalaug.exceptions import GraphFormatError
from causalaug.graphs.io._draft import Draft


def read_mapping(source: Mapping[str, Iterable[str]], *, values: str) -> Draft:
    """Read a dictionary whose values are "parents" or "children" of its keys.

    The keys come first in the order of nodes.
    """
    draft = Draft()
    for key in source:
        draft.add_node(_name(key))
    for key, others in source.items():
        for other in _names(key, others, values):
            draft.add_edge(_name(other), "->" if values == "parents" else "<-", key)
    return draft


def _names(key: str, others: object, values: str) -> Iterable[str]:
    """Return the names in a value: one string, or several in a collection."""
    if isinstance(others, str):
        return (others,)
    if isinstance(others, Mapping) or not isinstance(others, Iterable):
        raise GraphFormatError(
            f"A dictionary of {values} must map each node to a list of names. "
            f"Found {others!r} for {key!r}. Write {{{key!r}: ['A', 'B']}}, "
            f"or {{{key!r}: []}} if it has no {values}."
        )
    return others


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise GraphFormatError(
            "A dictionary must name nodes by strings. "
            f"Found {name!r}, of type {type(name).__name__}. Convert it."
        )
    return name
