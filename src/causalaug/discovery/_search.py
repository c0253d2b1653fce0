"""The search for the graphs that a class with open marks stands for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from causalaug.discovery._knowledge import Knowledge
from causalaug.discovery._marked import Marked, Triples, bits
from causalaug.discovery._pag import MARKS, PAG
from causalaug.graphs import ADMG

ARROWS = ("->", "<-", "<->")


@dataclass(frozen=True)
class Search:
    """All ways to replace the open marks of a class, less those that break a local rule.

    Parameters
    ----------
    n_nodes : int
        The number of nodes.
    edges : sequence of (int, int)
        The joined nodes, in the order in which the search decides their arrows.
    choices : sequence of tuple of str
        For each edge, the arrows that its marks leave open, in order of preference.
    adjacent : sequence of int
        For each node, the set of nodes joined to it.
    colliders : mapping of (int, int) to int
        For (v, a): the nodes b for which the edges from a and b to v both have an arrowhead at
        v in the class. Where a and b are not joined, no other pair may have that.
    """

    n_nodes: int
    edges: Sequence[tuple[int, int]]
    choices: Sequence[tuple[str, ...]]
    adjacent: Sequence[int]
    colliders: Mapping[tuple[int, int], int]

    @classmethod
    def prepare(cls, pag: PAG) -> "Search":
        """Return the search for the members of a class."""
        place = {name: i for i, name in enumerate(pag.nodes)}
        drawn = {(place[a], place[b]): drawn for a, drawn, b in pag.edges}
        adjacent = [0] * len(pag.nodes)
        heads = [0] * len(pag.nodes)
        for (a, b), drawing in drawn.items():
            adjacent[a] |= 1 << b
            adjacent[b] |= 1 << a
            heads[a] |= (MARKS[drawing][0] == "arrow") << b
            heads[b] |= (MARKS[drawing][1] == "arrow") << a
        rank = _visiting_order(len(pag.nodes), drawn)
        edges = sorted(
            (pair if rank[pair[0]] < rank[pair[1]] else pair[::-1] for pair in drawn),
            key=lambda pair: (rank[pair[1]], rank[pair[0]]),
        )
        marks = {**drawn, **{(b, a): _turned(drawing) for (a, b), drawing in drawn.items()}}
        return cls(
            n_nodes=len(pag.nodes),
            edges=edges,
            choices=[open_arrows(marks[pair]) for pair in edges],
            adjacent=adjacent,
            colliders={(v, a): head for v, head in enumerate(heads) for a in bits(head)},
        )

    def informed_by(self, pag: PAG, knowledge: Knowledge) -> "Search":
        """Return the search among the arrows that the knowledge allows."""
        names = [(pag.nodes[a], pag.nodes[b]) for a, b in self.edges]
        pairs = zip(names, self.choices, strict=True)
        return replace(
            self, choices=[allowed_arrows(knowledge, *pair, arrows) for pair, arrows in pairs]
        )

    def connections(self) -> Triples | None:
        """Return what cannot be separated in the class; None if the class is empty.

        In a complete class the members without optional hidden causes always exist (Zhang,
        2008). One that was found on data may be incomplete: then the first maximal graph with
        its marks and colliders stands for it.
        """
        for plain in (True, False):
            for leaf in self.leaves(plain=plain):
                found = leaf.connections()
                if not any(c == a for a, _, c in found):
                    return found
        return None

    def leaves(self, *, plain: bool) -> Iterator[Marked]:
        """Yield the ancestral graphs with the marks and the unshielded colliders of the class.

        First, with `plain`, those without optional bidirected edges; then only the others. The
        same object is yielded again and again, with other edges.
        """
        yield from self._extend(Marked.empty(self.n_nodes), 0, plain=plain, has_extra=plain)

    def _extend(
        self, graph: Marked, depth: int, *, plain: bool, has_extra: bool
    ) -> Iterator[Marked]:
        if depth == len(self.edges):
            if has_extra:
                yield graph
            return
        a, b = self.edges[depth]
        for arrow in self.choices[depth]:
            is_extra = arrow == "<->" and not self._is_proven(depth)
            if plain and is_extra or not self.fits(graph, a, arrow, b):
                continue
            graph.toggle(a, arrow, b)
            yield from self._extend(graph, depth + 1, plain=plain, has_extra=has_extra or is_extra)
            graph.toggle(a, arrow, b)

    def _is_proven(self, depth: int) -> bool:
        """Return whether the class itself draws the edge bidirected."""
        a, b = self.edges[depth]
        return self._has_head(a, b) and self._has_head(b, a)

    def _has_head(self, start: int, end: int) -> bool:
        return bool(self.colliders.get((end, start), 0) >> start & 1)

    def fits(self, graph: Marked, a: int, arrow: str, b: int) -> bool:
        """Return whether an arrow adds no unshielded collider and keeps the graph ancestral."""
        return (
            (arrow == "<-" or self._adds_no_collider(graph, a, b))
            and (arrow == "->" or self._adds_no_collider(graph, b, a))
            and graph.stays_ancestral(a, arrow, b)
        )

    def _adds_no_collider(self, graph: Marked, start: int, end: int) -> bool:
        """Return whether an arrowhead at `end` meets only those that the class has there."""
        met = graph.pointing_at(end) & ~self.adjacent[start]
        return not met & ~self.colliders.get((end, start), 0)


def allowed_arrows(knowledge: Knowledge, a: str, b: str, arrows: Sequence[str]) -> tuple[str, ...]:
    """Return those of the arrows between two nodes that the knowledge allows."""
    allowed = {
        "->": knowledge.permits(a, b),
        "<-": knowledge.permits(b, a),
        "<->": not knowledge.requires(a, b),
    }
    return tuple(arrow for arrow in arrows if allowed[arrow])


def open_arrows(drawn: str) -> tuple[str, ...]:
    """Return the arrows that a drawn edge may stand for."""
    if drawn == "--":
        return ("->", "<-")
    return tuple(
        arrow
        for arrow in ARROWS
        if all(
            mark in ("circle", end) for mark, end in zip(MARKS[drawn], MARKS[arrow], strict=True)
        )
    )


def _turned(drawn: str) -> str:
    """Return how an edge is drawn that is seen from its other end."""
    return drawn[::-1].translate(str.maketrans("<>", "><"))


def _visiting_order(n_nodes: int, drawn: Mapping[tuple[int, int], str]) -> list[int]:
    """Return the rank of each node in a maximum cardinality search along the open edges.

    Open edges of a complete class form chordal graphs. In this order the joined nodes that came
    before a node are joined to each other, so that every choice made so far can be completed:
    the search meets no long dead ends.
    """
    neighbours = [0] * n_nodes
    for (a, b), drawing in drawn.items():
        if drawing in ("o-o", "--"):
            neighbours[a] |= 1 << b
            neighbours[b] |= 1 << a
    rank = [n_nodes] * n_nodes
    visited = 0
    for number in range(n_nodes):
        waiting = [v for v in range(n_nodes) if not visited >> v & 1]
        best = max(waiting, key=lambda v: ((neighbours[v] & visited).bit_count(), -v))
        rank[best] = number
        visited |= 1 << best
    return rank


def as_admg(graph: Marked, nodes: Sequence[str]) -> ADMG:
    """Return the graph with the names of its nodes."""
    names = list(enumerate(nodes))
    return ADMG(
        nodes,
        directed=[(name, nodes[b]) for a, name in names for b in bits(graph.children[a])],
        bidirected=[(name, nodes[b]) for a, name in names for b in bits(graph.spouses[a])],
    )
