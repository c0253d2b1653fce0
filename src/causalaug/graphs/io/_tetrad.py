"""Tetrad's text: the nodes after ``Graph Nodes:``, numbered edges after ``Graph Edges:``."""

import re
from collections.abc import Collection, Iterator

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._shorten import plain, shown, slips
from causalaug.graphs.io._draft import Draft, check_arrow

_DIALECT = "Tetrad text"
_NODES, _EDGES = "graph nodes", "graph edges"
# Sections that say nothing of the edges: scores, and triples that drawings underline.
_REMARKS = re.compile(
    r"graph (?:attributes|node attributes|edge attributes)|(?:ambiguous|underline|dotted).*"
)
_HEADING = re.compile(r"((?:graph|ambiguous|underlines?|dotted)\b[^:;,>]*):", re.IGNORECASE)
_EDGE = re.compile(r"(?:[0-9]+\.\s*)?(\S.*?)\s+([<o*-]-[->o*])\s+(\S.*)")
# Tetrad's notes on an edge of a PAG, and how often a bootstrap found which edge.
_NOTES = re.compile(r"(?:(?:dd|nl|pd|pl)\s*)*(?:\[.*)?")


def read_tetrad(text: str) -> Draft:
    """Read nodes, of which those in parentheses are hidden, and edges; circles are refused."""
    draft = Draft()
    for where, section, line in _lines(text):
        if section == _NODES:
            for name in filter(None, map(str.strip, re.split("[;,]", line))):
                hidden = name.startswith("(") and name.endswith(")")
                draft.add_node(name[1:-1] if hidden else name, latent=hidden)
        else:
            left, mark, right = _edge(line, draft.nodes, where)
            draft.add_edge(left, check_arrow(mark, [left], [right], where), right)
    return draft


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the lines of the nodes and the edges: where they are, their section, their text."""
    section = ""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        where = f"{_DIALECT}, line {number}"
        heading = _HEADING.fullmatch(line)
        if heading:
            section = " ".join(heading.group(1).lower().split())
            if section not in (_NODES, _EDGES) and not _REMARKS.fullmatch(section):
                raise GraphFormatError(
                    f"{where}: a section must be 'Graph Nodes:' or 'Graph Edges:'. Found "
                    f"{shown(line)}. Remove it if it does not change the graph."
                )
        elif line and section in (_NODES, _EDGES):
            yield where, section, line
        elif line and not section:
            raise GraphFormatError(
                f"{where}: the text must begin with 'Graph Nodes:'. Found {shown(line)}."
            )


def _edge(line: str, nodes: Collection[str], where: str) -> tuple[str, str, str]:
    """Return the left node, the mark and the right node of an edge."""
    match = _EDGE.fullmatch(line)
    if match is None:
        raise GraphFormatError(
            f"{where}: an edge must be written as '1. A --> B'. Found {shown(line)}. Correct it."
        )
    left, mark, right = match.groups()
    if right not in nodes:
        right, _, notes = right.partition(" ")
        if not _NOTES.fullmatch(notes.strip()):
            raise GraphFormatError(
                f"{where}: after an edge only Tetrad's own notes may stand. Found "
                f"{shown(notes)}. Remove it."
            )
    for name in (left, right):
        if name not in nodes:
            raise GraphFormatError(
                f"{where}: the edge {plain(left)} {mark} {plain(right)} must join nodes that are "
                f"listed under 'Graph Nodes:'. Not there: {shown(name)}. "
                f"{slips([name], nodes)}Add it to the list, or correct the edge."
            )
    return left, mark, right
