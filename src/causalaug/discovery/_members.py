"""From a class of graphs to its members, one by one.

The search tests mixed graphs very often, so it holds them as bit masks: nodes are numbers, a set of
nodes is an integer whose bit v says whether node v is in it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from causalaug._validation import check_integer
from causalaug.discovery._knowledge import Knowledge, check_knowledge
from causalaug.discovery._pag import MARKS, PAG
from causalaug.exceptions import GraphError, ParameterError
from causalaug.graphs import ADMG

Triples = frozenset[tuple[int, int, int]]


def bits(mask: int) -> Iterator[int]:
    """Yield the members of a set, the smallest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


@dataclass
class Marked:
    """A mixed graph in the making, with at most one edge between two nodes.

    Entry v of each list is a set: the parents of v, its children, and its spouses, which a
    bidirected edge joins to it.
    """

    parents: list[int]
    children: list[int]
    spouses: list[int]

    @classmethod
    def empty(cls, n_nodes: int) -> "Marked":
        """Return the graph without edges."""
        return cls([0] * n_nodes, [0] * n_nodes, [0] * n_nodes)

    def toggle(self, a: int, arrow: str, b: int) -> None:
        """Add an edge, or remove it if it is there."""
        if arrow == "<->":
            self.spouses[a] ^= 1 << b
            self.spouses[b] ^= 1 << a
            return
        cause, effect = (a, b) if arrow == "->" else (b, a)
        self.children[cause] ^= 1 << effect
        self.parents[effect] ^= 1 << cause

    def pointing_at(self, node: int) -> int:
        """Return the nodes whose edge has an arrowhead at `node`."""
        return self.parents[node] | self.spouses[node]

    def adjacent(self, node: int) -> int:
        """Return the nodes that an edge joins to `node`."""
        return self.parents[node] | self.children[node] | self.spouses[node]

    def stays_ancestral(self, a: int, arrow: str, b: int) -> bool:
        """Return whether the graph, ancestral so far, is so with this edge.

        Ancestral: no arrowhead points at a node that causes the other end, be it directly or
        not. So there is no directed cycle, and what is bidirected is not causal.
        """
        if arrow == "<->":
            return not (self._causes(a) >> b & 1 or self._causes(b) >> a & 1)
        cause, effect = (a, b) if arrow == "->" else (b, a)
        above, below = self._causes(cause), _closure(1 << effect, self.children)
        return not below >> cause & 1 and not any(self.spouses[v] & below for v in bits(above))

    def connections(self) -> Triples:
        """Return what no choice of variables held fixed can separate.

        A triple (a, b, c) with a < b: a and b are not joined, and every set that has c in it
        leaves them dependent. Two maximal ancestral graphs with the same edges, whatever their
        marks, are Markov equivalent if and only if these triples are equal (Hu and Evans,
        2020). The triple (a, b, a) says that no set at all separates a and b: then the graph is
        not maximal.
        """
        found = []
        n_nodes = len(self.parents)
        causes = [self._causes(node) for node in range(n_nodes)]
        for b in range(n_nodes):
            for a in bits(~self.adjacent(b) & ((1 << b) - 1)):
                pair = causes[a] | causes[b]
                found += [
                    (a, b, c)
                    for c in range(n_nodes)
                    if c != b and self._joined_by_colliders(a, b, pair | causes[c])
                ]
        return frozenset(found)

    def _causes(self, node: int) -> int:
        """Return a node and all that causes it."""
        return _closure(1 << node, self.parents)

    def _joined_by_colliders(self, a: int, b: int, within: int) -> bool:
        """Return whether a path through common effects, all of them `within`, joins a and b.

        With `within` closed under causes, these are the paths that stay open if it is fixed.
        """
        ends = (self.children[b] | self.spouses[b]) & within
        start = (self.children[a] | self.spouses[a]) & within
        return bool(ends & _closure(start, self.spouses, within))


def _closure(start: int, neighbours: list[int], within: int = -1) -> int:
    """Return the start and all that can be reached from it, step by step."""
    reached, pending = start, start
    while pending:
        step = 0
        for node in bits(pending):
            step |= neighbours[node]
        pending = step & within & ~reached
        reached |= pending
    return reached


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
        adjacent = [0] * len(pag.nodes)
        heads = [0] * len(pag.nodes)
        drawn: dict[tuple[int, int], str] = {}
        for a, drawing, b in pag.edges:
            i, j = place[a], place[b]
            adjacent[i] |= 1 << j
            adjacent[j] |= 1 << i
            heads[i] |= (MARKS[drawing][0] == "arrow") << j
            heads[j] |= (MARKS[drawing][1] == "arrow") << i
            # Seen from its other end, an edge is drawn the other way round.
            drawn[i, j] = drawing
            drawn[j, i] = drawing[::-1].translate(str.maketrans("<>", "><"))
        rank = _visiting_order(len(pag.nodes), drawn)
        edges = sorted(
            (pair for pair in drawn if rank[pair[0]] < rank[pair[1]]),
            key=lambda pair: (rank[pair[1]], rank[pair[0]]),
        )
        return cls(
            n_nodes=len(pag.nodes),
            edges=edges,
            choices=[open_arrows(drawn[pair]) for pair in edges],
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
        return (a, b) in self.colliders and (b, a) in self.colliders

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


def nearest_admg(pag: PAG, knowledge: Knowledge) -> ADMG | None:
    """Return a graph with the edges of the class that follows its marks where it can.

    Edges are drawn one by one, those with known marks first. Of the arrows that keep the graph
    ancestral and agree with the knowledge, each gets the one that breaks the fewest marks, then
    one that adds no unshielded collider. Without knowledge there is always such an arrow; with
    it the result may be None.
    """
    search = Search.prepare(pag)
    graph = Marked.empty(search.n_nodes)
    arrows = ARROWS[:2] if pag.is_cpdag else ARROWS
    for number in sorted(range(len(search.edges)), key=lambda i: len(search.choices[i])):
        a, b = search.edges[number]
        known = allowed_arrows(knowledge, pag.nodes[a], pag.nodes[b], arrows)
        possible = [arrow for arrow in known if graph.stays_ancestral(a, arrow, b)]
        if not possible:
            return None
        choices = search.choices[number]
        ranked = {
            arrow: (_broken_marks(arrow, choices), not search.fits(graph, a, arrow, b))
            for arrow in possible
        }
        graph.toggle(a, min(possible, key=ranked.__getitem__), b)
    found = as_admg(graph, pag.nodes)
    return found if knowledge.allows(found) else None


def _broken_marks(arrow: str, choices: tuple[str, ...]) -> int:
    """Return at how many ends an arrow differs from the nearest one that is open."""
    heads = [(">" in each, "<" in each) for each in (arrow, *choices)]
    return min(sum(a != b for a, b in zip(heads[0], other, strict=True)) for other in heads[1:])


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
    # The checks above are made at once, the members one by one.
    return _limited(pag, limit, known)


def choose_admg(pag: PAG, knowledge: Knowledge) -> ADMG:
    """Return the first graph of the class, or the nearest one if marks contradict each other."""
    first = next(members_of(pag, knowledge), None)
    if first is None and Search.prepare(pag).connections() is None:
        first = nearest_admg(pag, knowledge)
    if first is None:
        raise GraphError(_why_none(pag, knowledge))
    return first


def _limited(pag: PAG, limit: int | None, knowledge: Knowledge) -> Iterator[ADMG]:
    """Yield the members, and raise if there is none or one too many."""
    count = 0
    for count, graph in enumerate(members_of(pag, knowledge), start=1):
        if limit is not None and count > limit:
            raise ParameterError(
                f"The class must have no more graphs than `limit`. Found more than {limit}. Raise "
                "it, add knowledge, or take some: `itertools.islice(enumerate_admgs(pag), n)`."
            )
        yield graph
    if not count:
        raise GraphError(_why_none(pag, knowledge))


def members_of(pag: PAG, knowledge: Knowledge) -> Iterator[ADMG]:
    """Yield the graphs of the class that agree with the knowledge."""
    search = Search.prepare(pag)
    connections = search.connections()
    if connections is None:
        return
    informed = search.informed_by(pag, knowledge)
    for plain in (True, False):
        for leaf in informed.leaves(plain=plain):
            if pag.is_cpdag or leaf.connections() == connections:
                graph = as_admg(leaf, pag.nodes)
                if knowledge.allows(graph):
                    yield graph


def _why_none(pag: PAG, knowledge: Knowledge) -> str:
    """Return the message for a class without a member."""
    reasons = [
        f"{a} -> {b} is required, and the class has no edge between them"
        for a, b in knowledge.required
        if pag.mark(a, b) is None
    ]
    reasons += [
        f"the class has {a} {drawing} {b}, which the knowledge rules out"
        for a, drawing, b in pag.edges
        if not allowed_arrows(knowledge, a, b, open_arrows(drawing))
    ]
    if not reasons and Search.prepare(pag).connections() is None:
        sort = "DAG" if pag.is_cpdag else "maximal ancestral graph"
        return (
            f"A class must have a member. Found that no {sort} has the edges, marks and "
            f"unshielded colliders of this one: {pag}. If it was found on data, the tests "
            "contradicted each other: try another `alpha`, or method='ges', or take the graph of "
            "`discover`, which settles such contradictions."
        )
    return (
        "Some graph of the class must agree with the knowledge. Found none: "
        f"{'; '.join(reasons or ['its statements contradict it together'])}. Remove a statement, "
        "or, if the class was found on data, try another `alpha`."
    )
