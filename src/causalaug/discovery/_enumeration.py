"""From a class of graphs to its members, one by one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from causalaug._validation import check_integer
from causalaug.discovery._knowledge import Knowledge, check_knowledge
from causalaug.discovery._marked import Marked, Triples, bits
from causalaug.discovery._pag import MARKS, PAG
from causalaug.exceptions import GraphError, ParameterError
from causalaug.graphs import ADMG

ARROWS = ("->", "<-", "<->")


def enumerate_admgs(
    pag: PAG, *, limit: int | None = 1000, knowledge: Knowledge | None = None
) -> Iterator[ADMG]:
    """Yield the graphs of an equivalence class, one by one.

    They imply the same independences, so that no test of independence can choose between them.
    What augmentation makes of them differs on few rows: see `augment_average`.

    Parameters
    ----------
    pag : PAG
        The class. A CPDAG yields the DAGs with its edges and its unshielded colliders. A PAG
        yields the maximal ancestral graphs with its marks that are Markov equivalent to it:
        at most one edge joins two nodes, and a directed edge does not rule out a hidden cause
        of both ends.
    limit : int or None, optional
        The largest number of graphs. If there are more, the graph after the last raises an
        error: the class is never cut short in silence. None is no limit. To see some graphs of
        a large class, use ``itertools.islice``.
    knowledge : Knowledge, optional
        Yield only the graphs that agree with it.

    Yields
    ------
    ADMG
        The graphs, always in the same order: first those with no bidirected edge beyond the
        ones that the class proves; among them, those whose edges run in the order of the nodes.

    Raises
    ------
    GraphError
        If no graph has these marks, or none of the class agrees with the knowledge.
    ParameterError
        If there are more than `limit`.

    Examples
    --------
    Three variables in a chain. A collider in the middle would show, so it is no member:

    >>> chain = PAG(["A", "B", "C"], [("A", "--", "B"), ("B", "--", "C")])
    >>> for graph in enumerate_admgs(chain):
    ...     print(graph)
    ADMG of A, B, C: A -> B, B -> C
    ADMG of A, B, C: B -> A, B -> C
    ADMG of A, B, C: B -> A, C -> B

    If variables may be hidden there are two more. That A comes first leaves two of the five:

    >>> open_ends = PAG(["A", "B", "C"], [("A", "o-o", "B"), ("B", "o-o", "C")])
    >>> len(list(enumerate_admgs(open_ends)))
    5
    >>> first = Knowledge(tiers=[["A"], ["B", "C"]])
    >>> for graph in enumerate_admgs(open_ends, knowledge=first):
    ...     print(graph)
    ADMG of A, B, C: A -> B, B -> C
    ADMG of A, B, C: B -> C, A <-> B
    """
    if not isinstance(pag, PAG):
        raise ParameterError(
            f"`pag` must be a PAG. Found {type(pag).__name__}. For a graph of causal-learn, use "
            "PAG.from_causallearn."
        )
    if limit is not None:
        check_integer("limit", limit, at_least=1)
    known = check_knowledge(knowledge)
    known.check_names(pag.nodes)
    return _limited(pag, limit, known)


def _limited(pag: PAG, limit: int | None, knowledge: Knowledge) -> Iterator[ADMG]:
    """Yield the members, and raise if there is none or one too many."""
    count = 0
    for count, graph in enumerate(_members(pag, knowledge), start=1):
        if limit is not None and count > limit:
            raise ParameterError(
                f"The class must have no more graphs than `limit`. Found more than {limit}. Raise "
                "the limit, add knowledge, or take the first ones with "
                "`itertools.islice(enumerate_admgs(pag), n)`."
            )
        yield graph
    if not count:
        raise GraphError(_why_none(pag, knowledge))


def _members(pag: PAG, knowledge: Knowledge) -> Iterator[ADMG]:
    """Yield the graphs of the class that agree with the knowledge."""
    search = _Search.prepare(pag)
    connections = search.connections()
    if connections is None:
        return
    informed = search.informed_by(pag, knowledge)
    for plain in (True, False):
        for leaf in informed.leaves(plain=plain):
            if pag.is_cpdag or leaf.connections() == connections:
                graph = _as_admg(leaf, pag.nodes)
                if knowledge.allows(graph):
                    yield graph


@dataclass(frozen=True)
class _Search:
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
    def prepare(cls, pag: PAG) -> "_Search":
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
            choices=[_open_arrows(marks[pair]) for pair in edges],
            adjacent=adjacent,
            colliders={(v, a): head for v, head in enumerate(heads) for a in bits(head)},
        )

    def informed_by(self, pag: PAG, knowledge: Knowledge) -> "_Search":
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
            if plain and is_extra or not self._fits(graph, a, arrow, b):
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

    def _fits(self, graph: Marked, a: int, arrow: str, b: int) -> bool:
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


def _open_arrows(drawn: str) -> tuple[str, ...]:
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


def _as_admg(graph: Marked, nodes: Sequence[str]) -> ADMG:
    """Return the graph with the names of its nodes."""
    names = list(enumerate(nodes))
    return ADMG(
        nodes,
        directed=[(name, nodes[b]) for a, name in names for b in bits(graph.children[a])],
        bidirected=[(name, nodes[b]) for a, name in names for b in bits(graph.spouses[a])],
    )


def _why_none(pag: PAG, knowledge: Knowledge) -> str:
    """Return the message for a class without a member."""
    if _Search.prepare(pag).connections() is None:
        sort = "DAG" if pag.is_cpdag else "maximal ancestral graph"
        return (
            f"A class must have a member. Found that no {sort} has the edges, marks and "
            f"unshielded colliders of this one: {pag}. If it was found on data, the tests "
            "contradicted each other: try another `alpha`, or method='ges'."
        )
    reasons = _contradictions(pag, knowledge) or ["its statements contradict it together"]
    return (
        "Some graph of the class must agree with the knowledge. Found none: "
        f"{'; '.join(reasons)}. Remove a statement, or, if the class was found on data, try "
        "another `alpha`."
    )


def _contradictions(pag: PAG, knowledge: Knowledge) -> list[str]:
    """Return, in words, the single statements that no graph of the class can agree with."""
    drawn = {(a, b): drawing for a, drawing, b in pag.edges}
    reasons = [
        f"{a} -> {b} is required, and the class has no edge between them"
        for a, b in knowledge.required
        if pag.mark(a, b) is None
    ]
    return reasons + [
        f"the class has {a} {drawn[a, b]} {b}, which the knowledge rules out"
        for a, b in combinations(pag.nodes, 2)
        if (a, b) in drawn and not allowed_arrows(knowledge, a, b, _open_arrows(drawn[a, b]))
    ]
