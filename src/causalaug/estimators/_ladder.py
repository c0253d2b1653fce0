"""The ladder of knowledge: the same rows under nothing, under an order, and under a graph.

A rung is a graph. *Nothing* is the complete graph with the target last: a model of the target given
all else, and smoothing rows; no causal knowledge. *The order* is the complete graph along the given
order: each mechanism in its own direction, and no independence. *The graph* is the one that was
given. Two rungs whose factors are equal claim the same, and are one: what is fitted to it is fitted
once, and the step between them is exactly nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from causalaug.factorization import factorize
from causalaug.graphs import SeveralGraphs, complete_graph

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from causalaug.estimators._features_and_target import Observed
    from causalaug.graphs import ADMG
    from causalaug.typing import IntArray

NOTHING, ORDER, GRAPH = "nothing", "order", "graph"
RUNGS = (NOTHING, ORDER, GRAPH)


@dataclass(frozen=True, eq=False)
class Ladder:
    """The same rows on every rung.

    Parameters
    ----------
    rungs : mapping of str to Observed
        The rows with the graph of each rung.
    places : mapping of str to str
        For each rung the one that stands for it: itself, or one with equal factors.
    """

    rungs: Mapping[str, Observed]
    places: Mapping[str, str]

    @classmethod
    def of(cls, observed: Observed) -> Ladder:
        """Return the ladder that ends in the graph of these rows."""
        order = observed.graph.topological_order()
        last = (*(name for name in order if name != observed.target), observed.target)
        graphs = {
            GRAPH: observed.graph,
            ORDER: complete_graph(order),
            NOTHING: complete_graph(last),
        }
        # The graph comes first: whoever is equal to it, is it.
        first = {_claims(graph): name for name, graph in reversed(graphs.items())}
        places = {name: first[_claims(graph)] for name, graph in graphs.items()}
        rungs = {
            name: observed if name == GRAPH else replace(observed, graph=graphs[name])
            for name in dict.fromkeys(places.values())
        }
        return cls(rungs, places)

    def on(self, rung: str) -> Observed:
        """Return the rows with the graph of a rung."""
        return self.rungs[self.places[rung]]

    def select(self, rows: IntArray) -> Ladder:
        """Return the ladder of some of the rows."""
        return replace(self, rungs={name: each.select(rows) for name, each in self.rungs.items()})

    @property
    def fills_holes(self) -> bool:
        """Whether a learner gets cells that the graph of a rung has filled in."""
        observed = self.rungs[GRAPH]
        return observed.table.missing is not None and not observed.keep_holes


def _claims(graph: ADMG) -> Hashable:
    """Return what tells a graph from others that claim something else: its factors.

    Several graphs claim more than their union, each with its weight.
    """
    return graph if isinstance(graph, SeveralGraphs) else factorize(graph)
