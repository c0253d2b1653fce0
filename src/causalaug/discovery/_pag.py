"""A class of graphs that the same data cannot tell apart, drawn as one graph with open ends."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from causalaug._validation import check_choice
from causalaug.exceptions import GraphError, GraphFormatError
from causalaug.graphs import ADMG
from causalaug.graphs._checks import check_edges, check_known, check_nodes

Mark: TypeAlias = Literal["tail", "arrow", "circle"]
MarkedEdge: TypeAlias = tuple[str, str, str]

MARKS: Mapping[str, tuple[Mark, Mark]] = {
    "->": ("tail", "arrow"),
    "<-": ("arrow", "tail"),
    "<->": ("arrow", "arrow"),
    "o->": ("circle", "arrow"),
    "<-o": ("arrow", "circle"),
    "o-o": ("circle", "circle"),
    "o-": ("circle", "tail"),
    "-o": ("tail", "circle"),
    "--": ("tail", "tail"),
}
"""The two end marks that each way to draw an edge stands for."""

_DRAWN = {marks: drawn for drawn, marks in MARKS.items()}


@dataclass(frozen=True, init=False, repr=False)
class PAG:
    """A partial ancestral graph: all that the data tell about the directions of edges.

    The marks at the ends of an edge say what all graphs of the class agree on. An arrowhead at
    an end: that node does not cause the other. A tail: it does. A circle: some graphs of the
    class have the one there, some the other. An undirected edge ``--`` stands for ``->`` or
    ``<-`` and nothing else; with it this is a CPDAG, a class of DAGs, in which nothing is
    hidden, so that circles and ``<->`` cannot occur beside it.

    Like an `ADMG` it is a value, and equal to another if nodes, their order and edges are.

    Parameters
    ----------
    nodes : iterable of str
        The variables, in an order that breaks ties.
    edges : iterable of (str, str, str)
        Triples (node, edge, node) with the edge drawn as one of ``->``, ``<-``, ``<->``,
        ``o->``, ``<-o``, ``o-o``, ``o-``, ``-o``, ``--``. At most one edge joins two nodes.

    Attributes
    ----------
    nodes : tuple of str
        The variables.
    edges : tuple of (str, str, str)
        The edges, sorted by the place of their nodes; the earlier node comes first.

    See Also
    --------
    enumerate_admgs : The graphs of the class.

    Examples
    --------
    Two instruments of a treatment: that it is no cause of theirs is certain, and that it
    causes the outcome. Whether an instrument causes it or shares a hidden cause is open:

    >>> pag = PAG(
    ...     ["treatment", "draft", "cost", "outcome"],
    ...     [
    ...         ("draft", "o->", "treatment"),
    ...         ("cost", "o->", "treatment"),
    ...         ("treatment", "->", "outcome"),
    ...     ],
    ... )
    >>> pag.edges[0]
    ('treatment', '<-o', 'draft')
    >>> pag.mark("draft", "treatment"), pag.mark("treatment", "draft")
    ('arrow', 'circle')
    """

    nodes: tuple[str, ...]
    edges: tuple[MarkedEdge, ...]

    def __init__(self, nodes: Iterable[str], edges: Iterable[MarkedEdge] = ()) -> None:
        names = check_nodes(nodes)
        place = {name: i for i, name in enumerate(names)}
        marks: dict[tuple[str, str], tuple[Mark, Mark]] = {}
        for edge in edges:
            left, drawn, right = _check_triple(edge)
            check_edges([(left, right)], place, drawn)
            ends = MARKS[drawn]
            if place[left] > place[right]:
                left, right, ends = right, left, ends[::-1]
            if marks.setdefault((left, right), ends) != ends:
                raise GraphError(
                    "At most one edge may join two nodes. Found both "
                    f"{left} {_DRAWN[marks[left, right]]} {right} and "
                    f"{left} {_DRAWN[ends]} {right}. Keep one."
                )
        pairs = sorted(marks, key=lambda pair: (place[pair[0]], place[pair[1]]))
        object.__setattr__(self, "nodes", names)
        object.__setattr__(self, "edges", tuple((a, _DRAWN[marks[a, b]], b) for a, b in pairs))
        self._check_one_sort()

    def to_admg(self) -> ADMG:
        """Return the first graph of the class; `read_graph` does so where a graph is wanted.

        All graphs of a class claim the same independences, so that no other would say more. They
        differ in the order of their variables; `enumerate_admgs` lists them.

        Examples
        --------
        >>> print(PAG(["A", "B"], [("A", "--", "B")]).to_admg())
        ADMG of A, B: A -> B
        """
        return _CHOOSERS[0](self)

    @classmethod
    def from_admg(cls, graph: ADMG) -> "PAG":
        """Return the class that holds this graph alone, every mark being known.

        Examples
        --------
        >>> PAG.from_admg(ADMG(["A", "B"], directed=[("B", "A")]))
        PAG(['A', 'B'], [('A', '<-', 'B')])
        """
        arrows = [(a, "->", b) for a, b in graph.directed]
        return cls(graph.nodes, [*arrows, *((a, "<->", b) for a, b in graph.bidirected)])

    @classmethod
    def from_causallearn(cls, source: Any, *, two_tails: str = "--") -> "PAG":
        """Read a graph of causal-learn: that of ``fci``, of ``ges``, or of ``pc``.

        Parameters
        ----------
        source : GeneralGraph or CausalGraph
            What ``fci(...)[0]``, ``ges(...)["G"]`` and ``pc(...)`` return.
        two_tails : {"--", "o-o"}, optional
            How to draw an edge with two tails. Of ``pc`` and ``ges`` it means either direction.
            Of ``fci`` it means that the rows were selected by what they have in common. No ADMG
            says that; ``"o-o"`` takes the edge for one of which nothing is known.
        """
        check_choice("two_tails", two_tails, ("--", "o-o"))
        graph = getattr(source, "G", source)
        if not hasattr(graph, "get_graph_edges") or not hasattr(graph, "get_nodes"):
            raise GraphFormatError(
                "The source must be a graph of causal-learn, such as fci(...)[0], ges(...)['G'] "
                f"or pc(...). Found {type(source).__name__}."
            )
        edges = []
        for edge in graph.get_graph_edges():
            left, right = edge.get_node1().get_name(), edge.get_node2().get_name()
            ends = (edge.get_endpoint1().name.lower(), edge.get_endpoint2().name.lower())
            if ends not in _DRAWN:
                raise GraphFormatError(
                    "causal-learn graph: the ends of an edge must be tails, arrows or circles. "
                    f"Found {ends[0]} and {ends[1]} between {left} and {right}."
                )
            edges.append((left, two_tails if ends == ("tail", "tail") else _DRAWN[ends], right))
        return cls([node.get_name() for node in graph.get_nodes()], edges)

    @property
    def is_cpdag(self) -> bool:
        """Whether this is a class of DAGs: all edges are ``->`` or ``--``."""
        return all("circle" not in MARKS[drawn] and drawn != "<->" for _, drawn, _ in self.edges)

    def mark(self, start: str, end: str) -> Mark | None:
        """Return the mark at `end` of the edge that joins it to `start`; None without an edge."""
        check_known((start, end), self.nodes, "A query")
        return self._marks.get((start, end))

    def __repr__(self) -> str:
        """Return an expression that builds the graph."""
        edges = f", {list(self.edges)!r}" if self.edges else ""
        return f"PAG({list(self.nodes)!r}{edges})"

    def __str__(self) -> str:
        """Return the nodes and edges as they are drawn."""
        edges = [f"{b} -> {a}" if m == "<-" else f"{a} {m} {b}" for a, m, b in self.edges]
        sort = "CPDAG" if self.is_cpdag else "PAG"
        return f"{sort} of {', '.join(self.nodes)}: {', '.join(edges) or 'no edges'}"

    def __reduce__(self) -> tuple[type["PAG"], tuple[object, ...]]:
        """Pickle what defines the graph, not what was derived from it."""
        return PAG, (self.nodes, self.edges)

    @cached_property
    def _marks(self) -> Mapping[tuple[str, str], Mark]:
        marks: dict[tuple[str, str], Mark] = {}
        for a, drawn, b in self.edges:
            marks[b, a], marks[a, b] = MARKS[drawn]
        return marks

    def _check_one_sort(self) -> None:
        """Raise if the marks of two sorts of classes are mixed."""
        undirected = [edge for edge in self.edges if edge[1] == "--"]
        if undirected and not self.is_cpdag:
            others = [edge for edge in self.edges if edge[1] not in ("--", "->", "<-")]
            raise GraphError(
                "An undirected edge belongs to a class of DAGs, without hidden variables and "
                f"circles. Found {' '.join(undirected[0])} beside {' '.join(others[0])}. Draw it "
                "o-o if a hidden cause is possible; selection bias is not supported."
            )


def _check_triple(edge: object) -> MarkedEdge:
    """Return the edge if it is a triple (node, drawing, node)."""
    triple = () if isinstance(edge, str) or not isinstance(edge, Iterable) else tuple(edge)
    if len(triple) != 3:
        raise GraphError(
            f"An edge must be a triple (node, edge, node). Found {edge!r}. Write ('A', 'o->', 'B')."
        )
    check_choice("edge", triple[1], tuple(MARKS))
    return triple


_CHOOSERS: list[Callable[[PAG], ADMG]] = []


def register_chooser(choose: Callable[[PAG], ADMG]) -> None:
    """Say how a member is chosen: that builds on this module, which cannot import it."""
    _CHOOSERS[:] = [choose]
