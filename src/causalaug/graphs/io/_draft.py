"""A graph in the making: what a reader has found so far."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product, repeat

from causalaug._validation import is_share
from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG
from causalaug.graphs._checks import MOST_EDGES, Edge
from causalaug.graphs._editing import Triple, as_triple
from causalaug.graphs._queries import latent_projection
from causalaug.graphs._several import SeveralGraphs
from causalaug.graphs._shorten import group, listed, plain, shown, slips

ARROWS = ("->", "<-", "<->")
_SYNONYMS = {"-->": "->", "<--": "<-", "---": "--", "→": "->", "←": "<-", "↔": "<->"}
_YES = {"1", "1.0", "true", "yes"}
_NO = {"0", "0.0", "false", "no"}


@dataclass
class Draft:
    """Nodes in the order of first mention, edges, beliefs, which nodes are hidden, and warnings."""

    nodes: dict[str, None] = field(default_factory=dict)
    directed: list[Edge] = field(default_factory=list)
    bidirected: list[Edge] = field(default_factory=list)
    beliefs: dict[Triple, float] = field(default_factory=dict)
    latent: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    def add_node(self, name: str, *, latent: bool = False) -> None:
        """Mention a node."""
        self.nodes[name] = None
        if latent:
            self.latent.add(name)

    def add_edge(self, left: str, arrow: str, right: str, belief: float | None = None) -> None:
        """Add an edge as it is drawn, with the belief in it; its nodes are mentioned by it."""
        self.add_node(left)
        self.add_node(right)
        if belief is not None:
            self._believe(as_triple((left, arrow, right)), belief)
        if arrow == "<->":
            self.bidirected.append((left, right))
        else:
            self.directed.append((left, right) if arrow == "->" else (right, left))

    def _believe(self, edge: Triple, belief: float) -> None:
        """Note the belief in an edge, or raise if another was stated before."""
        a, arrow, b = edge
        for known in (edge, (b, arrow, a) if arrow == "<->" else edge):
            if self.beliefs.get(known, belief) != belief:
                raise GraphFormatError(
                    f"An edge must have one belief. Found {self.beliefs[known]} and {belief} for "
                    f"{plain(a)} {arrow} {plain(b)}. Keep one."
                )
        self.beliefs[edge] = belief

    def add_chain(
        self,
        terms: Sequence[Sequence[str]],
        arrows: Sequence[str],
        beliefs: Iterable[float | None] = repeat(None),
    ) -> None:
        """Add ``A -> {B C} <- D``: each node of a term is joined to each of the next."""
        for name in (name for term in terms for name in term):
            self.add_node(name)
        check_size(len(self.directed) + len(self.bidirected), terms, arrows)
        for left, arrow, right, belief in zip(terms, arrows, terms[1:], beliefs, strict=False):
            for a, b in product(left, right):
                self.add_edge(a, arrow, b, belief)

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
        graph = ADMG(self.nodes, self.directed, self.bidirected, self.beliefs)
        if self.latent:
            observed = [node for node in graph.nodes if node not in self.latent]
            graph = latent_projection(graph, keep=observed)
        return arrange(graph, names, self.latent)


def check_size(
    n_edges: int, terms: Sequence[Collection[str]], arrows: Sequence[str], where: str = ""
) -> int:
    """Return how many edges there are with those of a chain, before they are made; or raise."""
    for left, arrow, right in zip(terms, arrows, terms[1:], strict=False):
        n_edges += len(left) * len(right)
        if n_edges > MOST_EDGES:
            raise GraphFormatError(
                f"{where}{': a' if where else 'A'} text must describe at most {MOST_EDGES:,} "
                f"edges. Found {n_edges:,} up to {group(list(left))} {arrow} "
                f"{group(list(right))}. Join smaller groups."
            )
    return n_edges


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
    if isinstance(graph, SeveralGraphs):
        return SeveralGraphs((arrange(each, names), weight) for each, weight in graph.graphs)
    return ADMG(names, graph.directed, graph.bidirected, graph.beliefs)


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


def belief_in(attributes: Mapping[str, object], where: str) -> float | None:
    """Return the belief that the attributes of an edge state, or raise if it is no share."""
    found = [value for key, value in attributes.items() if str(key).lower() == "belief"]
    # A column of beliefs with gaps says nothing of the edges where they are.
    if not found or found[0] is None or found[0] != found[0]:
        return None
    return as_belief(unquoted(found[0]), where)


def as_belief(text: str, where: str) -> float:
    """Return a belief that is written as text, or raise unless it is a number from 0 to 1."""
    with suppress(ValueError):
        if is_share(float(text)):
            return float(text)
    raise GraphFormatError(
        f"{where}: a belief must be a number from 0 to 1. Found {shown(text)}. Write "
        "A -> B [0.7] in arrow text, A -> B [belief=0.7] in DOT."
    )


def _lowered(attributes: Mapping[str, object]) -> dict[str, str]:
    """Return the attributes as lower-case text; what has none cannot be a mark of ours."""
    said = {}
    for key, value in attributes.items():
        # An integer of 5,000 digits has no text, and foreign objects may do anything.
        with suppress(Exception):
            said[str(key).lower()] = unquoted(value).lower()
    return said


def unquoted(value: object) -> str:
    """Return a value as text, without the quotes that pydot leaves around those of DOT text."""
    text = str(value)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
