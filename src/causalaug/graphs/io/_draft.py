"""A graph in the making: what a reader has found so far, and what marks and attributes mean.

Attributes that an edge is drawn with, such as ``dir=back`` and ``arrowhead=none``, stand in DOT
text, and in graphs of networkx and GML text that were made from it. All readers ask here, so that
one drawing is one graph, whichever way it came.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product, repeat

from causalaug._validation import brief, is_share, some
from causalaug.exceptions import GraphFormatError
from causalaug.graphs._admg import ADMG
from causalaug.graphs._checks import MOST_EDGES, Edge, group, plain, slips
from causalaug.graphs._edges import Triple, as_triple
from causalaug.graphs._queries import latent_projection
from causalaug.graphs._several import SeveralGraphs

DRAWN_BY = ("dir", "arrowhead", "arrowtail", "style")
"""The attributes that say what an edge looks like, as far as that bears on its meaning."""

_SYNONYMS = {"-->": "->", "<--": "<-", "---": "--", "→": "->", "←": "<-", "↔": "<->"}
_YES = {"1", "1.0", "true", "yes"}
_ENDS = {"forward": (False, True), "back": (True, False), "both": (True, True)}


@dataclass
class Draft:
    """Nodes in the order of first mention, edges, beliefs, which nodes are hidden, and warnings."""

    nodes: dict[str, None] = field(default_factory=dict)
    directed: list[Edge] = field(default_factory=list)
    bidirected: list[Edge] = field(default_factory=list)
    beliefs: dict[Triple, float] = field(default_factory=dict)
    latent: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, graph: ADMG) -> "Draft":
        """Return the draft of a graph that was made from an order."""
        return cls(dict.fromkeys(graph.nodes), list(graph.directed), list(graph.bidirected))

    def add_node(self, name: str, *, latent: bool = False) -> None:
        """Mention a node."""
        self.nodes[name] = None
        if latent:
            self.latent.add(name)

    def add_marked(self, left: str, mark: str, right: str, where: str) -> None:
        """Add an edge, or raise if its mark is no arrow."""
        self.add_edge(left, check_arrow(mark, [left], [right], where), right)

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
        self.nodes.update(dict.fromkeys(name for term in terms for name in term))
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
                f"{plain(b)} -> {plain(a)}. Keep one, or, if a hidden cause is meant, build "
                f"ADMG(nodes, directed=[...], bidirected=[({brief(a)}, {brief(b)})])."
            )

    def finish(self, names: Sequence[str] | None) -> ADMG:
        """Return the graph of the observed nodes, ordered and completed by `names`."""
        observed = [node for node in self.nodes if node not in self.latent]
        if not observed:
            raise GraphFormatError(
                "A graph must have at least one observed node. Found "
                f"{some(self.nodes) if self.nodes else 'nothing'}. Name a variable of the data."
            )
        graph = ADMG(self.nodes, self.directed, self.bidirected, self.beliefs)
        if self.latent:
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
            f"`names` must list every node of the graph. Missing: {some(missing)}. "
            f"{slips(missing, names)}Add them, or leave `names` out."
        )
    hidden = sorted(wanted.intersection(latent))
    if hidden:
        raise GraphFormatError(
            f"`names` must list observed nodes. The graph marks {some(hidden)} as hidden. "
            "Remove them from `names`, or the mark from the graph."
        )
    if isinstance(graph, SeveralGraphs):
        return SeveralGraphs((arrange(each, names), weight) for each, weight in graph.graphs)
    return ADMG(names, graph.directed, graph.bidirected, graph.beliefs)


def check_arrow(mark: str, left: Sequence[str], right: Sequence[str], where: str) -> str:
    """Return the arrow that a mark means, or raise an error that offers the choices."""
    arrow = _SYNONYMS.get(mark, mark)
    if arrow in ("->", "<-", "<->"):
        return arrow
    problem = "it is no arrow"
    if "o" in arrow or "@" in arrow:
        problem = "a circle leaves open what the edge is"
    elif arrow in ("-", "--"):
        in_name = ", or it is part of a name that needs quotes"
        problem = f"it has no direction{in_name if arrow == '-' else ''}"
    a, b = group(left), group(right)
    raise GraphFormatError(
        f"{where}: an edge must be ->, <- or <->. Found {a} {plain(mark)} {b}: {problem}. "
        f"Choose {a} -> {b}, {a} <- {b}, or {a} <-> {b} (a hidden common cause)."
    )


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
    marks = {key: text.lower() for key, text in _texts(attributes).items()}
    kinds = {marks.get(key) for key in ("type", "kind", "edge_type", "mark")}
    if marks.get("bidirected") in _YES or kinds & {"bidirected", "<->"}:
        return "<->"
    drawing = {key: text for key, text in _texts(attributes, as_is=True).items() if text}
    is_dashed = "dir" not in drawing and "dashed" in drawing.get("style", "")
    if is_dashed and not any(name in latent for name in (*left, *right)):
        raise GraphFormatError(
            f"{where}: a dashed edge must say its direction. Found none on {group(left)} -> "
            f"{group(right)}. Add dir=both for a hidden common cause, or dir=forward."
        )
    # As Graphviz draws it: the direction says which ends have a head.
    tail, head = _ENDS.get(drawing.get("dir", "forward"), (False, False))
    start = _end(drawing.get("arrowtail", "normal"), "<") if tail else ""
    end = _end(drawing.get("arrowhead", "normal"), ">") if head else ""
    return check_arrow(f"{start}-{end}" if start or end else "--", left, right, where)


def _end(shape: str, arrow: str) -> str:
    return "" if shape == "none" else "o" if shape in ("dot", "odot") else arrow


def is_latent(attributes: Mapping[str, object]) -> bool:
    """Return whether the attributes of a node say that it is not observed."""
    marks = {key: text.lower() for key, text in _texts(attributes).items()}
    hidden = any(marks.get(key) in _YES for key in ("latent", "unobserved"))
    return hidden or marks.get("observed") in {"0", "0.0", "false", "no"}


def belief_in(attributes: Mapping[str, object], where: str) -> float | None:
    """Return the belief that the attributes of an edge state, or raise if it is no share."""
    found = [value for key, value in attributes.items() if str(key).lower() == "belief"]
    # A column of beliefs with gaps says nothing of the edges where they are.
    if not found or found[0] is None or found[0] != found[0]:
        return None
    return as_belief(_unquoted(found[0]), where)


def as_belief(text: str, where: str) -> float:
    """Return a belief that is written as text, or raise unless it is a number from 0 to 1."""
    with suppress(ValueError):
        if is_share(float(text)):
            return float(text)
    raise GraphFormatError(
        f"{where}: a belief must be a number from 0 to 1. Found {brief(text)}. Write "
        "A -> B [0.7] in arrow text, A -> B [belief=0.7] in DOT."
    )


def _texts(attributes: Mapping[str, object], *, as_is: bool = False) -> dict[str, str]:
    """Return attributes as text, their keys in lower case; None and what has no text left out."""
    texts = {}
    for key, value in attributes.items():
        # An integer of 5,000 digits has no text, and foreign objects may do anything.
        with suppress(Exception):
            if value is not None:
                texts[str(key) if as_is else str(key).lower()] = _unquoted(value)
    return texts


def _unquoted(value: object) -> str:
    """Return a value as text, without the quotes that pydot leaves around those of DOT text."""
    text = str(value)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
