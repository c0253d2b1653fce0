"""Questions to a graph: pillows, separations, and the graph of some of its variables."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

from causalaug.exceptions import GraphError, ParameterError
from causalaug.graphs._admg import ADMG
from causalaug.graphs._checks import Edge, check_known

if TYPE_CHECKING:
    import networkx as nx


def markov_pillow(graph: ADMG, node: str, order: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the variables that `node` is conditioned on in the factorization.

    Parameters
    ----------
    graph : ADMG
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
    check_known([node], graph.nodes, "The node of a Markov pillow")
    return pillow_in(graph, node, check_order(graph, order))


def pillow_in(graph: ADMG, node: str, order: tuple[str, ...]) -> tuple[str, ...]:
    """Return the Markov pillow of `node` along an order that is known to be topological."""
    so_far = order[: order.index(node) + 1]
    district = graph.district(node, within=so_far)
    pillow = {*district, *graph.parents(district)} - {node}
    return tuple(v for v in so_far if v in pillow)


def check_order(graph: ADMG, order: Sequence[str] | None) -> tuple[str, ...]:
    """Return `order`, by default the graph's own, or raise unless it is topological."""
    if order is None:
        return graph.topological_order()
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise GraphError(f"An order must be a sequence of node names. Found {order!r}.")
    names = tuple(v if isinstance(v, str) else repr(v) for v in order)
    if Counter(names) != Counter(graph.nodes):
        missing = [v for v in graph.nodes if v not in names]
        foreign = [v for v in names if v not in graph.nodes]
        repeated = [v for v in graph.nodes if names.count(v) > 1]
        raise GraphError(
            "An order must name every node of the graph exactly once. "
            f"Missing: {missing}. Not a node: {foreign}. Repeated: {repeated}."
        )
    place = {name: i for i, name in enumerate(names)}
    broken = [(a, b) for a, b in graph.directed if place[a] > place[b]]
    if broken:
        cause, effect = broken[0]
        raise GraphError(
            "An order must put causes before effects. "
            f"Found {effect!r} before {cause!r}, against the edge {cause} -> {effect}. "
            f"One that fits: {list(graph.topological_order())}."
        )
    return names


def select_markov_blanket(graph: ADMG, target: str) -> tuple[str, ...]:
    """Return the variables that make `target` independent of all the rest.

    It is the smallest such set that can be read off the graph: drop a member, and the graph
    no longer promises the independence. A predictor of `target` needs no other column.

    Parameters
    ----------
    graph : ADMG
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
    check_known([target], graph.nodes, "The target of a Markov blanket")
    common_effects = graph.district([target, *graph.children(target)])
    blanket = {*common_effects, *graph.parents(common_effects)} - {target}
    return tuple(v for v in graph.nodes if v in blanket)


def m_separated(
    graph: ADMG,
    x: str | Iterable[str],
    y: str | Iterable[str],
    given: str | Iterable[str] = (),
) -> bool:
    """Return whether the graph implies that `x` and `y` are independent given `given`.

    Parameters
    ----------
    graph : ADMG
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

    sides = [{v} if isinstance(v, str) else set(v) for v in (x, y, given)]
    for name, side in zip(("x", "y", "given"), sides, strict=True):
        check_known(side, graph.nodes, f"`{name}`")
    for one, other in combinations(sides, 2):
        if one & other:
            raise ParameterError(
                "`x`, `y` and `given` must have no node in common. "
                f"Found {sorted(one & other)} in two of them. Remove it from one."
            )
    # The function has its present name since networkx 3.3.
    separated = getattr(nx, "is_d_separator", None) or nx.d_separated
    return bool(separated(_canonical_dag(graph), *sides))


def _canonical_dag(graph: ADMG) -> "nx.DiGraph":
    """Return the DAG in which every bidirected edge is a hidden parent of its two nodes."""
    import networkx as nx

    dag = nx.DiGraph()
    dag.add_nodes_from(graph.nodes)
    dag.add_edges_from(graph.directed)
    dag.add_edges_from((pair, child) for pair in graph.bidirected for child in pair)
    return dag


def latent_projection(graph: ADMG, keep: Iterable[str]) -> ADMG:
    """Return the graph of the variables in `keep`, the others having become hidden.

    A directed path through hidden variables becomes a directed edge; a hidden common
    cause becomes a bidirected edge (Verma and Pearl, 1990). Among the kept variables
    the same independences hold as before.

    Parameters
    ----------
    graph : ADMG
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
    kept = {keep} if isinstance(keep, str) else set(keep)
    check_known(kept, graph.nodes, "`keep`")
    directed, bidirected = set(graph.directed), set(graph.bidirected)
    for node in graph.nodes:
        if node not in kept:
            directed, bidirected = _hide(node, directed, bidirected)
    return ADMG([v for v in graph.nodes if v in kept], directed, bidirected)


def _hide(node: str, directed: set[Edge], bidirected: set[Edge]) -> tuple[set[Edge], set[Edge]]:
    """Return the edges once `node` is hidden: its causes and siblings meet its effects."""
    causes = {a for a, b in directed if b == node}
    effects = {b for a, b in directed if a == node}
    siblings = {v for pair in bidirected if node in pair for v in pair} - {node}
    through = set(product(causes, effects))
    shared = {(a, b) for a, b in product(effects | siblings, effects) if a != b}
    return (
        {edge for edge in directed | through if node not in edge},
        {edge for edge in bidirected | shared if node not in edge},
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
