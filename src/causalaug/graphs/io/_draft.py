"""A graph in the making: what a reader has found so far."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG
from causalaug.graphs._checks import Edge
from causalaug.graphs._queries import latent_projection
from causalaug.graphs._shorten import group, listed, plain, shown, slips

ARROWS = ("->", "<-", "<->")
MOST_EDGES = 10_000_000
"""Two groups of 10,000 names are a short text and 100 million edges: refused in time."""

_SYNONYMS = {"-->": "->", "<--": "<-", "---": "--", "→": "->", "←": "<-", "↔": "<->"}
_YES = {"1", "1.0", "true", "yes"}
_NO = {"0", "0.0", "false", "no"}


@dataclass
class Draft:
    """Nodes in the order of their first mention, edges, which nodes are hidden, and warnings."""

    nodes: dict[str, None] = field(default_factory=dict)
    directed: list[Edge] = field(default_factory=list)
    bidirected: list[Edge] = field(default_factory=list)
    latent: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    def add_node(self, name: str, *, latent: bool = False) -> None:
        """Mention a node."""
        self.nodes[name] = None
        if latent:
            self.latent.add(name)

    def add_edge(self, left: str, arrow: str, right: str) -> None:
        """Add an edge as it is drawn; its nodes are mentioned by it."""
        self.add_node(left)
        self.add_node(right)
        if arrow == "<->":
            self.bidirected.append((left, right))
        else:
            self.directed.append((left, right) if arrow == "->" else (right, left))

    def add_chain(self, terms: Sequence[Sequence[str]], arrows: Sequence[str]) -> None:
        """Add ``A -> {B C} <- D``: each node of a term is joined to each of the next."""
        for name in (name for term in terms for name in term):
            self.add_node(name)
        for left, arrow, right in zip(terms, arrows, terms[1:], strict=False):
            check_size(len(self.directed) + len(self.bidirected), left, arrow, right)
            for a, b in product(left, right):
                self.add_edge(a, arrow, b)

    def check_one_way(self, source: str) -> None:
        """Raise if an edge runs both ways, which each library takes to mean another thing."""
        backward = {(b, a) for a, b in self.directed if a != b}
        both_ways = sorted(backward.intersection(self.directed))
        if both_ways:
            a, b = both_ways[0]
            raise GraphFormatError(
                f"{source}: an edge must run one way. Found both {plain(a)} -> {plain(b)} and "
                f"{plain(b)} -> {plain(a)}, "
                "which may mean an undirected edge or a hidden common cause. Keep one, or "
                f"build ADMG(nodes, directed=[...], bidirected=[({shown(a)}, {shown(b)})])."
            )

    def finish(self, names: Sequence[str] | None) -> ADMG:
        """Return the graph of the observed nodes, ordered and completed by `names`."""
        if not self.nodes.keys() - self.latent:
            raise GraphFormatError(
                "A graph must have at least one observed node. "
                f"Found {listed(self.nodes) if self.nodes else 'nothing'}. "
                "Name a variable of the data."
            )
        graph = ADMG(self.nodes, self.directed, self.bidirected)
        if self.latent:
            observed = [node for node in graph.nodes if node not in self.latent]
            graph = latent_projection(graph, keep=observed)
        return arrange(graph, names, self.latent)


def check_size(n_edges: int, left: Sequence[str], arrow: str, right: Sequence[str]) -> None:
    """Raise if joining two groups makes too many edges, beside those that are there."""
    n_edges += len(left) * len(right)
    if n_edges > MOST_EDGES:
        raise GraphFormatError(
            f"A text must describe at most {MOST_EDGES:,} edges. Found {n_edges:,} up to "
            f"{group(left)} {arrow} {group(right)}. Join smaller groups."
        )


def arrange(graph: ADMG, names: Sequence[str] | None, latent: Iterable[str] = ()) -> ADMG:
    """Return the graph with its nodes in the order of `names`, which may add nodes."""
    if names is None:
        return graph
    wanted = frozenset(names)
    missing = [node for node in graph.nodes if node not in wanted]
    if missing:
        raise GraphFormatError(
            f"`names` must list every node of the graph. Missing: {listed(missing)}. "
            + slips(missing, names)
            + "Add them, or leave `names` out to keep the order of the source."
        )
    hidden = sorted(wanted.intersection(latent))
    if hidden:
        raise GraphFormatError(
            f"`names` must list observed nodes. The graph marks {listed(hidden)} as hidden. "
            "Remove them from `names`, or the mark from the graph."
        )
    return ADMG(names, graph.directed, graph.bidirected)


def check_arrow(mark: str, left: Sequence[str], right: Sequence[str], where: str) -> str:
    """Return the arrow that a mark means, or raise an error that offers the choices."""
    arrow = _SYNONYMS.get(mark, mark)
    if arrow in ARROWS:
        return arrow
    a, b = group(left), group(right)
    raise GraphFormatError(
        f"{where}: an edge must be ->, <- or <->. Found {a} {plain(mark)} {b}: {_problem(arrow)}. "
        f"Choose {a} -> {b}, {a} <- {b}, or {a} <-> {b} (a hidden common cause)."
    )


def _problem(mark: str) -> str:
    """Return what is wrong with a mark."""
    if "o" in mark or "@" in mark:
        return "a circle leaves open what the edge is"
    if mark == "-":
        return "it has no direction, or it is part of a name that needs quotes"
    return "it has no direction" if mark == "--" else "it is no arrow"


def is_latent(attributes: Mapping[str, object]) -> bool:
    """Return whether the attributes of a node say that it is not observed."""
    said = _lowered(attributes)
    hidden = any(said.get(key) in _YES for key in ("latent", "unobserved"))
    return hidden or said.get("observed") in _NO


def is_bidirected(attributes: Mapping[str, object]) -> bool:
    """Return whether the attributes of an edge say that it is bidirected."""
    said = _lowered(attributes)
    kinds = {said.get(key) for key in ("type", "kind", "edge_type", "mark")}
    return (
        said.get("bidirected") in _YES
        or said.get("dir") == "both"
        or bool(kinds & {"bidirected", "<->"})
    )


def _lowered(attributes: Mapping[str, object]) -> dict[str, str]:
    """Return the attributes as lower-case text; what has none cannot be a mark of ours."""
    said = {}
    for key, value in attributes.items():
        # An integer of 5,000 digits has no text, and foreign objects may do anything.
        with suppress(Exception):
            said[str(key).lower()] = str(value).lower()
    return said
