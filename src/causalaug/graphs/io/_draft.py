"""A graph in the making: what a reader has found so far."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from causalaug._validation import typing_slips
from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG
from causalaug.graphs._checks import Edge
from causalaug.graphs._queries import latent_projection

ARROWS = ("->", "<-", "<->")

_YES = {"1", "true", "yes"}
_NO = {"0", "false", "no"}


@dataclass
class Draft:
    """Nodes in the order of their first mention, edges, and which nodes are hidden."""

    nodes: dict[str, None] = field(default_factory=dict)
    directed: list[Edge] = field(default_factory=list)
    bidirected: list[Edge] = field(default_factory=list)
    latent: set[str] = field(default_factory=set)

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
            for a, b in product(left, right):
                self.add_edge(a, arrow, b)

    def check_one_way(self, source: str) -> None:
        """Raise if an edge runs both ways, which each library takes to mean another thing."""
        backward = {(b, a) for a, b in self.directed if a != b}
        both_ways = sorted(backward.intersection(self.directed))
        if both_ways:
            a, b = both_ways[0]
            raise GraphFormatError(
                f"{source}: an edge must run one way. Found both {a} -> {b} and {b} -> {a}, "
                "which may mean an undirected edge or a hidden common cause. Keep one, or "
                f"build ADMG(nodes, directed=[...], bidirected=[({a!r}, {b!r})])."
            )

    def finish(self, names: Iterable[str] | None) -> ADMG:
        """Return the graph of the observed nodes, ordered and completed by `names`."""
        if not self.nodes.keys() - self.latent:
            raise GraphFormatError(
                "A graph must have at least one observed node. "
                f"Found {list(self.nodes) or 'nothing'}. Name a variable of the data."
            )
        graph = ADMG(self.nodes, self.directed, self.bidirected)
        observed = [node for node in graph.nodes if node not in self.latent]
        return arrange(latent_projection(graph, keep=observed), names, self.latent)


def arrange(graph: ADMG, names: Iterable[str] | None, latent: Iterable[str] = ()) -> ADMG:
    """Return the graph with its nodes in the order of `names`, which may add nodes."""
    if names is None:
        return graph
    wanted = ADMG(names).nodes
    missing = [node for node in graph.nodes if node not in wanted]
    if missing:
        raise GraphFormatError(
            f"`names` must list every node of the graph. Missing: {missing}. "
            + typing_slips(missing, wanted)
            + "Add them, or leave `names` out to keep the order of the source."
        )
    hidden = sorted(set(latent).intersection(wanted))
    if hidden:
        raise GraphFormatError(
            f"`names` must list observed nodes. The graph marks {hidden} as hidden. "
            "Remove them from `names`, or the mark from the graph."
        )
    return ADMG(wanted, graph.directed, graph.bidirected)


def check_arrow(mark: str, left: Sequence[str], right: Sequence[str], where: str) -> str:
    """Return the mark if it has one meaning, or raise an error that offers the choices."""
    if mark in ARROWS:
        return mark
    a, b = (term[0] if len(term) == 1 else f"{{{', '.join(term)}}}" for term in (left, right))
    raise GraphFormatError(
        f"{where}: an edge must be ->, <- or <->. Found {a} {mark} {b}: {_problem(mark)}. "
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
    said = {str(key).lower(): str(value).lower() for key, value in attributes.items()}
    hidden = any(said.get(key) in {*_YES, ""} for key in ("latent", "unobserved"))
    return hidden or said.get("observed") in _NO


def is_bidirected(attributes: Mapping[str, object]) -> bool:
    """Return whether the attributes of an edge say that it is bidirected."""
    said = {str(key).lower(): str(value).lower() for key, value in attributes.items()}
    kinds = {said.get(key) for key in ("type", "kind", "edge_type", "mark")}
    return (
        said.get("bidirected") in _YES
        or said.get("dir") == "both"
        or bool(kinds & {"bidirected", "<->"})
    )
