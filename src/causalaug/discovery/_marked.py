"""Mixed graphs as bit masks: the tests that a search runs very often.

Nodes are numbers, a set of nodes is an integer whose bit v says whether node v is in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

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
        if below >> cause & 1:
            return False
        return not any(self.spouses[node] & below for node in bits(above))

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
