"""A graph for marks that no graph has, as contradicting tests leave them."""

from causalaug.discovery._knowledge import Knowledge
from causalaug.discovery._marked import Marked
from causalaug.discovery._pag import PAG
from causalaug.discovery._search import ARROWS, Search, allowed_arrows, as_admg
from causalaug.graphs import ADMG


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
        asked = search.choices[number]
        ranked = {
            arrow: (_broken_marks(arrow, asked), not search.fits(graph, a, arrow, b))
            for arrow in possible
        }
        graph.toggle(a, min(possible, key=ranked.__getitem__), b)
    found = as_admg(graph, pag.nodes)
    return found if knowledge.allows(found) else None


def _broken_marks(arrow: str, asked: tuple[str, ...]) -> int:
    """Return at how many ends an arrow differs from the nearest one that is asked for."""
    heads = [(">" in each, "<" in each) for each in (arrow, *asked)]
    return min(sum(a != b for a, b in zip(heads[0], other, strict=True)) for other in heads[1:])
