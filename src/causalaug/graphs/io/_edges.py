"""Edge lists: ``[("A", "B"), ("B", "<->", "C")]``."""

from collections.abc import Sequence, Set
from typing import Any

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._shorten import shown
from causalaug.graphs.io._draft import Draft, check_arrow


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
            f"An edge list must be a list. Found {shown(source)}, a {type(source).__name__}, "
            "whose order is not fixed, while the order of nodes follows it. Write [...], or "
            "sorted(...)."
        )
    draft = Draft()
    for entry in source.tolist() if hasattr(source, "tolist") else source:
        left, arrow, right = _checked(entry)
        draft.add_edge(left, check_arrow(arrow, [left], [right], "Edge list"), right)
    return draft


def _checked(entry: Any) -> Sequence[str]:
    """Return an entry as a triple of texts, or raise if it is no edge."""
    is_edge = isinstance(entry, list | tuple) and len(entry) in (2, 3)
    if not is_edge or not all(isinstance(part, str) for part in entry):
        raise GraphFormatError(
            "An edge list must hold pairs (cause, effect) or triples (node, arrow, node) of "
            f"texts. Found {shown(entry)}. Write ('A', 'B'), or ('A', '<->', 'B')."
        )
    return entry if len(entry) == 3 else (entry[0], "->", entry[1])
