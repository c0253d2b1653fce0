"""A dictionary of parents: ``{"X1": ["Y"], "X2": ["Y"]}``; of children if it says so."""

from collections.abc import Iterable, Mapping, Set
from typing import Any

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._checks import can_be_listed
from causalaug.graphs._shorten import shown
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


def open_mapping(source: Mapping[Any, Any]) -> tuple[Mapping[str, Iterable[str]], str]:
    """Return a dictionary and what its values are: parents, unless it says so itself.

    >>> open_mapping({"children": {"cause": ["effect"]}})
    ({'cause': ['effect']}, 'children')
    """
    for values in ("parents", "children"):
        if list(source) == [values] and isinstance(source[values], Mapping):
            return source[values], values
    check_no_node_link(source)
    return source, "parents"


def check_no_node_link(source: Mapping[Any, Any]) -> None:
    """Raise if the keys are those of node-link data, which is no dictionary of parents."""
    if "nodes" in source and ("links" in source or "edges" in source):
        raise GraphFormatError(
            "A dictionary must map each node to its parents. Found the keys of node-link data: "
            f"{shown(list(source))}. Write read_graph(networkx.node_link_graph(data)), or "
            "format='parents' if these are the names of nodes."
        )


def _names(key: str, others: Any, values: str) -> Iterable[str]:
    """Return the names in a value: one string, or several in a collection."""
    if isinstance(others, str):
        return (others,)
    if isinstance(others, Mapping) or not can_be_listed(others):
        raise GraphFormatError(
            f"A dictionary of {values} must map each node to a list of names. "
            f"Found {shown(others)} for {shown(key)}. Write {{{shown(key)}: ['A', 'B']}}, "
            f"or {{{shown(key)}: []}} if it has no {values}.{_of_networkx(others)}"
        )
    if isinstance(others, Set) and len(others) > 1:
        raise GraphFormatError(
            f"A dictionary of {values} must map each node to a list of names. Found "
            f"{shown(others)} for {shown(key)}, a set, whose order is not fixed, while the order "
            f"of nodes follows it. Write a list, or sorted(...)."
        )
    return others


def _of_networkx(others: object) -> str:
    """Return a remark on a dictionary in a dictionary, as networkx has them."""
    if not isinstance(others, Mapping):
        return ""
    return (
        " A dictionary of networkx maps to children: write "
        "read_graph(networkx.from_dict_of_dicts(data, networkx.DiGraph))."
    )


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise GraphFormatError(
            "A dictionary must name nodes by strings. "
            f"Found {shown(name)}, of type {type(name).__name__}. Convert it."
        )
    return name
