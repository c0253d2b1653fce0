"""Tetrad's texts: graphs, ``Graph Nodes:`` and ``Graph Edges:``, and knowledge, ``addtemporal``.

The tiers of knowledge become an order. A required edge within a tier becomes a directed one, and a
forbidden edge is left out where no other variable of the tier can carry the effect; see
`graphs._tiers`.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from causalaug._validation import brief, some
from causalaug.exceptions import GraphFormatError
from causalaug.graphs._checks import Edge, plain, slips
from causalaug.graphs._tiers import order_graph
from causalaug.graphs.io._draft import Draft

_GRAPH = "Tetrad text"
_NODES, _EDGES = "graph nodes", "graph edges"
# Sections that say nothing of the edges: scores, and triples that drawings underline.
_REMARKS = re.compile(
    r"graph (?:attributes|node attributes|edge attributes)|(?:ambiguous|underline|dotted).*"
)
_HEADING = re.compile(r"((?:graph|ambiguous|underlines?|dotted)\b[^:;,>]*):", re.IGNORECASE)
_EDGE = re.compile(r"(?:[0-9]+\.\s*)?(\S.*?)\s+([<o*-]-[->o*])\s+(\S.*)")
# Tetrad's notes on an edge of a PAG, and how often a bootstrap found which edge.
_NOTES = re.compile(r"(?:(?:dd|nl|pd|pl)\s*)*(?:\[.*)?")

_KNOWLEDGE = "Tetrad knowledge"
_SECTIONS = ("addtemporal", "forbiddirect", "requiredirect")
# A star forbids edges within the tier, a minus those to any tier but the next.
_TIER = re.compile(r"([0-9]+)([*-]*)(?:[\s,:]+(.*))?")
_WORD = re.compile(r"[^\s,]+")


def read_tetrad(text: str) -> Draft:
    """Read nodes, of which those in parentheses are hidden, and edges; circles are refused."""
    draft = Draft()
    for where, section, line in _graph_lines(text):
        if section == _NODES:
            for name in filter(None, map(str.strip, re.split("[;,]", line))):
                hidden = name.startswith("(") and name.endswith(")")
                draft.add_node(name[1:-1] if hidden else name, latent=hidden)
        else:
            left, mark, right = _graph_edge(line, draft.nodes, where)
            draft.add_marked(left, mark, right, where)
    return draft


def _graph_lines(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the lines of the nodes and the edges: where they are, their section, their text."""
    section = ""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        where = f"{_GRAPH}, line {number}"
        heading = _HEADING.fullmatch(line)
        if heading:
            section = " ".join(heading.group(1).lower().split())
            if section not in (_NODES, _EDGES) and not _REMARKS.fullmatch(section):
                raise GraphFormatError(
                    f"{where}: a section must be 'Graph Nodes:' or 'Graph Edges:'. Found "
                    f"{brief(line)}. Remove it if it does not change the graph."
                )
        elif line and section in (_NODES, _EDGES):
            yield where, section, line
        elif line and not section:
            raise GraphFormatError(
                f"{where}: the text must begin with 'Graph Nodes:'. Found {brief(line)}."
            )


def _graph_edge(line: str, nodes: Collection[str], where: str) -> tuple[str, str, str]:
    """Return the left node, the mark and the right node of an edge."""
    match = _EDGE.fullmatch(line)
    if match is None:
        raise GraphFormatError(
            f"{where}: an edge must be written as '1. A --> B'. Found {brief(line)}. Correct it."
        )
    left, mark, right = match.groups()
    if right not in nodes:
        right, _, notes = right.partition(" ")
        if not _NOTES.fullmatch(notes.strip()):
            raise GraphFormatError(
                f"{where}: after an edge only Tetrad's own notes may stand. Found "
                f"{brief(notes)}. Remove it."
            )
    for name in (left, right):
        if name not in nodes:
            raise GraphFormatError(
                f"{where}: an edge must join nodes listed under 'Graph Nodes:'. Not there: "
                f"{brief(name)}. {slips([name], nodes)}Add it to the list, or correct the edge."
            )
    return left, mark, right


@dataclass
class _Knowledge:
    """What the lines say; with each edge the place where it stands."""

    tiers: dict[int, list[str]] = field(default_factory=dict)
    marks: dict[int, str] = field(default_factory=dict)
    tier_of: dict[str, int] = field(default_factory=dict)
    forbidden: dict[Edge, str] = field(default_factory=dict)
    required: dict[Edge, str] = field(default_factory=dict)


def read_knowledge(text: str) -> Draft:
    """Read tiers, forbidden and required edges as a graph; every variable must be in a tier."""
    found = _Knowledge()
    for where, section, line in _lines(text):
        if section == "addtemporal":
            _read_tier(line, where, found)
        else:
            edges = found.forbidden if section == "forbiddirect" else found.required
            edges[_read_edge(line, where)] = where
    if not found.tiers:
        raise GraphFormatError(
            f"{_KNOWLEDGE} must put the variables into tiers to be a graph. Found no line such as "
            "'1 age sex' after 'addtemporal'. Add the tiers, or pass the file to a search."
        )
    _check_edges(found)
    numbers = sorted(found.tiers)
    groups = [found.tiers[number] for number in numbers]
    graph = order_graph(groups, {*found.forbidden, *_marked(found, numbers)}, [*found.required])
    return Draft.of(graph)


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the lines that say something: where they are, their section, their text."""
    section = ""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        where = f"{_KNOWLEDGE}, line {number}"
        if not line or line.startswith(("#", "//")) or line.lower() == "/knowledge":
            continue
        if line.lower() in _SECTIONS:
            section = line.lower()
        elif line.startswith("/") or (line.isalpha() and len(line.split()) == 1) or not section:
            raise GraphFormatError(
                f"{where}: a section must be one of {', '.join(_SECTIONS)}. Found {brief(line)}. "
                "Remove it, or write what it says as tiers and pairs of variables."
            )
        else:
            yield where, section, line


def _read_tier(line: str, where: str, found: _Knowledge) -> None:
    """Read ``1 age sex``: the number of a tier and its variables."""
    match = _TIER.fullmatch(line)
    names = _WORD.findall(match[3] or "") if match else []
    if match is None or not names:
        raise GraphFormatError(
            f"{where}: a tier must be written as '1 age sex', a number and the names of its "
            f"variables. Found {brief(line)}. Correct it, or remove an empty tier."
        )
    number = int(match[1])
    for name in names:
        if name in found.tier_of:
            raise GraphFormatError(
                f"{where}: a variable must be in one tier. Found {brief(name)} in tier {number} "
                f"and before that in tier {found.tier_of[name]}. Remove one."
            )
        found.tier_of[name] = number
        found.tiers.setdefault(number, []).append(name)
    found.marks[number] = found.marks.get(number, "") + match[2]


def _read_edge(line: str, where: str) -> Edge:
    """Read ``cause effect``, with or without an arrow between."""
    names = [word for word in _WORD.findall(line) if word not in ("-->", "->")]
    if len(names) != 2 or names[0] == names[1]:
        raise GraphFormatError(
            f"{where}: an edge must be written as the names of its cause and its effect. Found "
            f"{brief(line)}. Write 'age smoking' for an edge from age to smoking."
        )
    return names[0], names[1]


def _check_edges(found: _Knowledge) -> None:
    """Raise unless the edges join variables of tiers, and the required ones are allowed."""
    for edge, where in [*found.forbidden.items(), *found.required.items()]:
        for name in edge:
            if name not in found.tier_of:
                raise GraphFormatError(
                    f"{where}: an edge must join variables that are in tiers. Not there: "
                    f"{brief(name)}. {slips([name], found.tier_of)}The tiers hold "
                    f"{some(found.tier_of)}. Add it to one."
                )
    for (cause, effect), where in found.required.items():
        if (cause, effect) in found.forbidden:
            raise GraphFormatError(
                f"{where}: an edge must not be required and forbidden. Found {plain(cause)} -> "
                f"{plain(effect)} forbidden in {found.forbidden[cause, effect]}. Remove one."
            )
        if found.tier_of[cause] > found.tier_of[effect]:
            raise GraphFormatError(
                f"{where}: a required edge must not run from a later tier to an earlier one. "
                f"Found {plain(cause)} -> {plain(effect)}, from tier {found.tier_of[cause]} to "
                f"tier {found.tier_of[effect]}. Remove it, or move a variable."
            )


def _marked(found: _Knowledge, numbers: Sequence[int]) -> Iterator[Edge]:
    """Yield the edges that the marks of tiers forbid, but for those that are required."""
    for place, number in enumerate(numbers):
        edges = list[Edge]()
        if "*" in found.marks[number]:
            edges += permutations(found.tiers[number], 2)
        if "-" in found.marks[number]:
            later = [name for each in numbers[place + 2 :] for name in found.tiers[each]]
            edges += ((cause, effect) for cause in found.tiers[number] for effect in later)
        yield from (edge for edge in edges if edge not in found.required)
