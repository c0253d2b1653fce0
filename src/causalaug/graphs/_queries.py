"""Questions to a graph: blankets, separations, and the graph of some of its variables."""

from collections.abc import Iterable
from itertools import combinations, product
from typing import Any

from causalaug._validation import some
from causalaug.exceptions import GraphError, ParameterError
from causalaug.graphs._admg import ADMG, as_graph
from causalaug.graphs._checks import MOST_EDGES, can_be_listed, check_known, plain
from causalaug.graphs._several import SeveralGraphs


def select_markov_blanket(graph: Any, target: str) -> tuple[str, ...]:
    """Return the variables that make `target` independent of all the rest.

    It is the smallest such set that can be read off the graph: drop a member, and the graph
    no longer promises the independence. A predictor of `target` needs no other column.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph.
    target : str
        The variable to be screened off.

    Returns
    -------
    tuple of str
        The nodes joined to `target` by an edge, or by a path on which every node in between
        is a common effect, in node order. In a DAG: parents, children, and the other parents
        of the children.

    Examples
    --------
    The other parent of a child belongs to it, the cause of a cause does not:

    >>> edges = [("age", "diet"), ("diet", "weight"), ("weight", "pulse"), ("coffee", "pulse")]
    >>> graph = ADMG(["age", "diet", "weight", "pulse", "coffee"], directed=edges)
    >>> select_markov_blanket(graph, "weight")
    ('diet', 'pulse', 'coffee')

    Held fixed, the pulse joins its causes, hidden ones included. So if stress, unseen, raises
    both pulse and sleeplessness, a predictor of weight wants to know who sleeps, and why else:

    >>> stressed = ADMG(
    ...     [*graph.nodes, "sleep", "noise"],
    ...     directed=[*edges, ("noise", "sleep")],
    ...     bidirected=[("pulse", "sleep")],
    ... )
    >>> select_markov_blanket(stressed, "weight")
    ('diet', 'pulse', 'coffee', 'sleep', 'noise')
    """
    graph = as_graph(graph)
    check_known([target], graph.nodes, "The target of a Markov blanket")
    common_effects = graph.district([target, *graph.children(target)])
    blanket = {*common_effects, *graph.parents(common_effects)} - {target}
    return tuple(v for v in graph.nodes if v in blanket)


def m_separated(
    graph: Any,
    x: str | Iterable[str],
    y: str | Iterable[str],
    given: str | Iterable[str] = (),
) -> bool:
    """Return whether the graph implies that `x` and `y` are independent given `given`.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph. For a DAG this is d-separation.
    x, y : str or iterable of str
        The variables in question.
    given : str or iterable of str, optional
        The variables that are held fixed.

    Returns
    -------
    bool
        True if `given` blocks every path between `x` and `y`.

    Examples
    --------
    A common effect joins its causes only when it is held fixed, and a hidden cause
    of it and another variable is enough to make it a common effect:

    >>> graph = ADMG(["A", "B", "C"], directed=[("A", "B")], bidirected=[("B", "C")])
    >>> m_separated(graph, "A", "C"), m_separated(graph, "A", "C", given="B")
    (True, False)
    """
    import networkx as nx

    graph = as_graph(graph)
    sides = [_known(graph, *side) for side in (("x", x), ("y", y), ("given", given))]
    for one, other in combinations(sides, 2):
        if one & other:
            raise ParameterError(
                "`x`, `y` and `given` must have no node in common. "
                f"Found {some(sorted(one & other))} in two of them. Remove it from one."
            )
    # A bidirected edge is a hidden parent of its two nodes.
    dag: nx.DiGraph[Any] = nx.DiGraph(graph.directed)
    dag.add_nodes_from(graph.nodes)
    dag.add_edges_from((pair, child) for pair in graph.bidirected for child in pair)
    # The function has its present name since networkx 3.3.
    separated = getattr(nx, "is_d_separator", None) or nx.d_separated
    return bool(separated(dag, *sides))


def _known(graph: ADMG, argument: str, names: str | Iterable[str]) -> set[str]:
    """Return the nodes that an argument names, or raise if it names something else."""
    is_one = isinstance(names, str) or not can_be_listed(names)
    found: list[Any] = [names] if is_one else list(names)
    check_known(found, graph.nodes, f"`{argument}`")
    return set(found)


def latent_projection(graph: Any, keep: str | Iterable[str]) -> ADMG:
    """Return the graph of the variables in `keep`, the others having become hidden.

    A directed path through hidden variables becomes a directed edge; a hidden common
    cause becomes a bidirected edge (Verma and Pearl, 1990). Among the kept variables
    the same independences hold as before. Edges between kept variables keep the beliefs in them;
    new ones have none.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads
        The causal graph.
    keep : iterable of str
        The variables that stay, in any order.

    Returns
    -------
    ADMG
        The projection. Its nodes keep the order that they have in `graph`.

    Examples
    --------
    Hiding a mediator shortens a path; hiding a common cause confounds:

    >>> edges = [("U", "A"), ("U", "B"), ("A", "M"), ("M", "B")]
    >>> graph = ADMG(["U", "A", "M", "B"], directed=edges)
    >>> latent_projection(graph, keep=["A", "B"])
    ADMG(['A', 'B'], directed=[('A', 'B')], bidirected=[('A', 'B')])
    """
    graph = as_graph(graph)
    kept = _known(graph, "keep", keep)
    if isinstance(graph, SeveralGraphs):
        return SeveralGraphs((latent_projection(g, sorted(kept)), w) for g, w in graph.graphs)
    causes, effects, siblings = (
        {node: set(near) for node, near in neighbours.items()}
        for neighbours in (graph._parents, graph._children, graph._siblings)
    )
    n_made = 0
    for node in graph.nodes:
        if node in kept:
            continue
        above, below, beside = causes.pop(node), effects.pop(node), siblings.pop(node)
        n_made += len(below) * (len(above) + len(beside) + (len(below) - 1) // 2)
        if n_made > MOST_EDGES:
            raise GraphError(
                f"Hiding variables must make at most {MOST_EDGES:,} edges. Found {n_made:,} with "
                f"{plain(node)}, which has {len(below):,} effects. Keep it, or remove effects."
            )
        for near, neighbours in ((above, effects), (below, causes), (beside, siblings)):
            for other in near:
                neighbours[other].discard(node)
        # Causes of the hidden node become causes of its effects; the effects share a hidden cause
        # with each other, and with whatever shared one with the node.
        for a, b in product(above, below):
            effects[a].add(b)
            causes[b].add(a)
        for a, b in product(below | beside, below):
            if a != b:
                siblings[a].add(b)
                siblings[b].add(a)
    nodes = [v for v in graph.nodes if v in kept]
    return ADMG(
        nodes,
        directed=((a, b) for a in nodes for b in effects[a]),
        bidirected=((a, b) for a in nodes for b in siblings[a]),
        beliefs={e: b for e, b in graph.beliefs.items() if {e[0], e[2]} <= kept},
    )


def complete_graph(nodes: Iterable[str]) -> ADMG:
    """Return the DAG in which every variable has all those before it as parents.

    It assumes no independence: with it, augmentation is mere smoothing. Comparisons
    use it as the control that tells the gain of a graph from the gain of smoothing.

    Parameters
    ----------
    nodes : iterable of str
        The variables, in the order in which they are to be factorized.

    Examples
    --------
    >>> complete_graph(["A", "B", "C"]).directed
    (('A', 'B'), ('A', 'C'), ('B', 'C'))
    """
    names = ADMG(nodes).nodes
    return ADMG(names, directed=combinations(names, 2))
