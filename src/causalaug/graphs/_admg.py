"""The causal graph: directed edges, bidirected edges, no directed cycle; and its pillows.

Neighbours are looked up in dictionaries that are made once, so that every question costs about
as much as its answer is long, also in graphs of 100,000 nodes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from causalaug._validation import brief, some
from causalaug.exceptions import GraphError, GraphFormatError
from causalaug.graphs._checks import (
    Edge,
    can_be_listed,
    check_acyclic,
    check_edges,
    check_known,
    check_nodes,
    check_order,
)
from causalaug.graphs._edges import (
    Beliefs,
    GraphDifference,
    Triple,
    as_triples,
    check_beliefs,
    check_present,
    in_brackets,
)

if TYPE_CHECKING:
    import networkx as nx

Neighbours = Mapping[str, tuple[str, ...]]

BUILT_ON: dict[str, Callable[[Any], Any]] = {}
"""How graphs are read and drawn: both build on this module, which cannot import them."""


@dataclass(frozen=True, init=False, repr=False)
class ADMG:
    """An acyclic directed mixed graph: a causal graph that may have hidden common causes.

    A value: it cannot be changed, compares by content, and can be hashed, pickled and
    shared. Two graphs are equal if they have the same nodes in the same order, the same edges
    and the same beliefs; the order in which edges were given does not matter. A graph without
    bidirected edges is a DAG.

    Parameters
    ----------
    nodes : iterable of str
        The variables. Their order breaks all ties, so a set is refused.
    directed : iterable of (str, str), optional
        Pairs (cause, effect). They must not form a cycle.
    bidirected : iterable of (str, str), optional
        Pairs that share a hidden common cause. A pair may also have a directed edge.
    beliefs : mapping of edge to float, optional
        How far edges are believed, from 0 to 1, such as ``{("A", "B"): 0.7}``; a bidirected one is
        written ``("A", "<->", "B")``. `fit_model` says what becomes of them.

    Attributes
    ----------
    nodes : tuple of str
        The variables, in the given order.
    directed : tuple of (str, str)
        The directed edges without repetition, sorted by the place of their nodes.
    bidirected : tuple of (str, str)
        The same for bidirected edges; the earlier node of a pair comes first.
    beliefs : mapping of (str, str, str) to float
        The beliefs that were stated, by edge as it is drawn, in the order of the edges. It cannot
        be changed.

    Examples
    --------
    The front-door graph. A bidirected pair is one edge, however often it is given:

    >>> graph = ADMG(
    ...     ["smoking", "tar", "cancer"],
    ...     directed=[("smoking", "tar"), ("tar", "cancer")],
    ...     bidirected=[("cancer", "smoking"), ("smoking", "cancer")],
    ... )
    >>> graph.bidirected
    (('smoking', 'cancer'),)
    >>> graph.is_dag
    False

    A cycle is refused, and named:

    >>> ADMG(["A", "B"], directed=[("A", "B"), ("B", "A")])
    Traceback (most recent call last):
    causalaug.exceptions.CyclicGraphError: The directed edges must not form a cycle. ...
    """

    nodes: tuple[str, ...]
    directed: tuple[Edge, ...]
    bidirected: tuple[Edge, ...]
    beliefs: Mapping[Triple, float] = field(hash=False)

    def __init__(
        self,
        nodes: Iterable[str],
        directed: Iterable[Edge] = (),
        bidirected: Iterable[Edge] = (),
        beliefs: Beliefs | None = None,
    ) -> None:
        names = check_nodes(nodes)
        place = {name: i for i, name in enumerate(names)}

        def places(edge: Edge) -> tuple[int, int]:
            return place[edge[0]], place[edge[1]]

        arrows = set(check_edges(directed, place, "->"))
        arcs = {
            (a, b) if place[a] < place[b] else (b, a)
            for a, b in check_edges(bidirected, place, "<->")
        }
        object.__setattr__(self, "nodes", names)
        object.__setattr__(self, "directed", tuple(sorted(arrows, key=places)))
        object.__setattr__(self, "bidirected", tuple(sorted(arcs, key=places)))
        stated = check_beliefs(beliefs or {}, self._edges)
        object.__setattr__(self, "beliefs", MappingProxyType(stated))
        self._order  # noqa: B018  computing the order is what finds a cycle

    @property
    def is_dag(self) -> bool:
        """Whether the graph has no bidirected edge."""
        return not self.bidirected

    def topological_order(self) -> tuple[str, ...]:
        """Return the nodes, causes before effects.

        Of the nodes that could come next, the first in `nodes` does.

        Examples
        --------
        >>> ADMG(["X1", "Y", "X2"], directed=[("Y", "X1")]).topological_order()
        ('Y', 'X1', 'X2')
        """
        return self._order

    def parents(self, of: str | Iterable[str]) -> tuple[str, ...]:
        """Return the direct causes of a node, or of any of several nodes, in node order.

        Examples
        --------
        A parent of one of several nodes counts, even if it is itself among them:

        >>> graph = ADMG(["A", "B", "C"], directed=[("A", "B"), ("B", "C")])
        >>> graph.parents(["B", "C"])
        ('A', 'B')
        """
        return self._sorted(v for node in self._known(of) for v in self._parents[node])

    def children(self, of: str | Iterable[str]) -> tuple[str, ...]:
        """Return the direct effects of a node, or of any of several nodes, in node order."""
        return self._sorted(v for node in self._known(of) for v in self._children[node])

    def ancestors(self, of: str | Iterable[str]) -> tuple[str, ...]:
        """Return the direct and indirect causes of a node, in node order.

        As in networkx a node is not its own ancestor. Of several nodes: the ancestors
        of any of them, so that one of them is listed if it causes another.

        Examples
        --------
        >>> graph = ADMG(["A", "B", "C"], directed=[("A", "B"), ("B", "C")])
        >>> graph.ancestors("C")
        ('A', 'B')
        >>> graph.ancestors(["B", "C"])
        ('A', 'B')
        """
        return self._sorted(_reached(self.parents(of), self._parents))

    def descendants(self, of: str | Iterable[str]) -> tuple[str, ...]:
        """Return the direct and indirect effects of a node, in node order.

        As in networkx a node is not its own descendant; see `ancestors` for several nodes.
        """
        return self._sorted(_reached(self.children(of), self._children))

    def district(
        self, of: str | Iterable[str], within: Iterable[str] | None = None
    ) -> tuple[str, ...]:
        """Return the nodes that are reached along bidirected edges, in node order.

        Parameters
        ----------
        of : str or iterable of str
            Where to start. These nodes are part of the result.
        within : iterable of str, optional
            The nodes that may be used on the way; all of them by default.

        Examples
        --------
        The way from A to C leads through B, so without B there is none:

        >>> graph = ADMG(["A", "B", "C"], bidirected=[("A", "B"), ("B", "C")])
        >>> graph.district("A")
        ('A', 'B', 'C')
        >>> graph.district("A", within=["A", "C"])
        ('A',)
        """
        start = self._known(of)
        if within is None:
            return self._sorted(_reached(start, self._siblings))
        allowed = frozenset(self._known(within))
        if not allowed.issuperset(start):
            inside = self._sorted(allowed)
            check_known(start, inside, "The start of a district, inside `within`,")
        return self._sorted(_reached(start, self._siblings, allowed.__contains__))

    def districts(self) -> tuple[tuple[str, ...], ...]:
        """Return the partition of the nodes into districts, by their first nodes.

        Examples
        --------
        >>> ADMG(["A", "B", "C"], bidirected=[("A", "C")]).districts()
        (('A', 'C'), ('B',))
        """
        found, districts = set[str](), list[tuple[str, ...]]()
        for node in self.nodes:
            if node not in found:
                districts.append(self._sorted(_reached([node], self._siblings)))
                found.update(districts[-1])
        return tuple(districts)

    def is_mb_shielded(self) -> bool:
        """Return whether every node is adjacent to all of its Markov blanket.

        The blanket of a node is its district and the parents of that district. Graphs
        with this property imply nothing but ordinary conditional independences, and
        all of them show in the pillows of the factorization (Bhattacharya, Nabi and
        Shpitser, 2022).

        Examples
        --------
        Every DAG has it. Here A is in the blanket of C, yet no edge joins them:

        >>> ADMG(["A", "B", "C"], directed=[("A", "B")], bidirected=[("B", "C")]).is_mb_shielded()
        False
        """
        for district in self.districts():
            family = {*district, *self.parents(district)}
            for node in district:
                near = (*self._parents[node], *self._children[node], *self._siblings[node])
                # Counting decides most cases at once, which keeps large districts cheap.
                if len(near) + 1 < len(family) or not family <= {node, *near}:
                    return False
        return True

    def subgraph(self, nodes: Iterable[str]) -> "ADMG":
        """Return the graph of some nodes and of the edges between them, in node order.

        The other nodes are cut away with all their effects. To marginalise them, use
        `latent_projection` instead.

        Examples
        --------
        >>> graph = ADMG(["A", "B", "C"], directed=[("A", "B"), ("B", "C")])
        >>> graph.subgraph(["C", "A"])
        ADMG(['A', 'C'])
        """
        kept = set(self._known(nodes))
        edges = (edge for edge in self._edges if kept.issuperset((edge[0], edge[2])))
        return _drawn_graph(self._sorted(kept), edges, self.beliefs)

    def add(self, edges: Any) -> "ADMG":
        """Return the graph with more edges; this one stays as it is.

        Parameters
        ----------
        edges : str, list of edges, ADMG, or anything that `read_graph` reads
            What to add. Names that are no node yet become nodes, after the others; an edge that
            is there already changes nothing but the belief in it, if one is stated.

        Examples
        --------
        >>> graph = ADMG(["load", "wear"], directed=[("load", "wear")])
        >>> graph.add("wear -> heat; load <-> heat")
        ADMG(['load', 'wear', 'heat'], directed=[('load', 'wear'), ('wear', 'heat')], \
bidirected=[('load', 'heat')])
        """
        more = _edges_in(edges)
        if more is None:
            return self
        beliefs = dict(self.beliefs) | {self._as_drawn(e): b for e, b in more.beliefs.items()}
        edges = (*self._edges, *map(self._as_drawn, more._edges))
        return _drawn_graph(dict.fromkeys((*self.nodes, *more.nodes)), edges, beliefs)

    def without(self, edges: Any) -> "ADMG":
        """Return the graph without some edges; all nodes, and this graph, stay as they are.

        To take nodes away, use `subgraph`, or `latent_projection` to marginalise them.

        Parameters
        ----------
        edges : str, list of edges, ADMG, or anything that `read_graph` reads
            What to take away. Each edge must be in the graph.

        Examples
        --------
        >>> graph = ADMG(["load", "wear"], directed=[("load", "wear")])
        >>> graph.without("load -> wear")
        ADMG(['load', 'wear'])

        An edge that is not there is refused, and the one that was perhaps meant is named:

        >>> graph.without("wear -> load")
        Traceback (most recent call last):
        causalaug.exceptions.GraphError: An edge that is taken away must be in the graph. Found \
no wear -> load. It has load -> wear. Leave it out, or write an edge that is there.
        """
        less = _edges_in(edges)
        if less is None:
            return self
        gone = list(map(self._as_drawn, less._edges))
        joined = {node for a, _, b in gone for node in (a, b)}
        alone = [node for node in less.nodes if node not in joined]
        if alone:
            raise GraphError(
                f"Only edges can be taken away. Found the nodes {some(alone)}. Write "
                "graph.subgraph([...]) or latent_projection(graph, keep=[...]) with those to keep."
            )
        check_present(gone, self._edges)
        lost = set(gone)
        kept = (edge for edge in self._edges if edge not in lost)
        return _drawn_graph(self.nodes, kept, self.beliefs)

    def diff(self, other: Any) -> GraphDifference:
        """Return what must be added to this graph, and taken away, to get another.

        Parameters
        ----------
        other : ADMG, str, or anything that `read_graph` reads
            The other graph. The order of its nodes does not matter, nor do beliefs.

        Returns
        -------
        GraphDifference
            The edges in `added` and `removed`, the nodes in `new_nodes` and `lost_nodes`. It is
            false if there are none, and prints a line for each.

        Examples
        --------
        >>> graph = ADMG(["load", "wear"], directed=[("load", "wear")])
        >>> print(graph.diff("wear -> heat; wear <-> load"))
        - load -> wear
        + heat
        + wear -> heat
        + load <-> wear
        """
        there = as_graph(other)
        theirs = dict.fromkeys(map(self._as_drawn, there._edges))
        own = set(self._edges)
        return GraphDifference(
            added=tuple(edge for edge in theirs if edge not in own),
            removed=tuple(edge for edge in self._edges if edge not in theirs),
            new_nodes=tuple(node for node in there.nodes if node not in self._place),
            lost_nodes=tuple(node for node in self.nodes if node not in there._place),
        )

    def to_networkx(self) -> "nx.DiGraph[str] | nx.MultiDiGraph[str]":
        """Return the graph as one of networkx, which `read_graph` reads back.

        Returns
        -------
        networkx.DiGraph or networkx.MultiDiGraph
            A `DiGraph` of a DAG. With bidirected edges a `MultiDiGraph`, since a pair may have
            both: they have the attribute ``bidirected=True``, from the earlier node to the later.
            An edge whose belief was stated has it as the attribute ``belief``.

        Examples
        --------
        >>> graph = ADMG(["load", "wear"], [("load", "wear")], [("load", "wear")])
        >>> list(graph.to_networkx().edges(data=True))
        [('load', 'wear', {}), ('load', 'wear', {'bidirected': True})]
        """
        import networkx as nx

        graph: Any = nx.DiGraph() if self.is_dag else nx.MultiDiGraph()
        graph.add_nodes_from(self.nodes)
        for a, arrow, b, belief in believed_edges(self):
            attributes = {"bidirected": True} if arrow == "<->" else {}
            graph.add_edge(a, b, **attributes, **({} if belief is None else {"belief": belief}))
        return graph

    def __repr__(self) -> str:
        """Return an expression that builds the graph."""
        parts = [repr(list(self.nodes))]
        if self.directed:
            parts.append(f"directed={list(self.directed)!r}")
        if self.bidirected:
            parts.append(f"bidirected={list(self.bidirected)!r}")
        if self.beliefs:
            parts.append(f"beliefs={dict(self.beliefs)!r}")
        return f"ADMG({', '.join(parts)})"

    def __str__(self) -> str:
        """Return the nodes and edges in words and arrows."""
        edges = [
            f"{a} {arrow} {b}{in_brackets(belief)}" for a, arrow, b, belief in believed_edges(self)
        ]
        return f"ADMG of {', '.join(self.nodes)}: {', '.join(edges) or 'no edges'}"

    def _repr_svg_(self) -> str | None:
        """Return a picture for notebooks; None if the graph is too large for one."""
        drawn: str | None = BUILT_ON["draw"](self)
        return drawn

    def __reduce__(self) -> tuple[type["ADMG"], tuple[object, ...]]:
        """Pickle what defines the graph, not what was derived from it."""
        return ADMG, (self.nodes, self.directed, self.bidirected, dict(self.beliefs))

    @cached_property
    def _edges(self) -> tuple[Triple, ...]:
        return as_triples(self.directed, self.bidirected)

    @cached_property
    def _place(self) -> Mapping[str, int]:
        return {name: i for i, name in enumerate(self.nodes)}

    @cached_property
    def _parents(self) -> Neighbours:
        return _neighbours(self.nodes, ((b, a) for a, b in self.directed))

    @cached_property
    def _children(self) -> Neighbours:
        return _neighbours(self.nodes, self.directed)

    @cached_property
    def _siblings(self) -> Neighbours:
        both_ways = (pair for a, b in self.bidirected for pair in ((a, b), (b, a)))
        return _neighbours(self.nodes, both_ways)

    @cached_property
    def _order(self) -> tuple[str, ...]:
        waiting = {v: len(self._parents[v]) for v in self.nodes}
        ready = [self._place[v] for v in self.nodes if not waiting[v]]
        heapify(ready)
        order = []
        while ready:
            node = self.nodes[heappop(ready)]
            order.append(node)
            for child in self._children[node]:
                waiting[child] -= 1
                if not waiting[child]:
                    heappush(ready, self._place[child])
        check_acyclic(self._parents, [v for v in self.nodes if waiting[v]])
        return tuple(order)

    def _known(self, of: str | Iterable[str]) -> tuple[str, ...]:
        if not can_be_listed(of):
            raise GraphError(
                "A query must name nodes by a string or a collection of strings. "
                f"Found {brief(of)}, of type {type(of).__name__}. Write the name in quotes."
            )
        names = (of,) if isinstance(of, str) else tuple(of)
        check_known(names, self._place, "A query")
        return names

    def _as_drawn(self, edge: Triple) -> Triple:
        """Return an edge as this graph draws it: a bidirected one from its earlier node.

        Nodes that this graph does not have come last.
        """
        a, arrow, b = edge
        last = len(self.nodes)
        is_turned = arrow == "<->" and self._place.get(a, last) > self._place.get(b, last)
        return (b, arrow, a) if is_turned else edge

    def _sorted(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(set(names), key=self._place.__getitem__))


def _neighbours(nodes: Iterable[str], pairs: Iterable[Edge]) -> Neighbours:
    """Return, for each node, the seconds of the pairs that it is the first of."""
    neighbours: dict[str, list[str]] = {node: [] for node in nodes}
    for node, neighbour in pairs:
        neighbours[node].append(neighbour)
    return {node: tuple(found) for node, found in neighbours.items()}


def _reached(
    start: Iterable[str],
    neighbours: Neighbours,
    allowed: Callable[[str], bool] = lambda node: True,
) -> set[str]:
    """Return the start and all that can be reached from it by steps to allowed nodes."""
    reached = set(start)
    pending = list(reached)
    while pending:
        for neighbour in neighbours[pending.pop()]:
            if neighbour not in reached and allowed(neighbour):
                reached.add(neighbour)
                pending.append(neighbour)
    return reached


def _drawn_graph(
    nodes: Iterable[str], edges: Iterable[Triple], beliefs: Mapping[Triple, float]
) -> ADMG:
    """Return the graph with these edges; beliefs in others are left out."""
    ends = dict[str, list[Edge]]({"->": [], "<->": []})
    kept = list(edges)
    for a, arrow, b in kept:
        ends[arrow].append((a, b))
    held = {edge: beliefs[edge] for edge in kept if edge in beliefs}
    return ADMG(tuple(nodes), ends["->"], ends["<->"], held)


def believed_edges(graph: ADMG) -> list[tuple[str, str, str, float | None]]:
    """Return the edges as they are drawn, each with the belief that was stated in it, if any."""
    return [(*edge, graph.beliefs.get(edge)) for edge in graph._edges]


def _edges_in(edges: Any) -> ADMG | None:
    """Return edges as a graph; None if there are none, which is no graph."""
    is_empty = isinstance(edges, list | tuple) and not edges
    return None if is_empty else as_graph(edges)


def as_graph(graph: Any) -> ADMG:
    """Return a graph as it is, and anything else as `read_graph` reads it."""
    if isinstance(graph, ADMG):
        return graph
    shape: tuple[int, ...] = getattr(graph, "shape", ())
    if hasattr(graph, "columns") and len(shape) == 2 and shape[0] != shape[1]:
        raise GraphFormatError(
            "A graph must be text, a path, an ADMG or a graph of another library. Found a table "
            f"of {shape[0]} rows and {shape[1]} columns. The table comes first, the graph second: "
            "are the two swapped?"
        )
    read: Callable[[Any], ADMG] = BUILT_ON["read"]
    return read(graph)


def markov_pillow(graph: Any, node: str, order: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the variables that `node` is conditioned on in the factorization.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph.
    node : str
        The variable whose factor is wanted.
    order : sequence of str, optional
        A topological order of the graph. The pillow depends on it if there are
        bidirected edges. By default `graph.topological_order()`.

    Returns
    -------
    tuple of str
        The district of `node` among the variables up to it in `order`, and the
        parents of that district, without `node` itself; sorted as in `order`.
        ``mp(j)`` in the paper.

    Examples
    --------
    Smoking and cancer share a hidden cause, so smoking enters the pillow of cancer
    although no arrow joins them:

    >>> graph = ADMG(
    ...     ["smoking", "tar", "cancer"],
    ...     directed=[("smoking", "tar"), ("tar", "cancer")],
    ...     bidirected=[("smoking", "cancer")],
    ... )
    >>> markov_pillow(graph, "cancer")
    ('smoking', 'tar')

    Where an order is free to choose, the pillow follows it:

    >>> pair = ADMG(["A", "B"], bidirected=[("A", "B")])
    >>> markov_pillow(pair, "A"), markov_pillow(pair, "A", order=["B", "A"])
    ((), ('B',))
    """
    graph = as_graph(graph)
    check_known([node], graph.nodes, "The node of a Markov pillow")
    place = {name: i for i, name in enumerate(order_of(graph, order))}
    return _pillow(graph, node, place)


def order_of(graph: ADMG, order: Iterable[str] | None) -> tuple[str, ...]:
    """Return the order to use: the graph's own, or the given one if it is topological."""
    own = graph.topological_order()
    return own if order is None else check_order(order, graph.nodes, graph.directed, own)


def pillows(graph: ADMG, order: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the Markov pillow of each node along an order that is known to be topological."""
    place = {name: i for i, name in enumerate(order)}
    return (_pillow(graph, node, place) for node in order)


def _pillow(graph: ADMG, node: str, place: Mapping[str, int]) -> tuple[str, ...]:
    """Return the pillow of a node, where `place` says where each node is in the order.

    The district is taken among the nodes up to `node`; their parents come before them anyway.
    """
    district = _reached([node], graph._siblings, lambda v: place[v] < place[node])
    pillow = district.union(*(graph._parents[v] for v in district)) - {node}
    return tuple(sorted(pillow, key=place.__getitem__))
