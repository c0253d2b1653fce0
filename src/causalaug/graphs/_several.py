"""Several graphs, none of which is known to be the right one, each with a weight.

They share an order, so that they are one model: each factor is a mixture over the pillows that the
graphs give it. To everybody who asks for edges they are the union of their graphs, whose
independences are claimed by all of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from causalaug._validation import brief, is_positive, some
from causalaug.exceptions import CyclicGraphError, GraphError
from causalaug.graphs._admg import ADMG, order_of, pillows

WeightedPillows = tuple[tuple[tuple[str, ...], float], ...]


@dataclass(frozen=True, init=False, repr=False)
class SeveralGraphs(ADMG):
    """Graphs with weights, as one; to questions about edges they answer as their union.

    `read_graph` makes one of a list of graphs, or of pairs of a graph and its weight.

    Parameters
    ----------
    graphs : iterable of (ADMG, float)
        The graphs, all of the same variables, and how much each counts: positive numbers of which
        only the ratios matter. They must share an order, since a model has one.

    Attributes
    ----------
    graphs : tuple of (ADMG, float)
        The graphs, and their weights, which sum to one.

    Examples
    --------
    >>> from causalaug import read_graph
    >>> either = read_graph([("a -> b; a -> c", 3), ("a -> b; b -> c", 1)])
    >>> [weight for _, weight in either.graphs]
    [0.75, 0.25]
    >>> either.directed
    (('a', 'b'), ('a', 'c'), ('b', 'c'))
    >>> either.weighted_pillows()[2]
    ((('a',), 0.75), (('b',), 0.25))
    """

    graphs: tuple[tuple[ADMG, float], ...]

    def __init__(self, graphs: Iterable[tuple[ADMG, float]]) -> None:
        found = tuple(graphs)
        _check_graphs(found)
        total = float(sum(weight for _, weight in found))
        try:
            super().__init__(
                found[0][0].nodes,
                [edge for graph, _ in found for edge in graph.directed],
                [edge for graph, _ in found for edge in graph.bidirected],
            )
        except CyclicGraphError as error:
            cycle = str(error).partition("Found ")[2].partition(". ")[0]
            raise CyclicGraphError(
                "Graphs that are used together must share an order. Found edges in opposite "
                f"directions: {cycle}. Choose one, or use discovery.augment_average(frame, graphs)."
            ) from None
        object.__setattr__(self, "graphs", tuple((g, float(w) / total) for g, w in found))

    def weighted_pillows(self, order: Sequence[str] | None = None) -> tuple[WeightedPillows, ...]:
        """Return, variable by variable along an order, its pillows and how much each counts."""
        names = order_of(self, order)
        weights = [dict[tuple[str, ...], float]() for _ in names]
        for graph, weight in self.graphs:
            # Graphs that agree on a pillow add their weights.
            for of_variable, pillow in zip(weights, pillows(graph, names), strict=True):
                of_variable[pillow] = of_variable.get(pillow, 0.0) + weight
        return tuple(tuple(of_variable.items()) for of_variable in weights)

    def subgraph(self, nodes: Iterable[str]) -> "SeveralGraphs":
        """Return the graphs of some nodes and of the edges between them."""
        kept = tuple(nodes)
        return SeveralGraphs((graph.subgraph(kept), weight) for graph, weight in self.graphs)

    def add(self, edges: Any) -> NoReturn:
        """Refuse: which of the graphs is meant is not known."""
        raise GraphError(
            f"Only one graph can be changed, and these are several. Found {brief(edges)}. Change "
            "the graphs in `.graphs`, and list them anew."
        )

    def without(self, edges: Any) -> NoReturn:
        """Refuse, as `add` does."""
        self.add(edges)

    def __repr__(self) -> str:
        """Return an expression that builds them."""
        return f"SeveralGraphs({list(self.graphs)!r})"

    def __str__(self) -> str:
        """Return each graph in words and arrows, with its weight."""
        return "\n".join(f"{weight:.3g}: {graph}" for graph, weight in self.graphs)

    def __reduce__(self) -> tuple[type["SeveralGraphs"], tuple[object, ...]]:
        """Pickle the graphs and their weights."""
        return SeveralGraphs, (self.graphs,)


def _check_graphs(graphs: Sequence[tuple[ADMG, Any]]) -> None:
    """Raise unless there are some, of the same nodes, without beliefs, with positive weights."""
    if not graphs:
        raise GraphError("Several graphs must be at least one. Found none.")
    first = graphs[0][0]
    for graph, weight in graphs:
        if set(graph.nodes) != set(first.nodes):
            raise GraphError(
                f"Graphs that are used together must have the same nodes. Found "
                f"{some(first.nodes)} and {some(graph.nodes)}. Add the missing: 'a -> b; c'."
            )
        if graph.beliefs:
            raise GraphError(
                "Graphs that are used together must have weights or beliefs in edges, not both. "
                f"Found beliefs in {brief(str(graph))}. Remove them."
            )
        if not is_positive(weight):
            raise GraphError(
                f"The weight of a graph must be a positive number. Found {brief(weight)} for "
                f"{brief(str(graph))}. Leave out a graph that counts for nothing."
            )
