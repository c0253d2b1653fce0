"""Which edge is meant by the attributes that it is drawn with: ``dir=back``, ``arrowhead=none``.

They stand in DOT text, and in graphs of networkx and GML text that were made from it. All readers
ask here, so that one drawing is one graph, whichever way it came.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._shorten import group
from causalaug.graphs.io._draft import check_arrow, is_bidirected, unquoted

DRAWN_BY = ("dir", "arrowhead", "arrowtail", "style")
"""The attributes that say what an edge looks like, as far as that bears on its meaning."""

_ENDS = {"forward": (False, True), "back": (True, False), "both": (True, True)}
_CIRCLES = ("dot", "odot")


def drawn_arrow(
    attributes: Mapping[str, object],
    left: Sequence[str],
    right: Sequence[str],
    where: str,
    latent: Collection[str],
) -> str:
    """Return the arrow of an edge that runs from `left` to `right`, or raise if it has none.

    A mark such as ``bidirected=1`` is stronger than any drawing. A dashed arrow may be a hidden
    common cause, or may just be dashed, unless one of its ends is `latent`.

    >>> drawn_arrow({"dir": "back"}, ["A"], ["B"], "line 1", latent=())
    '<-'
    """
    if is_bidirected({k: v for k, v in attributes.items() if str(k).lower() != "dir"}):
        return "<->"
    drawing = _drawing(attributes)
    is_dashed = "dir" not in drawing and "dashed" in drawing.get("style", "")
    if is_dashed and not any(name in latent for name in (*left, *right)):
        raise GraphFormatError(
            f"{where}: a dashed edge must say its direction. Found style=dashed alone on "
            f"{group(left)} -> {group(right)}. Add dir=both for a hidden common "
            "cause, or dir=forward for a directed edge."
        )
    return check_arrow(_mark(drawing), left, right, where)


def _drawing(attributes: Mapping[str, object]) -> dict[str, str]:
    """Return the attributes that are drawn, as text; one that is empty counts as not set."""
    drawing = {}
    for key in DRAWN_BY:
        # Foreign objects may do anything when they are asked for their text.
        with suppress(Exception):
            value = attributes.get(key)
            text = "" if value is None else unquoted(value)
            if text:
                drawing[key] = text
    return drawing


def _mark(drawing: Mapping[str, str]) -> str:
    """Return the mark that Graphviz draws: the direction says which ends have a head."""
    tail, head = _ENDS.get(drawing.get("dir", "forward"), (False, False))
    left = _end(drawing.get("arrowtail", "normal"), "<") if tail else ""
    right = _end(drawing.get("arrowhead", "normal"), ">") if head else ""
    return f"{left}-{right}" if left or right else "--"


def _end(shape: str, arrow: str) -> str:
    return "" if shape == "none" else "o" if shape in _CIRCLES else arrow
