"""Equivalence classes by brute force: slow, obvious, and only for a few nodes."""

from functools import cache
from itertools import chain, combinations, product

from causalaug.discovery import PAG
from causalaug.exceptions import CyclicGraphError
from causalaug.graphs import ADMG, m_separated

ENDS = {"->": ("tail", "arrow"), "<-": ("arrow", "tail"), "<->": ("arrow", "arrow")}


def subsets(items):
    items = list(items)
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


@cache
def independences(graph):
    """Return all (a, b, given) that the graph separates, found by asking for each."""
    return frozenset(
        question for question in _questions(graph.nodes) if m_separated(graph, *question)
    )


def _questions(nodes):
    for a, b in combinations(nodes, 2):
        for given in subsets(v for v in nodes if v not in (a, b)):
            yield a, b, given


def as_mag(graph):
    """Return the maximal ancestral graph with the same independences and ancestors."""
    apart = {(a, b) for a, b, _ in independences(graph)}
    joined = [pair for pair in combinations(graph.nodes, 2) if pair not in apart]
    arrows = [pair for pair in joined if pair[0] in graph.ancestors(pair[1])]
    turned = [(b, a) for a, b in joined if b in graph.ancestors(a)]
    arcs = [pair for pair in joined if pair not in arrows and pair[::-1] not in turned]
    return ADMG(graph.nodes, [*arrows, *turned], arcs)


def is_ancestral(graph):
    return not any(a in graph.ancestors(b) or b in graph.ancestors(a) for a, b in graph.bidirected)


def oriented(nodes, pairs, arrows):
    """Return the ADMG with these arrows, None if it has a cycle."""
    edges = list(zip(pairs, arrows, strict=True))
    directed = [pair if arrow == "->" else pair[::-1] for pair, arrow in edges if arrow != "<->"]
    try:
        return ADMG(nodes, directed, [pair for pair, arrow in edges if arrow == "<->"])
    except CyclicGraphError:
        return None


def equivalence_class(graph, arrows=("->", "<-", "<->")):
    """Return every ancestral graph with the edges and the independences of this one."""
    pairs = [pair for pair in combinations(graph.nodes, 2) if _joined(graph, *pair)]
    graphs = (oriented(graph.nodes, pairs, chosen) for chosen in product(arrows, repeat=len(pairs)))
    return {
        other for other in graphs if other and is_ancestral(other) and are_equivalent(other, graph)
    }


def are_equivalent(graph, other):
    """Return whether two graphs separate the same; ask until they differ."""
    known = independences(other)
    return all(
        m_separated(graph, a, b, given) == ((a, b, given) in known)
        for a, b, given in _questions(graph.nodes)
    )


def dag_class(graph):
    """Return every DAG with the edges and the independences of this one."""
    return equivalence_class(graph, arrows=("->", "<-"))


def as_pag(members):
    """Return the marks that all members agree on; circles where they do not."""
    members = list(members)
    edges = []
    for a, b in combinations(members[0].nodes, 2):
        arrows = [_arrow(member, a, b) for member in members]
        if None not in arrows:
            left, right = ({ENDS[arrow][end] for arrow in arrows} for end in (0, 1))
            edges.append((a, _drawn(left, "<") + "-" + _drawn(right, ">"), b))
    return PAG(members[0].nodes, edges)


def as_cpdag(members):
    """Return the arrows that all DAGs agree on; undirected edges where they do not."""
    members = list(members)
    edges = []
    for a, b in combinations(members[0].nodes, 2):
        arrows = {_arrow(member, a, b) for member in members}
        if arrows != {None}:
            edges.append((a, arrows.pop() if len(arrows) == 1 else "--", b))
    return PAG(members[0].nodes, edges)


def _drawn(marks, head):
    return "o" if len(marks) == 2 else {"tail": "", "arrow": head}[next(iter(marks))]


def _arrow(graph, a, b):
    if (a, b) in graph.directed:
        return "->"
    if (b, a) in graph.directed:
        return "<-"
    return "<->" if _joined(graph, a, b) else None


def _joined(graph, a, b):
    return any({a, b} == set(edge) for edge in (*graph.directed, *graph.bidirected))
