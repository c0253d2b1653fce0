"""Lists of edges, ``[("A", "B"), ("B", "<->", "C")]``, and dictionaries of parents or children."""

from collections.abc import Iterable, Mapping, Set
from typing import Any

from causalaug._validation import brief
from causalaug.exceptions import GraphFormatError
from causalaug.graphs._checks import can_be_listed
from causalaug.graphs.io._draft import Draft


def is_edge_list(source: Any) -> bool:
    """Return whether the source is a list of pairs that name nodes, and no matrix."""
    if getattr(getattr(source, "dtype", None), "kind", "") == "U":
        return True
    if isinstance(source, Set):
        return any(map(_has_name, source))
    return isinstance(source, list | tuple) and bool(source) and _has_name(source[0])


def _has_name(entry: object) -> bool:
    return isinstance(entry, list | tuple | Set) and any(isinstance(part, str) for part in entry)


def read_edges(source: Any) -> Draft:
    """Read pairs (cause, effect) and triples (node, arrow, node)."""
    if isinstance(source, Set):
        raise GraphFormatError(
            f"An edge list must be a list. Found {brief(source)}, a {type(source).__name__}, "
            "whose order is not fixed. Write [...], or sorted(...)."
        )
    draft = Draft()
    for entry in source.tolist() if hasattr(source, "tolist") else source:
        is_edge = isinstance(entry, list | tuple) and len(entry) in (2, 3)
        if not is_edge or not all(isinstance(part, str) for part in entry):
            raise GraphFormatError(
                "An edge list must hold pairs (cause, effect) or triples (node, arrow, node) of "
                f"texts. Found {brief(entry)}. Write ('A', 'B'), or ('A', '<->', 'B')."
            )
        left, arrow, right = entry if len(entry) == 3 else (entry[0], "->", entry[1])
        draft.add_marked(left, arrow, right, "Edge list")
    return draft


def read_mapping(source: Mapping[Any, Any], values: str | None) -> Draft:
    """Read a dictionary whose values are "parents" or "children" of its keys.

    They are parents unless it says so itself, as ``{"children": {"cause": ["effect"]}}`` does.
    The keys come first in the order of nodes.
    """
    if values is None:
        heading = [word for word in ("parents", "children") if list(source) == [word]]
        if heading and isinstance(source[heading[0]], Mapping):
            values, source = heading[0], source[heading[0]]
        else:
            values = "parents"
            _check_no_node_link(source)
    draft = Draft()
    for key in source:
        draft.add_node(_name(key))
    for key, others in source.items():
        for other in _names(key, others, values):
            draft.add_edge(_name(other), "->" if values == "parents" else "<-", key)
    return draft


def _check_no_node_link(source: Mapping[Any, Any]) -> None:
    """Raise if the keys are those of node-link data, which is no dictionary of parents."""
    if "nodes" in source and ("links" in source or "edges" in source):
        raise GraphFormatError(
            f"A dictionary must map nodes to parents. Found node-link data: {brief(list(source))}. "
            "Write read_graph(networkx.node_link_graph(data)), or format='parents' for nodes."
        )


def _names(key: str, others: Any, values: str) -> Iterable[Any]:
    """Return the names in a value: one string, or several in a collection."""
    if isinstance(others, str):
        return (others,)
    problem = ""
    if isinstance(others, Mapping):
        problem = (
            "A dictionary of networkx maps to children: write "
            "read_graph(networkx.from_dict_of_dicts(data, networkx.DiGraph))."
        )
    elif not can_be_listed(others):
        problem = f"Write ['A', 'B'], or [] if it has no {values}."
    elif isinstance(others, Set) and len(others) > 1:
        problem = (
            "The order of a set is not fixed, and the order of nodes follows it: write a list, or "
            "sorted(...)."
        )
    if problem:
        raise GraphFormatError(
            f"A dictionary of {values} must map each node to a list of names. Found "
            f"{brief(others)} for {brief(key)}. {problem}"
        )
    return tuple(others)


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise GraphFormatError(
            "A dictionary must name nodes by strings. "
            f"Found {brief(name)}, of type {type(name).__name__}. Convert it."
        )
    return name
